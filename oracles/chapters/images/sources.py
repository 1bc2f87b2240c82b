"""The memory object that an image is created on: its kind, its size, its likeness to the image (section 5.3.1.2)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.chapters.images.description import OF_A_BUFFER, buffer_of, described, devices_with_images
from clconform.oracles.chapters.images.pitches import PITCH_ALIGNMENT
from clconform.oracles.chapters.images.success import ORDER_AND_TYPE
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.recurring.objects import valid_object
from clconform.spec_tables.records import CompatibleOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.chapters.images.description import Description
    from clconform.oracles.model.format_lists import Pair
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.lookups import Lookups

FLAT = "CL_MEM_OBJECT_IMAGE2D"
EXTENSION = "cl_khr_image2d_from_buffer"


def is_2d_on_a_buffer(call: Call, model: Model) -> bool:
    """Return whether a call requests a 2D image on a buffer."""
    asked = described(call, model)
    return asked.shape.image_type == FLAT and buffer_of(asked, model) is not None


def images_on_buffers(call: Call, model: Model) -> Iterator[bool | None]:
    """Yield for each device with images whether it supports 2D images on buffers; None if unreported.

    From 2.0 on a device reports it by CL_DEVICE_IMAGE_PITCH_ALIGNMENT, before 2.0 by the extension.
    """
    for device in devices_with_images(call, model):
        if device.version < (2, 0):
            yield True if EXTENSION in device.extensions else None
        elif device.number(PITCH_ALIGNMENT):
            yield True
        else:
            yield False if device.version >= (3, 0) else None


def source_not_valid(call: Call, model: Model) -> Reply:
    """mem_object is of a kind that image_type does not allow, or an image that differs from the descriptor."""
    asked = described(call, model)
    if asked.source is None:
        return May("image-buffer-of-nothing") if asked.shape.image_type == OF_A_BUFFER else Answer.NO
    valid = valid_object(asked.source, MemoryObject.type, model)
    if valid is not Answer.NO:
        return valid
    source = model.known(asked.source)
    if type(source) is MemoryObject:
        raise UnknownError("the kind of mem_object")
    if isinstance(source, Buffer):
        return _on_a_buffer(asked, call, model)
    return _on_an_image(asked, source, call, model) if isinstance(source, Image) else Answer.MUST


def _on_a_buffer(asked: Description, call: Call, model: Model) -> Reply:
    if asked.shape.image_type == OF_A_BUFFER:
        return Answer.NO
    if asked.shape.image_type != FLAT:
        return Answer.MUST
    return Answer.NO if set(images_on_buffers(call, model)) == {True} else May("images-on-buffers-of-some")


def _on_an_image(asked: Description, source: Image, call: Call, model: Model) -> Reply:
    """Return whether the image below a new image is not a 2D image or has another size.

    Its pitches and mip levels need not equal those that it was created with.
    """
    wanted, there = asked.shape, source.shape
    if wanted.image_type != FLAT or not there.image_type:
        return Answer.MUST if wanted.image_type != FLAT else May("image-on-an-image")
    if there.image_type != FLAT or (wanted.width, wanted.height) != (there.width, there.height):
        return Answer.MUST
    older = any(device.version < (2, 0) for device in devices_with_images(call, model))
    alike = (wanted.row_pitch, wanted.mip_levels) == (there.row_pitch, there.mip_levels)
    if older or not alike or source.on_memory_object:
        return May("image-on-an-image")
    return May("format-of-a-view") if _is_of_another_format(call.image_format, source, model) else Answer.NO


def _is_of_another_format(value: Value, source: Image, model: Model) -> bool:
    """Return whether a format has another data type than an image, or an incompatible channel order."""
    if not isinstance(value, Items):
        return False
    order, channel_type = format_given(value)
    other = order != source.format.order and (order, source.format.order) not in compatible_orders(model)
    return other or channel_type != source.format.channel_type


def format_given(value: Value) -> Pair:
    """Return the values of the format that an argument passes; UnknownError if it passes none."""
    numbers = [one for one in value.values if isinstance(one, int)] if isinstance(value, Items) else []
    if len(numbers) != len(ORDER_AND_TYPE):
        raise UnknownError("no format")
    order, channel_type = numbers
    return order, channel_type


def compatible_orders(model: Model) -> frozenset[Pair]:
    """Return the compatible pairs of channel orders: of a new image, and of the image that it is created on."""
    return _compatible_orders(model.lookups)


@functools.cache
def _compatible_orders(lookups: Lookups) -> frozenset[Pair]:
    values, records = lookups.values, lookups.tables.records.values()
    return frozenset((values[each.order], values[each.other]) for each in records if isinstance(each, CompatibleOrder))


def buffer_not_large_enough(call: Call, model: Model) -> Reply:
    """The buffer mem_object has fewer bytes than the image requires.

    The error is only allowed for a 2D image whose image_row_pitch is 0.
    """
    asked = described(call, model)
    buffer = buffer_of(asked, model)
    if buffer is None or asked.shape.image_type not in (OF_A_BUFFER, FLAT):
        return Answer.NO
    if buffer.size == 0:
        raise UnknownError("the size of mem_object")
    if asked.shape.image_type == OF_A_BUFFER:
        return asked.shape.width * asked.element > buffer.size
    if asked.shape.row_pitch == 0:
        tight = asked.shape.width * asked.element * asked.shape.height
        return May("no-pitch-on-a-buffer") if tight > buffer.size else Answer.NO
    return asked.shape.row_pitch * asked.shape.height > buffer.size
