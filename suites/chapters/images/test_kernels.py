"""Kernels that read, write or change every texel of an image, for each image type and format."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.oracles.model.image_kernels import IMAGE_TYPES_IN_C, ImageOperation, kernel_name
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.images.kernel_kit import (
    READ_AND_WRITE,
    READ_ONLY,
    READ_WRITE,
    WRITE_ONLY,
    ImageKit,
    create_texels,
    get_layout,
)
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.suites.chapters.images.kernel_kit import Format

NAME = "images.kernels"
RUN, FILL, READ = "clEnqueueNDRangeKernel/success", "clEnqueueFillImage/success", "clEnqueueReadImage/success"
DESCRIPTOR = "OpenCL:image-format-descriptor"
PLANE, ROWS = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
TESTED_FORMATS: tuple[Format, ...] = (
    ("CL_RGBA", "CL_UNORM_INT8"),
    ("CL_RGBA", "CL_UNSIGNED_INT32"),
    ("CL_RG", "CL_FLOAT"),
)
"""Formats tested with images of every type."""
SAMPLED: tuple[Format, ...] = (("CL_RGBA", "CL_UNORM_INT8"), ("CL_R", "CL_FLOAT"))
"""Formats with different border colours: alpha 0, and alpha 1."""
EDGES = ("CL_ADDRESS_CLAMP", "CL_ADDRESS_CLAMP_TO_EDGE")
REPEATS = ("CL_ADDRESS_REPEAT", "CL_ADDRESS_MIRRORED_REPEAT")
NOTHING_LISTED = "the device lists no such format"
FAMILIES = {
    "normalised": ("CL_UNORM_INT8", "CL_UNORM_INT16", "CL_SNORM_INT8", "CL_SNORM_INT16"),
    "packed": ("CL_UNORM_SHORT_565", "CL_UNORM_SHORT_555", "CL_UNORM_INT_101010", "CL_UNORM_INT_101010_2"),
    "signed": ("CL_SIGNED_INT8", "CL_SIGNED_INT16", "CL_SIGNED_INT32"),
    "unsigned": ("CL_UNSIGNED_INT8", "CL_UNSIGNED_INT16", "CL_UNSIGNED_INT32"),
    "floating-point": ("CL_HALF_FLOAT", "CL_FLOAT"),
}
"""The channel data types in each family of formats; sRGB and depth formats form other families."""
FAMILY_REQUIREMENTS = {
    "normalised": tuple(f"{DESCRIPTOR}/{number}" for number in (4, 5, 6)),
    "packed": tuple(f"{DESCRIPTOR}/{number}" for number in (7, 8, 9, 10)),
}
"""The requirements about formats in each family."""
LISTED = "clGetSupportedImageFormats/effect/5"
ACCESSES = ("read_only", "write_only", "read_write")
QUALIFIER_REQUIREMENTS = {
    "read_only": ("read_only/CL_MEM_READ_ONLY", LISTED),
    "write_only": ("write_only/CL_MEM_WRITE_ONLY", LISTED),
    "read_write": (*(f"{each}/CL_MEM_KERNEL_READ_AND_WRITE" for each in ACCESSES), LISTED),
}
"""The requirements about the formats of arguments with each access qualifier."""
COLOURS = {
    "float": (
        (0.25, 0.5, 0.75, 1.0),
        (1.5, -0.25, 0.4, 0.0),
        (-2.0, 100.0, 0.1, 0.9),
        (2.0, 0.003, 1e-3, -1.0),
    ),
    "sint": ((1, -2, 3, -4), (127, -128, 0, 77)),
    "uint": ((1, 2, 3, 4), (255, 128, 0, 77)),
}
"""Colours for each number type; integers fit 8 bits."""
BEYOND_RANGE = {"sint": (40000, -40000, 200, -200), "uint": (70000, 300, 65536, 4294967295)}
"""Integer colours with components that do not fit 8 or 16 bits."""
cases = CaseRegistry(ImageKit)
test_kernels_access_every_texel = TableTest(cases)


def get_family(image_format: Format) -> str:
    """Return the family of a format."""
    order, channel_type = image_format
    if order == "CL_DEPTH":
        return "depth"
    if order.startswith("CL_s"):
        return "sRGB"
    return next(name for name, types in FAMILIES.items() if channel_type in types)


def create_colours(image_format: Format) -> list[bytes]:
    """Return the bytes of a few colours for a format; a depth is a single number from 0 to 1."""
    kind = get_layout(image_format).encoding
    if image_format[0] == "CL_DEPTH":
        return [struct.pack("<f", depth) for depth in (0.25, 0.0, 0.7)]
    numbers, letter = {"sint": ("sint", "i"), "uint": ("uint", "I")}.get(kind, ("float", "f"))
    return [struct.pack(f"<4{letter}", *colour) for colour in COLOURS[numbers]]


def create_texel_colours(image_format: Format, count: int) -> bytes:
    """Return ``count`` colours of four 32-bit numbers that differ between adjacent texels."""
    kind = get_layout(image_format).encoding
    if kind in ("sint", "uint"):
        beyond = struct.pack(f"<4{'i' if kind == 'sint' else 'I'}", *BEYOND_RANGE[kind])
        small = struct.unpack(f"<{4 * count}{'b' if kind == 'sint' else 'B'}", pattern_bytes(4 * count))
        return beyond + struct.pack(f"<{4 * count}{'i' if kind == 'sint' else 'I'}", *small)[len(beyond) :]
    if image_format[0] == "CL_DEPTH":
        return struct.pack(f"<{4 * count}f", *(each / 256 for each in pattern_bytes(4 * count)))
    return struct.pack(f"<{4 * count}f", *((each - 60) / 120 for each in pattern_bytes(4 * count)))


# reads and writes by kernels


def read_by_kernel(kit: ImageKit, image_type: str, formats: Iterable[Format]) -> None:
    """Write the texels of images, and read them with a kernel."""
    listed = kit.get_formats(image_type, READ_ONLY)
    chosen = [each for each in formats if each in listed]
    skip_unless(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.create_image(image_type, each, READ_ONLY)
        kit.put_texels(image, create_texels(each, kit.texel_count(image)))
        kit.read_by_kernel(image, image_type, each)


def write_by_kernel(kit: ImageKit, image_type: str, formats: Iterable[Format]) -> None:
    """Write the texels of images with a kernel, and read them."""
    listed = kit.get_formats(image_type, WRITE_ONLY)
    chosen = [each for each in formats if each in listed]
    skip_unless(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.create_image(image_type, each, WRITE_ONLY)
        kit.write_by_kernel(image, image_type, each, create_texel_colours(each, kit.texel_count(image)))
        kit.get_texels(image)


def write_and_read_by_kernels(kit: ImageKit, image_type: str, formats: Iterable[Format]) -> None:
    """Write the texels of images with one kernel, and read them with another."""
    listed = kit.get_formats(image_type, READ_WRITE)
    chosen = [each for each in formats if each in listed]
    skip_unless(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.create_image(image_type, each, READ_WRITE)
        kit.write_by_kernel(image, image_type, each, create_texel_colours(each, kit.texel_count(image)))
        kit.read_by_kernel(image, image_type, each)


def change_in_place(kit: ImageKit, image_type: str) -> None:
    """Read and write the same texels twice with one kernel, then write and read all texels with other kernels."""
    skip_unless(
        kit.cl.fact("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS"), "the device lacks images that a kernel reads and writes"
    )
    listed = kit.get_formats(image_type, READ_AND_WRITE)
    chosen = [each for each in TESTED_FORMATS if each in listed and get_layout(each).encoding in ("sint", "uint")]
    skip_unless(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.create_image(image_type, each, READ_WRITE)
        kit.put_texels(image, create_texels(each, kit.texel_count(image)))
        for _ in range(2):
            kit.rotate_components(image, image_type, each)
        kit.get_texels(image)
        kit.write_by_kernel(image, image_type, each, create_texel_colours(each, kit.texel_count(image)))
        kit.read_by_kernel(image, image_type, each)


def sample_images(kit: ImageKit, image_type: str, modes: tuple[str, ...], normalized: int) -> None:
    """Sample the texels of images, and coordinates beyond their edges, with a kernel."""
    listed = kit.get_formats(image_type, READ_ONLY)
    for each in [one for one in SAMPLED if one in listed]:
        image = kit.create_image(image_type, each, READ_ONLY)
        kit.put_texels(image, create_texels(each, kit.texel_count(image)))
        for mode in modes:
            kit.sample_by_kernel(image, image_type, each, kit.sampler(normalized, mode), normalized=bool(normalized))


def query_image_sizes(kit: ImageKit) -> None:
    """Query the sizes of images of all types with kernels."""
    names = {each: kernel_name(ImageOperation.MEASURE, each, "") for each in IMAGE_TYPES_IN_C}
    kernels = kit.create_image_kernels(names.values())
    for image_type, name in names.items():
        if TESTED_FORMATS[0] in kit.get_formats(image_type, READ_ONLY):
            kit.query_sizes_by_kernel(kit.create_image(image_type, TESTED_FORMATS[0], READ_ONLY), kernels[name])


# colours


def fill_with_colours(kit: ImageKit, family: str) -> None:
    """Fill images of a family of formats with colours, and read them."""
    skip_unless(is_available(kit.cl, "clEnqueueFillImage"), "requires OpenCL 1.2 (clEnqueueFillImage)")
    chosen = [each for each in kit.get_formats(PLANE, READ_ONLY) if get_family(each) == family]
    skip_unless(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.create_image(PLANE, each, READ_ONLY, image_width=4, image_height=3)
        kit.put_texels(image, create_texels(each, kit.texel_count(image)))
        for colour in create_colours(each):
            kit.fill_image(image, colour, (1, 1, 0))
            kit.get_texels(image)


def fill_beyond_range(kit: ImageKit) -> None:
    """Fill integer images with colours beyond the range of their channels. Afterwards, any content is valid."""
    skip_unless(is_available(kit.cl, "clEnqueueFillImage"), "requires OpenCL 1.2 (clEnqueueFillImage)")
    for each in [one for one in kit.get_formats(PLANE, READ_WRITE) if get_layout(one).encoding in BEYOND_RANGE]:
        kind = get_layout(each).encoding
        image = kit.create_image(PLANE, each, READ_WRITE, image_width=4, image_height=3)
        kit.fill_image(image, struct.pack(f"<4{'i' if kind == 'sint' else 'I'}", *BEYOND_RANGE[kind]))
        kit.get_texels(image)


# cases


@cases.declare_family
def cases_by_type() -> Iterator[TableCase]:
    """Yield the items for each image type."""
    for image_type, kind in IMAGE_TYPES_IN_C.items():
        name = kind.name
        by = QUALIFIER_REQUIREMENTS if image_type == PLANE else {}
        others = {each: (READ, *by.get(each, ())) for each in ACCESSES}
        yield cases.create_case(
            RUN, f"{name}: texels read", read_by_kernel, image_type, TESTED_FORMATS, others=others["read_only"]
        )
        yield cases.create_case(
            RUN, f"{name}: texels written", write_by_kernel, image_type, TESTED_FORMATS, others=others["write_only"]
        )
        yield cases.create_case(
            RUN, f"{name}: texels changed", change_in_place, image_type, others=others["read_write"]
        )
        if image_type in (PLANE, ROWS):
            yield cases.create_case(RUN, f"{name}: outside the edges", sample_images, image_type, EDGES, 0)
        if not name.endswith("buffer"):
            words = f"{name}: outside the edges, normalized coordinates"
            yield cases.create_case(RUN, words, sample_images, image_type, EDGES + REPEATS, 1)
    yield cases.create_case(RUN, "sizes of images", query_image_sizes)


@cases.declare_family
def cases_by_format() -> Iterator[TableCase]:
    """Yield the items for each family of formats."""
    for family in (*FAMILIES, "sRGB", "depth"):
        yield cases.create_case(
            RUN, f"{family} texels read", _read_family, family, others=FAMILY_REQUIREMENTS.get(family, ())
        )
        both = (f"{access}/CL_MEM_READ_WRITE" for access in ("read_only", "write_only"))
        yield cases.create_case(RUN, f"{family} texels written and read", _written_family, family, others=tuple(both))
        yield cases.create_case(FILL, f"colors, {family}", fill_with_colours, family, others=(READ,))
    yield cases.create_case(FILL, "colors outside the range", fill_beyond_range)


def _read_family(kit: ImageKit, family: str) -> None:
    read_by_kernel(kit, PLANE, [each for each in kit.get_formats(PLANE, READ_ONLY) if get_family(each) == family])


def _written_family(kit: ImageKit, family: str) -> None:
    write_and_read_by_kernels(
        kit, PLANE, [each for each in kit.get_formats(PLANE, READ_WRITE) if get_family(each) == family]
    )
