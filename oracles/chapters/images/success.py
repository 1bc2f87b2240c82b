"""Postconditions of image creation (section 5.3.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.image_contents.stored import keep_texels
from clconform.oracles.chapters.memory_objects.making import host_memory_of, inherited, told_flags, told_of_a_part
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.image_formats import layout_of
from clconform.oracles.model.images import Image, ImageFormat, ImageShape
from clconform.oracles.model.memory_objects import HostMemory, MemoryObject
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Promise
    from clconform.oracles.model.world import Model

rules = Rules()
rules.by_reading("flags-of-an-image-on-memory", "CL_MEM_FLAGS")

DESCRIPTION = (
    "image_type",
    "image_width",
    "image_height",
    "image_depth",
    "image_array_size",
    "image_row_pitch",
    "image_slice_pitch",
    "num_mip_levels",
    "num_samples",
    "mem_object",
)
"""The fields of an image descriptor, in order."""
ORDER_AND_TYPE = ("image_channel_order", "image_channel_data_type")
"""The fields of an image format, in order."""


@rules.success("clCreateImage", "clCreateImageWithProperties")
def image_made(call: Call, model: Model) -> Promise:
    """The call creates a new image with the given format and description."""
    if not isinstance(call.image_format, Items) or not isinstance(call.image_desc, Items):
        raise UnknownError("image")
    fields = dict(zip(DESCRIPTION, call.image_desc.values, strict=True))
    numbers = {name: value for name, value in fields.items() if isinstance(value, int)}
    image = _image(call, call.image_format, numbers, model)
    source = model.known(fields["mem_object"])
    image.on_memory_object = source is not None or "mem_object" in numbers
    if isinstance(source, MemoryObject):
        image.source, image.flags = source, inherited(call.flags, source.flags, model)
        told = told_of_a_part(call.flags, source, model)
        image.told_flags = (call.flags, *(each for each in told if each != call.flags)) if told is not None else None
        image.host = replace(image.host or HostMemory(), address=None)
    keep_texels(image, call, model)
    return made(image, call, model)


@rules.success("clCreateImage2D", "clCreateImage3D")
def older_image_made(call: Call, model: Model) -> Promise:
    """The call creates a new 2D or 3D image with the given format, size and pitches."""
    if not isinstance(call.image_format, Items):
        raise UnknownError("image")
    kind = "CL_MEM_OBJECT_IMAGE3D" if call.function.endswith("3D") else "CL_MEM_OBJECT_IMAGE2D"
    numbers = {name: value for name, value in call.arguments.items() if isinstance(value, int)}
    image = _image(call, call.image_format, {**numbers, "image_type": model.value(kind)}, model)
    keep_texels(image, call, model)
    return made(image, call, model)


def _image(call: Call, channels: Items, fields: Mapping[str, int], model: Model) -> Image:
    shape = ImageShape(
        image_type=model.tables.name_of(fields["image_type"], "cl_mem_object_type") or "",
        width=fields.get("image_width", 0),
        height=fields.get("image_height", 0),
        depth=fields.get("image_depth", 0),
        array_size=fields.get("image_array_size", 0),
        row_pitch=fields.get("image_row_pitch", 0),
        slice_pitch=fields.get("image_slice_pitch", 0),
        mip_levels=fields.get("num_mip_levels", 0),
        samples=fields.get("num_samples", 0),
    )
    return Image(
        context=model.context(call.context),
        flags=call.flags,
        told_flags=told_flags(call.flags, model),
        host=host_memory_of(call, model),
        properties=call.arguments.get("properties"),
        maker=call.function,
        format=format_of(channels, model),
        shape=shape,
    )


def format_of(channels: Items, model: Model) -> ImageFormat:
    """Return the image format that a call passes; raises UnknownError if its fields are incomplete."""
    if len(channels.values) != len(ORDER_AND_TYPE):
        raise UnknownError("image_format")
    order, channel_type = (one if isinstance(one, int) else 0 for one in channels.values)
    layout = layout_of(
        model.tables.name_of(order, "cl_channel_order") or "",
        model.tables.name_of(channel_type, "cl_channel_type") or "",
    )
    return ImageFormat(order, channel_type, layout)
