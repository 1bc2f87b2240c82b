"""Commands on shared memory: copied, filled, mapped and migrated (section 5.6.1): right calls and wrong ones."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, Items, Room
from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.changes import change
from clconform.suites.errors.controls import control
from clconform.suites.errors.recurring import NOBODYS_BITS
from clconform.suites.errors.svm import LARGEST, LATER, PATTERNS, TOP, has_any, shared, with_flags
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

COPY, FILL, MIGRATE = "clEnqueueSVMMemcpy", "clEnqueueSVMMemFill", "clEnqueueSVMMigrateMem"
MAP, UNMAP = "clEnqueueSVMMap", "clEnqueueSVMUnmap"
HALF = SIZE // 2


@control(COPY)
def copy(bench: Bench) -> Arguments:
    """Copy all of one allocation to another."""
    return {"command_queue": bench.queue, "dst_ptr": shared(bench), "src_ptr": shared(bench), "size": SIZE}


@control(FILL)
def fill(bench: Bench) -> Arguments:
    """Fill all of an allocation."""
    pattern = Data(bytes(range(LARGEST)))
    return {
        "command_queue": bench.queue,
        "svm_ptr": shared(bench),
        "pattern": pattern,
        "pattern_size": 4,
        "size": SIZE,
    }


@control(MAP)
def map_shared(bench: Bench) -> Arguments:
    """Map all of an allocation to read and write it."""
    flags = bench.value("CL_MAP_READ", "CL_MAP_WRITE")
    return {"command_queue": bench.queue, "flags": flags, "svm_ptr": shared(bench), "size": SIZE}


@control(UNMAP)
def unmap_shared(bench: Bench) -> Arguments:
    """Unmap what was mapped."""
    pointer = shared(bench)
    _map(bench, pointer, SIZE)
    return {"command_queue": bench.queue, "svm_ptr": pointer}


def _map(bench: Bench, pointer: Handle | Inside, size: int) -> None:
    if has_any(bench):
        bench.cl.clEnqueueSVMMap(bench.queue, 1, bench.value("CL_MAP_READ"), pointer, size, 0, None, None)


@control(MIGRATE)
def migrate(bench: Bench) -> Arguments:
    """Migrate the whole of an allocation."""
    pointers = Items((shared(bench),))
    return {
        "command_queue": bench.queue,
        "num_svm_pointers": 1,
        "svm_pointers": pointers,
        "sizes": None,
        "flags": 0,
    }


# clEnqueueSVMMemcpy


def within_one(allocate: Callable[[Bench], Handle], to: int, start: int, size: int) -> Difference:
    """Return the change to a copy of so many bytes from a place of an allocation to another place of it."""

    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        memory = allocate(bench)
        places: list[Value] = [Inside(memory, offset) if offset else memory for offset in (to, start)]
        return {"dst_ptr": places[0], "src_ptr": places[1], "size": size}

    return difference


OVERLAPPING = (
    ("all onto itself", 0, 0, SIZE),
    ("one byte onto itself", 1, 1, 1),
    ("the last byte read is the first one written", HALF - 1, 0, HALF),
    ("the last byte written is the first one read", 0, HALF - 1, HALF),
    ("one byte ahead", 1, 0, SIZE - 1),
    ("one byte behind", 0, 1, SIZE - 1),
)
"""Copies within one allocation: where to, where from, how many bytes."""
APART = (
    ("to right behind the source", HALF, 0, HALF),
    ("to right before the source", 0, HALF, HALF),
    ("one byte to the next", 1, 0, 1),
    ("no byte onto itself", 0, 0, 0),
    ("no byte", HALF, 0, 0),
)
"""The same where no byte is both read and written."""


def copies(function: str, allocate: Callable[[Bench], Handle], size: int) -> None:
    """Declare the changes to a copy between two allocations of so many bytes, or between one and the host."""
    for boundary, *places in OVERLAPPING:
        change(f"{function}/CL_MEM_COPY_OVERLAP/1", boundary, within_one(allocate, *places))
    for boundary, *places in APART:
        change(f"{function}/success", boundary, within_one(allocate, *places))
    for name in ("dst_ptr", "src_ptr"):
        change(f"{function}/CL_INVALID_VALUE/1", f"{name}=NULL, no byte", {name: None, "size": 0})
    change(f"{function}/CL_INVALID_VALUE/1", "both NULL", {"dst_ptr": None, "src_ptr": None})
    change(f"{function}/success", "one byte", {"size": 1})
    change(f"{function}/success", "to the host", {"dst_ptr": Room(size)})
    change(f"{function}/success", "from the host", {"src_ptr": Data(bytes(size))})


copies(COPY, shared, SIZE)

# clEnqueueSVMMemFill


def filled(pointer: str, offset: int, pattern_size: int, size: int) -> Difference:
    """Return the change to a fill from a place of the allocation on, whose parameter is ``pointer``."""

    def difference(_bench: Bench, given: Arguments) -> dict[str, Value]:
        pattern = Data(bytes(number & 0xFF for number in range(max(pattern_size, 1))))
        memory = given[pointer]
        place = Inside(memory, offset) if offset and isinstance(memory, Handle) else memory
        return {pointer: place, "pattern": pattern, "pattern_size": pattern_size, "size": size}

    return difference


_filled = functools.partial(filled, "svm_ptr")
change(f"{FILL}/CL_INVALID_VALUE/1", "svm_ptr=NULL, no byte", {"svm_ptr": None, "size": 0})
for _size in PATTERNS:
    change(f"{FILL}/success", f"a pattern of {_size}", _filled(0, _size, SIZE))
    change(f"{FILL}/success", f"a pattern of {_size}, once, at the second place", _filled(_size, _size, _size))
    change(f"{FILL}/success", f"a pattern of {_size}, no byte", _filled(0, _size, 0))
for _size in PATTERNS[1:]:
    change(f"{FILL}/CL_INVALID_VALUE/2", f"a pattern of {_size}, 1 byte on", _filled(1, _size, _size))
    change(
        f"{FILL}/CL_INVALID_VALUE/2",
        f"a pattern of {_size}, half of it on",
        _filled(_size // 2, _size, _size),
    )
    change(f"{FILL}/CL_INVALID_VALUE/4", f"a pattern of {_size}, a byte too much", _filled(0, _size, _size + 1))
    change(
        f"{FILL}/CL_INVALID_VALUE/4",
        f"a pattern of {_size}, a byte short of two",
        _filled(0, _size, 2 * _size - 1),
    )
    change(f"{FILL}/CL_INVALID_VALUE/4", f"a pattern of {_size}, half of it", _filled(0, _size, _size // 2))
change(f"{FILL}/CL_INVALID_VALUE/3", "pattern=NULL", {"pattern": None})
change(f"{FILL}/CL_INVALID_VALUE/3", "pattern_size=0", {"pattern_size": 0})
for _size in range(1, 257):
    if _size not in PATTERNS:
        change(f"{FILL}/CL_INVALID_VALUE/3", f"a pattern of {_size}", _filled(0, _size, 4 * _size))

# clEnqueueSVMMap and clEnqueueSVMUnmap

change(f"{MAP}/CL_INVALID_VALUE/2", "size=0", {"size": 0})
for _bit in (1 << 32, *NOBODYS_BITS):
    _number = _bit.bit_length() - 1
    change(f"{MAP}/CL_INVALID_VALUE/2", f"flags=bit {_number}", {"flags": _bit})
    change(f"{MAP}/CL_INVALID_VALUE/2", f"to read, and bit {_number}", {"flags": 1 | _bit})
for _names in (("CL_MAP_READ",), ("CL_MAP_WRITE",), ("CL_MAP_READ", "CL_MAP_WRITE")):
    _words = " and ".join((*_names, "CL_MAP_WRITE_INVALIDATE_REGION"))
    change(f"{MAP}/CL_INVALID_VALUE/2", _words, with_flags(*_names, "CL_MAP_WRITE_INVALIDATE_REGION"))
for _name in ("CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"):
    change(f"{MAP}/success", _name, with_flags(_name))
change(f"{MAP}/success", "flags=0", {"flags": 0})
change(f"{MAP}/success", "the first byte", {"size": 1})
change(
    f"{MAP}/success",
    "the last byte",
    lambda bench, _given: {"svm_ptr": Inside(shared(bench), SIZE - 1), "size": 1},
)


def _part_mapped(bench: Bench, _given: Arguments) -> dict[str, Value]:
    part = Inside(shared(bench), HALF)
    _map(bench, part, HALF)
    return {"svm_ptr": part}


change(f"{UNMAP}/success", "a part", _part_mapped)
change(f"{UNMAP}/success", "not mapped", lambda bench, _given: {"svm_ptr": shared(bench)})

# clEnqueueSVMMigrateMem


def _ranges(*sizes: int) -> Difference:
    def difference(bench: Bench, _given: Arguments) -> dict[str, Value]:
        pointers = Items(tuple(shared(bench) for _ in sizes))
        return {"num_svm_pointers": len(sizes), "svm_pointers": pointers, "sizes": Items(sizes)}

    return difference


for _boundary, _sizes in (
    ("a byte more than the allocation", (SIZE + 1,)),
    ("the largest size", (TOP,)),
    ("the first of two", (SIZE + 1, SIZE)),
    ("the second of two", (SIZE, SIZE + 1)),
    ("behind a whole allocation", (0, SIZE + 1)),
):
    change(f"{MIGRATE}/CL_INVALID_VALUE/2", _boundary, _ranges(*_sizes))
change(f"{MIGRATE}/CL_INVALID_VALUE/2", "a range at NULL", {"svm_pointers": Items((None,)), "sizes": Items((1,))})
for _boundary, _sizes in (
    ("the allocation by its size", (SIZE,)),
    ("the allocation by 0", (0,)),
    ("the first byte", (1,)),
    ("two allocations", (SIZE, 0)),
):
    change(f"{MIGRATE}/success", _boundary, _ranges(*_sizes))
for _names in (
    ("CL_MIGRATE_MEM_OBJECT_HOST",),
    ("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED",),
    ("CL_MIGRATE_MEM_OBJECT_HOST", "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"),
):
    change(f"{MIGRATE}/success", " and ".join(_names), with_flags(*_names))

# all of them


def _where_nothing_is_shared(bench: Bench, _given: Arguments) -> dict[str, Value]:
    needs(not has_any(bench), "the device shares memory")
    return {}


for _function in (LATER, COPY, FILL, MAP, UNMAP, MIGRATE):
    change(f"{_function}/CL_INVALID_OPERATION/1", "on a device that shares no memory", _where_nothing_is_shared)
