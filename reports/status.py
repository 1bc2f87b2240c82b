"""Decides a record's status from everything that is known about it: the only place with this policy.

Two pure, total functions: ``settle`` attributes each distinct deviation to records, and ``status_of`` weighs a
record's evidence, its deviations and what prevented testing it. Both are tested as tables.
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
"""The statuses of a record that a deviation is blamed on, worst first."""
ASKED = STATUSES[:6]
"""The statuses of a record that a call tested: these, conforms and inconclusive."""

INCONCLUSIVE = "an out-of-resources error although nothing was exhausted"
WEAK_ONLY = "weak evidence only: other clauses held in every call as well"
NO_CALL = "no call tested it"
UNMET = "tested, but the case that it describes never occurred"
REFUSED = "tested, but its function failed each time; see the function's own records"


class Blamed(msgspec.Struct, frozen=True):
    """One distinct deviation, after confirmation: ``verdict`` is one of ``BAD``; ``also``: records that share it."""

    records: tuple[str, ...]
    verdict: str
    also: tuple[str, ...] = ()


class Blame(msgspec.Struct, frozen=True):
    """One record's share of one deviation; ``group`` is True if it shares it with others."""

    verdict: str
    group: bool = False


class Verdict(msgspec.Struct, frozen=True):
    """A status and, if needed, its reason."""

    status: str
    reason: str = ""


def settle(deviations: Iterable[Blamed]) -> dict[str, list[Blame]]:
    """Return each record's share of ``deviations``.

    If several clauses held at once, any of them may be to blame. A member that has at least as bad a deviation
    by itself explains the group's, and the other members get no share of it; otherwise all members share it, as a
    group, and so do the records of ``also``. A flaky deviation does not explain one that repeats.
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
    """Return the status of a record.

    ``evidence``: counts by kind, as items journal them. ``blames``: what ``settle`` gave the record.
    ``blamed_before``: the record is named in a journalled deviation, so that the counts of bad outcomes in
    ``evidence`` add nothing to ``blames``. ``gate``, ``untestable``, ``not_run``: why the
    record could not be or was not tested; empty if it was. ``untried``: why no item that targets it has tested it.
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
        reasons.append("as a group: other clauses held in the same call")
    if blame.verdict == "flaky":
        reasons.append("not reproduced in a fresh worker")
    if gate:
        reasons.append(f"although not applicable: {gate}")
    if untestable:
        reasons.append(f"although untestable: {untestable}")
    return "; ".join(reasons)


def _worst(verdicts: Iterable[str]) -> str:
    return min(verdicts, key=BAD.index)


def _worst_blame(blames: Iterable[Blame]) -> Blame | None:
    return min(blames, key=lambda blame: (BAD.index(blame.verdict), blame.group), default=None)
