"""The image formats that a device lists, by flags and image type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.values import OutputBuffer
from clconform.oracles.model.format_lists import parse_pairs
from clconform.suites.helpers import has_version, is_available, skip_unless

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.oracles.model.format_lists import FormatPair
    from clconform.suites.kit.kit import Kit

LIST_FUNCTION = "clGetSupportedImageFormats"
USES = ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_WRITE", "CL_MEM_KERNEL_READ_AND_WRITE")
IMAGE_2D, IMAGE_3D = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
TYPES_SINCE_1_2 = (
    "CL_MEM_OBJECT_IMAGE1D",
    "CL_MEM_OBJECT_IMAGE1D_ARRAY",
    "CL_MEM_OBJECT_IMAGE1D_BUFFER",
    "CL_MEM_OBJECT_IMAGE2D_ARRAY",
)
TYPES = (IMAGE_2D, IMAGE_3D, *TYPES_SINCE_1_2)
MAX_FORMATS = 256
"""The maximum number of formats that are queried for one list."""


def supported_uses(kit: Kit) -> tuple[str, ...]:
    """Return the flags for which the device under test has format lists, according to its version."""
    return USES if has_version(kit.cl, (2, 0)) else USES[:-1]


def supported_types(kit: Kit) -> tuple[str, ...]:
    """Return the image types that the device under test supports, according to its version."""
    return TYPES if is_available(kit.cl, "clCreateImage") else TYPES[:2]


def skip_without_images(kit: Kit) -> None:
    """Skip the item if the device does not support images."""
    skip_unless(kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device does not support images")


def count_formats(kit: Kit, context: Handle, flags: int, image_type: int) -> int:
    """Return the number of formats that a context lists for these flags and this image type.

    The result is 0 if the number is not returned or exceeds ``MAX_FORMATS``.
    """
    told = kit.cl.clGetSupportedImageFormats(context, flags, image_type, 0, None, OutputBuffer(1))
    number = told.outputs["num_image_formats"].values[0] if isinstance(told, Returned) and told.value == 0 else 0
    return number if isinstance(number, int) and 0 < number <= MAX_FORMATS else 0


def list_formats(kit: Kit, context: Handle, flags: int, image_type: int) -> list[FormatPair]:
    """Return the formats that a context lists for these flags and this image type, at most ``MAX_FORMATS``."""
    output_buffer = OutputBuffer(MAX_FORMATS)
    told = kit.cl.clGetSupportedImageFormats(context, flags, image_type, MAX_FORMATS, output_buffer, OutputBuffer(1))
    return parse_pairs(told.outputs["image_formats"].values) if isinstance(told, Returned) and told.value == 0 else []


def query_all_lists(kit: Kit) -> dict[tuple[str, str], list[FormatPair]]:
    """Map flags with an image type to the formats that the kit's context lists for them.

    Afterwards, the model knows these lists.
    """
    skip_without_images(kit)
    return {
        (flags, image_type): list_formats(kit, kit.context, kit.constant(flags), kit.constant(image_type))
        for flags in supported_uses(kit)
        for image_type in supported_types(kit)
    }
