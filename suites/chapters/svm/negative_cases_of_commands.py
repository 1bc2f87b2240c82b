"""Commands on SVM (section 5.6.1): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OffsetPointer
from clconform.suites.chapters.svm.valid_calls import allocate_shared, map_to_read
from clconform.suites.common import memory_commands as common
from clconform.suites.common.memory_commands import PATTERNS, change_fill, set_flags
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import HALF, SIZE, SIZE_MAX, UNDEFINED_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

READ, WRITE, INVALIDATE = "CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"
TO_HOST, CONTENT_UNDEFINED = "CL_MIGRATE_MEM_OBJECT_HOST", "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"
variations = VariationRegistry()


@variations.declare(
    "clEnqueueSVMFree/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMemcpy/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMemFill/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMap/CL_INVALID_OPERATION/1",
    "clEnqueueSVMUnmap/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMigrateMem/CL_INVALID_OPERATION/1",
)
def devices_without_svm() -> Iterator[Variation]:
    """Yield the valid call, for a device without SVM."""
    yield Variation("on a device without shared virtual memory", _without_svm)


def _without_svm(kit: Kit, _given: Arguments) -> dict[str, Value]:
    skip_unless(not kit.has_svm(), "the device supports shared virtual memory")
    return {}


# clEnqueueSVMMemcpy


@variations.declare("clEnqueueSVMMemcpy/CL_MEM_COPY_OVERLAP/1")
def overlapping_copies() -> Iterator[Variation]:
    """Yield copies within one allocation between overlapping ranges."""
    yield from common.overlapping_copies(allocate_shared)


@variations.declare("clEnqueueSVMMemcpy/CL_INVALID_VALUE/1")
def copies_with_null_pointers() -> Iterator[Variation]:
    """Yield copies of 0 bytes with NULL as the source or as the destination, and copies with NULL as both."""
    yield from common.null_pointer_copies()


@variations.declare("clEnqueueSVMMemcpy/success")
def valid_copies() -> Iterator[Variation]:
    """Yield copies between disjoint ranges of one allocation, and copies from and to host memory."""
    yield from common.valid_copies(allocate_shared, SIZE)


# clEnqueueSVMMemFill


@variations.declare("clEnqueueSVMMemFill/CL_INVALID_VALUE/1")
def null_fills() -> Iterator[Variation]:
    """Yield NULL as the pointer to fill."""
    yield Variation("svm_ptr=NULL, size=0", {"svm_ptr": None, "size": 0})


@variations.declare("clEnqueueSVMMemFill/CL_INVALID_VALUE/2")
def misaligned_fills() -> Iterator[Variation]:
    """Yield pointers that are not aligned to the pattern size."""
    yield from common.misaligned_fills("svm_ptr")


@variations.declare("clEnqueueSVMMemFill/CL_INVALID_VALUE/3")
def invalid_patterns() -> Iterator[Variation]:
    """Yield NULL as the pattern, and pattern sizes that are not the size of a data type."""
    yield Variation("pattern=NULL", {"pattern": None})
    yield Variation("pattern_size=0", {"pattern_size": 0})
    for size in range(1, 257):
        if size not in PATTERNS:
            yield Variation(f"pattern_size={size}", change_fill("svm_ptr", 0, size, 4 * size))


@variations.declare("clEnqueueSVMMemFill/CL_INVALID_VALUE/4")
def fills_not_multiple_of_the_pattern() -> Iterator[Variation]:
    """Yield sizes that are not a multiple of the pattern size."""
    yield from common.partial_pattern_fills("svm_ptr")


@variations.declare("clEnqueueSVMMemFill/success")
def valid_fills() -> Iterator[Variation]:
    """Yield patterns of each valid size."""
    yield from common.valid_fills("svm_ptr")


# clEnqueueSVMMap and clEnqueueSVMUnmap


@variations.declare("clEnqueueSVMMap/CL_INVALID_VALUE/2")
def invalid_maps() -> Iterator[Variation]:
    """Yield maps with size 0, with bits that are not in the registry, and with mutually exclusive flags."""
    yield Variation("size=0", {"size": 0})
    for bit in (1 << 32, *UNDEFINED_BITS):
        number = bit.bit_length() - 1
        yield Variation(f"flags=bit {number}", {"flags": bit})
        yield Variation(f"to read, and bit {number}", {"flags": 1 | bit})
    for names in ((READ, INVALIDATE), (WRITE, INVALIDATE), (READ, WRITE, INVALIDATE)):
        yield Variation(" and ".join(names), set_flags(*names))


@variations.declare("clEnqueueSVMMap/success")
def valid_maps() -> Iterator[Variation]:
    """Yield maps with each flag, with flags 0, and of the first and the last byte."""
    for name in (READ, WRITE, INVALIDATE):
        yield Variation(name, set_flags(name))
    yield Variation("flags=0", {"flags": 0})
    yield Variation("the first byte", {"size": 1})
    yield Variation(
        "the last byte", lambda kit, _given: {"svm_ptr": OffsetPointer(allocate_shared(kit), SIZE - 1), "size": 1}
    )


@variations.declare("clEnqueueSVMUnmap/CL_INVALID_VALUE/1")
def null_unmaps() -> Iterator[Variation]:
    """Yield NULL as the pointer to unmap."""
    yield Variation("svm_ptr=NULL", {"svm_ptr": None})


@variations.declare("clEnqueueSVMUnmap/success")
def partial_maps() -> Iterator[Variation]:
    """Yield an unmap of a map that covers a part of an allocation."""
    yield Variation("a part of the mapped memory", _with_partial_map)


def _with_partial_map(kit: Kit, _given: Arguments) -> dict[str, Value]:
    part = OffsetPointer(allocate_shared(kit), HALF)
    map_to_read(kit, part, HALF)
    return {"svm_ptr": part}


# clEnqueueSVMMigrateMem


@variations.declare("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2")
def ranges_outside() -> Iterator[Variation]:
    """Yield ranges that are not within an allocation."""
    yield Variation("size=allocation size+1", bind_values(_with_ranges, SIZE + 1))
    yield Variation("size=SIZE_MAX", bind_values(_with_ranges, SIZE_MAX))
    yield Variation("the first of two", bind_values(_with_ranges, SIZE + 1, SIZE))
    yield Variation("the second of two", bind_values(_with_ranges, SIZE, SIZE + 1))
    yield Variation("after a whole allocation", bind_values(_with_ranges, 0, SIZE + 1))
    yield Variation("a range at NULL", {"svm_pointers": ElementList((None,)), "sizes": ElementList((1,))})


@variations.declare("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/5")
def unknown_migration_flags() -> Iterator[Variation]:
    """Yield bits that are not migration flags."""
    for bit in (1 << 2, 1 << 32):
        yield Variation(f"flags=bit {bit.bit_length() - 1}", {"flags": bit})


@variations.declare("clEnqueueSVMMigrateMem/success")
def valid_migrations() -> Iterator[Variation]:
    """Yield migrations of ranges within an allocation, of two allocations, and with each set of flags."""
    yield Variation("size=allocation size", bind_values(_with_ranges, SIZE))
    yield Variation("size=0", bind_values(_with_ranges, 0))
    yield Variation("the first byte", bind_values(_with_ranges, 1))
    yield Variation("two allocations", bind_values(_with_ranges, SIZE, 0))
    for names in ((TO_HOST,), (CONTENT_UNDEFINED,), (TO_HOST, CONTENT_UNDEFINED)):
        yield Variation(" and ".join(names), set_flags(*names))


def _with_ranges(kit: Kit, _given: Arguments, *sizes: int) -> dict[str, Value]:
    """List new allocations of SIZE bytes, with the number of bytes to migrate from each, converted by ``to_size``."""
    pointers = ElementList(tuple(allocate_shared(kit) for _ in sizes))
    return {
        "num_svm_pointers": len(sizes),
        "svm_pointers": pointers,
        "sizes": ElementList(tuple(map(kit.to_size, sizes))),
    }
