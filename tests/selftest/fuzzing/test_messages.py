"""Invalid replies of a driver count as garbage, and invalid requests are refused; the fuzzer found some cases."""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import GARBAGE, Absent, Begun, Call, Died, Hung, Returned
from clconform.calls.harness_actions import ALLOCATE, AWAIT
from clconform.calls.protocol import (
    AwaitCall,
    BeginCall,
    CallEnded,
    CallPending,
    ConcurrentOutcomes,
    DeviceIdentity,
    ForgetObjects,
    KeepObject,
    MakeCall,
    MakeConcurrentCalls,
    PlatformIdentity,
    RestoreObject,
    TargetReached,
    TargetUnreachable,
)
from clconform.calls.signature_check import ArgumentTypes
from clconform.calls.values import (
    BusAddresses,
    Data,
    ElementList,
    Handle,
    HostCallback,
    OffsetPointer,
    OutputBuffer,
    Pointers,
    Text,
)
from clconform.harness import BadCall, HarnessError, StartError, Target
from clconform.harness.null_driver import null_driver
from clconform.harness.worker_process import WorkerProcess
from clconform.selftest.fuzzing.exchanges import Exchange
from clconform.selftest.fuzzing.message_mutations import MSGPACK_VALUES
from clconform.selftest.fuzzing.mutations import change_tree
from clconform.selftest.fuzzing.replay_session import RecordedAnswers, ReplayWorker
from clconform.selftest.fuzzing.request_replay import fulfil_request
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.protocol import Request
    from clconform.calls.values import Value
    from clconform.harness.driver import Driver

encode = msgspec.msgpack.encode
CALL = Call("clFinish", {"command_queue": Handle("queue1")})
PLATFORM_SEEN = PlatformIdentity(
    "platform1", "p", "v", "OpenCL 3.0", "", "", [DeviceIdentity("device1", "d", 2, "OpenCL 3.0", "1", 1)]
)
GREETING = Exchange(b"", encode(TargetReached("direct", "", [], [PLATFORM_SEEN])))
TARGET = Target.simulated("recorded")


def make_word(index: int, value: int) -> tuple[int, bytes]:
    """Return the offset and the bytes of a write to one word in the header of the shared memory."""
    return 4 * index, value.to_bytes(4, "little")


INVALID_ANSWERS: dict[str, bytes] = {
    "bytes that are no text": b"\x82\xa2is\xa8returned\xa5value\xa2\xff\xfe",
    "a name that is no text": b"\x81\xa1\xff\xc0",
    "nothing that MessagePack knows": b"\xc1",
    "half": encode(Returned(0))[:-3],
    "two": encode(Returned(0)) * 2,
    "nested lists": b"\x91" * 100_000 + b"\xc0",
    "nested values": b"\x82\xa2is\xa8returned\xa5value" + b"\x91" * 100_000 + b"\xc0",
    "a list without an end": b"\xdd\xff\xff\xff\xff",
    "a text without an end": b"\xdb\xff\xff\xff\xff",
    "a number": b"\x01",
    "another type": encode({"is": "returned", "value": []}),
    "no tag": encode({"value": 0}),
    "an unknown tag": encode({"is": "fine", "value": 0}),
    "a greeting": GREETING.answer,
    "the outcomes of concurrent calls": encode(ConcurrentOutcomes([Returned(0)])),
    "the begin of a call": encode(Begun(1)),
    "a call under way": encode(CallPending()),
}


@pytest.mark.parametrize("name", INVALID_ANSWERS)
def test_invalid_reply_of_driver_counts_as_garbage(name: str) -> None:
    exchanges = [GREETING, Exchange(encode(MakeCall(CALL)), INVALID_ANSWERS[name])]
    with ReplayWorker(TARGET, RecordedAnswers(exchanges)) as worker:
        assert worker.call(CALL) == Died(GARBAGE, "", "")
        assert not worker.is_alive


MISMATCHED_ANSWERS: dict[str, tuple[Request, bytes]] = {
    "together, one too few": (MakeConcurrentCalls([CALL, CALL]), encode(ConcurrentOutcomes([Returned(0)]))),
    "together, one too many": (MakeConcurrentCalls([CALL]), encode(ConcurrentOutcomes([Returned(0)] * 2))),
    "together": (MakeConcurrentCalls([CALL]), encode(Returned(0))),
    "begin": (BeginCall(1, CALL), encode(Returned(0))),
    "end": (AwaitCall(1, 0.0), encode(Returned(0))),
    "take back": (RestoreObject(0), encode(Absent("no-entry", ""))),
}


@pytest.mark.parametrize("name", MISMATCHED_ANSWERS)
def test_reply_to_another_request_counts_as_garbage(name: str) -> None:
    asked, answer = MISMATCHED_ANSWERS[name]
    with ReplayWorker(TARGET, RecordedAnswers([GREETING, Exchange(encode(asked), answer)])) as worker:
        match asked:
            case MakeConcurrentCalls(calls):
                assert worker.call_concurrently(calls) == [Died(GARBAGE, "", "")] * len(calls)
            case BeginCall(host_thread, call):
                assert worker.start_on_thread(host_thread, call) == Died(GARBAGE, "", "")
            case AwaitCall(host_thread, seconds):
                assert worker.poll_thread(host_thread, seconds) == Died(GARBAGE, "", "")
            case RestoreObject(number):
                assert worker.take_back(number) == Died(GARBAGE, "", "")
        assert not worker.is_alive


EXIT_STATUSES: dict[int, tuple[str, str]] = {
    0: ("exit", "0"),
    3 << 8: ("exit", "3"),
    9: ("killed", "SIGKILL"),
    11: ("signal", "SIGSEGV"),
    0x80 | 6: ("abort", "SIGABRT"),
    0x137F: (GARBAGE, ""),  # status of a stopped process
    0xFFFF: (GARBAGE, ""),  # status of a continued process
    1 << 16: (GARBAGE, ""),
    (1 << 31) - 1: (GARBAGE, ""),
    1 << 31: (GARBAGE, ""),
    (1 << 32) - 1: (GARBAGE, ""),
}


@pytest.mark.parametrize("status", EXIT_STATUSES)
def test_exit_status_is_decoded_or_counts_as_garbage(status: int) -> None:
    with ReplayWorker(TARGET, RecordedAnswers([GREETING, Exchange(encode(MakeCall(CALL)), b"", [], status)])) as worker:
        assert worker.call(CALL) == Died(*EXIT_STATUSES[status], "")


HEADER_WRITES: dict[str, tuple[tuple[int, bytes], ...]] = {
    "a process that is not its own": (make_word(1, 1),),
    "a process that cannot be": (make_word(1, (1 << 32) - 1),),
    "no process": (make_word(1, 0),),
}


@pytest.mark.parametrize("name", HEADER_WRITES)
def test_header_changed_before_first_message_does_not_crash_the_runner(name: str) -> None:
    start = Exchange(b"", GREETING.answer, list(HEADER_WRITES[name]))
    with ReplayWorker(
        TARGET, RecordedAnswers([start, Exchange(encode(MakeCall(CALL)), encode(Returned(0)))])
    ) as worker:
        assert worker.pid == os.getpid(), "the process that was started, as the id is no child of it"
        assert worker.call(CALL) == Returned(0)
    died = Exchange(b"", b"", list(HEADER_WRITES[name]), 11)
    with pytest.raises(HarnessError) as raised:
        ReplayWorker(TARGET, RecordedAnswers([died]))
    assert not isinstance(raised.value, StartError), "no call was told of"


def test_call_has_an_outcome_despite_writes_to_the_header() -> None:
    for index in (0, 1, 2, 3, *range(16, 24), *range(32, 40)):
        for value in (0, 1, 2, 77, (1 << 31) - 1, (1 << 32) - 1):
            written = Exchange(encode(MakeCall(CALL)), encode(Returned(0)), [make_word(index, value)])
            with ReplayWorker(TARGET, RecordedAnswers([GREETING, written])) as worker:
                outcome = worker.call(CALL)
                assert isinstance(outcome, (Returned, Died, Hung)), (index, value)
                if worker.is_alive:
                    assert isinstance(worker.call(CALL), (Returned, Died, Hung)), (index, value)


INVALID_GREETINGS: dict[str, bytes] = {
    "an outcome": encode(Returned(0)),
    "no text": b"\x82\xa3say\xabunreachable\xa6reason\xa2\xff\xfe",
    "nested": b"\x82\xa3say\xa7reached\xa6access" + b"\x91" * 100_000,
    "nothing to test": encode(TargetUnreachable("\x1b[2J\n")),
    "no platform": encode(TargetReached("direct", "", [], [])),
    "nothing": b"",
}


@pytest.mark.parametrize("name", INVALID_GREETINGS)
def test_invalid_first_message_of_worker_raises_harness_error(name: str) -> None:
    with pytest.raises(HarnessError) as raised:
        ReplayWorker(TARGET, RecordedAnswers([Exchange(b"", INVALID_GREETINGS[name])]))
    assert str(raised.value).isprintable()


def make_harness_action(function: str, *values: Value) -> MakeCall:
    names = {ALLOCATE: ("size", "alignment"), AWAIT: ("callback", "times", "milliseconds")}[function]
    return MakeCall(Call(function, dict(zip(names, values, strict=False))))


def make_finish(value: Value) -> MakeCall:
    return MakeCall(Call("clFinish", {"command_queue": value}))


def make_info_query(value: Value, size: Value = 4) -> MakeCall:
    names = ("device", "param_name", "param_value_size", "param_value", "param_value_size_ret")
    return MakeCall(
        Call("clGetDeviceInfo", dict(zip(names, (Handle("device1"), 0x1000, size, value, None), strict=True)))
    )


REFUSED_REQUESTS: dict[str, Request] = {
    "a callback for a handle": make_finish(HostCallback("c")),
    "memory for a number": make_info_query(OutputBuffer(4), ElementList((1,))),
    "a callback for memory": make_info_query(HostCallback("c")),
    "an unknown function": MakeCall(Call("clNope", {})),
    "no arguments": MakeCall(Call("clFinish", {})),
    "a number for a handle": make_finish(1),
    "a text for a handle": make_finish(Text("x")),
    "an unknown handle": make_finish(Handle("queue99")),
    "an offset into nothing": make_finish(OffsetPointer(Handle("queue99"), 1)),
    "a size of no number": make_info_query(OutputBuffer(4), None),
    "a large output": make_info_query(OutputBuffer(1 << 62)),
    "a negative output": make_info_query(OutputBuffer(-1)),
    "an offset beyond everything": make_info_query(OffsetPointer(Handle("device1"), (1 << 64) - 1)),
    "bus addresses beyond everything": make_info_query(
        BusAddresses(OffsetPointer(Handle("device1"), (1 << 64) - 1), 0)
    ),
    "addresses beyond everything": make_info_query(Pointers((OffsetPointer(Handle("device1"), (1 << 64) - 1),))),
    "negative addresses": make_info_query(Pointers((OffsetPointer(Handle("device1"), -(1 << 64)),))),
    "an area of no size": make_harness_action(ALLOCATE, 0, 1),
    "an area of no number": make_harness_action(ALLOCATE, Handle("device1"), 1),
    "an area without an alignment": make_harness_action(ALLOCATE, 4),
    "an area at a multiple of everything": make_harness_action(ALLOCATE, 4, 1 << 63),
    "an alignment of no number": make_harness_action(ALLOCATE, 4, ElementList((1,))),
    "a wait for nothing": make_harness_action(AWAIT, None, 1, 1),
    "a wait of no number": make_harness_action(AWAIT, HostCallback("c"), Data(b""), 1),
    "a wait of no time": make_harness_action(AWAIT, HostCallback("c"), 1, ElementList(())),
    "a parameter too many": MakeCall(Call(ALLOCATE, {"size": 4, "alignment": 4, "x": 1})),
    "a wait for ever": make_harness_action(AWAIT, HostCallback("c"), 1, 1 << 63),
    "a step of the session": MakeCall(Call("host_join", {"host_thread": 1})),
    "a host_thread of nothing": AwaitCall(7, 0.0),
    "nothing put aside": RestoreObject(1 << 63),
    "an unknown name to put aside": KeepObject("queue99"),
    "a call that is not there": BeginCall(1, Call("clNope", {})),
    "one call that is not there": MakeConcurrentCalls([CALL, Call("clNope", {})]),
}


@pytest.fixture
def driver() -> Iterator[Driver]:
    """Return a null driver with three devices and three command-queues."""
    process = WorkerProcess(Target.null())
    try:
        yield null_driver(process, load(), {"cl_device_id": 3, "cl_command_queue": 3})
    finally:
        process.close()


@pytest.mark.parametrize("name", REFUSED_REQUESTS)
def test_impossible_call_is_refused_without_internal_error(driver: Driver, name: str) -> None:
    with pytest.raises(BadCall) as raised:
        fulfil_request(driver, REFUSED_REQUESTS[name])
    assert "internal error" not in str(raised.value)
    assert isinstance(fulfil_request(driver, MakeCall(CALL)), Returned), "the process continues"


def test_null_driver_replies_to_possible_calls(driver: Driver) -> None:
    """Without this test, the tests of refused requests would also pass if the null driver refused every call."""
    for request in (MakeCall(CALL), make_info_query(OutputBuffer(4)), make_harness_action(ALLOCATE, 4, 8)):
        assert isinstance(fulfil_request(driver, request), Returned)
    assert fulfil_request(driver, MakeConcurrentCalls([])) == []
    assert fulfil_request(driver, ForgetObjects(["nothing"])) is None
    assert isinstance(fulfil_request(driver, BeginCall(1, CALL)), Begun)
    assert isinstance(fulfil_request(driver, AwaitCall(1, 5.0)), CallEnded)


INVALID_FORMS: dict[str, tuple[Value, Value]] = {
    "a number for a handle": (1, 4),
    "memory for a handle": (ElementList(()), 4),
    "a handle for a number": (Handle("device1"), Handle("device1")),
    "nothing for a number": (Handle("device1"), None),
    "memory for a number": (Handle("device1"), OutputBuffer(1)),
    "an address for a number": (Handle("device1"), OffsetPointer(Handle("pointer1"), 1)),
    "a number of too many bits": (Handle("device1"), 1 << 64),
}


@pytest.mark.parametrize("name", INVALID_FORMS)
def test_argument_of_unsuitable_kind_is_rejected_before_judging(name: str) -> None:
    device, size = INVALID_FORMS[name]
    forms = ArgumentTypes(load())
    right = make_info_query(OutputBuffer(4)).call
    wrong = Call(right.function, {**right.arguments, "device": device, "param_value_size": size})
    assert forms.find_mismatch(right) == ""
    assert forms.find_mismatch(wrong).startswith("clGetDeviceInfo: ")


def test_mutation_does_not_change_its_source_values() -> None:
    """Otherwise, equal seeds would not give equal mutated inputs."""
    before = repr(MSGPACK_VALUES)
    chance = Random(1)  # noqa: S311 (not for security)
    tree: object = []
    for _ in range(3000):
        try:
            tree = change_tree(tree, chance, MSGPACK_VALUES)
        except RecursionError:
            tree = []
    assert repr(MSGPACK_VALUES) == before
