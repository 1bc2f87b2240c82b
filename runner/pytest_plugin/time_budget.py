"""Parses time limits in options, and manages a run's wall-clock budget with the order of items that it needs."""

from __future__ import annotations

import argparse
import hashlib
import re
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
RESERVED_SHARE = 0.2
"""Share of the budget that is reserved for confirming and minimising as soon as a deviation has occurred."""

MIN_SCALE, MAX_SCALE = 0.1, 100.0
"""Smallest and largest factor by which an option may multiply deadlines."""

_Item = TypeVar("_Item")


class RunBudget(NamedTuple):
    """A wall-clock budget: ``seconds`` in total, until ``ends`` on the system's monotonic clock."""

    seconds: float
    ends: float

    @classmethod
    def from_now(cls, seconds: float) -> RunBudget:
        """Return a budget of ``seconds`` that starts now."""
        return cls(seconds, time.monotonic() + seconds)

    def is_spent(self, *, deviations: bool) -> bool:
        """Return whether no further items may start; ``deviations``: whether deviations have occurred."""
        return time.monotonic() >= self.ends - (RESERVED_SHARE * self.seconds if deviations else 0)

    def share_of(self, parts: int, most: float) -> float:
        """Return the remaining seconds divided by ``parts``, but at most ``most``."""
        return min(most, max(0.0, self.ends - time.monotonic()) / max(1, parts))


def parse_duration(text: str) -> float:
    """Parse a duration such as ``90``, ``90s``, ``10m`` or ``1.5h`` into seconds; ArgumentTypeError if invalid."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if found is None or not float(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration; write 90s, 10m or 1.5h")
    return float(found[1]) * UNITS[found[2]]


def parse_limit(text: str) -> float:
    """Parse a limit in seconds, where 0 means no limit; ArgumentTypeError if invalid."""
    found = re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds; write 60, or 0 for no limit")
    return float(text)


def parse_scale(text: str) -> float:
    """Parse a factor for deadlines; ArgumentTypeError if invalid."""
    found = re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,9})?", text)
    if found is None or not MIN_SCALE <= float(text) <= MAX_SCALE:
        bounds = f"from {MIN_SCALE:g} to {MAX_SCALE:g}"
        raise argparse.ArgumentTypeError(f"{text!r} is not a scale of deadlines; write a number {bounds}")
    return float(text)


def order_by_need(
    items: Iterable[_Item],
    done: Iterable[_Item],
    seed: int,
    name: Callable[[_Item], str],
    requirements_of: Callable[[_Item], Sequence[str]],
) -> list[_Item]:
    """Return ``items`` in the order for a run with a budget: items with the least-targeted requirements come first.

    For each requirement, count the earlier items that target it, including those in ``done``. The turn of an item is
    the smallest count among its requirements, and items run in the order of their turns. Each requirement thus gets its
    first item before any requirement gets a second item. Within a turn, the run's seed determines the order.
    """
    aimed = Counter(requirement for item in done for requirement in requirements_of(item))
    drawn = sorted(items, key=lambda item: hashlib.sha256(f"{seed} {name(item)}".encode()).digest())
    turns = []
    for item in drawn:
        turns.append(min((aimed[requirement] for requirement in requirements_of(item)), default=0))
        aimed.update(requirements_of(item))
    return [item for _, item in sorted(zip(turns, drawn, strict=True), key=lambda pair: pair[0])]
