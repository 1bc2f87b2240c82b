"""A valid call of the function that lists image formats (section 5.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.suites.kit.formats import skip_without_images
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clGetSupportedImageFormats")
def list_2d_formats(kit: Kit) -> Arguments:
    """Query the number of formats of read-only 2D images."""
    skip_without_images(kit)
    return {
        "context": kit.context,
        "flags": kit.constant("CL_MEM_READ_ONLY"),
        "image_type": kit.constant("CL_MEM_OBJECT_IMAGE2D"),
        "num_entries": 0,
        "image_formats": None,
        "num_image_formats": OutputBuffer(1),
    }
