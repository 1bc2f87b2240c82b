"""Coverage points for the visibility of writes to later reads (sections 3.2.4 and 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ as LOOK
from clconform.oracles.common.ordering_evidence import (
    ENQUEUE_KERNEL,
    READ_BUFFER,
    WRITER_REQUIREMENTS,
    cover_read,
    cover_read_after_fence,
)
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.contents.mapped_contents import find_map, resolve_pointer
from clconform.oracles.contents.transfers import span_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_state import BARRIERS
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.litmus_kernels import ALL_DEVICES_SCOPE, ATOMICS_VISIBLE_TO_BOTH
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import HostArea, SvmAllocation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.mapped_regions import MappedRegion
    from clconform.oracles.model.queues import CommandQueue

    _Holds = Callable[[MemoryPlace, Command, MappedRegion | None], bool]

rules = Rules()

FENCES = ("clEnqueueBarrierWithWaitList", "clEnqueueBarrier")
MARKERS = ("clEnqueueMarkerWithWaitList", "clEnqueueMarker")
WAITS = ("clFinish", "clWaitForEvents")


def input_writers(command: Command) -> Iterator[Command]:
    """Yield the earlier commands that wrote memory which a command reads."""
    read = {place.storage for place in command.reads}
    return (each for each in command.predecessors if any(place.storage in read for place in each.writes))


def _reads_processed(holds: Callable[[Command, Command], bool]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a read returns the output of a command whose input another command wrote.

    ``holds``: a further check, which receives the command that wrote the input and the command that wrote the output.
    """
    return cover_read(lambda writer, _queue, _asked: any(holds(each, writer) for each in input_writers(writer)))


def _is_ordered_by_queue(first: Command, second: Command) -> bool:
    """Return whether only an in-order queue makes the writes of ``first`` visible to ``second``."""
    return first.queue is second.queue and second.queue is not None and second.queue.in_order and not second.awaits


def _is_unordered(first: Command, second: Command) -> bool:
    return first.queue is not second.queue or (first.queue is not None and not first.queue.in_order)


def _is_ordered_by_event(first: Command, second: Command) -> bool:
    """Return whether ``second`` waits for the event of ``first``, and an in-order queue does not order the commands."""
    return _is_unordered(first, second) and first in second.awaits


def _is_ordered_by_marker(first: Command, second: Command) -> bool:
    """Return whether ``second`` waits for a marker after ``first``, and neither an event nor a queue orders the two."""
    fences = [
        each for each in second.awaits if each.function in MARKERS and not each.awaits and first in each.predecessors
    ]
    return _is_unordered(first, second) and bool(fences) and first not in second.awaits


def _is_ordered_by_barrier(first: Command, second: Command) -> bool:
    """Return whether a barrier without a wait list is between two commands of an out-of-order queue."""
    fences = [
        each
        for each in second.predecessors
        if each.function in FENCES and not each.awaits and first in each.predecessors
    ]
    return first.queue is second.queue and _is_unordered(first, second) and bool(fences) and not second.awaits


def _both_kernels(holds: Callable[[Command, Command], bool]) -> Callable[[Command, Command], bool]:
    return lambda first, second: first.function == second.function == ENQUEUE_KERNEL and holds(first, second)


def _are_on_different_devices(first: Command, second: Command) -> bool:
    ours, theirs = (each.queue.device if each.queue is not None else None for each in (first, second))
    return ours is not None and theirs is not None and ours is not theirs


def _follows_wait(*functions: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the host has waited for a command, and a read in another queue returns its bytes.

    ``functions``: the functions by which the host may have waited.
    """
    return cover_read(lambda writer, queue, _asked: writer.ended_by in functions and writer.queue is not queue)


def _is_kernel_after_wait(writer: Command, queue: CommandQueue, _asked: CompletedCall) -> bool:
    """Return whether a read in another queue returns bytes of a kernel for which the host has waited."""
    return writer.function == ENQUEUE_KERNEL and writer.ended_by in WAITS and writer.queue is not queue


def _follows_synchronization(asked: CompletedCall) -> bool:
    """Return whether a read returns bytes that a host wait, barrier, marker, event or in-order queue makes visible."""
    ways = (_is_ordered_by_queue, _is_ordered_by_event, _is_ordered_by_marker, _is_ordered_by_barrier)
    handed_on = _reads_processed(lambda first, second: any(way(first, second) for way in ways))
    return handed_on(asked) or _follows_wait(*WAITS)(asked)


def _is_blocking_read(asked: CompletedCall) -> bool:
    """Return whether a read returns bytes of a command that may still run when the read is enqueued."""
    return cover_read(lambda writer, _queue, _asked: not writer.is_complete)(asked)


def _follows_barrier(asked: CompletedCall) -> bool:
    return any(cover_read_after_fence(barrier)(asked) for barrier in BARRIERS) or _reads_processed(
        _is_ordered_by_barrier
    )(asked)


LITMUS_TEXTS = {
    "OpenCL:atomic-operations/1": "Two atomic additions to one object never observe the same previous value.",
    "OpenCL:atomic-operations/2": (
        "Two work-items each store to an object and then load the other's object: at least one observes the other's "
        "store."
    ),
    "OpenCL:memory-ordering-rules/2": (
        "Work-items that store to one object and load it observe the stores in one common order."
    ),
    "OpenCL:memory-ordering-rules/1": (
        "A work-item that stores to an object and then loads it observes its own store or a later one."
    ),
    "OpenCL:memory-ordering-rules/3": (
        "Two work-items each load an object and then store to the object that the other one loads: at most one "
        "observes the other's store."
    ),
    "OpenCL:memory-ordering-rules/7": "Two stores of one work-item to an object are observed in program order.",
    "OpenCL:memory-ordering-rules/9": "A load does not observe a later store of the same work-item to the object.",
    "OpenCL:memory-ordering-rules/8": "A second load of an object does not observe an older value than the first load.",
    "OpenCL:memory-ordering-rules/10": (
        "A work-item that observes a release store with an acquire load also observes the store before it."
    ),
}
"""Maps each requirement about outcomes of litmus kernels to its text. Outcomes without a violation are weak evidence.
"""
HOST_ATOMICS_TEXTS = {
    ATOMICS_VISIBLE_TO_BOTH: "Checked on host reads after concurrent atomic operations of the host and of a kernel.",
    ALL_DEVICES_SCOPE: (
        "Checked on host reads after concurrent atomic operations of the host and of a kernel: the outcome is one that "
        "the widest scope allows."
    ),
}
"""Maps each requirement about concurrent atomic operations of the host and of a kernel to its text.

Outcomes without a violation are weak evidence.
"""
rules.relies_on_interpretation("outcomes-of-atomics", *LITMUS_TEXTS, *HOST_ATOMICS_TEXTS)
for _record, _words in LITMUS_TEXTS.items():
    rules.coverage_point(_record, READ_BUFFER, _words, _record, holds=cover_capability(_record))
rules.coverage_point(
    "OpenCL:memory-ordering-rules/6",
    READ_BUFFER,
    "An atomic load observes the value of a store that the memory order allows it to observe.",
    *LITMUS_TEXTS,
    holds=cover_capability(*LITMUS_TEXTS),
)

_DEVICES_TEXT = (
    "A command processes the output of a command on another device of the context. Checked on reads of the result."
)
_POINT_TEXT = "Checked on reads of bytes that a host wait, a barrier, an event or an in-order queue makes visible."
_KERNEL_TEXT = "Checked on reads of a kernel's output in another queue after a wait for the kernel."

for _record, _words, _shown in (
    (
        "OpenCL:host-side-and-device-side-commands/4",
        "A second command waits for the event of a first one and processes its output. Checked on reads of the result.",
        _reads_processed(_is_ordered_by_event),
    ),
    (
        "OpenCL:host-side-and-device-side-commands/5",
        "A second command waits for the event of a first one and processes its output. Checked on reads of the result.",
        _reads_processed(_is_ordered_by_event),
    ),
    (
        "OpenCL:host-side-and-device-side-commands/7",
        "Checked on reads of a command's output in another queue after a host wait for the command.",
        _follows_wait(*WAITS),
    ),
    (
        "OpenCL:host-side-and-device-side-commands/8",
        "Checked on reads of a command's output in another queue after clWaitForEvents.",
        _follows_wait(WAITS[1]),
    ),
    (
        "OpenCL:host-side-and-device-side-commands/9",
        "A command in an in-order queue processes the output of an earlier command. Checked on reads of the result.",
        _reads_processed(_is_ordered_by_queue),
    ),
    (
        "OpenCL:host-side-and-device-side-commands/10",
        "A second command waits for a marker after a first one, and processes its output. Checked on the result.",
        _reads_processed(_is_ordered_by_marker),
    ),
    (
        "OpenCL:host-side-and-device-side-commands/11",
        "Checked on reads of bytes that were written before a barrier.",
        _follows_barrier,
    ),
    (
        "OpenCL:host-side-and-device-side-commands/12",
        "Checked on reads after a barrier, and on reads of the output of commands after a barrier.",
        _follows_barrier,
    ),
    (
        "OpenCL:host-side-and-device-side-commands/13",
        "Checked on reads of a command's output in another queue after clFinish.",
        _follows_wait(WAITS[0]),
    ),
    (
        "OpenCL:host-side-and-device-side-commands/3",
        "Checked on reads of the output of a command whose input the host wrote before the enqueue.",
        cover_read(lambda writer, _queue, _asked: any(place.storage.host for place in writer.reads)),
    ),
    (
        "OpenCL:memory-ordering-rules/4",
        "A read returns the values of the last writes that happen before the read.",
        _follows_synchronization,
    ),
    (
        "OpenCL:memory-ordering-rules/5",
        "A read returns the values of the last writes that happen before the read.",
        _follows_synchronization,
    ),
    (
        "OpenCL:memory-objects/4",
        "Checked on blocking reads of the output of a command that may still run when the read is enqueued.",
        _is_blocking_read,
    ),
    (
        "OpenCL:memory-objects/5",
        "Checked on blocking reads of the output of a command that may still run when the read is enqueued.",
        _is_blocking_read,
    ),
    ("OpenCL:memory-consistency-model-for-opencl-1-x/1", _POINT_TEXT, _follows_synchronization),
    ("OpenCL:host-side-and-device-side-commands/22", _POINT_TEXT, _follows_synchronization),
    (
        "OpenCL:host-side-and-device-side-commands/14",
        "A kernel in an in-order queue processes the output of an earlier kernel. Checked on reads of the result.",
        _reads_processed(_both_kernels(_is_ordered_by_queue)),
    ),
    ("OpenCL:host-side-and-device-side-commands/15", _KERNEL_TEXT, cover_read(_is_kernel_after_wait)),
    ("OpenCL:memory-model/1", _DEVICES_TEXT, _reads_processed(_are_on_different_devices)),
    ("OpenCL:fundamental-memory-regions/1", _DEVICES_TEXT, _reads_processed(_both_kernels(_are_on_different_devices))),
    ("OpenCL:fundamental-memory-regions/2", _DEVICES_TEXT, _reads_processed(_both_kernels(_are_on_different_devices))),
    ("OpenCL:memory-objects/2", _DEVICES_TEXT, _reads_processed(_both_kernels(_are_on_different_devices))),
    ("OpenCL:memory-objects/7", _DEVICES_TEXT, _reads_processed(_both_kernels(_are_on_different_devices))),
):
    rules.coverage_point(_record, READ_BUFFER, _words, *WRITER_REQUIREMENTS, holds=_shown)


# host reads of memory that the host shares with a device

FILL = "clEnqueueSVMMemFill"
CHANGING_FUNCTIONS = (
    ENQUEUE_KERNEL,
    FILL,
    "clEnqueueSVMMemcpy",
    "clEnqueueFillBuffer",
    "clEnqueueCopyBuffer",
    "clEnqueueWriteBuffer",
)
MAPS = ("clEnqueueMapBuffer", "clEnqueueSVMMap")
RESPONSIBLE = tuple(f"{function}/success" for function in (*CHANGING_FUNCTIONS, *MAPS))
"""Requirements to which unexpected bytes of host reads are attributed."""


def host_reads(holds: _Holds) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the host reads memory that a complete command changed.

    ``holds``: a further check, which receives the memory, the command, and the map of the memory (None if it is not
    mapped).
    """

    def shows(asked: CompletedCall) -> bool:
        if asked.code != SUCCESS:
            return False
        try:
            place = resolve_pointer(asked.call.pointer, asked.model).memory_place(span_of(0, asked.call.size))
        except (UndefinedBehaviourError, UnknownFactError):
            return False
        writer = asked.model.commands.writers.get(place.storage)
        if writer is None or not writer.is_complete or writer.function not in CHANGING_FUNCTIONS:
            return False
        return holds(place, writer, find_map(place, asked.model, writes=False))

    return shows


def is_coarse_grained(place: MemoryPlace, _writer: Command, through: MappedRegion | None) -> bool:
    """Return whether the host reads mapped coarse-grained memory."""
    return isinstance(place.owner, SvmAllocation) and not place.owner.is_fine_grained and through is not None


def is_fine_grained(place: MemoryPlace, _writer: Command, through: MappedRegion | None) -> bool:
    """Return whether the host reads fine-grained memory without a map."""
    return isinstance(place.owner, SvmAllocation) and place.owner.is_fine_grained and through is None


def is_system_memory(place: MemoryPlace, writer: Command, _through: MappedRegion | None) -> bool:
    """Return whether a kernel or fill changed memory that the host allocated, through the address of this memory."""
    by_its_address = any(each.owner is place.owner for each in writer.writes)
    return isinstance(place.owner, HostArea) and writer.function in (ENQUEUE_KERNEL, FILL) and by_its_address


def _includes_unchanged(of: _Holds) -> _Holds:
    """Return a check of a host read: ``of`` holds, and the command changed some of the read bytes, but not all."""

    def holds(place: MemoryPlace, writer: Command, through: MappedRegion | None) -> bool:
        changed = {
            byte
            for each in writer.writes
            if each.storage is place.storage
            for first, size in each.spans
            for byte in range(first, first + size)
        }
        looked = {byte for first, size in place.spans for byte in range(first, first + size)}
        return of(place, writer, through) and bool(changed & looked) and bool(looked - changed)

    return holds


def is_mapped_kernel_output(place: MemoryPlace, writer: Command, through: MappedRegion | None) -> bool:
    """Return whether the host reads mapped memory that a kernel changed."""
    return writer.function == ENQUEUE_KERNEL and through is not None and isinstance(place.owner, Buffer | SvmAllocation)


def _has_host_atomics(*requirements: str) -> _Holds:
    """Return a check of a host read: atomic operations covered one of these requirements.

    The host and a concurrent kernel performed the operations.
    """
    return lambda place, _writer, _through: not place.storage.used_capabilities.isdisjoint(requirements)


for _record, _words in HOST_ATOMICS_TEXTS.items():
    rules.coverage_point(_record, LOOK, _words, _record, holds=host_reads(_has_host_atomics(_record)))
for _record, _words in (
    (
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/8",
        "Checked on host reads after concurrent atomic operations of the host and of a kernel.",
    ),
    (
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/9",
        "Checked on host reads after concurrent atomic operations of the host and of a kernel.",
    ),
    (
        "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing/11",
        "Checked on host reads of unmapped memory after concurrent atomic operations of the host and of a kernel.",
    ),
    (
        "OpenCL:memory-consistency-for-svm-allocations/4",
        "Checked on host reads after concurrent atomic operations of the host and of a kernel.",
    ),
):
    rules.coverage_point(
        _record, LOOK, _words, *HOST_ATOMICS_TEXTS, holds=host_reads(_has_host_atomics(*HOST_ATOMICS_TEXTS))
    )

_FOUND_TEXT = "Checked on host reads of {} that a complete command changed."
_UNCHANGED_TEXT = "Checked on host reads of changed and unchanged bytes of fine-grained memory."
for _record, _words, _seen in (
    (
        "OpenCL:memory-objects/3",
        "Checked on host reads of mapped memory that a kernel changed.",
        is_mapped_kernel_output,
    ),
    (
        "OpenCL:host-side-and-device-side-commands/6",
        "Checked on host reads of mapped memory that a kernel changed.",
        is_mapped_kernel_output,
    ),
    ("OpenCL:shared-virtual-memory/1", _FOUND_TEXT.format("mapped coarse-grained memory"), is_coarse_grained),
    (
        "OpenCL:shared-virtual-memory/4",
        "Checked on host reads of changed and unchanged bytes of fine-grained memory.",
        _includes_unchanged(is_fine_grained),
    ),
    ("OpenCL:shared-virtual-memory/5", _FOUND_TEXT.format("fine-grained memory"), is_fine_grained),
    (
        "OpenCL:shared-virtual-memory/6",
        "Checked on host reads of changed and unchanged bytes of memory that the host allocated without OpenCL.",
        _includes_unchanged(is_system_memory),
    ),
    ("OpenCL:shared-virtual-memory/7", _FOUND_TEXT.format("host memory outside OpenCL"), is_system_memory),
    (
        "OpenCL:host-side-and-device-side-commands/19",
        "Checked on host reads of unmapped fine-grained memory that a command changed.",
        is_fine_grained,
    ),
    ("OpenCL:host-side-and-device-side-commands/20", _UNCHANGED_TEXT, _includes_unchanged(is_fine_grained)),
    ("OpenCL:host-side-and-device-side-commands/21", _UNCHANGED_TEXT, _includes_unchanged(is_fine_grained)),
):
    rules.coverage_point(_record, LOOK, _words, *RESPONSIBLE, holds=host_reads(_seen))
