"""Error conditions of image reads, writes and copies: pitches, formats, overlaps, host access (5.3.4 and 5.3.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.error_conditions.regions import (
    COORDINATES,
    OF_A_BUFFER,
    iterate_regions,
    known_images,
    mip_level_of,
    parse_coordinates,
)
from clconform.oracles.common.flags import HOST_READ_DENIED, HOST_WRITE_DENIED, find_creation_flags, has_any_flag
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.contents.image_layout import WITHOUT_SLICES
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    PredicateResult,
    may,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clEnqueueReadImage/CL_INVALID_VALUE/4", "clEnqueueWriteImage/CL_INVALID_VALUE/4")
def has_unexpected_slice_pitch(call: Call, model: Model) -> PredicateResult:
    """image is a 1D or 2D image, and slice_pitch (input_slice_pitch for a write) is not 0.

    The error is optional if a nonzero row pitch is less than a row of the region, or if a nonzero slice pitch is less
    than a slice of the region or not a multiple of the row pitch.
    """
    image = model.require(Image, call.image)
    prefix = "input_" if "input_row_pitch" in call.arguments else ""
    row, slices = (call.arguments[f"{prefix}{name}_pitch"] for name in ("row", "slice"))
    if slices and image.shape.image_type in WITHOUT_SLICES:
        return MUST
    if not row and not slices:
        return NO
    if image.shape.image_type == OF_A_BUFFER and slices:
        return may("slice-pitch-of-1d-image-buffer")
    width, height, *_ = parse_coordinates(call.region)
    tight = width * image.format.element_size
    right = (
        isinstance(row, int)
        and isinstance(slices, int)
        and image.format.element_size
        and _are_pitches_valid(row, slices, tight, height)
    )
    return NO if right else may("pitch-of-a-transfer")


def _are_pitches_valid(row: int, slices: int, tight: int, height: int) -> bool:
    """Return whether pitches are valid for rows of ``tight`` bytes and slices of ``height`` rows.

    A pitch of 0 is valid. The slice pitch must be a multiple of the row pitch.
    """
    apart = row or tight
    return apart >= tight and (not slices or (slices >= apart * height and slices % apart == 0))


@rules.clause("clEnqueueReadImage/CL_INVALID_OPERATION/2")
def lacks_host_read_access(call: Call, model: Model) -> PredicateResult:
    """image was created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS."""
    return must_if(has_any_flag(model.require(Image, call.image), HOST_READ_DENIED, model))


@rules.alternatives_of("clEnqueueReadImage/CL_INVALID_OPERATION/2")
def find_read_denying_flags(call: Call, model: Model) -> Iterator[str]:
    """Yield each flag of image with which the host must not read it."""
    return find_creation_flags("image", model.require(Image, call.image), HOST_READ_DENIED, model)


@rules.clause("clEnqueueWriteImage/CL_INVALID_OPERATION/2")
def lacks_host_write_access(call: Call, model: Model) -> PredicateResult:
    """image was created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS."""
    return must_if(has_any_flag(model.require(Image, call.image), HOST_WRITE_DENIED, model))


@rules.alternatives_of("clEnqueueWriteImage/CL_INVALID_OPERATION/2")
def find_write_denying_flags(call: Call, model: Model) -> Iterator[str]:
    """Yield each flag of image with which the host must not write it."""
    return find_creation_flags("image", model.require(Image, call.image), HOST_WRITE_DENIED, model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1")
def has_invalid_copy_image(call: Call, model: Model) -> PredicateResult:
    """src_image or dst_image is NULL or not a valid image. The error is optional for a 1D image buffer."""
    handles = (call.src_image, call.dst_image)
    alone = [is_invalid_object(each, "cl_mem", model, "image") for each in handles]
    known = [model.find(each) for each in handles]
    if any(isinstance(each, Image) and each.shape.image_type == OF_A_BUFFER for each in known):
        alone.append(may("copy-of-1d-image-buffer"))
    return strongest_result(alone)


@rules.alternatives_of("clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1")
def find_invalid_copy_images(call: Call, model: Model) -> Iterator[str]:
    """Yield each of src_image and dst_image that is NULL or not a valid image."""
    for name in ("src_image", "dst_image"):
        yield from find_invalid_object(name, call.arguments[name], "cl_mem", model, "image")


@rules.clause("clEnqueueCopyImage/CL_IMAGE_FORMAT_MISMATCH/1")
def has_different_formats(call: Call, model: Model) -> PredicateResult:
    """The image formats of src_image and dst_image differ in channel order or channel data type."""
    return must_if(any(find_format_differences(call, model)))


@rules.alternatives_of("clEnqueueCopyImage/CL_IMAGE_FORMAT_MISMATCH/1")
def find_format_differences(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: the formats of both images differ in channel order or channel data type."""
    source, destination = model.require(Image, call.src_image).format, model.require(Image, call.dst_image).format
    if source.order != destination.order:
        yield "the channel orders of src_image and dst_image differ"
    if source.channel_type != destination.channel_type:
        yield "the channel data types of src_image and dst_image differ"


@rules.clause("clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1")
def has_overlapping_regions(call: Call, model: Model) -> PredicateResult:
    """src_image and dst_image are the same image, and the regions at src_origin and dst_origin share a pixel.

    The behaviour of a copy between two images that share memory is undefined (section 5.3.1).
    """
    source, destination = model.require(Image, call.src_image), model.require(Image, call.dst_image)
    if source is not destination:
        return UNDEFINED if source.root_object is destination.root_object else NO
    (_, start), (_, target) = iterate_regions(call, model)
    used = slice(source.shape.dimensions)
    apart = [abs(one - other) for one, other in zip(start[used], target[used], strict=True)]
    region = parse_coordinates(call.region)
    near = all(distance < max(size, 1) for distance, size in zip(apart, region, strict=False))
    if not near or mip_level_of(source, start) != mip_level_of(source, target):
        return NO
    return may("overlap-of-empty-regions") if 0 in region[:COORDINATES] else MUST


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_MEM_OBJECT/1")
def is_copy_to_buffer_invalid(call: Call, model: Model) -> PredicateResult:
    """src_image is not a valid image or is a 1D image buffer of dst_buffer, or dst_buffer is not a valid buffer.

    The behaviour of a copy between a buffer and another image that shares its memory is undefined (section 5.3.1).
    """
    return _is_pair_invalid(call.src_image, call.dst_buffer, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_MEM_OBJECT/1")
def is_copy_from_buffer_invalid(call: Call, model: Model) -> PredicateResult:
    """src_buffer is not a valid buffer, or dst_image is not a valid image or is a 1D image buffer of src_buffer.

    The behaviour of a copy between a buffer and another image that shares its memory is undefined (section 5.3.1).
    """
    return _is_pair_invalid(call.dst_image, call.src_buffer, model)


def _is_pair_invalid(image: object, buffer: object, model: Model) -> PredicateResult:
    alone = [is_invalid_object(image, "cl_mem", model, "image"), is_invalid_object(buffer, "cl_mem", model, "buffer")]
    one, other = model.find(image), model.find(buffer)
    if isinstance(one, Image) and isinstance(other, Buffer) and one.root_object is other.root_object:
        made = one.source is other and one.shape.image_type == OF_A_BUFFER
        alone.append(MUST if made else UNDEFINED)
    return strongest_result(alone)


@rules.alternatives_of(
    "clEnqueueCopyImageToBuffer/CL_INVALID_MEM_OBJECT/1", "clEnqueueCopyBufferToImage/CL_INVALID_MEM_OBJECT/1"
)
def find_invalid_pair(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: the image or the buffer is not valid, or the image is a 1D image buffer of the buffer.
    """
    image, buffer = (
        ("src_image", "dst_buffer") if call.function == "clEnqueueCopyImageToBuffer" else ("dst_image", "src_buffer")
    )
    found = [
        *find_invalid_object(image, call.arguments[image], "cl_mem", model, "image"),
        *find_invalid_object(buffer, call.arguments[buffer], "cl_mem", model, "buffer"),
    ]
    yield from found or [f"{image} is a 1D image buffer of {buffer}"]


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueWriteImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueFillImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyImageToBuffer/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyBufferToImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueMapImage/CL_INVALID_IMAGE_SIZE/1",
)
def is_size_unsupported(call: Call, model: Model) -> PredicateResult:
    """The device of command_queue does not support the sizes or pitches of an image argument.

    The error is always optional. It is allowed only for an image in a context with several devices, an image created
    with a pitch, and an image created from another memory object.
    """
    given = known_images(call, model)
    pitched = any(each.shape.row_pitch or each.shape.slice_pitch or each.has_memory_object for each in given)
    return may("image-size-unsupported-by-device") if pitched or _has_shared_image(given, call, model) else NO


@rules.clause(
    "clEnqueueReadImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueWriteImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueFillImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyImageToBuffer/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyBufferToImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueMapImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)
def is_format_unsupported(call: Call, model: Model) -> PredicateResult:
    """The device of command_queue does not support the format of an image argument.

    The error is always optional, and allowed only for an image in a context with several devices.
    """
    given = known_images(call, model)
    return may("image-format-unsupported-by-device") if _has_shared_image(given, call, model) else NO


def _has_shared_image(images: list[Image], call: Call, model: Model) -> bool:
    """Return whether the context of an image has other devices than the device of command_queue."""
    on = model.get(CommandQueue, call.command_queue).queue_device
    return any(image.context is None or image.context.devices != [on] for image in images)
