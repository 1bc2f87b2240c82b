"""Error conditions of image formats (sections 5.3.1 and 5.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.image_formats.success import names_of
from clconform.oracles.chapters.image_formats.uses import (
    BOTH,
    EITHER,
    FLAT,
    OF_A_BUFFER,
    READ,
    SINCE_1_2,
    TYPES,
    USES,
    WRITE,
    every_use,
)
from clconform.oracles.chapters.images.description import described
from clconform.oracles.chapters.images.pitches import (
    base_misaligned,
    row_pitch_misaligned,
    row_pitch_of_broken_elements,
    row_pitch_too_small,
)
from clconform.oracles.chapters.images.sources import (
    buffer_not_large_enough,
    compatible_orders,
    format_given,
    is_2d_on_a_buffer,
    source_not_valid,
)
from clconform.oracles.engine.answers import Answer, May, Reply, settle
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
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

FLAGS, ORDERS, DATA_TYPES = "cl_mem_flags", "cl_channel_order", "cl_channel_type"
VENDORS = range(0x4000, 0x5000)
"""Enum values that Khronos assigns to vendors."""
PACKED_ORDERS = {name: ("CL_RGBA",) if name.endswith("_2") else ("CL_RGB", "CL_RGBx") for name in PACKED}
"""Packed data type to the channel orders that it requires."""
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
"""Channel order to the unpacked data types that all versions of the document allow with it."""


@rules.clause("clGetSupportedImageFormats/CL_INVALID_VALUE/1")
def not_a_use_or_no_room(call: Call, model: Model) -> Reply:
    """flags or image_type is undefined, flags exclude each other, or num_entries is 0 with image_formats not NULL."""
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


@rules.part("clGetSupportedImageFormats/CL_INVALID_VALUE/2")
def not_a_use(call: Call, model: Model) -> Reply:
    """flags is undefined, or flags exclude each other."""
    return _flags_of_a_list(call, model)


@rules.part("clGetSupportedImageFormats/CL_INVALID_VALUE/3")
def not_a_type_of_image(call: Call, model: Model) -> Reply:
    """image_type is undefined."""
    return model.tables.name_of(call.image_type, "cl_mem_object_type") not in TYPES


@rules.part("clGetSupportedImageFormats/CL_INVALID_VALUE/4")
def no_room(call: Call, model: Model) -> Reply:
    """num_entries is 0, and image_formats is not NULL."""
    del model
    return call.num_entries == 0 and call.image_formats is not None


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


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage2D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage3D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
)
def format_not_valid(call: Call, model: Model) -> Reply:
    """image_format is NULL, or its channel order and data type are undefined, incompatible or of an invalid size.

    The size of an element must be a power of two in bits.
    """
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
    """Return whether a channel order and a data type, both defined, are incompatible."""
    if channel_type in PACKED_ORDERS:
        return order not in PACKED_ORDERS[channel_type]
    if order == "CL_DEPTH_STENCIL":
        return channel_type not in STENCIL_TYPES
    bits = bits_of(order, channel_type)
    if bits.bit_count() > 1:
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
    """image_format is in no list that clGetSupportedImageFormats returns for context."""
    pair = format_given(call.image_format)
    context = model.context(call.context)
    if is_listed(pair, context.formats):
        asked = described(call, model)
        kind = asked.shape.image_type
        own = context.formats.get((_access(call, model), model.value(kind))) if kind else None
        for_this = own is not None and own.formats is not None and pair in own.formats
        alone = asked.source is None or asked.shape.image_type == OF_A_BUFFER
        return Answer.NO if for_this and alone else May("format-for-another-use")
    lists = whole_lists(context.formats, every_use(context, model)) if context.devices else None
    if lists is None:
        raise UnknownError("the lists of formats")
    return True


def _access(call: Call, model: Model) -> int:
    """Return the kernel access flags of a new image that is not created from another object."""
    given = call.flags & sum(model.value(name) for name in (READ, WRITE, EITHER))
    return int(given or model.value(EITHER))


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
)
def rows_not_aligned(call: Call, model: Model) -> Reply:
    """The image is a 2D image on a buffer, and image_row_pitch or the buffer's address is not valid for it.

    image_row_pitch is less than image_width elements, or not a multiple of the element size or of
    CL_DEVICE_IMAGE_PITCH_ALIGNMENT; or the buffer's host_ptr is not a multiple of
    CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT. The largest value of the devices of context with image support counts. The
    error is also allowed if the buffer is too small.
    """
    if not is_2d_on_a_buffer(call, model):
        return Answer.NO
    parts = (row_pitch_too_small, row_pitch_of_broken_elements, row_pitch_misaligned, base_misaligned)
    reply = gravest(settle(part, call, model) for part in parts)
    if reply is Answer.NO and settle(buffer_not_large_enough, call, model) is not Answer.NO:
        return May("buffer-too-small-for-an-image")
    return reply


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
)
def not_a_view(call: Call, model: Model) -> Reply:
    """image_desc describes a 2D image on a 2D image of another data type, incompatible channel order or other size."""
    asked = described(call, model)
    source = model.known(asked.source)
    if asked.shape.image_type != FLAT or asked.source is None or isinstance(source, Buffer):
        return Answer.NO
    if not isinstance(source, Image):
        raise UnknownError("the object that the image is made of")
    if source.shape.image_type != FLAT:
        raise UnknownError("an image on an image that is not 2D")
    order, channel_type = format_given(call.image_format)
    if channel_type != source.format.channel_type:
        return Answer.MUST
    if (order, source.format.order) not in compatible_orders(model):
        return May("view-in-the-same-order") if order == source.format.order else Answer.MUST
    return settle(source_not_valid, call, model)
