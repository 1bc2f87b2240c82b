"""What became of each fault: found, equivalent by the judge's rule, survived, or never applied."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.injection.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

FOUND, EQUIVALENT, SURVIVED, NOT_APPLIED = "found", "equivalent", "survived", "not applied"
STATUSES = (FOUND, EQUIVALENT, SURVIVED, NOT_APPLIED)
FORMAT = "clconform-injection-1"
LARGEST_SHARE = 0.1
"""The most of all applied faults that may be equivalent before the figures say little."""


class Verdict(msgspec.Struct, frozen=True):
    """What became of one fault.

    ``why``: the item that noticed it and how, the rule, or what was tried. ``applied``: in how many calls it showed.
    ``items``: how many items were run with it, of those that it would show in (``reached``).
    """

    fault: Fault
    chapter: str
    status: str
    why: str
    applied: int = 0
    items: int = 0
    reached: int = 0


def settle(noticed: str, applied: int, left_open: Counter[str]) -> tuple[str, str]:
    """Return the status of a fault and why: by what was noticed, and in how many calls what changed was as right."""
    if noticed:
        return FOUND, noticed
    if not applied:
        return NOT_APPLIED, "it shows in no call on this platform"
    if sum(left_open.values()) == applied:
        return EQUIVALENT, "; ".join(reason for reason, _ in left_open.most_common())
    asked = applied - sum(left_open.values())
    return SURVIVED, f"it shows in {applied} calls, in {asked} of them not as right as without it, and none is blamed"


def counted(verdicts: Iterable[Verdict], by: str) -> dict[str, Counter[str]]:
    """Return how many faults of each operator, or of each chapter, there are of each status."""
    counts: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        group = verdict.fault.operator if by == "operator" else verdict.chapter
        counts.setdefault(group, Counter())[verdict.status] += 1
    return counts


def share_found(count: Counter[str]) -> float:
    """Return the share of the faults found among those that were applied and are not equivalent; 1 where none was."""
    real = count[FOUND] + count[SURVIVED]
    return count[FOUND] / real if real else 1.0


def share_equivalent(count: Counter[str]) -> float:
    """Return the share of the equivalent among all that were applied."""
    applied = count[FOUND] + count[SURVIVED] + count[EQUIVALENT]
    return count[EQUIVALENT] / applied if applied else 0.0


def as_data(verdicts: list[Verdict], target: list[str]) -> dict[str, Any]:
    """Return the result as it is written: counts in all, by operator and by chapter, and each fault."""
    whole: Counter[str] = sum(counted(verdicts, "operator").values(), Counter())
    return {
        "format": FORMAT,
        "target": target,
        "summary": {
            **{status: whole[status] for status in STATUSES},
            "share_found": round(share_found(whole), 4),
            "share_equivalent": round(share_equivalent(whole), 4),
        },
        "operators": {name: dict(count) for name, count in counted(verdicts, "operator").items()},
        "chapters": {name: dict(count) for name, count in sorted(counted(verdicts, "chapter").items())},
        "faults": [{"name": verdict.fault.name, **msgspec.to_builtins(verdict)} for verdict in verdicts],
    }
