"""Image formats that a device lists, by flags and image type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.values import OutputBuffer
from clconform.oracles.model.format_lists import pairs_in
from clconform.suites.steps import at_least, needs, promised

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.oracles.model.format_lists import Pair
    from clconform.suites.kit.kit import Kit

LIST = "clGetSupportedImageFormats"
USES = ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_WRITE", "CL_MEM_KERNEL_READ_AND_WRITE")
FLAT, SPACE = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
SINCE_1_2 = (
    "CL_MEM_OBJECT_IMAGE1D",
    "CL_MEM_OBJECT_IMAGE1D_ARRAY",
    "CL_MEM_OBJECT_IMAGE1D_BUFFER",
    "CL_MEM_OBJECT_IMAGE2D_ARRAY",
)
TYPES = (FLAT, SPACE, *SINCE_1_2)
MOST = 256
"""The maximum number of formats that are queried for one list."""


def uses(kit: Kit) -> tuple[str, ...]:
    """Return the flags that the device under test has format lists for, by its version."""
    return USES if at_least(kit.cl, (2, 0)) else USES[:-1]


def types(kit: Kit) -> tuple[str, ...]:
    """Return the image types that the device under test supports, by its version."""
    return TYPES if promised(kit.cl, "clCreateImage") else TYPES[:2]


def needs_images(kit: Kit) -> None:
    """Skip the item if the device does not support images."""
    needs(kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device does not support images")


def number_of(kit: Kit, context: Handle, flags: int, image_type: int) -> int:
    """Return the number of formats of a context for a use; 0 if it is not returned or exceeds ``MOST``."""
    told = kit.cl.clGetSupportedImageFormats(context, flags, image_type, 0, None, OutputBuffer(1))
    number = told.outputs["num_image_formats"].values[0] if isinstance(told, Returned) and told.value == 0 else 0
    return number if isinstance(number, int) and 0 < number <= MOST else 0


def listed(kit: Kit, context: Handle, flags: int, image_type: int) -> list[Pair]:
    """Return the formats that a context lists for a use, in their order, at most ``MOST``."""
    output_buffer = OutputBuffer(MOST)
    told = kit.cl.clGetSupportedImageFormats(context, flags, image_type, MOST, output_buffer, OutputBuffer(1))
    return pairs_in(told.outputs["image_formats"].values) if isinstance(told, Returned) and told.value == 0 else []


def every_list(kit: Kit) -> dict[tuple[str, str], list[Pair]]:
    """Return the lists of the kit's context by flags and image type; the model knows all of them afterwards."""
    needs_images(kit)
    return {
        (flags, image_type): listed(kit, kit.context, kit.value(flags), kit.value(image_type))
        for flags in uses(kit)
        for image_type in types(kit)
    }
