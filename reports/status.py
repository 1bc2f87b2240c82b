"""Determines a requirement's status from all evidence: the only place with this policy.

Two pure, total functions: ``settle`` attributes each distinct deviation to requirements, and ``status_of`` weighs a
requirement's evidence, its deviations and the reasons why it was not tested. Both are tested as tables.
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
    "not-provoked",
    "not-run",
    "not-applicable",
    "untestable",
)
"""Every status, worst first."""

BAD = STATUSES[:4]
"""The statuses of a requirement with an attributed deviation, worst first."""
ASKED = STATUSES[:6]
"""The statuses of a requirement that a call tested: these, conforms and inconclusive."""

INCONCLUSIVE = "an out-of-resources error although nothing was exhausted"
WEAK_ONLY = "weak evidence only: other error conditions held in every call as well"
NO_CALL = "no call tested it"
UNMET = "tested, but the described case never occurred"
REFUSED = "tested, but its function failed each time; see the function's own requirements"


class Blamed(msgspec.Struct, frozen=True):
    """One distinct deviation, after confirmation. ``verdict``: one of ``BAD``. ``also``: requirements that share it."""

    records: tuple[str, ...]
    verdict: str
    also: tuple[str, ...] = ()


class Blame(msgspec.Struct, frozen=True):
    """One requirement's share of one deviation; ``group``: it is shared with others."""

    verdict: str
    group: bool = False


class Verdict(msgspec.Struct, frozen=True):
    """A status and, if needed, its reason."""

    status: str
    reason: str = ""


def settle(deviations: Iterable[Blamed]) -> dict[str, list[Blame]]:
    """Return each requirement's share of ``deviations``.

    If several error conditions held in one call, any of them may be violated. A member with a separate deviation that
    is at least as bad explains the group's deviation, and the other members get no share of it; otherwise all members
    share it, as a group, and so do the requirements of ``also``. A flaky deviation does not explain one that repeats.
    """
    distinct = list(deviations)
    blames: dict[str, list[Blame]] = {}
    for deviation in distinct:
        if len(deviation.records) == 1:
            blames.setdefault(deviation.records[0], []).append(Blame(deviation.verdict))
    alone = {record: _worst(blame.verdict for blame in taken) for record, taken in blames.items()}
    for deviation in distinct:
        group = len(deviation.records) > 1
        rank = BAD.index(deviation.verdict)
        if group and any(record in alone and BAD.index(alone[record]) <= rank for record in deviation.records):
            continue
        for record in (*deviation.records, *deviation.also) if group else deviation.also:
            blames.setdefault(record, []).append(Blame(deviation.verdict, group=group))
    return blames


def status_of(
    evidence: Mapping[str, int],
    blames: Iterable[Blame] = (),
    *,
    blamed_before: bool = False,
    gate: str = "",
    untestable: str = "",
    not_run: str = "",
    untried: str = "",
) -> Verdict:
    """Return the status of a requirement.

    ``evidence``: counts by kind, as in the items' journal lines. ``blames``: the requirement's shares from ``settle``.
    ``blamed_before``: a journalled deviation names the requirement, so that the counts of deviating outcomes in
    ``evidence`` add nothing to ``blames``. ``gate``, ``untestable``, ``not_run``: why the requirement could not be or
    was not tested; empty if it was. ``untried``: why no item that targets it has tested it.
    """
    worst = _worst_blame(blames)
    if worst is None and not blamed_before:
        worst = next((Blame(kind) for kind in BAD if evidence.get(kind, 0)), None)
    if worst is not None:
        return Verdict(worst.verdict, _because(worst, gate, untestable))
    for holds, status, reason in (
        (gate, "not-applicable", gate),
        (untestable, "untestable", untestable),
        (evidence.get("conforms"), "conforms", ""),
        (evidence.get("inconclusive"), "inconclusive", INCONCLUSIVE),
        (evidence.get("weak"), "not-provoked", WEAK_ONLY),
        (evidence.get("refused"), "not-provoked", REFUSED),
        (not_run, "not-run", not_run),
    ):
        if holds:
            return Verdict(status, reason)
    return Verdict("not-provoked", untried or NO_CALL)


def _because(blame: Blame, gate: str, untestable: str) -> str:
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


def _worst(verdicts: Iterable[str]) -> str:
    return min(verdicts, key=BAD.index)


def _worst_blame(blames: Iterable[Blame]) -> Blame | None:
    return min(blames, key=lambda blame: (BAD.index(blame.verdict), blame.group), default=None)
