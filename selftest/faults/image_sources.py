"""Faults of images created from other memory objects, and of their mip levels."""

from __future__ import annotations

from clconform.calls.call import Outcome, Output
from clconform.oracles.chapters.images.error_conditions.regions import (
    is_mipmapped,
    level_extent,
    mip_level_of,
    parse_coordinates,
)
from clconform.oracles.contents.storage import MemoryPlace, defined_bytes
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.registry import Faults, SimulatedStep

faults = Faults()

CREATING = ("clCreateImage", "clCreateImageWithProperties")


@faults.plant(*CREATING)
def image_from_buffer_starts_cleared(step: SimulatedStep) -> None:
    """Creating an image from a buffer with CL_MEM_COPY_HOST_PTR clears the contents of the buffer."""
    image = step.find_created(Image)
    buffer = image.source if image is not None else None
    if not isinstance(buffer, Buffer) or not buffer.flags & step.constant("CL_MEM_COPY_HOST_PTR"):
        return
    if buffer.memory is not None:
        size = buffer.memory.size
        MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, size), buffer).write(defined_bytes(bytes(size)))


@faults.plant("clEnqueueReadImage", "clEnqueueWriteImage", succeeded=True)
def mip_level_lacks_last_pixels(step: SimulatedStep) -> Outcome | None:
    """A region that contains the last pixels of a mip level is rejected, except in the first level."""
    image = step.model.get(Image, step.call.image)
    origin, region = parse_coordinates(step.call.origin), parse_coordinates(step.call.region)
    level = mip_level_of(image, origin) if is_mipmapped(image) else 0
    ends = zip(origin, region, level_extent(image.shape, level), strict=False) if level else ()
    return step.fail("CL_INVALID_VALUE") if any(start + size == end for start, size, end in ends) else None


@faults.plant(*CREATING, error="CL_INVALID_IMAGE_FORMAT_DESCRIPTOR")
def misaligned_buffer_image_error_code(step: SimulatedStep) -> Outcome | None:
    """Creating an image from a misaligned buffer fails with CL_INVALID_ARG_VALUE, which the function does not list."""
    return step.outcome.with_outputs(errcode_ret=Output([step.constant("CL_INVALID_ARG_VALUE")], 4))
