"""Replies that the program cannot have sent end the process; failures that it reports are explained."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from clconform.calls.call import CHANGED, GARBAGE, Call, Died, Returned
from clconform.calls.harness_actions import ALLOCATE, AWAIT, READ, build_call
from clconform.calls.values import Handle, HostCallback, OffsetPointer, OutputBuffer, Pointers
from clconform.harness.driver import Driver
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.errors import BadCall, HarnessError, ProcessShortageError
from clconform.harness.names import MEMORY
from clconform.harness.null_driver import NullEntryPoints
from clconform.harness.process_state import ProcessState
from clconform.harness.raw_messages import (
    OUTPUT,
    PEEK,
    PROTOCOL_VERSION,
    RawBegun,
    RawFailure,
    RawGreeting,
    RawGroup,
    RawInvocation,
    RawPending,
    RawRefusal,
    RawResult,
    RawReturned,
    RawValue,
)
from clconform.harness.signatures import callback_signature, function_signature
from clconform.harness.worker_process import ProcessEndedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.spec_tables import Tables

SECONDS = 1.0
encode = msgspec.msgpack.encode
GREETING = RawGreeting(PROTOCOL_VERSION, True, 8, 8, 0x1000, ["ip"], [], [])
NOTHING = RawReturned(0, 0, 0, 0, [], [], [])
CORRUPTED = Died(GARBAGE, "", "the output")
FINISH = Call("clFinish", {"command_queue": None})
PLATFORMS = Call("clGetPlatformIDs", {"num_entries": 1, "platforms": OutputBuffer(1), "num_platforms": OutputBuffer(1)})
SET_CALLBACK = Call(
    "clSetEventCallback",
    {"event": None, "command_exec_callback_type": 0, "pfn_notify": HostCallback("noted"), "user_data": None},
)
WAIT = Call(AWAIT, {"callback": HostCallback("noted"), "times": 1, "milliseconds": 0})


class FakeProcess:
    """The process of a worker, which sends the reply that a test sets.

    ``reply``: None for a call that returns 0 and writes nothing, and for unreadable memory.
    """

    def __init__(self, first: bytes) -> None:
        self.first = first
        self.reply: bytes | None = None
        self.is_alive = True
        self.is_machine_checked = False
        self.pid = os.getpid()

    def receive_first(self, _seconds: float) -> bytes:
        """Return the first message."""
        return self.first

    def note_driver_process(self) -> None:
        """Do nothing."""

    def read_state(self) -> ProcessState:
        """Return the state of this process."""
        return ProcessState(self.pid)

    def exchange(self, message: bytes, _seconds: float) -> bytes:
        """Return the reply."""
        if self.reply is not None:
            return self.reply
        number, *arguments = msgspec.msgpack.decode(message)
        if number == PEEK:
            return encode(RawValue(None))
        outputs = [b"" for each in arguments if isinstance(each, list) and each[0] == OUTPUT]
        return encode(RawReturned(0, 0, 0, 0, outputs, [], []))

    def end_corrupted(self) -> Died:
        """End the process, and return this as its end."""
        self.is_alive = False
        return CORRUPTED

    def end(self, _patience: float) -> None:
        """End the process."""
        self.is_alive = False

    def check_machine(self) -> None:
        """Find no shortage."""
        self.is_machine_checked = True


class ReplyBench:
    """A driver whose process sends the reply that a test sets."""

    def __init__(self, tables: Tables) -> None:
        signatures = sorted({function_signature(each, tables.types) for each in tables.functions.values()} - {""})
        callbacks = sorted({callback_signature(each, tables.types) for each in tables.callbacks.values()} - {""})
        greeting = RawGreeting(PROTOCOL_VERSION, True, 8, 8, 0x1000, signatures, callbacks, [])
        self.process = FakeProcess(encode(greeting))
        self.connection = connect(self.process)
        self.driver = Driver(tables, self.connection, NullEntryPoints(0x1000))
        self.driver.open()
        self.callback_signatures = self.connection.callback_signatures

    def reply_with(self, reply: object) -> None:
        """Set the reply to the next requests."""
        self.process.reply = reply if isinstance(reply, bytes) else encode(reply)

    def expect_end(self, act: Callable[[], object]) -> None:
        """Check that an action ends the process as corrupted."""
        with pytest.raises(ProcessEndedError) as raised:
            act()
        assert raised.value.outcome == CORRUPTED
        assert not self.process.is_alive


def connect(process: FakeProcess) -> DriverConnection:
    stub: Any = process
    return DriverConnection(stub, SECONDS)


@pytest.fixture
def bench(tables: Tables) -> ReplyBench:
    return ReplyBench(tables)


# the first message


@pytest.mark.parametrize(
    "first",
    [b"", b"\xc1", b"\x93\x07\x01", encode(NOTHING), b"\x91" * 100_000, encode({"say": "reached"})],
    ids=["empty", "invalid", "incomplete", "a reply", "nested", "a map"],
)
def test_first_message_of_another_program_is_rejected(first: bytes) -> None:
    with pytest.raises(HarnessError, match="has sent an unexpected first message"):
        connect(FakeProcess(first))


def test_program_with_another_version_of_the_messages_is_rejected() -> None:
    other = encode(msgspec.structs.replace(GREETING, version=PROTOCOL_VERSION + 1))
    with pytest.raises(HarnessError, match=f"version {PROTOCOL_VERSION + 1} of the messages, not {PROTOCOL_VERSION}"):
        connect(FakeProcess(other))


def test_greeting_describes_the_machine() -> None:
    first = RawGreeting(PROTOCOL_VERSION, False, 4, 4, 0x20, ["ip", "i"], ["vp"], [("cl_image_format", 8, [0, 4])])
    connection = connect(FakeProcess(encode(first)))
    assert connection.machine == (">", 4, 4, {"cl_image_format": (8, [0, 4])})
    assert (connection.signatures, connection.callback_signatures) == ({"ip": 0, "i": 1}, {"vp": 0})
    assert connection.null_function == 0x20


# impossible replies

INVALID_REPLIES: dict[str, object] = {
    "empty": b"",
    "no MessagePack": b"\xc1",
    "incomplete": encode(NOTHING)[:-1],
    "two": encode(NOTHING) * 2,
    "nested": b"\x91" * 100_000,
    "a list without an end": b"\xdd\xff\xff\xff\xff",
    "a map": {"is": "returned"},
    "an unknown number": [99],
    "a negative number": [-1],
    "another type": [0, 0, 0, "text", 0, [], [], []],
    "missing fields": [0, 0, 0],
    "a greeting": GREETING,
    "a text that is none": b"\x92\x06\xa1\xff",
}


@pytest.mark.parametrize("name", INVALID_REPLIES)
def test_message_that_is_no_reply_ends_the_process(bench: ReplyBench, name: str) -> None:
    bench.reply_with(INVALID_REPLIES[name])
    bench.expect_end(lambda: bench.driver.make_call(FINISH, SECONDS))


def returned(**changes: Any) -> RawReturned:
    return msgspec.structs.replace(NOTHING, **changes)


@pytest.mark.parametrize(
    "reply", [RawValue(0), RawPending(), RawBegun(1), RawGroup([], []), returned(outputs=[b""])], ids=repr
)
def test_reply_to_another_request_ends_the_process(bench: ReplyBench, reply: object) -> None:
    bench.reply_with(reply)
    bench.expect_end(lambda: bench.driver.make_call(FINISH, SECONDS))


@pytest.mark.parametrize("reply", [returned(), returned(outputs=[b"", b"", b""])], ids=["none", "too many"])
def test_number_of_outputs_is_checked(bench: ReplyBench, reply: RawReturned) -> None:
    bench.reply_with(reply)
    bench.expect_end(lambda: bench.driver.make_call(PLATFORMS, SECONDS))


def test_excess_bytes_and_overruns_of_outputs_are_ignored(bench: ReplyBench) -> None:
    bench.reply_with(returned(outputs=[b"\0" * 1000, b"\2\0\0\0\0"], overrun=[-1, 1, 7]))
    outcome = bench.driver.make_call(PLATFORMS, SECONDS)
    assert isinstance(outcome, Returned)
    assert (outcome.outputs["platforms"].values, outcome.outputs["num_platforms"].values) == ([None], [2])
    assert outcome.overrun == ["num_platforms"]


@pytest.mark.parametrize(
    "change",
    [
        {"signature": 99},
        {"signature": -1},
        {"number": 5},
        {"words": [0, 0]},
        {"words": [0, 0, 0, 0]},
        {"words": []},
    ],
    ids=str,
)
@pytest.mark.parametrize("request_kind", ["call", "group", "action"])
def test_impossible_invocation_of_a_callback_ends_the_process(
    bench: ReplyBench, change: dict[str, Any], request_kind: str
) -> None:
    assert isinstance(bench.driver.make_call(SET_CALLBACK, SECONDS), Returned)
    possible = RawInvocation(bench.callback_signatures["vpip"], 0, False, [0, 0, 0], [])
    acts: dict[str, tuple[Callable[[], object], Callable[[list[RawInvocation]], object]]] = {
        "call": (lambda: bench.driver.make_call(FINISH, SECONDS), lambda found: returned(invocations=found)),
        "group": (
            lambda: bench.driver.make_concurrent_calls([FINISH], SECONDS),
            lambda found: RawGroup(found, [RawResult(0, 0, [], [])]),
        ),
        "action": (lambda: bench.driver.make_call(WAIT, SECONDS), lambda found: returned(invocations=found)),
    }
    act, reply = acts[request_kind]
    bench.reply_with(reply([possible]))
    act()
    bench.reply_with(reply([possible, msgspec.structs.replace(possible, **change)]))
    bench.expect_end(act)


@pytest.mark.parametrize(
    "contents", [[], [None], [b"\1"], [[b"\1" * 32]], [[b"\1" * 32, b"", b"", b""]], [[None, None, None]]], ids=repr
)
def test_contents_of_a_native_kernel_are_checked(bench: ReplyBench, contents: list[Any]) -> None:
    """A list has one part for the block, and one for each of its two pointers."""
    block = Handle(bench.driver.names.name_of(MEMORY, 0x7000))
    places = Pointers((OffsetPointer(block, 0), OffsetPointer(block, 8)))
    values = (None, HostCallback("kernel"), block, 32, 2, None, places, 0, None, None)
    kernel = build_call("clEnqueueNativeKernel", bench.driver._tables.functions, *values)
    assert isinstance(bench.driver.make_call(kernel, SECONDS), Returned)
    bench.reply_with(returned(invocations=[RawInvocation(bench.callback_signatures["vp"], 0, False, [1], contents)]))
    if contents and isinstance(contents[0], list) and len(contents[0]) != 3:
        bench.expect_end(lambda: bench.driver.make_call(FINISH, SECONDS))
    else:
        outcome = bench.driver.make_call(FINISH, SECONDS)
        assert isinstance(outcome, Returned)
        assert len(outcome.callbacks) == 1


@pytest.mark.parametrize(
    "reply",
    [
        RawGroup([], []),
        RawGroup([], [RawResult(0, 0, [], [])] * 3),
        RawGroup([], [RawResult(0, 0, [b""], [])] * 2),
        NOTHING,
    ],
    ids=["none", "three", "outputs", "a call"],
)
def test_impossible_group_ends_the_process(bench: ReplyBench, reply: object) -> None:
    bench.reply_with(reply)
    bench.expect_end(lambda: bench.driver.make_concurrent_calls([FINISH] * 2, SECONDS))


def test_impossible_replies_about_host_threads_end_the_process(bench: ReplyBench) -> None:
    bench.reply_with(RawBegun(1))
    for number in (1, 2):
        bench.driver.begin_call(number, FINISH, SECONDS)
    bench.reply_with(RawBegun(1))
    bench.expect_end(lambda: bench.driver.await_call(1, 0, SECONDS))
    bench.reply_with(returned(outputs=[b""], returned=2))
    bench.expect_end(lambda: bench.driver.await_call(2, 0, SECONDS))
    bench.reply_with(RawPending())
    bench.expect_end(lambda: bench.driver.begin_call(3, FINISH, SECONDS))


@pytest.mark.parametrize(
    ("call", "reply"),
    [
        (Call(ALLOCATE, {"size": 8, "alignment": 8}), returned()),
        (Call(READ, {"pointer": Handle("pointer1"), "size": 4, "content": OutputBuffer(4)}), returned()),
        (
            Call(READ, {"pointer": Handle("pointer1"), "size": 4, "content": OutputBuffer(4)}),
            returned(outputs=[b"12345"]),
        ),
        (Call(ALLOCATE, {"size": 8, "alignment": 8}), RawValue(1)),
    ],
)
def test_impossible_reply_to_an_action_ends_the_process(bench: ReplyBench, call: Call, reply: object) -> None:
    bench.driver.names.name_of(MEMORY, 0x7000)
    bench.reply_with(reply)
    bench.expect_end(lambda: bench.driver.make_call(call, SECONDS))


FACTS: dict[str, tuple[Callable[[DriverConnection], object], list[object]]] = {
    "peek": (lambda connection: connection.peek(1, 4), [1, b"123", b"12345", []]),
    "peek_text": (lambda connection: connection.peek_text(1), [1, []]),
    "mappings": (lambda connection: connection.mappings(), [None, 1, b""]),
    "load_library": (lambda connection: connection.load_library("x"), [None, []]),
    "find_symbols": (lambda connection: connection.find_symbols(1, ["x"]), [None, 1, b"", b"123", [], bytes(16)]),
}


@pytest.mark.parametrize("name", FACTS)
def test_fact_of_another_type_ends_the_process(bench: ReplyBench, name: str) -> None:
    act, values = FACTS[name]
    for value in values:
        bench.reply_with(RawValue(value))  # type: ignore[arg-type]
        bench.expect_end(lambda: act(bench.connection))
    bench.reply_with(NOTHING)
    bench.expect_end(lambda: act(bench.connection))


def test_message_of_the_dynamic_linker_is_an_error(bench: ReplyBench) -> None:
    bench.reply_with(RawValue(b"libx.so: \xffnot found"))
    with pytest.raises(OSError, match=r"libx.so: \\xffnot found"):
        bench.connection.load_library("libx.so")
    assert bench.process.is_alive


# refusals and failures


def test_refused_request_is_a_bad_call_in_one_line(bench: ReplyBench) -> None:
    bench.reply_with(RawRefusal("not\x1b[2J\npossible"))
    with pytest.raises(BadCall, match=r"^clFinish: not \[2J possible$"):
        bench.driver.make_call(FINISH, SECONDS)
    assert bench.process.is_alive


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EAGAIN])
def test_failure_of_unknown_cause_is_a_shortage(bench: ReplyBench, number: int) -> None:
    bench.reply_with(RawFailure(number, "the start of host threads"))
    with pytest.raises(ProcessShortageError, match="no resources left for clFinish: the start of host threads"):
        bench.driver.make_call(FINISH, SECONDS)
    assert not bench.process.is_alive
    assert bench.process.is_machine_checked


def test_failure_after_a_change_is_an_end_of_the_process(bench: ReplyBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessState, "changes", lambda _: {"RLIMIT_AS": "RLIMIT_AS from unlimited to 1"})
    bench.reply_with(RawFailure(errno.ENOMEM, "the memory for arguments"))
    with pytest.raises(ProcessEndedError) as raised:
        bench.driver.make_call(FINISH, SECONDS)
    outcome = raised.value.outcome
    assert isinstance(outcome, Died)
    assert (outcome.how, outcome.detail) == (CHANGED, "RLIMIT_AS")
    assert "clFinish: the memory for arguments (Cannot allocate memory)" in outcome.last_output
    assert not bench.process.is_alive


@pytest.mark.parametrize(
    ("number", "text"),
    [(errno.EBADF, "Bad file descriptor"), (0, "Input/output"), (-5, "Input/output"), (1 << 40, "Input/output")],
)
def test_other_failure_is_an_error_of_the_worker(bench: ReplyBench, number: int, text: str) -> None:
    bench.reply_with(RawFailure(number, "reading the list of mappings"))
    with pytest.raises(HarnessError, match=rf"the worker failed at clFinish: reading the list of mappings \({text}"):
        bench.driver.make_call(FINISH, SECONDS)
    assert not bench.process.is_alive


def test_actions_in_failures_are_shown_in_one_line(bench: ReplyBench) -> None:
    """A driver may have overwritten the text."""
    bench.reply_with(RawFailure(errno.EBADF, "a\n\x1b[2Jb" * 1000))
    with pytest.raises(HarnessError) as raised:
        bench.driver.make_call(FINISH, SECONDS)
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 1000
