"""Coverage points for the contents of shared virtual memory, and untestable requirements (section 5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.oracles.chapters.memory_model.coverage_points import (
    RESPONSIBLE,
    host_reads,
    input_writers,
    is_coarse_grained,
    is_fine_grained,
    is_system_memory,
)
from clconform.oracles.chapters.svm.error_conditions import ATOMICS
from clconform.oracles.common.ordering_evidence import ENQUEUE_KERNEL
from clconform.oracles.common.readback_evidence import (
    cover_bytes_of,
    find_read_map,
    is_blocking_read,
    returns_before_command,
    writers_of_known_bytes,
)
from clconform.oracles.contents.dependencies import pending_awaited
from clconform.oracles.engine.applicability import reported_profile
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UndefinedBehaviourError
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.pointer_memory import SvmAllocation
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.mapped_regions import MappedRegion

    Seen = Callable[[MemoryPlace, Command, MappedRegion | None], bool]

rules = Rules()

ALLOC, BUFFER_READ, IMAGE_READ = "clSVMAlloc", "clEnqueueReadBuffer", "clEnqueueReadImage"
COPY, FILL, MAP, UNMAP = (f"clEnqueueSVM{what}" for what in ("Memcpy", "MemFill", "Map", "Unmap"))
RUN = "clEnqueueNDRangeKernel/success"
ACCESS_FLAGS = ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")


# bytes that the host reads


def _is_any_grain(place: MemoryPlace, writer: Command, through: MappedRegion | None) -> bool:
    return is_coarse_grained(place, writer, through) or is_fine_grained(place, writer, through)


def _is_kernel_output(seen: Seen) -> Seen:
    return lambda place, writer, through: writer.function == ENQUEUE_KERNEL and seen(place, writer, through)


def _crosses_queues(place: MemoryPlace, writer: Command, through: MappedRegion | None) -> bool:
    """Return whether ``writer`` processed the output of a command in another queue.

    ``writer`` must have written its result to an SVM allocation.
    """
    handed_on = any(first.queue is not writer.queue for first in input_writers(writer))
    return handed_on and _is_any_grain(place, writer, through)


def _lacks_access_flag(asked: CompletedCall) -> bool:
    """Return whether the host reads bytes that a kernel wrote to an SVM allocation without an access flag."""

    def seen(place: MemoryPlace, writer: Command, through: MappedRegion | None) -> bool:
        memory = place.owner
        plain = isinstance(memory, SvmAllocation) and not any(
            memory.flags & asked.model.constant_value(name) for name in ACCESS_FLAGS
        )
        return plain and _is_kernel_output(_is_any_grain)(place, writer, through)

    return host_reads(seen)(asked)


def _has_atomics_flag(asked: CompletedCall) -> bool:
    def seen(place: MemoryPlace, writer: Command, through: MappedRegion | None) -> bool:
        memory = place.owner
        atomics = isinstance(memory, SvmAllocation) and bool(memory.flags & asked.model.constant_value(ATOMICS))
        return atomics and is_fine_grained(place, writer, through)

    return host_reads(seen)(asked)


_COARSE = "Checked on host reads of mapped coarse-grained memory that a command changed."
_FINE = "Checked on host reads of unmapped fine-grained memory that a command changed."
_ATOMICS = "Checked on host reads of unmapped memory that was allocated with CL_MEM_SVM_ATOMICS."
_OWN = "A command writes to memory that the host allocated without OpenCL. Checked on host reads of the bytes."
for _record, _words, _holds in (
    (
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/4",
        "Checked on host reads of mapped coarse-grained memory that a kernel wrote.",
        host_reads(_is_kernel_output(is_coarse_grained)),
    ),
    ("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/5", _COARSE, host_reads(is_coarse_grained)),
    (
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/7",
        "A command processes the output of a command in another queue. Checked on host reads of the result.",
        host_reads(_crosses_queues),
    ),
    ("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/10", _ATOMICS, _has_atomics_flag),
    ("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/12", _FINE, host_reads(is_fine_grained)),
    ("OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/13", _OWN, host_reads(is_system_memory)),
    (
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/14",
        "A kernel writes to memory that the host allocated without OpenCL. Checked on host reads of the bytes.",
        host_reads(_is_kernel_output(is_system_memory)),
    ),
    (
        "OpenCL:memory-consistency-for-svm-allocations/1",
        "Checked on host reads of SVM allocations that a command changed.",
        host_reads(_is_any_grain),
    ),
    ("CL_DEVICE_SVM_CAPABILITIES/effect/1", _FINE, host_reads(is_fine_grained)),
    ("CL_DEVICE_SVM_CAPABILITIES/effect/2", _OWN, host_reads(is_system_memory)),
    (
        "clSVMAlloc/effect/6",
        "Checked on host reads of bytes that a kernel wrote to an SVM allocation without an access flag.",
        _lacks_access_flag,
    ),
):
    rules.coverage_point(_record, READ, _words, *RESPONSIBLE, holds=_holds)


def _shares_reads(asked: CompletedCall) -> bool:
    """Return whether a kernel is enqueued while an unordered kernel in another queue reads the same SVM allocation."""
    if asked.code != SUCCESS:
        return False
    kernel = asked.model.find(asked.call.kernel)
    mine = asked.context.effect.reads
    shared = {
        place.storage for place in mine if isinstance(place.owner, SvmAllocation) and not place.owner.is_fine_grained
    }
    own = asked.model.find(asked.call.command_queue)
    if not isinstance(kernel, Kernel) or not isinstance(own, CommandQueue):
        return False
    ordered = {before for each in pending_awaited(asked.call, asked.model) for before in each.pending_chain()}
    pending = [each for each in asked.model.commands.pending if each not in ordered]
    others = [(each, each.queue) for each in pending if each.function == ENQUEUE_KERNEL]
    apart = [
        each
        for each, queue in others
        if queue is not None and queue is not own and queue.queue_device is own.queue_device
    ]
    return any(not shared.isdisjoint(place.storage for place in each.reads) for each in apart)


rules.coverage_point(
    "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/6",
    ENQUEUE_KERNEL,
    ("Checked on enqueues of a kernel while another kernel may read the same SVM allocation: the call succeeds."),
    RUN,
    holds=_shares_reads,
    requires_success=True,
)


# allocations


def _has_default_alignment(*profiles: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: memory with the default alignment is allocated for devices of these profiles."""

    def holds(asked: CompletedCall) -> bool:
        context = asked.model.find(asked.call.context)
        if asked.code != SUCCESS or asked.call.alignment or not isinstance(context, Context) or not context.devices:
            return False
        return all(reported_profile(device.platform, device) in profiles for device in context.devices)

    return holds


FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
for _requirement, _words, _parent, _holds in (
    (
        "clSVMAlloc/effect/2",
        "Checked on calls with an alignment other than 0.",
        "clSVMAlloc/alignment/1",
        lambda asked: asked.code == SUCCESS and asked.call.alignment > 0,
    ),
    (
        "clSVMAlloc/effect/3",
        "Checked on calls with an alignment of 0 in contexts of full profile devices.",
        "clSVMAlloc/size/2",
        _has_default_alignment(FULL),
    ),
    (
        "clSVMAlloc/effect/4",
        "Checked on calls with an alignment of 0 in contexts of embedded profile devices.",
        "clSVMAlloc/size/2",
        _has_default_alignment(EMBEDDED),
    ),
    (
        "clSVMAlloc/effect/5",
        "Checked on calls with an alignment of 0.",
        "clSVMAlloc/size/2",
        _has_default_alignment(FULL, EMBEDDED),
    ),
):
    rules.coverage_point(_requirement, ALLOC, _words, _parent, "clSVMAlloc/success", holds=_holds)


def _is_in_svm(thing: object) -> bool:
    return isinstance(thing, Buffer) and thing.host is not None and thing.host.is_svm is True


def _reads_image_in_svm(asked: CompletedCall) -> bool:
    """Return whether a call reads an image that was created from a buffer in an SVM allocation."""
    image = asked.model.find(asked.call.image)
    return isinstance(image, Image) and _is_in_svm(image.source) and bool(writers_of_known_bytes(asked))


for _requirement in ("clSVMAlloc/effect/8", "clSVMAlloc/effect/7"):
    rules.coverage_point(
        _requirement,
        IMAGE_READ,
        "Checked on reads of an image that was created from a buffer in an SVM allocation.",
        "clEnqueueReadImage/success",
        holds=_reads_image_in_svm,
    )
for _maker in ("clCreateBuffer", "clCreateBufferWithProperties"):
    rules.coverage_point(
        "OpenCL:memory-consistency-for-svm-allocations/2",
        _maker,
        "Checked on calls with CL_MEM_USE_HOST_PTR and an SVM pointer as host_ptr: the calls succeed.",
        f"{_maker}/success",
        holds=lambda asked: (
            isinstance(asked.model.find(asked.call.host_ptr), SvmAllocation)
            and bool(asked.call.flags & asked.model.constant_value("CL_MEM_USE_HOST_PTR"))
        ),
        requires_success=True,
    )
rules.coverage_point(
    "OpenCL:memory-consistency-for-svm-allocations/3",
    BUFFER_READ,
    "Checked on reads of bytes that a command changed in a sub-buffer of an SVM allocation.",
    "clEnqueueReadBuffer/success",
    *RESPONSIBLE,
    holds=lambda asked: (
        isinstance(region := asked.model.find(asked.call.buffer), SubBuffer)
        and _is_in_svm(region.buffer)
        and any(writers_of_known_bytes(asked))
    ),
)
for _requirement, _words, _holds in (
    (
        "clSVMFree/effect/1",
        "Checked on calls in contexts whose devices do not support SVM: they succeed.",
        lambda asked: (
            isinstance(context := asked.model.find(asked.call.context), Context)
            and bool(context.devices)
            and all(device.number("CL_DEVICE_SVM_CAPABILITIES") == 0 for device in context.devices)
        ),
    ),
    (
        "clSVMFree/effect/2",
        "Checked on calls with svm_pointer NULL: they succeed.",
        lambda asked: asked.call.svm_pointer is None,
    ),
):
    rules.coverage_point(_requirement, "clSVMFree", _words, "clSVMFree/success", holds=_holds)
rules.untestable("clSVMFree/effect/3", "", "the suites never make calls with undefined behaviour")


# commands


def _reads_through_map(asked: CompletedCall, *, blocking: bool) -> bool:
    """Return whether the host reads known bytes through a map of SVM by clEnqueueSVMMap.

    ``blocking``: whether the map must be blocking or non-blocking.
    """
    region = find_read_map(asked)
    return region is not None and region.function == MAP and region.is_blocking is blocking


def _uses_mapped_memory(asked: CompletedCall) -> bool:
    """Return whether a command uses a fine-grained SVM allocation while a region of it is mapped."""
    if asked.code != SUCCESS:
        return False
    try:
        places = (*asked.context.effect.reads, *asked.context.effect.writes)
    except UndefinedBehaviourError:
        return False
    used = {place.storage for place in places if isinstance(place.owner, SvmAllocation) and place.owner.is_fine_grained}
    return any(each.region.storage in used for each in asked.model.mapped_regions)


for _requirement, _words, _holds in (
    ("clEnqueueSVMMemcpy/effect/1", "Checked on blocking copies.", is_blocking_read),
    (
        "clEnqueueSVMMemcpy/effect/7",
        "Checked on non-blocking copies that wait for a user event.",
        returns_before_command,
    ),
):
    rules.coverage_point(_requirement, COPY, _words, "clEnqueueSVMMemcpy/success", holds=_holds)
for _looking in (READ, COPY):
    for _record, _words, _writer in (
        ("clEnqueueSVMMemcpy/effect/8", "Checked on reads of bytes that clEnqueueSVMMemcpy copied.", COPY),
        ("clEnqueueSVMMemFill/effect/1", "Checked on reads of bytes that clEnqueueSVMMemFill wrote.", FILL),
        (
            "clEnqueueSVMMemFill/effect/2",
            "Checked on reads of filled bytes after the application changed the memory at pattern.",
            FILL,
        ),
        ("clEnqueueSVMUnmap/effect/6", "Checked on reads of bytes that the host wrote through a map.", UNMAP),
    ):
        parents = (f"{_writer}/success", *([] if _looking == READ else [f"{_looking}/success"]))
        rules.coverage_point(_record, _looking, _words, *parents, holds=cover_bytes_of(_writer))
for _requirement, _words, _blocking in (
    ("clEnqueueSVMMap/effect/6", "Checked on host reads through a blocking map.", True),
    (
        "clEnqueueSVMMap/effect/7",
        "Checked on host reads through a non-blocking map after the map command is complete.",
        False,
    ),
):
    rules.coverage_point(
        _requirement,
        READ,
        _words,
        "clEnqueueSVMMap/success",
        holds=lambda asked, blocking=_blocking: _reads_through_map(asked, blocking=blocking),  # type: ignore[misc]
    )
for _function in (COPY, FILL, ENQUEUE_KERNEL):
    rules.coverage_point(
        "clEnqueueSVMUnmap/effect/7",
        _function,
        "Checked on commands that use fine-grained memory while it is mapped: they succeed.",
        f"{_function}/success",
        holds=_uses_mapped_memory,
        requires_success=True,
    )
for _requirement in (
    "clEnqueueSVMMigrateMem/effect/1",
    "clEnqueueSVMMigrateMem/effect/2",
    "clEnqueueSVMMigrateMem/effect/8",
):
    rules.untestable(_requirement, "", "no query reports on which device a memory object is")
