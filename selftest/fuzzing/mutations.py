"""Change valid inputs at random: their bytes, their lines, and the values of a JSON tree."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 255, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1),
    *(-(1 << 63), 10**30, 0.5, 1e308, -0.0),
    *("", " ", "\0", "\x1b[2J\x07", "\n", "*/", "/*", "??/", "\\", "%n%s", "../../x", "/dev/null", "-x", "--driver"),
    *("\ud7ff\U0010ffff\u202e", "x" * 5000, "handle", "items", "data", "returned", "died", "untouched", "1/2", "2/2"),
    *("[", "*", "a.b::c[d]", "clCreateContext", "clCreateContext/CL_INVALID_VALUE/1", "device1", "host_allocate"),
    *([], {}, [[]], [None], {"is": "handle", "name": "x y"}, {"is": "output-buffer", "count": 1 << 62}),
    *(
        {"is": "items", "values": [None, -1, 1 << 70]},
        {"is": "data", "content": "QUJD"},
        {"is": "text", "content": "%"},
    ),
    *({"is": "callback", "name": "f(){"}, {"is": "texts", "contents": ["\\", "\r"]}, {"is": "hung", "deadline": 1e300}),
    {"is": "returned", "value": "new1", "outputs": {"errcode_ret": {"values": [None, "x", 1.5]}}},
)
"""Unusual values: of another type, at the ends of a range, or with a meaning in C or in a terminal."""
BYTES = (
    *(
        b"",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\r\n",
        b"\n",
        b"{",
        b"}",
        b"[",
        b'"',
        b"\\ud800",
        b"1" * 5000,
    ),
    *(b"[" * 100_000, b'{"a":' * 50_000, b"1e999", b"NaN", b"-", b"\x1b]0;x\x07", b"[[known]]\n", b"a.a.a.a=1\n"),
)
NESTING_DEPTH = 900
"""The depth of the lists in which a value is nested."""
MAX_CHILDREN = 1000
"""The number of children of a list or object that may be changed."""


def change_bytes(content: bytes, chance: random.Random) -> bytes:
    """Return the content with one to four changes to its bytes."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        start = chance.randrange(len(changed) + 1)
        end = min(len(changed), start + chance.choice((0, 1, 1, 4, 64, 4096)))
        match chance.randrange(5):
            case 0:
                changed[start:end] = chance.randbytes(end - start)
            case 1:
                changed[start:end] = chance.choice(BYTES)
            case 2:
                changed[start:start] = changed[start:end] * chance.choice((1, 2, 50))
            case 3:
                del changed[start:end]
            case _:
                del changed[start:]
    return bytes(changed)


def change_lines(content: bytes, chance: random.Random) -> bytes:
    """Return the content with a line removed, repeated, moved, or changed as a JSON tree."""
    lines = content.split(b"\n")
    place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(8):
        case 0:
            del lines[place]
        case 1:
            lines.insert(other, lines[place])
        case 2:
            lines[place], lines[other] = lines[other], lines[place]
        case _:
            lines[place] = change_json(lines[place], chance)
    return b"\n".join(lines)


def change_json(content: bytes, chance: random.Random) -> bytes:
    """Return a JSON text with one to four changes to its values; content that is not JSON is changed as bytes."""
    try:
        tree = json.loads(content)
    except (ValueError, RecursionError):
        return change_bytes(content, chance)
    for _ in range(chance.choice((1, 1, 2, 4))):
        try:
            tree = change_tree(tree, chance)
            content = json.dumps(tree).encode("utf-8", "surrogatepass")
        except RecursionError:
            return content
    return content


def change_tree(tree: Any, chance: random.Random, values: Sequence[Any] = VALUES) -> Any:
    """Return the tree with one value changed, in place if possible; ``values``: the possible replacements."""
    places = list(_walk_places(tree, chance))
    if not places:
        return copy.deepcopy(chance.choice(values))
    inside, key = chance.choice(places)
    match chance.randrange(9):
        case 0:
            del inside[key]
        case 1:
            value: Any = inside[key]
            for _ in range(chance.choice((1, 2, 2, NESTING_DEPTH))):
                value = [value]
            inside[key] = value
        case 2:
            donor, there = chance.choice(places)
            inside[key] = copy.deepcopy(donor[there])
        case 3 if isinstance(inside, dict):
            inside[str(chance.choice(VALUES))] = inside.pop(key)
        case 3:
            inside.insert(key, inside[key])
        case 4 if isinstance(inside[key], int):
            inside[key] += chance.choice((-1, 1, 1 << 32))
        case 5 if isinstance(inside[key], str):
            at = chance.randrange(len(inside[key]) + 1)
            inside[key] = inside[key][:at] + str(chance.choice(VALUES)) + inside[key][at:]
        case _:
            inside[key] = copy.deepcopy(chance.choice(values))
    return tree


ARGUMENTS: tuple[Any, ...] = (
    *(None, 0, 1, -1, 2, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, (1 << 64) - 1, -(1 << 63)),
    *({"is": "handle", "name": name} for name in ("device1", "context1", "queue1", "event1", "pointer1", "nope99")),
    *({"is": "items", "values": values} for values in ([], [0], [1 << 63], [None, {"is": "handle", "name": "event1"}])),
    *({"is": "output-buffer", "count": count} for count in (0, 1, -1, 1 << 20, 1 << 33, (1 << 63) - 1)),
    *({"is": "inside", "handle": {"is": "handle", "name": "pointer1"}, "offset": at} for at in (-1, 3, 1 << 63)),
    *({"is": "data", "content": "QUJD"}, {"is": "data", "content": "", "unknown": [[0, 1 << 40]]}),
    *({"is": "text", "content": "%\n"}, {"is": "texts", "contents": ["x"]}, {"is": "callback", "name": "f(){"}),
    *({"is": "output-buffers", "counts": [0, -1, 1 << 40]}, {"is": "pointers", "values": [None]}),
    {"is": "handle-bytes", "handle": {"is": "handle", "name": "nope99"}},
    {"is": "bus-addresses", "surface": 1 << 63, "signal": {"is": "handle", "name": "bus1"}},
)
"""Values that have a valid form for an argument of a call."""


def change_calls(content: bytes, chance: random.Random) -> bytes:
    """Return a JSON text with changed functions and arguments of calls; each call still has a valid form."""
    try:
        tree = json.loads(content)
        calls = [step["call"] for deviation in tree["deviations"] for step in deviation["sequence"]]
    except (ValueError, LookupError, TypeError, RecursionError):  # earlier changes may have made the content invalid
        return change_bytes(content, chance)
    calls = [call for call in calls if isinstance(call, dict) and isinstance(call.get("arguments"), dict)]
    for _ in range(chance.randrange(1, 2 + len(calls) // 2) if calls else 0):
        call, other = chance.choice(calls), chance.choice(calls)
        arguments, theirs = call["arguments"], other["arguments"]
        match chance.randrange(10):
            case 0:
                call["function"] = other.get("function")
            case 1:
                call.update(copy.deepcopy(other))
            case 2 if arguments:
                del arguments[chance.choice(list(arguments))]
            case 3 | 4 if arguments and theirs:
                arguments[chance.choice(list(arguments))] = copy.deepcopy(chance.choice(list(theirs.values())))
            case _ if arguments:
                arguments[chance.choice(list(arguments))] = copy.deepcopy(chance.choice(ARGUMENTS))
    return json.dumps(tree).encode()


def _walk_places(tree: Any, chance: random.Random) -> Iterator[tuple[Any, Any]]:
    """Yield containers and keys along random paths down the tree, so that all depths are equally likely."""
    for _ in range(8):
        inside: Any = tree
        while isinstance(inside, dict | list) and inside:
            keys: Any = (
                list(inside)[:MAX_CHILDREN] if isinstance(inside, dict) else range(min(len(inside), MAX_CHILDREN))
            )
            key = chance.choice(keys)
            yield inside, key
            inside = inside[key]
