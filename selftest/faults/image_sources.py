"""Faults of images created from other memory objects, and of their mip levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Handle
from clconform.oracles.chapters.images.error_conditions.regions import (
    is_mipmapped,
    level_extent,
    mip_level_of,
    parse_coordinates,
)
from clconform.oracles.contents.storage import MemoryPlace, defined_bytes
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATING = ("clCreateImage", "clCreateImageWithProperties")
TRANSFERS = ("clEnqueueReadImage", "clEnqueueWriteImage")


@faults.plant
def image_from_buffer_starts_cleared(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Creating an image from a buffer with CL_MEM_COPY_HOST_PTR clears the contents of the buffer."""
    made = outcome.value if call.function in CREATING and isinstance(outcome, Returned) else None
    image = simulation.model.find(Handle(made)) if isinstance(made, str) else None
    buffer = image.source if isinstance(image, Image) else None
    copied = isinstance(buffer, Buffer) and buffer.flags & simulation.model.constant_value("CL_MEM_COPY_HOST_PTR")
    if copied and isinstance(buffer, Buffer) and buffer.memory is not None:
        size = buffer.memory.size
        MemoryPlace(buffer.memory.storage, buffer.memory.spans(0, size), buffer).write(defined_bytes(bytes(size)))
    return outcome


@faults.plant
def mip_level_lacks_last_pixels(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A region that contains the last pixels of a mip level is rejected, except in the first level."""
    if call.function not in TRANSFERS or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    image = simulation.model.get(Image, call.image)
    origin, region = parse_coordinates(call.origin), parse_coordinates(call.region)
    level = mip_level_of(image, origin) if is_mipmapped(image) else 0
    if not level:
        return outcome
    ends = zip(origin, region, level_extent(image.shape, level), strict=False)
    last = any(start + size == end for start, size, end in ends)
    return Returned(simulation.model.constant_value("CL_INVALID_VALUE"), outcome.outputs) if last else outcome


@faults.plant
def misaligned_buffer_image_error_code(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Creating an image from a misaligned buffer fails with CL_INVALID_ARG_VALUE, which the function does not list."""
    told = outcome.outputs.get("errcode_ret") if isinstance(outcome, Returned) else None
    value = simulation.model.constant_value
    refused = told is not None and told.values[:1] == [value("CL_INVALID_IMAGE_FORMAT_DESCRIPTOR")]
    if call.function not in CREATING or not isinstance(outcome, Returned) or not refused:
        return outcome
    return outcome.with_outputs(errcode_ret=Output([value("CL_INVALID_ARG_VALUE")], 4))
