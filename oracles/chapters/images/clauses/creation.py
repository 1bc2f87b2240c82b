"""Error conditions of image creation: sizes, flags, memory object, imported memory (section 5.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.clauses.imported import (
    devices_not_of_the_context,
    devices_without_a_handle,
    imported_and_from_the_host,
    imported_and_given,
    not_imported_by_a_device,
    not_imported_by_a_named_device,
    property_not_valid,
    several_handles,
)
from clconform.oracles.chapters.buffers.clauses.sub_buffers import CONTRADICTED, CONTRADICTED_FOR_THE_HOST, FROM_HOST
from clconform.oracles.chapters.images.description import LIMITS, OF_A_BUFFER, described, given_bytes, is_incomplete
from clconform.oracles.chapters.images.pitches import pitches_not_valid
from clconform.oracles.chapters.images.sources import (
    buffer_not_large_enough,
    images_on_buffers,
    is_2d_on_a_buffer,
    source_not_valid,
)
from clconform.oracles.engine.answers import Answer, May, Must, Reply, settle
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.recurring.memory import WANTING
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.chapters.images.description import Description
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

MIPMAPS = "cl_khr_mipmap_image"

# The description


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1"
)
def description_not_valid(call: Call, model: Model) -> Reply:
    """image_desc is NULL, or one of its fields is not valid.

    image_type is not a valid image type; a size that image_type uses is 0; a pitch is not valid; num_samples is not 0;
    num_mip_levels is not 0 without cl_khr_mipmap_image; mem_object is not a memory object that image_type allows, is a
    buffer too small for the image, or an image of another size. The error is also allowed if a size exceeds the limit
    of a device. From version 3.1 on, the result for such a descriptor is unspecified.
    """
    reply = _by_3_0(call, model)
    is_sure = reply is Answer.MUST or isinstance(reply, Must)
    context = model.known(call.context)
    devices = context.devices if isinstance(context, Context) else []
    if not is_sure or all(device.version < (3, 1) for device in devices):
        return reply
    if call.image_desc is not None and settle(source_not_valid, call, model) is not Answer.NO:
        return Answer.UNDEFINED
    return May("descriptions-in-3.1")


def _by_3_0(call: Call, model: Model) -> Reply:
    """Return whether a descriptor is not valid by the text of version 3.0."""
    if is_incomplete(call):
        return Answer.UNDEFINED
    if call.image_desc is None:
        return Answer.MUST
    asked = described(call, model)
    if not asked.shape.image_type or asked.shape.samples != 0 or 0 in asked.sizes.values():
        return Answer.MUST
    parts = (mip_levels_not_valid, sizes_beyond_a_limit, pitches_not_valid, source_not_valid, buffer_not_large_enough)
    return gravest(settle(part, call, model) for part in parts)


def mip_levels_not_valid(call: Call, model: Model) -> Reply:
    """num_mip_levels is not 0, and cl_khr_mipmap_image is not supported or does not allow such images."""
    asked = described(call, model)
    levels = asked.shape.mip_levels
    if levels == 0:
        return Answer.NO
    having = {MIPMAPS in device.extensions for device in _devices(call, model)}
    if having == {False}:
        return May("one-mip-level") if levels == 1 else Answer.MUST
    if having == {True} and levels == 1:
        return Answer.NO
    if having == {True} and asked.shape.image_type in LIMITS and not asked.host:
        largest = max(asked.sizes.values())
        return May("mip-levels") if asked.source is not None or levels > largest.bit_length() else Answer.NO
    return May("mip-levels")


def sizes_beyond_a_limit(call: Call, model: Model) -> Reply:
    """A size that image_type uses exceeds the limit of a device of the context."""
    asked = described(call, model)
    beyond = any(any(_beyond(asked, name, call, model)) for name in asked.sizes)
    return May("sizes-in-a-description") if beyond else Answer.NO


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_SIZE/1",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/1",
    "clCreateImage/CL_INVALID_IMAGE_SIZE/2",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/2",
)
def size_beyond_every_limit(call: Call, model: Model) -> Reply:
    """A size that image_type uses exceeds the limit of every device of the context.

    The error is also allowed if such a size is 0, or if the buffer mem_object is too small for the image.
    """
    asked = described(call, model)
    if any(all(_beyond(asked, name, call, model)) for name in asked.sizes):
        return Answer.MUST
    if 0 in asked.sizes.values():
        return May("image-of-no-size")
    small = settle(buffer_not_large_enough, call, model)
    return small if small is Answer.NO else May("buffer-too-small-for-an-image")


def _beyond(asked: Description, name: str, call: Call, model: Model) -> list[bool]:
    """Return for each device whether a size exceeds its limit."""
    query = LIMITS[asked.shape.image_type][name]
    return [asked.sizes[name] > device.number(query) for device in _devices(call, model)]


def _devices(call: Call, model: Model) -> list[Device]:
    devices = model.context(call.context).devices
    if not devices:
        raise UnknownError("the devices of the context")
    return devices


# clCreateImage2D, clCreateImage3D


@rules.clause("clCreateImage2D/CL_INVALID_IMAGE_SIZE/1")
def size_or_pitch_not_valid(call: Call, model: Model) -> Reply:
    """A size is 0 or exceeds the limit of every device of the context, or a pitch is not valid."""
    if is_incomplete(call):
        return Answer.UNDEFINED
    asked = described(call, model)
    if 0 in asked.sizes.values():
        return Answer.MUST
    pitches = settle(pitches_not_valid, call, model)
    if pitches is Answer.MUST:
        return pitches
    beyond = any(all(_beyond(asked, name, call, model)) for name in asked.sizes)
    return Answer.MUST if beyond else pitches


@rules.clause("clCreateImage3D/CL_INVALID_IMAGE_SIZE/1")
def size_or_pitch_of_3d_not_valid(call: Call, model: Model) -> Reply:
    """A size is 0 or exceeds the limit of every device of the context, image_depth is 1, or a pitch is not valid."""
    return gravest((size_or_pitch_not_valid(call, model), call.image_depth == 1))


# Flags


@rules.clause("clCreateImage/CL_INVALID_VALUE/2", "clCreateImageWithProperties/CL_INVALID_VALUE/2")
def access_contradicts(call: Call, model: Model) -> Reply:
    """flags contradict the kernel access flags of mem_object, or contain a CL_MEM_*_HOST_PTR flag.

    Before version 2.0 the error is only allowed, not required, for images of other types than
    CL_MEM_OBJECT_IMAGE1D_BUFFER.
    """
    source = memory_below(call, model)
    if source is None:
        return Answer.NO
    wrong = any(call.flags & model.value(name) for name in FROM_HOST) or _contradicts(call, source, model, CONTRADICTED)
    return _since_2_0(call, model) if wrong else Answer.NO


@rules.clause("clCreateImage/CL_INVALID_VALUE/3", "clCreateImageWithProperties/CL_INVALID_VALUE/3")
def host_access_contradicts(call: Call, model: Model) -> Reply:
    """flags contradict the host access flags of mem_object (CL_MEM_HOST_*).

    Before version 2.0 the error is only allowed, not required, for images of other types than
    CL_MEM_OBJECT_IMAGE1D_BUFFER.
    """
    source = memory_below(call, model)
    wrong = source is not None and _contradicts(call, source, model, CONTRADICTED_FOR_THE_HOST)
    return _since_2_0(call, model) if wrong else Answer.NO


def _since_2_0(call: Call, model: Model) -> Reply:
    """Return the predicate result for flags that contradict those of the memory object below an image."""
    older = any(device.version < (2, 0) for device in _devices(call, model))
    of_a_buffer = described(call, model).shape.image_type == OF_A_BUFFER
    return May("image-on-an-image") if older and not of_a_buffer else Answer.MUST


def memory_below(call: Call, model: Model) -> MemoryObject | None:
    """Return the memory object that a new image is created on; None without one."""
    source = described(call, model).source
    return model.get(MemoryObject, source) if source is not None else None


def _contradicts(call: Call, source: MemoryObject, model: Model, table: dict[str, tuple[str, ...]]) -> bool:
    return any(
        source.flags & model.value(flag) and any(call.flags & model.value(other) for other in others)
        for flag, others in table.items()
    )


# Features that devices do not support


@rules.generally(
    "creating-2d-images-from-buffers:clCreateImage/1",
    "clCreateImage/CL_INVALID_OPERATION/1",
    lambda function: function.name == "clCreateImage",
)
@rules.generally(
    "creating-2d-images-from-buffers:clCreateImageWithProperties/1",
    "clCreateImageWithProperties/CL_INVALID_OPERATION/1",
    lambda function: function.name == "clCreateImageWithProperties",
)
def no_device_has_images_on_buffers(call: Call, model: Model) -> Reply:
    """The call requests a 2D image on a buffer, and no device of the context supports such images.

    The error is also allowed if only some of the devices support them, if a device before 3.0 does not report whether
    it does, and for an image on another image.
    """
    if not is_2d_on_a_buffer(call, model):
        on_an_image = isinstance(model.known(described(call, model).source), Image)
        lacking = on_an_image and False in images_on_buffers(call, model)
        return May("images-on-images-without-buffers") if lacking else Answer.NO
    having = set(images_on_buffers(call, model))
    if having == {False}:
        return Answer.MUST
    return Answer.NO if having == {True} else May("images-on-buffers-of-some")


# Host memory, imported memory


@rules.clause(
    "clCreateImage/usage/1",
    "clCreateImage/usage/2",
    "clCreateImage/usage/3",
    "clCreateImage/usage/4",
    "clCreateImage/usage/5",
    "clCreateImage/usage/6",
    "clCreateImageWithProperties/usage/2",
    "clCreateImageWithProperties/usage/3",
    "clCreateImageWithProperties/usage/4",
    "clCreateImageWithProperties/usage/5",
    "clCreateImageWithProperties/usage/6",
    "clCreateImageWithProperties/usage/7",
)
def too_little_host_memory(call: Call, model: Model) -> bool:
    """host_ptr, where flags use it, points to less memory than the image with its pitches requires."""
    if call.host_ptr is None or not any(call.flags & model.value(name) for name in WANTING):
        return False
    return given_bytes(call.host_ptr, model) < described(call, model).host_bytes


rules.clause("clCreateImageWithProperties/CL_INVALID_PROPERTY/1")(property_not_valid)
rules.clause("clCreateImageWithProperties/CL_INVALID_PROPERTY/3")(devices_without_a_handle)
rules.clause("clCreateImageWithProperties/CL_INVALID_PROPERTY/4")(several_handles)
rules.clause("clCreateImageWithProperties/CL_INVALID_DEVICE/2")(devices_not_of_the_context)
rules.clause("clCreateImageWithProperties/CL_INVALID_DEVICE/3")(not_imported_by_a_named_device)
rules.clause("clCreateImageWithProperties/CL_INVALID_DEVICE/4")(not_imported_by_a_device)
rules.clause("clCreateImageWithProperties/CL_INVALID_VALUE/4")(imported_and_from_the_host)
rules.clause("clCreateImageWithProperties/CL_INVALID_HOST_PTR/2")(imported_and_given)


@rules.clause(
    "clCreateImage/CL_INVALID_DEVICE/2", "clCreateImage/CL_INVALID_DEVICE/3", "clCreateImage/CL_INVALID_DEVICE/4"
)
def device_of_a_property(_call: Call, _model: Model) -> Reply:
    """properties name a device, or name none for imported memory; clCreateImage takes no properties."""
    return Answer.NO
