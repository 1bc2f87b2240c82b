"""Kernels over images: they read, write or change every texel, for each image type and format."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.oracles.model.image_kernels import TYPES_IN_C, Work, name_of
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.images.kernel_kit import (
    BOTH,
    ONE_BY_ONE,
    READS,
    WRITES,
    ImageKit,
    known_layout,
    texels_of,
)
from clconform.suites.kit.memory import telling
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pytest

    from clconform.runner.session.session import Session
    from clconform.suites.chapters.images.kernel_kit import Format

NAME = "images.kernels"
RUN, FILL, READ = "clEnqueueNDRangeKernel/success", "clEnqueueFillImage/success", "clEnqueueReadImage/success"
DESCRIPTOR = "OpenCL:image-format-descriptor"
PLANE, ROWS = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
TELLING: tuple[Format, ...] = (
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
"""Family of formats to its channel data types; sRGB and depth are families of their own."""
SHOWN = {
    "normalised": tuple(f"{DESCRIPTOR}/{number}" for number in (4, 5, 6)),
    "packed": tuple(f"{DESCRIPTOR}/{number}" for number in (7, 8, 9, 10)),
}
"""Family of formats to the requirements about some of its formats."""
LISTED = "clGetSupportedImageFormats/effect/5"
ACCESSES = ("read_only", "write_only", "read_write")
QUALIFIED = {
    "read_only": ("read_only/CL_MEM_READ_ONLY", LISTED),
    "write_only": ("write_only/CL_MEM_WRITE_ONLY", LISTED),
    "read_write": (*(f"{each}/CL_MEM_KERNEL_READ_AND_WRITE" for each in ACCESSES), LISTED),
}
"""Access qualifier of an argument to the requirements about its formats."""
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
"""Colours by number type; integers fit 8 bits."""
BEYOND_RANGE = {"sint": (40000, -40000, 200, -200), "uint": (70000, 300, 65536, 4294967295)}
"""Integer colours with components that do not fit 8 or 16 bits."""
cases = Cases(ImageKit)


def family_of(image_format: Format) -> str:
    """Return the family of a format."""
    order, channel_type = image_format
    if order == "CL_DEPTH":
        return "depth"
    if order.startswith("CL_s"):
        return "sRGB"
    return next(name for name, types in FAMILIES.items() if channel_type in types)


def colours_of(image_format: Format) -> list[bytes]:
    """Return the bytes of a few colours for a format; a depth is a single number from 0 to 1."""
    kind = known_layout(image_format).encoding
    if image_format[0] == "CL_DEPTH":
        return [struct.pack("<f", depth) for depth in (0.25, 0.0, 0.7)]
    numbers, letter = {"sint": ("sint", "i"), "uint": ("uint", "I")}.get(kind, ("float", "f"))
    return [struct.pack(f"<4{letter}", *colour) for colour in COLOURS[numbers]]


def painted(image_format: Format, count: int) -> bytes:
    """Return ``count`` colours of four 32-bit numbers that differ between neighbouring texels."""
    kind = known_layout(image_format).encoding
    if kind in ("sint", "uint"):
        beyond = struct.pack(f"<4{'i' if kind == 'sint' else 'I'}", *BEYOND_RANGE[kind])
        small = struct.unpack(f"<{4 * count}{'b' if kind == 'sint' else 'B'}", telling(4 * count))
        return beyond + struct.pack(f"<{4 * count}{'i' if kind == 'sint' else 'I'}", *small)[len(beyond) :]
    if image_format[0] == "CL_DEPTH":
        return struct.pack(f"<{4 * count}f", *(each / 256 for each in telling(4 * count)))
    return struct.pack(f"<{4 * count}f", *((each - 60) / 120 for each in telling(4 * count)))


# reads and writes by kernels


def read_by_a_kernel(kit: ImageKit, image_type: str, formats: Iterable[Format]) -> None:
    """Write the texels of images, and read them with a kernel."""
    listed = kit.formats(image_type, READS)
    chosen = [each for each in formats if each in listed]
    needs(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.of(image_type, each, READS)
        kit.put_texels(image, texels_of(each, kit.texel_count(image)))
        kit.see(image, image_type, each)


def written_by_a_kernel(kit: ImageKit, image_type: str, formats: Iterable[Format]) -> None:
    """Write the texels of images with a kernel, and read them."""
    listed = kit.formats(image_type, WRITES)
    chosen = [each for each in formats if each in listed]
    needs(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.of(image_type, each, WRITES)
        kit.paint(image, image_type, each, painted(each, kit.texel_count(image)))
        kit.get_texels(image)


def passed_on(kit: ImageKit, image_type: str, formats: Iterable[Format]) -> None:
    """Write the texels of images with one kernel, and read them with another."""
    listed = kit.formats(image_type, BOTH)
    chosen = [each for each in formats if each in listed]
    needs(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.of(image_type, each, BOTH)
        kit.paint(image, image_type, each, painted(each, kit.texel_count(image)))
        kit.see(image, image_type, each)


def changed_in_place(kit: ImageKit, image_type: str) -> None:
    """Read and write the same texels twice with one kernel, then write all texels and read them with other kernels."""
    needs(kit.cl.fact("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS"), "the device lacks images that a kernel reads and writes")
    listed = kit.formats(image_type, ONE_BY_ONE)
    chosen = [each for each in TELLING if each in listed and known_layout(each).encoding in ("sint", "uint")]
    needs(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.of(image_type, each, BOTH)
        kit.put_texels(image, texels_of(each, kit.texel_count(image)))
        for _ in range(2):
            kit.change(image, image_type, each)
        kit.get_texels(image)
        kit.paint(image, image_type, each, painted(each, kit.texel_count(image)))
        kit.see(image, image_type, each)


def sampled(kit: ImageKit, image_type: str, modes: tuple[str, ...], normalized: int) -> None:
    """Sample the texels of images, and coordinates beyond their edges, with a kernel."""
    listed = kit.formats(image_type, READS)
    for each in [one for one in SAMPLED if one in listed]:
        image = kit.of(image_type, each, READS)
        kit.put_texels(image, texels_of(each, kit.texel_count(image)))
        for mode in modes:
            kit.sample(image, image_type, each, kit.sampler(normalized, mode), normalized=bool(normalized))


def measured(kit: ImageKit) -> None:
    """Query the sizes of images of all types with kernels."""
    names = {each: name_of(Work.MEASURE, each, "") for each in TYPES_IN_C}
    kernels = kit.image_kernels(names.values())
    for image_type, name in names.items():
        if TELLING[0] in kit.formats(image_type, READS):
            kit.measure(kit.of(image_type, TELLING[0], READS), kernels[name])


# colours


def filled(kit: ImageKit, family: str) -> None:
    """Fill images of a family of formats with colours, and read them."""
    needs(promised(kit.cl, "clEnqueueFillImage"), "requires OpenCL 1.2 (clEnqueueFillImage)")
    chosen = [each for each in kit.formats(PLANE, READS) if family_of(each) == family]
    needs(chosen, NOTHING_LISTED)
    for each in chosen:
        image = kit.of(PLANE, each, READS, image_width=4, image_height=3)
        kit.put_texels(image, texels_of(each, kit.texel_count(image)))
        for colour in colours_of(each):
            kit.fill(image, colour, (1, 1, 0))
            kit.get_texels(image)


def filled_beyond_the_range(kit: ImageKit) -> None:
    """Fill integer images with colours beyond their range; any content is valid afterwards."""
    needs(promised(kit.cl, "clEnqueueFillImage"), "requires OpenCL 1.2 (clEnqueueFillImage)")
    for each in [one for one in kit.formats(PLANE, BOTH) if known_layout(one).encoding in BEYOND_RANGE]:
        kind = known_layout(each).encoding
        image = kit.of(PLANE, each, BOTH, image_width=4, image_height=3)
        kit.fill(image, struct.pack(f"<4{'i' if kind == 'sint' else 'I'}", *BEYOND_RANGE[kind]))
        kit.get_texels(image)


# cases


@cases.family
def by_type() -> Iterator[Case]:
    """Yield the items for each image type."""
    for image_type, kind in TYPES_IN_C.items():
        name = kind.name
        by = QUALIFIED if image_type == PLANE else {}
        others = {each: (READ, *by.get(each, ())) for each in ACCESSES}
        yield cases.case(RUN, f"{name}: texels read", read_by_a_kernel, image_type, TELLING, others=others["read_only"])
        yield cases.case(
            RUN, f"{name}: texels written", written_by_a_kernel, image_type, TELLING, others=others["write_only"]
        )
        yield cases.case(RUN, f"{name}: texels changed", changed_in_place, image_type, others=others["read_write"])
        if image_type in (PLANE, ROWS):
            yield cases.case(RUN, f"{name}: beyond the edges", sampled, image_type, EDGES, 0)
        if not name.endswith("buffer"):
            words = f"{name}: beyond the edges, normalized coordinates"
            yield cases.case(RUN, words, sampled, image_type, EDGES + REPEATS, 1)
    yield cases.case(RUN, "sizes of images", measured)


@cases.family
def by_format() -> Iterator[Case]:
    """Yield the items for each family of formats."""
    for family in (*FAMILIES, "sRGB", "depth"):
        yield cases.case(RUN, f"{family} texels read", _read_family, family, others=SHOWN.get(family, ()))
        both = (f"{access}/CL_MEM_READ_WRITE" for access in ("read_only", "write_only"))
        yield cases.case(RUN, f"{family} texels written and read", _written_family, family, others=tuple(both))
        yield cases.case(FILL, f"colours, {family}", filled, family, others=(READ,))
    yield cases.case(FILL, "colours beyond the range", filled_beyond_the_range)


def _read_family(kit: ImageKit, family: str) -> None:
    read_by_a_kernel(kit, PLANE, [each for each in kit.formats(PLANE, READS) if family_of(each) == family])


def _written_family(kit: ImageKit, family: str) -> None:
    passed_on(kit, PLANE, [each for each in kit.formats(PLANE, BOTH) if family_of(each) == family])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_kernels(cl: Session, case: Case) -> None:
    case.act(cl)
