"""Coverage points for flags, alignments, sizes and accesses of unified shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import READ
from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.kernels.execution_info import INDIRECT, POINTERS
from clconform.oracles.chapters.usm.answers import TYPE
from clconform.oracles.chapters.usm.clauses import COPY, FILL, FLAGS, PLACEMENTS, supporting
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.transfers import run_of
from clconform.oracles.contents.unified import ACCESS, ALLOCATED_BY, ATOMIC
from clconform.oracles.contents.waiting import is_blocking
from clconform.oracles.engine.answers import Answer, Must, settle
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointed_memory import (
    DeviceAllocation,
    HostAllocation,
    HostArea,
    PointedMemory,
    SharedAllocation,
    UsmAllocation,
)
from clconform.oracles.model.queues import Queue
from clconform.oracles.queries.questions import asked_of
from clconform.oracles.recurring.alignment import largest_type
from clconform.oracles.recurring.property_lists import read_list
from clconform.spec_tables.records import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import Reach
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

    Holds = Callable[[AnsweredCall], bool]

rules = Rules()

ASK, TELL, LAUNCH = "clGetMemAllocInfoINTEL", "clSetKernelExecInfo", "clEnqueueNDRangeKernel"
RUN = f"{LAUNCH}/success"
ROWS = "cl_intel_unified_shared_memory"
BITS = "cl_device_unified_shared_memory_capabilities_intel"
LISTED = "A kernel can access the allocations that are listed with CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL."
COMBINED = "CL_MEM_ALLOC_WRITE_COMBINED_INTEL"
USES = {
    COMBINED: (
        "clDeviceMemAllocINTEL",
        "Memory can be allocated with this flag, which requests write-combined memory.",
    ),
    PLACEMENTS[0]: (
        "clSharedMemAllocINTEL",
        "Shared memory can be allocated with this flag, which requests placement on the device first.",
    ),
    PLACEMENTS[1]: (
        "clSharedMemAllocINTEL",
        "Shared memory can be allocated with this flag, which requests placement on the host first.",
    ),
}


@rules.completion
def _allocations(rules: Rules, _tables: Tables) -> None:
    def given(name: str) -> Holds:
        def holds(asked: AnsweredCall) -> bool:
            flags = [bits for key, bits in read_list(asked.call.properties) or () if key == asked.model.value(FLAGS)]
            wanted = asked.model.value(name) if name != FLAGS else 0
            return (asked.code == SUCCESS or name != FLAGS) and any(
                isinstance(bits, int) and bits & wanted == wanted for bits in flags
            )

        return holds

    for name, (function, words) in USES.items():
        allocated = f"{function}/success"
        rules.trigger(
            f"cl_mem_alloc_flags_intel:{name}", function, words, allocated, holds=given(name), by_success=True
        )
    for function in ALLOCATED_BY:
        words = "Memory can be allocated with the property CL_MEM_ALLOC_FLAGS_INTEL."
        rules.trigger(f"{FLAGS}@{function}", function, words, f"{function}/success", holds=given(FLAGS))
        words, watching = "The alignment is 0 or a power of two.", f"{function}/CL_INVALID_VALUE/1"
        rules.trigger(f"{function}/alignment/1", function, words, watching, holds=_breaking(watching))
        words, watching = (
            "The alignment may be as large as the largest data type that the devices support.",
            f"{function}/CL_INVALID_VALUE/2",
        )
        rules.trigger(f"{function}/size/1", function, words, watching, holds=_breaking(watching))
    rules.trigger(
        "clSharedMemAllocINTEL/size/3",
        "clSharedMemAllocINTEL",
        "If device is NULL, the alignment may be as large as the largest data type of the devices in context.",
        "clSharedMemAllocINTEL/success",
        holds=lambda asked: (
            asked.code == SUCCESS
            and asked.call.device is None
            and asked.call.alignment == largest_type(supporting(asked.call, asked.model))
        ),
    )


def _breaking(record: str) -> Holds:
    """Return a coverage condition: an error condition holds and its error is required."""

    def holds(asked: AnsweredCall) -> bool:
        reply = settle(asked.rulebook.predicate(record), asked.call, asked.model)
        return reply is Answer.MUST or isinstance(reply, Must)

    return holds


@rules.completion
def _answers(rules: Rules, _tables: Tables) -> None:
    def nowhere(asked: AnsweredCall) -> bool:
        outside = isinstance(asked_of(asked.call, asked.model), Context)
        return outside and asked.code == SUCCESS and asked.call.param_name == asked.model.value(TYPE)

    words = "An address outside all allocations has the type CL_MEM_TYPE_UNKNOWN_INTEL."
    rules.trigger(f"{TYPE}/effect/1", ASK, words, TYPE, holds=nowhere)


@rules.completion
def _commands(rules: Rules, _tables: Tables) -> None:
    for number, clause, words in (
        (1, 1, "dst_ptr is a multiple of pattern_size."),
        (2, 3, "pattern_size is a power of two."),
        (3, 4, "The size is a multiple of pattern_size."),
    ):
        watching = f"{FILL}/CL_INVALID_VALUE/{clause}"
        rules.trigger(f"{FILL}/alignment/{number}", FILL, words, watching, holds=_breaking(watching))


def copied_out(row: Callable[[Reach, Queue], bool]) -> Holds:
    """Return a coverage condition: a command reads bytes that a kernel wrote to memory of some kind."""

    def holds(asked: AnsweredCall) -> bool:
        found = source(asked, asked.call.src_ptr) if looks_at_bytes(asked.call) else None
        queue = asked.model.get(Queue, asked.call.command_queue)
        return found is not None and RUN in writers(found, asked) and row(found, queue)

    return holds


def looked_at(kind: type[PointedMemory]) -> Holds:
    """Return a coverage condition: the host reads bytes that a command wrote to memory of some kind."""

    def holds(asked: AnsweredCall) -> bool:
        found = source(asked, asked.call.pointer)
        return found is not None and type(found.owner) is kind and any(writers(found, asked))

    return holds


@rules.completion
def _accesses(rules: Rules, _tables: Tables) -> None:
    """Declare the rows of the access table: bytes written by one device or the host, and read by another."""
    for record, words, row in (
        (
            "host/access/any-device",
            "Any device in the context can access host allocations.",
            lambda found, _: isinstance(found.owner, HostAllocation),
        ),
        (
            "device/access/specific-device",
            "A device can access device allocations that were created for it.",
            lambda found, _: isinstance(found.owner, DeviceAllocation),
        ),
        ("shared/access/specific-device", "A device can access shared allocations that were created for it.", _its_own),
        (
            "shared/access/another-device",
            "A device with the cross-device capability can access shared allocations created for another device.",
            of_another,
        ),
        (
            "shared-system/access/device",
            "A device with shared system memory capabilities can access memory that the host has allocated.",
            lambda found, _: isinstance(found.owner, HostArea),
        ),
    ):
        rules.trigger(f"{ROWS}:{record}", COPY, words, RUN, holds=copied_out(row))
    words = "A device can access allocations of every type for which it reports this capability."
    rules.trigger(
        f"{BITS}:{ACCESS}", COPY, words, RUN, holds=copied_out(lambda found, _: isinstance(found.owner, UsmAllocation))
    )
    for record, words, way in (
        (
            f"{BITS}:{ATOMIC}",
            "A device can perform atomic operations on allocations for which it reports this capability.",
            ATOMIC,
        ),
        (f"{POINTERS}@{TELL}", LISTED, POINTERS),
        *(
            (
                f"{name}@{TELL}",
                f"A kernel with this setting can access any {kind.title.removesuffix('memory')}allocation indirectly.",
                name,
            )
            for name, kind in INDIRECT.items()
        ),
    ):
        rules.trigger(record, COPY, words, RUN, holds=copied_out(_in_this_way(way)))
    rules.trigger(f"{POINTERS}@{TELL}", LAUNCH, LISTED, RUN, holds=_refused_with_a_list, by_success=True)
    for kind, name in ((HostAllocation, "host"), (SharedAllocation, "shared")):
        words = f"The host can access {name} allocations."
        parents = (f"{COPY}/success", f"{FILL}/success", RUN)
        rules.trigger(f"{ROWS}:{name}/access/host", READ, words, *parents, holds=looked_at(kind))
    for name, words, reason in (
        (
            "CONCURRENT_ACCESS",
            "A device with this capability and others can access the same allocation concurrently.",
            "by issue 1 of the document, the required distance of concurrent accesses is unspecified",
        ),
        (
            "CONCURRENT_ATOMIC_ACCESS",
            "A device with this capability and others can access the same allocation concurrently with atomics.",
            "by issue 25 of the document, it is unspecified which effects of other accesses are visible",
        ),
    ):
        rules.untestable(f"{BITS}:CL_UNIFIED_SHARED_MEMORY_{name}_INTEL", words, reason)
    for record, words, reason in (
        ("device/access/host", "The host cannot access device allocations.", "such an access is undefined"),
        (
            "device/access/another-device",
            "Another device may be able to access a device allocation.",
            "no query reports which devices can, so such an access is never made",
        ),
        (
            "shared-system/access/host",
            "The host can access memory that it has allocated.",
            "no OpenCL call is involved",
        ),
    ):
        rules.untestable(f"{ROWS}:{record}", words, reason)


def looks_at_bytes(call: Call) -> bool:
    """Return whether the bytes that a call copies are checked."""
    return is_blocking(call) and isinstance(call.dst_ptr, OutputBuffer)


def _in_this_way(name: str) -> Callable[[Reach, Queue], bool]:
    """Return a test whether the kernel accessed the memory by a given capability or setting."""
    return lambda found, _: name in found.view.storage.ways


def _refused_with_a_list(asked: AnsweredCall) -> bool:
    """Return whether the enqueue of a kernel with listed allocations fails, so that it cannot access them."""
    return asked.code != SUCCESS and bool(asked.model.get(Kernel, asked.call.kernel).listed.get(POINTERS))


def _its_own(found: Reach, queue: Queue) -> bool:
    return isinstance(found.owner, SharedAllocation) and queue.device in found.owner.devices


def of_another(found: Reach, queue: Queue) -> bool:
    """Return whether shared memory was not allocated for the device of a queue."""
    return isinstance(found.owner, SharedAllocation) and queue.device not in found.owner.devices


def source(asked: AnsweredCall, pointer: object) -> Reach | None:
    """Return the region that a successful call has read, or None."""
    try:
        return reach(pointer, asked.model) if asked.code == SUCCESS else None
    except ForbiddenError:
        return None


def writers(found: Reach, asked: AnsweredCall) -> list[str]:
    """Return the requirements of the commands that wrote the bytes."""
    return found.place(run_of(0, asked.call.size)).read().records


CAPABILITIES: dict[str, tuple[str, Callable[[Reach, Queue], bool]]] = {
    "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL": ("host", lambda found, _: isinstance(found.owner, HostAllocation)),
    "CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL": ("device", lambda found, _: isinstance(found.owner, DeviceAllocation)),
    "CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL": ("single-device shared", _its_own),
    "CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL": ("cross-device shared", of_another),
    "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL": (
        "shared system",
        lambda found, _: isinstance(found.owner, HostArea),
    ),
}
"""Query to the allocations that its capabilities describe: a text, and a test of the accessed region.

The order is that of the five sentences in the common row of all five queries.
"""


@rules.completion
def _capabilities(rules: Rules, tables: Tables) -> None:
    """Declare the sentences about capabilities, which each query repeats; only the one of its own query is tested."""
    for record in tables.records.values():
        if isinstance(record, Effect) and record.topic == "capability-covers-allocations":
            query, _, number = record.id.partition("/effect/")
            about = list(CAPABILITIES)[int(number) - 1]
            title, row = CAPABILITIES[about]
            words = f"Checked on copies of bytes that a kernel wrote to a {title} allocation."
            if query == about:
                rules.trigger(record.id, COPY, words, RUN, holds=copied_out(row))
            else:
                reason = f"it repeats a sentence about another query; its requirement is {about}/effect/{number}"
                rules.untestable(record.id, words, reason)
