"""Change recorded messages at random: values or bytes of requests and replies, and words of the shared memory."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import Absent, Begun, Died, Hung, Returned
from clconform.calls.protocol import (
    BeginExample,
    CallEnded,
    CallPending,
    ConcurrentOutcomes,
    RequestRefused,
    TargetUnreachable,
)
from clconform.selftest.fuzzing.exchanges import START_COUNT, Exchange, decode_exchanges, encode_exchanges
from clconform.selftest.fuzzing.mutations import VALUES, change_bytes, change_tree

if TYPE_CHECKING:
    import random

_raw = msgspec.Raw
MSGPACK_VALUES: tuple[Any, ...] = (
    *VALUES,
    *(float("nan"), float("inf"), -float("inf"), b"", b"\xff" * 100, b"\xa5" * 5000, "a\0b", "device99", "context1"),
    *(_raw(b"\xc1"), _raw(b"\xa1\xff"), _raw(b"\xd6\xff\x00\x00\x00\x01"), _raw(b"\xc7\x04\x05abcd"), _raw(b"")),
    *(_raw(b"\x91" * 900 + b"\xc0"), _raw(b"\x91" * 100_000 + b"\xc0"), _raw(b"\x81\xa1a" * 50_000 + b"\xc0")),
    *(_raw(b"\xdd\xff\xff\xff\xff"), _raw(b"\xdf\xff\xff\xff\xff"), _raw(b"\xc6\xff\xff\xff\xff"), _raw(b"\xdb\x7f")),
    *([0] * 3000, ["device1"] * 300, {"a": 1, "b": [None]}, [{"name": "x", "arguments": {}}] * 2000),
)
"""Unusual values of a message, including invalid MessagePack."""
OTHER_ANSWERS = (
    *(
        RequestRefused("no"),
        Begun(3),
        Begun(-1),
        CallPending(),
        ConcurrentOutcomes([]),
        ConcurrentOutcomes([Returned(0)] * 3),
    ),
    *(CallEnded(Returned(0), 1 << 40, -5), CallEnded(Absent("no-entry", "gone"), 0, 0), Returned(0), Returned(None)),
    *(
        Absent("no-entry", "gone"),
        Died("signal", "SIGSEGV"),
        Hung(1e308),
        TargetUnreachable("x\n\x1b"),
        Returned(float("nan")),
    ),
)
EXIT_STATUSES = (0, 1 << 8, 9, 11, 6, 0x137F, 0xFFFF, 0x7F, 127, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
"""Wait statuses of a process: exits, signals, and impossible values."""
HEADER_BYTES, AREA_BYTES = 4096, 1 << 22
WORDS = (*range(6), *range(16, 24), *range(32, 40), 64, 65, 1023)
"""The indices of the 32-bit words that have a meaning in the header of the shared memory."""
NUMBERS = (0, 1, 2, 3, 77, 255, 4096, (1 << 22) + 1, 1 << 28, 0x7EF7A11D, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
BEGIN = msgspec.msgpack.encode(BeginExample())
MAX_CHANGES = 40
"""The maximum number of changed messages in one recording."""


def change_answers(content: bytes, chance: random.Random) -> bytes:
    """Return a recording in which some replies are replaced, malformed, or missing."""
    exchanges = decode_exchanges(content)
    for _ in range(chance.randrange(1, MAX_CHANGES + 1)):
        exchange = _choose_exchange(exchanges, chance)
        match chance.randrange(12):
            case 0:
                exchange.answer = chance.choice(exchanges).answer
            case 1:
                exchange.answer = msgspec.msgpack.encode(chance.choice(OTHER_ANSWERS))
            case 2:
                exchange.answer = change_bytes(exchange.answer, chance)
            case 3:
                exchange.answer = b""
                exchange.status = chance.choice((-1, *EXIT_STATUSES))
            case 4:
                exchange.answer += exchange.answer
            case _:
                exchange.answer = _change_message(exchange.answer, chance)
    return encode_exchanges(exchanges)


def change_requests(content: bytes, chance: random.Random) -> bytes:
    """Return a recording in which some requests are malformed."""
    exchanges = decode_exchanges(content)
    for _ in range(chance.randrange(1, MAX_CHANGES + 1)):
        exchange = _choose_exchange(exchanges, chance)
        exchange.request = _change_message(exchange.request, chance)
    return encode_exchanges(exchanges)


def change_memory(content: bytes, chance: random.Random) -> bytes:
    """Return a recording with additional writes into the shared memory after some replies."""
    exchanges = decode_exchanges(content)
    for _ in range(chance.randrange(1, MAX_CHANGES + 1)):
        exchange = _choose_exchange(exchanges, chance)
        exchange.writes = [*exchange.writes, *(_choose_write(chance) for _ in range(chance.choice((1, 1, 2, 5))))]
    return encode_exchanges(exchanges)


def _choose_exchange(exchanges: list[Exchange], chance: random.Random) -> Exchange:
    """Return a random exchange, but never the last recorded start: without a valid start, the session does not open.

    Half of the time the exchange is from an example after the first one, because the replies of the first example
    determine the testable platform.
    """
    first = next((at for at, each in enumerate(exchanges) if each.request == BEGIN), 0) if chance.randrange(2) else 0
    return chance.choice([*exchanges[first : START_COUNT - 1], *exchanges[max(first, START_COUNT) :]])


def _choose_write(chance: random.Random) -> tuple[int, bytes]:
    match chance.randrange(4):
        case 0:  # a word anywhere in the header
            return chance.randrange(HEADER_BYTES), chance.randbytes(chance.choice((1, 4, 64, 2048)))
        case 1:  # the first byte of a message from the session or from the worker
            area = HEADER_BYTES + chance.choice((0, AREA_BYTES))
            return area + chance.randrange(300), chance.randbytes(chance.choice((1, 2, 8)))
        case _:
            return 4 * chance.choice(WORDS), chance.choice(NUMBERS).to_bytes(4, "little")


def _change_message(message: bytes, chance: random.Random) -> bytes:
    """Return a message with one to four changes to its values."""
    try:
        tree = msgspec.msgpack.decode(message)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return change_bytes(message, chance)
    for _ in range(chance.choice((1, 1, 2, 4))):
        with suppress(RecursionError, OverflowError, UnicodeEncodeError, TypeError, msgspec.MsgspecError):
            tree = change_tree(tree, chance, MSGPACK_VALUES)
            message = msgspec.msgpack.encode(tree)
    return message
