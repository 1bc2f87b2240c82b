"""Variations of calls that allocate, copy and fill memory by address, common to SVM and USM.

The modules of the chapters declare the requirements for these variations, and pass the names of parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OffsetPointer, OutputBuffer
from clconform.suites.errors.negative_cases import Variation, bind_values, set_sizes
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import HALF, SIZE, SIZE_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.suites.errors.negative_cases import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

    Allocate = Callable[[Kit], Handle]

PATTERNS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Valid pattern sizes in bytes, which are also the valid alignments; data types have these sizes."""
NON_POWERS_OF_TWO = (3, 5, 6, 7, 12, 24, 48, 96, 127, 129, 192, 1000, 0xFFFFFFFF)
"""Alignments that are not a power of two."""
OVERLAPPING_COPIES = (
    ("the same range", 0, 0, SIZE),
    ("the same byte", 1, 1, 1),
    ("the last byte read is the first one written", HALF - 1, 0, HALF),
    ("the last byte written is the first one read", 0, HALF - 1, HALF),
    ("one byte forwards", 1, 0, SIZE - 1),
    ("one byte backwards", 0, 1, SIZE - 1),
)
"""Overlapping copies within one allocation: description, destination offset, source offset, size in bytes."""
DISJOINT_COPIES = (
    ("directly after the source", HALF, 0, HALF),
    ("directly before the source", 0, HALF, HALF),
    ("one byte to the next", 1, 0, 1),
    ("the same address, size=0", 0, 0, 0),
    ("size=0", HALF, 0, 0),
)
"""Disjoint copies within one allocation: description, destination offset, source offset, size in bytes."""

# flags


def set_flags(*names: str) -> Difference:
    """Return the argument changes that set these flags."""
    return lambda kit, _given: {"flags": kit.constant(*names)}


# allocations


def invalid_sizes() -> Iterator[Variation]:
    """Yield size 0, and sizes larger than the device's maximum."""
    yield Variation("size=0", {"size": 0})
    yield Variation("size=largest+1", exceed_max_size(1))
    yield Variation("size=SIZE_MAX", set_sizes(size=SIZE_MAX))
    yield Variation("size=SIZE_MAX/2+1", lambda kit, _given: {"size": kit.size_max // 2 + 2})


def exceed_max_size(more: int) -> Difference:
    """Return the argument changes that set the size to the device's maximum plus ``more`` bytes."""

    def difference(kit: Kit, _given: Arguments) -> dict[str, Value]:
        most = kit.cl.fact("CL_DEVICE_MAX_MEM_ALLOC_SIZE")
        usable = isinstance(most, int) and 0 < most <= kit.size_max - more
        skip_unless(usable, "the device does not report a usable CL_DEVICE_MAX_MEM_ALLOC_SIZE")
        return {"size": int(most or 0) + more}

    return difference


def non_power_alignments() -> Iterator[Variation]:
    """Yield alignments that are not a power of two."""
    for alignment in NON_POWERS_OF_TWO:
        yield Variation(f"alignment={alignment}", {"alignment": alignment})


def too_large_alignments() -> Iterator[Variation]:
    """Yield alignments that are larger than the largest data type."""
    for exponent in range(8, 32):
        yield Variation(f"alignment=2^{exponent}", {"alignment": 1 << exponent})


def valid_alignments() -> Iterator[Variation]:
    """Yield the alignment of each data type."""
    for alignment in PATTERNS:
        yield Variation(f"alignment={alignment}", {"alignment": alignment})
        yield Variation(f"alignment={alignment}, size=1", {"alignment": alignment, "size": 1})


# copies, with the parameters dst_ptr, src_ptr and size


def overlapping_copies(allocate: Allocate) -> Iterator[Variation]:
    """Yield copies within one allocation between overlapping ranges."""
    for words, to, start, size in OVERLAPPING_COPIES:
        yield Variation(words, bind_values(_copy_within_allocation, allocate, to, start, size))


def null_pointer_copies() -> Iterator[Variation]:
    """Yield copies of 0 bytes with NULL as the source or as the destination, and copies with NULL as both."""
    yield Variation("dst_ptr=NULL, size=0", {"dst_ptr": None, "size": 0})
    yield Variation("src_ptr=NULL, size=0", {"src_ptr": None, "size": 0})
    yield Variation("dst_ptr=NULL, src_ptr=NULL", {"dst_ptr": None, "src_ptr": None})


def valid_copies(allocate: Allocate, size: int) -> Iterator[Variation]:
    """Yield copies between disjoint ranges of one allocation, and copies from and to host memory."""
    for words, to, start, length in DISJOINT_COPIES:
        yield Variation(words, bind_values(_copy_within_allocation, allocate, to, start, length))
    yield Variation("one byte", {"size": 1})
    yield Variation("to the host", {"dst_ptr": OutputBuffer(size)})
    yield Variation("from the host", {"src_ptr": Data(bytes(size))})


def _copy_within_allocation(
    kit: Kit, _given: Arguments, allocate: Allocate, to: int, start: int, size: int
) -> dict[str, Value]:
    """Return a copy of ``size`` bytes within an allocation, from the offset ``start`` to the offset ``to``."""
    memory = allocate(kit)
    places: list[Value] = [OffsetPointer(memory, offset) if offset else memory for offset in (to, start)]
    return {"dst_ptr": places[0], "src_ptr": places[1], "size": size}


# fills, with a pointer parameter and the parameters pattern, pattern_size and size


def misaligned_fills(pointer: str) -> Iterator[Variation]:
    """Yield pointers that are not aligned to the pattern size."""
    for size in PATTERNS[1:]:
        yield Variation(f"pattern_size={size}, pointer 1 byte off", change_fill(pointer, 1, size, size))
        yield Variation(f"pattern_size={size}, pointer half a pattern off", change_fill(pointer, size // 2, size, size))


def partial_pattern_fills(pointer: str) -> Iterator[Variation]:
    """Yield sizes that are not a multiple of the pattern size."""
    for size in PATTERNS[1:]:
        yield Variation(f"pattern_size={size}, size=pattern_size+1", change_fill(pointer, 0, size, size + 1))
        yield Variation(f"pattern_size={size}, size=2*pattern_size-1", change_fill(pointer, 0, size, 2 * size - 1))
        yield Variation(f"pattern_size={size}, size=pattern_size/2", change_fill(pointer, 0, size, size // 2))


def valid_fills(pointer: str) -> Iterator[Variation]:
    """Yield fills with patterns of each valid size, at the start of the memory and one pattern later."""
    for size in PATTERNS:
        yield Variation(f"pattern_size={size}", change_fill(pointer, 0, size, SIZE))
        yield Variation(f"pattern_size={size}, one pattern at the second place", change_fill(pointer, size, size, size))
        yield Variation(f"pattern_size={size}, size=0", change_fill(pointer, 0, size, 0))


def change_fill(pointer: str, offset: int, pattern_size: int, size: int) -> Difference:
    """Return the argument changes that fill ``size`` bytes from ``offset``.

    ``pointer``: the name of the pointer parameter.
    """

    def difference(_kit: Kit, given: Arguments) -> dict[str, Value]:
        pattern = Data(bytes(number & 0xFF for number in range(max(pattern_size, 1))))
        memory = given[pointer]
        place = OffsetPointer(memory, offset) if offset and isinstance(memory, Handle) else memory
        return {pointer: place, "pattern": pattern, "pattern_size": pattern_size, "size": size}

    return difference
