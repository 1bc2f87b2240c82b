"""Texels as bytes: the bytes of an image region, and the location of a region in host memory."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.oracles.contents.geometry import Rectangle
from clconform.oracles.contents.storage import Place
from clconform.oracles.engine.permitted import Field, Permitted
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.images import Image

if TYPE_CHECKING:
    from clconform.oracles.contents.geometry import Spans, Triple
    from clconform.oracles.contents.storage import Content
    from clconform.oracles.model.image_formats import Channel, TexelLayout
    from clconform.oracles.model.images import ImageShape
    from clconform.oracles.model.world import Model

LAYERS_OF_ROWS = "CL_MEM_OBJECT_IMAGE1D_ARRAY"
"""The image type whose second coordinate counts layers, so that its texels are a slice pitch apart."""


def steps_of(shape: ImageShape, element_size: int, row: int, slice_: int) -> Triple:
    """Return the distances in bytes between neighbouring texels by each coordinate, for these pitches."""
    if shape.image_type == LAYERS_OF_ROWS:
        return element_size, slice_, slice_ * max(shape.array_size, 1)
    return element_size, row, slice_ or row * max(shape.height, 1)


def tight_steps(shape: ImageShape, element_size: int) -> Triple:
    """Return the distances in bytes between neighbouring texels without gaps between rows and slices."""
    width, height, _ = shape.extent
    return element_size, width * element_size, width * height * element_size


def image_of(handle: object, model: Model) -> Image:
    """Return an image whose texels can be accessed; UnknownError if it is not an image.

    ForbiddenError if the size of its texels or the distance of its rows is unspecified, or if the memory object from
    which it was created is released.
    """
    image = model.get(Image, handle)
    if not image.format.element_size:
        raise ForbiddenError("the size of a texel of this format is unspecified")
    if image.source is not None and image.source.references < 1:
        raise ForbiddenError("the memory object from which the image was created is released")
    if image.memory is not None and image.steps is None:
        raise ForbiddenError("the layout of the image's rows in its memory object is unspecified")
    return image


def texels(image: Image, origin: Triple, region: Triple, *, one_by_one: bool = False) -> Place:
    """Return the bytes of a region, row after row; UnknownError if they are not kept or not inside.

    ``one_by_one``: adjacent rows are not joined.
    """
    if image.memory is None or image.steps is None:
        raise UnknownError("texels")
    if any(start + size > most for start, size, most in zip(origin, region, image.shape.extent, strict=True)):
        raise UnknownError("texels outside")
    spans = image.memory.moved(_rows(origin, region, image.steps))
    return Place(image.memory.storage, spans if one_by_one else joined(spans), image)


def _rows(origin: Triple, region: Triple, steps: Triple) -> Spans:
    element, row, slice_ = steps
    box = Rectangle((origin[0] * element, *origin[1:]), (region[0] * element, *region[1:]), row, slice_)
    return box.spans()


def joined(spans: Spans) -> Spans:
    """Return the same bytes in the same order, with adjacent runs merged."""
    found: list[tuple[int, int]] = []
    for start, size in spans:
        if found and sum(found[-1]) == start:
            found[-1] = (found[-1][0], found[-1][1] + size)
        else:
            found.append((start, size))
    return tuple(found)


def in_host_memory(image: Image, region: Triple, row_pitch: int, slice_pitch: int) -> Spans:
    """Return the location of a region's texels in host memory, by the pitches that a call passes or returns.

    Layers of a 1D array are a slice pitch apart. A pitch of 0 means rows or slices without a gap. UnknownError if rows
    or slices would overlap.
    """
    element, (width, height, _) = image.format.element_size, region
    row = row_pitch or width * element
    rows = 1 if image.shape.image_type == LAYERS_OF_ROWS else height
    slice_ = slice_pitch or row * rows
    if row < width * element or slice_ < row * rows:
        raise UnknownError("rows that overlap")
    steps = (element, slice_, 0) if image.shape.image_type == LAYERS_OF_ROWS else (element, row, slice_)
    return joined(_rows((0, 0, 0), region, steps))


def mapped_rows(image: Image, region: Triple, row_pitch: int, slice_pitch: int) -> tuple[int, ...]:
    """Return the offset of each row of a mapped region from the pointer, by the pitches of the map.

    The result has a row for each second and third coordinate. It is empty if rows would overlap.
    """
    element, (width, height, depth) = image.format.element_size, region
    arrayed = image.shape.image_type == LAYERS_OF_ROWS
    row, slice_ = (slice_pitch, 0) if arrayed else (row_pitch, slice_pitch)
    if (height > 1 and row < width * element) or (depth > 1 and slice_ < (height - 1) * row + width * element):
        return ()
    return tuple(z * slice_ + y * row for z in range(depth) for y in range(height))


def has_gaps(image: Image) -> bool:
    """Return whether there are bytes between the rows or slices of an image."""
    return image.steps is not None and image.steps != tight_steps(image.shape, image.format.element_size)


def forget_gaps(image: Image) -> None:
    """Make the bytes between the rows of an image undefined, if it has any."""
    if image.memory is None or not has_gaps(image):
        return
    spans = joined(texels(image, (0, 0, 0), image.shape.extent).spans)
    for (start, size), (following, _) in itertools.pairwise(spans):
        image.memory.storage.forget(((start + size, following - start - size),))


def as_stored(content: Content, layout: TexelLayout) -> Content:
    """Return texels as an image keeps them: bits outside all channels are undefined."""
    if all(layout.used):
        return content
    loose, size = dict(content.loose), layout.size
    for at in range(0, len(content.held), size):
        if all(content.defined[at : at + size]):
            whole = int.from_bytes(content.held[at : at + size], "little")
            loose[at] = Permitted(size, tuple(_as_it_is(channel, whole) for channel in layout.channels))
    used = layout.used * (len(content.held) // size)
    defined = bytearray(known * kept for known, kept in zip(content.defined, used, strict=True))
    for at, permitted in loose.items():
        defined[at : at + permitted.size] = bytes(permitted.size)
    return content._replace(defined=bytes(defined), loose=tuple(sorted(loose.items(), key=lambda pair: pair[0])))


def _as_it_is(channel: Channel, whole: int) -> Field:
    raw = whole >> channel.shift & ((1 << channel.bits) - 1)
    return Field(channel.encoding, channel.shift, channel.bits, raw, raw, raw)
