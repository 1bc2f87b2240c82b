"""Query results of kernels about sub-groups: number, size, and local sizes for a number of them (5.9.4)."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.engine.wants import Such
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.spirv import IN_SUB_GROUPS, SUB_GROUPS
from clconform.oracles.queries.told import exactly

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Values, Want
    from clconform.oracles.queries.questions import Question

rules = Rules()

SIZE, COUNT = "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE", "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE"
LOCAL, COMPILED = "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT", "CL_KERNEL_COMPILE_NUM_SUB_GROUPS"
WORD = struct.Struct("@N")
DIMENSIONS = 3
SIMULATED = 32
"""Number of work-items in a sub-group of a simulated device."""


def numbers_given(question: Question) -> tuple[int, ...]:
    """Return the numbers in the input of a query: a local size, or a number of sub-groups."""
    given, size = question.call.input_value, question.call.input_value_size
    content = given.content[:size] if isinstance(given, Data) else b""
    return tuple(number for (number,) in WORD.iter_unpack(content[: len(content) // WORD.size * WORD.size]))


def work_items(question: Question) -> int:
    """Return the number of work-items of a local size; 0 without one, or if the device cannot run it."""
    sizes = numbers_given(question)
    most = largest_work_group(question)
    items = math.prod(sizes) if sizes else 0
    return items if most is not None and items <= most else 0


def largest_work_group(question: Question) -> int | None:
    """Return the maximum number of work-items in a work-group of the device; None if unknown."""
    told = question.device.facts.get("CL_DEVICE_MAX_WORK_GROUP_SIZE") if question.device is not None else None
    return told if isinstance(told, int) else None


def told_beside(question: Question, other: str) -> int | None:
    """Return the kernel's earlier result of another query for the same local size, core or extension."""
    name = question.query.name
    khr = "_KHR" if name.endswith("_KHR") else ""
    told = question.thing.facts.get(f"{other}{khr}{question.key.removeprefix(name)}")
    return told if isinstance(told, int) else None


def _fit(most: int, count: int, items: int) -> bool:
    """Return whether a group can consist of this number of equal sub-groups, of which the last may be smaller.

    ``most``: the largest size. All sub-groups of a local size may be smaller, for example with short rows.
    """
    size = -(-items // count) if count > 0 else 0
    return 0 < size <= most and (count - 1) * size < items


@rules.answer(SIZE, f"{SIZE}_KHR", of=Kernel)
def largest_sub_group(kernel: Kernel, question: Question) -> Want | None:
    """The value is the sub-group size of a work-group; all sub-groups have it, except a smaller last one."""
    del kernel
    items, count = work_items(question), told_beside(question, COUNT)
    if not items:
        return None
    words = "at least 1" if count is None else f"enough for {count} sub-groups to make {items} work-items"

    def fits(seen: Values) -> bool:
        size = seen[0] if seen and isinstance(seen[0], int) else 0
        return size > 0 if count is None else _fit(size, count, items)

    choice = min(SIMULATED, items) if count is None else -(-items // count)
    return Such(fits, words, (question.query.id,), (choice,))


@rules.answer(COUNT, f"{COUNT}_KHR", of=Kernel)
def number_of_sub_groups(kernel: Kernel, question: Question) -> Want | None:
    """The value is the number of sub-groups of a work-group; all have one size, except a smaller last one."""
    del kernel
    items, size = work_items(question), told_beside(question, SIZE)
    if not items:
        return None
    most = items if size is None else size
    words = f"sub-groups of one size of at most {most}, but for the last, that make {items} work-items"

    def fits(seen: Values) -> bool:
        return bool(seen) and isinstance(seen[0], int) and _fit(most, seen[0], items)

    return Such(fits, words, (question.query.id,), (-(-items // min(most, SIMULATED)) if most else 1,))


@rules.answer(LOCAL, of=Kernel)
def size_for_a_number(kernel: Kernel, question: Question) -> Want | None:
    """The value is a size in the first dimension and 1 in all others, or 0 in all if no local size fits.

    It is 0 if more sub-groups are requested than a work-group can have work-items.
    """
    del kernel
    wanted = numbers_given(question)
    if len(wanted) != 1 or not wanted[0]:
        return None
    impossible = is_impossible(question)

    def fits(seen: Values) -> bool:
        nothing = not any(seen)
        return nothing if impossible else nothing or (seen[0] != 0 and all(each == 1 for each in seen[1:]))

    first = 0 if impossible else SIMULATED * wanted[0]
    whole = (first, *[int(bool(first))] * (DIMENSIONS - 1))
    room = question.call.param_value_size // WORD.size if question.call.param_value is not None else 1
    words = "0 in each dimension" if impossible else "0 in each dimension, or 1 in all but the first"
    return Such(fits, words, (question.query.id,), whole[:room])


def is_impossible(question: Question) -> bool:
    """Return whether more sub-groups are requested than a work-group of the device can have work-items."""
    most, wanted = largest_work_group(question), numbers_given(question)
    return most is not None and bool(wanted) and wanted[0] > most


@rules.answer(COMPILED, of=Kernel)
def number_asked_for(kernel: Kernel, question: Question) -> Want | None:
    """The value is the number of sub-groups that the source requires, and 0 if it requires none."""
    there = kernel.program is not None and kernel.title in kernel.program.kernels
    required = SUB_GROUPS if kernel.title == IN_SUB_GROUPS else 0
    return exactly(question, required) if there else None


for _function, _query in (("clGetKernelSubGroupInfo", COUNT), ("clGetKernelSubGroupInfoKHR", f"{COUNT}_KHR")):
    rules.trigger(
        "OpenCL:mapping-work-items-onto-an-nd-range/2",
        _function,
        "A work-group has at least one sub-group.",
        _query,
        holds=Answered((_query,), lambda asked: asked.code == SUCCESS),
    )
