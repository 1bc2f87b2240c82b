"""Query results on the sub-groups of kernels: number, size, and local sizes for a number of sub-groups (5.9.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.machine_words import unpack_words
from clconform.calls.values import Data
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import Satisfies
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.spirv import SUB_GROUP_COUNT, SUB_GROUPS_KERNEL
from clconform.oracles.queries.expected_answers import expect_exactly

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher, Values
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

SIZE, COUNT = "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE", "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE"
LOCAL, COMPILED = "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT", "CL_KERNEL_COMPILE_NUM_SUB_GROUPS"
MOST = "CL_KERNEL_MAX_NUM_SUB_GROUPS"
DIMENSIONS = 3
SIMULATED_SIZE = 32
"""Number of work-items in a sub-group of a simulated device."""


def input_numbers(question: QueryRequest) -> tuple[int, ...]:
    """Return the numbers in the input of a query: a local size, or a number of sub-groups."""
    given, size = question.call.input_value, question.call.input_value_size
    content = given.content[:size] if isinstance(given, Data) else b""
    return unpack_words(content, question.model.pointer_bytes)


def count_work_items(question: QueryRequest) -> int:
    """Return the number of work-items of the local size in a query; 0 if it is missing or too large for the device."""
    sizes = input_numbers(question)
    most = largest_work_group(question)
    items = math.prod(sizes) if sizes else 0
    return items if most is not None and items <= most else 0


def largest_work_group(question: QueryRequest) -> int | None:
    """Return the maximum number of work-items in a work-group of the device; None if it was not queried."""
    told = question.device.facts.get("CL_DEVICE_MAX_WORK_GROUP_SIZE") if question.device is not None else None
    return told if isinstance(told, int) else None


def earlier_result(question: QueryRequest, other: str) -> int | None:
    """Return the known result of the query ``other`` for the same kernel and local size; None if it is not known."""
    name = question.query.name
    khr = "_KHR" if name.endswith("_KHR") else ""
    told = question.subject.facts.get(f"{other}{khr}{question.fact_key.removeprefix(name)}")
    return told if isinstance(told, int) else None


def _is_consistent(most: int, count: int, items: int) -> bool:
    """Return whether ``count`` sub-groups can form a work-group of ``items`` work-items.

    ``most``: the maximum size of a sub-group. All sub-groups have the same size, except the last, which may be smaller.
    The common size may be less than ``most``, for example in short rows.
    """
    size = -(-items // count) if count > 0 else 0
    return 0 < size <= most and (count - 1) * size < items


@rules.expected_value(SIZE, "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR", of=Kernel)
def largest_sub_group(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the size of the sub-groups of a work-group. Only the last sub-group may be smaller."""
    del kernel
    items, count = count_work_items(question), earlier_result(question, COUNT)
    if not items:
        return None
    words = "at least 1" if count is None else f"enough for {count} sub-groups to make {items} work-items"

    def fits(seen: Values) -> bool:
        size = seen[0] if seen and isinstance(seen[0], int) else 0
        return size > 0 if count is None else _is_consistent(size, count, items)

    choice = min(SIMULATED_SIZE, items) if count is None else -(-items // count)
    return Satisfies(fits, words, (question.query.id,), (choice,))


@rules.expected_value(COUNT, "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR", of=Kernel)
def sub_group_count(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the number of sub-groups of a work-group.

    All sub-groups have the same size, except the last, which may be smaller.
    """
    del kernel
    items, size = count_work_items(question), earlier_result(question, SIZE)
    if not items:
        return None
    most = items if size is None else size
    words = f"sub-groups of one size of at most {most}, but for the last, that make {items} work-items"

    def fits(seen: Values) -> bool:
        return bool(seen) and isinstance(seen[0], int) and _is_consistent(most, seen[0], items)

    return Satisfies(fits, words, (question.query.id,), (-(-items // min(most, SIMULATED_SIZE)) if most else 1,))


@rules.expected_value(LOCAL, of=Kernel)
def local_size_for_count(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is a size in the first dimension and 1 in all others, or 0 in all dimensions if no local size fits.

    All dimensions are 0 if input_value requests more sub-groups than CL_DEVICE_MAX_WORK_GROUP_SIZE.
    """
    del kernel
    wanted = input_numbers(question)
    if len(wanted) != 1 or not wanted[0]:
        return None
    impossible = is_impossible(question)

    def fits(seen: Values) -> bool:
        nothing = not any(seen)
        return nothing if impossible else nothing or (seen[0] != 0 and all(each == 1 for each in seen[1:]))

    first = 0 if impossible else SIMULATED_SIZE * wanted[0]
    whole = (first, *[int(bool(first))] * (DIMENSIONS - 1))
    word_bytes = question.model.pointer_bytes
    room = question.call.param_value_size // word_bytes if question.call.param_value is not None else 1
    words = "0 in each dimension" if impossible else "0 in each dimension, or 1 in all but the first"
    return Satisfies(fits, words, (question.query.id,), whole[:room])


def is_impossible(question: QueryRequest) -> bool:
    """Return whether a query requests more sub-groups than a work-group of the device can have work-items."""
    most, wanted = largest_work_group(question), input_numbers(question)
    return most is not None and bool(wanted) and wanted[0] > most


@rules.expected_value(MOST, of=Kernel)
def largest_count(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is at most CL_DEVICE_MAX_NUM_SUB_GROUPS of the device, which holds for any kernel, and not 0."""
    del kernel
    most = question.device.facts.get("CL_DEVICE_MAX_NUM_SUB_GROUPS") if question.device is not None else None
    if not isinstance(most, int) or not most:
        return None
    words = f"1 to {most}, the CL_DEVICE_MAX_NUM_SUB_GROUPS of the device"
    return Satisfies(lambda seen: bool(seen) and seen[0] in range(1, most + 1), words, (question.query.id,), (most,))


@rules.expected_value(COMPILED, of=Kernel)
def required_sub_groups(kernel: Kernel, question: QueryRequest) -> Matcher | None:
    """The value is the number of sub-groups that the source requires, or 0 if it does not require a number."""
    there = kernel.program is not None and kernel.function_name in kernel.program.kernels
    required = SUB_GROUP_COUNT if kernel.function_name == SUB_GROUPS_KERNEL else 0
    return expect_exactly(question, required) if there else None


for _function, _query in (
    ("clGetKernelSubGroupInfo", COUNT),
    ("clGetKernelSubGroupInfoKHR", "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR"),
):
    rules.coverage_point(
        "OpenCL:mapping-work-items-onto-an-nd-range/2",
        _function,
        "A work-group has at least one sub-group.",
        _query,
        holds=QueryCoverage((_query,), lambda asked: asked.code == SUCCESS),
    )
