"""What becomes of a fault: found, equivalent by the judge's rule, survived, or never applied."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from clconform.reports.campaign import FaultStatus

LARGEST_SHARE = 0.1
"""The most of all applied faults that may be equivalent before the figures say little."""


class Course(NamedTuple):
    """How a fault went in all items that were run with it.

    ``noticed``: the item that noticed it, and how. ``applied``: in how many calls it showed. ``left_open``: why it is
    as right as without it in how many of these. ``masked``: how many of them deviate just so without it. ``items``:
    how many items were run.
    """

    noticed: str
    applied: int
    left_open: Counter[str]
    masked: int
    items: int


NOWHERE = Course("", 0, Counter(), 0, 0)
"""The course of a fault that shows in no item."""


def settle(course: Course) -> tuple[FaultStatus, str]:
    """Return the status of a fault and why: by what was noticed, and in how many calls what changed was as right."""
    if course.noticed:
        return "found", course.noticed
    if not course.applied:
        return "not-applied", "it shows in no call on this platform"
    asked = course.applied - course.left_open.total()
    if not asked:
        return "equivalent", "; ".join(reason for reason, _ in course.left_open.most_common())
    shown = f"it shows in {course.applied} calls, in {asked} of them not as right as without it"
    if course.masked:
        return (
            "survived",
            f"{shown}; {course.masked} of them deviate just so without it, and no other is blamed",
        )
    return "survived", f"{shown}, and none is blamed"
