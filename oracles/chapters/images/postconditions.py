"""Postconditions of image creation (section 5.3.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.image_contents.backing_store import attach_backing_store
from clconform.oracles.chapters.memory_objects.creation import (
    host_memory_of,
    inherit_flags,
    query_flags,
    query_flags_of_child,
)
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.image_formats import texel_layout
from clconform.oracles.model.images import Image, ImageDescription, ImageFormat
from clconform.oracles.model.memory_objects import BackingHostMemory, MemoryObject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Postcondition
    from clconform.oracles.model.state import Model

rules = Rules()
rules.uses_interpretation("flags-of-an-image-on-memory", "CL_MEM_FLAGS")

DESCRIPTOR_FIELDS = (
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
FORMAT_FIELDS = ("image_channel_order", "image_channel_data_type")
"""The fields of an image format, in order."""


@rules.postcondition("clCreateImage", "clCreateImageWithProperties")
def expect_image(call: Call, model: Model) -> Postcondition:
    """The call creates a new image with the format image_format and the description image_desc."""
    if not isinstance(call.image_format, ElementList) or not isinstance(call.image_desc, ElementList):
        raise UnknownFactError("image")
    fields = dict(zip(DESCRIPTOR_FIELDS, call.image_desc.values, strict=True))
    numbers = {name: value for name, value in fields.items() if isinstance(value, int)}
    image = _create_image(call, call.image_format, numbers, model)
    source = model.find(fields["mem_object"])
    image.has_memory_object = source is not None or "mem_object" in numbers
    if isinstance(source, MemoryObject):
        image.source, image.flags = source, inherit_flags(call.flags, source.flags, model)
        told = query_flags_of_child(call.flags, source, model)
        image.reportable_flags = (
            (call.flags, *(each for each in told if each != call.flags)) if told is not None else None
        )
        image.host = replace(image.host or BackingHostMemory(), address=None)
    attach_backing_store(image, call, model)
    return create_postcondition(image, call, model)


@rules.postcondition("clCreateImage2D", "clCreateImage3D")
def expect_legacy_image(call: Call, model: Model) -> Postcondition:
    """The call creates a new 2D or 3D image with the format image_format and the passed size and pitches."""
    if not isinstance(call.image_format, ElementList):
        raise UnknownFactError("image")
    kind = "CL_MEM_OBJECT_IMAGE3D" if call.function.endswith("3D") else "CL_MEM_OBJECT_IMAGE2D"
    numbers = {name: value for name, value in call.arguments.items() if isinstance(value, int)}
    image = _create_image(call, call.image_format, {**numbers, "image_type": model.constant_value(kind)}, model)
    attach_backing_store(image, call, model)
    return create_postcondition(image, call, model)


def _create_image(call: Call, channels: ElementList, fields: Mapping[str, int], model: Model) -> Image:
    shape = ImageDescription(
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
        reportable_flags=query_flags(call.flags, model),
        host=host_memory_of(call, model),
        properties=call.arguments.get("properties"),
        created_by=call.function,
        format=parse_format(channels, model),
        shape=shape,
    )


def parse_format(channels: ElementList, model: Model) -> ImageFormat:
    """Return the image format that a call passes; raise UnknownFactError if image_format lacks a field."""
    if len(channels.values) != len(FORMAT_FIELDS):
        raise UnknownFactError("image_format")
    order, channel_type = (one if isinstance(one, int) else 0 for one in channels.values)
    layout = texel_layout(
        model.tables.name_of(order, "cl_channel_order") or "",
        model.tables.name_of(channel_type, "cl_channel_type") or "",
    )
    return ImageFormat(order, channel_type, layout)
