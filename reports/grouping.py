"""Which deviations are told together: those of one cause, and not those that others explain."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from clconform.calls.deviation_keys import without_numbers
from clconform.reports.status import BAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clconform.calls.journal import Deviation
    from clconform.reports.result import DeviationResult
    from clconform.spec_tables.records import Record

SUCCESS = "CL_SUCCESS"

_D = TypeVar("_D", "Deviation", "DeviationResult")


def unexplained(deviations: Iterable[_D]) -> list[_D]:
    """Return the deviations without those of several records that the same records explain, each by itself.

    A success against several clauses is explained where each of them alone meets a deviation; another outcome, where
    one of them alone meets the same.
    """
    every = list(deviations)
    alone: dict[str, list[_D]] = defaultdict(list)
    for deviation in every:
        if len(deviation.records) == 1:
            alone[deviation.records[0]].append(deviation)
    return [deviation for deviation in every if len(deviation.records) == 1 or not _explained(deviation, alone)]


def _explained(group: _D, alone: dict[str, list[_D]]) -> bool:
    if group.verdict == "deviates" and group.symptom == SUCCESS:
        return all(alone.get(record) for record in group.records)
    return any(
        single.verdict == group.verdict and (group.verdict != "deviates" or single.symptom == group.symptom)
        for record in group.records
        for single in alone.get(record, ())
    )


@dataclass(frozen=True)
class Cause:
    """Deviations that look like one mistake of the driver: one condition, and the same answer to it.

    ``words``: the condition, with dots for what differs from function to function; empty where nobody has put it into
    words. A cause is a way of showing deviations: it has no id, and nothing is known by it.
    """

    words: str
    deviations: Sequence[DeviationResult]

    @property
    def functions(self) -> list[str]:
        """The functions that show it, each once."""
        return list(dict.fromkeys(deviation.function for deviation in self.deviations))


def causes(deviations: Iterable[DeviationResult], records: Mapping[str, Record]) -> list[Cause]:
    """Return the deviations by cause: the worst verdict first, then what shows in most places.

    A clause's condition is one cause for all functions that have it; what a success has to bring about is another for
    each function. Symptoms that differ in numbers alone are one answer.
    """
    members: dict[tuple[str, ...], list[DeviationResult]] = defaultdict(list)
    words: dict[tuple[str, ...], str] = {}
    for deviation in deviations:
        conditions = [_condition(record, deviation.conditions.get(record, ""), records) for record in deviation.records]
        of_all = all(condition and code for condition, code in conditions)
        place = "" if of_all else " ".join((deviation.function, *deviation.records))
        told = " / ".join(dict.fromkeys(condition for condition, _ in conditions if condition))
        codes = " ".join(code for _, code in conditions)
        key = (deviation.verdict, without_numbers(deviation.symptom), told, codes, place)
        members[key].append(deviation)
        words[key] = told
    found = [Cause(_as_it_reads(words[key], group), group) for key, group in members.items()]
    return sorted(found, key=lambda cause: (BAD.index(cause.deviations[0].verdict), -len(cause.deviations)))


def _condition(record: str, words: str, records: Mapping[str, Record]) -> tuple[str, str]:
    """Return a clause's condition without the names of its parameters, and its code; both empty for no clause."""
    known = records.get(record)
    condition = getattr(known, "condition", None)
    if condition is not None and condition.parameters:
        words = words.replace(" and ".join(condition.parameters), "…")
    return words, getattr(known, "code", "")


def _as_it_reads(words: str, group: Sequence[DeviationResult]) -> str:
    """Return the condition with the names of its parameters, where all have the same."""
    told = {" / ".join(dict.fromkeys(filter(None, deviation.conditions.values()))) for deviation in group}
    return told.pop() if len(told) == 1 else words
