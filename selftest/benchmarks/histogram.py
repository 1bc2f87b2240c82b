"""A compact histogram for millions of durations, with twelve steps per power of two."""

from __future__ import annotations

import math
from collections import Counter

STEPS = 12
"""Steps per doubling of the duration. With twelve steps, a median is accurate to 3 %."""
MINIMUM_SECONDS = 1e-8
"""Durations below this number of seconds are not distinguished."""


class Histogram:
    """Durations in seconds, with their exact sum."""

    def __init__(self, counts: dict[int, int] | None = None, total: float = 0.0) -> None:
        """Start empty, or from the counts and the total of another histogram."""
        self.counts = Counter(counts or {})
        self.total = total

    def add(self, seconds: float) -> None:
        """Add one duration to the histogram."""
        self.counts[round(math.log2(max(seconds, MINIMUM_SECONDS)) * STEPS)] += 1
        self.total += seconds

    def merge(self, other: Histogram) -> None:
        """Add the durations of another histogram."""
        self.counts.update(other.counts)
        self.total += other.total

    def __len__(self) -> int:
        return self.counts.total()

    def quantile(self, share: float) -> float:
        """Return the duration of this quantile; 0 if the histogram is empty."""
        left = share * len(self)
        for step, count in sorted(self.counts.items()):
            left -= count
            if left <= 0:
                return float(2 ** (step / STEPS))
        return 0.0

    @property
    def median(self) -> float:
        """Return the median duration."""
        return self.quantile(0.5)
