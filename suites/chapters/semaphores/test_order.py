"""Signals and waits on one queue and on several queues: their order, and the reported payloads (5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableTest, covers
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.events.steps import enqueue_copy, query_statuses
from clconform.suites.chapters.semaphores.external_semaphores import create_from_sync_file
from clconform.suites.common.waiting import STATUS, check_free_command
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session

NAME = "semaphores.order"
SIGNAL, WAIT = "clEnqueueSignalSemaphoresKHR", "clEnqueueWaitSemaphoresKHR"
INFO, PAYLOAD = "clGetSemaphoreInfoKHR", "CL_SEMAPHORE_PAYLOAD_KHR"
SIGNAL_TYPE, WAIT_TYPE = (
    "CL_COMMAND_SEMAPHORE_SIGNAL_KHR@clEnqueueSignalSemaphoresKHR",
    "CL_COMMAND_SEMAPHORE_WAIT_KHR@clEnqueueWaitSemaphoresKHR",
)
ROUNDS = 5
cases = CaseRegistry(Kit)
test_semaphores_order_commands = TableTest(cases)


def enqueue_signal(kit: Kit, *semaphores: Handle, queue: Handle | None = None, after: Sequence[Handle] = ()) -> Handle:
    """Enqueue a signal of semaphores, flush the queue, and return the signal's event."""
    return _enqueue(kit, SIGNAL, semaphores, queue, after)


def enqueue_wait(kit: Kit, *semaphores: Handle, queue: Handle | None = None, after: Sequence[Handle] = ()) -> Handle:
    """Enqueue a wait for semaphores, flush the queue, and return the wait's event."""
    return _enqueue(kit, WAIT, semaphores, queue, after)


def _enqueue(
    kit: Kit, function: str, semaphores: Sequence[Handle], queue: Handle | None, after: Sequence[Handle]
) -> Handle:
    event = kit.require_event(
        kit.enqueue(
            function,
            queue=queue,
            after=ElementList(tuple(after)) if after else None,
            num_sema_objects=len(semaphores),
            sema_objects=ElementList(tuple(semaphores)),
            sema_payload_list=None,
            event=OutputBuffer(1),
        )
    )
    kit.cl.clFlush(queue or kit.queue)
    return event


def wait_on_host(kit: Kit, event: Handle) -> None:
    """Block the host until an event is complete."""
    kit.cl.clWaitForEvents(1, ElementList((event,)))


def query_payloads(kit: Kit, *semaphores: Handle) -> None:
    """Query the payloads of semaphores."""
    for semaphore in semaphores:
        kit.cl.query(INFO, semaphore, PAYLOAD)


@cases.declare(
    "CL_SEMAPHORE_PAYLOAD_KHR/effect/1",
    "before, between and after",
    PAYLOAD,
    "clEnqueueSignalSemaphoresKHR/effect/6",
    "clEnqueueWaitSemaphoresKHR/success",
)
def query_payloads_in_rounds(kit: Kit) -> None:
    """Query the payload before and after each command, in several rounds."""
    semaphore = kit.semaphore()
    query_payloads(kit, semaphore)
    for _ in range(ROUNDS):
        event = enqueue_signal(kit, semaphore)
        query_payloads(kit, semaphore)
        wait_on_host(kit, event)
        query_payloads(kit, semaphore)
        event = enqueue_wait(kit, semaphore)
        query_payloads(kit, semaphore)
        wait_on_host(kit, event)
        query_payloads(kit, semaphore)


@cases.declare(
    "clEnqueueSignalSemaphoresKHR/effect/6", "only those that are listed", PAYLOAD, "CL_SEMAPHORE_PAYLOAD_KHR/effect/1"
)
def signal_some(kit: Kit) -> None:
    """Signal some of several semaphores, and query all of them."""
    semaphores = [kit.semaphore() for _ in range(4)]
    wait_on_host(kit, enqueue_signal(kit, semaphores[0], semaphores[2]))
    query_payloads(kit, *semaphores)
    wait_on_host(kit, enqueue_signal(kit, semaphores[3]))
    wait_on_host(kit, enqueue_wait(kit, semaphores[2]))
    query_payloads(kit, *semaphores)


@cases.declare_family
def waits_across_queues() -> Iterator[TableCase]:
    """Signal on one queue and wait on another queue, each in-order or out-of-order.

    When the wait is complete, the signal must be complete.
    """

    def steps(kit: Kit, *, first_in_order: bool, second_in_order: bool) -> None:
        queues = [
            kit.new_queue() if in_order else kit.out_of_order_queue() for in_order in (first_in_order, second_in_order)
        ]
        semaphore = kit.semaphore()
        for _ in range(ROUNDS):
            signal = enqueue_signal(kit, semaphore, queue=queues[0])
            wait_on_host(kit, enqueue_wait(kit, semaphore, queue=queues[1]))
            query_statuses(kit, signal)
        kit.finish(queues[0])

    words = {True: "in order", False: "out of order"}
    for first, then in ((True, True), (True, False), (False, True), (False, False)):
        yield cases.create_case(
            "clEnqueueWaitSemaphoresKHR/effect/5",
            f"from a queue {words[first]} to one {words[then]}",
            lambda kit, first=first, then=then: steps(kit, first_in_order=first, second_in_order=then),
            others=(STATUS, "clEnqueueWaitSemaphoresKHR/success", "clEnqueueSignalSemaphoresKHR/success"),
        )


@cases.declare("clEnqueueWaitSemaphoresKHR/effect/5", "in one queue", STATUS)
def wait_in_one_queue(kit: Kit) -> None:
    """Signal and wait on one out-of-order queue."""
    queue = kit.out_of_order_queue()
    semaphores = [kit.semaphore() for _ in range(3)]
    signals = [enqueue_signal(kit, each, queue=queue) for each in semaphores]
    wait_on_host(kit, enqueue_wait(kit, *semaphores, queue=queue))
    query_statuses(kit, *signals)


@cases.declare(
    "clEnqueueSignalSemaphoresKHR/effect/7",
    "repeatedly",
    "clEnqueueWaitSemaphoresKHR/effect/6",
    "clEnqueueSignalSemaphoresKHR/success",
    "clEnqueueWaitSemaphoresKHR/success",
)
def alternate_without_waiting(kit: Kit) -> None:
    """Enqueue many signals and waits, and finish only at the end."""
    other, semaphore = kit.new_queue(), kit.semaphore()
    events = []
    for _ in range(4 * ROUNDS):
        events += [enqueue_signal(kit, semaphore), enqueue_wait(kit, semaphore, queue=other)]
    kit.finish()
    kit.finish(other)
    query_statuses(kit, *events)


@cases.declare(
    "clEnqueueSignalSemaphoresKHR/effect/7",
    "back and forth between two queues",
    "clEnqueueWaitSemaphoresKHR/effect/6",
    STATUS,
)
def alternate_queues(kit: Kit) -> None:
    """Signal a semaphore on one queue and wait for it on another queue, then in the other direction, in several rounds.

    A copy precedes each signal.
    """
    here, there = kit.queue, kit.new_queue()
    forth, back = kit.semaphore(), kit.semaphore()
    for _ in range(ROUNDS):
        kit.queue = here
        first = enqueue_copy(kit)
        enqueue_signal(kit, forth)
        kit.queue = there
        enqueue_wait(kit, forth)
        second = enqueue_copy(kit)
        enqueue_signal(kit, back)
        kit.queue = here
        wait_on_host(kit, enqueue_wait(kit, back))
        query_statuses(kit, first, second)
    kit.finish(here)
    kit.finish(there)


@cases.declare(
    "clEnqueueWaitSemaphoresKHR/effect/5", "one signal, several waits", STATUS, "clEnqueueWaitSemaphoresKHR/success"
)
def wait_on_several_queues(kit: Kit) -> None:
    """Signal several semaphores with one command, and wait for them on several queues in reverse order."""
    semaphores = [kit.semaphore() for _ in range(3)]
    signal = enqueue_signal(kit, *semaphores)
    for semaphore in semaphores[::-1]:
        queue = kit.new_queue()
        wait_on_host(kit, enqueue_wait(kit, semaphore, queue=queue))
        query_statuses(kit, signal)


@cases.declare(
    "clEnqueueWaitSemaphoresKHR/effect/5", "several signals, one wait", STATUS, "clEnqueueWaitSemaphoresKHR/success"
)
def wait_for_several_signals(kit: Kit) -> None:
    """Signal several semaphores on several queues, and wait for all of them with one command."""
    semaphores = [kit.semaphore() for _ in range(3)]
    queues = [kit.new_queue() for _ in semaphores]
    signals = [enqueue_signal(kit, each, queue=queue) for each, queue in zip(semaphores, queues, strict=True)]
    wait_on_host(kit, enqueue_wait(kit, *semaphores))
    query_statuses(kit, *signals)
    for queue in queues:
        kit.finish(queue)


@cases.declare_family
def dependencies_on_events() -> Iterator[TableCase]:
    """Make a signal or a wait depend on events of another queue.

    When the signal or wait is complete, these events must be complete.
    """

    def steps(kit: Kit, function: str) -> None:
        own, other, semaphore = kit.queue, kit.new_queue(), kit.semaphore()
        kit.queue = other
        events = [enqueue_copy(kit), kit.event(), enqueue_copy(kit)]
        kit.cl.clFlush(other)
        kit.queue = own
        signal = enqueue_signal(kit, semaphore, after=events if function == SIGNAL else ())
        wait = enqueue_wait(kit, semaphore, after=events if function == WAIT else ())
        wait_on_host(kit, signal if function == SIGNAL else wait)
        query_statuses(kit, *events)
        kit.finish()

    for function, more in ((SIGNAL, ("clEnqueueSignalSemaphoresKHR/effect/5",)), (WAIT, ())):
        others = (f"{function}/effect/4", *more, STATUS)
        yield cases.create_case(
            f"{function}/effect/2", "after commands of another queue", steps, function, others=others
        )


@cases.declare_family
def independence_of_user_events() -> Iterator[TableCase]:
    """Enqueue a signal or a wait while a user event of the context is incomplete; the command must not wait for it."""
    for function in (SIGNAL, WAIT):
        yield cases.create_case(
            f"{function}/effect/3",
            "waits for nothing",
            lambda kit, function=function: check_free_command(kit.cl, function),
            others=(STATUS,),
        )


@cases.declare(SIGNAL_TYPE, "of both commands", WAIT_TYPE, "CL_EVENT_COMMAND_TYPE")
def query_event_types(kit: Kit) -> None:
    """Query type, queue and status of the events of a signal and a wait."""
    semaphore = kit.semaphore()
    for event in (enqueue_signal(kit, semaphore), enqueue_wait(kit, semaphore)):
        for name in ("TYPE", "QUEUE", "EXECUTION_STATUS"):
            kit.cl.query("clGetEventInfo", event, f"CL_EVENT_COMMAND_{name}")
    kit.finish()


@cases.declare("clReleaseSemaphoreKHR/success", "while commands use it", "clEnqueueWaitSemaphoresKHR/success")
def release_immediately(kit: Kit) -> None:
    """Release semaphores immediately after a signal or a wait is enqueued."""
    semaphores = [kit.semaphore() for _ in range(2)]
    events = [enqueue_signal(kit, *semaphores)]
    kit.cl.clReleaseSemaphoreKHR(semaphores[0])
    events.append(enqueue_wait(kit, semaphores[1]))
    kit.cl.clReleaseSemaphoreKHR(semaphores[1])
    kit.finish()
    query_statuses(kit, *events)


@cases.declare("clRetainSemaphoreKHR/effect/1", "usable with one reference left", "CL_SEMAPHORE_REFERENCE_COUNT_KHR")
def use_retained(kit: Kit) -> None:
    """Retain a semaphore, release one reference, and use it."""
    semaphore = kit.semaphore()
    kit.cl.clRetainSemaphoreKHR(semaphore)
    kit.cl.query(INFO, semaphore, "CL_SEMAPHORE_REFERENCE_COUNT_KHR")
    kit.cl.clReleaseSemaphoreKHR(semaphore)
    wait_on_host(kit, enqueue_signal(kit, semaphore))
    query_payloads(kit, semaphore)
    wait_on_host(kit, enqueue_wait(kit, semaphore))


@cases.declare("OpenCL:descriptions-of-external-semaphore-handle-types/1", "two from the placeholder for a sync file")
def import_twice(kit: Kit) -> None:
    """Create two semaphores from the sync file -1, release one of them, and query the other one."""
    first, second = create_from_sync_file(kit), create_from_sync_file(kit)
    kit.cl.clReleaseSemaphoreKHR(first)
    kit.cl.query(INFO, second, "CL_SEMAPHORE_TYPE_KHR")


@covers("clEnqueueSignalSemaphoresKHR/success", "clEnqueueWaitSemaphoresKHR/success", PAYLOAD, STATUS)
@given(data=st.data())
def test_random_turns_report_payloads(cl: Session, data: st.DataObject) -> None:
    """Signal unsignaled semaphores and wait for signaled ones, in random order on random queues."""
    kit = Kit(cl)
    skip_unless(is_available(cl, SIGNAL), "cl_khr_semaphore is not supported")
    semaphores = [kit.semaphore() for _ in range(3)]
    queues = [kit.new_queue() for _ in range(2)]
    signals: dict[Handle, Handle] = {}
    for _ in range(data.draw(st.integers(1, 8), "commands")):
        queue = data.draw(st.sampled_from(queues), "queue")
        waiting = bool(signals) and data.draw(st.booleans(), "wait")
        choices = [each for each in semaphores if (each in signals) == waiting]
        if not choices:
            continue
        chosen = data.draw(st.lists(st.sampled_from(choices), min_size=1, unique=True), "semaphores")
        event = (enqueue_wait if waiting else enqueue_signal)(kit, *chosen, queue=queue)
        if data.draw(st.booleans(), "wait on the host"):
            wait_on_host(kit, event)
            query_statuses(kit, *(signals[each] for each in chosen if waiting))
        for each in chosen:
            signals.pop(each, None) if waiting else signals.update({each: event})
        query_payloads(kit, *data.draw(st.lists(st.sampled_from(semaphores), max_size=2), "queried"))
    for queue in queues:
        kit.finish(queue)
    query_payloads(kit, *semaphores)
