"""One valid call of each function that reads, writes, copies, fills or maps images (section 5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, OutputBuffer
from clconform.suites.kit.images import HEIGHT, PIXELS, WIDTH
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

START = ElementList((0, 0, 0))
WHOLE = ElementList((WIDTH, HEIGHT, 1))
COLOR = Data(bytes(16))
"""A colour of four 4-byte channels of any type."""
valid_calls = ValidCalls()


def _whole_image(kit: Kit) -> Arguments:
    """Return the arguments that select a queue and the whole of a 2D image, which is created once."""
    return {
        "command_queue": kit.queue,
        "image": kit.get_cached("image", kit.image),
        "origin": START,
        "region": WHOLE,
    }


def _image_pair(kit: Kit) -> Arguments:
    return {"src_image": kit.get_cached("image", kit.image), "dst_image": kit.get_cached("another image", kit.image)}


@valid_calls.declare("clEnqueueReadImage")
def read(kit: Kit) -> Arguments:
    """Read a whole image into host memory without gaps between rows."""
    return {**_whole_image(kit), "row_pitch": 0, "slice_pitch": 0, "ptr": OutputBuffer(len(PIXELS.content))}


@valid_calls.declare("clEnqueueWriteImage")
def write(kit: Kit) -> Arguments:
    """Write a whole image from host memory without gaps between rows."""
    return {**_whole_image(kit), "input_row_pitch": 0, "input_slice_pitch": 0, "ptr": PIXELS}


@valid_calls.declare("clEnqueueFillImage")
def fill(kit: Kit) -> Arguments:
    """Fill a whole image with a colour."""
    return {**_whole_image(kit), "fill_color": COLOR}


@valid_calls.declare("clEnqueueMapImage")
def map_all(kit: Kit) -> Arguments:
    """Map a whole image for reading."""
    pitches: Arguments = {"image_row_pitch": OutputBuffer(1), "image_slice_pitch": OutputBuffer(1)}
    return {**_whole_image(kit), "map_flags": kit.constant("CL_MAP_READ"), **pitches}


@valid_calls.declare("clEnqueueCopyImage")
def copy(kit: Kit) -> Arguments:
    """Copy a whole image into another."""
    where: Arguments = {"src_origin": START, "dst_origin": START, "region": WHOLE}
    return {"command_queue": kit.queue, **_image_pair(kit), **where}


@valid_calls.declare("clEnqueueCopyImageToBuffer")
def copy_to_a_buffer(kit: Kit) -> Arguments:
    """Copy a whole image into a buffer."""
    where: Arguments = {"src_origin": START, "region": WHOLE, "dst_offset": 0}
    return {"command_queue": kit.queue, **_image_pair(kit), "dst_buffer": kit.first_buffer, **where}


@valid_calls.declare("clEnqueueCopyBufferToImage")
def copy_from_a_buffer(kit: Kit) -> Arguments:
    """Copy a buffer into a whole image."""
    where: Arguments = {"src_offset": 0, "dst_origin": START, "region": WHOLE}
    return {"command_queue": kit.queue, **_image_pair(kit), "src_buffer": kit.first_buffer, **where}
