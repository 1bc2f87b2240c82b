"""Coverage points for flags, alignments and optional behaviour of shared virtual memory (section 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import READ
from clconform.calls.values import Inside, OutputBuffer
from clconform.oracles.chapters.kernels.execution_info import (
    SVM_POINTERS,
    SYSTEM_ALLOWED,
    SYSTEM_BY_DEFAULT,
    pointers_of,
)
from clconform.oracles.chapters.svm.clauses import ATOMICS, FINE, SUPPORT, devices_of
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.waiting import is_blocking
from clconform.oracles.engine.answers import Answer, settle
from clconform.oracles.engine.judgements import NULL, SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.queues import Queue
from clconform.oracles.queries.features import lacks as feature_lacks
from clconform.oracles.recurring.alignment import largest_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.devices import Device
    from clconform.spec_tables import Tables

rules = Rules()

ALLOC, FILL, FREE = "clSVMAlloc", "clEnqueueSVMMemFill", "clSVMFree"
FEATURE = "shared-virtual-memory"
COMMANDS = ("SVMFree", "SVMMemcpy", "SVMMemFill", "SVMMap", "SVMUnmap", "SVMMigrateMem")
OWN = "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing"
KERNEL_USES = {
    "CL_MEM_READ_WRITE": "Kernels can read and write memory allocated with CL_MEM_READ_WRITE.",
    "CL_MEM_WRITE_ONLY": "Kernels can write memory allocated with CL_MEM_WRITE_ONLY.",
    "CL_MEM_READ_ONLY": "Kernels can read memory allocated with CL_MEM_READ_ONLY.",
    FINE: "Memory allocated with this flag supports fine-grained sharing between the host and devices.",
    ATOMICS: "Atomic operations synchronize accesses of the host and devices to memory allocated with this flag.",
}


@rules.completion
def _flags(rules: Rules, _tables: Tables) -> None:
    def given(name: str) -> Callable[[AnsweredCall], bool]:
        return lambda asked: asked.code == SUCCESS and bool(asked.call.flags & asked.model.value(name))

    for name, words in KERNEL_USES.items():
        rules.trigger(f"cl_svm_mem_flags:{name}", ALLOC, words, f"{ALLOC}/success", holds=given(name))


@rules.completion
def _alignments(rules: Rules, _tables: Tables) -> None:
    for number, clause, words in (
        (1, 2, "svm_ptr is a multiple of pattern_size."),
        (2, 3, "pattern_size is the size of a data type."),
        (3, 4, "The size is a multiple of pattern_size."),
    ):
        watching = f"{FILL}/CL_INVALID_VALUE/{clause}"
        rules.trigger(f"{FILL}/alignment/{number}", FILL, words, watching, holds=_breaking(watching))
    rules.trigger(
        f"{ALLOC}/size/1",
        ALLOC,
        "The alignment may be as large as the largest data type that the devices in context support.",
        f"{ALLOC}/success",
        holds=lambda asked: asked.code == SUCCESS and asked.call.alignment == largest_type(_devices(asked)),
    )


def _breaking(record: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: an error condition holds and its error is required."""

    def holds(asked: AnsweredCall) -> bool:
        return settle(asked.rulebook.predicate(record), asked.call, asked.model) is Answer.MUST

    return holds


def _devices(asked: AnsweredCall) -> list[Device]:
    return devices_of(asked.call, asked.model)


@rules.completion
def _without_the_feature(rules: Rules, _tables: Tables) -> None:
    def no_device(asked: AnsweredCall) -> bool:
        return all(feature_lacks(device, FEATURE) for device in _devices(asked))

    def not_the_queues(asked: AnsweredCall) -> bool:
        queue = asked.model.known(asked.call.command_queue)
        device = queue.device if isinstance(queue, Queue) else None
        return device is not None and feature_lacks(device, FEATURE)

    rules.trigger(
        f"{FEATURE}:{ALLOC}/1",
        ALLOC,
        "clSVMAlloc returns NULL if no device in context supports SVM.",
        f"{ALLOC}/NULL/1",
        holds=no_device,
    )
    rules.trigger(
        f"{FEATURE}:{FREE}/1",
        FREE,
        "clSVMFree does nothing if no device in context supports SVM.",
        f"{FREE}/success",
        holds=no_device,
    )
    for name in COMMANDS:
        function = f"clEnqueue{name}"
        clause = f"{function}/CL_INVALID_OPERATION/1"
        words = "The call returns CL_INVALID_OPERATION if the device of command_queue does not support SVM."
        rules.trigger(f"{FEATURE}:{function}/1", function, words, clause, holds=not_the_queues)


@rules.completion
def _kernels(rules: Rules, _tables: Tables) -> None:
    def copied_out(asked: AnsweredCall) -> bool:
        if asked.code != SUCCESS or not is_blocking(asked.call) or not isinstance(asked.call.dst_ptr, OutputBuffer):
            return False
        try:
            found = reach(asked.call.src_ptr, asked.model)
        except ForbiddenError:
            return False
        return SVM_POINTERS in found.view.storage.ways

    words, run = (
        "A kernel can access the SVM allocations that are listed with CL_KERNEL_EXEC_INFO_SVM_PTRS.",
        "clEnqueueNDRangeKernel/success",
    )
    rules.trigger(f"{SVM_POINTERS}@clSetKernelExecInfo", "clEnqueueSVMMemcpy", words, run, holds=copied_out)
    for record in ("OpenCL:shared-virtual-memory/2", "OpenCL:fundamental-memory-regions/3"):
        linked = "Checked on copies of bytes that a kernel wrote through addresses stored in shared memory."
        rules.trigger(record, "clEnqueueSVMMemcpy", linked, run, holds=copied_out)
    words = "Checked on copies of bytes that a kernel wrote to a listed allocation."
    rules.trigger(f"{SVM_POINTERS}/effect/2", "clEnqueueSVMMemcpy", words, run, holds=copied_out)

    for record, words in (
        (SYSTEM_ALLOWED, "Checked on host reads of memory that a kernel wrote with the setting CL_TRUE."),
        (SYSTEM_BY_DEFAULT, "Checked on host reads of memory that a kernel wrote without the setting."),
    ):
        rules.trigger(record, READ, words, run, holds=_found_by_the_host(record))

    def listed(asked: AnsweredCall) -> bool:
        pointers = asked.call.param_name == asked.model.value(SVM_POINTERS)
        return pointers and any(isinstance(each, Inside) for each in pointers_of(asked.call))

    def emptied(asked: AnsweredCall) -> bool:
        nothing = asked.call.param_value is None and asked.call.param_value_size == 0
        return nothing and asked.call.param_name == asked.model.value(SVM_POINTERS)

    tell = "clSetKernelExecInfo"
    words = "Checked on lists with an address inside an SVM allocation: the call succeeds."
    rules.trigger(f"{SVM_POINTERS}/effect/1", tell, words, f"{tell}/success", holds=listed, by_success=True)
    words = "Checked on calls with a size of 0 and NULL: they succeed."
    rules.trigger(f"{SVM_POINTERS}/effect/4", tell, words, f"{tell}/success", holds=emptied, by_success=True)
    rules.untestable(
        f"{SVM_POINTERS}/effect/3",
        "",
        "a kernel that accesses memory that is no longer listed has undefined behaviour",
    )


def _found_by_the_host(way: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: the host reads memory that a kernel accessed by a given path."""

    def holds(asked: AnsweredCall) -> bool:
        try:
            found = reach(asked.call.pointer, asked.model)
        except ForbiddenError:
            return False
        return asked.code == SUCCESS and way in found.view.storage.ways

    return holds


@rules.completion
def _prose(rules: Rules, _tables: Tables) -> None:
    def fine_grain_somewhere(asked: AnsweredCall) -> bool:
        bit = asked.model.value(SUPPORT[FINE])
        have = [bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & bit) for device in _devices(asked)]
        return bool(asked.call.flags & asked.model.value(FINE)) and asked.code == NULL and not all(have)

    rules.trigger(
        f"{OWN}/2",
        ALLOC,
        "Fine-grained sharing requires that all devices in context support it.",
        f"{ALLOC}/NULL/4",
        holds=fine_grain_somewhere,
    )
    rules.untestable(
        f"{OWN}/1",
        "Without SVM atomics, the host and devices can read the same bytes and write different ones concurrently.",
        "only accesses that overlap between two synchronization points could show it, and no call can force these",
    )
    rules.untestable(
        f"{OWN}/3",
        "The host and all devices that share virtual memory have the same address size.",
        "this is a precondition of SVM, and the document does not specify the result if it is not met",
    )
    rules.untestable(
        f"{ALLOC}/effect/1",
        "clSVMAlloc returns NULL if mixed endianness of the devices in context prevents SVM.",
        "only the implementation knows whether mixed endianness prevents SVM",
    )
