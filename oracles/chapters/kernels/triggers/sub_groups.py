"""Which queries put to the test what section 5.9.4 says of sub-groups, and what no query can show."""

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
KERNELS_ALONE = (
    "only kernels are told of single work-groups, by functions that the suites leave to tests of the language"
)


def _told(*names: str, when: Callable[[Question], bool]) -> Answered:
    """Return the trigger that one of these queries is answered, for a question of some kind."""

    def holds(asked: AnsweredCall) -> bool:
        question = asked.question
        told = asked.code == SUCCESS and "param_value" in asked.seen and question is not None
        return told and question is not None and question.query.name in names and when(question)

    return Answered(names, holds)


def _of_both(question: Question) -> bool:
    """Return whether the size and the number of sub-groups of a local size have now both been told."""
    other = COUNT if question.query.name.startswith(SIZE) else SIZE
    return bool(work_items(question)) and told_beside(question, other) is not None


def _of_several_dimensions(question: Question) -> bool:
    """Return whether both are told for several dimensions, and another number of them would have another answer."""
    return len(numbers_given(question)) > 1 and numbers_given(question)[1:] != (1,) and _of_both(question)


rules.trigger(
    "OpenCL:mapping-work-items-onto-an-nd-range/15",
    ASK,
    "All sub-groups of a work-group have one size, but for the last one, which may be smaller.",
    SIZE,
    COUNT,
    holds=_told(SIZE, COUNT, when=_of_both),
)
for _record, _words in (
    ("OpenCL:mapping-work-items-onto-an-nd-range/14", "Work-items of equal launches are in the same sub-groups."),
    ("OpenCL:synchronization/2", "No work-item goes past a sub-group function before the others have reached it."),
    ("OpenCL:sub-group-functions/1", "What was stored before a sub-group barrier is seen behind it."),
    ("OpenCL:sub-group-functions/2", "A sub-group function comes after what its work-items have evaluated for it."),
    ("OpenCL:work-group-functions/2", "A work-group function comes after what its work-items have evaluated for it."),
):
    rules.untestable(_record, _words, KERNELS_ALONE)

BOTH = (SIZE, COUNT, f"{SIZE}_KHR", f"{COUNT}_KHR")
for _khr in ("", "_KHR"):
    rules.trigger(
        f"{SIZE}{_khr}/effect/1",
        ASK,
        "All sub-groups of a work-group have one size, but for the last one, which may be smaller.",
        *BOTH,
        holds=_told(*BOTH, when=_of_both),
    )
    for _name in (SIZE, COUNT):
        _words = "The number of dimensions follows from input_value_size."
        _holds = _told(*BOTH, when=_of_several_dimensions)
        rules.trigger(f"{_name}{_khr}/effect/2", ASK, _words, *BOTH, holds=_holds)
    _words = "All work-groups of one size have as many sub-groups."
    rules.untestable(f"{COUNT}{_khr}/effect/1", _words, KERNELS_ALONE)


def _with_room(question: Question) -> bool:
    return question.call.param_value_size > WORD.size and bool(numbers_given(question))


for _number, _words, _when in (
    (1, "A local size for a number of sub-groups has one dimension.", _with_room),
    (2, "Each further dimension that param_value can hold is 1.", _with_room),
    (4, "The answer is 0 in each dimension if no local size has so many sub-groups.", is_impossible),
):
    rules.trigger(f"{LOCAL}/effect/{_number}", ASK, _words, LOCAL, holds=_told(LOCAL, when=_when))
rules.untestable(
    f"{LOCAL}/effect/3",
    "Work-groups of the local size that is told consist of whole sub-groups.",
    "no query tells the size of the last sub-group of a work-group, which may be smaller",
)
rules.trigger(
    f"{COMPILED}/effect/1",
    ASK,
    "The answer is 0 for a kernel that requires no number of sub-groups.",
    COMPILED,
    holds=_told(COMPILED, when=lambda _question: True),
)
