"""One valid call of each function that creates images (section 5.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.kit.formats import IMAGE_2D, IMAGE_3D, list_formats
from clconform.suites.kit.images import DEPTH, HEIGHT, RGBA8, WIDTH
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

OLDER_SIZES = {"image_width": WIDTH, "image_height": HEIGHT, "image_row_pitch": 0}
"""Common arguments of the functions that create images before OpenCL 1.2."""
valid_calls = ValidCalls()


@valid_calls.declare("clCreateImage", "clCreateImageWithProperties")
def image(kit: Kit) -> Arguments:
    """Create a 2D image."""
    return {**_common_arguments(kit, IMAGE_2D), "image_desc": kit.description(IMAGE_2D)}


@valid_calls.declare("clCreateImage2D")
def image_2d(kit: Kit) -> Arguments:
    """Create a 2D image with clCreateImage2D."""
    return {**_common_arguments(kit, IMAGE_2D), **OLDER_SIZES}


@valid_calls.declare("clCreateImage3D")
def image_3d(kit: Kit) -> Arguments:
    """Create a 3D image with clCreateImage3D."""
    return {**_common_arguments(kit, IMAGE_3D), **OLDER_SIZES, "image_depth": DEPTH, "image_slice_pitch": 0}


def _common_arguments(kit: Kit, image_type: str) -> Arguments:
    """Return the arguments that all image types need, after a query of the format lists.

    Without these lists, the judge cannot report the rejection of a format as a deviation.
    """
    flags = kit.constant("CL_MEM_READ_WRITE")
    kit.get_cached(("formats", image_type), lambda: list_formats(kit, kit.context, flags, kit.constant(image_type)))
    return {"context": kit.context, "flags": flags, "image_format": kit.format(*RGBA8), "host_ptr": None}
