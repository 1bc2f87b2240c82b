"""Lists of image formats (section 5.3.2): invalid and valid flags, image types and output buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.suites.errors.negative_cases import Variation, VariationRegistry
from clconform.suites.kit.formats import IMAGE_3D, TYPES_SINCE_1_2, USES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.negative_cases import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()
NON_IMAGE_TYPES = ("CL_MEM_OBJECT_BUFFER", "CL_MEM_OBJECT_PIPE")
UNKNOWN_TYPES = (0, 0x10EF, (1 << 32) - 1, 0x4000, 0x5000)
"""Numbers that do not denote memory object types; 0x4000 is the first vendor-defined number."""
EXCLUSIVE = (USES[:2], (USES[0], USES[2]), (USES[1], USES[2]))


def _with_flags(*names: str) -> Difference:
    return lambda kit, _given: {"flags": kit.constant(*names)}


def _with_type(name: str) -> Difference:
    return lambda kit, _given: {"image_type": kit.constant(name)}


def _with_one_entry(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    del kit
    return {"num_entries": 1, "image_formats": OutputBuffer(1)}


@variations.declare("clGetSupportedImageFormats/CL_INVALID_VALUE/1")
def invalid_lists() -> Iterator[Variation]:
    """Yield queries with invalid flags, with types that are not image types, and with 0 as the length of a list."""
    for bit in (40, 62, 63):
        yield Variation(f"flags=bit {bit}", {"flags": 1 << bit})
    for names in EXCLUSIVE:
        yield Variation(f"flags={'|'.join(names)}", _with_flags(*names))
    for name in NON_IMAGE_TYPES:
        yield Variation(f"image_type={name}", _with_type(name))
    for value in UNKNOWN_TYPES:
        yield Variation(f"image_type={value:#x}", {"image_type": value})
    yield Variation("num_entries=0 with a list", {"image_formats": OutputBuffer(1)})
    nothing: dict[str, Value] = {"image_formats": OutputBuffer(1), "num_image_formats": None}
    yield Variation("num_entries=0 with a list, num_image_formats=NULL", nothing)
    yield Variation("flags=0", {"flags": 0})
    yield Variation("flags with CL_MEM_COPY_HOST_PTR", _with_flags(USES[0], "CL_MEM_COPY_HOST_PTR"))
    yield Variation("flags with CL_MEM_HOST_NO_ACCESS", _with_flags(USES[0], "CL_MEM_HOST_NO_ACCESS"))


@variations.declare("clGetSupportedImageFormats/success")
def valid_lists() -> Iterator[Variation]:
    """Yield queries with other flags and image types, with a list of one entry, and without a list or a number."""
    for name in USES[1:3]:
        yield Variation(f"flags={name}", _with_flags(name))
    for name in (IMAGE_3D, *TYPES_SINCE_1_2):
        yield Variation(f"image_type={name}", _with_type(name))
    yield Variation("num_entries=1", _with_one_entry)
    yield Variation("num_entries=1 without a list", {"num_entries": 1})
    yield Variation("neither list nor number", {"num_image_formats": None})
