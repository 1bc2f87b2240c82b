"""Coverage points for flags, alignments, sizes and accesses of unified shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.kernels.execution_info import INDIRECT, POINTERS
from clconform.oracles.chapters.usm.error_conditions import COPY, FILL, FLAGS, PLACEMENTS, supporting_devices
from clconform.oracles.common.alignment import largest_type_size
from clconform.oracles.common.property_lists import parse_list
from clconform.oracles.contents.dependencies import is_blocking
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.transfers import span_of
from clconform.oracles.contents.usm import ALLOCATION_CLASSES, ATOMIC
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.predicate_result import evaluate
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UndefinedBehaviourError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import (
    DeviceAllocation,
    HostAllocation,
    HostArea,
    PointerMemory,
    SharedAllocation,
    UsmAllocation,
)
from clconform.oracles.model.queues import CommandQueue
from clconform.spec_tables.requirements import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import PointerTarget
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

    Holds = Callable[[CompletedCall], bool]

rules = Rules()

INFO, SET_EXEC_INFO, ENQUEUE = "clGetMemAllocInfoINTEL", "clSetKernelExecInfo", "clEnqueueNDRangeKernel"
RUN = "clEnqueueNDRangeKernel/success"
LISTED_TEXT = "A kernel can access the allocations that are listed with CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL."
COMBINED = "CL_MEM_ALLOC_WRITE_COMBINED_INTEL"
USES = {
    COMBINED: ("clDeviceMemAllocINTEL", "Device memory can be allocated with CL_MEM_ALLOC_WRITE_COMBINED_INTEL."),
    PLACEMENTS[0]: (
        "clSharedMemAllocINTEL",
        "Shared memory can be allocated with CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL.",
    ),
    PLACEMENTS[1]: (
        "clSharedMemAllocINTEL",
        "Shared memory can be allocated with CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL.",
    ),
}


@rules.completion
def _declare_allocations(rules: Rules, _tables: Tables) -> None:
    def given(name: str) -> Holds:
        def holds(asked: CompletedCall) -> bool:
            flags = [
                bits
                for key, bits in parse_list(asked.call.properties) or ()
                if key == asked.model.constant_value(FLAGS)
            ]
            wanted = asked.model.constant_value(name) if name != FLAGS else 0
            return (asked.code == SUCCESS or name != FLAGS) and any(
                isinstance(bits, int) and bits & wanted == wanted for bits in flags
            )

        return holds

    for name, (function, words) in USES.items():
        allocated = f"{function}/success"
        rules.coverage_point(
            f"cl_mem_alloc_flags_intel:{name}", function, words, allocated, holds=given(name), requires_success=True
        )
    for function in ALLOCATION_CLASSES:
        words = "Memory can be allocated with the property CL_MEM_ALLOC_FLAGS_INTEL."
        rules.coverage_point(f"{FLAGS}@{function}", function, words, f"{function}/success", holds=given(FLAGS))
        words, watching = "alignment is 0 or a power of two.", f"{function}/CL_INVALID_VALUE/1"
        rules.coverage_point(f"{function}/alignment/1", function, words, watching, holds=_is_error_required(watching))
        words, watching = (
            "alignment may be as large as the largest data type that the devices support.",
            f"{function}/CL_INVALID_VALUE/2",
        )
        rules.coverage_point(f"{function}/size/1", function, words, watching, holds=_is_error_required(watching))
    rules.coverage_point(
        "clSharedMemAllocINTEL/size/3",
        "clSharedMemAllocINTEL",
        "If device is NULL, alignment may be as large as the largest data type of the devices in context.",
        "clSharedMemAllocINTEL/success",
        holds=lambda asked: (
            asked.code == SUCCESS
            and asked.call.device is None
            and asked.call.alignment == largest_type_size(supporting_devices(asked.call, asked.model))
        ),
    )


def _is_error_required(requirement: str) -> Holds:
    """Return a coverage condition: an error condition holds and its error is required."""

    def holds(asked: CompletedCall) -> bool:
        return evaluate(asked.rulebook.predicates.declared[requirement], asked.call, asked.model).is_must

    return holds


for _requirement, _clause, _words in (
    (
        "clEnqueueMemFillINTEL/alignment/1",
        "clEnqueueMemFillINTEL/CL_INVALID_VALUE/1",
        "dst_ptr is a multiple of pattern_size.",
    ),
    (
        "clEnqueueMemFillINTEL/alignment/2",
        "clEnqueueMemFillINTEL/CL_INVALID_VALUE/3",
        "pattern_size is a power of two.",
    ),
    (
        "clEnqueueMemFillINTEL/alignment/3",
        "clEnqueueMemFillINTEL/CL_INVALID_VALUE/4",
        "size is a multiple of pattern_size.",
    ),
):
    rules.coverage_point(_requirement, FILL, _words, _clause, holds=_is_error_required(_clause))


def copies_kernel_output(row: Callable[[PointerTarget, CommandQueue], bool]) -> Holds:
    """Return a coverage condition: a copy reads bytes that a kernel wrote to a region for which ``row`` is true."""

    def holds(asked: CompletedCall) -> bool:
        found = read_region(asked, asked.call.src_ptr) if checks_copied_bytes(asked.call) else None
        queue = asked.model.get(CommandQueue, asked.call.command_queue)
        return found is not None and RUN in writers_of(found, asked) and row(found, queue)

    return holds


def reads_on_host(kind: type[PointerMemory]) -> Holds:
    """Return a coverage condition: the host reads bytes that a command wrote to memory of the class ``kind``."""

    def holds(asked: CompletedCall) -> bool:
        found = read_region(asked, asked.call.pointer)
        return found is not None and type(found.owner) is kind and any(writers_of(found, asked))

    return holds


@rules.completion
def _declare_accesses(rules: Rules, _tables: Tables) -> None:
    """Declare the coverage points for the rows of the access table.

    A device or the host writes bytes, and another device or the host reads them.
    """
    for requirement, words, row in (
        (
            "cl_intel_unified_shared_memory:host/access/any-device",
            "Any device in the context can access host allocations.",
            lambda found, _: isinstance(found.owner, HostAllocation),
        ),
        (
            "cl_intel_unified_shared_memory:device/access/specific-device",
            "A device can access device allocations that were created for it.",
            lambda found, _: isinstance(found.owner, DeviceAllocation),
        ),
        (
            "cl_intel_unified_shared_memory:shared/access/specific-device",
            "A device can access shared allocations that were created for it.",
            _is_own_shared_memory,
        ),
        (
            "cl_intel_unified_shared_memory:shared/access/another-device",
            "A device with the cross-device capability can access shared allocations created for another device.",
            is_shared_memory_of_other,
        ),
        (
            "cl_intel_unified_shared_memory:shared-system/access/device",
            "A device with shared system memory capabilities can access memory that the host has allocated.",
            lambda found, _: isinstance(found.owner, HostArea),
        ),
    ):
        rules.coverage_point(requirement, COPY, words, RUN, holds=copies_kernel_output(row))
    words = "A device can access allocations of every type for which it reports this access capability."
    rules.coverage_point(
        "cl_device_unified_shared_memory_capabilities_intel:CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL",
        COPY,
        words,
        RUN,
        holds=copies_kernel_output(lambda found, _: isinstance(found.owner, UsmAllocation)),
    )
    for requirement, words, way in (
        (
            "cl_device_unified_shared_memory_capabilities_intel:CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL",
            "A device can perform atomic operations on allocations for which it reports this capability.",
            ATOMIC,
        ),
        ("CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL@clSetKernelExecInfo", LISTED_TEXT, POINTERS),
        *(
            (
                f"{name}@{SET_EXEC_INFO}",
                f"A kernel with {name} set can access any {kind.title.removesuffix('memory')}allocation indirectly.",
                name,
            )
            for name, kind in INDIRECT.items()
        ),
    ):
        rules.coverage_point(requirement, COPY, words, RUN, holds=copies_kernel_output(_uses_access_path(way)))
    rules.coverage_point(
        "CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL@clSetKernelExecInfo",
        ENQUEUE,
        LISTED_TEXT,
        RUN,
        holds=_fails_with_list,
        requires_success=True,
    )
    for requirement, words, kind in (
        (
            "cl_intel_unified_shared_memory:host/access/host",
            "The host can access host allocations.",
            HostAllocation,
        ),
        (
            "cl_intel_unified_shared_memory:shared/access/host",
            "The host can access shared allocations.",
            SharedAllocation,
        ),
    ):
        parents = ("clEnqueueMemcpyINTEL/success", "clEnqueueMemFillINTEL/success", RUN)
        rules.coverage_point(requirement, READ, words, *parents, holds=reads_on_host(kind))
    for requirement, words, reason in (
        (
            "cl_device_unified_shared_memory_capabilities_intel:CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL",
            "A device with this capability and other devices can access the same allocation concurrently.",
            "by issue 1 of the document, the required distance of concurrent accesses is unspecified",
        ),
        (
            "cl_device_unified_shared_memory_capabilities_intel:CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL",
            "A device with this capability and other devices can access an allocation concurrently with atomics.",
            "by issue 25 of the document, it is unspecified which effects of other accesses are visible",
        ),
        (
            "cl_intel_unified_shared_memory:device/access/host",
            "The host cannot access device allocations.",
            "the behaviour of such an access is undefined",
        ),
        (
            "cl_intel_unified_shared_memory:device/access/another-device",
            "Another device may be able to access a device allocation.",
            "no query reports which devices can access the allocation, so the suites do not make such an access",
        ),
        (
            "cl_intel_unified_shared_memory:shared-system/access/host",
            "The host can access memory that it has allocated.",
            "the requirement does not concern an OpenCL call",
        ),
    ):
        rules.untestable(requirement, words, reason)


def checks_copied_bytes(call: Call) -> bool:
    """Return whether the copied bytes are checked: the copy is blocking, and dst_ptr is an output buffer."""
    return is_blocking(call) and isinstance(call.dst_ptr, OutputBuffer)


def _uses_access_path(name: str) -> Callable[[PointerTarget, CommandQueue], bool]:
    """Return a check of an accessed region: a kernel accessed it through the capability or setting ``name``."""
    return lambda found, _: name in found.view.storage.used_capabilities


def _fails_with_list(asked: CompletedCall) -> bool:
    """Return whether the enqueue of a kernel failed after USM allocations were listed for this kernel."""
    return asked.code != SUCCESS and bool(asked.model.get(Kernel, asked.call.kernel).indirect_memory.get(POINTERS))


def _is_own_shared_memory(found: PointerTarget, queue: CommandQueue) -> bool:
    return isinstance(found.owner, SharedAllocation) and queue.device in found.owner.devices


def is_shared_memory_of_other(found: PointerTarget, queue: CommandQueue) -> bool:
    """Return whether shared memory was not allocated for the device of a queue."""
    return isinstance(found.owner, SharedAllocation) and queue.device not in found.owner.devices


def read_region(asked: CompletedCall, pointer: object) -> PointerTarget | None:
    """Return the region that a successful call has read at ``pointer``; None if the call failed."""
    try:
        return resolve_pointer(pointer, asked.model) if asked.code == SUCCESS else None
    except UndefinedBehaviourError:
        return None


def writers_of(found: PointerTarget, asked: CompletedCall) -> list[str]:
    """Return the requirements of the commands that wrote the bytes of a region that a call reads."""
    return found.memory_place(span_of(0, asked.call.size)).read().writers


CAPABILITIES: dict[str, tuple[str, Callable[[PointerTarget, CommandQueue], bool]]] = {
    "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL": ("host", lambda found, _: isinstance(found.owner, HostAllocation)),
    "CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL": ("device", lambda found, _: isinstance(found.owner, DeviceAllocation)),
    "CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL": ("single-device shared", _is_own_shared_memory),
    "CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL": ("cross-device shared", is_shared_memory_of_other),
    "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL": (
        "shared system",
        lambda found, _: isinstance(found.owner, HostArea),
    ),
}
"""Maps each capability query to the name of its allocations, and to a check whether a region is such an allocation.

The order is that of the five sentences that the document repeats for each query.
"""


@rules.completion
def _declare_capabilities(rules: Rules, tables: Tables) -> None:
    """Declare the requirements from the sentences about capabilities.

    The table repeats every sentence for every query. Only the sentence about the query itself is tested.
    """
    for requirement in tables.requirements.values():
        if isinstance(requirement, Effect) and requirement.topic == "capability-covers-allocations":
            query, _, number = requirement.id.partition("/effect/")
            about = list(CAPABILITIES)[int(number) - 1]
            title, row = CAPABILITIES[about]
            words = f"Checked on copies of bytes that a kernel wrote to a {title} allocation."
            if query == about:
                rules.coverage_point(requirement.id, COPY, words, RUN, holds=copies_kernel_output(row))
            else:
                reason = f"it repeats a sentence about another query; its requirement is {about}/effect/{number}"
                rules.untestable(requirement.id, words, reason)
