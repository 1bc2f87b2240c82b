"""Error conditions of image formats (sections 5.3.1 and 5.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.image_formats.postconditions import names_of
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
    supported_uses,
)
from clconform.oracles.chapters.images.description import describe_image
from clconform.oracles.chapters.images.image_sources import (
    compatible_orders,
    is_2d_on_buffer,
    is_buffer_too_small,
    is_source_invalid,
    parse_format_pair,
)
from clconform.oracles.chapters.images.pitches import (
    BASE_ALIGNMENT,
    ROW_PITCH_RULES,
    has_misaligned_base,
)
from clconform.oracles.common.flags import are_flags_invalid, find_flag_violations, is_flag_supported
from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    Predicate,
    PredicateResult,
    evaluate,
    find_held,
    may,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.format_lists import is_listed, known_formats
from clconform.oracles.model.image_formats import PACKED, UNPACKED, element_bits
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

ROW_OR_BASE_RULES: dict[Predicate, str] = {
    **ROW_PITCH_RULES,
    has_misaligned_base: f"the address of mem_object is not a multiple of {BASE_ALIGNMENT}",
}
"""Maps predicates for violations of the alignment of a 2D image on a buffer to texts of the violations."""
FLAGS, ORDERS, DATA_TYPES = "cl_mem_flags", "cl_channel_order", "cl_channel_type"
VENDORS = range(0x4000, 0x5000)
"""Enum values that Khronos assigns to vendors."""
PACKED_ORDERS = {name: ("CL_RGBA",) if name.endswith("_2") else ("CL_RGB", "CL_RGBx") for name in PACKED}
"""Maps a packed data type to the channel orders that it requires."""
STENCIL_TYPES = ("CL_UNORM_INT24", "CL_FLOAT")
WHOLE_NUMBERS = tuple(name for name, (kind, _) in UNPACKED.items() if kind in ("sint", "uint"))
BYTE = 8
EIGHT_BITS = tuple(name for name, (_, bits) in UNPACKED.items() if bits == BYTE)
OLDER_PAIRS = {
    **dict.fromkeys(("CL_INTENSITY", "CL_LUMINANCE"), tuple(name for name in UNPACKED if name not in WHOLE_NUMBERS)),
    **dict.fromkeys(("CL_ARGB", "CL_BGRA", "CL_ABGR"), EIGHT_BITS),
    "CL_DEPTH": ("CL_UNORM_INT16", "CL_FLOAT"),
    **dict.fromkeys(("CL_sRGB", "CL_sRGBA", "CL_sBGRA", "CL_sRGBx"), ("CL_UNORM_INT8",)),
    "CL_RGBx": (),
}
"""Maps a channel order to the unpacked data types that all versions of the document allow with the order."""


@rules.clause("clGetSupportedImageFormats/CL_INVALID_VALUE/1")
def is_list_query_invalid(call: Call, model: Model) -> PredicateResult:
    """flags or image_type is not valid, or num_entries is 0 and image_formats is not NULL.

    flags is not valid if it contains an undefined flag or two flags that exclude each other. image_type is not valid if
    it is not an image type.
    """
    if call.num_entries == 0 and call.image_formats is not None:
        return MUST
    kind = model.tables.name_of(call.image_type, "cl_mem_object_type")
    if kind not in TYPES:
        return may("undefined-or-vendor-format") if call.image_type in VENDORS else MUST
    reply = _check_list_flags(call, model)
    if reply is not NO:
        return reply
    scope = scope_of(call, model)
    old = not scope.devices or any(device.version < (1, 2) for device in scope.devices)
    return may("undefined-or-vendor-format") if kind in SINCE_1_2 and old else NO


@rules.alternatives_of("clGetSupportedImageFormats/CL_INVALID_VALUE/1")
def find_list_query_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: flags or image_type is not valid, or image_formats is passed without a capacity.
    """
    yield from find_flag_violations("flags", call.flags & ~model.constant_value(BOTH), FLAGS, call, model)
    if is_image_type_undefined(call, model).is_must and call.image_type not in VENDORS:
        yield "image_type is not an image type"
    if is_num_entries_zero(call, model).is_must:
        yield "num_entries is 0 and image_formats is not NULL"


def is_list_use_invalid(call: Call, model: Model) -> PredicateResult:
    """flags contains an undefined flag, or two flags that exclude each other."""
    return _check_list_flags(call, model)


def is_image_type_undefined(call: Call, model: Model) -> PredicateResult:
    """image_type is not an image type."""
    return must_if(model.tables.name_of(call.image_type, "cl_mem_object_type") not in TYPES)


def is_num_entries_zero(call: Call, model: Model) -> PredicateResult:
    """num_entries is 0, and image_formats is not NULL."""
    del model
    return must_if(call.num_entries == 0 and call.image_formats is not None)


def _check_list_flags(call: Call, model: Model) -> PredicateResult:
    both = model.constant_value(BOTH)
    others = call.flags & ~both
    reply = are_flags_invalid(others, FLAGS, call, model)
    if reply is not NO:
        return reply
    if call.flags & both and not is_flag_supported(BOTH, FLAGS, call, model):
        return may("flag-defined-elsewhere")
    alone = [model.constant_value(name) for name in USES]
    return NO if call.flags in alone else may("format-list-flags")


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage2D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage3D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
)
def is_format_invalid(call: Call, model: Model) -> PredicateResult:
    """image_format is NULL, its channel order or data type is undefined, or both are incompatible.

    A channel order and a data type are incompatible if a packed data type excludes the channel order, if
    CL_DEPTH_STENCIL has a data type other than CL_UNORM_INT24 and CL_FLOAT, or if the size of an element in bits is not
    a power of two.
    """
    if call.image_format is None:
        return MUST
    pair = parse_format_pair(call.image_format)
    context = model.find(call.context)
    if isinstance(context, Context) and is_listed(pair, context.formats):
        return NO
    order, channel_type = names_of(pair, model)
    for value, name, group in zip(pair, (order, channel_type), (ORDERS, DATA_TYPES), strict=True):
        if not name:
            return may("undefined-or-vendor-format") if value in VENDORS else MUST
        flag = model.tables.requirements.get(f"{group}:{name}")
        if flag is None or not applies(flag.applicability, scope_of(call, model)):
            return may("undefined-or-vendor-format")
    return _are_incompatible(order, channel_type)


@rules.alternatives_of(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage2D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage3D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
)
def find_format_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: image_format is NULL, its order or type is undefined, or both are incompatible.
    """
    if call.image_format is None:
        yield "image_format is NULL"
        return
    pair = parse_format_pair(call.image_format)
    names, fields = names_of(pair, model), ("image_channel_order", "image_channel_data_type")
    undefined = [
        field for field, name, value in zip(fields, names, pair, strict=True) if not name and value not in VENDORS
    ]
    yield from (f"{field} is undefined" for field in undefined)
    if not undefined:
        yield _find_incompatibility(*names)


def _are_incompatible(order: str, channel_type: str) -> PredicateResult:
    """Return whether a defined channel order and a defined data type cannot be combined."""
    if _find_incompatibility(order, channel_type):
        return MUST
    if channel_type in PACKED_ORDERS or order == "CL_DEPTH_STENCIL":
        return NO
    if channel_type == "CL_UNORM_INT24" or channel_type not in OLDER_PAIRS.get(order, (channel_type,)):
        return may("pairs-of-older-documents")
    return NO


def _find_incompatibility(order: str, channel_type: str) -> str:
    """Return the reason why a channel order and a data type certainly cannot be combined, or an empty string."""
    if channel_type in PACKED_ORDERS:
        return "" if order in PACKED_ORDERS[channel_type] else f"{channel_type} excludes {order}"
    if order == "CL_DEPTH_STENCIL":
        return "" if channel_type in STENCIL_TYPES else f"{order} excludes {channel_type}"
    bits = element_bits(order, channel_type)
    return (
        f"an element of {order} and {channel_type} has {bits} bits, not a power of two" if bits.bit_count() > 1 else ""
    )


@rules.clause(
    "clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImageWithProperties/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImage2D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImage3D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)
def is_format_unsupported(call: Call, model: Model) -> PredicateResult:
    """clGetSupportedImageFormats does not list image_format for context with any flags and image type."""
    pair = parse_format_pair(call.image_format)
    context = model.context(call.context)
    if is_listed(pair, context.formats):
        asked = describe_image(call, model)
        kind = asked.shape.image_type
        own = context.formats.get((_kernel_access_of(call, model), model.constant_value(kind))) if kind else None
        for_this = own is not None and own.formats is not None and pair in own.formats
        alone = asked.source is None or asked.shape.image_type == OF_A_BUFFER
        return NO if for_this and alone else may("format-for-another-use")
    lists = known_formats(context.formats, supported_uses(context, model)) if context.devices else None
    if lists is None:
        raise UnknownFactError("the lists of formats")
    return MUST


def _kernel_access_of(call: Call, model: Model) -> int:
    """Return the kernel access flags that a call passes, or CL_MEM_READ_WRITE if it does not pass any."""
    given = call.flags & sum(model.constant_value(name) for name in (READ, WRITE, EITHER))
    return int(given or model.constant_value(EITHER))


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
)
def is_row_or_base_misaligned(call: Call, model: Model) -> PredicateResult:
    """image_desc describes a 2D image created from a buffer, and image_row_pitch or the buffer address is not valid.

    image_row_pitch is not valid if it is less than image_width elements, or not a multiple of the element size or of
    CL_DEVICE_IMAGE_PITCH_ALIGNMENT. The address is not valid if host_ptr of the buffer is not a multiple of
    CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT. Of the devices of context with image support, the one with the largest
    alignment determines the result. The error is optional if the buffer is too small.
    """
    if not is_2d_on_buffer(call, model):
        return NO
    reply = strongest_result(evaluate(part, call, model) for part in ROW_OR_BASE_RULES)
    if reply is NO and evaluate(is_buffer_too_small, call, model) is not NO:
        return may("buffer-too-small-for-an-image")
    return reply


@rules.alternatives_of(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
)
def find_row_or_base_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: image_row_pitch is too small or misaligned, or the address of the buffer is misaligned.
    """
    return find_held(ROW_OR_BASE_RULES, call, model)


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
)
def is_view_incompatible(call: Call, model: Model) -> PredicateResult:
    """image_desc describes a 2D image created from a 2D image, and both differ in size or have incompatible formats.

    The formats are incompatible if the data types differ, or if the document does not list the pair of channel orders
    as compatible.
    """
    asked = describe_image(call, model)
    source = model.find(asked.source)
    if asked.shape.image_type != FLAT or asked.source is None or isinstance(source, Buffer):
        return NO
    if not isinstance(source, Image):
        raise UnknownFactError("the object that the image is made of")
    if source.shape.image_type != FLAT:
        raise UnknownFactError("an image on an image that is not 2D")
    order, channel_type = parse_format_pair(call.image_format)
    if channel_type != source.format.channel_type:
        return MUST
    if (order, source.format.order) not in compatible_orders(model):
        return may("view-with-equal-channel-order") if order == source.format.order else MUST
    return evaluate(is_source_invalid, call, model)


@rules.alternatives_of(
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
)
def find_view_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: the data types, the channel orders or the sizes of the image and of mem_object do not match.
    """
    source = model.get(Image, describe_image(call, model).source)
    order, channel_type = parse_format_pair(call.image_format)
    found = []
    if channel_type != source.format.channel_type:
        found.append("the data types of image_format and mem_object differ")
    if order != source.format.order and (order, source.format.order) not in compatible_orders(model):
        found.append("the channel orders of image_format and mem_object are not listed as compatible")
    yield from found or ["the sizes in image_desc and of mem_object differ"]
