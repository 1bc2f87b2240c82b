"""How far a run is, in words: items, their rate, the time left, and the deviations so far."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SETTLED = 5
"""Number of items after which a rate is told."""
SETTLED_PART = 0.01
"""Part of the items after which the time left is told, too: the first ones that end may be the slowest of a run."""

RECENT_SECONDS = 30.0
"""The least time over which the rate is told, which is the later half of the run: items that crash or hang come last,
when the rate of all time is too high, and that of half a minute jumps."""

FAST = 10
"""From how many items in a second their rate is told without a fraction."""


class Tally:
    """What has ended so far. ``total``: how many items there are, 0 while nobody knows; ``began``: when, in seconds."""

    def __init__(self, began: float) -> None:
        self.began = began
        self.total = self.done = 0
        self._counts = deque([(began, 0)])
        self._new: set[str] = set()
        self._known: set[str] = set()

    def met(self, keys: Iterable[str], *, known: bool) -> None:
        """Count the deviations of an item by their keys; ``known``: all of them are."""
        (self._known if known else self._new).update(keys)

    @property
    def part(self) -> float:
        """Return the part that is done, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def so_far(self, now: float) -> str:
        """Return the numbers of a run that goes on."""
        words = [f"{self.part:.0%}"] if self.total else []
        words.append(f"{self.done:,} of {_items(self.total)}" if self.total else _items(self.done))
        rate = self._rate(now)
        if self.done >= SETTLED and rate:
            words.append(f"{rate:.{0 if rate >= FAST else 1}f}/s")
            if self.part >= SETTLED_PART:
                words.append(f"{_clock(max(0, self.total - self.done) / rate)} left")
        return " · ".join([*words, self.deviations])

    def _rate(self, now: float) -> float:
        """Return how many items end in a second: of late, or of all of the time if none has; 0 at the beginning."""
        self._counts.append((now, self.done))
        while now - self._counts[1][0] >= max(RECENT_SECONDS, (now - self.began) / 2):
            self._counts.popleft()
        for then, done in (self._counts[0], (self.began, 0)):
            if self.done > done and now > then:
                return (self.done - done) / (now - then)
        return 0.0

    def at_the_end(self, now: float) -> str:
        """Return the numbers of a run whose items have ended."""
        done = _items(self.done) if self.done >= self.total else f"{self.done:,} of {_items(self.total)}"
        return f"{done} in {_clock(now - self.began)} · {self.deviations}"

    @property
    def deviations(self) -> str:
        """Return how many distinct deviations were met, in words."""
        known = self._known - self._new
        told = _counted(len(self._new), "deviation")
        return f"{told}, and {len(known):,} known" if known else told


def _items(number: int) -> str:
    return _counted(number, "item")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _clock(seconds: float) -> str:
    """Return a time as ``2:05``, or ``1:02:05``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
