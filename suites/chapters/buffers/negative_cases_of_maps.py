"""Mapping of buffers (section 5.2.4): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.chapters.buffers.negative_cases_of_transfers import INSIDE, OUTSIDE, ranges_past_a_sub_buffer
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values, set_sizes
from clconform.suites.kit.memory import HALF, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

READ, WRITE, INVALIDATE = "CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"
FORBIDDEN = {
    "CL_MEM_HOST_WRITE_ONLY": (READ,),
    "CL_MEM_HOST_NO_ACCESS": (READ, WRITE, INVALIDATE),
    "CL_MEM_HOST_READ_ONLY": (WRITE, INVALIDATE),
}
"""Maps each host access flag of a memory object to the map flags that it forbids."""
variations = VariationRegistry()


@variations.declare("clEnqueueMapBuffer/CL_INVALID_VALUE/1")
def invalid_ranges_and_flags() -> Iterator[Variation]:
    """Yield ranges outside the buffer, empty ranges, and map flags that are unknown or exclude each other."""
    for words, offset, size in OUTSIDE:
        yield Variation(words, set_sizes(offset=offset, size=size))
    for words, offset, size in INSIDE:
        if not size:
            yield Variation(words, {"offset": offset, "size": size})
    yield from ranges_past_a_sub_buffer()
    for bit in (3, 62, 63):
        yield Variation(f"map_flags=bit {bit}", {"map_flags": 1 << bit})
        yield Variation(f"map_flags=READ and bit {bit}", {"map_flags": 1 | 1 << bit})
    yield Variation("map_flags=0", {"map_flags": 0})
    for flags in ((READ, INVALIDATE), (WRITE, INVALIDATE), (READ, WRITE, INVALIDATE)):
        yield Variation(" and ".join(flags), bind_values(_with_flags, *flags))


@variations.declare("clEnqueueMapBuffer/CL_INVALID_OPERATION/1")
def maps_forbidden_by_flags() -> Iterator[Variation]:
    """Yield map flags that the buffer's host access flags forbid."""
    for hidden, forbidden in FORBIDDEN.items():
        for flag in forbidden:
            yield Variation(f"{flag} of a buffer with {hidden}", bind_values(_with_host_access, hidden, flag))


@variations.declare("clEnqueueMapBuffer/CL_INVALID_OPERATION/2")
def overlapping_maps() -> Iterator[Variation]:
    """Yield maps that overlap an existing map, where at least one of the two maps is for writing."""
    for first in (WRITE, INVALIDATE):
        for words, offset in (("the same range", 0), ("its last byte", HALF - 1)):
            test_value = f"CL_MAP_WRITE of what is mapped with {first}: {words}"
            yield Variation(test_value, bind_values(_with_existing_map, first, WRITE, offset))
    for first, second in ((READ, WRITE), (WRITE, READ)):
        yield Variation(f"{second} of what is mapped with {first}", bind_values(_with_existing_map, first, second, 0))


@variations.declare("clEnqueueMapBuffer/success")
def valid_maps() -> Iterator[Variation]:
    """Yield valid maps of a buffer.

    They map ranges at both ends of the buffer, ranges next to an existing map, or the range of a map for reading, or
    they pass each valid combination of flags.
    """
    for words, offset, size in INSIDE:
        if size:
            yield Variation(words, {"offset": offset, "size": size})
    for flags in ((WRITE,), (READ, WRITE), (INVALIDATE,)):
        yield Variation(" and ".join(flags), bind_values(_with_flags, *flags))
    for granted, flag in (("CL_MEM_HOST_WRITE_ONLY", WRITE), ("CL_MEM_HOST_READ_ONLY", READ)):
        yield Variation(f"{flag} of a buffer with {granted}", bind_values(_with_host_access, granted, flag))
    yield Variation(
        "for writing, after a range mapped for writing", bind_values(_with_existing_map, WRITE, WRITE, HALF)
    )
    yield Variation(
        "for writing, before a range mapped for writing", bind_values(_with_existing_map, WRITE, WRITE, 0, HALF)
    )
    yield Variation("for reading, already mapped for reading", bind_values(_with_existing_map, READ, READ, 0))
    for words, make in (
        ("CL_MEM_ALLOC_HOST_PTR", _create_with_alloc_host_ptr),
        ("CL_MEM_USE_HOST_PTR", _create_with_use_host_ptr),
    ):
        test_value = f"for reading, already mapped for reading, {words}"
        yield Variation(test_value, bind_values(_with_existing_map, READ, READ, 0, 0, make))


def _with_flags(kit: Kit, _given: Arguments, *flags: str) -> Arguments:
    return {"map_flags": kit.constant(*flags)}


def _with_host_access(kit: Kit, _given: Arguments, host_access: str, flag: str) -> Arguments:
    return {"buffer": kit.buffer("CL_MEM_READ_WRITE", host_access), "map_flags": kit.constant(flag)}


def _create_with_alloc_host_ptr(kit: Kit) -> Handle:
    return kit.buffer("CL_MEM_READ_WRITE", "CL_MEM_ALLOC_HOST_PTR")


def _create_with_use_host_ptr(kit: Kit) -> Handle:
    return kit.buffer_on_host_memory(kit.host_area(bytes(SIZE)))


def _with_existing_map(
    kit: Kit,
    _given: Arguments,
    first: str,
    second: str,
    offset: int,
    first_offset: int = 0,
    create: Callable[[Kit], Handle] | None = None,
) -> Arguments:
    """Map half of a buffer at ``first_offset``, and return the arguments of a map of the same length at ``offset``."""
    buffer = create(kit) if create is not None else kit.first_buffer
    kit.map(buffer, first, offset=first_offset, size=HALF)
    return {"buffer": buffer, "map_flags": kit.constant(second), "offset": offset, "size": HALF}
