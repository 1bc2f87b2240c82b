"""Messages of any length arrive complete and in order; the end of a side and overwritten memory are detected."""

from __future__ import annotations

import gc
import os
import struct
import threading
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.protocol import Begin, Forget, Refused, Request
from clconform.harness.mailbox import AREA_BYTES, Closed, Corrupted, Mailbox

if TYPE_CHECKING:
    from collections.abc import Callable

Ends = tuple[Mailbox, Mailbox]
_request = msgspec.msgpack.Decoder(Request).decode
_refused = msgspec.msgpack.Decoder(Refused).decode
FIRST_PLACE, PLACE_WORDS, HEADER_BYTES = 16, 16, 4096


@pytest.fixture
def over() -> set[str]:
    """Return the names of ended sides, which the other side observes."""
    return set()


@pytest.fixture
def ends(over: set[str]) -> Ends:
    session, segment = Mailbox.create(lambda: "driver" in over)
    driver = Mailbox(segment, driver=True, gone=lambda: "session" in over)
    return session, driver


def _message(mailbox: Mailbox) -> bytes:
    body = mailbox.receive(5)
    assert body is not None
    return body


def test_no_descriptor_leads_to_the_memory_and_it_goes_with_its_last_user() -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (to count them, without opening one)
    session, segment = Mailbox.create(lambda: False)
    driver = Mailbox(segment, driver=True, gone=lambda: False)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert driver.status is None
    del session, driver
    gc.collect()
    with pytest.raises(OSError, match="cannot use shared memory"):
        Mailbox(segment, driver=True, gone=lambda: False)


def test_what_is_put_off_comes_first(ends: Ends) -> None:
    session, driver = ends
    session.put_off(Begin())
    session.put_off(Forget(["event1"]))
    assert driver.receive(0) is None
    session.send(Forget(["event2"]))
    assert [_request(_message(driver)) for _ in range(3)] == [Begin(), Forget(["event1"]), Forget(["event2"])]
    assert driver.receive(0) is None


@pytest.mark.parametrize("size", [0, 16_384, AREA_BYTES - 20, AREA_BYTES, 2 * AREA_BYTES, 3 * AREA_BYTES + 1])
def test_messages_of_every_length_arrive_whole_and_in_order(ends: Ends, size: int) -> None:
    session, driver = ends
    session.send(Begin())
    _message(driver)
    sent = [Refused("x" * size), Refused("y"), Refused("z" * size)]
    sender = threading.Thread(target=lambda: [driver.send(message) for message in sent])
    sender.start()
    received = [_refused(_message(session)) for _ in sent]
    sender.join()
    assert received == sent


def test_an_answer_that_does_not_come_in_time(ends: Ends) -> None:
    session, driver = ends
    began = time.monotonic()
    assert session.receive(0.3) is None
    assert 0.3 <= time.monotonic() - began < 3
    session.send(Begin())
    assert not session.send(Begin(), 0.1), "the place was never emptied"
    assert _request(_message(driver)) == Begin()


def test_half_a_message_is_none_in_time(ends: Ends) -> None:
    session, driver = ends
    session.send(Begin())
    _message(driver)
    assert not driver.send(Refused("x" * (2 * AREA_BYTES)), 0.1), "nobody took the first part"
    assert session.receive(0.2) is None


def test_the_end_of_the_drivers_process_is_noticed_at_once_after_its_last_message(ends: Ends) -> None:
    session, driver = ends
    session.send(Begin())
    _message(driver)
    driver.send(Refused("last"))
    driver.ended(os.W_EXITCODE(3, 0) if hasattr(os, "W_EXITCODE") else 3 << 8)
    assert _refused(_message(session)) == Refused("last")
    with pytest.raises(Closed):
        session.receive(5)
    assert session.status is not None
    assert os.waitstatus_to_exitcode(session.status) == 3


@pytest.mark.parametrize("side", ["driver", "session"])
def test_a_side_that_goes_without_a_word_is_noticed(ends: Ends, over: set[str], side: str) -> None:
    session, driver = ends
    over.add(side)
    with pytest.raises(Closed):
        (session if side == "driver" else driver).receive(5)
    assert session.status is None


def test_a_closed_session_ends_the_driver(ends: Ends) -> None:
    session, driver = ends
    waiting = threading.Timer(0.1, session.close)
    waiting.start()
    with pytest.raises(Closed):
        driver.receive()
    waiting.join()


def _content(memory: memoryview) -> None:
    memory[HEADER_BYTES + AREA_BYTES + 2] ^= 1


def _word(number: int, value: int) -> Callable[[memoryview], None]:
    def write(memory: memoryview) -> None:
        struct.pack_into("I", memory, 4 * (FIRST_PLACE + PLACE_WORDS + number), value)

    return write


@pytest.mark.parametrize(
    "change",
    [_content, _word(0, 77), _word(1, 9), _word(2, 0), _word(2, 1 << 31), _word(3, 5), _word(5, 1)],
    ids=["content", "state", "exchange", "empty", "too-long", "position", "checksum"],
)
def test_what_was_written_over_is_not_taken_for_an_answer(ends: Ends, change: Callable[[memoryview], None]) -> None:
    session, driver = ends
    session.send(Begin())
    _message(driver)
    driver.send(Refused("a"))
    change(session._map)
    with pytest.raises(Corrupted):
        session.receive(1)


def test_messages_sent_together_end_where_their_lengths_say(ends: Ends) -> None:
    session, driver = ends
    session.put_off(Forget(["x"]))
    session.send(Begin())
    memory = session._map
    with pytest.raises(Corrupted):
        driver._first_of(struct.pack("I", 1 << 20) + bytes(memory[:10]))


def test_the_call_under_way_is_told(ends: Ends) -> None:
    session, driver = ends
    assert session.told == b""
    driver.tell(b"a call")
    assert session.told == b"a call"
    driver.tell(b"x" * 5000)
    assert session.told == b"", "too long to be noted"
