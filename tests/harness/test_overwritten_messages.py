"""A driver that overwrites words of the shared memory for messages cannot feign a normal end of its process."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import GARBAGE, Died
from clconform.harness import Target
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.raw_messages import ALLOCATE, BEGIN_EXAMPLE, PEEK
from clconform.harness.worker_process import ProcessEndedError, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLOSING, PROCESS, ENDED, STATUS = range(4)
REQUEST_STATE, REQUEST_SIZE, REQUEST_OFFSET, REQUEST_SEVERAL, REQUEST_CHECKSUM = 16, 18, 19, 20, 21
REPLY_STATE = 32
SECONDS = 10.0
OVERWRITTEN = Died(GARBAGE, "")
encode = msgspec.msgpack.encode


@pytest.fixture
def connection() -> Iterator[DriverConnection]:
    """Return the connection to a program that has loaded no driver."""
    process = WorkerProcess(Target.null())
    try:
        yield DriverConnection(process, SECONDS)
    finally:
        process.close()


def _words(connection: DriverConnection) -> memoryview:
    """Return the 32-bit words of the shared memory, as the driver sees them."""
    return connection.process._mailbox._words


def _find_end(connection: DriverConnection) -> Died:
    """Return how the process has ended, according to the next request."""
    with pytest.raises(ProcessEndedError) as ended:
        connection.peek(connection.null_function, 1)
    outcome = ended.value.outcome
    assert isinstance(outcome, Died)
    assert not connection.process.is_alive
    return outcome


def _wait_for_death(connection: DriverConnection) -> None:
    until = time.monotonic() + SECONDS
    while not connection.process.has_died and time.monotonic() < until:
        time.sleep(0.01)


def _close(words: memoryview) -> None:
    words[CLOSING] = 1


def _state_an_impossible_state(words: memoryview) -> None:
    words[REQUEST_STATE] = 2


def _repeat_a_changed_request(words: memoryview) -> None:
    words[REQUEST_CHECKSUM] ^= 1
    words[REQUEST_STATE] = 1


@pytest.mark.parametrize("change", [_close, _state_an_impossible_state, _repeat_a_changed_request])
def test_process_that_leaves_without_being_closed_has_been_overwritten(
    connection: DriverConnection, change: Callable[[memoryview], None]
) -> None:
    assert connection.peek(connection.null_function, 1) is not None
    change(_words(connection))
    _wait_for_death(connection)
    assert _find_end(connection) == OVERWRITTEN


@pytest.mark.parametrize(("ended", "status"), [(1, 0), (1, 2), (1, 3 << 8), (2, 0), (77, signal.SIGKILL)])
def test_feigned_end_of_running_process_is_not_an_end_of_its_own(
    connection: DriverConnection, ended: int, status: int
) -> None:
    words = _words(connection)
    words[STATUS], words[ENDED] = status, ended
    os.kill(connection.process.pid, signal.SIGSTOP)  # otherwise the reply may arrive before the end is noticed
    assert _find_end(connection) == OVERWRITTEN


@pytest.mark.parametrize("several", [0, 2])
def test_request_with_a_changed_number_of_messages_is_refused(connection: DriverConnection, several: int) -> None:
    """Otherwise the program would refuse the request as invalid, and the session would end with an internal error."""
    process = connection.process
    os.kill(process.pid, signal.SIGSTOP)
    process.queue_message(encode([BEGIN_EXAMPLE]))
    assert process._mailbox.send(encode([PEEK, connection.null_function, 1]), SECONDS)
    words = _words(connection)
    assert words[REQUEST_SEVERAL] == 1
    words[REQUEST_SEVERAL] = several
    os.kill(process.pid, signal.SIGCONT)
    with pytest.raises(ProcessEndedError) as ended:
        process.receive_first(SECONDS)
    assert ended.value.outcome == OVERWRITTEN


def test_repeated_request_is_not_taken_for_the_next_one(connection: DriverConnection) -> None:
    words = _words(connection)
    connection.request([ALLOCATE, 1, 8])
    words[REQUEST_STATE] = 1
    until = time.monotonic() + SECONDS
    while words[REPLY_STATE] == 0 and time.monotonic() < until:
        time.sleep(0.01)
    assert _find_end(connection) == OVERWRITTEN


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_end_by_a_signal_is_reported_as_such(connection: DriverConnection, number: signal.Signals) -> None:
    os.kill(connection.process.pid, number)
    _wait_for_death(connection)
    assert _find_end(connection).detail == number.name


def test_end_of_the_supervisor_is_a_kill(connection: DriverConnection) -> None:
    os.kill(connection.process.pid, signal.SIGSTOP)  # otherwise it may reply before it is killed, too
    os.kill(connection.process._process.pid, signal.SIGKILL)
    _wait_for_death(connection)
    assert _find_end(connection) == Died("killed", "SIGKILL")
