"""When a format of an image is refused (sections 5.3.1 and 5.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.image_formats.success import names_of
from clconform.oracles.chapters.image_formats.uses import (
    BOTH,
    EITHER,
    FLAT,
    READ,
    SINCE_1_2,
    TYPES,
    USES,
    WRITE,
    every_use,
)
from clconform.oracles.chapters.images.success import DESCRIPTION
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.gates import applies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.format_lists import is_listed, whole_lists
from clconform.oracles.model.image_formats import PACKED, PLAIN, bits_of
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.scope import scope_of
from clconform.oracles.recurring.flags import flags_not_valid, is_supported
from clconform.spec_tables.records import CompatibleOrder

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.format_lists import Pair
    from clconform.oracles.model.world import Model

rules = Rules()

FLAGS, ORDERS, DATA_TYPES = "cl_mem_flags", "cl_channel_order", "cl_channel_type"
VENDORS = range(0x4000, 0x5000)
"""Values that Khronos hands out to vendors."""
PACKED_ORDERS = {name: ("CL_RGBA",) if name.endswith("_2") else ("CL_RGB", "CL_RGBx") for name in PACKED}
"""Packed data type to the channel orders that it must go with."""
STENCIL_TYPES = ("CL_UNORM_INT24", "CL_FLOAT")
WHOLE_NUMBERS = tuple(name for name, (kind, _) in PLAIN.items() if kind in ("sint", "uint"))
BYTE = 8
EIGHT_BITS = tuple(name for name, (_, bits) in PLAIN.items() if bits == BYTE)
OLDER_PAIRS = {
    **dict.fromkeys(("CL_INTENSITY", "CL_LUMINANCE"), tuple(name for name in PLAIN if name not in WHOLE_NUMBERS)),
    **dict.fromkeys(("CL_ARGB", "CL_BGRA", "CL_ABGR"), EIGHT_BITS),
    "CL_DEPTH": ("CL_UNORM_INT16", "CL_FLOAT"),
    **dict.fromkeys(("CL_sRGB", "CL_sRGBA", "CL_sBGRA", "CL_sRGBx"), ("CL_UNORM_INT8",)),
    "CL_RGBx": (),
}
"""Channel order to the data types beside packed ones that all documents let it go with."""


@rules.clause("clGetSupportedImageFormats/CL_INVALID_VALUE/1")
def not_a_use_or_no_room(call: Call, model: Model) -> Reply:
    """flags or image_type is undefined, flags exclude each other, or image_formats is given with num_entries 0."""
    if call.num_entries == 0 and call.image_formats is not None:
        return Answer.MUST
    kind = model.tables.name_of(call.image_type, "cl_mem_object_type")
    if kind not in TYPES:
        return May("format-of-elsewhere") if call.image_type in VENDORS else Answer.MUST
    reply = _flags_of_a_list(call, model)
    if reply is not Answer.NO:
        return reply
    scope = scope_of(call, model)
    old = not scope.devices or any(device.version < (1, 2) for device in scope.devices)
    return May("format-of-elsewhere") if kind in SINCE_1_2 and old else Answer.NO


def _flags_of_a_list(call: Call, model: Model) -> Reply:
    both = model.value(BOTH)
    others = call.flags & ~both
    reply = flags_not_valid(others, FLAGS, call, model)
    if reply is not Answer.NO:
        return reply
    if call.flags & both and not is_supported(BOTH, FLAGS, call, model):
        return May("flag-of-elsewhere")
    alone = [model.value(name) for name in USES]
    return Answer.NO if call.flags in alone else May("formats-by-allocation")


def format_given(value: Value) -> Pair:
    """Return the format that an argument gives, by value; UnknownError if it gives none."""
    if not isinstance(value, Items) or len(value.values) != len(("order", "type")):
        raise UnknownError("no format")
    order, channel_type = value.values
    if not isinstance(order, int) or not isinstance(channel_type, int):
        raise UnknownError("no format")
    return order, channel_type


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage2D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage3D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
)
def format_not_valid(call: Call, model: Model) -> Reply:
    """image_format is NULL, has an undefined order or type, two that do not go together, or not 2, 4, 8 ... bits."""
    if call.image_format is None:
        return Answer.MUST
    pair = format_given(call.image_format)
    context = model.known(call.context)
    if isinstance(context, Context) and is_listed(pair, context.formats):
        return Answer.NO
    order, channel_type = names_of(pair, model)
    for value, name, group in zip(pair, (order, channel_type), (ORDERS, DATA_TYPES), strict=True):
        if not name:
            return May("format-of-elsewhere") if value in VENDORS else Answer.MUST
        flag = model.tables.records.get(f"{group}:{name}")
        if flag is None or not applies(flag.gates, scope_of(call, model)):
            return May("format-of-elsewhere")
    return _together(order, channel_type)


def _together(order: str, channel_type: str) -> Reply:
    """Return whether a channel order and a data type, both defined, do not go together."""
    if channel_type in PACKED_ORDERS:
        return order not in PACKED_ORDERS[channel_type]
    if order == "CL_DEPTH_STENCIL":
        return channel_type not in STENCIL_TYPES
    bits = bits_of(order, channel_type)
    if bits & (bits - 1):
        return Answer.MUST
    if channel_type == "CL_UNORM_INT24" or channel_type not in OLDER_PAIRS.get(order, (channel_type,)):
        return May("pairs-of-older-documents")
    return Answer.NO


@rules.clause(
    "clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImageWithProperties/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImage2D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImage3D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)
def format_not_supported(call: Call, model: Model) -> Reply:
    """No device of context supports image_format: it is in no list of clGetSupportedImageFormats for context."""
    pair = format_given(call.image_format)
    context = model.context(call.context)
    if is_listed(pair, context.formats):
        own = context.formats.get((_access(call, model), _image_type(call, model)))
        for_this = own is not None and own.formats is not None and pair in own.formats
        return Answer.NO if for_this and not _is_view(call) else May("format-for-another-use")
    lists = whole_lists(context.formats, every_use(context, model)) if context.devices else None
    if lists is None:
        raise UnknownError("the lists of formats")
    return True


def _access(call: Call, model: Model) -> int:
    """Return how kernels may access a new image that is not made of another object."""
    given = call.flags & sum(model.value(name) for name in (READ, WRITE, EITHER))
    return int(given or model.value(EITHER))


def _fields(call: Call) -> dict[str, int | object]:
    """Return the description that a call gives, by its fields' names; UnknownError if it gives none."""
    if not isinstance(call.image_desc, Items) or len(call.image_desc.values) != len(DESCRIPTION):
        raise UnknownError("no description")
    return dict(zip(DESCRIPTION, call.image_desc.values, strict=True))


def _image_type(call: Call, model: Model) -> int:
    if "image_desc" not in call.arguments:
        return model.value("CL_MEM_OBJECT_IMAGE3D" if call.function.endswith("3D") else FLAT)
    kind = _fields(call)["image_type"]
    return kind if isinstance(kind, int) else 0


def _is_view(call: Call) -> bool:
    """Return whether an image is made of another memory object, which may limit its formats further."""
    return "image_desc" in call.arguments and _fields(call)["mem_object"] is not None


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
)
def rows_not_aligned(call: Call, model: Model) -> Reply:
    """A 2D image is made of a buffer, and image_row_pitch is no multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT pixels.

    The largest value of the devices in context that support images counts; or the buffer's host_ptr is not aligned to
    CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT pixels.
    """
    fields = _fields(call)
    source = model.known(fields["mem_object"])
    if fields["image_type"] != model.value(FLAT) or fields["mem_object"] is None:
        return Answer.NO
    if not isinstance(source, Buffer):
        if source is None:
            raise UnknownError("the object that the image is made of")
        return Answer.NO
    pitch, width = fields["image_row_pitch"], fields["image_width"]
    if not isinstance(pitch, int) or not isinstance(width, int):
        raise UnknownError("no numbers")
    element = bits_of(*names_of(format_given(call.image_format), model)) // BYTE
    if not element:
        raise UnknownError("the size of an element")
    devices = [device for device in model.context(call.context).devices if device.number("CL_DEVICE_IMAGE_SUPPORT")]
    pixels = _largest(devices, "CL_DEVICE_IMAGE_PITCH_ALIGNMENT")
    if pitch % (pixels * element):
        return Answer.MUST
    if pitch < width * element:
        return May("pitch-of-an-image-of-a-buffer")
    if source.whole.flags & model.value("CL_MEM_USE_HOST_PTR"):
        raise UnknownError("how the host's memory is aligned")
    return Answer.NO


def _largest(devices: list[Device], query: str) -> int:
    """Return the largest alignment that devices report; UnknownError where none has one."""
    largest = max((device.number(query) for device in devices), default=0)
    if largest < 1:
        raise UnknownError(query)
    return largest


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
)
def not_a_view(call: Call, model: Model) -> Reply:
    """A 2D image is made of a 2D image of another data type, of an incompatible channel order, or of another size."""
    fields = _fields(call)
    source = model.known(fields["mem_object"])
    if fields["image_type"] != model.value(FLAT) or fields["mem_object"] is None or isinstance(source, Buffer):
        return Answer.NO
    if not isinstance(source, Image):
        raise UnknownError("the object that the image is made of")
    if source.shape.image_type != FLAT:
        return May("view-of-an-image")
    order, channel_type = format_given(call.image_format)
    size = (fields["image_width"], fields["image_height"])
    if channel_type != source.format.channel_type or size != (source.shape.width, source.shape.height):
        return Answer.MUST
    if (order, source.format.order) not in compatible_orders(model):
        return May("view-of-an-image") if order == source.format.order else Answer.MUST
    pitches = (fields["image_row_pitch"], fields["image_slice_pitch"])
    as_made = pitches == (source.shape.row_pitch, source.shape.slice_pitch)
    levels = (fields["num_mip_levels"], fields["num_samples"]) == (source.shape.mip_levels, source.shape.samples)
    return Answer.NO if as_made and levels and not source.on_memory_object else May("view-of-an-image")


def compatible_orders(model: Model) -> set[Pair]:
    """Return the pairs of channel orders, of a new image and of the image that it is made of, which go together."""
    records = model.tables.records.values()
    return {(model.value(each.order), model.value(each.other)) for each in records if isinstance(each, CompatibleOrder)}
