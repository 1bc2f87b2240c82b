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

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.engine.judgements import Judgement

STATUS, TYPE = "CL_EVENT_COMMAND_EXECUTION_STATUS", "CL_EVENT_COMMAND_TYPE"
QUEUE, OUT_OF_ORDER_QUEUE = Handle("queue1"), Handle("queue2")
INVALID_EVENT = "clSetUserEventStatus/CL_INVALID_EVENT/1"
INVALID_STATUS = "clSetUserEventStatus/CL_INVALID_VALUE/1"
SET_ALREADY = "clSetUserEventStatus/CL_INVALID_OPERATION/1"
MIXED_CONTEXTS = "clWaitForEvents/CL_INVALID_CONTEXT/1"
FAILED_EVENT = "clWaitForEvents/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1"
PROFILING_UNAVAILABLE = "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1"
TERMINATES = "clSetUserEventStatus/effect/1"
MARKER, BARRIER = "clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList"


class EventSetup(OracleSetup):
    """An in-order and an out-of-order queue with profiling in one context, and a second context."""

    def __init__(self, version: str = "3.0") -> None:
        super().__init__(DevicePlan(), version=version, extensions="")
        first, second = (Context(f"context{number}", devices=list(self.roots)) for number in (1, 2))
        for handle, in_order in ((QUEUE, True), (OUT_OF_ORDER_QUEUE, False)):
            queue = HostQueue(handle.name, context=first, queue_device=self.roots[0], profiling=True)
            queue.in_order = in_order
            self.model.add(queue)
        for context in (first, second):
            self.model.add(context)
        self.created_count = 0

    def judge(
        self, function: str, *arguments: Value, outputs: dict[str, Output] | None = None, value: object = 0
    ) -> Judgement:
        """Judge a call that returned this value and these outputs."""
        expectation = self.expect(function, *arguments)
        return self.oracle.judge(expectation, Returned(value, outputs or {}))  # type: ignore[arg-type]

    def create_user_event(self, context: int = 1) -> Handle:
        """Create a user event."""
        self.created_count += 1
        event = Handle(f"event{self.created_count}")
        self.judge("clCreateUserEvent", Handle(f"context{context}"), OutputBuffer(1), value=event.name,
                   outputs={"errcode_ret": Output([0], 4)})  # fmt: skip
        return event

    def enqueue_command(self, *after: Handle, function: str = MARKER, queue: Handle = QUEUE) -> Handle:
        """Enqueue a command that waits for events."""
        self.created_count += 1
        event = Handle(f"event{self.created_count}")
        listed = ElementList(after) if after else None
        outputs = {"event": Output([event.name], 8)}
        self.judge(function, queue, len(after), listed, OutputBuffer(1), outputs=outputs)
        return event

    def set_status(self, event: Handle, status: int) -> None:
        """Set a user event."""
        self.judge("clSetUserEventStatus", event, status)

    def find_deviations(
        self, event: Handle, number: int, name: str = STATUS, function: str = "clGetEventInfo"
    ) -> set_status[str]:
        """Return the requirements that are violated if a query of an event returns a number."""
        width = 4 if function == "clGetEventInfo" else 8
        outputs = {"param_value": Output([number], width)}
        asked = (event, self.value(name), width, OutputBuffer(width), None)
        return {
            requirement
            for deviation in self.judge(function, *asked, outputs=outputs).deviations
            for requirement in deviation.requirements
        }

    def find_evidence(
        self, event: Handle, number: int, name: str = STATUS, function: str = "clGetEventInfo"
    ) -> set_status[str]:
        """Return the requirements that conform, as evidence, if a query of an event returns a number."""
        width = 4 if function == "clGetEventInfo" else 8
        outputs = {"param_value": Output([number], width)}
        asked = (event, self.value(name), width, OutputBuffer(width), None)
        evidence = self.judge(function, *asked, outputs=outputs).evidence
        return {requirement for requirement, kind in evidence if kind == "conforms"}


@pytest.mark.parametrize(
    ("event", "status", "must"),
    [
        ("new", 0, ""),
        ("new", -1, ""),
        ("new", -(1 << 31), ""),
        ("new", 1, INVALID_STATUS),
        ("new", 3, INVALID_STATUS),
        ("set", 0, SET_ALREADY),
        ("set", -1, SET_ALREADY),
        ("failed", 0, SET_ALREADY),
        ("set", 1, f"{SET_ALREADY} {INVALID_STATUS}"),
        ("a command's", 0, INVALID_EVENT),
        ("NULL", 0, INVALID_EVENT),
    ],
)
def test_invalid_user_event_or_status_is_rejected(event: str, status: int, must: str) -> None:
    there = EventSetup()
    events = {"new": there.create_user_event(), "set": there.create_user_event(), "failed": there.create_user_event()}
    there.set_status(events["set"], 0)
    there.set_status(events["failed"], -1)
    given = {**events, "a command's": there.enqueue_command(), "NULL": None}[event]
    assert get_condition_ids(there.expect("clSetUserEventStatus", given, status)) == (must, "")


@pytest.mark.parametrize(
    ("status", "code", "open_"), [(-1, -14, True), (-1, -5, True), (-1, -30, True), (1, -30, False), (-1, 0, False)]
)
def test_user_event_may_be_set_after_a_set_call_with_unexpected_error(status: int, code: int, *, open_: bool) -> None:
    there = EventSetup()
    event = there.create_user_event()
    deviations = there.judge("clSetUserEventStatus", event, status, value=code).deviations
    assert bool(deviations) == (status < 0 and code in (-14, -30))
    musts, mays = get_condition_ids(there.expect("clSetUserEventStatus", event, 0))
    assert (musts, mays) == (
        ("", INVALID_EVENT + " " + SET_ALREADY) if open_ else (SET_ALREADY if code == 0 else "", "")
    )


@pytest.mark.parametrize(
    ("contexts", "must"), [((1,), ""), ((1, 1), ""), ((1, 2), MIXED_CONTEXTS), ((2, 1, 1), MIXED_CONTEXTS)], ids=str
)
def test_wait_for_events_of_two_contexts_is_rejected(contexts: tuple[int, ...], must: str) -> None:
    there = EventSetup()
    events = [there.create_user_event(context) for context in contexts]
    for event in events:
        there.set_status(event, 0)
    assert get_condition_ids(there.expect("clWaitForEvents", len(events), ElementList(tuple(events)))) == (must, "")


def test_failed_user_event_terminates_commands_that_depend_on_it() -> None:
    there = EventSetup()
    gate = there.create_user_event()
    first = there.enqueue_command(gate, queue=OUT_OF_ORDER_QUEUE)
    second, other = there.enqueue_command(first, queue=OUT_OF_ORDER_QUEUE), there.enqueue_command(queue=QUEUE)
    there.set_status(gate, -5)
    for event in (first, second):
        assert there.find_deviations(event, 0) == there.find_deviations(event, 1) == {TERMINATES}
        assert (
            there.find_deviations(event, 2)
            == there.find_deviations(event, -5)
            == there.find_deviations(event, -14)
            == set()
        )
        assert get_condition_ids(there.expect("clWaitForEvents", 1, ElementList((event,)))) == (FAILED_EVENT, "")
    assert there.find_deviations(other, 0) == set()
    there.judge("clFinish", OUT_OF_ORDER_QUEUE)
    assert there.find_deviations(second, 2) == {TERMINATES}
    assert {TERMINATES, f"{STATUS}/effect/1"} <= there.find_evidence(second, -5)
    query = there.value("CL_PROFILING_COMMAND_START")
    asked = there.expect("clGetEventProfilingInfo", second, query, 8, OutputBuffer(8), None)
    assert get_condition_ids(asked) == (PROFILING_UNAVAILABLE, "")


def test_failed_user_event_terminates_a_command_enqueued_later() -> None:
    there = EventSetup()
    gate = there.create_user_event()
    there.set_status(gate, -1)
    event = there.enqueue_command(gate)
    there.judge("clFinish", QUEUE)
    assert there.find_deviations(event, 0) == {TERMINATES}


def test_event_status_that_returns_to_an_earlier_state_deviates() -> None:
    there = EventSetup()
    event = there.enqueue_command()
    for status, blamed in ((3, False), (2, False), (3, True), (2, False), (1, False), (2, True), (0, False), (1, True)):
        assert there.find_deviations(event, status) == ({STATUS} if blamed else set())


def test_profiling_query_of_waiting_command_is_rejected() -> None:
    there = EventSetup()
    gate = there.create_user_event()
    event = there.enqueue_command(gate)
    query = there.value("CL_PROFILING_COMMAND_QUEUED")
    assert get_condition_ids(there.expect("clGetEventProfilingInfo", event, query, 8, OutputBuffer(8), None)) == (
        PROFILING_UNAVAILABLE,
        "",
    )
    there.set_status(gate, 0)
    there.judge("clFinish", QUEUE)
    assert get_condition_ids(there.expect("clGetEventProfilingInfo", event, query, 8, OutputBuffer(8), None)) == (
        "",
        "",
    )


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
def test_profiling_timestamps_in_another_order_than_their_states_deviate(
    first: tuple[str, int], second: tuple[str, int], *, blamed: bool
) -> None:
    there, told = EventSetup(), "clGetEventProfilingInfo"
    event = there.enqueue_command()
    there.judge("clFinish", QUEUE)
    names = [f"CL_PROFILING_COMMAND_{state}" for state, _ in (first, second)]
    assert there.find_deviations(event, first[1], names[0], told) == set()
    if blamed:
        assert there.find_deviations(event, second[1], names[1], told) == {names[1]}
    else:
        assert f"{names[1]}/effect/1" in there.find_evidence(event, second[1], names[1], told)


@pytest.mark.parametrize(
    ("value", "code", "blamed"), [(None, -36, False), ("event9", -36, True), ("event9", -14, False)]
)
def test_event_returned_by_a_failed_enqueue_deviates(value: str | None, code: int, *, blamed: bool) -> None:
    there, requirement = EventSetup(), "OpenCL:event-objects/3"
    judgement = there.judge(MARKER, None, 0, None, OutputBuffer(1), value=code, outputs={"event": Output([value], 8)})
    assert any(requirement in deviation.requirements for deviation in judgement.deviations) == blamed
    assert ((requirement, "conforms") in judgement.evidence) == (value is None)


@pytest.mark.parametrize(
    ("function", "queue", "record"),
    [
        (MARKER, OUT_OF_ORDER_QUEUE, f"{MARKER}/effect/5"),
        (BARRIER, OUT_OF_ORDER_QUEUE, f"{BARRIER}/effect/5"),
        (MARKER, QUEUE, "OpenCL:out-of-order-execution-of-kernels-and-memory-object-commands/1"),
    ],
)
def test_marker_or_barrier_completes_after_earlier_commands(function: str, queue: Handle, record: str) -> None:
    there = EventSetup()
    there.enqueue_command(there.create_user_event(), queue=queue)
    fence = there.enqueue_command(function=function, queue=queue)
    assert record in there.find_evidence(fence, 2)
    assert there.find_deviations(fence, 1) == {STATUS}


@pytest.mark.parametrize("function", ["clEnqueueBarrier", "clEnqueueWaitForEvents", BARRIER])
def test_command_after_barrier_completes_after_the_events_of_the_barrier(function: str) -> None:
    there = EventSetup()
    gate = there.create_user_event()
    there.enqueue_command(gate, queue=OUT_OF_ORDER_QUEUE)
    alone = there.enqueue_command(there.create_user_event(), queue=QUEUE)
    arguments: dict[str, dict[str, Value]] = {
        "clEnqueueBarrier": {},
        "clEnqueueWaitForEvents": {"num_events": 1, "event_list": ElementList((gate,))},
        BARRIER: {"num_events_in_wait_list": 0, "event_wait_list": None, "event": None},
    }
    call = Call(function, {"command_queue": OUT_OF_ORDER_QUEUE, **arguments[function]})
    there.oracle.judge(there.oracle.expect(call), Returned(0))
    other = there.create_user_event()
    there.set_status(other, 0)
    behind = there.enqueue_command(queue=OUT_OF_ORDER_QUEUE, function=MARKER)
    assert there.find_deviations(behind, 1) == {STATUS}
    told = {"clEnqueueBarrier": "effect/2", "clEnqueueWaitForEvents": "effect/1", BARRIER: "effect/7"}[function]
    assert f"{function}/{told}" in there.find_evidence(behind, 2)
    assert f"{function}/{told}" not in there.find_evidence(alone, 2)


@pytest.mark.parametrize(("version", "blamed"), [("3.0", True), ("2.2", False)])
def test_device_before_3_0_may_report_a_different_command_type(version: str, *, blamed: bool) -> None:
    there = EventSetup(version)
    queue = there.model.get(HostQueue, QUEUE)
    call = there.call("clEnqueueSVMMigrateMem", QUEUE, 0, None, None, 0, 0, None, OutputBuffer(1))
    event = Event("event1", context=queue.context, queue=queue)
    there.model.add(event)
    event.command_types = tuple(possible_command_types(call, there.model))
    assert bool(there.find_deviations(Handle("event1"), 0x11F3, TYPE)) == blamed


@pytest.mark.parametrize(
    ("first", "second", "told"), [(None, 1, (0, 1, 2)), (-1, 0, (0, -1, 1)), (0, -1, (0, -1)), (None, 0, (0,))]
)
def test_user_event_may_have_any_status_after_accepted_invalid_set_call(
    first: int | None, second: int, told: tuple[int, ...]
) -> None:
    there = EventSetup()
    event = there.create_user_event()
    if first is not None:
        there.set_status(event, first)
    there.set_status(event, second)
    assert [status for status in told if there.find_deviations(event, status)] == []


def test_command_event_that_was_set_by_the_host_may_have_any_status() -> None:
    there = EventSetup()
    event = there.enqueue_command(there.create_user_event())
    there.set_status(event, 0)
    assert there.find_deviations(event, 0) == set()


@pytest.mark.parametrize("function", [MARKER, BARRIER])
@pytest.mark.parametrize("status", [0, 1, 3])
def test_fence_after_complete_events_does_not_wait_for_earlier_commands(function: str, status: int) -> None:
    """In an out-of-order queue, a marker or barrier with a wait list waits for its events only."""
    there = EventSetup()
    gate, done = there.create_user_event(), there.create_user_event()
    there.set_status(done, 0)
    there.enqueue_command(gate, queue=OUT_OF_ORDER_QUEUE)
    fence = there.enqueue_command(done, function=function, queue=OUT_OF_ORDER_QUEUE)
    assert not there.find_deviations(fence, status)
    after_all = there.enqueue_command(function=function, queue=OUT_OF_ORDER_QUEUE)
    assert bool(there.find_deviations(after_all, status)) == (status < 2)


@pytest.mark.parametrize("function", [MARKER, BARRIER])
def test_fence_waits_for_command_of_another_queue(function: str) -> None:
    there = EventSetup()
    gate = there.create_user_event()
    held = there.enqueue_command(gate)
    there.judge("clFlush", QUEUE)
    fence = there.enqueue_command(held, function=function, queue=OUT_OF_ORDER_QUEUE)
    assert "OpenCL:execution-model/24" in there.find_evidence(fence, 3)
    assert there.find_deviations(fence, 0)
