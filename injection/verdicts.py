"""What becomes of a fault: found, equivalent by the judge's rule, survived, or never applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter

    from clconform.reports.campaign import FaultStatus

LARGEST_SHARE = 0.1
"""The most of all applied faults that may be equivalent before the figures say little."""


def settle(noticed: str, applied: int, left_open: Counter[str]) -> tuple[FaultStatus, str]:
    """Return the status of a fault and why: by what was noticed, and in how many calls what changed was as right."""
    if noticed:
        return "found", noticed
    if not applied:
        return "not-applied", "it shows in no call on this platform"
    if sum(left_open.values()) == applied:
        return "equivalent", "; ".join(reason for reason, _ in left_open.most_common())
    asked = applied - sum(left_open.values())
    return "survived", f"it shows in {applied} calls, in {asked} of them not as right as without it, and none is blamed"
