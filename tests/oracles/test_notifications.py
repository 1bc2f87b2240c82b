"""Callbacks: when each may and must be called, with which arguments, and in which order. Written from the documents."""

from __future__ import annotations

from typing import Any

import pytest

from clconform.calls.call import Call, CallbackInvocation, Output, Returned
from clconform.calls.harness_actions import AWAIT, find_function
from clconform.calls.values import Data, ElementList, Handle, HandleBytes, HostCallback, OutputBuffer, Text
from clconform.oracles.chapters.notifications.pending_callbacks import PATIENCE_MS
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.model.events import Event

from .oracle_setup import DevicePlan, OracleSetup

CALLBACK = HostCallback("told")
SUBMITTED, RUNNING, COMPLETE, FAILED = 2, 1, 0, -5


class CallbackWorld:
    """A model on which a test judges calls one by one, each with a given result and given callbacks."""

    def __init__(self, version: str = "3.0") -> None:
        self.world = OracleSetup(DevicePlan(), version=version)
        self.oracle = Oracle(self.world.model)
        self.call("clCreateContext", None, 1, ElementList((self.world.device,)), None, None, None, value="context1")
        self.context = Handle("context1")

    def call(
        self, function: str, *arguments: Any, value: Any = 0, callbacks: tuple[CallbackInvocation, ...] = (), **out: str
    ) -> list[str]:
        """Judge a call with this result and these callbacks. Return its deviations as requirement and observation."""
        known = find_function(function, self.world.model.tables.functions)
        names = [parameter.name for parameter in known.parameters]
        call = Call(function, dict(zip(names, arguments, strict=True)))
        outputs = {name: Output([handle], 8) for name, handle in out.items()}
        expectation = self.oracle.expect(call)
        assert not expectation.undefined, expectation.undefined
        judgement = self.oracle.judge(expectation, Returned(value, outputs, callbacks=list(callbacks)))
        against = {requirement for requirement, kind in judgement.evidence if kind == "deviates"}
        assert against == {
            requirement
            for deviation in judgement.deviations
            for requirement in (*deviation.requirements, *deviation.also_violated)
        }
        return [f"{deviation.requirements[0]}: {deviation.observed}" for deviation in judgement.deviations]

    def undefined_reason(self, function: str, *arguments: Any) -> str:
        """Return why a call is undefined."""
        names = [parameter.name for parameter in self.world.model.tables.functions[function].parameters]
        return self.oracle.expect(Call(function, dict(zip(names, arguments, strict=True)))).undefined

    def create_user_event(self, name: str = "event1") -> Handle:
        """Create a user event."""
        self.call("clCreateUserEvent", self.context, None, value=name)
        return Handle(name)

    def enqueue_marker(self, *waits: Handle) -> Handle:
        """Enqueue a marker on a new queue, and return its event, ``event9``."""
        self.call("clCreateCommandQueue", self.context, self.world.device, 0, None, value="queue1")
        listed = (len(waits), ElementList(waits) if waits else None)
        self.call("clEnqueueMarkerWithWaitList", Handle("queue1"), *listed, OutputBuffer(1), event="event9")
        return Handle("event9")

    def wait_for_callback(self, milliseconds: int = PATIENCE_MS, *, times: int = 1, came: int = 0) -> list[str]:
        """Judge a wait for the callback, which was called ``came`` times, and return the deviations."""
        return self.call(AWAIT, CALLBACK, times, milliseconds, value=came)


@pytest.fixture
def callbacks() -> CallbackWorld:
    return CallbackWorld()


def event_invocation(status: int, data: int | None = 7, event: str = "event1") -> CallbackInvocation:
    return CallbackInvocation("told", {"event": event, "event_command_status": status, "user_data": data})


def destructor_invocation(name: str, data: int) -> CallbackInvocation:
    return CallbackInvocation("told", {"memobj": name, "user_data": data})


@pytest.mark.parametrize("status", [SUBMITTED, RUNNING, COMPLETE])
def test_second_callback_of_a_set_event_deviates(callbacks: CallbackWorld, status: int) -> None:
    event = callbacks.create_user_event()
    callbacks.call("clSetEventCallback", event, status, CALLBACK, 7)
    assert callbacks.call("clSetUserEventStatus", event, COMPLETE, callbacks=(event_invocation(status),)) == []
    assert callbacks.wait_for_callback(came=1) == []
    assert callbacks.call("clGetEventInfo", event, 0x11D0, 0, None, None, callbacks=(event_invocation(status),)) == [
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
def test_event_callback_with_unregistered_status_deviates(
    callbacks: CallbackWorld, registered: int, set_to: int, wrong: int
) -> None:
    event = callbacks.create_user_event()
    callbacks.call("clSetEventCallback", event, registered, CALLBACK, 7)
    (deviation,) = callbacks.call("clSetUserEventStatus", event, set_to, callbacks=(event_invocation(wrong),))
    assert deviation == f"clSetEventCallback/success: event_command_status = {wrong}"


@pytest.mark.parametrize(("version", "wrong"), [("3.0", 1), ("1.2", 0)])
def test_event_callback_with_command_status_deviates_only_from_3_0(version: str, wrong: int) -> None:
    told = CallbackWorld(version)
    event = told.create_user_event()
    told.call("clSetEventCallback", event, SUBMITTED, CALLBACK, 7)
    assert len(told.call("clSetUserEventStatus", event, COMPLETE, callbacks=(event_invocation(COMPLETE),))) == wrong


def test_failed_event_may_pass_its_error_to_callback_of_any_status(callbacks: CallbackWorld) -> None:
    event = callbacks.create_user_event()
    callbacks.call("clSetEventCallback", event, RUNNING, CALLBACK, 7)
    assert callbacks.call("clSetUserEventStatus", event, FAILED, callbacks=(event_invocation(FAILED),)) == []


def test_callback_with_different_user_data_or_event_deviates(callbacks: CallbackWorld) -> None:
    event = callbacks.create_user_event()
    callbacks.create_user_event("event2")
    callbacks.call("clSetEventCallback", event, COMPLETE, CALLBACK, 7)
    wrong = event_invocation(COMPLETE, 8, "event2")
    deviations = callbacks.call("clSetUserEventStatus", event, COMPLETE, callbacks=(wrong,))
    assert deviations == ["clSetEventCallback/success: user_data = 8", "clSetEventCallback/success: event = event2"]


@pytest.mark.parametrize(("status", "early"), [(SUBMITTED, False), (RUNNING, True), (COMPLETE, True)])
def test_callback_of_unset_user_event_may_be_called_only_for_status_submitted(
    callbacks: CallbackWorld,
    status: int,
    early: bool,  # noqa: FBT001
) -> None:
    deviations = callbacks.call(
        "clSetEventCallback", callbacks.create_user_event(), status, CALLBACK, 7, callbacks=(event_invocation(status),)
    )
    assert deviations == (["clSetEventCallback/success: called"] if early else [])


def test_callback_of_command_that_waits_for_user_event_deviates(callbacks: CallbackWorld) -> None:
    event = callbacks.enqueue_marker(callbacks.create_user_event())
    early = (event_invocation(COMPLETE, event="event9"),)
    assert callbacks.call("clSetEventCallback", event, COMPLETE, CALLBACK, 7, callbacks=early) == [
        "clSetEventCallback/success: called"
    ]
    asked = callbacks.oracle.model.get(Event, event)
    assert asked.command is not None
    assert asked.command.waits_for_user_event


def test_missing_callback_is_reported_after_the_deadline(callbacks: CallbackWorld) -> None:
    event = callbacks.create_user_event()
    callbacks.call("clSetEventCallback", event, COMPLETE, CALLBACK, 7)
    assert callbacks.wait_for_callback() == []
    callbacks.call("clSetUserEventStatus", event, COMPLETE)
    assert callbacks.wait_for_callback(PATIENCE_MS - 1) == []
    assert callbacks.wait_for_callback(times=0) == []
    assert callbacks.wait_for_callback() == ["clSetEventCallback/success: not called"]


def test_missing_callback_names_the_interpretation_of_deadline(callbacks: CallbackWorld) -> None:
    event = callbacks.create_user_event()
    callbacks.call("clSetEventCallback", event, COMPLETE, CALLBACK, 7)
    callbacks.call("clSetUserEventStatus", event, COMPLETE)
    waited = callbacks.oracle.expect(Call(AWAIT, {"callback": CALLBACK, "times": 1, "milliseconds": PATIENCE_MS}))
    judgement = callbacks.oracle.judge(waited, Returned(0))
    (deviation,) = judgement.deviations
    assert (deviation.confidence, judgement.interpretations) == (
        "interpretation",
        [("callback-timeout", "not called")],
    )
    assert "(interpretation: callback-timeout)" in deviation.allowed[0]


def test_callback_may_be_omitted_if_the_event_failed_before_the_status(callbacks: CallbackWorld) -> None:
    event = callbacks.create_user_event()
    callbacks.call("clSetEventCallback", event, RUNNING, CALLBACK, 7)
    callbacks.call("clSetUserEventStatus", event, FAILED)
    assert callbacks.wait_for_callback() == []


def test_missing_callback_deviates_only_after_release_of_the_event(callbacks: CallbackWorld) -> None:
    event = callbacks.create_user_event()
    callbacks.call("clSetUserEventStatus", event, COMPLETE)
    callbacks.call("clSetEventCallback", event, COMPLETE, CALLBACK, 7)
    assert callbacks.wait_for_callback() == []
    callbacks.call("clReleaseEvent", event)
    assert callbacks.wait_for_callback() == ["clSetEventCallback/success: not called"]


@pytest.mark.parametrize(
    ("function", "record"),
    [("clFlush", "clSetEventCallback/success"), ("clReleaseCommandQueue", "clReleaseCommandQueue/success")],
)
def test_missing_callback_of_flushed_command_deviates(callbacks: CallbackWorld, function: str, record: str) -> None:
    callbacks.call("clSetEventCallback", callbacks.enqueue_marker(), COMPLETE, CALLBACK, 7)
    assert callbacks.wait_for_callback() == []
    callbacks.call(function, Handle("queue1"))
    assert callbacks.wait_for_callback() == [f"{record}: not called"]


def test_release_of_user_event_that_commands_wait_for_is_undefined(callbacks: CallbackWorld) -> None:
    gate = callbacks.create_user_event()
    event = callbacks.enqueue_marker(gate)
    assert "clSetUserEventStatus/usage/1" in callbacks.undefined_reason("clReleaseContext", callbacks.context)
    assert callbacks.undefined_reason("clReleaseEvent", event) == ""
    assert "no longer be set" in callbacks.undefined_reason("clReleaseEvent", gate)
    callbacks.call("clSetUserEventStatus", gate, COMPLETE)
    assert callbacks.undefined_reason("clReleaseContext", callbacks.context) == ""


def create_buffer(callbacks: CallbackWorld, *data: int) -> Handle:
    """Create a buffer with a destructor callback for each user_data."""
    callbacks.call("clCreateBuffer", callbacks.context, 1, 64, None, None, value="mem1")
    for each in data:
        callbacks.call("clSetMemObjectDestructorCallback", Handle("mem1"), CALLBACK, each)
    return Handle("mem1")


def test_destructor_callbacks_in_reverse_order_of_registration_conform(callbacks: CallbackWorld) -> None:
    release = ("clReleaseMemObject", create_buffer(callbacks, 1, 2))
    assert (
        callbacks.call(*release, callbacks=(destructor_invocation("mem1", 2), destructor_invocation("mem1", 1))) == []
    )


def test_destructor_callbacks_in_order_of_registration_deviate(callbacks: CallbackWorld) -> None:
    release = ("clReleaseMemObject", create_buffer(callbacks, 1, 2))
    wrong = ["clSetMemObjectDestructorCallback/success: called before a later one"]
    assert (
        callbacks.call(*release, callbacks=(destructor_invocation("mem1", 1), destructor_invocation("mem1", 2)))
        == wrong
    )


def test_equal_destructor_registrations_may_be_called_in_any_order(callbacks: CallbackWorld) -> None:
    release = ("clReleaseMemObject", create_buffer(callbacks, 5, 5))
    assert (
        callbacks.call(*release, callbacks=(destructor_invocation("mem1", 5), destructor_invocation("mem1", 5))) == []
    )


def test_destructor_callback_before_the_last_release_deviates(callbacks: CallbackWorld) -> None:
    memory = create_buffer(callbacks, 1)
    callbacks.call("clRetainMemObject", memory)
    wrong = ["clSetMemObjectDestructorCallback/success: called"]
    assert callbacks.call("clReleaseMemObject", memory, callbacks=(destructor_invocation("mem1", 1),)) == wrong


def test_missing_build_callback_deviates_after_success_and_failure(callbacks: CallbackWorld) -> None:
    callbacks.call("clCreateProgramWithSource", callbacks.context, 0, None, None, None, value="program1")
    build = ("clBuildProgram", Handle("program1"), 0, None, None, CALLBACK, 3)
    came = CallbackInvocation("told", {"program": "program1", "user_data": 3})
    assert callbacks.call(*build, value=callbacks.world.value("CL_BUILD_PROGRAM_FAILURE"), callbacks=(came,)) == []
    callbacks.call(*build)
    assert callbacks.wait_for_callback(came=1, times=2) == ["clBuildProgram/success: not called"]


def test_kernel_argument_does_not_delay_the_destructor_of_its_buffer(callbacks: CallbackWorld) -> None:
    memory = create_buffer(callbacks, 1)
    callbacks.call("clCreateProgramWithSource", callbacks.context, 0, None, None, None, value="program1")
    callbacks.call("clCreateKernel", Handle("program1"), Text("add_index"), None, value="kernel1")
    callbacks.call("clSetKernelArg", Handle("kernel1"), 0, 8, HandleBytes(memory))
    callbacks.call("clReleaseMemObject", memory)
    assert callbacks.wait_for_callback() == ["clSetKernelArg/effect/1: not called"]


@pytest.mark.parametrize(("held", "wrong"), [(False, 0), (True, 1)])
def test_reused_buffer_handle_deviates_if_a_sub_buffer_retains_it(
    callbacks: CallbackWorld, *, held: bool, wrong: int
) -> None:
    memory = create_buffer(callbacks)
    region = ("clCreateSubBuffer", memory, 0, 0x1220, Data(bytes(8) + b"\x40" + bytes(7)), None)
    if held:
        callbacks.call(*region, value="mem2")
    callbacks.call("clReleaseMemObject", memory)
    assert len(callbacks.call("clCreateBuffer", callbacks.context, 1, 64, None, None, value="mem1")) == wrong


def test_handle_of_released_queue_may_be_reused_while_its_event_exists(callbacks: CallbackWorld) -> None:
    event, queue = callbacks.enqueue_marker(), Handle("queue1")
    callbacks.call("clFinish", queue)
    callbacks.call("clReleaseCommandQueue", queue)
    assert (
        callbacks.call("clCreateCommandQueue", callbacks.context, callbacks.world.device, 0, None, value="queue1") == []
    )
    assert callbacks.call("clReleaseEvent", event) == []
