"""Commands whose wait lists contain unfinished events of other queues: none of them completes early (5.11, 5.12)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, HostCallback, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.events.steps import query_statuses
from clconform.suites.chapters.notifications.callbacks import flush, register_event_callback
from clconform.suites.common.waiting import KERNEL_ENQUEUES, STATUS
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.commands import command_functions
from clconform.suites.kit.events import NON_BLOCKING
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value
    from clconform.runner.pytest_plugin.covers import TableCase

NAME = "events.other_queues"
WAIT, COPY, WRITE = "clEnqueueWaitForEvents", "clEnqueueCopyBuffer", "clEnqueueWriteBuffer"
MARKERS = ("clEnqueueMarkerWithWaitList", "clEnqueueMarker")
FENCES_WITH_LIST = ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList", WAIT)
OTHER_QUEUE, SEVERAL_QUEUES = "OpenCL:execution-model/24", "OpenCL:execution-model/6"
EFFECTS = {
    "clEnqueueMarkerWithWaitList": ("effect/6",),
    "clEnqueueBarrierWithWaitList": ("effect/6", "effect/7"),
    WAIT: ("effect/1",),
}
"""The numbers of each function's effects about the events of its list."""
EFFECTS_WITHOUT_LIST = {
    "clEnqueueMarkerWithWaitList": ("effect/5",),
    "clEnqueueBarrierWithWaitList": ("effect/5", "effect/7"),
    "clEnqueueMarker": ("effect/2",),
    "clEnqueueBarrier": ("effect/1", "effect/2"),
}
"""The numbers of each function's effects about the earlier commands of its queue."""
A_MOMENT_MS = 10
"""The time in which a command that ignores its wait list would complete, in milliseconds."""
CALLBACK = "complete"
cases = CaseRegistry(Kit)
test_commands_wait_for_commands_of_other_queues = TableTest(cases)

QUEUES: dict[str, Callable[[Kit], Handle]] = {
    "an in-order queue": Kit.new_queue,
    "an out-of-order queue": Kit.out_of_order_queue,
    "a queue of another device": lambda kit: kit.new_queue(kit.other_available_device),
}
PAIRS = (
    ("an in-order queue", "an in-order queue"),
    ("an in-order queue", "an out-of-order queue"),
    ("an out-of-order queue", "an in-order queue"),
    ("an out-of-order queue", "an out-of-order queue"),
    ("an in-order queue", "a queue of another device"),
)
"""The kinds of the queue of the waiting command, and of the queue of the unfinished command."""


@dataclass
class HeldWrite:
    """A write to a buffer on one queue, which waits for a user event."""

    kit: Kit
    queue: Handle
    buffer: Handle = field(init=False)
    gate: Handle = field(init=False)
    event: Handle = field(init=False)

    def __post_init__(self) -> None:
        """Enqueue and flush the write."""
        self.buffer, self.gate = self.kit.create_filled_buffer(SIZE, seed=1), self.kit.user_event()
        place: dict[str, Value] = {"buffer": self.buffer, "offset": 0, "size": SIZE, "blocking_write": 0}
        outcome = self.kit.enqueue(
            WRITE,
            queue=self.queue,
            after=ElementList((self.gate,)),
            event=OutputBuffer(1),
            ptr=Data(pattern_bytes(SIZE, 2)),
            **place,
        )
        self.event = self.kit.require_event(outcome)
        flush(self.kit.cl, self.queue)

    def open(self) -> None:
        """Set the user event."""
        self.kit.cl.clSetUserEventStatus(self.gate, 0)


def enqueue_copy(kit: Kit, source: Handle, target: Handle, queue: Handle, *after: Handle) -> Handle:
    """Enqueue a copy of a buffer on a queue, and return its event."""
    place: dict[str, Value] = {"src_buffer": source, "dst_buffer": target, "src_offset": 0, "dst_offset": 0}
    listed = ElementList(after) if after else None
    return kit.require_event(kit.enqueue(COPY, queue=queue, after=listed, size=SIZE, event=OutputBuffer(1), **place))


def enqueue_fence(kit: Kit, function: str, *after: Handle) -> list[Handle]:
    """Enqueue a marker, a barrier or a wait on the kit's queue; return its event, if the function has one."""
    skip_unless(is_available(kit.cl, function), f"{function} is not available")
    if function == WAIT:
        kit.cl.clEnqueueWaitForEvents(kit.queue, len(after), ElementList(after))
        return []
    outcome = kit.enqueue(function, after=ElementList(after) if after else None, event=OutputBuffer(1))
    return [] if function == "clEnqueueBarrier" else [kit.require_event(outcome)]


def check_waiting(kit: Kit, *events: Handle) -> None:
    """Query the statuses of commands that must not complete, before and after some time."""
    query_statuses(kit, *events)
    register_event_callback(kit.cl, events[0], name=CALLBACK)
    kit.cl.host_await(HostCallback(CALLBACK), 1, A_MOMENT_MS)
    query_statuses(kit, *events)


def copy_after_fence(kit: Kit, function: str, held: HeldWrite, fence: list[Handle], target: Handle) -> None:
    """Copy the buffer of a held write after a fence, and read the copy when the user event is set.

    A command of the first queue waits for the copy, so that the two queues wait for each other's commands.
    """
    after = fence if function in MARKERS else []
    copied = enqueue_copy(kit, held.buffer, target, kit.queue, *after)
    flush(kit.cl, kit.queue)
    back = enqueue_copy(kit, target, kit.second_buffer, held.queue, copied)
    flush(kit.cl, held.queue)
    events = (*fence, copied, back)
    check_waiting(kit, *events)
    held.open()
    for queue in (held.queue, kit.queue):
        kit.finish(queue)
    query_statuses(kit, *events)
    kit.read(target, 0, SIZE)


def create_queues(kit: Kit, waiting: str, unfinished: str) -> Handle:
    """Create the two queues, the first as the queue of the kit; return the second.

    With a queue of another device, the context contains both devices.
    """
    if unfinished == "a queue of another device":
        kit.context = kit.new_context(kit.cl.device, kit.other_available_device)
    kit.queue = QUEUES[waiting](kit)
    kit.second_buffer  # noqa: B018 (created before a command waits)
    return QUEUES[unfinished](kit)


def wait_for_listed(kit: Kit, function: str, queues: tuple[str, str], listing: str) -> None:
    """Enqueue a fence whose list has the event of a held write on another queue, alone or among complete events."""
    other = create_queues(kit, *queues)
    done = [kit.event() for _ in range(2)]
    if function == WAIT:
        enqueue_fence(kit, function, *done)  # some drivers end the process here
    target = kit.buffer()
    held = HeldWrite(kit, other)
    listed = {"alone": [held.event], "last": [*done, held.event], "first": [held.event, *done]}[listing]
    copy_after_fence(kit, function, held, enqueue_fence(kit, function, *listed), target)


def wait_for_two_queues(kit: Kit, function: str) -> None:
    """Enqueue a fence whose list has events of held writes on two other queues, which complete one after the other."""
    queues = [kit.new_queue() for _ in range(2)]
    target = kit.buffer()
    kit.second_buffer  # noqa: B018 (created before a command waits)
    first, second = (HeldWrite(kit, queue) for queue in queues)
    fence = enqueue_fence(kit, function, first.event, second.event)
    first.open()
    copy_after_fence(kit, function, second, fence, target)
    kit.finish(first.queue)


def wait_without_list(kit: Kit, function: str, unfinished: str) -> None:
    """Enqueue a fence without a list after a command that waits for a held write on another queue."""
    other = create_queues(kit, "an out-of-order queue", unfinished)
    target, third = kit.buffer(), kit.buffer()
    held = HeldWrite(kit, other)
    enqueue_copy(kit, held.buffer, third, kit.queue, held.event)
    copy_after_fence(kit, function, held, enqueue_fence(kit, function), target)


def wait_with_command(kit: Kit, function: str, queues: tuple[str, str]) -> None:
    """Enqueue a command whose list has the event of a held write on another queue."""
    kit.skip_without_capability(function)
    other = create_queues(kit, *queues)
    if function in KERNEL_ENQUEUES:  # some drivers compile a kernel at its first enqueue
        kit.call(function)
        kit.finish()
    arguments = kit.valid_arguments(function)
    done = kit.event()
    held = HeldWrite(kit, other)
    changes: dict[str, Value] = {**NON_BLOCKING, "num_events_in_wait_list": 2}
    changes["event_wait_list"] = ElementList((done, held.event))
    given = {**arguments, **{name: value for name, value in changes.items() if name in arguments}}
    event = kit.require_event(getattr(kit.cl, function)(*given.values()))
    flush(kit.cl, kit.queue)
    check_waiting(kit, event)
    held.open()
    for queue in (other, kit.queue):
        kit.finish(queue)
    query_statuses(kit, event)


@cases.declare_family
def fences_with_lists() -> Iterator[TableCase]:
    """Yield markers, barriers and waits with lists, for each pair of queues and each place of the unfinished event."""
    for function in FENCES_WITH_LIST:
        target, *others = (f"{function}/{effect}" for effect in EFFECTS[function])
        aims = (*others, OTHER_QUEUE, SEVERAL_QUEUES, STATUS)
        for pair in PAIRS:
            for listing in ("last",) if function == WAIT else ("alone", "first", "last"):
                words = f"{pair[0]} waits for {pair[1]}, its event {listing}"
                yield cases.create_case(target, words, wait_for_listed, function, pair, listing, others=aims)
        if function != WAIT:
            yield cases.create_case(target, "it waits for two queues", wait_for_two_queues, function, others=aims)


@cases.declare_family
def fences_without_lists() -> Iterator[TableCase]:
    """Yield markers and barriers without lists after a command that waits for another queue."""
    for function, effects in EFFECTS_WITHOUT_LIST.items():
        target, *others = (f"{function}/{effect}" for effect in effects)
        for unfinished in QUEUES:
            words = f"after a command that waits for {unfinished}"
            aims = (*others, OTHER_QUEUE, STATUS)
            yield cases.create_case(target, words, wait_without_list, function, unfinished, others=aims)


@cases.declare_family
def other_commands() -> Iterator[TableCase]:
    """Yield every other command with a wait list, on two in-order and on two out-of-order queues."""
    for function in command_functions():
        if function in (*FENCES_WITH_LIST, *EFFECTS_WITHOUT_LIST):
            continue
        for pair in (PAIRS[0], PAIRS[3]):
            words = f"{pair[0]} waits for {pair[1]}"
            aims = (OTHER_QUEUE, SEVERAL_QUEUES, STATUS)
            yield cases.create_case(f"{function}/success", words, wait_with_command, function, pair, others=aims)
