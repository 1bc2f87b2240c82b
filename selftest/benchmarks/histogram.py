"""Times by the million in little memory: a histogram whose steps are a twelfth of a power of two wide."""

from __future__ import annotations

import math
from collections import Counter

STEPS = 12
"""Steps to a doubling: a median is right within 3 %."""
LEAST = 1e-8
"""Seconds below which times are not told apart."""


class Histogram:
    """Durations in seconds, with their exact sum."""

    def __init__(self, counts: dict[int, int] | None = None, total: float = 0.0) -> None:
        """Start empty, or from what ``as_data`` gave."""
        self.counts = Counter(counts or {})
        self.total = total

    def add(self, seconds: float) -> None:
        """Count one duration."""
        self.counts[round(math.log2(max(seconds, LEAST)) * STEPS)] += 1
        self.total += seconds

    def merge(self, other: Histogram) -> None:
        """Count another histogram's durations, too."""
        self.counts.update(other.counts)
        self.total += other.total

    def __len__(self) -> int:
        return self.counts.total()

    def quantile(self, share: float) -> float:
        """Return the duration that this share does not exceed; 0 where there is none."""
        left = share * len(self)
        for step, count in sorted(self.counts.items()):
            left -= count
            if left <= 0:
                return float(2 ** (step / STEPS))
        return 0.0

    @property
    def median(self) -> float:
        """The duration in the middle."""
        return self.quantile(0.5)
