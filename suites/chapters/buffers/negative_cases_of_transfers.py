"""Reads, writes, copies and fills of buffer ranges (5.2.2, 5.2.3): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, OutputBuffer
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values, set_sizes
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import HALF, SIZE, SIZE_MAX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

LARGEST_PATTERN = 256
OUTSIDE = (
    ("offset=buffer size", SIZE, 1),
    ("size=buffer size+1", 0, SIZE + 1),
    ("starts inside, ends one byte past the end", HALF, HALF + 1),
    ("offset=buffer size+1", SIZE + 1, 1),
    ("offset+size overflows to the start", SIZE_MAX, 2),
    ("offset+size overflows to the inside", SIZE_MAX - HALF, SIZE),
    ("offset=SIZE_MAX", SIZE_MAX, 1),
)
"""Descriptions, offsets and sizes of ranges outside a buffer; the numbers are converted by ``to_size`` of the kit."""
PAST_SUB_BUFFER = (("offset=its size", HALF, 1), ("size=its size+1", 0, HALF + 1))
"""Ranges that are within a buffer but not within a sub-buffer of its first half: description, offset and size."""
INSIDE = (
    ("the last byte", SIZE - 1, 1),
    ("the first byte", 0, 1),
    ("size=0", 0, 0),
    ("size=0 at the end", SIZE, 0),
)
variations = VariationRegistry()

# host access to ranges and rectangles


@variations.declare("clEnqueueReadBuffer/CL_INVALID_OPERATION/1", "clEnqueueReadBufferRect/CL_INVALID_OPERATION/1")
def reads_forbidden_by_flags() -> Iterator[Variation]:
    """Yield buffers and sub-buffers that the host may not read."""
    yield from _forbidden_host_access("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS")


@variations.declare("clEnqueueWriteBuffer/CL_INVALID_OPERATION/1", "clEnqueueWriteBufferRect/CL_INVALID_OPERATION/1")
def writes_forbidden_by_flags() -> Iterator[Variation]:
    """Yield buffers and sub-buffers that the host may not write."""
    yield from _forbidden_host_access("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")


@variations.declare("clEnqueueReadBuffer/success", "clEnqueueReadBufferRect/success")
def reads_allowed_by_flags() -> Iterator[Variation]:
    """Yield a buffer that the host may only read."""
    yield Variation("CL_MEM_HOST_READ_ONLY", bind_values(_with_buffer_flag, "CL_MEM_HOST_READ_ONLY"))


@variations.declare("clEnqueueWriteBuffer/success", "clEnqueueWriteBufferRect/success")
def writes_allowed_by_flags() -> Iterator[Variation]:
    """Yield a buffer that the host may only write."""
    yield Variation("CL_MEM_HOST_WRITE_ONLY", bind_values(_with_buffer_flag, "CL_MEM_HOST_WRITE_ONLY"))


def _forbidden_host_access(*flags: str) -> Iterator[Variation]:
    for flag in flags:
        yield Variation(flag, bind_values(_with_buffer_flag, flag))
        yield Variation(f"a region of a buffer with {flag}", bind_values(_with_sub_buffer_flags, flag))
        words = f"a region for reading, of a buffer with {flag}"
        yield Variation(words, bind_values(_with_sub_buffer_flags, flag, "CL_MEM_READ_ONLY"))


def _with_buffer_flag(kit: Kit, _given: Arguments, flag: str) -> Arguments:
    return {"buffer": kit.buffer("CL_MEM_READ_WRITE", flag)}


def _with_sub_buffer_flags(kit: Kit, _given: Arguments, flag: str, *flags: str) -> Arguments:
    return {"buffer": kit.sub_buffer(kit.buffer(flag), 0, SIZE, *flags)}


# clEnqueueReadBuffer, clEnqueueWriteBuffer


@variations.declare("clEnqueueReadBuffer/CL_INVALID_VALUE/1")
def reads_outside() -> Iterator[Variation]:
    """Yield ranges that are not within the buffer, and NULL as the output buffer."""
    yield from _transfers(OUTSIDE, OutputBuffer(SIZE + 1))
    yield from _null_pointers()
    yield from ranges_past_a_sub_buffer(ptr=OutputBuffer(SIZE))


@variations.declare("clEnqueueWriteBuffer/CL_INVALID_VALUE/1")
def writes_outside() -> Iterator[Variation]:
    """Yield ranges that are not within the buffer, and NULL as the host pointer."""
    yield from _transfers(OUTSIDE, Data(bytes(SIZE + 1)))
    yield from _null_pointers()
    yield from ranges_past_a_sub_buffer(ptr=Data(bytes(SIZE)))


@variations.declare("clEnqueueReadBuffer/success")
def reads_inside() -> Iterator[Variation]:
    """Yield ranges at both ends of the buffer."""
    yield from _transfers(INSIDE, OutputBuffer(SIZE + 1))


@variations.declare("clEnqueueWriteBuffer/success")
def writes_inside() -> Iterator[Variation]:
    """Yield ranges at both ends of the buffer."""
    yield from _transfers(INSIDE, Data(bytes(SIZE + 1)))


def _transfers(ranges: tuple[tuple[str, int, int], ...], host: Value) -> Iterator[Variation]:
    for words, offset, size in ranges:
        yield Variation(words, bind_values(_with_range, offset, size, host))


def _with_range(kit: Kit, _given: Arguments, offset: int, size: int, host: Value) -> Arguments:
    return {"offset": kit.to_size(offset), "size": size, "ptr": host}


def ranges_past_a_sub_buffer(**given: Value) -> Iterator[Variation]:
    """Yield ranges that are within a buffer but not within its sub-buffer.

    ``given``: further changed arguments.
    """
    for words, offset, size in PAST_SUB_BUFFER:
        yield Variation(
            f"a sub-buffer: {words}", bind_values(_with_sub_buffer, {**given, "offset": offset, "size": size})
        )


def _with_sub_buffer(kit: Kit, _given: Arguments, given: Arguments) -> Arguments:
    return {"buffer": kit.sub_buffer(kit.first_buffer, 0, HALF), **given}


def _null_pointers() -> Iterator[Variation]:
    yield Variation("ptr=NULL", {"ptr": None})
    yield Variation("ptr=NULL, size=0", {"ptr": None, "size": 0})


# clEnqueueCopyBuffer


@variations.declare("clEnqueueCopyBuffer/CL_INVALID_VALUE/1")
def copies_outside() -> Iterator[Variation]:
    """Yield copies whose range exceeds the source or the destination, but not both."""
    for words, offset, size in OUTSIDE:
        yield Variation(f"src: {words}", bind_values(_with_larger_buffer, "src_offset", offset, "dst_buffer", size))
    for words, offset, size in OUTSIDE:
        yield Variation(f"dst: {words}", bind_values(_with_larger_buffer, "dst_offset", offset, "src_buffer", size))
    for side in ("src", "dst"):
        for words, offset, size in PAST_SUB_BUFFER:
            yield Variation(f"{side}: a sub-buffer: {words}", bind_values(_past_a_sub_buffer, side, offset, size))


def _with_larger_buffer(
    kit: Kit, _given: Arguments, offset_name: str, offset: int, buffer_name: str, size: int
) -> Arguments:
    return {offset_name: kit.to_size(offset), "size": size, buffer_name: kit.buffer(size=2 * SIZE)}


def _past_a_sub_buffer(kit: Kit, _given: Arguments, side: str, offset: int, size: int) -> Arguments:
    return {f"{side}_buffer": kit.sub_buffer(kit.buffer(), 0, HALF), f"{side}_offset": offset, "size": size}


@variations.declare("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1")
def overlapping_copies() -> Iterator[Variation]:
    """Yield copies between overlapping ranges of one buffer, or of two overlapping sub-buffers."""
    for words, source, target, size in (
        ("the same range", 0, 0, SIZE),
        ("the same byte", 5, 5, 1),
        ("one byte, forwards", 0, HALF - 1, HALF),
        ("one byte, backwards", HALF - 1, 0, HALF),
        ("inside the other", 0, 1, HALF),
    ):
        yield Variation(f"one buffer: {words}", bind_values(_in_one_buffer, source, target, size))
    yield Variation("one region: inside the other", bind_values(_in_one_region, 1))
    yield Variation("two regions: the same bytes", bind_values(_between_regions, 0, 0, 0))
    yield Variation("two regions: inside the other", bind_values(_between_regions, 0, 0, 1))
    yield Variation("two regions, one later: the same bytes", bind_values(_between_regions, 1, 2, 1))
    yield Variation("two regions, one later: the same offsets", bind_values(_between_regions, 1, 1, 1))
    yield Variation("two regions, one later: up to the end of src_buffer", bind_values(_up_to_an_end, 1, 0))
    yield Variation("two regions, one later: up to the end of dst_buffer", bind_values(_up_to_an_end, 0, 1))
    yield Variation("two regions, one later: adjacent bytes", bind_values(_between_regions, 1, 0, 1, 2))
    yield Variation("a buffer and its region: the same bytes", _between_a_buffer_and_its_region)


@variations.declare("clEnqueueCopyBuffer/success")
def copies_inside() -> Iterator[Variation]:
    """Yield copies of ranges at both ends of two buffers, and copies between disjoint ranges of one buffer."""
    for words, offset, size in INSIDE:
        yield Variation(f"src: {words}", {"src_offset": offset, "size": size})
    for words, offset, size in INSIDE:
        yield Variation(f"dst: {words}", {"dst_offset": offset, "size": size})
    yield Variation("one buffer: adjacent ranges, forwards", bind_values(_in_one_buffer, 0, HALF, HALF))
    yield Variation("one buffer: adjacent ranges, backwards", bind_values(_in_one_buffer, HALF, 0, HALF))
    yield Variation("one buffer: size=0", bind_values(_in_one_buffer, 0, 0, 0))
    yield Variation("one region: adjacent ranges", bind_values(_in_one_region, HALF // 2))
    yield Variation("from a region to its buffer, disjoint", _from_a_region_to_its_buffer)


def _in_one_buffer(kit: Kit, _given: Arguments, source: int, target: int, size: int) -> Arguments:
    return {"dst_buffer": kit.first_buffer, "src_offset": source, "dst_offset": target, "size": size}


def _in_one_region(kit: Kit, _given: Arguments, offset: int) -> Arguments:
    part = kit.sub_buffer(kit.first_buffer, 0, HALF)
    return {"src_buffer": part, "dst_buffer": part, "src_offset": 0, "dst_offset": offset, "size": HALF // 2}


def _between_regions(kit: Kit, _given: Arguments, origin: int, source: int, target: int, size: int = 0) -> Arguments:
    """Return the arguments of a copy between two overlapping sub-buffers.

    ``origin``: the origin of the second sub-buffer; ``source`` and ``target``: the offsets in both. These numbers and
    ``size`` are in units of the device's base address alignment. If ``size`` is 0, about half of the buffer is copied.
    """
    unit = kit.alignment
    skip_unless(4 * unit <= SIZE - HALF, "the base address alignment is too large for regions that overlap")
    first = kit.sub_buffer(kit.first_buffer, 0, SIZE)
    second = kit.sub_buffer(kit.first_buffer, origin * unit, SIZE - origin * unit)
    places: Arguments = {"src_offset": source * unit, "dst_offset": target * unit, "size": size * unit or HALF - unit}
    return {"src_buffer": first, "dst_buffer": second, **places}


def _up_to_an_end(kit: Kit, _given: Arguments, source: int, target: int) -> Arguments:
    """Return the arguments of a copy between overlapping sub-buffers that ends at the end of one of them.

    ``source`` and ``target``: the offsets in both, in units of the device's base address alignment.
    """
    unit = kit.alignment
    skip_unless(4 * unit <= SIZE, "the base address alignment is too large for regions that overlap")
    first = kit.sub_buffer(kit.first_buffer, 0, SIZE - unit)
    second = kit.sub_buffer(kit.first_buffer, unit, SIZE - unit)
    places: Arguments = {"src_offset": source * unit, "dst_offset": target * unit, "size": SIZE - 2 * unit}
    return {"src_buffer": first, "dst_buffer": second, **places}


def _between_a_buffer_and_its_region(kit: Kit, _given: Arguments) -> Arguments:
    return {"dst_buffer": kit.sub_buffer(kit.first_buffer, 0, HALF), "src_buffer": kit.first_buffer, "size": HALF}


def _from_a_region_to_its_buffer(kit: Kit, _given: Arguments) -> Arguments:
    part = kit.sub_buffer(kit.first_buffer, 0, HALF)
    return {"src_buffer": part, "dst_buffer": kit.first_buffer, "dst_offset": HALF, "size": HALF}


# clEnqueueFillBuffer


@variations.declare("clEnqueueFillBuffer/CL_INVALID_VALUE/1")
def fills_outside() -> Iterator[Variation]:
    """Yield ranges of whole patterns that are not within the buffer."""
    for words, offset, size in (
        ("one pattern past the end", SIZE, 4),
        ("one pattern more than the buffer", 0, SIZE + 4),
        ("starts inside, ends one pattern past the end", HALF, HALF + 4),
        ("offset+size overflows to the start", SIZE_MAX - 3, 8),
        ("offset=SIZE_MAX", SIZE_MAX - 3, 4),
        ("size=0, one pattern past the end", SIZE + 4, 0),
    ):
        yield Variation(words, set_sizes(offset=offset, size=size))
    for words, offset, size in (("one pattern past its end", HALF, 4), ("one pattern more than it", 0, HALF + 4)):
        yield Variation(f"a sub-buffer: {words}", bind_values(_with_sub_buffer, {"offset": offset, "size": size}))


@variations.declare("clEnqueueFillBuffer/CL_INVALID_VALUE/2")
def invalid_patterns() -> Iterator[Variation]:
    """Yield NULL as the pattern, and pattern sizes that are not a power of two or too large."""
    yield Variation("pattern=NULL", {"pattern": None})
    yield Variation("pattern=NULL, pattern_size=0", {"pattern": None, "pattern_size": 0})
    yield from _patterns(valid=False)


@variations.declare("clEnqueueFillBuffer/CL_INVALID_VALUE/3")
def fills_not_multiple_of_the_pattern() -> Iterator[Variation]:
    """Yield offsets and sizes that are not a multiple of the pattern size, 4."""
    for words, offset, size in (
        ("offset=2, size=6", 2, 6),
        ("offset=1, size=5", 1, 5),
        ("offset=2, size=4", 2, 4),
        ("offset=4, size=6", 4, 6),
    ):
        yield Variation(words, {"offset": offset, "size": size})


@variations.declare("clEnqueueFillBuffer/success")
def fills_inside() -> Iterator[Variation]:
    """Yield valid fills.

    They use patterns of each valid size, ranges at both ends of the buffer, or buffers that the host cannot write.
    """
    yield from _patterns(valid=True)
    yield Variation("the last pattern", {"offset": SIZE - 4, "size": 4})
    yield Variation("size=0", {"size": 0})
    yield Variation("size=0 at the end", {"offset": SIZE, "size": 0})
    for flag in ("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_READ_ONLY", "CL_MEM_READ_ONLY"):
        yield Variation(flag, bind_values(_with_device_only_flag, flag))


def _patterns(*, valid: bool) -> Iterator[Variation]:
    """Yield fills with the valid or with the invalid pattern sizes, as ``valid`` selects.

    The sizes range from 0 to the first size that is too large.
    """
    for size in range(LARGEST_PATTERN + 1):
        if (0 < size < LARGEST_PATTERN and size & (size - 1) == 0) == valid:
            pattern = Data(bytes(range(LARGEST_PATTERN))[:size])
            yield Variation(f"pattern_size={size}", {"pattern": pattern, "pattern_size": size, "size": size})


def _with_device_only_flag(kit: Kit, _given: Arguments, flag: str) -> Arguments:
    return {"buffer": kit.buffer(flag)}
