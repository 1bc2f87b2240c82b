"""Transfers of whole images and regions, by commands and through mapped regions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.model.images import Image
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.mapped_regions import MappedRegion
    from clconform.suites.kit.kit import Kit

Triple = tuple[int, int, int]
ORIGIN: Triple = (0, 0, 0)


def get_image(kit: Kit, handle: Handle) -> Image:
    """Return the model's state of an image; skip the item if the size of its texels is unknown."""
    image = kit.cl.model.get(Image, handle)
    skip_unless(image.format.element_size, "how many bytes a texel of this format has is open")
    return image


def host_size(image: Image, region: Triple, row_pitch: int = 0, slice_pitch: int = 0) -> int:
    """Return the number of bytes from the first to the last host byte of a region's transfer."""
    width, height, depth = region
    row = row_pitch or width * image.format.element_size
    layer = slice_pitch or (row if image.shape.image_type.endswith("1D_ARRAY") else row * height)
    along = layer if image.shape.image_type.endswith("1D_ARRAY") else row
    return (depth - 1) * layer + (height - 1) * along + width * image.format.element_size


def region_arguments(image: Image, origin: Triple | None, region: Triple | None) -> dict[str, Value]:
    """Return the arguments that select a region, by default the whole image."""
    return {
        "image": Handle(image.name),
        "origin": ElementList(origin or ORIGIN),
        "region": ElementList(region or image.shape.extent),
    }


def write_region(
    kit: Kit,
    handle: Handle,
    seed: int = 1,
    origin: Triple | None = None,
    region: Triple | None = None,
    pitches: tuple[int, int] = (0, 0),
    **others: Value,
) -> None:
    """Write test bytes to a region with a blocking call, by default to the whole image.

    ``pitches``: row and slice pitch of the host memory.
    """
    image = get_image(kit, handle)
    content = Data(pattern_bytes(host_size(image, region or image.shape.extent, *pitches), seed))
    told: dict[str, Value] = {"input_row_pitch": pitches[0], "input_slice_pitch": pitches[1], "ptr": content}
    kit.enqueue("clEnqueueWriteImage", **{**region_arguments(image, origin, region), **told, **others})


def read_region(
    kit: Kit,
    handle: Handle,
    origin: Triple | None = None,
    region: Triple | None = None,
    pitches: tuple[int, int] = (0, 0),
    **others: Value,
) -> None:
    """Read a region with a blocking call, by default the whole image; the judge compares the texels.

    ``pitches``: row and slice pitch of the host memory.
    """
    image = get_image(kit, handle)
    room = OutputBuffer(host_size(image, region or image.shape.extent, *pitches))
    told: dict[str, Value] = {"row_pitch": pitches[0], "slice_pitch": pitches[1], "ptr": room}
    kit.enqueue("clEnqueueReadImage", **{**region_arguments(image, origin, region), **told, **others})


def fill_image(kit: Kit, handle: Handle, seed: int = 1) -> Handle:
    """Write test bytes to a whole image, and return the image."""
    write_region(kit, handle, seed)
    return handle


def map_region(
    kit: Kit, handle: Handle, *flags: str, origin: Triple | None = None, region: Triple | None = None, **others: Value
) -> MappedRegion:
    """Map a region of an image, by default the whole image, and return the model's mapped region.

    The item is skipped if the driver does not map it.
    """
    image = get_image(kit, handle)
    pitches: dict[str, Value] = {"image_row_pitch": OutputBuffer(1), "image_slice_pitch": OutputBuffer(1)}
    told: dict[str, Value] = {"map_flags": kit.constant(*flags), **pitches}
    mapped = returned_handles(
        kit.enqueue("clEnqueueMapImage", **{**region_arguments(image, origin, region), **told, **others})
    )
    maps = [each for each in kit.cl.model.mapped_regions if mapped and each.pointer == mapped[0].name]
    skip_unless(maps, "the driver does not map the image")
    return maps[-1]


def read_mapped(kit: Kit, mapped: MappedRegion) -> None:
    """Read all texels of a mapped region on the host; the judge compares them."""
    for offset, size in mapped.accessible_runs:
        kit.read_host(_address(mapped, offset), size)


def write_mapped(kit: Kit, mapped: MappedRegion, seed: int, every: int = 1) -> None:
    """Write test bytes to a mapped region on the host.

    ``every``: 1 writes all rows, a larger number only every ``every``-th row.
    """
    for index, (offset, size) in enumerate(mapped.accessible_runs):
        if index % every == 0:
            kit.write_host(_address(mapped, offset), pattern_bytes(size, seed + index % 5))


def unmap_region(kit: Kit, mapped: MappedRegion) -> None:
    """Unmap a mapped region of an image."""
    kit.unmap(Handle(mapped.memory.name), Handle(mapped.pointer))


def _address(mapped: MappedRegion, offset: int) -> Handle | OffsetPointer:
    return OffsetPointer(Handle(mapped.pointer), offset) if offset else Handle(mapped.pointer)
