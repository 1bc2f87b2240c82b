"""Coverage points for flags, alignments and optional behaviour of shared virtual memory (section 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.calls.values import OffsetPointer, OutputBuffer
from clconform.oracles.chapters.kernels.execution_info import (
    SVM_POINTERS,
    SYSTEM_ALLOWED,
    SYSTEM_BY_DEFAULT,
    listed_pointers,
)
from clconform.oracles.chapters.svm.error_conditions import ATOMICS, FINE, SUPPORT, devices_in_context
from clconform.oracles.common.alignment import largest_type_size
from clconform.oracles.contents.dependencies import is_blocking
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.engine.judgements import NULL, SUCCESS
from clconform.oracles.engine.predicate_result import MUST, evaluate
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UndefinedBehaviourError
from clconform.oracles.model.queues import CommandQueue
from clconform.oracles.queries.features import lacks_feature as feature_lacks

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.devices import Device
    from clconform.spec_tables import Tables

rules = Rules()

ALLOC, FILL, FREE = "clSVMAlloc", "clEnqueueSVMMemFill", "clSVMFree"
FEATURE = "shared-virtual-memory"
COMMANDS = ("SVMFree", "SVMMemcpy", "SVMMemFill", "SVMMap", "SVMUnmap", "SVMMigrateMem")
FLAG_TEXTS = {
    "CL_MEM_READ_WRITE": "Kernels can read and write memory allocated with CL_MEM_READ_WRITE.",
    "CL_MEM_WRITE_ONLY": "Kernels can write memory allocated with CL_MEM_WRITE_ONLY.",
    "CL_MEM_READ_ONLY": "Kernels can read memory allocated with CL_MEM_READ_ONLY.",
    FINE: f"Memory allocated with {FINE} supports fine-grained sharing between the host and devices.",
    ATOMICS: f"Atomic operations synchronize accesses of the host and devices to memory allocated with {ATOMICS}.",
}


@rules.completion
def _declare_flags(rules: Rules, _tables: Tables) -> None:
    def given(name: str) -> Callable[[CompletedCall], bool]:
        return lambda asked: asked.code == SUCCESS and bool(asked.call.flags & asked.model.constant_value(name))

    for name, words in FLAG_TEXTS.items():
        rules.coverage_point(f"cl_svm_mem_flags:{name}", ALLOC, words, "clSVMAlloc/success", holds=given(name))


@rules.completion
def _declare_alignments(rules: Rules, _tables: Tables) -> None:
    for number, clause, words in (
        (1, 2, "svm_ptr is a multiple of pattern_size."),
        (2, 3, "pattern_size is the size of a data type."),
        (3, 4, "size is a multiple of pattern_size."),
    ):
        watching = f"{FILL}/CL_INVALID_VALUE/{clause}"
        rules.coverage_point(f"{FILL}/alignment/{number}", FILL, words, watching, holds=_is_error_required(watching))
    rules.coverage_point(
        "clSVMAlloc/size/1",
        ALLOC,
        "alignment may be as large as the largest data type that the devices in context support.",
        "clSVMAlloc/success",
        holds=lambda asked: (
            asked.code == SUCCESS and asked.call.alignment == largest_type_size(_context_devices(asked))
        ),
    )


def _is_error_required(requirement: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: an error condition holds and its error is required."""

    def holds(asked: CompletedCall) -> bool:
        return evaluate(asked.rulebook.predicates.declared[requirement], asked.call, asked.model) is MUST

    return holds


def _context_devices(asked: CompletedCall) -> list[Device]:
    return devices_in_context(asked.call, asked.model)


@rules.completion
def _declare_missing_feature(rules: Rules, _tables: Tables) -> None:
    def no_device(asked: CompletedCall) -> bool:
        return all(feature_lacks(device, FEATURE) for device in _context_devices(asked))

    def not_the_queues(asked: CompletedCall) -> bool:
        queue = asked.model.find(asked.call.command_queue)
        device = queue.device if isinstance(queue, CommandQueue) else None
        return device is not None and feature_lacks(device, FEATURE)

    rules.coverage_point(
        "shared-virtual-memory:clSVMAlloc/1",
        ALLOC,
        "clSVMAlloc returns NULL if no device in context supports SVM.",
        "clSVMAlloc/NULL/1",
        holds=no_device,
    )
    rules.coverage_point(
        "shared-virtual-memory:clSVMFree/1",
        FREE,
        "clSVMFree does nothing if no device in context supports SVM.",
        "clSVMFree/success",
        holds=no_device,
    )
    for name in COMMANDS:
        function = f"clEnqueue{name}"
        clause = f"{function}/CL_INVALID_OPERATION/1"
        words = "The call returns CL_INVALID_OPERATION if the device of command_queue does not support SVM."
        rules.coverage_point(f"{FEATURE}:{function}/1", function, words, clause, holds=not_the_queues)


@rules.completion
def _declare_kernels(rules: Rules, _tables: Tables) -> None:
    def copied_out(asked: CompletedCall) -> bool:
        if asked.code != SUCCESS or not is_blocking(asked.call) or not isinstance(asked.call.dst_ptr, OutputBuffer):
            return False
        try:
            found = resolve_pointer(asked.call.src_ptr, asked.model)
        except UndefinedBehaviourError:
            return False
        return SVM_POINTERS in found.view.storage.used_capabilities

    words, run = (
        "A kernel can access the SVM allocations that are listed with CL_KERNEL_EXEC_INFO_SVM_PTRS.",
        "clEnqueueNDRangeKernel/success",
    )
    rules.coverage_point(
        "CL_KERNEL_EXEC_INFO_SVM_PTRS@clSetKernelExecInfo", "clEnqueueSVMMemcpy", words, run, holds=copied_out
    )
    for requirement in ("OpenCL:shared-virtual-memory/2", "OpenCL:fundamental-memory-regions/3"):
        linked = "Checked on copies of bytes that a kernel wrote through addresses stored in SVM."
        rules.coverage_point(requirement, "clEnqueueSVMMemcpy", linked, run, holds=copied_out)
    words = "A kernel writes to an allocation that this property lists. Checked on copies of the bytes."
    rules.coverage_point("CL_KERNEL_EXEC_INFO_SVM_PTRS/effect/2", "clEnqueueSVMMemcpy", words, run, holds=copied_out)

    for requirement, words in (
        (SYSTEM_ALLOWED, "Checked on host reads of memory that a kernel wrote after the property was set to CL_TRUE."),
        (SYSTEM_BY_DEFAULT, "Checked on host reads of memory that a kernel wrote although the property was not set."),
    ):
        rules.coverage_point(requirement, READ, words, run, holds=_reads_kernel_access(requirement))

    def listed(asked: CompletedCall) -> bool:
        pointers = asked.call.param_name == asked.model.constant_value(SVM_POINTERS)
        return pointers and any(isinstance(each, OffsetPointer) for each in listed_pointers(asked.call, asked.model))

    def emptied(asked: CompletedCall) -> bool:
        nothing = asked.call.param_value is None and asked.call.param_value_size == 0
        return nothing and asked.call.param_name == asked.model.constant_value(SVM_POINTERS)

    tell = "clSetKernelExecInfo"
    words = "Checked on lists with an address inside an SVM allocation: the call succeeds."
    rules.coverage_point(
        "CL_KERNEL_EXEC_INFO_SVM_PTRS/effect/1", tell, words, f"{tell}/success", holds=listed, requires_success=True
    )
    words = "Checked on calls with param_value_size 0 and param_value NULL: they succeed."
    rules.coverage_point(
        "CL_KERNEL_EXEC_INFO_SVM_PTRS/effect/4", tell, words, f"{tell}/success", holds=emptied, requires_success=True
    )
    rules.untestable(
        "CL_KERNEL_EXEC_INFO_SVM_PTRS/effect/3",
        "",
        "a kernel that accesses memory that is no longer listed has undefined behaviour",
    )


def _reads_kernel_access(way: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the host reads memory that a kernel could access because of the setting ``way``."""

    def holds(asked: CompletedCall) -> bool:
        try:
            found = resolve_pointer(asked.call.pointer, asked.model)
        except UndefinedBehaviourError:
            return False
        return asked.code == SUCCESS and way in found.view.storage.used_capabilities

    return holds


@rules.completion
def _declare_prose(rules: Rules, _tables: Tables) -> None:
    def fine_grain_somewhere(asked: CompletedCall) -> bool:
        bit = asked.model.constant_value(SUPPORT[FINE])
        have = [bool(device.number("CL_DEVICE_SVM_CAPABILITIES") & bit) for device in _context_devices(asked)]
        return bool(asked.call.flags & asked.model.constant_value(FINE)) and asked.code == NULL and not all(have)

    rules.coverage_point(
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/2",
        ALLOC,
        "An allocation with CL_MEM_SVM_FINE_GRAIN_BUFFER fails unless all devices in context support this flag.",
        "clSVMAlloc/NULL/4",
        holds=fine_grain_somewhere,
    )
    rules.untestable(
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/1",
        "Without SVM atomics, the host and devices can read the same bytes and write different bytes concurrently.",
        "only accesses that overlap between two synchronization points could show it, and no call can force these",
    )
    rules.untestable(
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/3",
        "The host and all devices that share virtual memory have the same address size.",
        "this is a precondition of SVM, and the document does not specify the result if it is not met",
    )
    rules.untestable(
        "clSVMAlloc/effect/1",
        "clSVMAlloc returns NULL if mixed endianness of the devices in context prevents SVM.",
        "only the implementation knows whether mixed endianness prevents SVM",
    )
