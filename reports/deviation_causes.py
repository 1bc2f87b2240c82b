"""Groups deviations by cause, and drops deviations of several requirements that other deviations explain."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from clconform.calls.deviation_keys import mask_numbers
from clconform.calls.journal import IN_THIS_CALL
from clconform.reports.consequences import order_of
from clconform.reports.driver_messages import message_of
from clconform.reports.status_policy import UNPROVED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clconform.calls.journal import Deviation
    from clconform.reports.run_result import Consequence, DeviationResult
    from clconform.spec_tables.requirements import Requirement

SUCCESS = "CL_SUCCESS"

_D = TypeVar("_D", "Deviation", "DeviationResult")


def drop_explained(deviations: Iterable[_D]) -> list[_D]:
    """Return the deviations without those that other deviations explain.

    Only a deviation of several requirements can be explained, by deviations of its single requirements. If a call
    succeeded although several error conditions held, each of these conditions must have a deviation of its own. For any
    other outcome, it is enough that one of the requirements has a deviation of its own with the same outcome. A
    deviation that did not repeat does not explain one that repeats.
    """
    every = list(deviations)
    alone: dict[str, list[_D]] = defaultdict(list)
    for deviation in every:
        if len(deviation.requirements) == 1:
            alone[deviation.requirements[0]].append(deviation)
    return [deviation for deviation in every if len(deviation.requirements) == 1 or not _is_explained(deviation, alone)]


def _is_explained(group: _D, alone: dict[str, list[_D]]) -> bool:
    if group.verdict == "deviates" and group.symptom == SUCCESS:
        return all(
            any(single.verdict not in UNPROVED_STATUSES for single in alone.get(requirement, ()))
            for requirement in group.requirements
        )
    return any(
        single.verdict == group.verdict and (group.verdict != "deviates" or single.symptom == group.symptom)
        for requirement in group.requirements
        for single in alone.get(requirement, ())
    )


@dataclass(frozen=True)
class DeviationCause:
    """Deviations that probably have one cause in the driver: the same condition with the same result.

    ``text``: the condition, with dots where it differs between functions; empty if it has no text. ``message``: the
    line that the driver printed in each of them before its process ended, with the place in its source; empty if none.
    A cause only groups deviations for display: it has no id, and no other report refers to it.
    """

    text: str
    deviations: Sequence[DeviationResult]
    message: str = ""

    @property
    def consequence(self) -> Consequence | None:
        """The worst consequence of the deviations."""
        return self.deviations[0].consequence

    @property
    def functions(self) -> list[str]:
        """The functions that have the deviation, each once."""
        return list(dict.fromkeys(deviation.function for deviation in self.deviations))


def group_causes(
    deviations: Iterable[DeviationResult], requirements: Mapping[str, Requirement]
) -> list[DeviationCause]:
    """Return the deviations grouped by cause: by consequence, then by verdict, then the cause with most deviations.

    Crashes before which the driver named the same place in its source are one cause. The same error condition of
    several functions is one cause. Deviations from requirements other than error conditions have a separate cause for
    each function. Symptoms that differ only in numbers count as equal.
    """
    deviations = sorted(deviations, key=order_of)
    by_message: dict[str, list[DeviationResult]] = defaultdict(list)
    for deviation in deviations:
        by_message[message_of(deviation)].append(deviation)
    without = by_message.pop("", [])
    found = [DeviationCause("", group, message) for message, group in by_message.items()]
    found += _group_conditions(without, requirements)
    return sorted(found, key=lambda cause: (*order_of(cause.deviations[0])[:2], -len(cause.deviations)))


def _group_conditions(
    deviations: Iterable[DeviationResult], requirements: Mapping[str, Requirement]
) -> list[DeviationCause]:
    """Return deviations grouped by their conditions."""
    members: dict[tuple[str, ...], list[DeviationResult]] = defaultdict(list)
    words: dict[tuple[str, ...], str] = {}
    for deviation in deviations:
        conditions = [
            _general_condition(
                requirement, _without_alternative(deviation.conditions.get(requirement, "")), requirements
            )
            for requirement in deviation.requirements
        ]
        of_all = all(condition and code for condition, code in conditions)
        place = "" if of_all else " ".join((deviation.function, *deviation.requirements))
        told = " / ".join(dict.fromkeys(condition for condition, _ in conditions if condition))
        codes = " ".join(code for _, code in conditions)
        key = (deviation.consequence or "", deviation.verdict, mask_numbers(deviation.symptom), told, codes, place)
        members[key].append(deviation)
        words[key] = told
    return [DeviationCause(_condition_text(words[key], group), group) for key, group in members.items()]


def _general_condition(requirement: str, words: str, requirements: Mapping[str, Requirement]) -> tuple[str, str]:
    """Return the text of a condition with dots in place of its parameter names, and its error code.

    ``words``: the text of the condition. The code is empty if the requirement is not an error condition.
    """
    known = requirements.get(requirement)
    condition = getattr(known, "condition", None)
    if condition is not None and condition.parameters:
        words = words.replace(" and ".join(condition.parameters), "…")
    return words, getattr(known, "code", "")


def _without_alternative(condition: str) -> str:
    """Return the text of a condition without the note on the alternative that held in the call."""
    return condition.partition(IN_THIS_CALL)[0]


def _condition_text(words: str, group: Sequence[DeviationResult]) -> str:
    """Return the condition text with parameter names if all deviations share it, else the general text ``words``."""
    told = {
        " / ".join(dict.fromkeys(filter(None, map(_without_alternative, deviation.conditions.values()))))
        for deviation in group
    }
    return told.pop() if len(told) == 1 else words
