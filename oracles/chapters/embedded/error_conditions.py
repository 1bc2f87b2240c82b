"""Error conditions of images that a device of the embedded profile may not support (chapter 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.description import QUERIES_3D, describe_image
from clconform.oracles.engine.predicate_result import NO, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

EMBEDDED, IMAGE_3D = "EMBEDDED_PROFILE", "CL_MEM_OBJECT_IMAGE3D"
CREATORS = ("clCreateImage", "clCreateImageWithProperties")


def is_embedded(device: Device) -> bool:
    """Return whether a device reports the embedded profile."""
    return device.facts.get("CL_DEVICE_PROFILE") == EMBEDDED


@rules.general_condition(
    "OpenCL:opencl-embedded-profile/25",
    "clCreateImage/CL_INVALID_OPERATION/1",
    lambda function: function.name in CREATORS,
)
def lacks_3d_images(call: Call, model: Model) -> PredicateResult:
    """The image is 3D, and all devices of context have the embedded profile and limits of 0 for 3D images.

    The limits are CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT and CL_DEVICE_IMAGE3D_MAX_DEPTH.
    """
    if describe_image(call, model).shape.image_type != IMAGE_3D:
        return NO
    devices = model.get(Context, call.context).devices
    return must_if(
        bool(devices)
        and all(is_embedded(device) and not any(device.number(query) for query in QUERIES_3D) for device in devices)
    )
