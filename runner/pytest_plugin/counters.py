"""Formats the progress of a run as text: items, their rate, the time left, and the deviations so far."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from clconform.reports.count_text import count_text

if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_RATE_ITEMS = 5
"""The rate is shown after this number of finished items."""
MIN_TIME_LEFT_SHARE = 0.01
"""The time left is shown after this share of the items; before, the first items may be the slowest of the run."""

MIN_RATE_SECONDS = 30.0
"""Minimum seconds of the period over which the rate is measured. The period is the later half of the run: items that
crash or hang come last, so the rate of the whole run would then be too high, and the rate of half a minute would
fluctuate."""

INTEGER_RATE = 10
"""Rates of at least this many items per second are shown without decimals."""


class RunCounters:
    """Counts finished items and distinct deviations.

    ``total``: number of items, 0 if unknown. ``done``: number of finished items. ``began``: time of the start in
    seconds.
    """

    def __init__(self, began: float) -> None:
        self.began = began
        self.total = self.done = 0
        self._counts = deque([(began, 0)])
        self._new: set[str] = set()
        self._known: set[str] = set()

    def count_deviations(self, keys: Iterable[str], *, known: bool) -> list[str]:
        """Count the deviations of an item by their keys; ``known``: whether all of them are known.

        Return the keys of deviations that are not known, and that no earlier item had.
        """
        if known:
            self._known.update(keys)
            return []
        added = [key for key in dict.fromkeys(keys) if key not in self._new]
        self._new.update(added)
        return added

    @property
    def finished_share(self) -> float:
        """Return the finished share of the items, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def progress_text(self, now: float) -> str:
        """Return the progress of a running run as text."""
        words = [f"{self.finished_share:.0%}"] if self.total else []
        words.append(f"{self.done:,} of {_format_items(self.total)}" if self.total else _format_items(self.done))
        rate = self._items_per_second(now)
        if self.done >= MIN_RATE_ITEMS and rate:
            words.append(f"{rate:.{0 if rate >= INTEGER_RATE else 1}f}/s")
            if self.finished_share >= MIN_TIME_LEFT_SHARE:
                words.append(f"{_format_duration(max(0, self.total - self.done) / rate)} left")
        return " · ".join([*words, f"{self.deviations_text} so far"])

    def _items_per_second(self, now: float) -> float:
        """Return the number of items per second in the recent period.

        If no item ended in this period, return the rate of the whole run; at the start of the run, return 0.
        """
        self._counts.append((now, self.done))
        while now - self._counts[1][0] >= max(MIN_RATE_SECONDS, (now - self.began) / 2):
            self._counts.popleft()
        for then, done in (self._counts[0], (self.began, 0)):
            if self.done > done and now > then:
                return (self.done - done) / (now - then)
        return 0.0

    def final_text(self, now: float) -> str:
        """Return the number and duration of the finished items, and the number of deviations, as text for the end."""
        done = _format_items(self.done) if self.done >= self.total else f"{self.done:,} of {_format_items(self.total)}"
        return f"{done} in {_format_duration(now - self.began)} · {self.deviations_text}"

    @property
    def deviations_text(self) -> str:
        """Return the number of distinct deviations as text."""
        known = self._known - self._new
        told = count_text(len(self._new), "deviation")
        return f"{told}, and {len(known):,} known" if known else told


def _format_items(number: int) -> str:
    return count_text(number, "item")


def _format_duration(seconds: float) -> str:
    """Return a duration as ``2:05`` or ``1:02:05``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
