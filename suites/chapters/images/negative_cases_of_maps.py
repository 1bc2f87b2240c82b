"""Mapping of images (section 5.3.7): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.call import Call
from clconform.calls.values import ElementList
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.buffers.negative_cases_of_maps import FORBIDDEN, INVALIDATE, READ, WRITE
from clconform.suites.chapters.images.regions import ImageRegion, invalid_regions, regions_at_the_edges, regions_outside
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.images import HEIGHT, WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments


WITH_SLICES = ("CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D_ARRAY", "CL_MEM_OBJECT_IMAGE2D_ARRAY")
Triple: TypeAlias = tuple[int, int, int]
OVERLAPPING: tuple[tuple[str, Triple, Triple, Triple], ...] = (
    ("CL_MEM_OBJECT_IMAGE2D", (WIDTH, HEIGHT, 1), (0, 0, 0), (WIDTH, HEIGHT, 1)),
    ("CL_MEM_OBJECT_IMAGE2D", (8, 4, 1), (7, 3, 0), (8, 4, 1)),
    ("CL_MEM_OBJECT_IMAGE3D", (WIDTH, HEIGHT, 2), (0, 0, 1), (WIDTH, HEIGHT, 1)),
)
"""Pairs of overlapping maps: image type, region of the first map, and origin and region of the second.

The first map is at the start of the image.
"""
APART: tuple[tuple[str, Triple, Triple, Triple], ...] = (
    ("CL_MEM_OBJECT_IMAGE2D", (8, HEIGHT, 1), (8, 0, 0), (8, HEIGHT, 1)),
    ("CL_MEM_OBJECT_IMAGE2D_ARRAY", (WIDTH, HEIGHT, 1), (0, 0, 1), (WIDTH, HEIGHT, 1)),
)
"""Pairs of maps without common pixels: image type, region of the first map, and origin and region of the second.

The first map is at the start of the image.
"""
variations = VariationRegistry()


def _maps_of_regions(regions: Iterator[ImageRegion]) -> Iterator[Variation]:
    for place in regions:
        yield Variation(place.case_name, bind_values(_with_region, place))


def _with_region(kit: Kit, _given: Arguments, image_region: ImageRegion) -> Arguments:
    return image_region.arguments(kit)


@variations.declare("clEnqueueMapImage/CL_INVALID_VALUE/2")
def maps_outside() -> Iterator[Variation]:
    """Yield maps of regions that are not within the image, and maps with unknown or mutually exclusive flags."""
    yield from _maps_of_regions(regions_outside())
    for bit in (3, 62, 63):
        yield Variation(f"map_flags=bit {bit}", {"map_flags": 1 << bit})
    for flags in ((READ, INVALIDATE), (WRITE, INVALIDATE)):
        yield Variation(" and ".join(flags), bind_values(_with_flags, *flags))


@variations.declare("clEnqueueMapImage/CL_INVALID_VALUE/3")
def maps_of_invalid_regions() -> Iterator[Variation]:
    """Yield regions with coordinates that the image type does not have, and empty regions."""
    yield from _maps_of_regions(invalid_regions())


@variations.declare("clEnqueueMapImage/CL_INVALID_VALUE/5")
def maps_without_a_slice_pitch() -> Iterator[Variation]:
    """Yield NULL as image_slice_pitch, for 3D images and image arrays."""
    for image_type in WITH_SLICES:
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        yield Variation(f"{words}: image_slice_pitch=NULL", bind_values(_without_a_slice_pitch, image_type))


def _without_a_slice_pitch(kit: Kit, _given: Arguments, image_type: str) -> Arguments:
    place = ImageRegion("", image_type, (0, 0, 0), (1, 1, 1))
    return {**place.arguments(kit), "image_slice_pitch": None}


@variations.declare("clEnqueueMapImage/CL_INVALID_OPERATION/2")
def maps_forbidden_by_flags() -> Iterator[Variation]:
    """Yield map flags that the image's host access flags forbid."""
    for hidden, forbidden in FORBIDDEN.items():
        for flag in forbidden:
            yield Variation(f"{flag} of an image with {hidden}", bind_values(_with_host_access, hidden, flag))


@variations.declare("clEnqueueMapImage/CL_INVALID_OPERATION/3")
def overlapping_maps() -> Iterator[Variation]:
    """Yield maps for writing that overlap an existing map for writing: in all pixels, one pixel, and one slice."""
    for image_type, first, origin, region in OVERLAPPING:
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        test_value = f"{words}: CL_MAP_WRITE from {origin} of what is mapped"
        yield Variation(test_value, bind_values(_with_existing_map, image_type, first, origin, region))


@variations.declare("clEnqueueMapImage/success")
def adjacent_maps() -> Iterator[Variation]:
    """Yield maps for writing of regions that adjoin an existing map for writing."""
    for image_type, first, origin, region in APART:
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        test_value = f"{words}: CL_MAP_WRITE from {origin} next to the mapped region"
        yield Variation(test_value, bind_values(_with_existing_map, image_type, first, origin, region))


def _with_existing_map(
    kit: Kit,
    given: Arguments,
    image_type: str,
    first: tuple[int, ...],
    origin: tuple[int, ...],
    region: tuple[int, ...],
) -> Arguments:
    """Map a region at the start of a new image for writing, and return the arguments of a second map."""
    there: Arguments = {"image": kit.image(image_type), "map_flags": kit.constant(WRITE)}
    before: Arguments = {**given, **there, "origin": ElementList((0, 0, 0)), "region": ElementList(first)}
    skip_unless(returned_handles(kit.cl.call(Call("clEnqueueMapImage", before))), "the driver does not map the image")
    return {**there, "origin": ElementList(origin), "region": ElementList(region)}


@variations.declare("clEnqueueMapImage/success")
def valid_maps() -> Iterator[Variation]:
    """Yield maps of the last pixel of each image type, with other valid flags, and with NULL as an optional pitch."""
    yield from _maps_of_regions(regions_at_the_edges())
    for flags in ((WRITE,), (READ, WRITE), (INVALIDATE,)):
        yield Variation(" and ".join(flags), bind_values(_with_flags, *flags))
    for granted, flag in (("CL_MEM_HOST_WRITE_ONLY", WRITE), ("CL_MEM_HOST_READ_ONLY", READ)):
        yield Variation(f"{flag} of an image with {granted}", bind_values(_with_host_access, granted, flag))
    yield Variation("IMAGE2D: image_slice_pitch=NULL", {"image_slice_pitch": None})
    test_value = "IMAGE1D: image_slice_pitch=NULL"
    yield Variation(test_value, bind_values(_without_a_slice_pitch, "CL_MEM_OBJECT_IMAGE1D"))
    yield Variation("does not block", {"blocking_map": 0})


def _with_flags(kit: Kit, _given: Arguments, *flags: str) -> Arguments:
    return {"map_flags": kit.constant(*flags)}


def _with_host_access(kit: Kit, _given: Arguments, access: str, flag: str) -> Arguments:
    image = kit.get_cached(("an image with", access), lambda: kit.image(flags=("CL_MEM_READ_WRITE", access)))
    return {"image": image, "map_flags": kit.constant(flag)}
