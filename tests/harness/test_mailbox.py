"""Messages of any length arrive complete and in order; an ended peer process and overwritten memory are detected."""

from __future__ import annotations

import gc
import os
import struct
import threading
import time
from typing import TYPE_CHECKING

import pytest

from clconform.harness.mailbox import PART_BYTES, ClosedMailbox, CorruptedMessage, Mailbox

if TYPE_CHECKING:
    from collections.abc import Callable

MailboxPair = tuple[Mailbox, Mailbox]
FIRST_SLOT, SLOT_WORDS, HEADER_BYTES = 16, 16, 4096


@pytest.fixture
def ended_sides() -> set[str]:
    """Return the set of ended processes (``driver``, ``session``), which the mailboxes of the peers check."""
    return set()


@pytest.fixture
def mailbox_pair(ended_sides: set[str]) -> MailboxPair:
    session, segment = Mailbox.create(lambda: "driver" in ended_sides)
    driver = Mailbox(segment, driver=True, has_ended=lambda: "session" in ended_sides)
    return session, driver


def _receive_message(mailbox: Mailbox) -> bytes:
    body = mailbox.receive(5)
    assert body is not None
    return body


def test_mailbox_uses_shared_memory_without_a_file_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (to count them, without opening one)
    session, segment = Mailbox.create(lambda: False)
    driver = Mailbox(segment, driver=True, has_ended=lambda: False)
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    assert driver.status is None
    del session, driver
    gc.collect()
    with pytest.raises(OSError, match="cannot use shared memory"):
        Mailbox(segment, driver=True, has_ended=lambda: False)


def test_queued_messages_arrive_before_the_message_sent_after_them(mailbox_pair: MailboxPair) -> None:
    session, driver = mailbox_pair
    session.queue_message(b"first")
    session.queue_message(b"second")
    assert driver.receive(0) is None
    session.send(b"third")
    assert [_receive_message(driver) for _ in range(3)] == [b"first", b"second", b"third"]
    assert driver.receive(0) is None


@pytest.mark.parametrize("size", [1, 16_384, PART_BYTES - 20, PART_BYTES, 2 * PART_BYTES, 3 * PART_BYTES + 1])
def test_messages_of_any_length_arrive_in_order(mailbox_pair: MailboxPair, size: int) -> None:
    session, driver = mailbox_pair
    session.send(b"request")
    _receive_message(driver)
    sent = [b"x" * size, b"y", b"z" * size]
    sender = threading.Thread(target=lambda: [driver.send(message) for message in sent])
    sender.start()
    received = [_receive_message(session) for _ in sent]
    sender.join()
    assert received == sent


def test_receive_and_send_time_out_if_the_peer_does_not_react(mailbox_pair: MailboxPair) -> None:
    session, driver = mailbox_pair
    began = time.monotonic()
    assert session.receive(0.3) is None
    assert 0.3 <= time.monotonic() - began < 3
    session.send(b"request")
    assert not session.send(b"request", 0.1), "the place was never emptied"
    assert _receive_message(driver) == b"request"


def test_receive_of_incomplete_message_times_out(mailbox_pair: MailboxPair) -> None:
    session, driver = mailbox_pair
    session.send(b"request")
    _receive_message(driver)
    assert not driver.send(b"x" * (2 * PART_BYTES), 0.1), "nobody took the first part"
    assert session.receive(0.2) is None


def test_session_detects_end_of_driver_after_its_last_message(mailbox_pair: MailboxPair) -> None:
    session, driver = mailbox_pair
    session.send(b"request")
    _receive_message(driver)
    driver.send(b"last")
    driver.set_ended(os.W_EXITCODE(3, 0) if hasattr(os, "W_EXITCODE") else 3 << 8)
    assert _receive_message(session) == b"last"
    with pytest.raises(ClosedMailbox):
        session.receive(5)
    assert session.status is not None
    assert os.waitstatus_to_exitcode(session.status) == 3


@pytest.mark.parametrize("side", ["driver", "session"])
def test_receive_fails_if_the_peer_process_ended(mailbox_pair: MailboxPair, ended_sides: set[str], side: str) -> None:
    session, driver = mailbox_pair
    ended_sides.add(side)
    with pytest.raises(ClosedMailbox):
        (session if side == "driver" else driver).receive(5)
    assert session.status is None


def test_receive_of_driver_fails_after_session_closes_mailbox(mailbox_pair: MailboxPair) -> None:
    session, driver = mailbox_pair
    waiting = threading.Timer(0.1, session.close)
    waiting.start()
    with pytest.raises(ClosedMailbox):
        driver.receive()
    waiting.join()


def _overwrite_content(memory: memoryview) -> None:
    memory[HEADER_BYTES + PART_BYTES + 2] ^= 1


def _overwrite_word(number: int, value: int) -> Callable[[memoryview], None]:
    def write(memory: memoryview) -> None:
        struct.pack_into("I", memory, 4 * (FIRST_SLOT + SLOT_WORDS + number), value)

    return write


@pytest.mark.parametrize(
    "change",
    [
        _overwrite_content,
        _overwrite_word(0, 77),
        _overwrite_word(1, 9),
        _overwrite_word(2, 0),
        _overwrite_word(2, 1 << 31),
        _overwrite_word(3, 5),
        _overwrite_word(5, 1),
    ],
    ids=["content", "state", "exchange", "empty", "too-long", "position", "checksum"],
)
def test_receive_rejects_overwritten_shared_memory(
    mailbox_pair: MailboxPair, change: Callable[[memoryview], None]
) -> None:
    session, driver = mailbox_pair
    session.send(b"request")
    _receive_message(driver)
    driver.send(b"reply")
    change(session._map)
    with pytest.raises(CorruptedMessage):
        session.receive(1)


def test_length_beyond_the_end_of_joint_messages_is_rejected(mailbox_pair: MailboxPair) -> None:
    session, driver = mailbox_pair
    session.queue_message(b"queued")
    session.send(b"request")
    memory = session._map
    with pytest.raises(CorruptedMessage):
        driver._split_messages(struct.pack("I", 1 << 20) + bytes(memory[:10]))
