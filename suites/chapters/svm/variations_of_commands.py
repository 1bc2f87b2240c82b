"""Commands on SVM (section 5.6.1): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Inside, Items
from clconform.suites.chapters.svm.valid_calls import map_to_read, shared
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import HALF, NOBODYS_BITS, SIZE, TOP
from clconform.suites.recurring import memory_commands as common
from clconform.suites.recurring.memory_commands import PATTERNS, filled, with_flags
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

READ, WRITE, ANEW = "CL_MAP_READ", "CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"
TO_THE_HOST, LOST = "CL_MIGRATE_MEM_OBJECT_HOST", "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED"
variations = Variations()


@variations.of(
    "clEnqueueSVMFree/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMemcpy/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMemFill/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMap/CL_INVALID_OPERATION/1",
    "clEnqueueSVMUnmap/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMigrateMem/CL_INVALID_OPERATION/1",
)
def devices_without_shared_memory() -> Iterator[Variation]:
    """Yield the valid call, on a device without SVM."""
    yield Variation("on a device without shared virtual memory", _where_nothing_is_shared)


def _where_nothing_is_shared(kit: Kit, _given: Arguments) -> dict[str, Value]:
    needs(not kit.has_svm(), "the device supports shared virtual memory")
    return {}


# clEnqueueSVMMemcpy


@variations.of("clEnqueueSVMMemcpy/CL_MEM_COPY_OVERLAP/1")
def overlapping_copies() -> Iterator[Variation]:
    """Yield copies within one allocation between overlapping ranges."""
    yield from common.overlapping_copies(shared)


@variations.of("clEnqueueSVMMemcpy/CL_INVALID_VALUE/1")
def copies_without_a_pointer() -> Iterator[Variation]:
    """Yield NULL on one side, and on both."""
    yield from common.copies_without_a_pointer()


@variations.of("clEnqueueSVMMemcpy/success")
def valid_copies() -> Iterator[Variation]:
    """Yield copies within one allocation, and from and to the host."""
    yield from common.valid_copies(shared, SIZE)


# clEnqueueSVMMemFill


@variations.of("clEnqueueSVMMemFill/CL_INVALID_VALUE/1")
def fills_of_nothing() -> Iterator[Variation]:
    """Yield NULL."""
    yield Variation("svm_ptr=NULL, size=0", {"svm_ptr": None, "size": 0})


@variations.of("clEnqueueSVMMemFill/CL_INVALID_VALUE/2")
def misaligned_fills() -> Iterator[Variation]:
    """Yield pointers that are not aligned to the pattern size."""
    yield from common.fills_beside_the_alignment("svm_ptr")


@variations.of("clEnqueueSVMMemFill/CL_INVALID_VALUE/3")
def invalid_patterns() -> Iterator[Variation]:
    """Yield NULL as the pattern, and pattern sizes that no data type has."""
    yield Variation("pattern=NULL", {"pattern": None})
    yield Variation("pattern_size=0", {"pattern_size": 0})
    for size in range(1, 257):
        if size not in PATTERNS:
            yield Variation(f"pattern_size={size}", filled("svm_ptr", 0, size, 4 * size))


@variations.of("clEnqueueSVMMemFill/CL_INVALID_VALUE/4")
def fills_of_parts_of_a_pattern() -> Iterator[Variation]:
    """Yield sizes that are not a multiple of the pattern size."""
    yield from common.fills_of_parts_of_a_pattern("svm_ptr")


@variations.of("clEnqueueSVMMemFill/success")
def valid_fills() -> Iterator[Variation]:
    """Yield patterns of each valid size."""
    yield from common.valid_fills("svm_ptr")


# clEnqueueSVMMap and clEnqueueSVMUnmap


@variations.of("clEnqueueSVMMap/CL_INVALID_VALUE/2")
def invalid_maps() -> Iterator[Variation]:
    """Yield size 0, bits that are not in the registry, and mutually exclusive flags."""
    yield Variation("size=0", {"size": 0})
    for bit in (1 << 32, *NOBODYS_BITS):
        number = bit.bit_length() - 1
        yield Variation(f"flags=bit {number}", {"flags": bit})
        yield Variation(f"to read, and bit {number}", {"flags": 1 | bit})
    for names in ((READ, ANEW), (WRITE, ANEW), (READ, WRITE, ANEW)):
        yield Variation(" and ".join(names), with_flags(*names))


@variations.of("clEnqueueSVMMap/success")
def valid_maps() -> Iterator[Variation]:
    """Yield each flag, and a byte at each end."""
    for name in (READ, WRITE, ANEW):
        yield Variation(name, with_flags(name))
    yield Variation("flags=0", {"flags": 0})
    yield Variation("the first byte", {"size": 1})
    yield Variation("the last byte", lambda kit, _given: {"svm_ptr": Inside(shared(kit), SIZE - 1), "size": 1})


@variations.of("clEnqueueSVMUnmap/CL_INVALID_VALUE/1")
def no_pointer_to_unmap() -> Iterator[Variation]:
    """Yield NULL."""
    yield Variation("svm_ptr=NULL", {"svm_ptr": None})


@variations.of("clEnqueueSVMUnmap/success")
def other_maps() -> Iterator[Variation]:
    """Yield a map of a part of an allocation."""
    yield Variation("a part of the mapped memory", _part_mapped)


def _part_mapped(kit: Kit, _given: Arguments) -> dict[str, Value]:
    part = Inside(shared(kit), HALF)
    map_to_read(kit, part, HALF)
    return {"svm_ptr": part}


# clEnqueueSVMMigrateMem


@variations.of("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2")
def ranges_outside() -> Iterator[Variation]:
    """Yield ranges that are not within an allocation."""
    yield Variation("size=allocation size+1", bound(_ranges, SIZE + 1))
    yield Variation("size=SIZE_MAX", bound(_ranges, TOP))
    yield Variation("the first of two", bound(_ranges, SIZE + 1, SIZE))
    yield Variation("the second of two", bound(_ranges, SIZE, SIZE + 1))
    yield Variation("after a whole allocation", bound(_ranges, 0, SIZE + 1))
    yield Variation("a range at NULL", {"svm_pointers": Items((None,)), "sizes": Items((1,))})


@variations.of("clEnqueueSVMMigrateMem/CL_INVALID_VALUE/5")
def other_ways_to_migrate() -> Iterator[Variation]:
    """Yield bits that are not migration flags."""
    for bit in (1 << 2, 1 << 32):
        yield Variation(f"flags=bit {bit.bit_length() - 1}", {"flags": bit})


@variations.of("clEnqueueSVMMigrateMem/success")
def valid_migrations() -> Iterator[Variation]:
    """Yield ranges within an allocation, and each set of flags."""
    yield Variation("size=allocation size", bound(_ranges, SIZE))
    yield Variation("size=0", bound(_ranges, 0))
    yield Variation("the first byte", bound(_ranges, 1))
    yield Variation("two allocations", bound(_ranges, SIZE, 0))
    for names in ((TO_THE_HOST,), (LOST,), (TO_THE_HOST, LOST)):
        yield Variation(" and ".join(names), with_flags(*names))


def _ranges(kit: Kit, _given: Arguments, *sizes: int) -> dict[str, Value]:
    """List new allocations of SIZE bytes, with the number of bytes to migrate from each."""
    pointers = Items(tuple(shared(kit) for _ in sizes))
    return {"num_svm_pointers": len(sizes), "svm_pointers": pointers, "sizes": Items(sizes)}
