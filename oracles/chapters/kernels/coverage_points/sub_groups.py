"""Coverage points for sub-group queries, and requirements that cannot be tested (section 5.9.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.kernels.query_results.sub_groups import (
    COMPILED,
    COUNT,
    LOCAL,
    SIZE,
    count_work_items,
    earlier_result,
    input_numbers,
    is_impossible,
)
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import QueryCoverage, Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

QUERY = "clGetKernelSubGroupInfo"
KERNELS_ONLY_REASON = "only kernels can observe single work-groups, through functions that language tests cover"


def _returns(*names: str, when: Callable[[QueryRequest], bool]) -> QueryCoverage:
    """Return a coverage condition: one of the queries ``names`` succeeds, and ``when`` is true for its request."""

    def holds(asked: CompletedCall) -> bool:
        question = asked.query_request
        told = asked.code == SUCCESS and "param_value" in asked.outputs and question is not None
        return told and question is not None and question.query.name in names and when(question)

    return QueryCoverage(names, holds)


def _has_size_and_count(question: QueryRequest) -> bool:
    """Return whether both the size and the number of sub-groups have been queried for a local size."""
    other = COUNT if question.query.name.startswith(SIZE) else SIZE
    return bool(count_work_items(question)) and earlier_result(question, other) is not None


def _depends_on_dimensions(question: QueryRequest) -> bool:
    """Return whether sub-group size and number have been queried for a local size of several dimensions.

    A local size with 1 as its second and last dimension is excluded, because this dimension does not affect the result.
    """
    return len(input_numbers(question)) > 1 and input_numbers(question)[1:] != (1,) and _has_size_and_count(question)


rules.coverage_point(
    "OpenCL:mapping-work-items-onto-an-nd-range/15",
    QUERY,
    "Checked on local sizes for which both the size and the number of sub-groups were queried.",
    SIZE,
    COUNT,
    holds=_returns(SIZE, COUNT, when=_has_size_and_count),
)
for _record, _words in (
    ("OpenCL:mapping-work-items-onto-an-nd-range/14", ""),
    (
        "OpenCL:synchronization/2",
        "A work-item leaves a sub-group function only after all work-items of the sub-group have reached the function.",
    ),
    (
        "OpenCL:sub-group-functions/1",
        "Stores before a sub-group barrier are visible to the sub-group after the barrier.",
    ),
    (
        "OpenCL:sub-group-functions/2",
        "A sub-group function takes effect after all work-items of the sub-group have evaluated the arguments.",
    ),
    (
        "OpenCL:work-group-functions/2",
        "A work-group function takes effect after all work-items of the work-group have evaluated the arguments.",
    ),
):
    rules.untestable(_record, _words, KERNELS_ONLY_REASON)

BOTH = (SIZE, COUNT, "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR", "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR")
for _khr in ("", "_KHR"):
    rules.coverage_point(
        f"{SIZE}{_khr}/effect/1",
        QUERY,
        "All sub-groups of a work-group have the same size, except the last, which may be smaller.",
        *BOTH,
        holds=_returns(*BOTH, when=_has_size_and_count),
    )
    for _name in (SIZE, COUNT):
        _words = (
            "Checked on local sizes of several dimensions for which both the size and the number of sub-groups were "
            "queried."
        )
        _holds = _returns(*BOTH, when=_depends_on_dimensions)
        rules.coverage_point(f"{_name}{_khr}/effect/2", QUERY, _words, *BOTH, holds=_holds)
    rules.untestable(f"{COUNT}{_khr}/effect/1", "", KERNELS_ONLY_REASON)


def _has_room(question: QueryRequest) -> bool:
    return question.call.param_value_size > question.model.pointer_bytes and bool(input_numbers(question))


for _number, _words, _when in (
    (1, "Checked on queries whose output buffer has space for several dimensions.", _has_room),
    (2, "Checked on queries whose output buffer has space for several dimensions.", _has_room),
    (4, "Checked on queries for more sub-groups than a work-group of the device can have work-items.", is_impossible),
):
    rules.coverage_point(f"{LOCAL}/effect/{_number}", QUERY, _words, LOCAL, holds=_returns(LOCAL, when=_when))
rules.untestable(
    "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT/effect/3",
    "",
    "no query returns the size of the last sub-group of a work-group, which may be smaller",
)
rules.coverage_point(
    "CL_KERNEL_COMPILE_NUM_SUB_GROUPS/effect/1",
    QUERY,
    "",
    COMPILED,
    holds=_returns(COMPILED, when=lambda _question: True),
)
