"""Buffers and sub-buffers made (section 5.2.1): right calls and what can be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Items, Value
from clconform.suites.errors.bench import SIZE
from clconform.suites.errors.changes import bound, change
from clconform.suites.errors.contexts import of_type_of
from clconform.suites.errors.controls import control
from clconform.suites.queries.memory import REGION
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.controls import Arguments

TOP = (1 << 64) - 1
"""The largest size_t."""
SOON = 1 << 28
"""Bytes that every driver allocates and clears in far less than the time that it has for a call."""
UNKNOWN_KEY = 0x7FFF0001
PLAIN, LISTED, REGIONS = "clCreateBuffer", "clCreateBufferWithProperties", "clCreateSubBuffer"
ACCESS = ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")
HOST_ACCESS = ("", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS")
FROM_HOST = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR")


@control(PLAIN, LISTED)
def a_buffer(bench: Bench) -> Arguments:
    """Make a buffer."""
    return {"context": bench.context, "flags": bench.value("CL_MEM_READ_WRITE"), "size": SIZE, "host_ptr": None}


def most(bench: Bench) -> int:
    """Return the most bytes that the device allocates at once."""
    size = bench.cl.fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE")
    needs(size and size < TOP, "the device does not tell the most that it allocates")
    return int(size)


def of_the_most_bytes(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
    """Return the most bytes, where a driver that makes them at once does not take long."""
    size = most(bench)
    needs(size <= SOON, "the most that the device allocates may take long to make")
    return {"size": size}


def combination(bench: Bench, given: Arguments, *names: str) -> Mapping[str, Value]:
    """Return these flags, and host memory where one of them wants it."""
    wants = any(name in names for name in ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR"))
    return {"flags": bench.value(*filter(None, names)), "host_ptr": Data(bytes(SIZE)) if wants else given["host_ptr"]}


for _function in (PLAIN, LISTED):
    _size = f"{_function}/CL_INVALID_BUFFER_SIZE/1"
    change(_size, "size=0", {"size": 0})
    change(_size, "size=the most and one", lambda bench, _given: {"size": most(bench) + 1})
    change(_size, "size=the largest number", {"size": TOP})
    change(f"{_function}/success", "size=the most", of_the_most_bytes)
    change(f"{_function}/success", "size=1", {"size": 1})
    for _access in ("", *ACCESS):
        for _host in HOST_ACCESS:
            for _from in ("", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR"):
                _names = (_access, _host, _from)
                _words = " and ".join(filter(None, _names)) or "no flag"
                change(
                    f"{_function}/success",
                    _words,
                    bound(combination, *_names),
                )
    change(
        f"{_function}/success",
        "ALLOC and COPY",
        lambda bench, given: combination(bench, given, "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR"),
    )
change(f"{LISTED}/success", "an empty list", {"properties": Items((0,))})
change(f"{LISTED}/CL_INVALID_PROPERTY/1", "an unknown name", {"properties": Items((UNKNOWN_KEY, 0, 0))})
change(f"{LISTED}/CL_INVALID_PROPERTY/1", "an unknown name twice", {"properties": Items((UNKNOWN_KEY, 0) * 2 + (0,))})
change(
    f"{LISTED}/CL_INVALID_PROPERTY/2",
    "devices for external memory, no such memory",
    lambda bench, _given: {"properties": Items((bench.value("CL_MEM_DEVICE_HANDLE_LIST_KHR"), bench.cl.device, 0, 0))},
)


@control(REGIONS)
def a_region(bench: Bench) -> Arguments:
    """Make a sub-buffer of the first half of a buffer."""
    kind = bench.value("CL_BUFFER_CREATE_TYPE_REGION")
    return {"buffer": bench.buffer, "flags": 0, "buffer_create_type": kind, "buffer_create_info": region(0, SIZE // 2)}


def region(origin: int, size: int) -> Data:
    """Return the description of a region."""
    return Data(REGION.pack(origin, size))


def _of(bench: Bench, flags: tuple[str, ...], *own: str) -> Mapping[str, Value]:
    """Ask for a region with flags of its own, of a buffer with others."""
    return {"buffer": bench.new_buffer(*flags), "flags": bench.value(*own)}


change(
    f"{REGIONS}/CL_INVALID_MEM_OBJECT/1",
    "a sub-buffer of a sub-buffer",
    lambda bench, _given: {"buffer": bench.region(bench.buffer, 0, SIZE), "buffer_create_info": region(0, 1)},
)
change(f"{REGIONS}/CL_INVALID_MEM_OBJECT/1", "buffer=NULL", {"buffer": None})
for _flag in FROM_HOST:
    change(
        f"{REGIONS}/CL_INVALID_VALUE/1",
        _flag,
        bound(lambda bench, _given, flag: {"flags": bench.value(flag)}, _flag),
    )
for _whole in ACCESS:
    for _part in ACCESS:
        _right = _whole in ("CL_MEM_READ_WRITE", _part)
        change(
            f"{REGIONS}/{'success' if _right else 'CL_INVALID_VALUE/1'}",
            f"{_part} of {_whole}",
            bound(lambda bench, _given, whole, part: _of(bench, (whole,), part), _whole, _part),
        )
for _whole in HOST_ACCESS:
    for _part in HOST_ACCESS[1:]:
        _right = _whole in ("", _part) or _part == "CL_MEM_HOST_NO_ACCESS"
        change(
            f"{REGIONS}/{'success' if _right else 'CL_INVALID_VALUE/2'}",
            f"{_part} of {_whole or 'no such flag'}",
            bound(lambda bench, _given, whole, part: _of(bench, tuple(filter(None, (whole,))), part), _whole, _part),
        )
for _kind in (0, 0x121F, 0x1221, 0xFFFFFFFF):
    change(f"{REGIONS}/CL_INVALID_VALUE/3", f"type={_kind:#x}", {"buffer_create_type": _kind})
change(f"{REGIONS}/CL_INVALID_VALUE/4", "no description", {"buffer_create_info": None})
for _words, _origin, _length in (
    ("size=all and one", 0, SIZE + 1),
    ("begins at the end", SIZE, 1),
    ("the sum wraps to a small number", 0, TOP),
    ("begins far behind the end", SIZE * SIZE, 1),
):
    change(f"{REGIONS}/CL_INVALID_VALUE/5", _words, {"buffer_create_info": region(_origin, _length)})
change(
    f"{REGIONS}/CL_INVALID_VALUE/5",
    "begins aligned, the sum wraps to the end",
    lambda bench, _given: {"buffer_create_info": region(TOP + 1 - bench.alignment, bench.alignment + SIZE)},
)
change(
    f"{REGIONS}/CL_INVALID_VALUE/5",
    "begins aligned, ends one past the end",
    lambda bench, _given: {"buffer_create_info": region(bench.alignment, SIZE - bench.alignment + 1)},
)
change(
    f"{REGIONS}/success",
    "of a buffer in a context of the device's type",
    lambda bench, _given: {"buffer": bench.new_buffer("CL_MEM_READ_WRITE", context=of_type_of(bench, bench.cl.device))},
)
change(f"{REGIONS}/success", "all of it", {"buffer_create_info": region(0, SIZE)})
change(f"{REGIONS}/success", "one byte", {"buffer_create_info": region(0, 1)})
change(
    f"{REGIONS}/success",
    "the last bytes",
    lambda bench, _given: {"buffer_create_info": region(SIZE - bench.alignment, bench.alignment)},
)
change(f"{REGIONS}/CL_INVALID_BUFFER_SIZE/1", "size=0", {"buffer_create_info": region(0, 0)})
change(
    f"{REGIONS}/CL_INVALID_BUFFER_SIZE/1",
    "size=0, aligned",
    lambda bench, _given: {"buffer_create_info": region(bench.alignment, 0)},
)


def _misaligned(bench: Bench, origin: int) -> Mapping[str, Value]:
    needs(bench.alignment > 1, "the device addresses every byte")
    return {"buffer_create_info": region(origin, bench.alignment)}


for _words, _place in (
    ("one byte behind the alignment", lambda alignment: alignment + 1),
    ("half the alignment", lambda alignment: alignment // 2),
    ("origin=1", lambda _alignment: 1),
    ("one byte before the alignment", lambda alignment: alignment - 1),
    ("as many bytes as the alignment has bits, and one", lambda alignment: alignment * 8 + 1),
):
    change(
        f"{REGIONS}/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
        _words,
        bound(lambda bench, _given, origin: _misaligned(bench, origin(bench.alignment)), _place),
    )
