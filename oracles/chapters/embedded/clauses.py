"""Images that a device of the embedded profile may lack (chapter 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.description import IN_3D, described
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Reply
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

EMBEDDED, SPACE = "EMBEDDED_PROFILE", "CL_MEM_OBJECT_IMAGE3D"
CREATING = ("clCreateImage", "clCreateImageWithProperties")


def is_embedded(device: Device) -> bool:
    """Return whether a device says that it is of the embedded profile."""
    return device.facts.get("CL_DEVICE_PROFILE") == EMBEDDED


@rules.generally(
    "OpenCL:opencl-embedded-profile/25",
    "clCreateImage/CL_INVALID_OPERATION/1",
    lambda function: function.name in CREATING,
)
def no_device_has_3d_images(call: Call, model: Model) -> Reply:
    """A 3D image is to be made, and every device of the context is an embedded one whose limits for 3D images are 0."""
    if described(call, model).shape.image_type != SPACE:
        return False
    devices = model.get(Context, call.context).devices
    return bool(devices) and all(
        is_embedded(device) and not any(device.number(query) for query in IN_3D) for device in devices
    )
