"""Host threads of a driver's process: their calls are concurrent, and no call is made if a thread cannot be started."""

from __future__ import annotations

import errno
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import CHANGED, Begun, Died, Returned
from clconform.calls.protocol import CallEnded, CallPending
from clconform.calls.values import OutputBuffer
from clconform.harness.errors import BadCall
from clconform.harness.raw_messages import CALL, MAX_LANES, OUTPUT, TOGETHER, RawFailure, RawReply
from clconform.harness.worker_process import ProcessEndedError

from .scripted_driver import CALL_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call

    from .scripted_driver import ScriptedDriver

MAX_TOGETHER = 256
STACK_BYTES = 12 << 20
"""More than the stack of one thread needs, and less than the stacks of two."""


@pytest.fixture
def finish(create_call: Callable[..., Call]) -> Call:
    return create_call("clFinish", None)


def test_each_concurrent_call_has_its_own_thread_and_result(
    scripted: ScriptedDriver, create_call: Callable[..., Call]
) -> None:
    scripted.functions.write(3, b"\7\0\0\0")
    calls = [create_call("clGetDeviceInfo", None, 0x1002, size, OutputBuffer(size), None) for size in (4, 8, 12, 16)]
    outcomes = scripted.driver.make_concurrent_calls(calls, CALL_SECONDS)
    assert [each.outputs["param_value"].written for each in outcomes if isinstance(each, Returned)] == [4] * 4
    assert len(set(scripted.functions.threads)) == 4
    scripted.call(calls[0])
    assert scripted.functions.threads[-1] not in scripted.functions.threads[:-1], "the main thread makes single calls"
    assert scripted.driver.make_concurrent_calls([], CALL_SECONDS) == []


def test_calls_of_one_message_are_made_in_order_by_the_main_thread(
    scripted: ScriptedDriver, create_call: Callable[..., Call]
) -> None:
    scripted.functions.write(3, b"\7\0\0\0")
    calls = [create_call("clGetDeviceInfo", None, 0x1002, size, OutputBuffer(size), None) for size in (16, 4, 12, 8)]
    outcomes = scripted.driver.make_calls_in_turn(calls, CALL_SECONDS)
    assert [each.outputs["param_value"].written for each in outcomes if isinstance(each, Returned)] == [4] * 4
    assert scripted.functions.call_count == len(calls)
    assert len(set(scripted.functions.threads)) == 1
    assert scripted.driver.make_calls_in_turn([], CALL_SECONDS) == []


def test_largest_group_of_concurrent_calls(scripted: ScriptedDriver, finish: Call) -> None:
    outcomes = scripted.driver.make_concurrent_calls([finish] * MAX_TOGETHER, CALL_SECONDS)
    assert [type(each) for each in outcomes] == [Returned] * MAX_TOGETHER
    assert scripted.functions.call_count == MAX_TOGETHER
    with pytest.raises(BadCall, match="at most 256 calls can be made by one message, not 257"):
        scripted.driver.make_concurrent_calls([finish] * (MAX_TOGETHER + 1), CALL_SECONDS)
    assert scripted.functions.call_count == MAX_TOGETHER


def leave_memory_for_one_thread(scripted: ScriptedDriver) -> None:
    """Limit the address space of the process; the session sees this as a change by the driver."""
    pages = int(Path(f"/proc/{scripted.process.pid}/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + STACK_BYTES
    resource.prlimit(scripted.process.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def test_no_call_is_made_if_one_thread_cannot_be_started(scripted: ScriptedDriver, finish: Call) -> None:
    address = scripted.functions.address_of("ip")
    group = [[address, scripted.connection.signatures["ip"], 0, None]] * 8
    leave_memory_for_one_thread(scripted)
    body = scripted.process.exchange(msgspec.msgpack.encode([TOGETHER, *group]), CALL_SECONDS)
    assert msgspec.msgpack.decode(body, type=RawReply) == RawFailure(errno.EAGAIN, "the start of host threads")
    resource.prlimit(scripted.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    assert scripted.functions.call_count == 0
    assert isinstance(scripted.call(finish), Returned)


@pytest.mark.parametrize("kind", ["group", "thread"])
def test_thread_that_the_driver_prevents_is_an_end_of_the_process(
    scripted: ScriptedDriver, finish: Call, kind: str
) -> None:
    def start_threads() -> None:
        if kind == "group":
            scripted.driver.make_concurrent_calls([finish] * 8, CALL_SECONDS)
        for number in range(1, 9):
            scripted.driver.begin_call(number, finish, CALL_SECONDS)

    leave_memory_for_one_thread(scripted)
    with pytest.raises(ProcessEndedError) as raised:
        start_threads()
    outcome = raised.value.outcome
    assert isinstance(outcome, Died)
    assert (outcome.how, outcome.detail) == (CHANGED, "RLIMIT_AS")
    action = "the start of host threads" if kind == "group" else "the start of a host thread"
    assert f"clFinish: {action}" in outcome.last_output
    assert not scripted.process.is_alive


def test_call_on_host_thread_is_pending_until_it_returns(scripted: ScriptedDriver, finish: Call) -> None:
    scripted.functions.hold()
    begun = scripted.driver.begin_call(1, finish, CALL_SECONDS)
    assert isinstance(begun, Begun)
    assert scripted.driver.await_call(1, 0, CALL_SECONDS) == CallPending()
    began = time.monotonic()
    assert scripted.driver.await_call(1, 0.2, CALL_SECONDS) == CallPending()
    assert 0.2 <= time.monotonic() - began < 5
    with pytest.raises(BadCall, match="host thread 1 has a call in flight; join it first"):
        scripted.driver.begin_call(1, finish, CALL_SECONDS)
    scripted.functions.release()
    ended = scripted.driver.await_call(1, 5, CALL_SECONDS)
    assert isinstance(ended, CallEnded)
    assert isinstance(ended.outcome, Returned)
    assert 0 < begun.entered < ended.returned
    assert ended.entered == begun.entered
    with pytest.raises(BadCall, match="this host thread has no call in flight"):
        scripted.driver.await_call(1, 0, CALL_SECONDS)


def test_calls_of_all_host_threads_have_one_order(scripted: ScriptedDriver, finish: Call) -> None:
    first = scripted.call(finish)
    assert isinstance(first, Returned), "without a position, while no other call is in flight"
    scripted.functions.hold()
    begun = [scripted.driver.begin_call(number, finish, CALL_SECONDS) for number in (1, 2)]
    scripted.functions.release()
    between = scripted.call(finish)
    assert isinstance(between, CallEnded)
    ended = [scripted.driver.await_call(number, 5, CALL_SECONDS) for number in (2, 1)]
    positions = [each.entered for each in begun if isinstance(each, Begun)]
    assert positions == sorted(positions)
    assert positions[-1] < between.entered < between.returned
    every = [
        between.entered,
        between.returned,
        *positions,
        *(each.returned for each in ended if isinstance(each, CallEnded)),
    ]
    assert len(set(every)) == 6
    assert isinstance(scripted.call(finish), Returned)


def test_host_thread_makes_all_its_calls(scripted: ScriptedDriver, finish: Call) -> None:
    for number in (1, 2, 1, 2, 1):
        assert isinstance(scripted.driver.begin_call(number, finish, CALL_SECONDS), Begun)
        assert isinstance(scripted.driver.await_call(number, 5, CALL_SECONDS), CallEnded)
    one, two, *others = scripted.functions.threads
    assert others == [one, two, one]
    assert one != two


@pytest.mark.parametrize("number", [-1, MAX_LANES, 1 << 40])
def test_host_thread_of_impossible_number_is_rejected(scripted: ScriptedDriver, finish: Call, number: int) -> None:
    with pytest.raises(BadCall, match=f"must be less than {MAX_LANES}, not {number}"):
        scripted.driver.begin_call(number, finish, CALL_SECONDS)
    with pytest.raises(BadCall, match="no call in flight"):
        scripted.driver.await_call(number, 0, CALL_SECONDS)


@pytest.mark.parametrize("seconds", [-1.0, float("inf"), float("nan"), 1e9])
def test_impossible_wait_for_host_thread_is_rejected(scripted: ScriptedDriver, finish: Call, seconds: float) -> None:
    scripted.driver.begin_call(1, finish, CALL_SECONDS)
    with pytest.raises(BadCall, match="cannot wait for"):
        scripted.driver.await_call(1, seconds, CALL_SECONDS)
    assert isinstance(scripted.driver.await_call(1, 5, CALL_SECONDS), CallEnded)


def test_calls_of_other_threads_do_not_use_memory_of_a_pending_call(
    scripted: ScriptedDriver, create_call: Callable[..., Call]
) -> None:
    scripted.functions.hold()
    scripted.functions.write(3, b"\1\2\3\4")
    scripted.driver.begin_call(1, create_call("clGetDeviceInfo", None, 0, 4, OutputBuffer(4), None), CALL_SECONDS)
    for _ in range(3):
        scripted.connection.call_function(scripted.connection.null_function, "ipp", [OUTPUT, 1000], b"x" * 1000)
    scripted.functions.release()
    ended = scripted.driver.await_call(1, 5, CALL_SECONDS)
    assert isinstance(ended, CallEnded)
    assert isinstance(ended.outcome, Returned)
    assert (ended.outcome.outputs["param_value"].raw, ended.outcome.overrun) == (b"\1\2\3\4", [])


def test_signature_of_a_call_is_checked_by_the_worker(scripted: ScriptedDriver) -> None:
    """The worker does not call a function with missing words."""
    address, signature = scripted.functions.address_of("ipp"), scripted.connection.signatures["ipp"]
    for arguments in ([None], [None, None, None]):
        with pytest.raises(BadCall, match="the request is invalid"):
            scripted.connection.call([CALL, address, signature, 0, *arguments])
    assert scripted.functions.call_count == 0
