"""Which calls put to the test what a launch does beside its errors (section 5.10)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.execution.clauses.launches import device_of, has_its_parents
from clconform.oracles.chapters.execution.range_kernels import (
    AT_AN_OFFSET,
    AT_ZERO,
    BY_A_TASK,
    IN_GROUPS,
    IN_UNIFORM_GROUPS,
    WITH_A_REMAINDER,
)
from clconform.oracles.chapters.execution.ranges import is_empty, range_of
from clconform.oracles.chapters.execution.shown_formats import SHOWN
from clconform.oracles.engine.answers import Answer, settle
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.recurring.reads import shows
from clconform.spec_tables.across import record_named
from clconform.spec_tables.records import ErrorClause

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

LAUNCH, TASK, SUGGEST = "clEnqueueNDRangeKernel", "clEnqueueTask", "clGetKernelSuggestedLocalWorkSizeKHR"
NATIVE, READ = "clEnqueueNativeKernel", "clEnqueueReadBuffer"
PREFERRED = "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"
ANY = (AT_ZERO, AT_AN_OFFSET)
SEEN = {
    "clEnqueueNDRangeKernel/effect/3": (
        (AT_ZERO,),
        "Without an offset, global ids count from 0.",
    ),
    "clEnqueueNDRangeKernel/effect/4": (
        ANY,
        "As many work-items run as the product of global_work_size.",
    ),
    "clEnqueueNDRangeKernel/effect/16": (ANY, "Each work-item has left ids of its own."),
    "clEnqueueNDRangeKernel/effect/17": (
        (AT_AN_OFFSET,),
        "Global ids count from global_work_offset.",
    ),
    "clEnqueueNDRangeKernel/effect/5": (
        (IN_GROUPS,),
        "Work-groups have the size that local_work_size gives.",
    ),
    "clEnqueueNDRangeKernel/effect/6": (
        (IN_GROUPS,),
        "Work-items are in the work-groups that local_work_size makes.",
    ),
    "clEnqueueNDRangeKernel/effect/18": ((IN_GROUPS,), "Each work-item of a work-group has a local id of its own."),
    "clEnqueueNDRangeKernel/effect/19": ((IN_GROUPS,), "Local ids are those that local_work_size gives."),
    "clEnqueueNDRangeKernel/effect/20": ((IN_GROUPS,), "Local ids count from 0 in each dimension."),
    "clEnqueueNDRangeKernel/effect/12": (
        (WITH_A_REMAINDER,),
        "A dimension that is no multiple has two regions.",
    ),
    "clEnqueueNDRangeKernel/effect/13": (
        (WITH_A_REMAINDER,),
        "Work-groups of the first region have the given size.",
    ),
    "clEnqueueNDRangeKernel/effect/14": ((WITH_A_REMAINDER,), "Work-groups of the second region are smaller."),
    "clEnqueueNDRangeKernel/effect/15": (
        (WITH_A_REMAINDER,),
        "The second region is one group wide, with the highest ids.",
    ),
    "clEnqueueNDRangeKernel/effect/1": (
        (IN_UNIFORM_GROUPS,),
        "Work-groups have one size where local_work_size is NULL and the device or the program needs uniform ones.",
    ),
    "clEnqueueTask/effect/6": (
        (BY_A_TASK,),
        "A task is one work-item with ids of 0, in a work-group of 1.",
    ),
}
"""Effect to what must be seen of a launch in the memory that it wrote to, one of them, and to its words."""
ALIGNED = "The offset of the sub-buffer, in bits, is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN."


@rules.completion
def _ids_and_sizes(rules: Rules, _tables: Tables) -> None:
    for record, (ways, words) in SEEN.items():
        rules.trigger(record, READ, words, record, holds=shows(*ways))


@rules.completion
def _launches(rules: Rules, tables: Tables) -> None:
    words = "A launch without work-items succeeds."
    rules.trigger(
        f"{LAUNCH}/effect/2",
        LAUNCH,
        words,
        f"{LAUNCH}/success",
        holds=lambda asked: is_empty(asked.call),
        by_success=True,
    )
    words = "Groups are suggested for a launch without an offset."
    rules.trigger(
        "clGetKernelSuggestedLocalWorkSizeKHR/effect/1",
        SUGGEST,
        words,
        f"{SUGGEST}/success",
        holds=lambda asked: asked.call.global_work_offset is None,
        by_success=True,
    )
    for function in (LAUNCH, TASK, SUGGEST):
        clause = f"{function}/CL_MISALIGNED_SUB_BUFFER_OFFSET/1"
        rules.trigger(f"{function}/alignment/1", function, ALIGNED, clause, holds=_must(clause, tables))
    clause = f"{LAUNCH}/CL_INVALID_WORK_GROUP_SIZE/4"
    words = "A launch in non-uniform work-groups is refused on a device that does not support them."
    rules.trigger(f"non-uniform-work-groups:{LAUNCH}/1", LAUNCH, words, clause, holds=_without_support(clause, tables))


@rules.completion
def _no_multiples(rules: Rules, _tables: Tables) -> None:
    words = "A launch does not fail because its groups are no multiple of CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE."
    record = f"{PREFERRED}/effect/1"
    rules.trigger(record, LAUNCH, words, f"{LAUNCH}/success", holds=_no_multiple, by_success=True)


def _no_multiple(asked: AnsweredCall) -> bool:
    """Return whether a launch asks for groups that are no multiple of what the kernel has told to prefer."""
    device, kernel = device_of(asked.call, asked.model), asked.model.known(asked.call.kernel)
    told = kernel.facts.get(f"{PREFERRED}@{device.name}") if kernel is not None else None
    local = range_of(asked.call).local
    return local is not None and isinstance(told, int) and told > 0 and math.prod(local) % told != 0


def _on_a_sub_device(asked: AnsweredCall) -> bool:
    """Return whether a launch goes to a sub-device that has its parent's executable only."""
    kernel = asked.model.known(asked.call.kernel)
    program = kernel.program if isinstance(kernel, Kernel) else None
    return program is not None and has_its_parents(program, device_of(asked.call, asked.model))


for _number, _words in {
    1: "An executable that was built for a device can be launched on its sub-devices.",
    2: "A sub-device for which nothing was built has the executable of its parent.",
}.items():
    rules.trigger(
        f"clGetProgramBuildInfo/effect/{_number}",
        LAUNCH,
        _words,
        f"{LAUNCH}/success",
        holds=_on_a_sub_device,
        by_success=True,
    )


@rules.completion
def _formats(rules: Rules, _tables: Tables) -> None:
    for record, words in SHOWN.items():
        rules.trigger(record, READ, words, f"{LAUNCH}/success", f"{TASK}/success", holds=shows(record))


@rules.completion
def _native_kernels(rules: Rules, _tables: Tables) -> None:
    def with_null(asked: AnsweredCall) -> bool:
        given = asked.call.mem_list
        return isinstance(given, Items) and None in given.values

    words = "NULL in mem_list is accepted."
    success = f"{NATIVE}/success"
    rules.trigger("clEnqueueNativeKernel/effect/1", NATIVE, words, success, holds=with_null, by_success=True)
    for number, access in ((5, "READ"), (6, "WRITE"), (7, "READ_WRITE")):
        rules.untestable(
            f"{NATIVE}/effect/{number}",
            f"An image array as an argument counts as one image against CL_DEVICE_MAX_{access}_IMAGE_ARGS.",
            "no clause names an error for a launch with more images than the limit",
        )


def _must(clause: str, tables: Tables) -> Callable[[AnsweredCall], bool]:
    """Return a trigger that holds where a clause must."""
    record = record_named(clause, tables)

    def holds(asked: AnsweredCall) -> bool:
        predicate = asked.rulebook.predicate_of(record) if isinstance(record, ErrorClause) else None
        return predicate is not None and settle(predicate, asked.call, asked.model) is Answer.MUST

    return holds


def _without_support(clause: str, tables: Tables) -> Callable[[AnsweredCall], bool]:
    refused = _must(clause, tables)

    def holds(asked: AnsweredCall) -> bool:
        device = device_of(asked.call, asked.model)
        without = device.fact("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT") == 0
        return without and not range_of(asked.call).uniform and refused(asked)

    return holds


for _function in (LAUNCH, TASK, SUGGEST):
    rules.untestable(
        f"{_function}/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
        "The device of command_queue does not support the format of an image that is an argument of kernel.",
        "an image is made only where a device of the context supports its format, and no query tells which of them",
    )
rules.untestable(
    f"{SUGGEST}/effect/2",
    "The size that is suggested is the one that a launch without local_work_size takes.",
    "that both are the same is expected, not required: each launch may choose a size of its own",
)
