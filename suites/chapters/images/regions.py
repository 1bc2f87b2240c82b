"""Regions of images, by image type: at an edge, outside the image, and with unused coordinates.

Some regions are outside because origin plus size overflows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import ElementList
from clconform.suites.kit.images import DEPTH, HEIGHT, IMAGE_OF_BUFFER, LAYERS, WIDTH
from clconform.suites.kit.memory import SIZE_MAX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

SIZES: dict[str, tuple[int, ...]] = {
    "CL_MEM_OBJECT_IMAGE2D": (WIDTH, HEIGHT),
    "CL_MEM_OBJECT_IMAGE1D": (WIDTH,),
    IMAGE_OF_BUFFER: (WIDTH,),
    "CL_MEM_OBJECT_IMAGE1D_ARRAY": (WIDTH, LAYERS),
    "CL_MEM_OBJECT_IMAGE2D_ARRAY": (WIDTH, HEIGHT, LAYERS),
    "CL_MEM_OBJECT_IMAGE3D": (WIDTH, HEIGHT, DEPTH),
}
"""The size of each coordinate of each image type, array layers included."""
HOST = 4 * WIDTH * 4 * HEIGHT
"""Bytes of host memory that are sufficient for every region in this module, with the pitches of its commands."""
COORDINATES = 3


class ImageRegion(NamedTuple):
    """A region of an image with a type; ``description`` is the part of the test value that describes the region.

    The numbers in ``origin`` are converted by ``to_size`` of the kit.
    """

    description: str
    image_type: str
    origin: tuple[int, ...]
    region: tuple[int, ...]

    @property
    def case_name(self) -> str:
        """Return a description of the type and the region."""
        return f"{self.image_type.removeprefix('CL_MEM_OBJECT_')}: {self.description}"

    def arguments(self, kit: Kit, side: str = "") -> Arguments:
        """Return the arguments of a command on the region.

        ``side``: the prefix of the image and origin parameters.
        """
        return {
            f"{side}image": get_image(kit, self.image_type),
            f"{side}origin": ElementList(tuple(map(kit.to_size, self.origin))),
            "region": ElementList(self.region),
        }


def get_image(kit: Kit, image_type: str) -> Handle:
    """Return an image of a type; the image is created once."""
    return kit.get_cached(("image of", image_type), lambda: kit.image(image_type))


def get_larger_image(kit: Kit) -> Handle:
    """Return a 3D image that is large enough for every region in this module; the image is created once."""
    wide, high, deep = 2 * WIDTH, 2 * HEIGHT, 2 * DEPTH

    def make() -> Handle:
        return kit.image("CL_MEM_OBJECT_IMAGE3D", image_width=wide, image_height=high, image_depth=deep)

    return kit.get_cached("a larger image", make)


def _complete_coordinates(
    used: tuple[int, ...], changed: dict[int, int] | None = None, rest: int = 1
) -> tuple[int, ...]:
    """Return three coordinates: ``used``, filled up with ``rest``, and with some of them ``changed``."""
    numbers = [*used, *[rest] * (COORDINATES - len(used))]
    for at, number in (changed or {}).items():
        numbers[at] = number
    return tuple(numbers)


def regions_outside() -> Iterator[ImageRegion]:
    """Yield regions that are not within the image, for each coordinate of its type."""
    for image_type, sizes in SIZES.items():
        ones, start = _complete_coordinates(()), _complete_coordinates((), rest=0)
        for at, size in enumerate(sizes):
            yield ImageRegion(
                f"origin[{at}]=1, region[{at}]=size",
                image_type,
                _complete_coordinates(start, {at: 1}),
                _complete_coordinates(ones, {at: size}),
            )
            yield ImageRegion(f"origin[{at}]=size", image_type, _complete_coordinates(start, {at: size}), ones)
            wraps = f"origin[{at}]+region[{at}] wraps to 1"
            yield ImageRegion(
                wraps, image_type, _complete_coordinates(start, {at: SIZE_MAX}), _complete_coordinates(ones, {at: 2})
            )


def invalid_regions() -> Iterator[ImageRegion]:
    """Yield regions with a coordinate that the image type does not have, and empty regions."""
    for image_type, sizes in SIZES.items():
        start = _complete_coordinates((), rest=0)
        for at in range(len(sizes), COORDINATES):
            yield ImageRegion(
                f"origin[{at}]=1", image_type, _complete_coordinates(start, {at: 1}), _complete_coordinates(())
            )
            yield ImageRegion(f"region[{at}]=2", image_type, start, _complete_coordinates((), {at: 2}))
        for at in range(COORDINATES):
            yield ImageRegion(f"region[{at}]=0", image_type, start, _complete_coordinates((), {at: 0}))


def regions_at_the_edges() -> Iterator[ImageRegion]:
    """Yield the last pixel of each image type, except for the image type of the valid calls."""
    for image_type, sizes in list(SIZES.items())[1:]:
        yield ImageRegion(
            "the last pixel",
            image_type,
            _complete_coordinates(tuple(size - 1 for size in sizes), rest=0),
            _complete_coordinates(()),
        )
