"""Coverage points of the prose about kernel enqueues, and untestable requirements (section 5.10)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import (
    executing_device,
    has_ancestor_executable,
)
from clconform.oracles.chapters.execution.format_evidence import FORMAT_TEXTS
from clconform.oracles.chapters.execution.nd_range import is_empty, read_range
from clconform.oracles.chapters.execution.range_kernel_effects import (
    CHOSEN_UNIFORM_GROUP_SIZE,
    ENQUEUED_AS_TASK,
    GIVEN_GROUP_SIZE,
    NON_UNIFORM_GROUPS,
    NON_ZERO_OFFSET,
    ZERO_OFFSET,
)
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.engine.predicate_result import MUST, evaluate
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.kernels import Kernel
from clconform.spec_tables.requirements import ErrorCondition
from clconform.spec_tables.revision_ids import find_requirement

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

LAUNCH, TASK, SUGGEST = "clEnqueueNDRangeKernel", "clEnqueueTask", "clGetKernelSuggestedLocalWorkSizeKHR"
READ = "clEnqueueReadBuffer"
PREFERRED = "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"
ANY_OFFSET = (ZERO_OFFSET, NON_ZERO_OFFSET)
EVIDENCE = {
    "clEnqueueNDRangeKernel/effect/3": (
        (ZERO_OFFSET,),
        "Checked on reads of global ids from a kernel enqueue without an offset.",
    ),
    "clEnqueueNDRangeKernel/effect/4": (ANY_OFFSET, "Checked on reads of the values that each work-item writes."),
    "clEnqueueNDRangeKernel/effect/16": (ANY_OFFSET, "Checked on reads of the ids that each work-item writes."),
    "clEnqueueNDRangeKernel/effect/17": (
        (NON_ZERO_OFFSET,),
        "Checked on reads of global ids from a kernel enqueue with an offset.",
    ),
    "clEnqueueNDRangeKernel/effect/5": (
        (GIVEN_GROUP_SIZE,),
        "Checked on reads of group sizes from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/6": (
        (GIVEN_GROUP_SIZE,),
        "Checked on reads of group ids from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/18": (
        (GIVEN_GROUP_SIZE,),
        "Checked on reads of local ids from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/19": (
        (GIVEN_GROUP_SIZE,),
        "Checked on reads of local ids from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/20": (
        (GIVEN_GROUP_SIZE,),
        "Checked on reads of local ids from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/12": (
        (NON_UNIFORM_GROUPS,),
        "Checked on reads of group counts from a kernel enqueue with non-uniform work-groups.",
    ),
    "clEnqueueNDRangeKernel/effect/13": (
        (NON_UNIFORM_GROUPS,),
        "Checked on reads of group sizes from a kernel enqueue with non-uniform work-groups.",
    ),
    "clEnqueueNDRangeKernel/effect/14": (
        (NON_UNIFORM_GROUPS,),
        "Checked on reads of group sizes from a kernel enqueue with non-uniform work-groups.",
    ),
    "clEnqueueNDRangeKernel/effect/15": (
        (NON_UNIFORM_GROUPS,),
        "Checked on reads of group ids from a kernel enqueue with non-uniform work-groups.",
    ),
    "clEnqueueNDRangeKernel/effect/1": (
        (CHOSEN_UNIFORM_GROUP_SIZE,),
        "If local_work_size is NULL and work-groups must be uniform, all work-groups have the same size.",
    ),
    "clEnqueueTask/effect/6": ((ENQUEUED_AS_TASK,), "Checked on reads of ids and sizes that a task writes."),
}
"""Maps an effect to evidence tags, any of which suffices, and to the text of its coverage point."""
ALIGNED = (
    "A sub-buffer that is an argument of the kernel is accepted only if its offset, in bits, is a multiple of "
    "CL_DEVICE_MEM_BASE_ADDR_ALIGN."
)


for _requirement, (_ways, _words) in EVIDENCE.items():
    rules.coverage_point(_requirement, READ, _words, _requirement, holds=cover_capability(*_ways))


@rules.completion
def _declare_enqueues(rules: Rules, tables: Tables) -> None:
    for function in (LAUNCH, TASK, SUGGEST):
        clause = f"{function}/CL_MISALIGNED_SUB_BUFFER_OFFSET/1"
        rules.coverage_point(f"{function}/alignment/1", function, ALIGNED, clause, holds=_violates(clause, tables))
    clause = "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4"
    words = "A kernel enqueue with non-uniform work-groups fails on a device that does not support them."
    rules.coverage_point(
        "non-uniform-work-groups:clEnqueueNDRangeKernel/1",
        LAUNCH,
        words,
        clause,
        holds=_lacks_non_uniform_support(clause, tables),
    )


def _is_not_preferred_multiple(asked: CompletedCall) -> bool:
    """Return whether the work-group size is not a multiple of the preferred multiple that the device reports."""
    device, kernel = executing_device(asked.call, asked.model), asked.model.find(asked.call.kernel)
    told = kernel.facts.get(f"{PREFERRED}@{device.name}") if kernel is not None else None
    local = read_range(asked.call).local
    return local is not None and isinstance(told, int) and told > 0 and math.prod(local) % told != 0


def _uses_ancestor_executable(asked: CompletedCall) -> bool:
    """Return whether a kernel is enqueued on a sub-device that has only the executable of an ancestor."""
    kernel = asked.model.find(asked.call.kernel)
    program = kernel.program if isinstance(kernel, Kernel) else None
    return program is not None and has_ancestor_executable(program, executing_device(asked.call, asked.model))


_ANCESTOR_TEXT = "Checked on kernel enqueues on a sub-device whose program was built only for an ancestor."
for _requirement, _words, _holds in (
    ("clGetProgramBuildInfo/effect/1", _ANCESTOR_TEXT, _uses_ancestor_executable),
    ("clGetProgramBuildInfo/effect/2", _ANCESTOR_TEXT, _uses_ancestor_executable),
    ("CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE/effect/1", "", _is_not_preferred_multiple),
    ("clEnqueueNDRangeKernel/effect/2", "", lambda asked: is_empty(asked.call)),
):
    rules.coverage_point(
        _requirement, LAUNCH, _words, "clEnqueueNDRangeKernel/success", holds=_holds, requires_success=True
    )
rules.coverage_point(
    "clGetKernelSuggestedLocalWorkSizeKHR/effect/1",
    SUGGEST,
    "",
    "clGetKernelSuggestedLocalWorkSizeKHR/success",
    holds=lambda asked: asked.call.global_work_offset is None,
    requires_success=True,
)


for _requirement, _words in FORMAT_TEXTS.items():
    rules.coverage_point(
        _requirement,
        READ,
        _words,
        "clEnqueueNDRangeKernel/success",
        "clEnqueueTask/success",
        holds=cover_capability(_requirement),
    )
rules.coverage_point(
    "clEnqueueNativeKernel/effect/1",
    "clEnqueueNativeKernel",
    "Checked on calls with NULL in mem_list.",
    "clEnqueueNativeKernel/success",
    holds=lambda asked: isinstance(asked.call.mem_list, ElementList) and None in asked.call.mem_list.values,
    requires_success=True,
)
for _requirement, _limit in (
    ("clEnqueueNativeKernel/effect/5", "CL_DEVICE_MAX_READ_IMAGE_ARGS"),
    ("clEnqueueNativeKernel/effect/6", "CL_DEVICE_MAX_WRITE_IMAGE_ARGS"),
    ("clEnqueueNativeKernel/effect/7", "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS"),
):
    rules.untestable(
        _requirement,
        f"An image array as an argument counts as one image towards {_limit}.",
        "the documents do not define an error for more image arguments than the limit",
    )


def _violates(clause: str, tables: Tables) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether an error condition certainly holds for a call."""
    requirement = find_requirement(clause, tables)

    def holds(asked: CompletedCall) -> bool:
        predicate = (
            asked.rulebook.predicates.predicate_of(requirement) if isinstance(requirement, ErrorCondition) else None
        )
        return predicate is not None and evaluate(predicate, asked.call, asked.model) is MUST

    return holds


def _lacks_non_uniform_support(clause: str, tables: Tables) -> Callable[[CompletedCall], bool]:
    refused = _violates(clause, tables)

    def holds(asked: CompletedCall) -> bool:
        device = executing_device(asked.call, asked.model)
        without = device.fact("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT") == 0
        return without and not read_range(asked.call).uniform and refused(asked)

    return holds


for _requirement in (
    "clEnqueueNDRangeKernel/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueTask/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
):
    rules.untestable(
        _requirement,
        "The device of command_queue does not support the format of an image that is an argument of kernel.",
        "an image can be created only if a device of the context supports its format, and no query reports"
        " which device",
    )
rules.untestable(
    "clGetKernelSuggestedLocalWorkSizeKHR/effect/2",
    "",
    "equal sizes are expected, not required: each kernel enqueue may choose its own size",
)
