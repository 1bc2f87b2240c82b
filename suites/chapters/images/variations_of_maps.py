"""Mapping of images (section 5.3.7): invalid and valid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.call import Call
from clconform.calls.values import Items
from clconform.runner.session.answers import made
from clconform.suites.chapters.buffers.variations_of_maps import ANEW, FORBIDDEN, READ, WRITE
from clconform.suites.chapters.images.places import Place, against_the_rules, at_the_edges, outside
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.images import HEIGHT, WIDTH
from clconform.suites.steps import needs

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
"""Image type, region mapped first at the start, and origin and region of the second map."""
APART: tuple[tuple[str, Triple, Triple, Triple], ...] = (
    ("CL_MEM_OBJECT_IMAGE2D", (8, HEIGHT, 1), (8, 0, 0), (8, HEIGHT, 1)),
    ("CL_MEM_OBJECT_IMAGE2D_ARRAY", (WIDTH, HEIGHT, 1), (0, 0, 1), (WIDTH, HEIGHT, 1)),
)
"""Image type, region mapped first, and origin and region of a second map without common pixels."""
variations = Variations()


def _mapped(places: Iterator[Place]) -> Iterator[Variation]:
    for place in places:
        yield Variation(place.boundary, bound(_at, place))


def _at(kit: Kit, _given: Arguments, place: Place) -> Arguments:
    return place.arguments(kit)


@variations.of("clEnqueueMapImage/CL_INVALID_VALUE/2")
def maps_outside() -> Iterator[Variation]:
    """Yield regions that are not within the image, and flags that are unknown or exclude each other."""
    yield from _mapped(outside())
    for bit in (3, 62, 63):
        yield Variation(f"map_flags=bit {bit}", {"map_flags": 1 << bit})
    for flags in ((READ, ANEW), (WRITE, ANEW)):
        yield Variation(" and ".join(flags), bound(_with_flags, *flags))


@variations.of("clEnqueueMapImage/CL_INVALID_VALUE/3")
def maps_against_the_rules() -> Iterator[Variation]:
    """Yield regions that use coordinates which the type does not have, and empty regions."""
    yield from _mapped(against_the_rules())


@variations.of("clEnqueueMapImage/CL_INVALID_VALUE/5")
def maps_without_a_slice_pitch() -> Iterator[Variation]:
    """Yield NULL for the slice pitch of images with slices."""
    for image_type in WITH_SLICES:
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        yield Variation(f"{words}: image_slice_pitch=NULL", bound(_without_a_slice_pitch, image_type))


def _without_a_slice_pitch(kit: Kit, _given: Arguments, image_type: str) -> Arguments:
    place = Place("", image_type, (0, 0, 0), (1, 1, 1))
    return {**place.arguments(kit), "image_slice_pitch": None}


@variations.of("clEnqueueMapImage/CL_INVALID_OPERATION/2")
def maps_that_the_flags_forbid() -> Iterator[Variation]:
    """Yield map flags that the image's host access flags forbid."""
    for hidden, forbidden in FORBIDDEN.items():
        for flag in forbidden:
            yield Variation(f"{flag} of an image with {hidden}", bound(_of_an_image_with, hidden, flag))


@variations.of("clEnqueueMapImage/CL_INVALID_OPERATION/3")
def maps_that_overlap() -> Iterator[Variation]:
    """Yield maps for writing that overlap a region mapped for writing: in all pixels, one pixel, and one slice."""
    for image_type, first, origin, region in OVERLAPPING:
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        boundary = f"{words}: CL_MAP_WRITE from {origin} of what is mapped"
        yield Variation(boundary, bound(_mapped_already, image_type, first, origin, region))


@variations.of("clEnqueueMapImage/success")
def maps_beside_each_other() -> Iterator[Variation]:
    """Yield maps for writing of regions adjacent to one mapped for writing."""
    for image_type, first, origin, region in APART:
        words = image_type.removeprefix("CL_MEM_OBJECT_")
        boundary = f"{words}: CL_MAP_WRITE from {origin} beside what is mapped"
        yield Variation(boundary, bound(_mapped_already, image_type, first, origin, region))


def _mapped_already(
    kit: Kit,
    given: Arguments,
    image_type: str,
    first: tuple[int, ...],
    origin: tuple[int, ...],
    region: tuple[int, ...],
) -> Arguments:
    """Map a region at the start of a new image for writing, and return the arguments of a second map."""
    there: Arguments = {"image": kit.image(image_type), "map_flags": kit.value(WRITE)}
    before: Arguments = {**given, **there, "origin": Items((0, 0, 0)), "region": Items(first)}
    needs(made(kit.cl.ask(Call("clEnqueueMapImage", before))), "the driver does not map the image")
    return {**there, "origin": Items(origin), "region": Items(region)}


@variations.of("clEnqueueMapImage/success")
def valid_maps() -> Iterator[Variation]:
    """Yield the last pixel of each image type, valid flags, and optional pitches set to NULL."""
    yield from _mapped(at_the_edges())
    for flags in ((WRITE,), (READ, WRITE), (ANEW,)):
        yield Variation(" and ".join(flags), bound(_with_flags, *flags))
    for granted, flag in (("CL_MEM_HOST_WRITE_ONLY", WRITE), ("CL_MEM_HOST_READ_ONLY", READ)):
        yield Variation(f"{flag} of an image with {granted}", bound(_of_an_image_with, granted, flag))
    yield Variation("IMAGE2D: image_slice_pitch=NULL", {"image_slice_pitch": None})
    boundary = "IMAGE1D: image_slice_pitch=NULL"
    yield Variation(boundary, bound(_without_a_slice_pitch, "CL_MEM_OBJECT_IMAGE1D"))
    yield Variation("does not block", {"blocking_map": 0})


def _with_flags(kit: Kit, _given: Arguments, *flags: str) -> Arguments:
    return {"map_flags": kit.value(*flags)}


def _of_an_image_with(kit: Kit, _given: Arguments, access: str, flag: str) -> Arguments:
    image = kit.once(("an image with", access), lambda: kit.image(flags=("CL_MEM_READ_WRITE", access)))
    return {"image": image, "map_flags": kit.value(flag)}
