"""Each operator changes the outcome of the specified call as described, and leaves all other outcomes unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls.call import UNTOUCHED, Call, CallbackInvocation, Died, Hung, Outcome, Output, Returned
from clconform.calls.harness_actions import AWAIT, READ
from clconform.calls.values import FILL_BYTE, Data, ElementList, Handle, HostCallback, OffsetPointer, OutputBuffer
from clconform.selftest.injection.fault import Fault, FaultEffect, LiveObjects
from clconform.selftest.injection.fault_layer import InjectionLayer
from clconform.selftest.injection.operators.every_operator import get_every_operator
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLES = load()
OBJECTS = ("platform1", "device1", "device2", "context1", "mem1", "pointer1", "event1")


def get_value(name: str) -> int:
    return TABLES.enumerants[name].value


def make_call(function: str, **given: Any) -> Call:
    """Return a call of a function; arguments that are not given are 0 for numbers, and NULL for pointers."""
    known = TABLES.functions[function].parameters
    return Call(
        function, {each.name: given.get(each.name, None if each.pointers else 0) for each in known} if known else given
    )


def make_effect(operator: str, function: str, place: str = "", subject: str = "", turn: int = 0) -> FaultEffect:
    fault = Fault(operator, function, place, subject, turn)
    return get_every_operator()[operator].effect(fault, TABLES, LiveObjects(OBJECTS))


def pass_through(changing: FaultEffect, *pairs: tuple[Call, Outcome]) -> tuple[list[Outcome], list[Call]]:
    """Return the outcomes that a session receives for these calls and driver outcomes, and the calls that were sent."""
    sent: list[Call] = []
    layer = InjectionLayer(lambda *_: None)
    layer.tampering = changing

    def answer(outcome: Outcome, asked: Call) -> Outcome:
        sent.append(asked)
        return outcome

    return [
        layer.make_call(each, lambda asked, outcome=outcome: answer(outcome, asked)) for each, outcome in pairs
    ], sent


BUFFER = make_call("clCreateBuffer", context=Handle("context1"), size=4, errcode_ret=OutputBuffer(1))
CREATED = Returned("mem2", {"errcode_ret": Output([0], 4)})
INVALID_SIZE = Returned(None, {"errcode_ret": Output([get_value("CL_INVALID_BUFFER_SIZE")], 4)})
DEVICE_QUERY = make_call("clGetDeviceIDs", devices=OutputBuffer(2), num_devices=OutputBuffer(1), num_entries=2)
TWO = Returned(0, {"devices": Output(["device1", "device2"], 16), "num_devices": Output([2], 4)})
TYPE_QUERY = make_call(
    "clGetDeviceInfo",
    device=Handle("device1"),
    param_name=get_value("CL_DEVICE_TYPE"),
    param_value_size=8,
    param_value=OutputBuffer(8),
    param_value_size_ret=OutputBuffer(1),
)
CPU_TYPE = Returned(0, {"param_value": Output([2], 1, b"\x02"), "param_value_size_ret": Output([8], 8)})
NAME_QUERY = make_call(
    "clGetDeviceInfo", device=Handle("device1"), param_name=get_value("CL_DEVICE_NAME"), param_value=OutputBuffer(4)
)
NAME_ABC = Returned(0, {"param_value": Output(["abc\0"], 4, b"abc\0")})
READ_CALL = make_call("clEnqueueReadBuffer", command_queue=Handle("queue1"), size=4, ptr=OutputBuffer(4))
FOUR_BYTES = Returned(0, {"ptr": Output([], 4, b"\1\2\3\4")})
RELEASE = make_call("clReleaseMemObject", memobj=Handle("mem1"))
SVM_ALLOCATION = make_call("clSVMAlloc", context=Handle("context1"), size=64)
POINTER = Returned("pointer2", alignment=64)


def change_output(outcome: Returned, name: str, *values: Any, raw: bytes = b"") -> Returned:
    changed = msgspec.structs.replace(outcome.outputs[name], values=list(values), raw=raw)
    return outcome.with_outputs(**{name: changed})


INVALID_HOST_PTR = Returned(None, {"errcode_ret": Output([get_value("CL_INVALID_HOST_PTR")], 4)})


@pytest.mark.parametrize(
    ("words", "asked", "real", "told"),
    [
        (("another-error", "clCreateBuffer", "", "CL_INVALID_BUFFER_SIZE"), BUFFER, INVALID_SIZE, INVALID_HOST_PTR),
        (
            ("success-for-error", "clCreateBuffer", "", "CL_INVALID_BUFFER_SIZE"),
            BUFFER,
            INVALID_SIZE,
            Returned("mem1", {"errcode_ret": Output([0], 4)}),
        ),
        (
            ("error-for-success", "clCreateBuffer", "", "CL_INVALID_CONTEXT"),
            BUFFER,
            CREATED,
            Returned(None, {"errcode_ret": Output([get_value("CL_INVALID_CONTEXT")], 4)}),
        ),
        (("error-for-success", "clSVMAlloc", "", "NULL"), SVM_ALLOCATION, POINTER, Returned(None)),
        (("one-more", "clGetDeviceIDs", "num_devices"), DEVICE_QUERY, TWO, change_output(TWO, "num_devices", 3)),
        (("one-less", "clGetDeviceIDs", "num_devices"), DEVICE_QUERY, TWO, change_output(TWO, "num_devices", 1)),
        (
            ("one-more", "clGetDeviceInfo", "param_value_size_ret", "CL_DEVICE_TYPE"),
            TYPE_QUERY,
            CPU_TYPE,
            change_output(CPU_TYPE, "param_value_size_ret", 9),
        ),
        (
            ("bit-added", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"),
            TYPE_QUERY,
            CPU_TYPE,
            change_output(CPU_TYPE, "param_value", 3, raw=b"\3"),
        ),
        (
            ("bit-dropped", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"),
            TYPE_QUERY,
            CPU_TYPE,
            change_output(CPU_TYPE, "param_value", 0, raw=b"\0"),
        ),
        (
            ("no-terminator", "clGetDeviceInfo", "param_value", "CL_DEVICE_NAME"),
            NAME_QUERY,
            NAME_ABC,
            change_output(NAME_ABC, "param_value", "abcx", raw=b"abcx"),
        ),
        (("wrong-handle", "clCreateBuffer", "result"), BUFFER, CREATED, msgspec.structs.replace(CREATED, value="mem1")),
        (
            ("wrong-handle", "clGetDeviceIDs", "devices"),
            DEVICE_QUERY,
            TWO,
            change_output(TWO, "devices", "device2", "device2"),
        ),
        (("misaligned", "clSVMAlloc", "result"), SVM_ALLOCATION, POINTER, Returned("pointer2", alignment=1)),
        (
            ("past-the-end", "clGetDeviceIDs", "devices"),
            DEVICE_QUERY,
            TWO,
            msgspec.structs.replace(TWO, overrun=["devices"]),
        ),
        (
            ("written-on-error", "clCreateBuffer", "result"),
            BUFFER,
            INVALID_SIZE,
            msgspec.structs.replace(INVALID_SIZE, value="mem1"),
        ),
        (
            ("flipped", "clEnqueueReadBuffer", "ptr", "start"),
            READ_CALL,
            FOUR_BYTES,
            change_output(FOUR_BYTES, "ptr", raw=b"\x11\2\3\4"),
        ),
        (
            ("flipped", "clEnqueueReadBuffer", "ptr", "middle"),
            READ_CALL,
            FOUR_BYTES,
            change_output(FOUR_BYTES, "ptr", raw=b"\1\2\x13\4"),
        ),
        (
            ("flipped", "clEnqueueReadBuffer", "ptr", "end"),
            READ_CALL,
            FOUR_BYTES,
            change_output(FOUR_BYTES, "ptr", raw=b"\1\2\3\x14"),
        ),
        (
            ("dropped", "clEnqueueReadBuffer", "ptr", "start"),
            READ_CALL,
            FOUR_BYTES,
            Returned(0, {"ptr": Output([], 3, b"\2\3\4")}),
        ),
        (
            ("dropped", "clEnqueueReadBuffer", "ptr", "end"),
            READ_CALL,
            FOUR_BYTES,
            Returned(0, {"ptr": Output([], 3, b"\1\2\3")}),
        ),
        (
            ("shifted", "clEnqueueReadBuffer", "ptr", "middle"),
            READ_CALL,
            FOUR_BYTES,
            change_output(FOUR_BYTES, "ptr", raw=b"\1\2\3\3"),
        ),
        (("slow", "clCreateBuffer"), BUFFER, CREATED, msgspec.structs.replace(CREATED, seconds=1.0)),
        (("crash", "clCreateBuffer", "", "", 1), BUFFER, CREATED, Died("signal", "SIGSEGV")),
        (("hang", "clCreateBuffer", "", "", 1), BUFFER, CREATED, Hung(5.0)),
    ],
)
def test_operator_changes_matching_outcome_as_described(
    words: Sequence[Any], asked: Call, real: Outcome, told: Outcome
) -> None:
    changing = make_effect(*words)
    assert pass_through(changing, (asked, real))[0] == [told]
    assert changing.applied == 1


@pytest.mark.parametrize(
    ("words", "asked", "real"),
    [
        (("another-error", "clCreateBuffer", "", "CL_INVALID_CONTEXT"), BUFFER, INVALID_SIZE),
        (("success-for-error", "clCreateBuffer", "", "CL_INVALID_BUFFER_SIZE"), BUFFER, CREATED),
        (("error-for-success", "clCreateBuffer", "", "CL_INVALID_CONTEXT"), BUFFER, INVALID_SIZE),
        (("one-more", "clGetDeviceInfo", "param_value", "CL_DEVICE_VENDOR_ID"), TYPE_QUERY, CPU_TYPE),
        (("bit-added", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"), TYPE_QUERY, Returned(-30)),
        (("wrong-handle", "clCreateContext", "result"), BUFFER, CREATED),
        (("past-the-end", "clGetDeviceIDs", "devices"), make_call("clGetDeviceIDs"), Returned(0)),
        (("written-on-error", "clGetDeviceIDs", "num_devices"), DEVICE_QUERY, TWO),
        (("crash", "clCreateContext", "", "", 1), BUFFER, CREATED),
        (("slow", "clCreateContext"), BUFFER, CREATED),
    ],
)
def test_operator_does_not_change_call_or_outcome_without_match(
    words: Sequence[Any], asked: Call, real: Outcome
) -> None:
    changing = make_effect(*words)
    assert pass_through(changing, (asked, real)) == ([real], [asked])
    assert changing.applied == 0


def test_fault_with_occurrence_2_affects_only_the_second_call() -> None:
    changing = make_effect("one-more", "clGetDeviceIDs", "num_devices", turn=2)
    told, _ = pass_through(changing, (DEVICE_QUERY, TWO), (DEVICE_QUERY, TWO), (DEVICE_QUERY, TWO))
    assert told == [TWO, change_output(TWO, "num_devices", 3), TWO]


def test_query_returns_value_of_earlier_query_or_of_other_object() -> None:
    gpu = change_output(CPU_TYPE, "param_value", 4, raw=b"\4")
    told, _ = pass_through(
        make_effect("answer-of-before", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"),
        (TYPE_QUERY, CPU_TYPE),
        (TYPE_QUERY, gpu),
    )
    assert told == [CPU_TYPE, CPU_TYPE]
    other = msgspec.structs.replace(TYPE_QUERY, arguments={**TYPE_QUERY.arguments, "device": Handle("device2")})
    told, _ = pass_through(
        make_effect("answer-of-another", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"),
        (TYPE_QUERY, CPU_TYPE),
        (other, gpu),
    )
    assert told == [CPU_TYPE, CPU_TYPE]


def test_release_with_injected_fault_is_not_sent_to_the_driver() -> None:
    ended, sent = pass_through(
        make_effect("error-for-success", "clReleaseMemObject", "", "CL_INVALID_MEM_OBJECT"), (RELEASE, Returned(0))
    )
    assert (ended, sent) == ([Returned(get_value("CL_INVALID_MEM_OBJECT"))], [])
    assert pass_through(make_effect("not-released", "clReleaseMemObject"), (RELEASE, Returned(0))) == (
        [Returned(0)],
        [],
    )


def test_retained_twice_operator_sends_the_retain_call_twice() -> None:
    retain = make_call("clRetainMemObject", memobj=Handle("mem1"))
    told, sent = pass_through(make_effect("retained-twice", "clRetainMemObject"), (retain, Returned(0)))
    assert (told, sent) == ([Returned(0)], [retain, retain])


def test_overlapping_operator_returns_pointer_of_earlier_allocation() -> None:
    told, _ = pass_through(
        make_effect("overlapping", "clSVMAlloc", "result"),
        (SVM_ALLOCATION, POINTER),
        (SVM_ALLOCATION, Returned("pointer3", alignment=8)),
    )
    assert told == [POINTER, Returned("pointer2", alignment=8)]


def test_driver_receives_changed_bytes_sizes_and_offsets() -> None:
    write = make_call("clEnqueueWriteBuffer", offset=8, size=4, ptr=Data(b"\1\2\3\4"))
    for words, changed in (
        (("dropped", "clEnqueueWriteBuffer", "ptr", "start"), {"ptr": Data(b"\2\3\4" + bytes([FILL_BYTE]))}),
        (("too-few", "clEnqueueWriteBuffer", "size", "end"), {"size": 3}),
        (("too-far", "clEnqueueWriteBuffer", "offset", "start"), {"size": 3, "offset": 9}),
    ):
        changing = make_effect(*words)
        _, sent = pass_through(changing, (write, Returned(0)))
        assert sent == [
            make_call("clEnqueueWriteBuffer", **{"offset": 8, "size": 4, "ptr": Data(b"\1\2\3\4"), **changed})
        ]
        assert changing.applied == 1
    rows = make_call("clEnqueueCopyBufferRect", region=ElementList((4, 2, 1)), dst_origin=ElementList((1, 0, 0)))
    _, sent = pass_through(
        make_effect("too-far", "clEnqueueCopyBufferRect", "dst_origin", "start"), (rows, Returned(0))
    )
    assert (sent[0].region, sent[0].dst_origin) == (ElementList((3, 2, 1)), ElementList((2, 0, 0)))


def test_fault_changes_bytes_of_a_read_command_when_the_host_reads_them_later() -> None:
    into = make_call("clEnqueueReadBuffer", size=2, ptr=OffsetPointer(Handle("pointer1"), 1))
    look = Call(READ, {"pointer": Handle("pointer1"), "size": 4, "content": OutputBuffer(4)})
    whole = Returned(None, {"content": Output([], 4, b"\1\2\3\4")})
    told, _ = pass_through(
        make_effect("flipped", "clEnqueueReadBuffer", "ptr", "end"), (look, whole), (into, Returned(0)), (look, whole)
    )
    assert told == [whole, Returned(0), Returned(None, {"content": Output([], 4, b"\1\2\x13\4")})]


def test_filled_or_mapped_memory_is_changed_in_later_reads() -> None:
    look = Call(READ, {"pointer": Handle("pointer1"), "size": 2, "content": OutputBuffer(2)})
    whole = Returned(None, {"content": Output([], 2, b"\1\2")})
    wrong = Returned(None, {"content": Output([], 2, b"\x11\2")})
    for function, place, returned, then in (
        ("clEnqueueSVMMemFill", "svm_ptr", Returned(0), wrong),
        ("clEnqueueSVMMap", "svm_ptr", Returned(0), whole),
        ("clEnqueueMapBuffer", "result", Returned("pointer1", {"errcode_ret": Output([0], 4)}), wrong),
    ):
        made = make_call(function, svm_ptr=Handle("pointer1"), size=2)
        told, _ = pass_through(make_effect("flipped", function, place, "start"), (made, returned), (look, whole))
        assert told[-1] == then


MARKER = make_call("clEnqueueMarker", command_queue=Handle("queue1"), event=OutputBuffer(1))
MARKER_ENQUEUED = Returned(0, {"event": Output(["event2"], 8)})


def make_event_query(event: str, query: str, answer: int) -> tuple[Call, Returned]:
    asked = make_call("clGetEventInfo", event=Handle(event), param_name=get_value(query), param_value=OutputBuffer(4))
    return asked, Returned(0, {"param_value": Output([answer], 4, answer.to_bytes(4, "little"))})


def test_status_and_type_are_changed_only_for_events_of_the_function() -> None:
    status = "CL_EVENT_COMMAND_EXECUTION_STATUS"
    told, _ = pass_through(
        make_effect("wrong-status", "clEnqueueMarker", "event"),
        (MARKER, MARKER_ENQUEUED),
        make_event_query("event1", status, 0),
        make_event_query("event2", status, 0),
        make_event_query("event2", status, 2),
    )
    assert told[1:] == [make_event_query("", status, answer)[1] for answer in (0, 1, 0)]
    command = "CL_EVENT_COMMAND_TYPE"
    told, _ = pass_through(
        make_effect("wrong-command-type", "clEnqueueMarker", "event"),
        (MARKER, MARKER_ENQUEUED),
        make_event_query("event2", command, 7),
    )
    assert told[1] == make_event_query("", command, 8)[1]


def test_wait_for_a_never_complete_command_hangs() -> None:
    wait = make_call("clWaitForEvents", num_events=1, event_list=ElementList((Handle("event2"),)))
    elsewhere = make_call("clWaitForEvents", num_events=1, event_list=ElementList((Handle("event1"),)))
    changing = make_effect("never-complete", "clEnqueueMarker", "event")
    told, sent = pass_through(changing, (MARKER, MARKER_ENQUEUED), (elsewhere, Returned(0)), (wait, Returned(0)))
    assert told == [MARKER_ENQUEUED, Returned(0), Hung(5.0)]
    assert wait not in sent
    finish = make_call("clFinish", command_queue=Handle("queue1"))
    assert pass_through(changing, (finish, Returned(0)))[0] == [Hung(5.0)]


REGISTRATION = make_call("clSetEventCallback", event=Handle("event1"), pfn_notify=HostCallback("told"))
ONCE = CallbackInvocation("told", {"event": "event1", "event_command_status": 0, "user_data": 7})
WAIT = Call(AWAIT, {"callback": HostCallback("told"), "times": 1, "milliseconds": 9})


@pytest.mark.parametrize(
    ("operator", "subject", "called", "times"),
    [
        ("called-twice", "", [ONCE, ONCE], 2),
        ("never-called", "", [], 0),
        ("called-with-another", "user_data", [CallbackInvocation("told", {**ONCE.arguments, "user_data": 8})], 1),
    ],
)
def test_reported_callbacks_are_repeated_dropped_or_changed(
    operator: str, subject: str, called: list[CallbackInvocation], times: int
) -> None:
    changing = make_effect(operator, "clSetEventCallback", "pfn_notify", subject)
    told, _ = pass_through(changing, (REGISTRATION, Returned(0)), (WAIT, Returned(1, callbacks=[ONCE])))
    assert told[1] == Returned(times, callbacks=called)


def test_call_changed_to_failure_leaves_output_buffers_unwritten() -> None:
    failed, _ = pass_through(
        make_effect("error-for-success", "clGetDeviceIDs", "", "CL_INVALID_PLATFORM"), (DEVICE_QUERY, TWO)
    )
    (outcome,) = failed
    assert isinstance(outcome, Returned)
    assert outcome.outputs["devices"].values == [UNTOUCHED, UNTOUCHED]
