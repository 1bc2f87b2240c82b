"""Signals and waits on one queue and on several: completed predecessors, and reported payloads (5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from clconform.calls.values import Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import aims, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.events.steps import copied, statuses
from clconform.suites.chapters.semaphores.kinds import from_a_sync_file
from clconform.suites.kit.kit import Kit
from clconform.suites.recurring.waiting import STATUS, free_to_run
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.pytest_plugin.aims import Case
    from clconform.runner.session.session import Session

NAME = "semaphores.order"
SIGNAL, WAIT = "clEnqueueSignalSemaphoresKHR", "clEnqueueWaitSemaphoresKHR"
INFO, PAYLOAD = "clGetSemaphoreInfoKHR", "CL_SEMAPHORE_PAYLOAD_KHR"
SIGNAL_TYPE, WAIT_TYPE = f"CL_COMMAND_SEMAPHORE_SIGNAL_KHR@{SIGNAL}", f"CL_COMMAND_SEMAPHORE_WAIT_KHR@{WAIT}"
ROUNDS = 5
cases = Cases(Kit)


def signaled(kit: Kit, *semaphores: Handle, queue: Handle | None = None, after: Sequence[Handle] = ()) -> Handle:
    """Signal semaphores, flush the queue, and return the event."""
    return _enqueued(kit, SIGNAL, semaphores, queue, after)


def awaited(kit: Kit, *semaphores: Handle, queue: Handle | None = None, after: Sequence[Handle] = ()) -> Handle:
    """Wait for semaphores, flush the queue, and return the event."""
    return _enqueued(kit, WAIT, semaphores, queue, after)


def _enqueued(
    kit: Kit, function: str, semaphores: Sequence[Handle], queue: Handle | None, after: Sequence[Handle]
) -> Handle:
    event = kit.event_of(
        kit.enqueue(
            function,
            queue=queue,
            after=Items(tuple(after)) if after else None,
            num_sema_objects=len(semaphores),
            sema_objects=Items(tuple(semaphores)),
            sema_payload_list=None,
            event=OutputBuffer(1),
        )
    )
    kit.cl.clFlush(queue or kit.queue)
    return event


def over(kit: Kit, event: Handle) -> None:
    """Wait for an event on the host."""
    kit.cl.clWaitForEvents(1, Items((event,)))


def told(kit: Kit, *semaphores: Handle) -> None:
    """Query the payloads of semaphores."""
    for semaphore in semaphores:
        kit.cl.query(INFO, semaphore, PAYLOAD)


@cases.of(f"{PAYLOAD}/effect/1", "before, between and behind", PAYLOAD, f"{SIGNAL}/effect/6", f"{WAIT}/success")
def payloads(kit: Kit) -> None:
    """Query the payload before and after each command, in several rounds."""
    semaphore = kit.semaphore()
    told(kit, semaphore)
    for _ in range(ROUNDS):
        event = signaled(kit, semaphore)
        told(kit, semaphore)
        over(kit, event)
        told(kit, semaphore)
        event = awaited(kit, semaphore)
        told(kit, semaphore)
        over(kit, event)
        told(kit, semaphore)


@cases.of(f"{SIGNAL}/effect/6", "only those that are listed", PAYLOAD, f"{PAYLOAD}/effect/1")
def only_the_listed(kit: Kit) -> None:
    """Signal some of several semaphores, and query all of them."""
    semaphores = [kit.semaphore() for _ in range(4)]
    over(kit, signaled(kit, semaphores[0], semaphores[2]))
    told(kit, *semaphores)
    over(kit, signaled(kit, semaphores[3]))
    over(kit, awaited(kit, semaphores[2]))
    told(kit, *semaphores)


@cases.family
def across_queues() -> Iterator[Case]:
    """Signal on one queue and wait on another, in order and out of order; a complete wait implies a complete signal."""

    def steps(kit: Kit, *, first_in_order: bool, second_in_order: bool) -> None:
        queues = [kit.new_queue() if in_order else kit.out_of_order() for in_order in (first_in_order, second_in_order)]
        semaphore = kit.semaphore()
        for _ in range(ROUNDS):
            signal = signaled(kit, semaphore, queue=queues[0])
            over(kit, awaited(kit, semaphore, queue=queues[1]))
            statuses(kit, signal)
        kit.finish(queues[0])

    words = {True: "in order", False: "out of order"}
    for first, then in ((True, True), (True, False), (False, True), (False, False)):
        yield cases.case(
            f"{WAIT}/effect/5",
            f"from a queue {words[first]} to one {words[then]}",
            lambda kit, first=first, then=then: steps(kit, first_in_order=first, second_in_order=then),
            others=(STATUS, f"{WAIT}/success", f"{SIGNAL}/success"),
        )


@cases.of(f"{WAIT}/effect/5", "in one queue", STATUS)
def in_one_queue(kit: Kit) -> None:
    """Signal and wait on one out-of-order queue."""
    queue = kit.out_of_order()
    semaphores = [kit.semaphore() for _ in range(3)]
    signals = [signaled(kit, each, queue=queue) for each in semaphores]
    over(kit, awaited(kit, *semaphores, queue=queue))
    statuses(kit, *signals)


@cases.of(f"{SIGNAL}/effect/7", "again and again", f"{WAIT}/effect/6", f"{SIGNAL}/success", f"{WAIT}/success")
def again_and_again(kit: Kit) -> None:
    """Enqueue many signals and waits, and finish only at the end."""
    other, semaphore = kit.new_queue(), kit.semaphore()
    events = []
    for _ in range(4 * ROUNDS):
        events += [signaled(kit, semaphore), awaited(kit, semaphore, queue=other)]
    kit.finish()
    kit.finish(other)
    statuses(kit, *events)


@cases.of(f"{SIGNAL}/effect/7", "to and fro between two queues", f"{WAIT}/effect/6", STATUS)
def to_and_fro(kit: Kit) -> None:
    """Alternate between two queues with two semaphores and one command per turn."""
    here, there = kit.queue, kit.new_queue()
    forth, back = kit.semaphore(), kit.semaphore()
    for _ in range(ROUNDS):
        kit.queue = here
        first = copied(kit)
        signaled(kit, forth)
        kit.queue = there
        awaited(kit, forth)
        second = copied(kit)
        signaled(kit, back)
        kit.queue = here
        over(kit, awaited(kit, back))
        statuses(kit, first, second)
    kit.finish(here)
    kit.finish(there)


@cases.of(f"{WAIT}/effect/5", "one signal, several waits", STATUS, f"{WAIT}/success")
def shared_out(kit: Kit) -> None:
    """Signal several semaphores with one command, and wait for them on several queues in reverse order."""
    semaphores = [kit.semaphore() for _ in range(3)]
    signal = signaled(kit, *semaphores)
    for semaphore in semaphores[::-1]:
        queue = kit.new_queue()
        over(kit, awaited(kit, semaphore, queue=queue))
        statuses(kit, signal)


@cases.of(f"{WAIT}/effect/5", "several signals, one wait", STATUS, f"{WAIT}/success")
def gathered(kit: Kit) -> None:
    """Signal several semaphores on several queues, and wait for all of them with one command."""
    semaphores = [kit.semaphore() for _ in range(3)]
    queues = [kit.new_queue() for _ in semaphores]
    signals = [signaled(kit, each, queue=queue) for each, queue in zip(semaphores, queues, strict=True)]
    over(kit, awaited(kit, *semaphores))
    statuses(kit, *signals)
    for queue in queues:
        kit.finish(queue)


@cases.family
def after_events() -> Iterator[Case]:
    """Make a signal or a wait depend on events of another queue, which are complete once the command is."""

    def steps(kit: Kit, function: str) -> None:
        own, other, semaphore = kit.queue, kit.new_queue(), kit.semaphore()
        kit.queue = other
        events = [copied(kit), kit.event(), copied(kit)]
        kit.cl.clFlush(other)
        kit.queue = own
        signal = signaled(kit, semaphore, after=events if function == SIGNAL else ())
        wait = awaited(kit, semaphore, after=events if function == WAIT else ())
        over(kit, signal if function == SIGNAL else wait)
        statuses(kit, *events)
        kit.finish()

    for function, more in ((SIGNAL, (f"{SIGNAL}/effect/5",)), (WAIT, ())):
        others = (f"{function}/effect/4", *more, STATUS)
        yield cases.case(f"{function}/effect/2", "behind commands of another queue", steps, function, others=others)


@cases.family
def beside_a_gate() -> Iterator[Case]:
    """Enqueue the command while a user event of the context is incomplete."""
    for function in (SIGNAL, WAIT):
        yield cases.case(
            f"{function}/effect/3",
            "waits for nothing",
            lambda kit, function=function: free_to_run(kit.cl, function),
            others=(STATUS,),
        )


@cases.of(SIGNAL_TYPE, "of both commands", WAIT_TYPE, "CL_EVENT_COMMAND_TYPE")
def types(kit: Kit) -> None:
    """Query type, queue and status of the events of both commands."""
    semaphore = kit.semaphore()
    for event in (signaled(kit, semaphore), awaited(kit, semaphore)):
        for name in ("TYPE", "QUEUE", "EXECUTION_STATUS"):
            kit.cl.query("clGetEventInfo", event, f"CL_EVENT_COMMAND_{name}")
    kit.finish()


@cases.of("clReleaseSemaphoreKHR/success", "while commands use it", f"{WAIT}/success")
def released_at_once(kit: Kit) -> None:
    """Release semaphores immediately after a signal or a wait is enqueued."""
    semaphores = [kit.semaphore() for _ in range(2)]
    events = [signaled(kit, *semaphores)]
    kit.cl.clReleaseSemaphoreKHR(semaphores[0])
    events.append(awaited(kit, semaphores[1]))
    kit.cl.clReleaseSemaphoreKHR(semaphores[1])
    kit.finish()
    statuses(kit, *events)


@cases.of("clRetainSemaphoreKHR/effect/1", "usable with one reference left", "CL_SEMAPHORE_REFERENCE_COUNT_KHR")
def retained(kit: Kit) -> None:
    """Retain a semaphore, release one reference, and use it."""
    semaphore = kit.semaphore()
    kit.cl.clRetainSemaphoreKHR(semaphore)
    kit.cl.query(INFO, semaphore, "CL_SEMAPHORE_REFERENCE_COUNT_KHR")
    kit.cl.clReleaseSemaphoreKHR(semaphore)
    over(kit, signaled(kit, semaphore))
    told(kit, semaphore)
    over(kit, awaited(kit, semaphore))


@cases.of("OpenCL:descriptions-of-external-semaphore-handle-types/1", "two from what stands for a sync file")
def imported_twice(kit: Kit) -> None:
    """Create two semaphores from the sync file -1, and release one of them."""
    first, second = from_a_sync_file(kit), from_a_sync_file(kit)
    kit.cl.clReleaseSemaphoreKHR(first)
    kit.cl.query(INFO, second, "CL_SEMAPHORE_TYPE_KHR")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    if "case" in metafunc.fixturenames:
        parametrize(metafunc, cases)


def test_order(cl: Session, case: Case) -> None:
    case.act(cl)


@aims(f"{SIGNAL}/success", f"{WAIT}/success", PAYLOAD, STATUS)
@given(data=st.data())
def test_turns(cl: Session, data: st.DataObject) -> None:
    """Signal unsignaled semaphores and wait for signaled ones, in random order on random queues."""
    kit = Kit(cl)
    needs(promised(cl, SIGNAL), "cl_khr_semaphore is not supported")
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
        event = (awaited if waiting else signaled)(kit, *chosen, queue=queue)
        if data.draw(st.booleans(), "wait on the host"):
            over(kit, event)
            statuses(kit, *(signals[each] for each in chosen if waiting))
        for each in chosen:
            signals.pop(each, None) if waiting else signals.update({each: event})
        told(kit, *data.draw(st.lists(st.sampled_from(semaphores), max_size=2), "asked"))
    for queue in queues:
        kit.finish(queue)
    told(kit, *semaphores)
