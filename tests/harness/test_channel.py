"""Messages cross the pipes whole, in order, however long, and a side that goes away is noticed."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.protocol import Begin, Channel, Closed, Forget, Refused, Request

if TYPE_CHECKING:
    from collections.abc import Iterator

Ends = tuple[Channel, Channel]
_request = msgspec.msgpack.Decoder(Request).decode
_refused = msgspec.msgpack.Decoder(Refused).decode


@pytest.fixture
def ends() -> Iterator[Ends]:
    theirs_reading, writing = os.pipe()
    reading, theirs_writing = os.pipe()
    both = Channel(reading, writing), Channel(theirs_reading, theirs_writing)
    yield both
    for end in both:
        with suppress(OSError):  # closed by the test
            end.close()


def test_what_is_put_off_comes_first(ends: Ends) -> None:
    ours, theirs = ends
    os.set_blocking(theirs.reading, False)
    ours.put_off(Begin())
    ours.put_off(Forget(["event1"]))
    with pytest.raises(BlockingIOError):
        theirs.receive()
    ours.send(Forget(["event2"]))
    received = [_request(theirs.receive()) for _ in range(3)]
    assert received == [Begin(), Forget(["event1"]), Forget(["event2"])]
    with pytest.raises(BlockingIOError):
        theirs.receive()


@pytest.mark.parametrize("size", [0, 16_370, 16_384, 100_000, 3_000_000])
def test_messages_of_every_length_arrive_whole_and_in_order(ends: Ends, size: int) -> None:
    ours, theirs = ends
    sent = [Refused("x" * size), Refused("y"), Refused("z" * size)]

    def send() -> None:
        for message in sent:
            theirs.send(message)

    sender = threading.Thread(target=send)
    sender.start()
    received = [_refused(ours.receive()) for _ in sent]
    sender.join()
    assert received == sent


@pytest.mark.parametrize("fragment", [b"", b"\x05", b"\x05\0\0\0", b"\x05\0\0\0ab"])
def test_an_end_that_closes_is_noticed_within_a_message_too(fragment: bytes) -> None:
    reading, writing = os.pipe()
    os.write(writing, fragment)
    os.close(writing)
    with pytest.raises(Closed):
        Channel(reading, -1).receive()
    os.close(reading)


def test_nobody_listens(ends: Ends) -> None:
    ours, theirs = ends
    theirs.close()
    with pytest.raises(BrokenPipeError):
        ours.send(Begin())
