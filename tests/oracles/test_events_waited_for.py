"""Errors of setting user events and of waiting for events; statuses, profiling times and order of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.engine.commands import possible_command_types
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.events import Event
from clconform.oracles.model.queues import HostQueue

from .worlds import Plan, World, clauses

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.engine.judgements import Judgement

STATUS, TYPE = "CL_EVENT_COMMAND_EXECUTION_STATUS", "CL_EVENT_COMMAND_TYPE"
QUEUE, FREE = Handle("queue1"), Handle("queue2")
NOT_VALID = "clSetUserEventStatus/CL_INVALID_EVENT/1"
NO_STATUS = "clSetUserEventStatus/CL_INVALID_VALUE/1"
SET_ALREADY = "clSetUserEventStatus/CL_INVALID_OPERATION/1"
OF_TWO_CONTEXTS = "clWaitForEvents/CL_INVALID_CONTEXT/1"
HAS_FAILED = "clWaitForEvents/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"
NOT_TIMED = "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1"
TERMINATES = "clSetUserEventStatus/effect/1"
MARKER, BARRIER = "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"


class Queues(World):
    """An in-order and an out-of-order queue with profiling in one context, and a second context."""

    def __init__(self, version: str = "3.0") -> None:
        super().__init__(Plan(), version=version, extensions="")
        first, second = (Context(f"context{number}", devices=list(self.roots)) for number in (1, 2))
        for handle, in_order in ((QUEUE, True), (FREE, False)):
            queue = HostQueue(handle.name, context=first, queue_device=self.roots[0], profiling=True)
            queue.in_order = in_order
            self.model.add(queue)
        for context in (first, second):
            self.model.add(context)
        self.made = 0

    def judge(
        self, function: str, *arguments: Value, outputs: dict[str, Output] | None = None, value: object = 0
    ) -> Judgement:
        """Judge a call that returned this value and these outputs."""
        expectation = self.expect(function, *arguments)
        return self.oracle.judge(expectation, Returned(value, outputs or {}))  # type: ignore[arg-type]

    def user_event(self, context: int = 1) -> Handle:
        """Create a user event."""
        self.made += 1
        event = Handle(f"event{self.made}")
        self.judge("clCreateUserEvent", Handle(f"context{context}"), OutputBuffer(1), value=event.name,
                   outputs={"errcode_ret": Output([0], 4)})  # fmt: skip
        return event

    def command(self, *after: Handle, function: str = MARKER, queue: Handle = QUEUE) -> Handle:
        """Enqueue a command that waits for events."""
        self.made += 1
        event = Handle(f"event{self.made}")
        listed = ElementList(after) if after else None
        outputs = {"event": Output([event.name], 8)}
        self.judge(function, queue, len(after), listed, OutputBuffer(1), outputs=outputs)
        return event

    def set(self, event: Handle, status: int) -> None:
        """Set a user event."""
        self.judge("clSetUserEventStatus", event, status)

    def blamed(self, event: Handle, number: int, name: str = STATUS, function: str = "clGetEventInfo") -> set[str]:
        """Return the requirements that are violated if a query of an event returns a number."""
        width = 4 if function == "clGetEventInfo" else 8
        outputs = {"param_value": Output([number], width)}
        asked = (event, self.value(name), width, OutputBuffer(width), None)
        return {
            record
            for blame in self.judge(function, *asked, outputs=outputs).deviations
            for record in blame.requirements
        }

    def tested(self, event: Handle, number: int, name: str = STATUS, function: str = "clGetEventInfo") -> set[str]:
        """Return the requirements that conform, as evidence, if a query of an event returns a number."""
        width = 4 if function == "clGetEventInfo" else 8
        outputs = {"param_value": Output([number], width)}
        asked = (event, self.value(name), width, OutputBuffer(width), None)
        evidence = self.judge(function, *asked, outputs=outputs).evidence
        return {record for record, kind in evidence if kind == "conforms"}


@pytest.mark.parametrize(
    ("event", "status", "must"),
    [
        ("new", 0, ""),
        ("new", -1, ""),
        ("new", -(1 << 31), ""),
        ("new", 1, NO_STATUS),
        ("new", 3, NO_STATUS),
        ("set", 0, SET_ALREADY),
        ("set", -1, SET_ALREADY),
        ("failed", 0, SET_ALREADY),
        ("set", 1, f"{SET_ALREADY} {NO_STATUS}"),
        ("a command's", 0, NOT_VALID),
        ("NULL", 0, NOT_VALID),
    ],
)
def test_user_events_to_set(event: str, status: int, must: str) -> None:
    there = Queues()
    events = {"new": there.user_event(), "set": there.user_event(), "failed": there.user_event()}
    there.set(events["set"], 0)
    there.set(events["failed"], -1)
    given = {**events, "a command's": there.command(), "NULL": None}[event]
    assert clauses(there.expect("clSetUserEventStatus", given, status)) == (must, "")


@pytest.mark.parametrize(
    ("status", "code", "open_"), [(-1, -14, True), (-1, -5, True), (-1, -30, True), (1, -30, False), (-1, 0, False)]
)
def test_a_failed_call_may_have_set_an_event(status: int, code: int, *, open_: bool) -> None:
    there = Queues()
    event = there.user_event()
    blames = there.judge("clSetUserEventStatus", event, status, value=code).deviations
    assert bool(blames) == (status < 0 and code in (-14, -30))
    musts, mays = clauses(there.expect("clSetUserEventStatus", event, 0))
    assert (musts, mays) == (("", NOT_VALID + " " + SET_ALREADY) if open_ else (SET_ALREADY if code == 0 else "", ""))


@pytest.mark.parametrize(
    ("contexts", "must"), [((1,), ""), ((1, 1), ""), ((1, 2), OF_TWO_CONTEXTS), ((2, 1, 1), OF_TWO_CONTEXTS)], ids=str
)
def test_events_of_several_contexts_cannot_be_waited_for(contexts: tuple[int, ...], must: str) -> None:
    there = Queues()
    events = [there.user_event(context) for context in contexts]
    for event in events:
        there.set(event, 0)
    assert clauses(there.expect("clWaitForEvents", len(events), ElementList(tuple(events)))) == (must, "")


def test_a_command_that_waits_for_a_failed_event_never_runs_and_so_does_one_that_waits_for_that() -> None:
    there = Queues()
    gate = there.user_event()
    first = there.command(gate, queue=FREE)
    second, other = there.command(first, queue=FREE), there.command(queue=QUEUE)
    there.set(gate, -5)
    for event in (first, second):
        assert there.blamed(event, 0) == there.blamed(event, 1) == {TERMINATES}
        assert there.blamed(event, 2) == there.blamed(event, -5) == there.blamed(event, -14) == set()
        assert clauses(there.expect("clWaitForEvents", 1, ElementList((event,)))) == (HAS_FAILED, "")
    assert there.blamed(other, 0) == set()
    there.judge("clFinish", FREE)
    assert there.blamed(second, 2) == {TERMINATES}
    assert {TERMINATES, f"{STATUS}/effect/1"} <= there.tested(second, -5)
    query = there.value("CL_PROFILING_COMMAND_START")
    asked = there.expect("clGetEventProfilingInfo", second, query, 8, OutputBuffer(8), None)
    assert clauses(asked) == (NOT_TIMED, "")


def test_a_command_that_is_enqueued_after_the_failure_never_runs_either() -> None:
    there = Queues()
    gate = there.user_event()
    there.set(gate, -1)
    event = there.command(gate)
    there.judge("clFinish", QUEUE)
    assert there.blamed(event, 0) == {TERMINATES}


def test_a_status_does_not_go_back() -> None:
    there = Queues()
    event = there.command()
    for status, blamed in ((3, False), (2, False), (3, True), (2, False), (1, False), (2, True), (0, False), (1, True)):
        assert there.blamed(event, status) == ({STATUS} if blamed else set())


def test_a_command_that_waits_has_no_times() -> None:
    there = Queues()
    gate = there.user_event()
    event = there.command(gate)
    query = there.value("CL_PROFILING_COMMAND_QUEUED")
    assert clauses(there.expect("clGetEventProfilingInfo", event, query, 8, OutputBuffer(8), None)) == (NOT_TIMED, "")
    there.set(gate, 0)
    there.judge("clFinish", QUEUE)
    assert clauses(there.expect("clGetEventProfilingInfo", event, query, 8, OutputBuffer(8), None)) == ("", "")


@pytest.mark.parametrize(
    ("first", "second", "blamed"),
    [
        (("QUEUED", 5), ("SUBMIT", 5), False),
        (("QUEUED", 5), ("SUBMIT", 4), True),
        (("END", 5), ("START", 6), True),
        (("END", 5), ("START", 5), False),
        (("COMPLETE", 5), ("QUEUED", 6), True),
        (("START", 7), ("COMPLETE", 6), True),
    ],
    ids=str,
)
def test_times_are_in_the_order_of_the_states(first: tuple[str, int], second: tuple[str, int], *, blamed: bool) -> None:
    there, told = Queues(), "clGetEventProfilingInfo"
    event = there.command()
    there.judge("clFinish", QUEUE)
    names = [f"CL_PROFILING_COMMAND_{state}" for state, _ in (first, second)]
    assert there.blamed(event, first[1], names[0], told) == set()
    if blamed:
        assert there.blamed(event, second[1], names[1], told) == {names[1]}
    else:
        assert f"{names[1]}/effect/1" in there.tested(event, second[1], names[1], told)


@pytest.mark.parametrize(
    ("value", "code", "blamed"), [(None, -36, False), ("event9", -36, True), ("event9", -14, False)]
)
def test_a_call_that_is_refused_returns_no_event(value: str | None, code: int, *, blamed: bool) -> None:
    there, record = Queues(), "OpenCL:event-objects/3"
    judgement = there.judge(MARKER, None, 0, None, OutputBuffer(1), value=code, outputs={"event": Output([value], 8)})
    assert any(record in blame.requirements for blame in judgement.deviations) == blamed
    assert ((record, "conforms") in judgement.evidence) == (value is None)


@pytest.mark.parametrize(
    ("function", "queue", "record"),
    [
        (MARKER, FREE, f"{MARKER}/effect/5"),
        (BARRIER, FREE, f"{BARRIER}/effect/5"),
        (MARKER, QUEUE, "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands/1"),
    ],
)
def test_a_fence_without_a_list_waits_for_what_is_before_it(function: str, queue: Handle, record: str) -> None:
    there = Queues()
    there.command(there.user_event(), queue=queue)
    fence = there.command(function=function, queue=queue)
    assert record in there.tested(fence, 2)
    assert there.blamed(fence, 1) == {STATUS}


@pytest.mark.parametrize("function", ["clEnqueueBarrier", "clEnqueueWaitForEvents", BARRIER])
def test_a_command_behind_a_barrier_waits_for_what_that_waits_for(function: str) -> None:
    there = Queues()
    gate = there.user_event()
    there.command(gate, queue=FREE)
    alone = there.command(there.user_event(), queue=QUEUE)
    arguments: dict[str, dict[str, Value]] = {
        "clEnqueueBarrier": {},
        "clEnqueueWaitForEvents": {"num_events": 1, "event_list": ElementList((gate,))},
        BARRIER: {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None},
    }
    call = Call(function, {"command_queue": FREE, **arguments[function]})
    there.oracle.judge(there.oracle.expect(call), Returned(0))
    other = there.user_event()
    there.set(other, 0)
    behind = there.command(queue=FREE, function=MARKER)
    assert there.blamed(behind, 1) == {STATUS}
    told = {"clEnqueueBarrier": "effect/2", "clEnqueueWaitForEvents": "effect/1", BARRIER: "effect/7"}[function]
    assert f"{function}/{told}" in there.tested(behind, 2)
    assert f"{function}/{told}" not in there.tested(alone, 2)


@pytest.mark.parametrize(("version", "blamed"), [("3.0", True), ("2.2", False)])
def test_an_older_driver_may_have_types_of_its_own(version: str, *, blamed: bool) -> None:
    there = Queues(version)
    queue = there.model.get(HostQueue, QUEUE)
    call = there.call("clEnqueueSVMMigrateMem", QUEUE, 0, None, None, 0, 0, None, OutputBuffer(1))
    event = Event("event1", context=queue.context, queue=queue)
    there.model.add(event)
    event.command_types = tuple(possible_command_types(call, there.model))
    assert bool(there.blamed(Handle("event1"), 0x11F3, TYPE)) == blamed


@pytest.mark.parametrize(
    ("first", "second", "told"), [(None, 1, (0, 1, 2)), (-1, 0, (0, -1, 1)), (0, -1, (0, -1)), (None, 0, (0,))]
)
def test_nothing_is_expected_of_an_event_that_was_set_against_a_clause(
    first: int | None, second: int, told: tuple[int, ...]
) -> None:
    there = Queues()
    event = there.user_event()
    if first is not None:
        there.set(event, first)
    there.set(event, second)
    assert [status for status in told if there.blamed(event, status)] == []


def test_nothing_is_expected_of_a_commands_event_that_was_set() -> None:
    there = Queues()
    event = there.command(there.user_event())
    there.set(event, 0)
    assert there.blamed(event, 0) == set()
