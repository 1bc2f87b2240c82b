"""Buffers mapped (section 5.2.4): a right call and what can be wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.changes import bound, change
from clconform.suites.errors.controls import control
from clconform.suites.errors.transfers import INSIDE, OUTSIDE

if TYPE_CHECKING:
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.controls import Arguments

MAP = "clEnqueueMapBuffer"
READING, WRITING = ("CL_MAP_READ",), ("CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION")


@control(MAP)
def map_all(bench: Bench) -> Arguments:
    """Map a whole buffer to read it."""
    flags = bench.value("CL_MAP_READ")
    return {"command_queue": bench.queue, "buffer": bench.buffer, "map_flags": flags, "offset": 0, "size": SIZE}


for _words, _offset, _size in OUTSIDE:
    change(f"{MAP}/CL_INVALID_VALUE/1", _words, {"offset": _offset, "size": _size})
for _words, _offset, _size in INSIDE:
    change(
        f"{MAP}/{'success' if _size else 'CL_INVALID_VALUE/1'}",
        _words,
        {"offset": _offset, "size": _size},
    )
for _bit in (1 << 3, 1 << 62, 1 << 63):
    change(f"{MAP}/CL_INVALID_VALUE/1", f"map_flags=bit {_bit.bit_length() - 1}", {"map_flags": _bit})
    change(f"{MAP}/CL_INVALID_VALUE/1", f"map_flags=READ and bit {_bit.bit_length() - 1}", {"map_flags": 1 | _bit})
change(f"{MAP}/CL_INVALID_VALUE/1", "map_flags=0", {"map_flags": 0})
for _excluding in (("CL_MAP_READ", WRITING[1]), ("CL_MAP_WRITE", WRITING[1]), ("CL_MAP_READ", *WRITING)):
    change(
        f"{MAP}/CL_INVALID_VALUE/1",
        " and ".join(_excluding),
        bound(lambda bench, _given, flags: {"map_flags": bench.value(*flags)}, _excluding),
    )
for _flags in (("CL_MAP_WRITE",), ("CL_MAP_READ", "CL_MAP_WRITE"), (WRITING[1],)):
    change(
        f"{MAP}/success",
        " and ".join(_flags),
        bound(lambda bench, _given, flags: {"map_flags": bench.value(*flags)}, _flags),
    )
for _hidden, _wanted in (
    ("CL_MEM_HOST_WRITE_ONLY", READING),
    ("CL_MEM_HOST_NO_ACCESS", READING + WRITING),
    ("CL_MEM_HOST_READ_ONLY", WRITING),
):
    for _flag in _wanted:
        change(
            f"{MAP}/CL_INVALID_OPERATION/1",
            f"{_flag} of a buffer with {_hidden}",
            bound(
                lambda bench, _given, hidden, flag: {
                    "buffer": bench.new_buffer("CL_MEM_READ_WRITE", hidden),
                    "map_flags": bench.value(flag),
                },
                _hidden,
                _flag,
            ),
        )
for _open, _flag in (("CL_MEM_HOST_WRITE_ONLY", WRITING[0]), ("CL_MEM_HOST_READ_ONLY", READING[0])):
    change(
        f"{MAP}/success",
        f"{_flag} of a buffer with {_open}",
        bound(
            lambda bench, _given, kept, flag: {
                "buffer": bench.new_buffer("CL_MEM_READ_WRITE", kept),
                "map_flags": bench.value(flag),
            },
            _open,
            _flag,
        ),
    )


def _mapped_already(
    bench: Bench, _given: Arguments, first: str, second: str, offset: int, before: int = 0
) -> Arguments:
    """Map half of a buffer, from ``before`` on, and ask for a part of it as long, from ``offset`` on."""
    bench.map(bench.buffer, first, offset=before, size=SIZE // 2)
    return {"map_flags": bench.value(second), "offset": offset, "size": SIZE // 2}


for _first in ("CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"):
    for _words, _offset in (("the same", 0), ("its last byte", SIZE // 2 - 1)):
        change(
            f"{MAP}/CL_INVALID_OPERATION/2",
            f"for writing, and mapped so already ({_first}): {_words}",
            bound(_mapped_already, _first, "CL_MAP_WRITE", _offset),
        )
change(
    f"{MAP}/success",
    "for writing, beside what is mapped so",
    bound(_mapped_already, "CL_MAP_WRITE", "CL_MAP_WRITE", SIZE // 2),
)
change(
    f"{MAP}/success",
    "for writing, before what is mapped so",
    bound(_mapped_already, "CL_MAP_WRITE", "CL_MAP_WRITE", 0, SIZE // 2),
)
for _first, _second in (("CL_MAP_READ", "CL_MAP_WRITE"), ("CL_MAP_WRITE", "CL_MAP_READ")):
    change(
        f"{MAP}/CL_INVALID_OPERATION/2",
        f"{_second} of what is mapped with {_first}",
        bound(_mapped_already, _first, _second, 0),
    )
change(
    f"{MAP}/success",
    "for reading, and mapped so already",
    bound(_mapped_already, "CL_MAP_READ", "CL_MAP_READ", 0),
)
