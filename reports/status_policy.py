"""Determines the status of a requirement from all evidence.

This module contains the whole policy. It consists of two pure, total functions, which are tested as tables.
``evaluate_deviations`` attributes each distinct deviation to requirements. ``requirement_status`` combines the evidence
for a requirement, its deviations, and the reasons why it was not tested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DeviatingStatus = Literal["crashes", "hangs", "deviates", "unconfirmed", "flaky"]
Status = Literal[DeviatingStatus, "conforms", "inconclusive", "not-covered", "not-run", "not-applicable", "untestable"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""All statuses, the worst first."""

DEVIATING_STATUSES: tuple[DeviatingStatus, ...] = get_args(DeviatingStatus)
"""The statuses of a requirement to which a deviation is attributed, the worst first."""
UNPROVED_STATUSES = ("unconfirmed", "flaky")
"""The verdicts on deviations that did not repeat; they do not count against the driver."""
TESTED_STATUSES = STATUSES[:7]
"""The statuses of a requirement that a call has tested: the deviating statuses, conforms and inconclusive."""
WEAK_EVIDENCE = ("weak", "refused")
"""Kinds of evidence that do not count as calls that tested a requirement."""
COVERED_STATUSES = STATUSES[:6]
"""The statuses of a requirement that a call has covered: the deviating statuses, and conforms."""

INCONCLUSIVE = "an out-of-resources error although nothing was exhausted"
WEAK_ONLY = "weak evidence only: other error conditions held in every call as well"
NOT_TESTED = "no call tested it"
SITUATION_NOT_OBSERVED = "tested, but the described case never occurred"
FUNCTION_FAILED = "tested, but its function failed each time; see the function's own requirements"


class ConfirmedDeviation(msgspec.Struct, frozen=True):
    """One distinct deviation after its confirmation.

    ``verdict``: one of ``DEVIATING_STATUSES``. ``also``: other requirements that the deviation violates.
    """

    requirements: tuple[str, ...]
    verdict: str
    also: tuple[str, ...] = ()


class DeviationShare(msgspec.Struct, frozen=True):
    """The effect of one deviation on one requirement; ``group``: the deviation affects several requirements."""

    verdict: str
    group: bool = False


class StatusReason(msgspec.Struct, frozen=True):
    """A status and its reason.

    The reason may be empty.
    """

    status: str
    reason: str = ""


def evaluate_deviations(deviations: Iterable[ConfirmedDeviation]) -> dict[str, list[DeviationShare]]:
    """Return the shares of each requirement in ``deviations``.

    If several error conditions held in one call, at least one of them is violated. If one of them also has a deviation
    alone, with a verdict that is at least as severe, this deviation explains that of the group, and the group gets no
    shares. Otherwise each requirement of the group, and each of ``also``, gets a share. A deviation that did
    not repeat does not explain a deviation that repeats.
    """
    distinct = list(deviations)
    blames: dict[str, list[DeviationShare]] = {}
    for deviation in distinct:
        if len(deviation.requirements) == 1:
            blames.setdefault(deviation.requirements[0], []).append(DeviationShare(deviation.verdict))
    alone = {requirement: _worst_verdict(blame.verdict for blame in taken) for requirement, taken in blames.items()}
    for deviation in distinct:
        group = len(deviation.requirements) > 1
        rank = DEVIATING_STATUSES.index(deviation.verdict)
        if group and any(
            requirement in alone and DEVIATING_STATUSES.index(alone[requirement]) <= rank
            for requirement in deviation.requirements
        ):
            continue
        for requirement in (*deviation.requirements, *deviation.also) if group else deviation.also:
            blames.setdefault(requirement, []).append(DeviationShare(deviation.verdict, group=group))
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

    ``evidence``: number of calls for each kind of evidence, as in the journal. ``shares``: the requirement's shares
    from ``evaluate_deviations``. ``has_journalled_deviation``: a deviation in the journal names the requirement, so
    that deviating outcomes in ``evidence`` add nothing to ``shares``. ``not_applicable``, ``untestable``, ``not_run``:
    why the requirement could not be, or was not, tested; empty if it was. ``untested_reason``: why the items that
    target the requirement have not tested it.
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


def _share_reason(deviation: DeviationShare, gate: str, untestable: str) -> str:
    reasons = []
    if deviation.group:
        reasons.append("as a group: other error conditions held in the same call")
    if deviation.verdict == "flaky":
        reasons.append("not reproduced in a new worker process")
    if deviation.verdict == "unconfirmed":
        reasons.append("repetitions in new worker processes are inconclusive")
    if gate:
        reasons.append(f"although not applicable: {gate}")
    if untestable:
        reasons.append(f"although untestable: {untestable}")
    return "; ".join(reasons)


def _worst_verdict(verdicts: Iterable[str]) -> str:
    return min(verdicts, key=DEVIATING_STATUSES.index)


def _worst_share(deviations: Iterable[DeviationShare]) -> DeviationShare | None:
    return min(
        deviations, key=lambda deviation: (DEVIATING_STATUSES.index(deviation.verdict), deviation.group), default=None
    )
