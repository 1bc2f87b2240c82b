"""Layout of texels: the bytes of an image region, and the location of a region in host memory."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.oracles.contents.geometry import Rectangle
from clconform.oracles.contents.storage import MemoryPlace
from clconform.oracles.engine.tolerances import BytesTolerance, NumberTolerance
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.images import Image

if TYPE_CHECKING:
    from clconform.oracles.contents.geometry import Spans, Triple
    from clconform.oracles.contents.storage import Content
    from clconform.oracles.model.image_formats import Channel, TexelLayout
    from clconform.oracles.model.images import ImageDescription
    from clconform.oracles.model.state import Model

ONE_D_ARRAY = "CL_MEM_OBJECT_IMAGE1D_ARRAY"
"""The image type whose second coordinate counts layers, so that the distance of its texels is the slice pitch."""
WITHOUT_SLICES = ("CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE2D")
"""The image types whose transfers have no slice pitch."""


def texel_strides(shape: ImageDescription, element_size: int, row: int, slice_: int) -> Triple:
    """Return the distances in bytes between texels that are adjacent in each coordinate, for these pitches."""
    if shape.image_type == ONE_D_ARRAY:
        return element_size, slice_, slice_ * max(shape.array_size, 1)
    return element_size, row, slice_ or row * max(shape.height, 1)


def tight_strides(shape: ImageDescription, element_size: int) -> Triple:
    """Return the distances in bytes between adjacent texels of an image without gaps between rows and slices."""
    width, height, _ = shape.extent
    return element_size, width * element_size, width * height * element_size


def accessible_image(handle: object, model: Model) -> Image:
    """Return an image with accessible texels; UnknownFactError if the handle is not that of an image.

    UndefinedBehaviourError if the size of its texels or the distance of its rows is unspecified, or if the memory
    object from which it was created was released.
    """
    image = model.get(Image, handle)
    if not image.format.element_size:
        raise UndefinedBehaviourError("the size of a texel of this format is unspecified")
    if image.source is not None and image.source.references < 1:
        raise UndefinedBehaviourError("the memory object from which the image was created is released")
    if image.memory is not None and image.strides is None:
        raise UndefinedBehaviourError("the layout of the image's rows in its memory object is unspecified")
    return image


def texel_place(image: Image, origin: Triple, region: Triple, *, keep_rows: bool = False) -> MemoryPlace:
    """Return the bytes of a region, row after row; UnknownFactError if they are unknown or outside the image.

    ``keep_rows``: adjacent rows are not merged.
    """
    if image.memory is None or image.strides is None:
        raise UnknownFactError("texels")
    if any(start + size > most for start, size, most in zip(origin, region, image.shape.extent, strict=True)):
        raise UnknownFactError("texels outside")
    spans = image.memory.to_storage_spans(_row_spans(origin, region, image.strides))
    return MemoryPlace(image.memory.storage, spans if keep_rows else merge_adjacent(spans), image)


def _row_spans(origin: Triple, region: Triple, steps: Triple) -> Spans:
    element, row, slice_ = steps
    box = Rectangle((origin[0] * element, *origin[1:]), (region[0] * element, *region[1:]), row, slice_)
    return box.spans()


def merge_adjacent(spans: Spans) -> Spans:
    """Return the spans with adjacent spans merged; bytes and order do not change."""
    found: list[tuple[int, int]] = []
    for start, size in spans:
        if found and sum(found[-1]) == start:
            found[-1] = (found[-1][0], found[-1][1] + size)
        else:
            found.append((start, size))
    return tuple(found)


def host_spans(image: Image, region: Triple, row_pitch: int, slice_pitch: int) -> Spans:
    """Return the spans of a region's texels in host memory with these pitches.

    The distance of the layers of a 1D array is the slice pitch. A pitch of 0 stands for no gaps. UnknownFactError if
    rows or slices would overlap.
    """
    element, (width, height, _) = image.format.element_size, region
    row = row_pitch or width * element
    rows = 1 if image.shape.image_type == ONE_D_ARRAY else height
    slice_ = slice_pitch or row * rows
    if row < width * element or slice_ < row * rows:
        raise UnknownFactError("rows that overlap")
    steps = (element, slice_, 0) if image.shape.image_type == ONE_D_ARRAY else (element, row, slice_)
    return merge_adjacent(_row_spans((0, 0, 0), region, steps))


def mapped_row_offsets(image: Image, region: Triple, row_pitch: int, slice_pitch: int) -> tuple[int, ...]:
    """Return the offset of each row of a mapped region from the returned pointer, with the returned pitches.

    There is one row for each pair of the second and third coordinate. The result is empty if rows would overlap.
    """
    element, (width, height, depth) = image.format.element_size, region
    arrayed = image.shape.image_type == ONE_D_ARRAY
    row, slice_ = (slice_pitch, 0) if arrayed else (row_pitch, slice_pitch)
    if (height > 1 and row < width * element) or (depth > 1 and slice_ < (height - 1) * row + width * element):
        return ()
    return tuple(z * slice_ + y * row for z in range(depth) for y in range(height))


def has_gaps(image: Image) -> bool:
    """Return whether there are unused bytes between the rows or slices of an image."""
    return image.strides is not None and image.strides != tight_strides(image.shape, image.format.element_size)


def forget_gaps(image: Image) -> None:
    """Make the bytes between the rows of an image undefined, if there are any."""
    if image.memory is None or not has_gaps(image):
        return
    spans = merge_adjacent(texel_place(image, (0, 0, 0), image.shape.extent).spans)
    for (start, size), (following, _) in itertools.pairwise(spans):
        image.memory.storage.forget(((start + size, following - start - size),))


def mask_unused_bits(content: Content, layout: TexelLayout) -> Content:
    """Return texels in which all bits outside the channels are undefined, since an image need not keep them."""
    if all(layout.used_bytes):
        return content
    loose, size = dict(content.tolerances), layout.size
    for at in range(0, len(content.bytes_held), size):
        if all(content.defined[at : at + size]):
            whole = int.from_bytes(content.bytes_held[at : at + size], "little")
            loose[at] = BytesTolerance(size, tuple(_exact_channel(channel, whole) for channel in layout.channels))
    used = layout.used_bytes * (len(content.bytes_held) // size)
    defined = bytearray(known * kept for known, kept in zip(content.defined, used, strict=True))
    for at, permitted in loose.items():
        defined[at : at + permitted.size] = bytes(permitted.size)
    return content._replace(defined=bytes(defined), tolerances=tuple(sorted(loose.items(), key=lambda pair: pair[0])))


def _exact_channel(channel: Channel, whole: int) -> NumberTolerance:
    raw = whole >> channel.shift & ((1 << channel.bits) - 1)
    return NumberTolerance(channel.encoding, channel.shift, channel.bits, raw, raw, raw)
