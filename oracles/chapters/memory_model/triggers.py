"""Which reads put to the test what sections 3.2.4 and 3.3 say of whose writes a command sees, and what none can."""

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
    """Yield the commands that have written what a command has read."""
    read = {place.storage for place in command.reads}
    return (each for each in command.before if any(place.storage in read for place in each.writes))


def _handed_on(holds: Callable[[Command, Command], bool]) -> Callable[[AnsweredCall], bool]:
    """Return a trigger: bytes are read that one command has made of what another had written, and something is so.

    ``holds`` is asked of the first and the second of them.
    """
    return read_after(lambda writer, _queue, _asked: any(holds(each, writer) for each in sources(writer)))


def _in_order(first: Command, second: Command) -> bool:
    """Return whether the order of one queue alone lets the second see what the first has written."""
    return first.queue is second.queue and second.queue is not None and second.queue.in_order and not second.awaits


def _apart(first: Command, second: Command) -> bool:
    return first.queue is not second.queue or (first.queue is not None and not first.queue.in_order)


def _by_its_event(first: Command, second: Command) -> bool:
    """Return whether the second waits for the event of the first, and nothing else keeps them in order."""
    return _apart(first, second) and first in second.awaits


def _by_a_marker(first: Command, second: Command) -> bool:
    """Return whether the second waits for a marker behind the first, and nothing else keeps them in order."""
    fences = [each for each in second.awaits if each.function in MARKERS and not each.awaits and first in each.before]
    return _apart(first, second) and bool(fences) and first not in second.awaits


def _by_a_barrier(first: Command, second: Command) -> bool:
    """Return whether a barrier without a list lies between two commands of a queue out of order."""
    fences = [each for each in second.before if each.function in FENCES and not each.awaits and first in each.before]
    return first.queue is second.queue and _apart(first, second) and bool(fences) and not second.awaits


def _kernels(holds: Callable[[Command, Command], bool]) -> Callable[[Command, Command], bool]:
    return lambda first, second: first.function == second.function == LAUNCH and holds(first, second)


def _on_other_devices(first: Command, second: Command) -> bool:
    ours, theirs = (each.queue.device if each.queue is not None else None for each in (first, second))
    return ours is not None and theirs is not None and ours is not theirs


def _after_a_wait(*functions: str) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that only a wait of the host lies between a command and the read of another queue."""
    return read_after(lambda writer, queue, _asked: writer.ended_by in functions and writer.queue is not queue)


def _of_a_kernel(writer: Command, queue: Queue, _asked: AnsweredCall) -> bool:
    """Return whether a kernel has written what is read in another queue, after a wait of the host."""
    return writer.function == LAUNCH and writer.ended_by in WAITS and writer.queue is not queue


def _at_a_point(asked: AnsweredCall) -> bool:
    """Return whether a wait, a barrier, an event or the order of a queue lets a command see another's writes."""
    ways = (_in_order, _by_its_event, _by_a_marker, _by_a_barrier)
    handed_on = _handed_on(lambda first, second: any(way(first, second) for way in ways))
    return handed_on(asked) or _after_a_wait(*WAITS)(asked)


def _blocking(asked: AnsweredCall) -> bool:
    """Return whether a read blocks, and what it reads was written by a command that need not be over before."""
    return read_after(lambda writer, _queue, _asked: not writer.over)(asked)


def _behind_a_barrier(asked: AnsweredCall) -> bool:
    return any(between(barrier)(asked) for barrier in BARRIERS) or _handed_on(_by_a_barrier)(asked)


LITMUS = {
    "OpenCL:atomic-operations/1": "Two atomic additions to one object never see the same value before.",
    "OpenCL:atomic-operations/2": "Of two work-items that store, each to an object, and load the other's, one sees it.",
    "OpenCL:memory-ordering-rules/2": "Work-items that store to one object and load it see the stores in one order.",
    "OpenCL:memory-ordering-rules/1": "A work-item that stores to an object and then loads it sees its own store.",
    "OpenCL:memory-ordering-rules/3": "Of two work-items that load an object and store the other one's, one sees none.",
    "OpenCL:memory-ordering-rules/7": "Two stores of one work-item to an object are seen in their order.",
    "OpenCL:memory-ordering-rules/9": "A load does not see what the same work-item stores to the object after it.",
    "OpenCL:memory-ordering-rules/8": "A second load of an object sees no older value than the first one.",
    "OpenCL:memory-ordering-rules/10": "Who sees a store with release by a load with acquire sees the one before it.",
}
"""What outcomes of atomic operations show; that none is seen which may not be is weak evidence."""
BESIDE_THE_HOST = {
    SEEN_BY_BOTH: "Atomic operations of the host and of a kernel that runs meanwhile are seen by each other.",
    SCOPE_OF_THE_HOST: "Atomic operations of the host order and exclude those of a kernel as the widest scope does.",
}
"""What the host finds after atomic operations of its own beside a kernel; weak evidence, too."""
rules.interpreted("outcomes-of-atomics", *LITMUS, *BESIDE_THE_HOST)
for _record, _words in LITMUS.items():
    rules.trigger(_record, READ, _words, _record, holds=shows(_record))
rules.trigger(
    "OpenCL:memory-ordering-rules/6",
    READ,
    "An atomic load sees a value that was stored and that may be seen there.",
    *LITMUS,
    holds=shows(*LITMUS),
)

_DEVICES = "What a command on one device has written is seen by a command on another device of the context."
_POINT = "What a command has written is seen behind a synchronization point."
_KERNEL = "What all work-items of a kernel have written is seen after a wait for it."

for _record, _words, _shown in (
    (f"{COMMANDS}/4", "A command that waits for an event sees what came before it.", _handed_on(_by_its_event)),
    (f"{COMMANDS}/5", "A command sees what a command has written whose event it waits for.", _handed_on(_by_its_event)),
    (f"{COMMANDS}/7", "What a command has written is seen when its event is complete.", _after_a_wait(*WAITS)),
    (f"{COMMANDS}/8", "What a command has written is seen after a wait for its event.", _after_a_wait(WAITS[1])),
    (f"{COMMANDS}/9", "A command in order sees what the one in front of it has written.", _handed_on(_in_order)),
    (f"{COMMANDS}/10", "A command that waits for a marker sees what is in front of that.", _handed_on(_by_a_marker)),
    (f"{COMMANDS}/11", "What is in front of a barrier is seen behind it.", _behind_a_barrier),
    (f"{COMMANDS}/12", "Commands behind a barrier come after it.", _behind_a_barrier),
    (f"{COMMANDS}/13", "What a command has written is seen after clFinish.", _after_a_wait(WAITS[0])),
    (
        f"{COMMANDS}/3",
        "A command sees what the host has written before it was enqueued.",
        read_after(lambda writer, _queue, _asked: any(place.storage.host for place in writer.reads)),
    ),
    ("OpenCL:memory-ordering-rules/4", "What happens before a read is what it finds.", _at_a_point),
    ("OpenCL:memory-ordering-rules/5", "What happens before a read is what it finds.", _at_a_point),
    ("OpenCL:memory-objects/4", "A blocking read has its bytes when it returns.", _blocking),
    ("OpenCL:memory-objects/5", "After a blocking read, the host finds the bytes in its memory.", _blocking),
    ("OpenCL:memory-consistency-model-for-opencl-1-x/1", _POINT, _at_a_point),
    (f"{COMMANDS}/22", _POINT, _at_a_point),
    (f"{COMMANDS}/14", "A kernel sees what was written before it starts.", _handed_on(_kernels(_in_order))),
    (f"{COMMANDS}/15", _KERNEL, read_after(_of_a_kernel)),
    ("OpenCL:memory-model/1", _DEVICES, _handed_on(_on_other_devices)),
    ("OpenCL:fundamental-memory-regions/1", _DEVICES, _handed_on(_kernels(_on_other_devices))),
    ("OpenCL:fundamental-memory-regions/2", _DEVICES, _handed_on(_kernels(_on_other_devices))),
    ("OpenCL:memory-objects/2", _DEVICES, _handed_on(_kernels(_on_other_devices))),
    ("OpenCL:memory-objects/7", _DEVICES, _handed_on(_kernels(_on_other_devices))),
):
    rules.trigger(_record, READ, _words, *WRITERS, holds=_shown)


# what the host finds in memory that it shares with a device

FILL = "clEnqueueSVMMemFill"
SVM = "OpenCL:shared-virtual-memory"
SHARING = "OpenCL:svm-sharing-granularity-coarse-and-fine-grained-sharing"
CHANGES = (LAUNCH, FILL, "clEnqueueSVMMemcpy", "clEnqueueFillBuffer", "clEnqueueCopyBuffer", "clEnqueueWriteBuffer")
MAPS = ("clEnqueueMapBuffer", "clEnqueueSVMMap")
BLAMED = tuple(f"{function}/success" for function in (*CHANGES, *MAPS))
"""What answers for bytes that the host finds."""


def looks(holds: _Holds) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that the host looks at memory that a command has changed, which is over.

    ``holds`` is asked of the place, the command, and the map of the memory, if any.
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
    """Return whether the host has mapped coarse-grained memory."""
    return isinstance(place.owner, SvmAllocation) and not place.owner.fine and through is not None


def fine(place: Place, _writer: Command, through: MappedRegion | None) -> bool:
    """Return whether the host uses fine-grained memory without a map."""
    return isinstance(place.owner, SvmAllocation) and place.owner.fine and through is None


def of_the_system(place: Place, writer: Command, _through: MappedRegion | None) -> bool:
    """Return whether a command has changed the host's own memory by its address."""
    by_its_address = any(each.owner is place.owner for each in writer.writes)
    return isinstance(place.owner, HostArea) and writer.function in (LAUNCH, FILL) and by_its_address


def _beside(of: _Holds) -> _Holds:
    """Return whether the host also looks at bytes that the command has left alone."""

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
    """Return whether the host has mapped what a kernel has changed."""
    return writer.function == LAUNCH and through is not None and isinstance(place.owner, Buffer | SvmAllocation)


def _met(*records: str) -> _Holds:
    """Return whether the host has made atomic operations beside a kernel, as one of some records describes them."""
    return lambda place, _writer, _through: not place.storage.ways.isdisjoint(records)


for _record, _words in BESIDE_THE_HOST.items():
    rules.trigger(_record, LOOK, _words, _record, holds=looks(_met(_record)))
for _record, _words in (
    (f"{SHARING}/8", "Atomic operations keep what the host and a kernel store to shared memory consistent."),
    (f"{SHARING}/9", "The host and a kernel work on the same shared memory at the same time by atomic operations."),
    (f"{SHARING}/11", "Memory that is shared by atomic operations needs no map."),
    ("OpenCL:memory-consistency-for-svm-allocations/4", "The host and a kernel see each other's atomic operations."),
):
    rules.trigger(_record, LOOK, _words, *BESIDE_THE_HOST, holds=looks(_met(*BESIDE_THE_HOST)))

_FOUND = "What a command has changed in {} is found by the host once it has waited for that."
_LEFT = "A command changes no other bytes of fine-grained memory than its own."
for _record, _words, _seen in (
    ("OpenCL:memory-objects/3", "Mapped memory lies in one piece behind its pointer.", mapped_after_a_kernel),
    (f"{COMMANDS}/6", "Who maps memory after a kernel finds what the kernel has written.", mapped_after_a_kernel),
    (f"{SVM}/1", _FOUND.format("coarse-grained memory, which is mapped,"), coarse),
    (f"{SVM}/4", "A command and the host share fine-grained memory byte by byte.", _beside(fine)),
    (f"{SVM}/5", _FOUND.format("fine-grained memory"), fine),
    (f"{SVM}/6", "A command and the host share the host's own memory byte by byte.", _beside(of_the_system)),
    (f"{SVM}/7", _FOUND.format("the host's own memory"), of_the_system),
    (f"{COMMANDS}/19", "The host finds what a command has changed in fine-grained memory without a map.", fine),
    (f"{COMMANDS}/20", _LEFT, _beside(fine)),
    (f"{COMMANDS}/21", _LEFT, _beside(fine)),
):
    rules.trigger(_record, LOOK, _words, *BLAMED, holds=looks(_seen))
