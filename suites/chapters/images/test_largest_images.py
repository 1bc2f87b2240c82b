"""Images of the largest sizes that the device reports, in one dimension: creation, and access to the last pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import Data, ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.images import IMAGE_OF_BUFFER, PIXEL_BYTES, RGBA8
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value

NAME = "images.largest"
CREATED, WRITTEN, READ = (f"{each}/success" for each in ("clCreateImage", "clEnqueueWriteImage", "clEnqueueReadImage"))
LARGEST_IMAGE = 1 << 24
"""The number of bytes up to which an image of the largest size is created; a larger limit is not reached."""
FIELDS = ("image_width", "image_height", "image_depth", "image_array_size")


class LargestImage(NamedTuple):
    """An image type with the field of its description that is largest, and the query for the limit.

    ``axis``: the coordinate of the last pixel that the field determines.
    """

    image_type: str
    field: str
    query: str
    axis: int


def _limit(kind: str, extent: str) -> str:
    return f"CL_DEVICE_IMAGE{kind}_MAX_{extent}"


LARGEST_IMAGES = (
    LargestImage("IMAGE1D", "image_width", _limit("2D", "WIDTH"), 0),
    LargestImage("IMAGE1D_BUFFER", "image_width", "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE", 0),
    LargestImage("IMAGE1D_ARRAY", "image_width", _limit("2D", "WIDTH"), 0),
    LargestImage("IMAGE1D_ARRAY", "image_array_size", "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE", 1),
    LargestImage("IMAGE2D", "image_width", _limit("2D", "WIDTH"), 0),
    LargestImage("IMAGE2D", "image_height", _limit("2D", "HEIGHT"), 1),
    LargestImage("IMAGE2D_ARRAY", "image_height", _limit("2D", "HEIGHT"), 1),
    LargestImage("IMAGE2D_ARRAY", "image_array_size", "CL_DEVICE_IMAGE_MAX_ARRAY_SIZE", 2),
    *(
        LargestImage("IMAGE3D", f"image_{extent.lower()}", _limit("3D", extent), axis)
        for axis, extent in enumerate(("WIDTH", "HEIGHT", "DEPTH"))
    ),
)
USED_FIELDS = {
    "IMAGE1D": FIELDS[:1],
    "IMAGE1D_BUFFER": FIELDS[:1],
    "IMAGE1D_ARRAY": (FIELDS[0], FIELDS[3]),
    "IMAGE2D": FIELDS[:2],
    "IMAGE2D_ARRAY": (*FIELDS[:2], FIELDS[3]),
    "IMAGE3D": FIELDS[:3],
}
"""Maps image types to the fields of the description that give their size."""
cases = CaseRegistry(Kit)
test_largest_images_have_contents = TableTest(cases)


@cases.declare_family
def largest_images() -> Iterator[TableCase]:
    """Yield an item for each image type and each field of its description that a limit bounds."""
    for each in LARGEST_IMAGES:
        words = f"{each.image_type}: {each.field} of {each.query}"
        yield cases.create_case(CREATED, words, access_last_pixel, each, others=(WRITTEN, READ))


def access_last_pixel(kit: Kit, largest: LargestImage) -> None:
    """Create an image, and write and read its first and its last pixel."""
    most = kit.cl.fact(largest.query) or 0
    skip_unless(1 < most * PIXEL_BYTES <= LARGEST_IMAGE, f"{largest.query} is {most}")
    image_type = f"CL_MEM_OBJECT_{largest.image_type}"
    used = USED_FIELDS[largest.image_type]
    sizes: dict[str, int] = {field: (most if field == largest.field else 1) if field in used else 0 for field in FIELDS}
    source = kit.buffer(size=most * PIXEL_BYTES) if image_type == IMAGE_OF_BUFFER else None
    image = kit.image(image_type, RGBA8, source=source, flags=("CL_MEM_READ_WRITE",), **sizes)
    last = [0, 0, 0]
    last[largest.axis] = most - 1
    for origin, seed in (((0, 0, 0), 1), (tuple(last), 2)):
        place: dict[str, Value] = {"origin": ElementList(origin), "region": ElementList((1, 1, 1)), "image": image}
        content = Data(pattern_bytes(PIXEL_BYTES, seed))
        kit.enqueue("clEnqueueWriteImage", input_row_pitch=0, input_slice_pitch=0, ptr=content, **place)
    for origin in ((0, 0, 0), tuple(last)):
        place = {"origin": ElementList(origin), "region": ElementList((1, 1, 1)), "image": image}
        kit.enqueue("clEnqueueReadImage", row_pitch=0, slice_pitch=0, ptr=OutputBuffer(PIXEL_BYTES), **place)
