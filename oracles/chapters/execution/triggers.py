"""Coverage points of kernel enqueues, apart from their error conditions (section 5.10)."""

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
        "Checked on reads of global ids from a kernel enqueue without an offset.",
    ),
    "clEnqueueNDRangeKernel/effect/4": (
        ANY,
        "Checked on reads of the values that each work-item writes.",
    ),
    "clEnqueueNDRangeKernel/effect/16": (ANY, "Checked on reads of the ids that each work-item writes."),
    "clEnqueueNDRangeKernel/effect/17": (
        (AT_AN_OFFSET,),
        "Checked on reads of global ids from a kernel enqueue with an offset.",
    ),
    "clEnqueueNDRangeKernel/effect/5": (
        (IN_GROUPS,),
        "Checked on reads of group sizes from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/6": (
        (IN_GROUPS,),
        "Checked on reads of group ids from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/18": (
        (IN_GROUPS,),
        "Checked on reads of local ids from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/19": (
        (IN_GROUPS,),
        "Checked on reads of local ids from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/20": (
        (IN_GROUPS,),
        "Checked on reads of local ids from a kernel enqueue with uniform work-groups of a given size.",
    ),
    "clEnqueueNDRangeKernel/effect/12": (
        (WITH_A_REMAINDER,),
        "Checked on reads of group counts from a kernel enqueue with non-uniform work-groups.",
    ),
    "clEnqueueNDRangeKernel/effect/13": (
        (WITH_A_REMAINDER,),
        "Checked on reads of group sizes from a kernel enqueue with non-uniform work-groups.",
    ),
    "clEnqueueNDRangeKernel/effect/14": (
        (WITH_A_REMAINDER,),
        "Checked on reads of group sizes from a kernel enqueue with non-uniform work-groups.",
    ),
    "clEnqueueNDRangeKernel/effect/15": (
        (WITH_A_REMAINDER,),
        "Checked on reads of group ids from a kernel enqueue with non-uniform work-groups.",
    ),
    "clEnqueueNDRangeKernel/effect/1": (
        (IN_UNIFORM_GROUPS,),
        "Work-groups have one size if local_work_size is NULL and the device or program needs uniform ones.",
    ),
    "clEnqueueTask/effect/6": (
        (BY_A_TASK,),
        "Checked on reads of ids and sizes that a task writes.",
    ),
}
"""Effects to the evidence tags of memory, any of which suffices, and to the texts of their coverage points."""
ALIGNED = "The offset of the sub-buffer, in bits, is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN."


@rules.completion
def _ids_and_sizes(rules: Rules, _tables: Tables) -> None:
    for record, (ways, words) in SEEN.items():
        rules.trigger(record, READ, words, record, holds=shows(*ways))


@rules.completion
def _launches(rules: Rules, tables: Tables) -> None:
    words = ""
    rules.trigger(
        f"{LAUNCH}/effect/2",
        LAUNCH,
        words,
        f"{LAUNCH}/success",
        holds=lambda asked: is_empty(asked.call),
        by_success=True,
    )
    words = ""
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
    words = "A kernel enqueue with non-uniform work-groups fails on a device that does not support them."
    rules.trigger(f"non-uniform-work-groups:{LAUNCH}/1", LAUNCH, words, clause, holds=_without_support(clause, tables))


@rules.completion
def _no_multiples(rules: Rules, _tables: Tables) -> None:
    words = ""
    record = f"{PREFERRED}/effect/1"
    rules.trigger(record, LAUNCH, words, f"{LAUNCH}/success", holds=_no_multiple, by_success=True)


def _no_multiple(asked: AnsweredCall) -> bool:
    """Return whether the work-group size is not a multiple of the reported preferred multiple."""
    device, kernel = device_of(asked.call, asked.model), asked.model.known(asked.call.kernel)
    told = kernel.facts.get(f"{PREFERRED}@{device.name}") if kernel is not None else None
    local = range_of(asked.call).local
    return local is not None and isinstance(told, int) and told > 0 and math.prod(local) % told != 0


def _on_a_sub_device(asked: AnsweredCall) -> bool:
    """Return whether a kernel is enqueued on a sub-device that has only its parent's executable."""
    kernel = asked.model.known(asked.call.kernel)
    program = kernel.program if isinstance(kernel, Kernel) else None
    return program is not None and has_its_parents(program, device_of(asked.call, asked.model))


for _number, _words in {
    1: "Checked on kernel enqueues on a sub-device whose program was built only for an ancestor.",
    2: "Checked on kernel enqueues on a sub-device whose program was built only for an ancestor.",
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

    words = "Checked on calls with NULL in mem_list."
    success = f"{NATIVE}/success"
    rules.trigger("clEnqueueNativeKernel/effect/1", NATIVE, words, success, holds=with_null, by_success=True)
    for number, access in ((5, "READ"), (6, "WRITE"), (7, "READ_WRITE")):
        rules.untestable(
            f"{NATIVE}/effect/{number}",
            f"An image array as an argument counts as one image towards CL_DEVICE_MAX_{access}_IMAGE_ARGS.",
            "the documents do not name an error for more image arguments than the limit",
        )


def _must(clause: str, tables: Tables) -> Callable[[AnsweredCall], bool]:
    """Return the test that an error condition must hold."""
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
        "an image can be created only if a device of the context supports its format, and no query reports"
        " which device",
    )
rules.untestable(
    f"{SUGGEST}/effect/2",
    "",
    "equal sizes are expected, not required: each kernel enqueue may choose its own size",
)
