"""Coverage points for sub-group queries, and requirements that cannot be tested (section 5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.answers.sub_groups import (
    COMPILED,
    COUNT,
    LOCAL,
    SIZE,
    WORD,
    is_impossible,
    numbers_given,
    told_beside,
    work_items,
)
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Answered, Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.queries.questions import Question

rules = Rules()

ASK = "clGetKernelSubGroupInfo"
KERNELS_ALONE = "only kernels can observe single work-groups, by functions that tests of the language cover"


def _told(*names: str, when: Callable[[Question], bool]) -> Answered:
    """Return a coverage condition: one of these queries succeeds, and its input passes a test."""

    def holds(asked: AnsweredCall) -> bool:
        question = asked.question
        told = asked.code == SUCCESS and "param_value" in asked.seen and question is not None
        return told and question is not None and question.query.name in names and when(question)

    return Answered(names, holds)


def _of_both(question: Question) -> bool:
    """Return whether both the size and the number of sub-groups of a local size are known."""
    other = COUNT if question.query.name.startswith(SIZE) else SIZE
    return bool(work_items(question)) and told_beside(question, other) is not None


def _of_several_dimensions(question: Question) -> bool:
    """Return whether both are known for several dimensions, and the number of dimensions affects the result."""
    return len(numbers_given(question)) > 1 and numbers_given(question)[1:] != (1,) and _of_both(question)


rules.trigger(
    "OpenCL:mapping-work-items-onto-an-nd-range/15",
    ASK,
    "Checked on local sizes for which both the size and the number of sub-groups were queried.",
    SIZE,
    COUNT,
    holds=_told(SIZE, COUNT, when=_of_both),
)
for _record, _words in (
    ("OpenCL:mapping-work-items-onto-an-nd-range/14", ""),
    (
        "OpenCL:synchronization/2",
        "No work-item continues after a sub-group function before all others have reached it.",
    ),
    ("OpenCL:sub-group-functions/1", "Stores before a sub-group barrier are visible after it."),
    (
        "OpenCL:sub-group-functions/2",
        "A sub-group function takes effect after its work-items have evaluated its arguments.",
    ),
    (
        "OpenCL:work-group-functions/2",
        "A work-group function takes effect after its work-items have evaluated its arguments.",
    ),
):
    rules.untestable(_record, _words, KERNELS_ALONE)

BOTH = (SIZE, COUNT, f"{SIZE}_KHR", f"{COUNT}_KHR")
for _khr in ("", "_KHR"):
    rules.trigger(
        f"{SIZE}{_khr}/effect/1",
        ASK,
        "All sub-groups of a work-group have one size, except the last one, which may be smaller.",
        *BOTH,
        holds=_told(*BOTH, when=_of_both),
    )
    for _name in (SIZE, COUNT):
        _words = (
            "Checked on local sizes of several dimensions for which both the size and the number of sub-groups were "
            "queried."
        )
        _holds = _told(*BOTH, when=_of_several_dimensions)
        rules.trigger(f"{_name}{_khr}/effect/2", ASK, _words, *BOTH, holds=_holds)
    _words = ""
    rules.untestable(f"{COUNT}{_khr}/effect/1", _words, KERNELS_ALONE)


def _with_room(question: Question) -> bool:
    return question.call.param_value_size > WORD.size and bool(numbers_given(question))


for _number, _words, _when in (
    (1, "Checked on queries whose output buffer has space for several dimensions.", _with_room),
    (2, "Checked on queries whose output buffer has space for several dimensions.", _with_room),
    (4, "Checked on queries for more sub-groups than a work-group of the device can have work-items.", is_impossible),
):
    rules.trigger(f"{LOCAL}/effect/{_number}", ASK, _words, LOCAL, holds=_told(LOCAL, when=_when))
rules.untestable(
    f"{LOCAL}/effect/3",
    "",
    "no query returns the size of the last sub-group of a work-group, which may be smaller",
)
rules.trigger(
    f"{COMPILED}/effect/1",
    ASK,
    "",
    COMPILED,
    holds=_told(COMPILED, when=lambda _question: True),
)
