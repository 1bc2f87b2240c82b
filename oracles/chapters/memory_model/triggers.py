"""Coverage points for the visibility of writes, by reads, and untestable requirements (sections 3.2.4 and 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import READ as LOOK
from clconform.oracles.contents.maps import mapped, reach
from clconform.oracles.contents.transfers import run_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.commands import BARRIERS
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.litmus_kernels import SCOPE_OF_THE_HOST, SEEN_BY_BOTH
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import HostArea, SvmAllocation
from clconform.oracles.recurring.order import LAUNCH, READ, WRITERS, between, read_after
from clconform.oracles.recurring.reads import shows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.oracles.contents.storage import Place
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.maps import MappedRegion
    from clconform.oracles.model.queues import Queue

    _Holds = Callable[[Place, Command, MappedRegion | None], bool]

rules = Rules()

COMMANDS = "OpenCL:host-side-and-device-side-commands"
FENCES = ("clEnqueueBarrierWithWaitList", "clEnqueueBarrier")
MARKERS = ("clEnqueueMarkerWithWaitList", "clEnqueueMarker")
WAITS = ("clFinish", "clWaitForEvents")


def sources(command: Command) -> Iterator[Command]:
    """Yield the commands that wrote the input of a command."""
    read = {place.storage for place in command.reads}
    return (each for each in command.before if any(place.storage in read for place in each.writes))


def _handed_on(holds: Callable[[Command, Command], bool]) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: the read bytes come from a command whose input another command wrote.

    ``holds``: a further test of the first and the second command.
    """
    return read_after(lambda writer, _queue, _asked: any(holds(each, writer) for each in sources(writer)))


def _in_order(first: Command, second: Command) -> bool:
    """Return whether only the order of one queue makes the writes of the first visible to the second."""
    return first.queue is second.queue and second.queue is not None and second.queue.in_order and not second.awaits


def _apart(first: Command, second: Command) -> bool:
    return first.queue is not second.queue or (first.queue is not None and not first.queue.in_order)


def _by_its_event(first: Command, second: Command) -> bool:
    """Return whether the second waits for the event of the first, and nothing else orders them."""
    return _apart(first, second) and first in second.awaits


def _by_a_marker(first: Command, second: Command) -> bool:
    """Return whether the second waits for a marker after the first, and nothing else orders them."""
    fences = [each for each in second.awaits if each.function in MARKERS and not each.awaits and first in each.before]
    return _apart(first, second) and bool(fences) and first not in second.awaits


def _by_a_barrier(first: Command, second: Command) -> bool:
    """Return whether a barrier without a wait list is between two commands of an out-of-order queue."""
    fences = [each for each in second.before if each.function in FENCES and not each.awaits and first in each.before]
    return first.queue is second.queue and _apart(first, second) and bool(fences) and not second.awaits


def _kernels(holds: Callable[[Command, Command], bool]) -> Callable[[Command, Command], bool]:
    return lambda first, second: first.function == second.function == LAUNCH and holds(first, second)


def _on_other_devices(first: Command, second: Command) -> bool:
    ours, theirs = (each.queue.device if each.queue is not None else None for each in (first, second))
    return ours is not None and theirs is not None and ours is not theirs


def _after_a_wait(*functions: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: only a host wait is between a command and the read in another queue."""
    return read_after(lambda writer, queue, _asked: writer.ended_by in functions and writer.queue is not queue)


def _of_a_kernel(writer: Command, queue: Queue, _asked: AnsweredCall) -> bool:
    """Return whether a kernel wrote the bytes that another queue reads after a host wait."""
    return writer.function == LAUNCH and writer.ended_by in WAITS and writer.queue is not queue


def _at_a_point(asked: AnsweredCall) -> bool:
    """Return whether a wait, a barrier, an event or queue order makes the writes of a command visible."""
    ways = (_in_order, _by_its_event, _by_a_marker, _by_a_barrier)
    handed_on = _handed_on(lambda first, second: any(way(first, second) for way in ways))
    return handed_on(asked) or _after_a_wait(*WAITS)(asked)


def _blocking(asked: AnsweredCall) -> bool:
    """Return whether a blocking read returns bytes of a command that need not be complete before."""
    return read_after(lambda writer, _queue, _asked: not writer.over)(asked)


def _behind_a_barrier(asked: AnsweredCall) -> bool:
    return any(between(barrier)(asked) for barrier in BARRIERS) or _handed_on(_by_a_barrier)(asked)


LITMUS = {
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
"""Requirement to its text, for outcomes of litmus kernels; the absence of forbidden outcomes is weak evidence."""
BESIDE_THE_HOST = {
    SEEN_BY_BOTH: "Checked on host reads after concurrent atomic operations of the host and of a kernel.",
    SCOPE_OF_THE_HOST: (
        "Checked on host reads after concurrent atomic operations of the host and of a kernel: the outcome is one that "
        "the widest scope allows."
    ),
}
"""Requirement to its text, for outcomes of concurrent host and kernel atomics; also weak evidence."""
rules.interpreted("outcomes-of-atomics", *LITMUS, *BESIDE_THE_HOST)
for _record, _words in LITMUS.items():
    rules.trigger(_record, READ, _words, _record, holds=shows(_record))
rules.trigger(
    "OpenCL:memory-ordering-rules/6",
    READ,
    "An atomic load observes a stored value that is allowed to be visible there.",
    *LITMUS,
    holds=shows(*LITMUS),
)

_DEVICES = "Checked on reads of bytes from commands on two devices of the context: one uses the output of the other."
_POINT = "Checked on reads after a wait, a barrier, an event or an in-order queue."
_KERNEL = "Checked on reads of a kernel's output in another queue after a wait for the kernel."

for _record, _words, _shown in (
    (
        f"{COMMANDS}/4",
        "Checked on reads of the output of a command that waited for the event of the command that wrote its input.",
        _handed_on(_by_its_event),
    ),
    (
        f"{COMMANDS}/5",
        "Checked on reads of the output of a command that waited for the event of the command that wrote its input.",
        _handed_on(_by_its_event),
    ),
    (f"{COMMANDS}/7", "Checked on reads in another queue after a host wait for the command.", _after_a_wait(*WAITS)),
    (f"{COMMANDS}/8", "Checked on reads in another queue after clWaitForEvents.", _after_a_wait(WAITS[1])),
    (
        f"{COMMANDS}/9",
        "Checked on reads of the output of a command whose input the previous command of an in-order queue wrote.",
        _handed_on(_in_order),
    ),
    (
        f"{COMMANDS}/10",
        "Checked on reads of the output of a command that waited for a marker after the command that wrote its input.",
        _handed_on(_by_a_marker),
    ),
    (f"{COMMANDS}/11", "Checked on reads of bytes that were written before a barrier.", _behind_a_barrier),
    (
        f"{COMMANDS}/12",
        "Checked on reads after a barrier, and of the output of commands after a barrier.",
        _behind_a_barrier,
    ),
    (f"{COMMANDS}/13", "Checked on reads in another queue after clFinish.", _after_a_wait(WAITS[0])),
    (
        f"{COMMANDS}/3",
        "Checked on reads of the output of a command whose input the host wrote before the enqueue.",
        read_after(lambda writer, _queue, _asked: any(place.storage.host for place in writer.reads)),
    ),
    ("OpenCL:memory-ordering-rules/4", "A read returns the values that happen before it.", _at_a_point),
    ("OpenCL:memory-ordering-rules/5", "A read returns the values that happen before it.", _at_a_point),
    (
        "OpenCL:memory-objects/4",
        "Checked on blocking reads of bytes from a command that may still run when the read is enqueued.",
        _blocking,
    ),
    (
        "OpenCL:memory-objects/5",
        "Checked on blocking reads of bytes from a command that may still run when the read is enqueued.",
        _blocking,
    ),
    ("OpenCL:memory-consistency-model-for-opencl-1-x/1", _POINT, _at_a_point),
    (f"{COMMANDS}/22", _POINT, _at_a_point),
    (
        f"{COMMANDS}/14",
        "Checked on reads of the output of a kernel whose input the previous kernel of an in-order queue wrote.",
        _handed_on(_kernels(_in_order)),
    ),
    (f"{COMMANDS}/15", _KERNEL, read_after(_of_a_kernel)),
    ("OpenCL:memory-model/1", _DEVICES, _handed_on(_on_other_devices)),
    ("OpenCL:fundamental-memory-regions/1", _DEVICES, _handed_on(_kernels(_on_other_devices))),
    ("OpenCL:fundamental-memory-regions/2", _DEVICES, _handed_on(_kernels(_on_other_devices))),
    ("OpenCL:memory-objects/2", _DEVICES, _handed_on(_kernels(_on_other_devices))),
    ("OpenCL:memory-objects/7", _DEVICES, _handed_on(_kernels(_on_other_devices))),
):
    rules.trigger(_record, READ, _words, *WRITERS, holds=_shown)


# host reads of memory that it shares with a device

FILL = "clEnqueueSVMMemFill"
SVM = "OpenCL:shared-virtual-memory"
SHARING = "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing"
CHANGES = (LAUNCH, FILL, "clEnqueueSVMMemcpy", "clEnqueueFillBuffer", "clEnqueueCopyBuffer", "clEnqueueWriteBuffer")
MAPS = ("clEnqueueMapBuffer", "clEnqueueSVMMap")
BLAMED = tuple(f"{function}/success" for function in (*CHANGES, *MAPS))
"""Requirements that deviations in bytes that the host reads are attributed to."""


def looks(holds: _Holds) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: the host reads memory that a complete command changed.

    ``holds``: a further test of the place, the command, and the map of the memory, if any.
    """

    def shows(asked: AnsweredCall) -> bool:
        if asked.code != SUCCESS:
            return False
        try:
            place = reach(asked.call.pointer, asked.model).place(run_of(0, asked.call.size))
        except (ForbiddenError, UnknownError):
            return False
        writer = asked.model.order.writers.get(place.storage)
        if writer is None or not writer.over or writer.function not in CHANGES:
            return False
        return holds(place, writer, mapped(place, asked.model, writes=False))

    return shows


def coarse(place: Place, _writer: Command, through: MappedRegion | None) -> bool:
    """Return whether the host reads mapped coarse-grained memory."""
    return isinstance(place.owner, SvmAllocation) and not place.owner.fine and through is not None


def fine(place: Place, _writer: Command, through: MappedRegion | None) -> bool:
    """Return whether the host reads fine-grained memory without a map."""
    return isinstance(place.owner, SvmAllocation) and place.owner.fine and through is None


def of_the_system(place: Place, writer: Command, _through: MappedRegion | None) -> bool:
    """Return whether a command changed the host's own memory through its address."""
    by_its_address = any(each.owner is place.owner for each in writer.writes)
    return isinstance(place.owner, HostArea) and writer.function in (LAUNCH, FILL) and by_its_address


def _beside(of: _Holds) -> _Holds:
    """Return whether the host also reads bytes that the command did not change."""

    def holds(place: Place, writer: Command, through: MappedRegion | None) -> bool:
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


def mapped_after_a_kernel(place: Place, writer: Command, through: MappedRegion | None) -> bool:
    """Return whether the host reads mapped memory that a kernel changed."""
    return writer.function == LAUNCH and through is not None and isinstance(place.owner, Buffer | SvmAllocation)


def _met(*records: str) -> _Holds:
    """Return a test whether the host performed atomics concurrently with a kernel, for one of these requirements."""
    return lambda place, _writer, _through: not place.storage.ways.isdisjoint(records)


for _record, _words in BESIDE_THE_HOST.items():
    rules.trigger(_record, LOOK, _words, _record, holds=looks(_met(_record)))
for _record, _words in (
    (f"{SHARING}/8", "Checked on host reads after concurrent atomic operations of the host and of a kernel."),
    (f"{SHARING}/9", "Checked on host reads after concurrent atomic operations of the host and of a kernel."),
    (
        f"{SHARING}/11",
        "Checked on host reads, without a map, after concurrent atomic operations of the host and of a kernel.",
    ),
    (
        "OpenCL:memory-consistency-for-svm-allocations/4",
        "Checked on host reads after concurrent atomic operations of the host and of a kernel.",
    ),
):
    rules.trigger(_record, LOOK, _words, *BESIDE_THE_HOST, holds=looks(_met(*BESIDE_THE_HOST)))

_FOUND = "Checked on host reads of {} that a complete command changed."
_LEFT = "Checked on host reads of changed and unchanged bytes of fine-grained memory."
for _record, _words, _seen in (
    ("OpenCL:memory-objects/3", "Checked on host reads of mapped memory that a kernel changed.", mapped_after_a_kernel),
    (f"{COMMANDS}/6", "Checked on host reads of mapped memory that a kernel changed.", mapped_after_a_kernel),
    (f"{SVM}/1", _FOUND.format("mapped coarse-grained memory"), coarse),
    (f"{SVM}/4", "Checked on host reads of changed and unchanged bytes of fine-grained memory.", _beside(fine)),
    (f"{SVM}/5", _FOUND.format("fine-grained memory"), fine),
    (
        f"{SVM}/6",
        "Checked on host reads of changed and unchanged bytes of the host's own memory.",
        _beside(of_the_system),
    ),
    (f"{SVM}/7", _FOUND.format("the host's own memory"), of_the_system),
    (f"{COMMANDS}/19", "Checked on host reads of fine-grained memory that a command changed, without a map.", fine),
    (f"{COMMANDS}/20", _LEFT, _beside(fine)),
    (f"{COMMANDS}/21", _LEFT, _beside(fine)),
):
    rules.trigger(_record, LOOK, _words, *BLAMED, holds=looks(_seen))
