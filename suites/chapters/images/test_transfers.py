"""Transfers of texels with every command and image type, with pitches and at edges, and shared image memory."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OffsetPointer, OutputBuffer, PointerArgument
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit import texels
from clconform.suites.kit.formats import list_formats, skip_without_images
from clconform.suites.kit.images import DEPTH, HEIGHT, IMAGE_OF_BUFFER, IMAGE_TYPES, LAYERS, RGBA8, WIDTH
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.texels import Triple

NAME = "images.transfers"
READ, WRITE, COPY = "clEnqueueReadImage/success", "clEnqueueWriteImage/success", "clEnqueueCopyImage/success"
FILL, MAP, UNMAP = "clEnqueueFillImage/success", "clEnqueueMapImage/success", "clEnqueueUnmapMemObject/success"
TO_BUFFER, FROM_BUFFER = "clEnqueueCopyImageToBuffer/success", "clEnqueueCopyBufferToImage/success"
CREATE = "clCreateImage/success"
ONE_D, ARRAY_1D, TWO_D, ARRAY_2D, THREE_D = IMAGE_TYPES
INSIDE: dict[str, tuple[Triple, Triple]] = {
    ONE_D: ((3, 0, 0), (9, 1, 1)),
    IMAGE_OF_BUFFER: ((3, 0, 0), (9, 1, 1)),
    ARRAY_1D: ((5, 0, 0), (7, 2, 1)),
    TWO_D: ((3, 2, 0), (9, 5, 1)),
    ARRAY_2D: ((2, 3, 0), (11, 4, 2)),
    THREE_D: ((1, 2, 1), (13, 3, 2)),
}
"""The origin and the region of a tested part, for each image type.

The part spans several rows and slices, if the type has them.
"""
LAST: dict[str, Triple] = {
    ONE_D: (WIDTH - 1, 0, 0),
    IMAGE_OF_BUFFER: (WIDTH - 1, 0, 0),
    ARRAY_1D: (WIDTH - 1, LAYERS - 1, 0),
    TWO_D: (WIDTH - 1, HEIGHT - 1, 0),
    ARRAY_2D: (WIDTH - 1, HEIGHT - 1, LAYERS - 1),
    THREE_D: (WIDTH - 1, HEIGHT - 1, DEPTH - 1),
}
"""The last texel of each image type."""
TEXEL: Triple = (1, 1, 1)
PAIRS: dict[tuple[str, str], tuple[Triple, Triple, Triple]] = {
    (TWO_D, TWO_D): ((1, 2, 0), (4, 3, 0), (9, 5, 1)),
    (TWO_D, THREE_D): ((1, 0, 0), (2, 3, 3), (9, 5, 1)),
    (THREE_D, TWO_D): ((1, 2, 2), (0, 3, 0), (9, 5, 1)),
    (TWO_D, ARRAY_2D): ((0, 1, 0), (5, 2, 2), (11, 6, 1)),
    (ARRAY_2D, TWO_D): ((4, 0, 1), (2, 2, 0), (12, 6, 1)),
    (ARRAY_2D, THREE_D): ((4, 0, 1), (2, 2, 0), (12, 6, 2)),
    (ARRAY_2D, ARRAY_2D): ((3, 0, 0), (1, 2, 1), (12, 6, 2)),
    (THREE_D, ARRAY_2D): ((3, 1, 2), (0, 2, 1), (5, 6, 2)),
    (THREE_D, THREE_D): ((0, 1, 1), (3, 0, 2), (13, 7, 2)),
    (ARRAY_1D, ARRAY_1D): ((2, 1, 0), (6, 0, 0), (10, 2, 1)),
    (ARRAY_1D, TWO_D): ((2, 1, 0), (6, 4, 0), (10, 2, 1)),
    (TWO_D, ARRAY_1D): ((5, 3, 0), (0, 1, 0), (8, 2, 1)),
    (ONE_D, ARRAY_1D): ((3, 0, 0), (1, 2, 0), (12, 1, 1)),
    (ARRAY_1D, ONE_D): ((3, 2, 0), (1, 0, 0), (12, 1, 1)),
    (ONE_D, THREE_D): ((3, 0, 0), (1, 6, 3), (12, 1, 1)),
    (IMAGE_OF_BUFFER, ONE_D): ((3, 0, 0), (1, 0, 0), (12, 1, 1)),
}
"""Source origin, destination origin and region, for each pair of source and destination type."""
FORMATS = (
    ("CL_R", "CL_UNSIGNED_INT8"),
    ("CL_RG", "CL_UNORM_INT16"),
    ("CL_BGRA", "CL_UNORM_INT8"),
    ("CL_RGBA", "CL_SNORM_INT8"),
    ("CL_RGBA", "CL_HALF_FLOAT"),
    ("CL_RGBA", "CL_SIGNED_INT16"),
    ("CL_RGBA", "CL_FLOAT"),
    ("CL_DEPTH", "CL_FLOAT"),
    ("CL_sRGBA", "CL_UNORM_INT8"),
    ("CL_RGB", "CL_UNORM_SHORT_565"),
    ("CL_RGB", "CL_UNORM_INT_101010"),
)
"""Formats with texels of 1 to 16 bytes, with number types that an unwanted conversion would change."""
COLOUR = Data(bytes((17, 0, 0, 0, 34, 0, 0, 0, 51, 0, 0, 0, 68, 0, 0, 0)))
"""A colour of four unsigned numbers."""
OTHERS = (READ, WRITE, CREATE)
cases = CaseRegistry(Kit)
test_texels_survive_transfers = TableTest(cases)


def _short_name(image_type: str) -> str:
    return image_type.removeprefix("CL_MEM_OBJECT_")


def _wider_pitches(image_type: str, region: Triple) -> tuple[int, int]:
    """Return pitches of host memory with gaps between rows and, if the type has slices, between slices."""
    texel = 4
    row = (region[0] + 3) * texel
    if image_type in (ONE_D, IMAGE_OF_BUFFER, TWO_D):
        return row, 0
    return row, row * (2 if image_type == ARRAY_1D else region[1] + 1)


def _single_pitches(pitches: tuple[int, int]) -> list[tuple[int, int]]:
    """Return pairs of a row and a slice pitch in which one pitch is 0.

    The list is empty if the image type has only a row pitch.
    """
    row, slice_ = pitches
    return [(row, 0), (0, slice_)] if slice_ else []


@cases.declare_family
def cases_of_types() -> Iterator[TableCase]:
    """Yield the items for each image type."""
    for image_type in INSIDE:
        words = _short_name(image_type)
        yield cases.create_case(READ, f"{words}: parts of it", read_parts, image_type, others=(WRITE, CREATE))
        yield cases.create_case(WRITE, f"{words}: parts of it", write_parts, image_type, others=(READ, CREATE))
        yield cases.create_case(FILL, f"{words}: parts of it", fill_parts, image_type, others=OTHERS)
        yield cases.create_case(
            TO_BUFFER, f"{words}: and back", copy_through_buffer, image_type, others=(FROM_BUFFER, *OTHERS)
        )
        yield cases.create_case(MAP, f"{words}: to read", map_to_read, image_type, others=(UNMAP, *OTHERS))
        yield cases.create_case(UNMAP, f"{words}: written", map_to_write, image_type, others=(MAP, *OTHERS))
        if image_type != IMAGE_OF_BUFFER:
            yield cases.create_case(
                CREATE, f"{words}: of the host's texels", create_from_host_memory, image_type, others=(READ, MAP)
            )


def read_parts(kit: Kit, image_type: str) -> None:
    """Read an image and parts of it, with and without gaps, into an output buffer and into host memory."""
    image = texels.fill_image(kit, kit.image(image_type))
    texels.read_region(kit, image)
    origin, region = INSIDE[image_type]
    texels.read_region(kit, image, origin, region)
    pitches = _wider_pitches(image_type, region)
    for each in (pitches, *_single_pitches(pitches)):
        texels.read_region(kit, image, origin, region, each)
    texels.read_region(kit, image, LAST[image_type], TEXEL)
    size = texels.host_size(texels.get_image(kit, image), region, *pitches)
    area = kit.host_area(pattern_bytes(size + 8, 5))
    texels.read_region(kit, image, origin, region, pitches, ptr=OffsetPointer(area, 4), blocking_read=0)
    kit.finish()
    kit.read_host(area, size + 8)


def write_parts(kit: Kit, image_type: str) -> None:
    """Write parts of an image from bytes and from host memory, with and without gaps, and read the image."""
    image = texels.fill_image(kit, kit.image(image_type))
    origin, region = INSIDE[image_type]
    texels.write_region(kit, image, 2, origin, region)
    texels.read_region(kit, image)
    texels.write_region(kit, image, 3, LAST[image_type], TEXEL)
    pitches = _wider_pitches(image_type, region)
    for seed, each in enumerate((pitches, *_single_pitches(pitches)), 4):
        texels.write_region(kit, image, seed, origin, region, each)
        texels.read_region(kit, image)
    area = kit.host_area(pattern_bytes(texels.host_size(texels.get_image(kit, image), region, *pitches), 6))
    texels.write_region(kit, image, 0, origin, region, pitches, ptr=area, blocking_write=0)
    kit.finish()
    kit.write_host(area, pattern_bytes(16, 1))
    texels.read_region(kit, image)


def fill_parts(kit: Kit, image_type: str) -> None:
    """Fill a part of an image and its last texel, and read the image."""
    image = texels.fill_image(kit, kit.image(image_type))
    behind = texels.get_image(kit, image)
    for origin, region in (INSIDE[image_type], (LAST[image_type], TEXEL)):
        kit.enqueue("clEnqueueFillImage", **texels.region_arguments(behind, origin, region), fill_color=COLOUR)
        texels.read_region(kit, image)


def copy_through_buffer(kit: Kit, image_type: str) -> None:
    """Copy parts of an image to a buffer, and from the buffer to another image, at various offsets."""
    image, other = texels.fill_image(kit, kit.image(image_type)), texels.fill_image(kit, kit.image(image_type), 2)
    buffer = kit.create_filled_buffer(4096, seed=3)
    whole = texels.get_image(kit, image).shape.extent
    for origin, region, offset in (
        (*INSIDE[image_type], 36),
        (LAST[image_type], TEXEL, 8),
        (texels.ORIGIN, whole, 513),
    ):
        there: dict[str, Value] = {
            "src_image": image,
            "dst_buffer": buffer,
            "src_origin": ElementList(origin),
            "region": ElementList(region),
        }
        kit.enqueue("clEnqueueCopyImageToBuffer", **there, dst_offset=offset)
        kit.read(buffer, 0, 4096)
        back: dict[str, Value] = {
            "src_buffer": buffer,
            "dst_image": other,
            "dst_origin": ElementList(origin),
            "region": ElementList(region),
        }
        for more in (4, 3):
            kit.enqueue("clEnqueueCopyBufferToImage", **back, src_offset=offset + more)
            texels.read_region(kit, other)


def map_to_read(kit: Kit, image_type: str) -> None:
    """Map a part of an image and the whole image for reading, before and after a write."""
    image = texels.fill_image(kit, kit.image(image_type))
    origin, region = INSIDE[image_type]
    part = texels.map_region(kit, image, "CL_MAP_READ", origin=origin, region=region)
    whole = texels.map_region(kit, image, "CL_MAP_READ")
    texels.read_mapped(kit, part)
    texels.read_mapped(kit, whole)
    for mapped in (part, whole):
        texels.unmap_region(kit, mapped)
    texels.write_region(kit, image, 2, origin, region)
    last = texels.map_region(kit, image, "CL_MAP_READ", origin=LAST[image_type], region=TEXEL, blocking_map=0)
    kit.finish()
    texels.read_mapped(kit, last)
    texels.unmap_region(kit, last)
    whole = texels.map_region(kit, image, "CL_MAP_READ")
    texels.read_mapped(kit, whole)
    texels.unmap_region(kit, whole)


def map_to_write(kit: Kit, image_type: str) -> None:
    """Write whole mapped regions and a few rows of a mapped region, and read the image after each unmap.

    The regions are mapped for writing, for reading and writing, and with invalidated content.
    """
    image = texels.fill_image(kit, kit.image(image_type))
    origin, region = INSIDE[image_type]
    mapped = texels.map_region(kit, image, "CL_MAP_WRITE", origin=origin, region=region)
    texels.read_mapped(kit, mapped)
    texels.write_mapped(kit, mapped, 3)
    texels.unmap_region(kit, mapped)
    texels.read_region(kit, image)
    mapped = texels.map_region(kit, image, "CL_MAP_READ", "CL_MAP_WRITE")
    texels.write_mapped(kit, mapped, 4, every=3)
    texels.read_mapped(kit, mapped)
    texels.unmap_region(kit, mapped)
    texels.read_region(kit, image)
    skip_unless(is_available(kit.cl, "clEnqueueFillImage"), "requires OpenCL 1.2 (CL_MAP_WRITE_INVALIDATE_REGION)")
    mapped = texels.map_region(kit, image, "CL_MAP_WRITE_INVALIDATE_REGION", origin=origin, region=region)
    texels.write_mapped(kit, mapped, 6)
    texels.unmap_region(kit, mapped)
    texels.read_region(kit, image)


def create_from_host_memory(kit: Kit, image_type: str) -> None:
    """Create images from host memory, with and without gaps: images that copy it, and images that use it in place."""
    whole = texels.get_image(kit, kit.image(image_type)).shape.extent
    row, slice_ = _wider_pitches(image_type, whole)
    for pitches in ((row, slice_), (0, 0), (row, 0)):
        size = _host_size(image_type, whole, pitches)
        content = Data(pattern_bytes(size, 7))
        for image in (
            _create_on_host_memory(kit, image_type, "CL_MEM_COPY_HOST_PTR", content, pitches),
            *_create_with_properties(kit, image_type, content, pitches),
        ):
            texels.read_region(kit, image)
        area = kit.host_area(pattern_bytes(size, 8))
        image = _create_on_host_memory(kit, image_type, "CL_MEM_USE_HOST_PTR", area, pitches)
        texels.read_region(kit, image)
        texels.write_region(kit, image, 9, *INSIDE[image_type])
        mapped = texels.map_region(kit, image, "CL_MAP_READ", "CL_MAP_WRITE")
        texels.read_mapped(kit, mapped)
        kit.read_host(area, whole[0] * 4)
        texels.write_mapped(kit, mapped, 10, every=2)
        texels.unmap_region(kit, mapped)
        texels.read_region(kit, image)


def _host_size(image_type: str, whole: Triple, pitches: tuple[int, int]) -> int:
    """Return the size in bytes of an image in host memory with these pitches.

    A pitch of 0 means that there are no gaps.
    """
    row = pitches[0] or whole[0] * 4
    if image_type == ARRAY_1D:
        return (pitches[1] or row) * whole[1]
    return (pitches[1] or row * whole[1]) * whole[2]


def _create_on_host_memory(
    kit: Kit, image_type: str, flag: str, host: PointerArgument, pitches: tuple[int, int]
) -> Handle:
    """Create an image from host memory with these pitches, and return the image."""
    flags = ("CL_MEM_READ_WRITE", flag)
    row, slice_ = pitches
    return kit.image(image_type, flags=flags, host=host, image_row_pitch=row, image_slice_pitch=slice_)


def _create_with_properties(kit: Kit, image_type: str, content: Data, pitches: tuple[int, int]) -> list[Handle]:
    """Return a list with an image created by clCreateImageWithProperties; empty where this function is unavailable."""
    if not is_available(kit.cl, "clCreateImageWithProperties"):
        return []
    row, slice_ = pitches
    described = kit.description(image_type, image_row_pitch=row, image_slice_pitch=slice_)
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    given = (kit.context, None, flags, kit.format(*RGBA8), described, content, OutputBuffer(1))
    return returned_handles(kit.cl.clCreateImageWithProperties(*given))


@cases.declare(READ, "not waiting for a user event", *OTHERS)
def read_after_user_event(kit: Kit) -> None:
    """Enqueue a read that waits for a user event, complete the event, and check the texels."""
    skip_unless(is_available(kit.cl, "clCreateUserEvent"), "requires OpenCL 1.1 (user events)")
    image, area, event = texels.fill_image(kit, kit.image(TWO_D)), kit.host_area(bytes(512)), kit.user_event()
    texels.read_region(kit, image, ptr=area, blocking_read=0, after=ElementList((event,)))
    kit.cl.clSetUserEventStatus(event, 0)
    kit.finish()
    kit.read_host(area, 512)


@cases.declare_family
def copies_between_types() -> Iterator[TableCase]:
    """Yield an item for each pair of source and destination type."""
    for source, target in PAIRS:
        words = f"from {_short_name(source)} to {_short_name(target)}"
        yield cases.create_case(COPY, words, copy_between_images, source, target, others=OTHERS)


def copy_between_images(kit: Kit, source: str, target: str) -> None:
    """Copy a region and a texel between two images, copy the region again with new texels, and read both images."""
    one, other = texels.fill_image(kit, kit.image(source)), texels.fill_image(kit, kit.image(target), 2)
    start, end, region = PAIRS[source, target]
    for seed, src, dst, size in (
        (0, start, end, region),
        (0, LAST[source], LAST[target], TEXEL),
        (3, start, end, region),
    ):
        if seed:
            texels.fill_image(kit, one, seed)
        places = {"src_origin": ElementList(src), "dst_origin": ElementList(dst), "region": ElementList(size)}
        kit.enqueue("clEnqueueCopyImage", src_image=one, dst_image=other, **places)
        texels.read_region(kit, other)
    texels.read_region(kit, one)


@cases.declare(COPY, "within one image", *OTHERS)
def copy_within_image(kit: Kit) -> None:
    """Copy a region within an image, and an array layer to another layer of the same image."""
    for image_type, src, dst, size in (
        (TWO_D, (1, 0, 0), (2, 4, 0), (12, 4, 1)),
        (ARRAY_2D, (0, 0, 0), (0, 0, 2), (WIDTH, HEIGHT, 1)),
        (THREE_D, (3, 2, 0), (1, 0, 2), (9, 5, 2)),
    ):
        image = texels.fill_image(kit, kit.image(image_type))
        places = {"src_origin": ElementList(src), "dst_origin": ElementList(dst), "region": ElementList(size)}
        kit.enqueue("clEnqueueCopyImage", src_image=image, dst_image=image, **places)
        texels.read_region(kit, image)


@cases.declare_family
def cases_of_formats() -> Iterator[TableCase]:
    """Yield an item for each format."""
    for order, channel_type in FORMATS:
        yield cases.create_case(
            COPY, f"{order}, {channel_type}", transfer_in_format, order, channel_type, others=(*OTHERS, MAP, FILL)
        )


def transfer_in_format(kit: Kit, order: str, channel_type: str) -> None:
    """Write, copy, map, read and fill texels of a format, and compare every byte."""
    skip_without_images(kit)
    offered = list_formats(kit, kit.context, kit.constant("CL_MEM_READ_WRITE"), kit.constant(TWO_D))
    skip_unless((kit.constant(order), kit.constant(channel_type)) in offered, "the device does not list the format")
    source, target = (texels.fill_image(kit, kit.image(TWO_D, (order, channel_type)), seed) for seed in (1, 2))
    texels.write_region(kit, source, 3, (1, 2, 0), (10, 3, 1))
    places = {
        "src_origin": ElementList((2, 1, 0)),
        "dst_origin": ElementList((3, 3, 0)),
        "region": ElementList((9, 5, 1)),
    }
    kit.enqueue("clEnqueueCopyImage", src_image=source, dst_image=target, **places)
    texels.read_region(kit, target)
    mapped = texels.map_region(kit, target, "CL_MAP_READ", origin=(1, 1, 0), region=(12, 6, 1))
    texels.read_mapped(kit, mapped)
    texels.unmap_region(kit, mapped)
    texels.read_region(kit, source, (1, 1, 0), (5, 7, 1))
    whole = channel_type.startswith(("CL_SIGNED", "CL_UNSIGNED"))
    colour = COLOUR if whole else Data(struct.pack("<4f", 0.0 if order == "CL_DEPTH" else 0.5, 1.0, 0.0, 0.25))
    there = texels.region_arguments(texels.get_image(kit, target), (2, 1, 0), (11, 4, 1))
    kit.enqueue("clEnqueueFillImage", **there, fill_color=colour)
    texels.read_region(kit, target)


@cases.declare(CREATE, "on a buffer, read through both", READ, WRITE)
def access_through_buffer(kit: Kit) -> None:
    """Write alternately to a buffer and to a 1D image created from it, and read the result through both objects."""
    buffer = kit.create_filled_buffer(WIDTH * 4 + 32)
    image = kit.image(IMAGE_OF_BUFFER, source=buffer)
    texels.read_region(kit, image)
    texels.write_region(kit, image, 2, (3, 0, 0), (9, 1, 1))
    kit.read(buffer, 0, WIDTH * 4 + 32)
    kit.write(buffer, 8, pattern_bytes(16, 3))
    texels.read_region(kit, image)
    mapped = texels.map_region(kit, image, "CL_MAP_WRITE", origin=(1, 0, 0), region=(5, 1, 1))
    texels.write_mapped(kit, mapped, 4)
    texels.unmap_region(kit, mapped)
    kit.read(buffer, 0, WIDTH * 4 + 32)


@cases.declare_family
def images_on_changed_buffers() -> Iterator[TableCase]:
    """Yield an item for each creation function: an image created from a buffer whose content was changed."""
    for function in ("clCreateImage", "clCreateImageWithProperties"):
        words = f"on a buffer of copied bytes, by {function}"
        yield cases.create_case(f"{function}/effect/4", words, create_on_changed_buffer, function, others=(READ,))


def create_on_changed_buffer(kit: Kit, function: str) -> None:
    """Create a buffer that copies host memory, change it, create an image from the buffer, and read the image."""
    skip_without_images(kit)
    skip_unless(is_available(kit.cl, function), f"the platform has no {function}")
    size = WIDTH * 4
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    buffer = require_handle(
        kit.cl.clCreateBuffer(kit.context, flags, size, Data(pattern_bytes(size, 1)), OutputBuffer(1))
    )
    source = kit.create_filled_buffer(size, seed=2)
    kit.enqueue("clEnqueueCopyBuffer", src_buffer=source, dst_buffer=buffer, src_offset=0, dst_offset=0, size=size)
    kit.finish()
    described = kit.description(IMAGE_OF_BUFFER, buffer)
    for image in returned_handles(kit.call(function, image_desc=described, flags=kit.constant("CL_MEM_READ_WRITE"))):
        texels.read_region(kit, image)


@cases.declare(CREATE, "on a buffer in two dimensions, read through both", READ, WRITE)
def access_2d_through_buffer(kit: Kit) -> None:
    """Write alternately to a buffer and to a 2D image created from it, and read the result through both objects.

    The rows of the image are packed, or have gaps between them.
    """
    pixels = kit.cl.fact("CL_DEVICE_IMAGE_PITCH_ALIGNMENT") or 0
    skip_unless(pixels and pixels <= 1024, "the device makes no 2D images from buffers")  # noqa: PLR2004 (small images)
    width = pixels * max(1, WIDTH // pixels)
    for gap in (0, pixels):
        size = (width + gap) * 4 * HEIGHT
        buffer = kit.create_filled_buffer(size)
        image = kit.image(TWO_D, source=buffer, image_width=width, image_row_pitch=(width + gap) * 4)
        texels.read_region(kit, image)
        texels.write_region(kit, image, 2, (0, 2, 0), (width, 5, 1))
        kit.read(buffer, 0, size)
        kit.write(buffer, 8, pattern_bytes(16, 3))
        texels.read_region(kit, image)


@cases.declare(CREATE, "on an image, read through both", READ, WRITE)
def access_through_view(kit: Kit) -> None:
    """Write alternately to an image and to an image created from it, and read the result through both images.

    The channel orders of the images differ.
    """
    skip_unless(is_available(kit.cl, "clCreatePipe"), "requires OpenCL 2.0 (images of images)")
    for orders in (("CL_sRGBA", "CL_RGBA"), ("CL_RGBA", "CL_sRGBA"), ("CL_R", "CL_DEPTH"), ("CL_RGBA", "CL_BGRA")):
        channel_type = "CL_FLOAT" if "CL_DEPTH" in orders else "CL_UNORM_INT8"
        image = texels.fill_image(kit, kit.image(TWO_D, (orders[0], channel_type)))
        view = kit.image(TWO_D, (orders[1], channel_type), source=image)
        texels.read_region(kit, view)
        texels.write_region(kit, view, 2, (1, 2, 0), (9, 4, 1))
        texels.read_region(kit, image)


@cases.declare("clEnqueueMigrateMemObjects/success", "images", READ, WRITE)
def migrate_images(kit: Kit) -> None:
    """Migrate images to the host and back with their content, and once with undefined content."""
    images = [
        texels.fill_image(kit, kit.image(image_type), seed) for seed, image_type in enumerate((TWO_D, ARRAY_1D), 1)
    ]
    for flags in (("CL_MIGRATE_MEM_OBJECT_HOST",), ()):
        bits = kit.constant(*flags)
        kit.enqueue("clEnqueueMigrateMemObjects", num_mem_objects=2, mem_objects=ElementList(tuple(images)), flags=bits)
        for image in images:
            texels.read_region(kit, image)
    bits = kit.constant("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED")
    kit.enqueue("clEnqueueMigrateMemObjects", num_mem_objects=1, mem_objects=ElementList((images[0],)), flags=bits)
    texels.write_region(kit, images[0], 3, (1, 1, 0), (4, 2, 1))
    texels.read_region(kit, images[0])


@cases.declare_family
def older_functions() -> Iterator[TableCase]:
    """Yield items for the functions that create images of a single type."""
    for image_type in (TWO_D, THREE_D):
        function = f"clCreateImage{image_type[-2:]}"
        yield cases.create_case(
            f"{function}/success",
            "of the host's texels",
            create_from_host_memory_by_older_function,
            image_type,
            others=(READ,),
        )


def create_from_host_memory_by_older_function(kit: Kit, image_type: str) -> None:
    """Create images from host memory with a function for a single image type, with and without gaps."""
    skip_unless(kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device does not support images")
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_COPY_HOST_PTR")
    for row, slice_ in ((80, 0), (0, 0), (80, 80 * (HEIGHT + 1))):
        sizes = (WIDTH, HEIGHT, row) if image_type == TWO_D else (WIDTH, HEIGHT, DEPTH, row, slice_)
        whole = (WIDTH, HEIGHT, 1 if image_type == TWO_D else DEPTH)
        size = _host_size(image_type, whole, (row, 0 if image_type == TWO_D else slice_))
        given = (kit.context, flags, kit.format(*RGBA8), *sizes, Data(pattern_bytes(size, 4)))
        make = getattr(kit.cl, f"clCreateImage{image_type[-2:]}")
        for handle in returned_handles(make(*given, OutputBuffer(1))):
            texels.read_region(kit, handle)
