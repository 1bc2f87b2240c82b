"""Determines a requirement's status from all evidence: the only place with this policy.

Two pure, total functions: ``evaluate_deviations`` attributes each distinct deviation to requirements, and
``requirement_status`` weighs a requirement's evidence, its deviations and the reasons why it was not tested. Both are
tested as tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

STATUSES = (
    "crashes",
    "hangs",
    "deviates",
    "flaky",
    "conforms",
    "inconclusive",
    "not-covered",
    "not-run",
    "not-applicable",
    "untestable",
)
"""Every status, worst first."""

DEVIATING_STATUSES = STATUSES[:4]
"""The statuses of a requirement with an attributed deviation, worst first."""
TESTED_STATUSES = STATUSES[:6]
"""The statuses of a requirement that a call tested: these, conforms and inconclusive."""

INCONCLUSIVE = "an out-of-resources error although nothing was exhausted"
WEAK_ONLY = "weak evidence only: other error conditions held in every call as well"
NOT_TESTED = "no call tested it"
SITUATION_NOT_OBSERVED = "tested, but the described case never occurred"
FUNCTION_FAILED = "tested, but its function failed each time; see the function's own requirements"


class ConfirmedDeviation(msgspec.Struct, frozen=True):
    """One distinct deviation, after confirmation. ``verdict``: one of ``DEVIATING_STATUSES``.

    ``also``: requirements that share it.
    """

    requirements: tuple[str, ...]
    verdict: str
    also: tuple[str, ...] = ()


class DeviationShare(msgspec.Struct, frozen=True):
    """One requirement's share of one deviation; ``group``: it is shared with others."""

    verdict: str
    group: bool = False


class StatusReason(msgspec.Struct, frozen=True):
    """A status and, if needed, its reason."""

    status: str
    reason: str = ""


def evaluate_deviations(deviations: Iterable[ConfirmedDeviation]) -> dict[str, list[DeviationShare]]:
    """Return each requirement's share of ``deviations``.

    If several error conditions held in one call, any of them may be violated. A member with a separate deviation that
    is at least as bad explains the group's deviation, and the other members get no share of it; otherwise all members
    share it, as a group, and so do the requirements of ``also``. A flaky deviation does not explain one that repeats.
    """
    distinct = list(deviations)
    blames: dict[str, list[DeviationShare]] = {}
    for deviation in distinct:
        if len(deviation.requirements) == 1:
            blames.setdefault(deviation.requirements[0], []).append(DeviationShare(deviation.verdict))
    alone = {record: _worst_verdict(blame.verdict for blame in taken) for record, taken in blames.items()}
    for deviation in distinct:
        group = len(deviation.requirements) > 1
        rank = DEVIATING_STATUSES.index(deviation.verdict)
        if group and any(
            record in alone and DEVIATING_STATUSES.index(alone[record]) <= rank for record in deviation.requirements
        ):
            continue
        for record in (*deviation.requirements, *deviation.also) if group else deviation.also:
            blames.setdefault(record, []).append(DeviationShare(deviation.verdict, group=group))
    return blames


def requirement_status(
    evidence: Mapping[str, int],
    shares: Iterable[DeviationShare] = (),
    *,
    has_journalled_deviation: bool = False,
    not_applicable: str = "",
    untestable: str = "",
    not_run: str = "",
    untested_reason: str = "",
) -> StatusReason:
    """Return the status of a requirement.

    ``evidence``: counts by kind, as in the items' journal lines. ``blames``: the requirement's shares from
    ``evaluate_deviations``. ``has_journalled_deviation``: a journalled deviation names the requirement, so that the
    counts of deviating outcomes in ``evidence`` add nothing to ``blames``. ``gate``, ``untestable``, ``not_run``: why
    the requirement could not be or was not tested; empty if it was. ``untested_reason``: why no item that targets it
    has tested it.
    """
    worst = _worst_share(shares)
    if worst is None and not has_journalled_deviation:
        worst = next((DeviationShare(kind) for kind in DEVIATING_STATUSES if evidence.get(kind, 0)), None)
    if worst is not None:
        return StatusReason(worst.verdict, _share_reason(worst, not_applicable, untestable))
    for holds, status, reason in (
        (not_applicable, "not-applicable", not_applicable),
        (untestable, "untestable", untestable),
        (evidence.get("conforms"), "conforms", ""),
        (evidence.get("inconclusive"), "inconclusive", INCONCLUSIVE),
        (evidence.get("weak"), "not-covered", WEAK_ONLY),
        (evidence.get("refused"), "not-covered", FUNCTION_FAILED),
        (not_run, "not-run", not_run),
    ):
        if holds:
            return StatusReason(status, reason)
    return StatusReason("not-covered", untested_reason or NOT_TESTED)


def _share_reason(blame: DeviationShare, gate: str, untestable: str) -> str:
    reasons = []
    if blame.group:
        reasons.append("as a group: other error conditions held in the same call")
    if blame.verdict == "flaky":
        reasons.append("not reproduced in a new worker process")
    if gate:
        reasons.append(f"although not applicable: {gate}")
    if untestable:
        reasons.append(f"although untestable: {untestable}")
    return "; ".join(reasons)


def _worst_verdict(verdicts: Iterable[str]) -> str:
    return min(verdicts, key=DEVIATING_STATUSES.index)


def _worst_share(blames: Iterable[DeviationShare]) -> DeviationShare | None:
    return min(blames, key=lambda blame: (DEVIATING_STATUSES.index(blame.verdict), blame.group), default=None)
