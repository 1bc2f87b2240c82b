"""Mapping of buffers (section 5.2.4): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.chapters.buffers.variations_of_transfers import INSIDE, OUTSIDE, past_a_part
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import HALF, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

READ, WRITE, ANEW = "CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"
FORBIDDEN = {
    "CL_MEM_HOST_WRITE_ONLY": (READ,),
    "CL_MEM_HOST_NO_ACCESS": (READ, WRITE, ANEW),
    "CL_MEM_HOST_READ_ONLY": (WRITE, ANEW),
}
"""Host access flag of a memory object to the map flags that it forbids."""
variations = Variations()


@variations.of("clEnqueueMapBuffer/CL_INVALID_VALUE/1")
def invalid_ranges_and_flags() -> Iterator[Variation]:
    """Yield ranges outside the buffer, empty ranges, and map flags that are unknown or exclude each other."""
    for words, offset, size in OUTSIDE:
        yield Variation(words, {"offset": offset, "size": size})
    for words, offset, size in INSIDE:
        if not size:
            yield Variation(words, {"offset": offset, "size": size})
    yield from past_a_part()
    for bit in (3, 62, 63):
        yield Variation(f"map_flags=bit {bit}", {"map_flags": 1 << bit})
        yield Variation(f"map_flags=READ and bit {bit}", {"map_flags": 1 | 1 << bit})
    yield Variation("map_flags=0", {"map_flags": 0})
    for flags in ((READ, ANEW), (WRITE, ANEW), (READ, WRITE, ANEW)):
        yield Variation(" and ".join(flags), bound(_with_flags, *flags))


@variations.of("clEnqueueMapBuffer/CL_INVALID_OPERATION/1")
def maps_that_the_flags_forbid() -> Iterator[Variation]:
    """Yield map flags that the buffer's host access flags forbid."""
    for hidden, forbidden in FORBIDDEN.items():
        for flag in forbidden:
            yield Variation(f"{flag} of a buffer with {hidden}", bound(_of_a_buffer_with, hidden, flag))


@variations.of("clEnqueueMapBuffer/CL_INVALID_OPERATION/2")
def maps_that_overlap() -> Iterator[Variation]:
    """Yield maps that overlap an existing map, where one of the two is for writing."""
    for first in (WRITE, ANEW):
        for words, offset in (("the same range", 0), ("its last byte", HALF - 1)):
            boundary = f"CL_MAP_WRITE of what is mapped with {first}: {words}"
            yield Variation(boundary, bound(_mapped_already, first, WRITE, offset))
    for first, second in ((READ, WRITE), (WRITE, READ)):
        yield Variation(f"{second} of what is mapped with {first}", bound(_mapped_already, first, second, 0))


@variations.of("clEnqueueMapBuffer/success")
def valid_maps() -> Iterator[Variation]:
    """Yield ranges at both ends, valid combinations of flags, and adjacent maps."""
    for words, offset, size in INSIDE:
        if size:
            yield Variation(words, {"offset": offset, "size": size})
    for flags in ((WRITE,), (READ, WRITE), (ANEW,)):
        yield Variation(" and ".join(flags), bound(_with_flags, *flags))
    for granted, flag in (("CL_MEM_HOST_WRITE_ONLY", WRITE), ("CL_MEM_HOST_READ_ONLY", READ)):
        yield Variation(f"{flag} of a buffer with {granted}", bound(_of_a_buffer_with, granted, flag))
    yield Variation("for writing, after a range mapped for writing", bound(_mapped_already, WRITE, WRITE, HALF))
    yield Variation("for writing, before a range mapped for writing", bound(_mapped_already, WRITE, WRITE, 0, HALF))
    yield Variation("for reading, already mapped for reading", bound(_mapped_already, READ, READ, 0))
    for words, make in (("CL_MEM_ALLOC_HOST_PTR", _allocated_by_the_host), ("CL_MEM_USE_HOST_PTR", _in_an_area)):
        boundary = f"for reading, already mapped for reading, {words}"
        yield Variation(boundary, bound(_mapped_already, READ, READ, 0, 0, make))


def _with_flags(kit: Kit, _given: Arguments, *flags: str) -> Arguments:
    return {"map_flags": kit.value(*flags)}


def _of_a_buffer_with(kit: Kit, _given: Arguments, host_access: str, flag: str) -> Arguments:
    return {"buffer": kit.buffer("CL_MEM_READ_WRITE", host_access), "map_flags": kit.value(flag)}


def _allocated_by_the_host(kit: Kit) -> Handle:
    return kit.buffer("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")


def _in_an_area(kit: Kit) -> Handle:
    return kit.buffer_on(kit.area(bytes(SIZE)))


def _mapped_already(
    kit: Kit,
    _given: Arguments,
    first: str,
    second: str,
    offset: int,
    before: int = 0,
    make: Callable[[Kit], Handle] | None = None,
) -> Arguments:
    """Map half of a buffer at ``before``, and return the arguments of a map of the same length at ``offset``."""
    buffer = make(kit) if make is not None else kit.first_buffer
    kit.map(buffer, first, offset=before, size=HALF)
    return {"buffer": buffer, "map_flags": kit.value(second), "offset": offset, "size": HALF}
