"""Callbacks: times at which each may and must be called, arguments and order, written from the documents."""

from __future__ import annotations

from typing import Any

import pytest

from clconform.calls.call import Call, CallbackInvocation, Output, Returned
from clconform.calls.harness_actions import AWAIT, find_function
from clconform.calls.values import Data, ElementList, Handle, HandleBytes, HostCallback, OutputBuffer, Text
from clconform.oracles.chapters.notifications.pending_callbacks import PATIENCE_MS
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.model.events import Event

from .worlds import Plan, World

TOLD = HostCallback("told")
SUBMITTED, RUNNING, COMPLETE, FAILED = 2, 1, 0, -5


class Told:
    """A world in which calls return given results, and are judged one by one."""

    def __init__(self, version: str = "3.0") -> None:
        self.world = World(Plan(), version=version)
        self.oracle = Oracle(self.world.model)
        self.did("clCreateContext", None, 1, ElementList((self.world.device,)), None, None, None, value="context1")
        self.context = Handle("context1")

    def did(
        self, function: str, *arguments: Any, value: Any = 0, told: tuple[CallbackInvocation, ...] = (), **out: str
    ) -> list[str]:
        """Judge a call with this result and these callbacks; return its deviations: requirement and observation."""
        known = find_function(function, self.world.model.tables.functions)
        names = [parameter.name for parameter in known.parameters]
        call = Call(function, dict(zip(names, arguments, strict=True)))
        outputs = {name: Output([handle], 8) for name, handle in out.items()}
        expectation = self.oracle.expect(call)
        assert not expectation.undefined, expectation.undefined
        judgement = self.oracle.judge(expectation, Returned(value, outputs, called_back=list(told)))
        against = {record for record, kind in judgement.evidence if kind == "deviates"}
        assert against == {
            record for blame in judgement.deviations for record in (*blame.requirements, *blame.also_violated)
        }
        return [f"{blame.requirements[0]}: {blame.observed}" for blame in judgement.deviations]

    def undefined(self, function: str, *arguments: Any) -> str:
        """Return why a call is undefined."""
        names = [parameter.name for parameter in self.world.model.tables.functions[function].parameters]
        return self.oracle.expect(Call(function, dict(zip(names, arguments, strict=True)))).undefined

    def user_event(self, name: str = "event1") -> Handle:
        """Create a user event."""
        self.did("clCreateUserEvent", self.context, None, value=name)
        return Handle(name)

    def copy(self, *waits: Handle) -> Handle:
        """Enqueue a marker on a new queue, and return its event, ``event9``."""
        self.did("clCreateCommandQueue", self.context, self.world.device, 0, None, value="queue1")
        listed = (len(waits), ElementList(waits) if waits else None)
        self.did("clEnqueueMarkerWithWaitList", Handle("queue1"), *listed, OutputBuffer(1), event="event9")
        return Handle("event9")

    def waited(self, milliseconds: int = PATIENCE_MS, *, times: int = 1, came: int = 0) -> list[str]:
        """Judge a wait for the callback, which was called ``came`` times; return the deviations."""
        return self.did(AWAIT, TOLD, times, milliseconds, value=came)


@pytest.fixture
def told() -> Told:
    return Told()


def event_told(status: int, data: int | None = 7, event: str = "event1") -> CallbackInvocation:
    return CallbackInvocation("told", {"event": event, "event_command_status": status, "user_data": data})


def gone(name: str, data: int) -> CallbackInvocation:
    return CallbackInvocation("told", {"memobj": name, "user_data": data})


@pytest.mark.parametrize("status", [SUBMITTED, RUNNING, COMPLETE])
def test_a_set_event_calls_once_with_the_status_registered(told: Told, status: int) -> None:
    event = told.user_event()
    told.did("clSetEventCallback", event, status, TOLD, 7)
    assert told.did("clSetUserEventStatus", event, COMPLETE, told=(event_told(status),)) == []
    assert told.waited(came=1) == []
    assert told.did("clGetEventInfo", event, 0x11D0, 0, None, None, told=(event_told(status),)) == [
        "clSetEventCallback/success: called 2 times"
    ]


@pytest.mark.parametrize(
    ("registered", "set_to", "wrong"),
    [
        (RUNNING, COMPLETE, COMPLETE),
        (COMPLETE, COMPLETE, RUNNING),
        (COMPLETE, FAILED, COMPLETE),
        (COMPLETE, COMPLETE, -1),
    ],
)
def test_another_status_is_wrong(told: Told, registered: int, set_to: int, wrong: int) -> None:
    event = told.user_event()
    told.did("clSetEventCallback", event, registered, TOLD, 7)
    (blame,) = told.did("clSetUserEventStatus", event, set_to, told=(event_told(wrong),))
    assert blame == f"clSetEventCallback/success: event_command_status = {wrong}"


@pytest.mark.parametrize(("version", "wrong"), [("3.0", 1), ("1.2", 0)])
def test_before_3_0_the_status_of_the_command_may_be_told(version: str, wrong: int) -> None:
    told = Told(version)
    event = told.user_event()
    told.did("clSetEventCallback", event, SUBMITTED, TOLD, 7)
    assert len(told.did("clSetUserEventStatus", event, COMPLETE, told=(event_told(COMPLETE),))) == wrong


def test_an_error_is_told_for_any_status(told: Told) -> None:
    event = told.user_event()
    told.did("clSetEventCallback", event, RUNNING, TOLD, 7)
    assert told.did("clSetUserEventStatus", event, FAILED, told=(event_told(FAILED),)) == []


def test_other_user_data_and_another_event_are_wrong(told: Told) -> None:
    event = told.user_event()
    told.user_event("event2")
    told.did("clSetEventCallback", event, COMPLETE, TOLD, 7)
    wrong = event_told(COMPLETE, 8, "event2")
    blames = told.did("clSetUserEventStatus", event, COMPLETE, told=(wrong,))
    assert blames == ["clSetEventCallback/success: user_data = 8", "clSetEventCallback/success: event = event2"]


@pytest.mark.parametrize(("status", "early"), [(SUBMITTED, False), (RUNNING, True), (COMPLETE, True)])
def test_before_it_is_set_an_event_is_submitted_only(told: Told, status: int, early: bool) -> None:  # noqa: FBT001
    blames = told.did("clSetEventCallback", told.user_event(), status, TOLD, 7, told=(event_told(status),))
    assert blames == (["clSetEventCallback/success: called"] if early else [])


def test_what_waits_for_the_user_has_not_begun(told: Told) -> None:
    event = told.copy(told.user_event())
    early = (event_told(COMPLETE, event="event9"),)
    assert told.did("clSetEventCallback", event, COMPLETE, TOLD, 7, told=early) == [
        "clSetEventCallback/success: called"
    ]
    asked = told.oracle.model.get(Event, event)
    assert asked.command is not None
    assert asked.command.waits_for_user_event


def test_a_callback_that_never_comes_is_missed_after_a_while_only(told: Told) -> None:
    event = told.user_event()
    told.did("clSetEventCallback", event, COMPLETE, TOLD, 7)
    assert told.waited() == []
    told.did("clSetUserEventStatus", event, COMPLETE)
    assert told.waited(PATIENCE_MS - 1) == []
    assert told.waited(times=0) == []
    assert told.waited() == ["clSetEventCallback/success: not called"]


def test_a_callback_that_never_comes_names_the_entry_of_the_register_that_sets_the_deadline(told: Told) -> None:
    event = told.user_event()
    told.did("clSetEventCallback", event, COMPLETE, TOLD, 7)
    told.did("clSetUserEventStatus", event, COMPLETE)
    waited = told.oracle.expect(Call(AWAIT, {"callback": TOLD, "times": 1, "milliseconds": PATIENCE_MS}))
    judgement = told.oracle.judge(waited, Returned(0))
    (blame,) = judgement.deviations
    assert (blame.confidence, judgement.interpretations) == (
        "interpretation",
        [("deadline-of-a-callback", "not called")],
    )
    assert "(register: deadline-of-a-callback)" in blame.allowed[0]


def test_a_status_before_an_error_need_not_be_told(told: Told) -> None:
    event = told.user_event()
    told.did("clSetEventCallback", event, RUNNING, TOLD, 7)
    told.did("clSetUserEventStatus", event, FAILED)
    assert told.waited() == []


def test_what_was_past_at_registration_is_told_before_the_event_goes(told: Told) -> None:
    event = told.user_event()
    told.did("clSetUserEventStatus", event, COMPLETE)
    told.did("clSetEventCallback", event, COMPLETE, TOLD, 7)
    assert told.waited() == []
    told.did("clReleaseEvent", event)
    assert told.waited() == ["clSetEventCallback/success: not called"]


@pytest.mark.parametrize(
    ("function", "record"),
    [("clFlush", "clSetEventCallback/success"), ("clReleaseCommandQueue", "clReleaseCommandQueue/success")],
)
def test_what_is_on_its_way_comes_to_its_end(told: Told, function: str, record: str) -> None:
    told.did("clSetEventCallback", told.copy(), COMPLETE, TOLD, 7)
    assert told.waited() == []
    told.did(function, Handle("queue1"))
    assert told.waited() == [f"{record}: not called"]


def test_nothing_but_events_is_released_while_commands_wait_for_the_user(told: Told) -> None:
    gate = told.user_event()
    event = told.copy(gate)
    assert "clSetUserEventStatus/usage/1" in told.undefined("clReleaseContext", told.context)
    assert told.undefined("clReleaseEvent", event) == ""
    assert "no longer be set" in told.undefined("clReleaseEvent", gate)
    told.did("clSetUserEventStatus", gate, COMPLETE)
    assert told.undefined("clReleaseContext", told.context) == ""


def buffer(told: Told, *data: int) -> Handle:
    """Create a buffer with a destructor callback for each user_data."""
    told.did("clCreateBuffer", told.context, 1, 64, None, None, value="mem1")
    for each in data:
        told.did("clSetMemObjectDestructorCallback", Handle("mem1"), TOLD, each)
    return Handle("mem1")


def test_the_last_registered_is_called_first(told: Told) -> None:
    release = ("clReleaseMemObject", buffer(told, 1, 2))
    assert told.did(*release, told=(gone("mem1", 2), gone("mem1", 1))) == []


def test_another_order_is_wrong(told: Told) -> None:
    release = ("clReleaseMemObject", buffer(told, 1, 2))
    wrong = ["clSetMemObjectDestructorCallback/success: called before a later one"]
    assert told.did(*release, told=(gone("mem1", 1), gone("mem1", 2))) == wrong


def test_equal_registrations_have_no_order(told: Told) -> None:
    release = ("clReleaseMemObject", buffer(told, 5, 5))
    assert told.did(*release, told=(gone("mem1", 5), gone("mem1", 5))) == []


def test_not_before_the_last_reference(told: Told) -> None:
    memory = buffer(told, 1)
    told.did("clRetainMemObject", memory)
    wrong = ["clSetMemObjectDestructorCallback/success: called"]
    assert told.did("clReleaseMemObject", memory, told=(gone("mem1", 1),)) == wrong


def test_a_build_is_told_of_however_it_went(told: Told) -> None:
    told.did("clCreateProgramWithSource", told.context, 0, None, None, None, value="program1")
    build = ("clBuildProgram", Handle("program1"), 0, None, None, TOLD, 3)
    came = CallbackInvocation("told", {"program": "program1", "user_data": 3})
    assert told.did(*build, value=told.world.value("CL_BUILD_PROGRAM_FAILURE"), told=(came,)) == []
    told.did(*build)
    assert told.waited(came=1, times=2) == ["clBuildProgram/success: not called"]


def test_a_kernel_that_has_it_as_an_argument_does_not_keep_a_buffer(told: Told) -> None:
    memory = buffer(told, 1)
    told.did("clCreateProgramWithSource", told.context, 0, None, None, None, value="program1")
    told.did("clCreateKernel", Handle("program1"), Text("add_index"), None, value="kernel1")
    told.did("clSetKernelArg", Handle("kernel1"), 0, 8, HandleBytes(memory))
    told.did("clReleaseMemObject", memory)
    assert told.waited() == ["clSetKernelArg/effect/1: not called"]


@pytest.mark.parametrize(("held", "wrong"), [(False, 0), (True, 1)])
def test_a_handle_comes_back_unless_a_region_keeps_its_buffer(told: Told, *, held: bool, wrong: int) -> None:
    memory = buffer(told)
    region = ("clCreateSubBuffer", memory, 0, 0x1220, Data(bytes(8) + b"\x40" + bytes(7)), None)
    if held:
        told.did(*region, value="mem2")
    told.did("clReleaseMemObject", memory)
    assert len(told.did("clCreateBuffer", told.context, 1, 64, None, None, value="mem1")) == wrong


def test_an_event_does_not_keep_its_queue(told: Told) -> None:
    event, queue = told.copy(), Handle("queue1")
    told.did("clFinish", queue)
    told.did("clReleaseCommandQueue", queue)
    assert told.did("clCreateCommandQueue", told.context, told.world.device, 0, None, value="queue1") == []
    assert told.did("clReleaseEvent", event) == []
