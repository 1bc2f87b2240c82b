"""Error conditions of image creation: sizes, flags, memory object, imported memory (section 5.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.error_conditions.external_memory import (
    has_device_outside_context,
    has_devices_without_handle,
    has_handle_and_host_flag,
    has_handle_and_host_ptr,
    has_several_handles,
    is_import_unsupported_by_context,
    is_import_unsupported_by_named_device,
    is_property_invalid,
)
from clconform.oracles.chapters.buffers.error_conditions.sub_buffers import (
    CONTRADICTING_FLAGS,
    CONTRADICTING_HOST_FLAGS,
    FROM_HOST,
)
from clconform.oracles.chapters.images.description import (
    LIMITS,
    OF_A_BUFFER,
    available_bytes,
    describe_image,
    is_incomplete,
)
from clconform.oracles.chapters.images.image_sources import (
    find_source_violation,
    is_2d_on_buffer,
    is_buffer_too_small,
    is_source_invalid,
    supports_images_on_buffers,
)
from clconform.oracles.chapters.images.pitches import PITCH_RULES, has_invalid_pitch
from clconform.oracles.common.flags import find_contradictions, find_flags
from clconform.oracles.common.memory import HOST_POINTER_FLAGS
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    Predicate,
    PredicateResult,
    evaluate,
    find_held,
    may,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import MemoryObject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.chapters.images.description import RequestedImage
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

MIPMAPS = "cl_khr_mipmap_image"

# The description


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1"
)
def is_descriptor_invalid(call: Call, model: Model) -> PredicateResult:
    """image_desc is NULL, or one of its fields is not valid.

    A field is not valid if image_type is not an image type; if a size that image_type uses is 0; if num_samples is not
    0; if num_mip_levels is more than 1 without cl_khr_mipmap_image; or if image_row_pitch or image_slice_pitch is not
    valid. mem_object is not valid if it is not a memory object that image_type allows, if it is a buffer with fewer
    bytes than the image, or if it is an image of another size. A nonzero pitch is not valid if host_ptr is NULL (except
    image_row_pitch of a 2D image created from a buffer), if it is less than a row or slice, or if it is not a multiple
    of the element size or of the row pitch. The error is optional if a size exceeds the limit of a device. If a device
    of context has version 3.1 or later, the result is unspecified.
    """
    reply = _is_invalid_by_3_0(call, model)
    context = model.find(call.context)
    devices = context.devices if isinstance(context, Context) else []
    if not reply.is_must or all(device.version < (3, 1) for device in devices):
        return reply
    if call.image_desc is not None and evaluate(is_source_invalid, call, model) is not NO:
        return UNDEFINED
    return may("invalid-image-descriptors-in-3.1")


def _is_invalid_by_3_0(call: Call, model: Model) -> PredicateResult:
    """Return whether image_desc is not valid by the text of version 3.0."""
    if is_incomplete(call):
        return UNDEFINED
    if call.image_desc is None:
        return MUST
    if any(_find_invalid_fields(call, model)):
        return MUST
    parts = (has_invalid_mip_levels, exceeds_some_limit, has_invalid_pitch, is_source_invalid, is_buffer_too_small)
    return strongest_result(evaluate(part, call, model) for part in parts)


def _find_invalid_fields(call: Call, model: Model) -> Iterator[str]:
    """Yield each field of image_desc that is not valid by its value alone."""
    asked = describe_image(call, model)
    if not asked.shape.image_type:
        yield "image_type is not an image type"
    if asked.shape.samples != 0:
        yield "num_samples is not 0"
    yield from _find_empty_sizes(asked)


def _find_empty_sizes(asked: RequestedImage) -> Iterator[str]:
    """Yield each size that the image type uses and that is 0."""
    return (f"image_{name} is 0" for name, size in asked.sizes.items() if size == 0)


@rules.alternatives_of(
    "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1"
)
def find_descriptor_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: image_desc is NULL, or each field of it that is not valid."""
    if call.image_desc is None:
        yield "image_desc is NULL"
        return
    fields = list(_find_invalid_fields(call, model))
    yield from fields or find_held({**DESCRIPTOR_RULES, **PITCH_RULES}, call, model)
    if not fields:
        yield from find_source_violation(call, model)


def has_invalid_mip_levels(call: Call, model: Model) -> PredicateResult:
    """num_mip_levels is more than 1, and the devices of context do not support cl_khr_mipmap_image.

    The error is optional for num_mip_levels 1 without the extension, and for images that the extension may exclude.
    """
    asked = describe_image(call, model)
    levels = asked.shape.mip_levels
    if levels == 0:
        return NO
    having = {MIPMAPS in device.extensions for device in _devices(call, model)}
    if having == {False}:
        return may("one-mip-level") if levels == 1 else MUST
    if having == {True} and levels == 1:
        return NO
    if having == {True} and asked.shape.image_type in LIMITS and not asked.host:
        largest = max(asked.sizes.values())
        return may("mip-levels") if asked.source is not None or levels > largest.bit_length() else NO
    return may("mip-levels")


def exceeds_some_limit(call: Call, model: Model) -> PredicateResult:
    """A size that image_type uses exceeds the limit of a device of context; the error is optional."""
    asked = describe_image(call, model)
    beyond = any(any(_exceeded_limits(asked, name, call, model)) for name in asked.sizes)
    return may("image-size-beyond-limit") if beyond else NO


DESCRIPTOR_RULES: dict[Predicate, str] = {
    has_invalid_mip_levels: "num_mip_levels is more than 1 without cl_khr_mipmap_image",
    is_buffer_too_small: "mem_object is a buffer with fewer bytes than the image",
}
"""Maps predicates for violations of rules about several fields of an image descriptor to texts of the violations."""


@rules.clause(
    "clCreateImage/CL_INVALID_IMAGE_SIZE/1",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/1",
    "clCreateImage/CL_INVALID_IMAGE_SIZE/2",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/2",
)
def exceeds_every_limit(call: Call, model: Model) -> PredicateResult:
    """A size that image_type uses exceeds the limit of every device of context.

    The error is optional if a size that image_type uses is 0, or if mem_object is a buffer with fewer bytes than the
    image.
    """
    asked = describe_image(call, model)
    if any(_find_exceeding_sizes(asked, call, model)):
        return MUST
    if 0 in asked.sizes.values():
        return may("image-size-zero")
    small = evaluate(is_buffer_too_small, call, model)
    return small if small is NO else may("buffer-too-small-for-an-image")


@rules.alternatives_of(
    "clCreateImage/CL_INVALID_IMAGE_SIZE/1",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/1",
    "clCreateImage/CL_INVALID_IMAGE_SIZE/2",
    "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/2",
)
def find_exceeding_sizes(call: Call, model: Model) -> Iterator[str]:
    """Yield each size that exceeds the limit of every device."""
    return _find_exceeding_sizes(describe_image(call, model), call, model)


def _find_exceeding_sizes(asked: RequestedImage, call: Call, model: Model) -> Iterator[str]:
    """Yield each size that the image type uses and that exceeds the limit of every device."""
    for name, query in LIMITS.get(asked.shape.image_type, {}).items():
        if all(_exceeded_limits(asked, name, call, model)):
            yield f"image_{name} exceeds {query} of every device"


def _exceeded_limits(asked: RequestedImage, name: str, call: Call, model: Model) -> list[bool]:
    """Return, for each device of the context, whether the size ``name`` exceeds the limit of the device."""
    query = LIMITS[asked.shape.image_type][name]
    return [asked.sizes[name] > device.number(query) for device in _devices(call, model)]


def _devices(call: Call, model: Model) -> list[Device]:
    devices = model.context(call.context).devices
    if not devices:
        raise UnknownFactError("the devices of the context")
    return devices


# clCreateImage2D, clCreateImage3D


@rules.clause("clCreateImage2D/CL_INVALID_IMAGE_SIZE/1")
def has_invalid_size_or_pitch(call: Call, model: Model) -> PredicateResult:
    """A size is 0 or exceeds the limit of every device of context, or image_row_pitch is not valid.

    The sizes are image_width and image_height. A nonzero image_row_pitch is not valid if host_ptr is NULL, if it is
    less than image_width elements, or if it is not a multiple of the element size.
    """
    if is_incomplete(call):
        return UNDEFINED
    asked = describe_image(call, model)
    if 0 in asked.sizes.values():
        return MUST
    pitches = evaluate(has_invalid_pitch, call, model)
    if pitches is MUST:
        return pitches
    return MUST if any(_find_exceeding_sizes(asked, call, model)) else pitches


@rules.alternatives_of("clCreateImage2D/CL_INVALID_IMAGE_SIZE/1")
def find_size_or_pitch_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each size that is 0 or exceeds the limit of every device, and each pitch that is not valid."""
    asked = describe_image(call, model)
    found = [*_find_empty_sizes(asked), *find_held(PITCH_RULES, call, model)]
    yield from found or _find_exceeding_sizes(asked, call, model)


@rules.clause("clCreateImage3D/CL_INVALID_IMAGE_SIZE/1")
def has_invalid_3d_size_or_pitch(call: Call, model: Model) -> PredicateResult:
    """A size is 0 or exceeds the limit of every device of context, image_depth is 1, or a pitch is not valid.

    The sizes are image_width, image_height and image_depth. A nonzero image_row_pitch or image_slice_pitch is not valid
    if host_ptr is NULL, if it is less than a row or slice, or if it is not a multiple of the element size or of the row
    pitch.
    """
    return strongest_result((has_invalid_size_or_pitch(call, model), must_if(call.image_depth == 1)))


@rules.alternatives_of("clCreateImage3D/CL_INVALID_IMAGE_SIZE/1")
def find_3d_size_or_pitch_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield the same for a 3D image, and whether image_depth is 1."""
    if has_invalid_size_or_pitch(call, model).is_must:
        yield from find_size_or_pitch_violations(call, model)
    if call.image_depth == 1:
        yield "image_depth is 1"


# Flags


@rules.clause("clCreateImage/CL_INVALID_VALUE/2", "clCreateImageWithProperties/CL_INVALID_VALUE/2")
def has_contradicting_access(call: Call, model: Model) -> PredicateResult:
    """flags contradicts the kernel access flags of mem_object, or contains a CL_MEM_*_HOST_PTR flag.

    The kernel access flags contradict if mem_object has CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY, and flags contains the
    opposite flag or CL_MEM_READ_WRITE. If a device of context has a version below 2.0, the error is required only for
    CL_MEM_OBJECT_IMAGE1D_BUFFER, and optional for other image types.
    """
    return _contradiction_result(call, model) if any(find_contradicting_access(call, model)) else NO


@rules.alternatives_of("clCreateImage/CL_INVALID_VALUE/2", "clCreateImageWithProperties/CL_INVALID_VALUE/2")
def find_contradicting_access(call: Call, model: Model) -> Iterator[str]:
    """Yield each CL_MEM_*_HOST_PTR flag in flags, and each kernel access flag that contradicts those of mem_object."""
    if memory_of_image(call, model) is not None:
        yield from (f"flags contains {name}" for name in find_flags(call.flags, FROM_HOST, model))
    yield from _find_contradicting_flags(call, model, CONTRADICTING_FLAGS)


@rules.clause("clCreateImage/CL_INVALID_VALUE/3", "clCreateImageWithProperties/CL_INVALID_VALUE/3")
def has_contradicting_host_access(call: Call, model: Model) -> PredicateResult:
    """flags contradicts the host access flags of mem_object (CL_MEM_HOST_*).

    flags and the flags of mem_object contradict each other if one of them contains CL_MEM_HOST_READ_ONLY and the other
    one CL_MEM_HOST_WRITE_ONLY. They also contradict each other if mem_object has CL_MEM_HOST_NO_ACCESS and flags
    contains CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_WRITE_ONLY. If a device of context has a version below 2.0, the error
    is required only for CL_MEM_OBJECT_IMAGE1D_BUFFER, and optional for other image types.
    """
    return _contradiction_result(call, model) if any(find_contradicting_host_access(call, model)) else NO


@rules.alternatives_of("clCreateImage/CL_INVALID_VALUE/3", "clCreateImageWithProperties/CL_INVALID_VALUE/3")
def find_contradicting_host_access(call: Call, model: Model) -> Iterator[str]:
    """Yield each host access flag of mem_object with the flags of the call that contradict it."""
    return _find_contradicting_flags(call, model, CONTRADICTING_HOST_FLAGS)


def _contradiction_result(call: Call, model: Model) -> PredicateResult:
    """Return a required or an optional error, for flags that contradict the flags of mem_object."""
    older = any(device.version < (2, 0) for device in _devices(call, model))
    of_a_buffer = describe_image(call, model).shape.image_type == OF_A_BUFFER
    return may("image-on-an-image") if older and not of_a_buffer else MUST


def memory_of_image(call: Call, model: Model) -> MemoryObject | None:
    """Return the memory object that a call creates an image from, or None."""
    source = describe_image(call, model).source
    return model.get(MemoryObject, source) if source is not None else None


def _find_contradicting_flags(call: Call, model: Model, table: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield each flag of mem_object with the flags of the call that contradict it by a table."""
    source = memory_of_image(call, model)
    if source is not None:
        for each in find_contradictions(source.flags, call.flags, table, model):
            yield f"mem_object was created with {each}"


# Features that devices do not support


@rules.general_condition(
    "creating-2d-images-from-buffers:clCreateImage/1",
    "clCreateImage/CL_INVALID_OPERATION/1",
    lambda function: function.name == "clCreateImage",
)
@rules.general_condition(
    "creating-2d-images-from-buffers:clCreateImageWithProperties/1",
    "clCreateImageWithProperties/CL_INVALID_OPERATION/1",
    lambda function: function.name == "clCreateImageWithProperties",
)
def lacks_images_on_buffers(call: Call, model: Model) -> PredicateResult:
    """image_desc describes a 2D image created from a buffer, and all devices of context lack support for such images.

    The error is optional if only some of the devices support 2D images created from buffers, and if a device with a
    version below 3.0 does not report its support. It is also optional for an image created from an image if a device
    lacks the support.
    """
    if not is_2d_on_buffer(call, model):
        on_an_image = isinstance(model.find(describe_image(call, model).source), Image)
        lacking = on_an_image and False in supports_images_on_buffers(call, model)
        return may("images-on-images-without-buffers") if lacking else NO
    having = set(supports_images_on_buffers(call, model))
    if having == {False}:
        return MUST
    return NO if having == {True} else may("images-on-buffers-on-some-devices")


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
def has_too_little_host_memory(call: Call, model: Model) -> PredicateResult:
    """The rule is violated if the memory at host_ptr has fewer bytes than the image requires with its pitches.

    This applies only if flags contains CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR.
    """
    if call.host_ptr is None or not any(call.flags & model.constant_value(name) for name in HOST_POINTER_FLAGS):
        return NO
    return must_if(available_bytes(call.host_ptr, model) < describe_image(call, model).host_bytes)


rules.clause("clCreateImageWithProperties/CL_INVALID_PROPERTY/1")(is_property_invalid)
rules.clause("clCreateImageWithProperties/CL_INVALID_PROPERTY/3")(has_devices_without_handle)
rules.clause("clCreateImageWithProperties/CL_INVALID_PROPERTY/4")(has_several_handles)
rules.clause("clCreateImageWithProperties/CL_INVALID_DEVICE/2")(has_device_outside_context)
rules.clause("clCreateImageWithProperties/CL_INVALID_DEVICE/3")(is_import_unsupported_by_named_device)
rules.clause("clCreateImageWithProperties/CL_INVALID_DEVICE/4")(is_import_unsupported_by_context)
rules.clause("clCreateImageWithProperties/CL_INVALID_VALUE/4")(has_handle_and_host_flag)
rules.clause("clCreateImageWithProperties/CL_INVALID_HOST_PTR/2")(has_handle_and_host_ptr)


@rules.clause(
    "clCreateImage/CL_INVALID_DEVICE/2", "clCreateImage/CL_INVALID_DEVICE/3", "clCreateImage/CL_INVALID_DEVICE/4"
)
def is_device_property_invalid(_call: Call, _model: Model) -> PredicateResult:
    """properties contains an invalid device list.

    This condition never holds, because clCreateImage does not have a properties parameter.
    """
    return NO
