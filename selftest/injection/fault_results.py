"""The result of a fault: found, equivalent by the judge's rules, survived, or not applied."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from clconform.reports.fault_campaign import FaultStatus

MAX_EQUIVALENT_SHARE = 0.1
"""The maximum share of equivalent faults among the applied ones for meaningful results."""


class FaultCourse(NamedTuple):
    """The observations about a fault in all items that were run with it.

    ``noticed``: the item that found the fault, and the deviation. ``applied``: the number of affected calls.
    ``equivalent``: maps reasons to the numbers of affected calls that conform for this reason. ``masked``: the number
    of affected calls that have the same deviation without the fault. ``items``: the number of items run.
    """

    noticed: str
    applied: int
    equivalent: Counter[str]
    masked: int
    items: int


NO_COURSE = FaultCourse("", 0, Counter(), 0, 0)
"""The course of a fault that does not take effect in any item."""


NOT_TRIED: tuple[FaultStatus, str] = ("not-tried", "it affects calls, and was not drawn")
"""The status of a fault that was left out of a sample, and the reason."""


def evaluate(course: FaultCourse) -> tuple[FaultStatus, str]:
    """Return the status of a fault and the reason."""
    if course.noticed:
        return "found", course.noticed
    if not course.applied:
        return "not-applied", "it affects no call on this platform"
    asked = course.applied - course.equivalent.total()
    if not asked:
        return "equivalent", "; ".join(reason for reason, _ in course.equivalent.most_common())
    shown = f"it affects {course.applied} calls, {asked} of them not conforming"
    if course.masked:
        return (
            "survived",
            f"{shown}; {course.masked} of them deviate in the same way without it, and no other is blamed",
        )
    return "survived", f"{shown}, and none is blamed"
