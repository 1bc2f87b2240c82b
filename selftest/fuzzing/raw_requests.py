"""Mutated requests to the worker in their raw form, which cannot harm it except by a bug in the worker.

Addresses that the worker uses without a check keep valid values: functions are the null function, and memory that is
read or written belongs to the worker. Sizes of memory are small, or too large for any machine. Waits are short.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from clconform.harness.raw_messages import (
    ALLOCATE,
    ATOMICS,
    AWAIT,
    BEGIN_EXAMPLE,
    BEGIN_ON,
    BLOCK,
    BLOCK_CONTENT,
    CALL,
    CALLBACK,
    IN_CALLBACK,
    IN_TURN,
    LIMIT_DATA,
    LOAD,
    MAPPINGS,
    OUTPUT,
    PEEK,
    PEEK_TEXT,
    POINTERS_CONTENT,
    READ,
    REUSED,
    REUSED_BLOCK,
    SYMBOLS,
    TEXT_CONTENT,
    TOGETHER,
    WAIT_FOR_CALLBACK,
    WRITE,
    RawReply,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from clconform.harness.driver_connection import DriverConnection

AREA_BYTES = 1 << 16
"""The size of the memory that requests may read and write."""
_NUMBERS = (
    *(0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 127, 128, 255, 256, 257, 1023, 1024, 4095, 4096, 65535, 65536),
    *((1 << 61) - 1, 1 << 61, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, -1, -32, -33, -128, -129, -(1 << 31)),
)
_VALUES: tuple[Any, ...] = (
    *_NUMBERS,
    *(None, True, False, 1.5, b"", b"x", b"\xa5" * 300, b"\0" * 70_000, "", "text", [], [0], [[]], [0, 8], [1, b"x"]),
    *([2, bytes(8), 0, [0, 8]], [2, bytes(7), 0, None], [2, b""], [3, bytes(16), 8, [2, bytes(8), 0, b"x"]], [4]),
    *([4, 0, 0, 0, []], [4, 4, 1023, 4095, [[2, 3, 1 << 20, [0] * 256]]], [5, b""], {}, {"a": 1}, [0] * 300),
    *(msgspec.Raw(b"\xc1"), msgspec.Raw(b"\xdd\xff\xff\xff\xff"), msgspec.Raw(b"\xc6\xff\xff\xff\xff")),
    *(
        msgspec.Raw(b"\x92\x02" * 20 + b"\xc0"),
        msgspec.Raw(b"\x91" * 100_000),
        msgspec.Raw(b"\xcf\0"),
        msgspec.Raw(b""),
    ),
    *(msgspec.Raw(b"\xdc\x00\x01\x00"), msgspec.Raw(b"\xdb\0\0\0\1x"), msgspec.Raw(b"\xd9\xff"), msgspec.Raw(b"\xc4")),
)
_MANY_BYTES = re.compile(rb"[\x00](?:[\xce\xd2](?=.{4})|[\xcf\xd3](?=[\x00-\x1f]))", re.DOTALL)
"""The size of an output buffer that might be large, but not too large for the machine; or a similar sequence."""
_PREFIX_BYTES = 11
"""The bytes of a request for a call up to the function: the head of the array, the request, and the address."""
_WAIT_NANOSECONDS = 1000
_BEGIN = msgspec.msgpack.encode([BEGIN_EXAMPLE])
_decode = msgspec.msgpack.Decoder(RawReply).decode
_BYTE_CHANGED = frozenset({CALL, PEEK, PEEK_TEXT, MAPPINGS})
"""The requests whose bytes may change after the prefix, since no value there is used as an unchecked address."""


class OwnedAddresses(NamedTuple):
    """Addresses in the worker: the null function, and an area of ``AREA_BYTES`` bytes."""

    function: int
    area: int


def make_requests(addresses: OwnedAddresses, signatures: dict[str, int]) -> list[list[Any]]:
    """Return valid requests of all kinds, with all forms of arguments."""
    function, area = addresses
    call = [function, signatures["ippp"], 0]
    steps = [[TEXT_CONTENT, 0], [BLOCK_CONTENT, 1, 64, [0, 8, 56]]]
    return [
        [CALL, *call, 1, None, b"bytes"],
        [CALL, *call, [OUTPUT, 100], [REUSED, b"x" * 300], [BLOCK, bytes(24), 0, b"a", 8, None, 16, [OUTPUT, 3]]],
        [
            CALL,
            function,
            signatures["ippp"],
            1,
            [REUSED_BLOCK, bytes(8), 0, [BLOCK, bytes(8), 0, b"x"]],
            [OUTPUT, 0],
            1,
        ],
        [
            CALL,
            *call,
            [CALLBACK, 2, 5, 7, []],
            [CALLBACK, 1, 8, 9, steps],
            [CALLBACK, 4, 1, 0, [[POINTERS_CONTENT, 0, 2]]],
        ],
        [CALL, function, signatures["i"], 0],
        [TOGETHER, [*call, 1, 2, 3], [*call, [OUTPUT, 5], b"x", None], [function, signatures["ip"], 1, [OUTPUT, 2]]],
        [IN_TURN, [*call, 1, 2, 3], [*call, [OUTPUT, 5], b"x", None]],
        [BEGIN_ON, 3, *call, 1, [OUTPUT, 4], b"x"],
        [AWAIT, 3, _WAIT_NANOSECONDS],
        [IN_CALLBACK, 3, 7],
        [WAIT_FOR_CALLBACK, 7, 0, _WAIT_NANOSECONDS],
        [BEGIN_EXAMPLE],
        [ALLOCATE, 100, 64],
        [WRITE, area, b"content"],
        [READ, area, 50],
        [ATOMICS, area, 2, [0, 0, 1, 2], [1, 1, 7, 3], [2, 0, 0, 5]],
        [PEEK, area, 100],
        [PEEK_TEXT, area],
        [MAPPINGS],
        [LOAD, b"/nowhere/lib.so"],
        [SYMBOLS, 0, b"printf", b"exit"],
        [LIMIT_DATA, 0],
    ]


def change_request(request: list[Any], addresses: OwnedAddresses, chance: random.Random) -> bytes:
    """Return a mutation of a request, as bytes."""
    if request[0] in _BYTE_CHANGED and chance.randrange(2):
        return _change_bytes(msgspec.msgpack.encode(request), chance)
    for _ in range(chance.choice((1, 1, 2, 4))):
        request = _change_values(request, chance)
    return msgspec.msgpack.encode(_restrict(request, addresses))


def _change_values(values: list[Any], chance: random.Random) -> list[Any]:
    """Return a list with one value, perhaps in a nested list, replaced, removed, added or exchanged."""
    changed = list(values)
    at = chance.randrange(len(changed)) if changed else 0
    if changed and isinstance(changed[at], list) and chance.randrange(3):
        changed[at] = _change_values(changed[at], chance)
        return changed
    match chance.randrange(6):
        case 0:
            changed.insert(at, chance.choice(_VALUES))
        case 1:
            del changed[at : at + 1]
        case 2 if changed:
            changed.insert(at, changed[chance.randrange(len(changed))])
        case 3 if changed:
            del changed[at:]
        case _:
            changed[at : at + 1] = [chance.choice(_VALUES)]
    return changed


def _change_bytes(message: bytes, chance: random.Random) -> bytes:
    """Return a message with changed bytes after the address of a function."""
    start = _PREFIX_BYTES if len(message) > _PREFIX_BYTES else 2
    content = bytearray(message)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(start, len(content) + 1)
        match chance.randrange(4):
            case 0:
                content[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                content[at:at] = chance.randbytes(chance.randrange(1, 9))
            case 2:
                del content[at : at + chance.randrange(1, 5)]
            case _:
                del content[at:]
    return message if _MANY_BYTES.search(content, start) else bytes(content)


def _restrict(request: Any, addresses: OwnedAddresses) -> Any:
    """Return the request with valid addresses, small areas and short waits in place of others."""
    if not isinstance(request, list) or not request or not _is_number(request[0]):
        return (
            [BEGIN_EXAMPLE]
            if isinstance(request, list) and request and isinstance(request[0], msgspec.Raw)
            else request
        )
    changed = list(request)
    if request[0] in (TOGETHER, IN_TURN):
        calls = [list(each) if isinstance(each, list) else None for each in request[1:]]
        for call in calls:
            _replace_number(call or [], 0, (addresses.function,))
        return [request[0], *calls]
    for at, allowed in _allowed_numbers(addresses).get(request[0], {}).items():
        _replace_number(changed, at, allowed)
    return [each[:AREA_BYTES] if request[0] == WRITE and isinstance(each, bytes) else each for each in changed]


def _allowed_numbers(addresses: OwnedAddresses) -> dict[int, dict[int, Sequence[int]]]:
    """Map requests to the positions of their limited numbers, and these to the allowed numbers."""
    function, area = addresses
    waits = (_WAIT_NANOSECONDS, 0)
    sizes = (*range(1 << 17), *(each for each in _NUMBERS if each >= 1 << 60))
    return {
        CALL: {1: (function,)},
        BEGIN_ON: {2: (function,)},
        WRITE: {1: (area,)},
        READ: {1: (area,), 2: range(AREA_BYTES)},
        ATOMICS: {1: (area,), 2: range(AREA_BYTES >> 4)},
        ALLOCATE: {1: sizes, 2: sizes},
        AWAIT: {2: waits},
        WAIT_FOR_CALLBACK: {3: waits},
        SYMBOLS: {1: (0,)},
        LIMIT_DATA: {1: (0,)},
    }


def _replace_number(values: list[Any], at: int, allowed: Sequence[int]) -> None:
    """Replace a number that is not allowed by the first one that is; a raw value may be a number, too."""
    if at < len(values) and (
        isinstance(values[at], msgspec.Raw) or (_is_number(values[at]) and values[at] not in allowed)
    ):
        values[at] = allowed[0]


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def try_requests(connection: DriverConnection, count: int, chance: random.Random) -> Counter[str]:
    """Send mutated requests, each of which the worker fulfils or refuses; return how many had a reply of each type.

    ProcessEndedError: the worker has ended. msgspec.MsgspecError: a reply is invalid.
    """
    area = connection.call([ALLOCATE, AREA_BYTES, 4096]).result
    addresses = OwnedAddresses(connection.null_function, area)
    valid = make_requests(addresses, connection.signatures)
    process = connection.process
    kinds: Counter[str] = Counter()
    for _ in range(count):
        request = change_request(chance.choice(valid), addresses, chance)
        if _begins_example(request):
            process.queue_message(_BEGIN)
        else:
            kinds[type(_decode(process.exchange(request, connection.seconds))).__name__] += 1
    return kinds


def _begins_example(request: bytes) -> bool:
    """Return whether a request might have no reply."""
    head = {0xDC: 3, 0xDD: 5}.get(request[0], 1) if request else 0
    return request[head : head + 1] == bytes([BEGIN_EXAMPLE])
