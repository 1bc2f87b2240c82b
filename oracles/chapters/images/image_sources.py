"""Rules for the memory object that an image is created from: its kind, its size and its format (section 5.3.1.2)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.images.description import (
    OF_A_BUFFER,
    describe_image,
    devices_with_images,
    source_buffer,
)
from clconform.oracles.chapters.images.pitches import PITCH_ALIGNMENT
from clconform.oracles.chapters.images.postconditions import FORMAT_FIELDS
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, evaluate, may, must_if
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.spec_tables.requirements import CompatibleOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.chapters.images.description import RequestedImage
    from clconform.oracles.model.format_lists import FormatPair
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.lookups import TableLookups

IMAGE_2D = "CL_MEM_OBJECT_IMAGE2D"
EXTENSION = "cl_khr_image2d_from_buffer"


def is_2d_on_buffer(call: Call, model: Model) -> bool:
    """Return whether a call creates a 2D image from a buffer."""
    asked = describe_image(call, model)
    return asked.shape.image_type == IMAGE_2D and source_buffer(asked, model) is not None


def supports_images_on_buffers(call: Call, model: Model) -> Iterator[bool | None]:
    """Yield whether each device with image support can create 2D images from buffers; None if not reported.

    From version 2.0 on, CL_DEVICE_IMAGE_PITCH_ALIGNMENT reports the support; before version 2.0,
    cl_khr_image2d_from_buffer does.
    """
    for device in devices_with_images(call, model):
        if device.version < (2, 0):
            yield True if EXTENSION in device.extensions else None
        elif device.number(PITCH_ALIGNMENT):
            yield True
        else:
            yield False if device.version >= (3, 0) else None


def is_source_invalid(call: Call, model: Model) -> PredicateResult:
    """mem_object is not of a kind that image_type allows, or it is an image whose size differs from image_desc."""
    asked = describe_image(call, model)
    if asked.source is None:
        return may("image-buffer-without-buffer") if asked.shape.image_type == OF_A_BUFFER else NO
    valid = is_invalid_object(asked.source, MemoryObject.type, model)
    if valid is not NO:
        return valid
    source = model.find(asked.source)
    if type(source) is MemoryObject:
        raise UnknownFactError("the kind of mem_object")
    if isinstance(source, Buffer):
        return _is_buffer_invalid(asked, call, model)
    return _is_image_invalid(asked, source, call, model) if isinstance(source, Image) else MUST


def find_source_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: mem_object is not of a kind that image_type allows, or is an image of another size.
    """
    if evaluate(is_source_invalid, call, model).is_must:
        asked = describe_image(call, model)
        source = model.find(asked.source)
        flat = isinstance(source, Image) and {source.shape.image_type, asked.shape.image_type} == {IMAGE_2D}
        yield f"mem_object is {'an image of another size' if flat else 'not an object that image_type allows'}"


def _is_buffer_invalid(asked: RequestedImage, call: Call, model: Model) -> PredicateResult:
    if asked.shape.image_type == OF_A_BUFFER:
        return NO
    if asked.shape.image_type != IMAGE_2D:
        return MUST
    return NO if set(supports_images_on_buffers(call, model)) == {True} else may("images-on-buffers-on-some-devices")


def _is_image_invalid(asked: RequestedImage, source: Image, call: Call, model: Model) -> PredicateResult:
    """Return whether the image in mem_object is not a 2D image, or differs from image_desc in size.

    The error is optional if only the row pitch or the number of mip levels differs.
    """
    wanted, there = asked.shape, source.shape
    if wanted.image_type != IMAGE_2D or not there.image_type:
        return MUST if wanted.image_type != IMAGE_2D else may("image-on-an-image")
    if there.image_type != IMAGE_2D or (wanted.width, wanted.height) != (there.width, there.height):
        return MUST
    older = any(device.version < (2, 0) for device in devices_with_images(call, model))
    alike = (wanted.row_pitch, wanted.mip_levels) == (there.row_pitch, there.mip_levels)
    if older or not alike or source.has_memory_object:
        return may("image-on-an-image")
    return may("incompatible-view-format") if _has_incompatible_format(call.image_format, source, model) else NO


def _has_incompatible_format(value: Value, source: Image, model: Model) -> bool:
    """Return whether a format and the format of ``source`` differ in data type or have incompatible channel orders."""
    if not isinstance(value, ElementList):
        return False
    order, channel_type = parse_format_pair(value)
    other = order != source.format.order and (order, source.format.order) not in compatible_orders(model)
    return other or channel_type != source.format.channel_type


def parse_format_pair(value: Value) -> FormatPair:
    """Return the channel order and data type in image_format; raise UnknownFactError if they are missing."""
    numbers = [one for one in value.values if isinstance(one, int)] if isinstance(value, ElementList) else []
    if len(numbers) != len(FORMAT_FIELDS):
        raise UnknownFactError("no format")
    order, channel_type = numbers
    return order, channel_type


def compatible_orders(model: Model) -> frozenset[FormatPair]:
    """Return the compatible pairs of channel orders: the order of a new image, and that of its source image."""
    return _compatible_orders(model.lookups)


@functools.cache
def _compatible_orders(lookups: TableLookups) -> frozenset[FormatPair]:
    values, requirements = lookups.values, lookups.tables.requirements.values()
    return frozenset(
        (values[each.order], values[each.other]) for each in requirements if isinstance(each, CompatibleOrder)
    )


def is_buffer_too_small(call: Call, model: Model) -> PredicateResult:
    """mem_object is a buffer with fewer bytes than the image requires.

    The error is optional for a 2D image whose image_row_pitch is 0.
    """
    asked = describe_image(call, model)
    buffer = source_buffer(asked, model)
    if buffer is None or asked.shape.image_type not in (OF_A_BUFFER, IMAGE_2D):
        return NO
    if buffer.size == 0:
        raise UnknownFactError("the size of mem_object")
    if asked.shape.image_type == OF_A_BUFFER:
        return must_if(asked.shape.width * asked.element > buffer.size)
    if asked.shape.row_pitch == 0:
        tight = asked.shape.width * asked.element * asked.shape.height
        return may("zero-row-pitch-on-buffer") if tight > buffer.size else NO
    return must_if(asked.shape.row_pitch * asked.shape.height > buffer.size)
