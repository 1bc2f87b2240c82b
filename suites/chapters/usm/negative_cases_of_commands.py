"""Commands on USM: invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.contents.usm import DEVICE, HOST, TYPES
from clconform.suites.chapters.usm.negative_cases import UNKNOWN_NAME
from clconform.suites.common import memory_commands as common
from clconform.suites.common.memory_commands import PATTERNS, change_fill, set_flags
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import HALF, SIZE, UNDEFINED_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.valid_calls import Arguments

CONTENT_UNDEFINED, TO_HOST = "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED", "CL_MIGRATE_MEM_OBJECT_HOST"
variations = VariationRegistry()

# clEnqueueMemcpyINTEL


@variations.declare("clEnqueueMemcpyINTEL/CL_MEM_COPY_OVERLAP/1")
def overlapping_copies() -> Iterator[Variation]:
    """Yield copies within one allocation between overlapping ranges."""
    yield from common.overlapping_copies(Kit.usm)


@variations.declare("clEnqueueMemcpyINTEL/CL_INVALID_VALUE/1")
def copies_with_null_pointers() -> Iterator[Variation]:
    """Yield copies of 0 bytes with NULL as the source or as the destination, and copies with NULL as both."""
    yield from common.null_pointer_copies()


@variations.declare("clEnqueueMemcpyINTEL/success")
def valid_copies() -> Iterator[Variation]:
    """Yield copies between disjoint ranges of one allocation, USM of any two types, and host memory and USM."""
    yield from common.valid_copies(Kit.usm, SIZE)
    yield Variation("not blocking", {"blocking": 0})
    yield Variation("from the host to the host", {"dst_ptr": OutputBuffer(SIZE), "src_ptr": Data(bytes(SIZE))})
    for to in TYPES:
        for start in TYPES:
            yield Variation(f"from {start} to {to}", bind_values(_between_types, to, start))


def _between_types(kit: Kit, _given: Arguments, to: str, start: str) -> dict[str, Value]:
    return {"dst_ptr": kit.usm(to), "src_ptr": kit.usm(start)}


# clEnqueueMemFillINTEL


@variations.declare("clEnqueueMemFillINTEL/CL_INVALID_VALUE/1")
def misaligned_fills() -> Iterator[Variation]:
    """Yield NULL, and pointers that are not aligned to the pattern size."""
    yield Variation("dst_ptr=NULL, size=0", {"dst_ptr": None, "size": 0})
    yield Variation("dst_ptr=NULL", {"dst_ptr": None})
    yield from common.misaligned_fills("dst_ptr")


@variations.declare("clEnqueueMemFillINTEL/CL_INVALID_VALUE/3")
def invalid_patterns() -> Iterator[Variation]:
    """Yield patterns whose size is not the size of a data type."""
    yield Variation("pattern_size=0", {"pattern_size": 0})
    for size in (*range(1, 260), 512, 1024):
        if size not in PATTERNS:
            yield Variation(f"pattern_size={size}", change_fill("dst_ptr", 0, size, size))


@variations.declare("clEnqueueMemFillINTEL/CL_INVALID_VALUE/4")
def fills_not_multiple_of_the_pattern() -> Iterator[Variation]:
    """Yield sizes that are not a multiple of the pattern size."""
    yield from common.partial_pattern_fills("dst_ptr")


@variations.declare("clEnqueueMemFillINTEL/success")
def valid_fills() -> Iterator[Variation]:
    """Yield fills of USM of each type, and fills with patterns of each valid size."""
    for memory_type in TYPES:
        yield Variation(memory_type, bind_values(_with_type, "dst_ptr", memory_type))
    yield from common.valid_fills("dst_ptr")


def _with_type(kit: Kit, _given: Arguments, pointer: str, memory_type: str) -> dict[str, Value]:
    return {pointer: kit.usm(memory_type)}


# clEnqueueMigrateMemINTEL, clEnqueueMemAdviseINTEL


@variations.declare("clEnqueueMigrateMemINTEL/success", "clEnqueueMemAdviseINTEL/success")
def parts_of_an_allocation() -> Iterator[Variation]:
    """Yield the first byte, the last byte and the second half of an allocation."""
    yield Variation("the first byte", {"size": 1})
    yield Variation("the last byte", bind_values(_with_range, SIZE - 1, 1))
    yield Variation("the second half", bind_values(_with_range, HALF, HALF))


@variations.declare("clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1", "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/1")
def memory_that_is_not_shared() -> Iterator[Variation]:
    """Yield calls with NULL, with size 0, and with USM that is not shared."""
    yield Variation("ptr=NULL", {"ptr": None})
    yield Variation("ptr=NULL, size=0", {"ptr": None, "size": 0})
    yield Variation("size=0", {"size": 0})
    for memory_type in (HOST, DEVICE):
        yield Variation(memory_type, bind_values(_with_type, "ptr", memory_type))


def _with_range(_kit: Kit, given: Arguments, offset: int, size: int) -> dict[str, Value]:
    memory = given["ptr"]
    return {"ptr": OffsetPointer(memory, offset) if isinstance(memory, Handle) else memory, "size": size}


@variations.declare("clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2")
def invalid_flags() -> Iterator[Variation]:
    """Yield flags 0, bits that are not in the registry, and the flag for a migration to the host."""
    yield Variation("flags=0", {"flags": 0})
    for bit in (1 << 32, *UNDEFINED_BITS):
        yield Variation(f"flags=bit {bit.bit_length() - 1}", {"flags": bit})
        yield Variation(f"flags and bit {bit.bit_length() - 1}", {"flags": 2 | bit})
    for names in ((TO_HOST,), (TO_HOST, CONTENT_UNDEFINED)):
        yield Variation(" and ".join(names), set_flags(*names))


@variations.declare("clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/2")
def unknown_advice() -> Iterator[Variation]:
    """Yield values that do not denote advice."""
    for advice in (1, UNKNOWN_NAME, 0xFFFFFFFF, *range(0x4208, 0x4210)):
        yield Variation(f"advice={advice:#x}", {"advice": advice})
