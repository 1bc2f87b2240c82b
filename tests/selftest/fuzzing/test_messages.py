"""Invalid answers count as garbage from the driver, and invalid requests are refused; rows of findings."""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import GARBAGE, Absent, Begun, Call, Died, Hung, Returned
from clconform.calls.fitting import ArgumentForms
from clconform.calls.host import ALLOCATE, AWAIT
from clconform.calls.protocol import (
    Ask,
    AskTogether,
    BeginOn,
    DeviceSeen,
    Ended,
    EndOn,
    Forget,
    PlatformSeen,
    PutAside,
    Reached,
    Refused,
    TakeBack,
    Together,
    UnderWay,
    Unreachable,
    Witnessed,
)
from clconform.calls.values import BusAddresses, Callback, Data, Handle, Inside, Items, OutputBuffer, Pointers, Text
from clconform.harness import HarnessError, StartError, Target
from clconform.harness.idle import idle_driver
from clconform.harness.worker import answer_to
from clconform.selftest.fuzzing.exchanges import Exchange
from clconform.selftest.fuzzing.feeding import Answers, FedWorker
from clconform.selftest.fuzzing.mutating import changed_tree
from clconform.selftest.fuzzing.mutating_messages import MSGPACK_VALUES
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.protocol import Request
    from clconform.calls.values import Value

encode = msgspec.msgpack.encode
CALL = Call("clFinish", {"command_queue": Handle("queue1")})
SEEN = PlatformSeen("platform1", "p", "v", "OpenCL 3.0", "", "", [DeviceSeen("device1", "d", 2, "OpenCL 3.0", "1", 1)])
GREETING = Exchange(b"", encode(Reached("direct", "", [], [SEEN])))
TARGET = Target.simulated("recorded")


def word(index: int, value: int) -> tuple[int, bytes]:
    """Return a write to the word of the shared memory's header with this index."""
    return 4 * index, value.to_bytes(4, "little")


NO_ANSWERS: dict[str, bytes] = {
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
    "the outcomes of concurrent calls": encode(Together([Returned(0)])),
    "the begin of a call": encode(Begun(1)),
    "a call under way": encode(UnderWay()),
    "what pyopencl reads": encode(Witnessed([1])),
}


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_what_is_no_answer_is_garbage(name: str) -> None:
    exchanges = [GREETING, Exchange(encode(Ask(CALL)), NO_ANSWERS[name])]
    with FedWorker(TARGET, Answers(exchanges)) as worker:
        assert worker.ask(CALL) == Died(GARBAGE, "", "")
        assert not worker.alive


OF_ANOTHER_REQUEST: dict[str, tuple[Request, bytes]] = {
    "together, one too few": (AskTogether([CALL, CALL]), encode(Together([Returned(0)]))),
    "together, one too many": (AskTogether([CALL]), encode(Together([Returned(0)] * 2))),
    "together": (AskTogether([CALL]), encode(Returned(0))),
    "begin": (BeginOn(1, CALL), encode(Returned(0))),
    "end": (EndOn(1, 0.0), encode(Returned(0))),
    "take back": (TakeBack(0), encode(Absent("no-entry", ""))),
}


@pytest.mark.parametrize("name", OF_ANOTHER_REQUEST)
def test_an_answer_to_another_request_is_garbage(name: str) -> None:
    asked, answer = OF_ANOTHER_REQUEST[name]
    with FedWorker(TARGET, Answers([GREETING, Exchange(encode(asked), answer)])) as worker:
        match asked:
            case AskTogether(calls):
                assert worker.ask_together(calls) == [Died(GARBAGE, "", "")] * len(calls)
            case BeginOn(lane, call):
                assert worker.begin_on(lane, call) == Died(GARBAGE, "", "")
            case EndOn(lane, seconds):
                assert worker.end_on(lane, seconds) == Died(GARBAGE, "", "")
            case TakeBack(number):
                assert worker.take_back(number) == Died(GARBAGE, "", "")
        assert not worker.alive


STATUSES: dict[int, tuple[str, str]] = {
    0: ("exit", "0"),
    3 << 8: ("exit", "3"),
    9: ("killed", "SIGKILL"),
    11: ("signal", "SIGSEGV"),
    0x80 | 6: ("abort", "SIGABRT"),
    0x137F: (GARBAGE, ""),  # stopped
    0xFFFF: (GARBAGE, ""),  # continued
    1 << 16: (GARBAGE, ""),
    (1 << 31) - 1: (GARBAGE, ""),
    1 << 31: (GARBAGE, ""),
    (1 << 32) - 1: (GARBAGE, ""),
}


@pytest.mark.parametrize("status", STATUSES)
def test_an_end_that_no_process_has_is_garbage(status: int) -> None:
    with FedWorker(TARGET, Answers([GREETING, Exchange(encode(Ask(CALL)), b"", [], status)])) as worker:
        assert worker.ask(CALL) == Died(*STATUSES[status], "")


WRITES: dict[str, tuple[tuple[int, bytes], ...]] = {
    "a process that is not its own": (word(1, 1),),
    "a process that cannot be": (word(1, (1 << 32) - 1),),
    "no process": (word(1, 0),),
    "a call that is no text": ((256, b"\x03\0\0\0\xa2\xff\xfe"),),
    "a call longer than its place": ((256, b"\xff\xff\xff\xff" + b"\x91" * 2048),),
    "nested calls": ((256, b"\0\x08\0\0" + b"\x82\xa8function\xa1f\xa9arguments" + b"\x81\xa1a" * 600),),
}


@pytest.mark.parametrize("name", WRITES)
def test_what_a_driver_has_written_over_before_the_greeting(name: str) -> None:
    start = Exchange(b"", GREETING.answer, list(WRITES[name]))
    with FedWorker(TARGET, Answers([start, Exchange(encode(Ask(CALL)), encode(Returned(0)))])) as worker:
        assert worker.pid == os.getpid(), "the process that was started, as the id is no child of it"
        assert worker.ask(CALL) == Returned(0)
    died = Exchange(b"", b"", list(WRITES[name]), 11)
    with pytest.raises(HarnessError) as raised:
        FedWorker(TARGET, Answers([died]))
    assert not isinstance(raised.value, StartError), "no call was told of"


def test_words_between_two_answers() -> None:
    for index in (0, 1, 2, 3, *range(16, 24), *range(32, 40)):
        for value in (0, 1, 2, 77, (1 << 31) - 1, (1 << 32) - 1):
            written = Exchange(encode(Ask(CALL)), encode(Returned(0)), [word(index, value)])
            with FedWorker(TARGET, Answers([GREETING, written])) as worker:
                outcome = worker.ask(CALL)
                assert isinstance(outcome, (Returned, Died, Hung)), (index, value)
                if worker.alive:
                    assert isinstance(worker.ask(CALL), (Returned, Died, Hung)), (index, value)


NO_GREETINGS: dict[str, bytes] = {
    "an outcome": encode(Returned(0)),
    "no text": b"\x82\xa3say\xabunreachable\xa6reason\xa2\xff\xfe",
    "nested": b"\x82\xa3say\xa7reached\xa6access" + b"\x91" * 100_000,
    "nothing to test": encode(Unreachable("\x1b[2J\n")),
    "no platform": encode(Reached("direct", "", [], [])),
    "nothing": b"",
}


@pytest.mark.parametrize("name", NO_GREETINGS)
def test_what_is_no_greeting(name: str) -> None:
    with pytest.raises(HarnessError) as raised:
        FedWorker(TARGET, Answers([Exchange(b"", NO_GREETINGS[name])]))
    assert str(raised.value).isprintable()


def host(function: str, *values: Value) -> Ask:
    names = {ALLOCATE: ("size", "alignment"), AWAIT: ("callback", "times", "milliseconds")}[function]
    return Ask(Call(function, dict(zip(names, values, strict=False))))


def finish(value: Value) -> Ask:
    return Ask(Call("clFinish", {"command_queue": value}))


def info(value: Value, size: Value = 4) -> Ask:
    names = ("device", "param_name", "param_value_size", "param_value", "param_value_size_ret")
    return Ask(Call("clGetDeviceInfo", dict(zip(names, (Handle("device1"), 0x1000, size, value, None), strict=True))))


REFUSED: dict[str, Request] = {
    "a callback for a handle": finish(Callback("c")),
    "memory for a number": info(OutputBuffer(4), Items((1,))),
    "a callback for memory": info(Callback("c")),
    "an unknown function": Ask(Call("clNope", {})),
    "no arguments": Ask(Call("clFinish", {})),
    "a number for a handle": finish(1),
    "a text for a handle": finish(Text("x")),
    "an unknown handle": finish(Handle("queue99")),
    "an offset into nothing": finish(Inside(Handle("queue99"), 1)),
    "a size of no number": info(OutputBuffer(4), None),
    "a large output": info(OutputBuffer(1 << 62)),
    "a negative output": info(OutputBuffer(-1)),
    "an offset beyond everything": info(Inside(Handle("device1"), (1 << 64) - 1)),
    "bus addresses beyond everything": info(BusAddresses(Inside(Handle("device1"), (1 << 64) - 1), 0)),
    "addresses beyond everything": info(Pointers((Inside(Handle("device1"), (1 << 64) - 1),))),
    "negative addresses": info(Pointers((Inside(Handle("device1"), -(1 << 64)),))),
    "an area of no size": host(ALLOCATE, 0, 1),
    "an area of no number": host(ALLOCATE, Handle("device1"), 1),
    "an area without an alignment": host(ALLOCATE, 4),
    "an area at a multiple of everything": host(ALLOCATE, 4, 1 << 63),
    "an alignment of no number": host(ALLOCATE, 4, Items((1,))),
    "a wait for nothing": host(AWAIT, None, 1, 1),
    "a wait of no number": host(AWAIT, Callback("c"), Data(b""), 1),
    "a wait of no time": host(AWAIT, Callback("c"), 1, Items(())),
    "a parameter too many": Ask(Call(ALLOCATE, {"size": 4, "alignment": 4, "x": 1})),
    "a wait for ever": host(AWAIT, Callback("c"), 1, 1 << 63),
    "a step of the session": Ask(Call("host_join", {"lane": 1})),
    "a lane of nothing": EndOn(7, 0.0),
    "nothing put aside": TakeBack(1 << 63),
    "an unknown name to put aside": PutAside("queue99"),
    "a call that is not there": BeginOn(1, Call("clNope", {})),
    "one call that is not there": AskTogether([CALL, Call("clNope", {})]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_called_is_refused(name: str) -> None:
    driver = idle_driver(load(), {"cl_device_id": 3, "cl_command_queue": 3})
    answer = answer_to(REFUSED[name], driver)
    assert isinstance(answer, Refused)
    assert "internal error" not in answer.reason


def test_what_can_be_called_is_answered() -> None:
    """Otherwise the rows above would also pass if the null driver refused everything."""
    driver = idle_driver(load(), {"cl_device_id": 3, "cl_command_queue": 3})

    def answers(*requests: Request) -> Iterable[object]:
        return (answer_to(request, driver) for request in requests)

    assert [type(each) for each in answers(Ask(CALL), info(OutputBuffer(4)), host(ALLOCATE, 4, 8))] == [Returned] * 3
    assert list(answers(AskTogether([]), Forget(["nothing"]))) == [Together([]), None]
    begun, ended = answers(BeginOn(1, CALL), EndOn(1, 5.0))
    assert isinstance(begun, Begun)
    assert isinstance(ended, Ended)


FORMS: dict[str, tuple[Value, Value]] = {
    "a number for a handle": (1, 4),
    "memory for a handle": (Items(()), 4),
    "a handle for a number": (Handle("device1"), Handle("device1")),
    "nothing for a number": (Handle("device1"), None),
    "memory for a number": (Handle("device1"), OutputBuffer(1)),
    "an address for a number": (Handle("device1"), Inside(Handle("pointer1"), 1)),
    "a number of too many bits": (Handle("device1"), 1 << 64),
}


@pytest.mark.parametrize("name", FORMS)
def test_an_argument_of_another_form_is_refused_before_it_is_judged(name: str) -> None:
    device, size = FORMS[name]
    forms = ArgumentForms(load())
    right = info(OutputBuffer(4)).call
    wrong = Call(right.function, {**right.arguments, "device": device, "param_value_size": size})
    assert forms.unfit(right) == ""
    assert forms.unfit(wrong).startswith("clGetDeviceInfo: ")


def test_what_mutates_changes_no_value_that_it_takes_from() -> None:
    """The same seed must mutate the same inputs."""
    before = repr(MSGPACK_VALUES)
    chance = Random(1)  # noqa: S311 (not for security)
    tree: object = []
    for _ in range(3000):
        try:
            tree = changed_tree(tree, chance, MSGPACK_VALUES)
        except RecursionError:
            tree = []
    assert repr(MSGPACK_VALUES) == before
