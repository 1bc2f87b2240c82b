"""Error conditions of image reads, writes and copies: pitches, formats, overlaps, host access (5.3.4 and 5.3.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.clauses.regions import (
    COORDINATES,
    OF_A_BUFFER,
    images_of,
    level_at,
    numbers_in,
    regions_of,
)
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.flags import made_with_any
from clconform.oracles.recurring.objects import gravest, valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

WITHOUT_SLICES = ("CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE2D")


@rules.clause("clEnqueueReadImage/CL_INVALID_VALUE/4", "clEnqueueWriteImage/CL_INVALID_VALUE/4")
def slices_of_an_image_without(call: Call, model: Model) -> Reply:
    """image is a 1D or 2D image, and slice_pitch (input_slice_pitch for a write) is not 0.

    The error is also allowed if a row pitch other than 0 is less than a row of the region, or if a slice pitch other
    than 0 is less than a slice of the region or not a multiple of the row pitch.
    """
    image = model.given(Image, call.image)
    prefix = "input_" if "input_row_pitch" in call.arguments else ""
    row, slices = (call.arguments[f"{prefix}{name}_pitch"] for name in ("row", "slice"))
    if slices and image.shape.image_type in WITHOUT_SLICES:
        return Answer.MUST
    if not row and not slices:
        return Answer.NO
    if image.shape.image_type == OF_A_BUFFER and slices:
        return May("slices-of-an-image-of-a-buffer")
    width, height, *_ = numbers_in(call.region)
    tight = width * image.format.element_size
    right = (
        isinstance(row, int)
        and isinstance(slices, int)
        and image.format.element_size
        and _fits(row, slices, tight, height)
    )
    return Answer.NO if right else May("pitch-of-a-transfer")


def _fits(row: int, slices: int, tight: int, height: int) -> bool:
    """Return whether pitches hold rows of ``tight`` bytes and slices of ``height`` whole rows."""
    apart = row or tight
    return apart >= tight and (not slices or (slices >= apart * height and slices % apart == 0))


@rules.clause("clEnqueueReadImage/CL_INVALID_OPERATION/2")
def host_may_not_read(call: Call, model: Model) -> Reply:
    """image was created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS."""
    return made_with_any(model.given(Image, call.image), ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)


@rules.clause("clEnqueueWriteImage/CL_INVALID_OPERATION/2")
def host_may_not_write(call: Call, model: Model) -> Reply:
    """image was created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS."""
    return made_with_any(model.given(Image, call.image), ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"), model)


@rules.clause("clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1")
def no_images_to_copy(call: Call, model: Model) -> Reply:
    """src_image or dst_image is NULL or not a valid image. The error is also allowed for a 1D image buffer."""
    handles = (call.src_image, call.dst_image)
    alone = [valid_object(each, "cl_mem", model, "image") for each in handles]
    known = [model.known(each) for each in handles]
    if any(isinstance(each, Image) and each.shape.image_type == OF_A_BUFFER for each in known):
        alone.append(May("copy-of-an-image-of-a-buffer"))
    return gravest(alone)


@rules.clause("clEnqueueCopyImage/CL_IMAGE_FORMAT_MISMATCH/1")
def formats_differ(call: Call, model: Model) -> Reply:
    """The image formats of src_image and dst_image differ in channel order or channel data type."""
    source, destination = model.given(Image, call.src_image).format, model.given(Image, call.dst_image).format
    return (source.order, source.channel_type) != (destination.order, destination.channel_type)


@rules.clause("clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1")
def copied_regions_overlap(call: Call, model: Model) -> Reply:
    """src_image and dst_image are the same image, and the regions at src_origin and dst_origin share a pixel.

    A copy between two images that share memory is undefined (section 5.3.1).
    """
    source, destination = model.given(Image, call.src_image), model.given(Image, call.dst_image)
    if source is not destination:
        return Answer.UNDEFINED if source.whole is destination.whole else Answer.NO
    (_, start), (_, target) = regions_of(call, model)
    used = slice(source.shape.dimensions)
    apart = [abs(one - other) for one, other in zip(start[used], target[used], strict=True)]
    region = numbers_in(call.region)
    near = all(distance < max(size, 1) for distance, size in zip(apart, region, strict=False))
    if not near or level_at(source, start) != level_at(source, target):
        return Answer.NO
    return May("overlap-of-no-pixel") if 0 in region[:COORDINATES] else Answer.MUST


@rules.clause("clEnqueueCopyImageToBuffer/CL_INVALID_MEM_OBJECT/1")
def no_copy_to_the_buffer(call: Call, model: Model) -> Reply:
    """src_image is not a valid image, dst_buffer is not a valid buffer, or src_image is a 1D image buffer made from it.

    A copy between a buffer and another image that shares its memory is undefined (section 5.3.1).
    """
    return _not_valid_beside(call.src_image, call.dst_buffer, model)


@rules.clause("clEnqueueCopyBufferToImage/CL_INVALID_MEM_OBJECT/1")
def no_copy_from_the_buffer(call: Call, model: Model) -> Reply:
    """src_buffer is not a valid buffer, dst_image is not a valid image, or dst_image is a 1D image buffer made from it.

    A copy between a buffer and another image that shares its memory is undefined (section 5.3.1).
    """
    return _not_valid_beside(call.dst_image, call.src_buffer, model)


def _not_valid_beside(image: object, buffer: object, model: Model) -> Reply:
    alone = [valid_object(image, "cl_mem", model, "image"), valid_object(buffer, "cl_mem", model, "buffer")]
    one, other = model.known(image), model.known(buffer)
    if isinstance(one, Image) and isinstance(other, Buffer) and one.whole is other.whole:
        made = one.source is other and one.shape.image_type == OF_A_BUFFER
        alone.append(Answer.MUST if made else Answer.UNDEFINED)
    return gravest(alone)


@rules.clause(
    "clEnqueueReadImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueWriteImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueFillImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyImageToBuffer/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyBufferToImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueMapImage/CL_INVALID_IMAGE_SIZE/1",
)
def size_not_supported(call: Call, model: Model) -> Reply:
    """The device of command_queue does not support the sizes or pitches of an image.

    The error is allowed only for an image of a context with several devices, created with a pitch, or created on
    another memory object.
    """
    given = images_of(call, model)
    pitched = any(each.shape.row_pitch or each.shape.slice_pitch or each.on_memory_object for each in given)
    return May("size-for-a-device") if pitched or _shared(given, call, model) else Answer.NO


@rules.clause(
    "clEnqueueReadImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueWriteImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueFillImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyImageToBuffer/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyBufferToImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueMapImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)
def format_not_supported(call: Call, model: Model) -> Reply:
    """The device of command_queue does not support the format of an image.

    The error is allowed only for an image whose context has several devices.
    """
    given = images_of(call, model)
    return May("format-for-a-device") if _shared(given, call, model) else Answer.NO


def _shared(images: list[Image], call: Call, model: Model) -> bool:
    """Return whether an image was created for other devices than only the queue's."""
    on = model.get(Queue, call.command_queue).on
    return any(image.context is None or image.context.devices != [on] for image in images)
