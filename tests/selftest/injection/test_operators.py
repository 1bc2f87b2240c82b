"""Each operator changes an outcome as described, only at its place and turn, and leaves all others unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls.call import UNTOUCHED, Call, CalledBack, Died, Hung, Outcome, Output, Returned
from clconform.calls.host import AWAIT, READ
from clconform.calls.values import FILL, Callback, Data, Handle, Inside, Items, OutputBuffer
from clconform.selftest.injection.faults import Fault, Seen, Tampering
from clconform.selftest.injection.layer import Layer
from clconform.selftest.injection.operators.every_operator import every_operator
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLES = load()
SEEN = ("platform1", "device1", "device2", "context1", "mem1", "pointer1", "event1")


def value(name: str) -> int:
    return TABLES.enumerants[name].value


def call(function: str, **given: Any) -> Call:
    """Return a call; parameters that are not given are 0 for a number, otherwise NULL."""
    known = TABLES.functions[function].parameters
    return Call(
        function, {each.name: given.get(each.name, None if each.pointers else 0) for each in known} if known else given
    )


def tampering(operator: str, function: str, place: str = "", subject: str = "", turn: int = 0) -> Tampering:
    fault = Fault(operator, function, place, subject, turn)
    return every_operator()[operator].made(fault, TABLES, Seen(SEEN))


def passed(changing: Tampering, *pairs: tuple[Call, Outcome]) -> tuple[list[Outcome], list[Call]]:
    """Return the outcomes that a session receives for these driver outcomes, and the calls that the driver gets."""
    sent: list[Call] = []
    layer = Layer(lambda *_: None)
    layer.tampering = changing

    def answer(outcome: Outcome, asked: Call) -> Outcome:
        sent.append(asked)
        return outcome

    return [layer.through(each, lambda asked, outcome=outcome: answer(outcome, asked)) for each, outcome in pairs], sent


BUFFER = call("clCreateBuffer", context=Handle("context1"), size=4, errcode_ret=OutputBuffer(1))
MADE = Returned("mem2", {"errcode_ret": Output([0], 4)})
NO_SIZE = Returned(None, {"errcode_ret": Output([value("CL_INVALID_BUFFER_SIZE")], 4)})
COUNTED = call("clGetDeviceIDs", devices=OutputBuffer(2), num_devices=OutputBuffer(1), num_entries=2)
TWO = Returned(0, {"devices": Output(["device1", "device2"], 16), "num_devices": Output([2], 4)})
ASKED = call(
    "clGetDeviceInfo",
    device=Handle("device1"),
    param_name=value("CL_DEVICE_TYPE"),
    param_value_size=8,
    param_value=OutputBuffer(8),
    param_value_size_ret=OutputBuffer(1),
)
A_CPU = Returned(0, {"param_value": Output([2], 1, b"\x02"), "param_value_size_ret": Output([8], 8)})
NAMED = call(
    "clGetDeviceInfo", device=Handle("device1"), param_name=value("CL_DEVICE_NAME"), param_value=OutputBuffer(4)
)
ABC = Returned(0, {"param_value": Output(["abc\0"], 4, b"abc\0")})
READ_IT = call("clEnqueueReadBuffer", command_queue=Handle("queue1"), size=4, ptr=OutputBuffer(4))
FOUR = Returned(0, {"ptr": Output([], 4, b"\1\2\3\4")})
FREE = call("clReleaseMemObject", memobj=Handle("mem1"))
SVM = call("clSVMAlloc", context=Handle("context1"), size=64)
POINTER = Returned("pointer2", alignment=64)


def output(outcome: Returned, name: str, *values: Any, raw: bytes = b"") -> Returned:
    changed = msgspec.structs.replace(outcome.outputs[name], values=list(values), raw=raw)
    return outcome.with_outputs(**{name: changed})


FOREIGN = Returned(None, {"errcode_ret": Output([value("CL_INVALID_HOST_PTR")], 4)})


@pytest.mark.parametrize(
    ("words", "asked", "real", "told"),
    [
        (("another-error", "clCreateBuffer", "", "CL_INVALID_BUFFER_SIZE"), BUFFER, NO_SIZE, FOREIGN),
        (("success-for-error", "clCreateBuffer", "", "CL_INVALID_BUFFER_SIZE"), BUFFER, NO_SIZE,
         Returned("mem1", {"errcode_ret": Output([0], 4)})),
        (("error-for-success", "clCreateBuffer", "", "CL_INVALID_CONTEXT"), BUFFER, MADE,
         Returned(None, {"errcode_ret": Output([value("CL_INVALID_CONTEXT")], 4)})),
        (("error-for-success", "clSVMAlloc", "", "NULL"), SVM, POINTER, Returned(None)),
        (("one-more", "clGetDeviceIDs", "num_devices"), COUNTED, TWO, output(TWO, "num_devices", 3)),
        (("one-less", "clGetDeviceIDs", "num_devices"), COUNTED, TWO, output(TWO, "num_devices", 1)),
        (("one-more", "clGetDeviceInfo", "param_value_size_ret", "CL_DEVICE_TYPE"), ASKED, A_CPU,
         output(A_CPU, "param_value_size_ret", 9)),
        (("bit-added", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"), ASKED, A_CPU,
         output(A_CPU, "param_value", 3, raw=b"\3")),
        (("bit-dropped", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"), ASKED, A_CPU,
         output(A_CPU, "param_value", 0, raw=b"\0")),
        (("no-terminator", "clGetDeviceInfo", "param_value", "CL_DEVICE_NAME"), NAMED, ABC,
         output(ABC, "param_value", "abcx", raw=b"abcx")),
        (("wrong-handle", "clCreateBuffer", "result"), BUFFER, MADE, msgspec.structs.replace(MADE, value="mem1")),
        (("wrong-handle", "clGetDeviceIDs", "devices"), COUNTED, TWO, output(TWO, "devices", "device2", "device2")),
        (("misaligned", "clSVMAlloc", "result"), SVM, POINTER, Returned("pointer2", alignment=1)),
        (("past-the-end", "clGetDeviceIDs", "devices"), COUNTED, TWO,
         msgspec.structs.replace(TWO, overrun=["devices"])),
        (("written-on-error", "clCreateBuffer", "result"), BUFFER, NO_SIZE,
         msgspec.structs.replace(NO_SIZE, value="mem1")),
        (("flipped", "clEnqueueReadBuffer", "ptr", "start"), READ_IT, FOUR, output(FOUR, "ptr", raw=b"\x11\2\3\4")),
        (("flipped", "clEnqueueReadBuffer", "ptr", "middle"), READ_IT, FOUR, output(FOUR, "ptr", raw=b"\1\2\x13\4")),
        (("flipped", "clEnqueueReadBuffer", "ptr", "end"), READ_IT, FOUR, output(FOUR, "ptr", raw=b"\1\2\3\x14")),
        (("dropped", "clEnqueueReadBuffer", "ptr", "start"), READ_IT, FOUR,
         Returned(0, {"ptr": Output([], 3, b"\2\3\4")})),
        (("dropped", "clEnqueueReadBuffer", "ptr", "end"), READ_IT, FOUR,
         Returned(0, {"ptr": Output([], 3, b"\1\2\3")})),
        (("shifted", "clEnqueueReadBuffer", "ptr", "middle"), READ_IT, FOUR, output(FOUR, "ptr", raw=b"\1\2\3\3")),
        (("slow", "clCreateBuffer"), BUFFER, MADE, msgspec.structs.replace(MADE, seconds=1.0)),
        (("crash", "clCreateBuffer", "", "", 1), BUFFER, MADE, Died("signal", "SIGSEGV")),
        (("hang", "clCreateBuffer", "", "", 1), BUFFER, MADE, Hung(5.0)),
    ],
)  # fmt: skip
def test_an_outcome_is_changed_as_the_operator_says(
    words: Sequence[Any], asked: Call, real: Outcome, told: Outcome
) -> None:
    changing = tampering(*words)
    assert passed(changing, (asked, real))[0] == [told]
    assert changing.applied == 1


@pytest.mark.parametrize(
    ("words", "asked", "real"),
    [
        (("another-error", "clCreateBuffer", "", "CL_INVALID_CONTEXT"), BUFFER, NO_SIZE),
        (("success-for-error", "clCreateBuffer", "", "CL_INVALID_BUFFER_SIZE"), BUFFER, MADE),
        (("error-for-success", "clCreateBuffer", "", "CL_INVALID_CONTEXT"), BUFFER, NO_SIZE),
        (("one-more", "clGetDeviceInfo", "param_value", "CL_DEVICE_VENDOR_ID"), ASKED, A_CPU),
        (("bit-added", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"), ASKED, Returned(-30)),
        (("wrong-handle", "clCreateContext", "result"), BUFFER, MADE),
        (("past-the-end", "clGetDeviceIDs", "devices"), call("clGetDeviceIDs"), Returned(0)),
        (("written-on-error", "clGetDeviceIDs", "num_devices"), COUNTED, TWO),
        (("crash", "clCreateContext", "", "", 1), BUFFER, MADE),
        (("slow", "clCreateContext"), BUFFER, MADE),
    ],
)
def test_what_a_fault_does_not_fit_passes_as_it_is(words: Sequence[Any], asked: Call, real: Outcome) -> None:
    changing = tampering(*words)
    assert passed(changing, (asked, real)) == ([real], [asked])
    assert changing.applied == 0


def test_a_fault_of_the_second_turn_shows_the_second_time_only() -> None:
    changing = tampering("one-more", "clGetDeviceIDs", "num_devices", turn=2)
    told, _ = passed(changing, (COUNTED, TWO), (COUNTED, TWO), (COUNTED, TWO))
    assert told == [TWO, output(TWO, "num_devices", 3), TWO]


def test_answers_of_before_come_again_once_they_have_changed() -> None:
    gpu = output(A_CPU, "param_value", 4, raw=b"\4")
    told, _ = passed(
        tampering("answer-of-before", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"), (ASKED, A_CPU), (ASKED, gpu)
    )
    assert told == [A_CPU, A_CPU]
    other = msgspec.structs.replace(ASKED, arguments={**ASKED.arguments, "device": Handle("device2")})
    told, _ = passed(
        tampering("answer-of-another", "clGetDeviceInfo", "param_value", "CL_DEVICE_TYPE"), (ASKED, A_CPU), (other, gpu)
    )
    assert told == [A_CPU, A_CPU]


def test_what_would_end_an_object_is_not_sent_where_the_session_will_think_that_it_lives() -> None:
    ended, sent = passed(
        tampering("error-for-success", "clReleaseMemObject", "", "CL_INVALID_MEM_OBJECT"), (FREE, Returned(0))
    )
    assert (ended, sent) == ([Returned(value("CL_INVALID_MEM_OBJECT"))], [])
    assert passed(tampering("not-released", "clReleaseMemObject"), (FREE, Returned(0))) == ([Returned(0)], [])


def test_a_reference_is_counted_twice_by_a_second_call() -> None:
    retain = call("clRetainMemObject", memobj=Handle("mem1"))
    told, sent = passed(tampering("retained-twice", "clRetainMemObject"), (retain, Returned(0)))
    assert (told, sent) == ([Returned(0)], [retain, retain])


def test_memory_overlaps_what_the_function_gave_before() -> None:
    told, _ = passed(
        tampering("overlapping", "clSVMAlloc", "result"), (SVM, POINTER), (SVM, Returned("pointer3", alignment=8))
    )
    assert told == [POINTER, Returned("pointer2", alignment=8)]


def test_a_driver_gets_other_bytes_and_other_lengths() -> None:
    write = call("clEnqueueWriteBuffer", offset=8, size=4, ptr=Data(b"\1\2\3\4"))
    for words, changed in (
        (("dropped", "clEnqueueWriteBuffer", "ptr", "start"), {"ptr": Data(b"\2\3\4" + bytes([FILL]))}),
        (("too-few", "clEnqueueWriteBuffer", "size", "end"), {"size": 3}),
        (("too-far", "clEnqueueWriteBuffer", "offset", "start"), {"size": 3, "offset": 9}),
    ):
        changing = tampering(*words)
        _, sent = passed(changing, (write, Returned(0)))
        assert sent == [call("clEnqueueWriteBuffer", **{"offset": 8, "size": 4, "ptr": Data(b"\1\2\3\4"), **changed})]
        assert changing.applied == 1
    rows = call("clEnqueueCopyBufferRect", region=Items((4, 2, 1)), dst_origin=Items((1, 0, 0)))
    _, sent = passed(tampering("too-far", "clEnqueueCopyBufferRect", "dst_origin", "start"), (rows, Returned(0)))
    assert (sent[0].region, sent[0].dst_origin) == (Items((3, 2, 1)), Items((2, 0, 0)))


def test_bytes_in_memory_are_wrong_where_it_is_read_later() -> None:
    into = call("clEnqueueReadBuffer", size=2, ptr=Inside(Handle("pointer1"), 1))
    look = Call(READ, {"pointer": Handle("pointer1"), "size": 4, "content": OutputBuffer(4)})
    whole = Returned(None, {"content": Output([], 4, b"\1\2\3\4")})
    told, _ = passed(
        tampering("flipped", "clEnqueueReadBuffer", "ptr", "end"), (look, whole), (into, Returned(0)), (look, whole)
    )
    assert told == [whole, Returned(0), Returned(None, {"content": Output([], 4, b"\1\2\x13\4")})]


def test_memory_is_wrong_where_a_fill_has_written_it_or_a_map_returns_it() -> None:
    look = Call(READ, {"pointer": Handle("pointer1"), "size": 2, "content": OutputBuffer(2)})
    whole = Returned(None, {"content": Output([], 2, b"\1\2")})
    wrong = Returned(None, {"content": Output([], 2, b"\x11\2")})
    for function, place, returned, then in (
        ("clEnqueueSVMMemFill", "svm_ptr", Returned(0), wrong),
        ("clEnqueueSVMMap", "svm_ptr", Returned(0), whole),
        ("clEnqueueMapBuffer", "result", Returned("pointer1", {"errcode_ret": Output([0], 4)}), wrong),
    ):
        made = call(function, svm_ptr=Handle("pointer1"), size=2)
        told, _ = passed(tampering("flipped", function, place, "start"), (made, returned), (look, whole))
        assert told[-1] == then


LAUNCH = call("clEnqueueMarker", command_queue=Handle("queue1"), event=OutputBuffer(1))
MARKED = Returned(0, {"event": Output(["event2"], 8)})


def status_of(event: str, query: str, answer: int) -> tuple[Call, Returned]:
    asked = call("clGetEventInfo", event=Handle(event), param_name=value(query), param_value=OutputBuffer(4))
    return asked, Returned(0, {"param_value": Output([answer], 4, answer.to_bytes(4, "little"))})


def test_only_events_of_the_function_tell_of_another_status_or_type() -> None:
    status = "CL_EVENT_COMMAND_EXECUTION_STATUS"
    told, _ = passed(
        tampering("wrong-status", "clEnqueueMarker", "event"),
        (LAUNCH, MARKED),
        status_of("event1", status, 0),
        status_of("event2", status, 0),
        status_of("event2", status, 2),
    )
    assert told[1:] == [status_of("", status, answer)[1] for answer in (0, 1, 0)]
    command = "CL_EVENT_COMMAND_TYPE"
    told, _ = passed(
        tampering("wrong-command-type", "clEnqueueMarker", "event"), (LAUNCH, MARKED), status_of("event2", command, 7)
    )
    assert told[1] == status_of("", command, 8)[1]


def test_a_command_that_is_never_complete_hangs_who_waits_for_it() -> None:
    wait = call("clWaitForEvents", num_events=1, event_list=Items((Handle("event2"),)))
    elsewhere = call("clWaitForEvents", num_events=1, event_list=Items((Handle("event1"),)))
    changing = tampering("never-complete", "clEnqueueMarker", "event")
    told, sent = passed(changing, (LAUNCH, MARKED), (elsewhere, Returned(0)), (wait, Returned(0)))
    assert told == [MARKED, Returned(0), Hung(5.0)]
    assert wait not in sent
    finish = call("clFinish", command_queue=Handle("queue1"))
    assert passed(changing, (finish, Returned(0)))[0] == [Hung(5.0)]


REGISTER = call("clSetEventCallback", event=Handle("event1"), pfn_notify=Callback("told"))
ONCE = CalledBack("told", {"event": "event1", "event_command_status": 0, "user_data": 7})
WAIT = Call(AWAIT, {"callback": Callback("told"), "times": 1, "milliseconds": 9})


@pytest.mark.parametrize(
    ("operator", "subject", "called", "times"),
    [
        ("called-twice", "", [ONCE, ONCE], 2),
        ("never-called", "", [], 0),
        ("called-with-another", "user_data", [CalledBack("told", {**ONCE.arguments, "user_data": 8})], 1),
    ],
)
def test_callbacks_are_called_wrongly(operator: str, subject: str, called: list[CalledBack], times: int) -> None:
    changing = tampering(operator, "clSetEventCallback", "pfn_notify", subject)
    told, _ = passed(changing, (REGISTER, Returned(0)), (WAIT, Returned(1, called_back=[ONCE])))
    assert told[1] == Returned(times, called_back=called)


def test_a_failed_call_leaves_its_output_buffers_as_they_were() -> None:
    failed, _ = passed(tampering("error-for-success", "clGetDeviceIDs", "", "CL_INVALID_PLATFORM"), (COUNTED, TWO))
    (outcome,) = failed
    assert isinstance(outcome, Returned)
    assert outcome.outputs["devices"].values == [UNTOUCHED, UNTOUCHED]
