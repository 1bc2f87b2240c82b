"""Faults of image commands: regions, pitches and copies that are not rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import Items
from clconform.oracles.model.images import Image
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

SIZES = 1 << 64
"""The number of values of a size_t."""
ARRAY = "CL_MEM_OBJECT_IMAGE1D_ARRAY"
INVALID_VALUE = "CL_INVALID_VALUE"


@faults.plant
def regions_of_images_may_wrap(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A region is accepted if origin + region overflows to a coordinate inside the image."""
    origin, region = _numbers(call, "origin"), _numbers(call, "region")
    wraps = any(one + size >= SIZES for one, size in zip(origin, region, strict=False))
    return _accepted(simulation, outcome, INVALID_VALUE) if wraps else outcome


@faults.plant
def layers_end_at_the_height(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Only the first layer of a 1D image array is accepted, as if the array were an image of height 1."""
    image = simulation.model.known(call.arguments.get("image"))
    beyond = [one + size > 1 for one, size in zip(_numbers(call, "origin"), _numbers(call, "region"), strict=False)]
    if not isinstance(image, Image) or image.shape.image_type != ARRAY or not beyond[1:] or not beyond[1]:
        return outcome
    if call.function not in ("clEnqueueReadImage", "clEnqueueWriteImage") or not isinstance(outcome, Returned):
        return outcome
    return msgspec.structs.replace(outcome, value=simulation.model.value(INVALID_VALUE), outputs={})


@faults.plant
def an_image_is_copied_onto_itself(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between overlapping regions of one image is accepted."""
    copies = call.function == "clEnqueueCopyImage"
    return _accepted(simulation, outcome, "CL_MEM_COPY_OVERLAP") if copies else outcome


@faults.plant
def formats_are_not_compared(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between images of different formats is accepted."""
    copies = call.function == "clEnqueueCopyImage"
    return _accepted(simulation, outcome, "CL_IMAGE_FORMAT_MISMATCH") if copies else outcome


@faults.plant
def slices_of_images_without(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A slice pitch is accepted for an image without slices."""
    pitched = call.arguments.get("slice_pitch") or call.arguments.get("input_slice_pitch")
    valid = _numbers(call, "origin") == (0, 0, 0) and 0 not in _numbers(call, "region")
    return _accepted(simulation, outcome, INVALID_VALUE) if pitched and valid else outcome


@faults.plant
def bytes_of_the_first_slice_only(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between an image and a buffer is accepted if only the first slice or layer fits into the buffer."""
    region = _numbers(call, "region")
    sliced = call.function in ("clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage") and region[2:] > (1,)
    start = any(_numbers(call, name) == (0, 0, 0) for name in ("src_origin", "dst_origin"))
    return _accepted(simulation, outcome, INVALID_VALUE) if sliced and start else outcome


@faults.plant
def levels_that_do_not_exist(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A mip level that the image does not have is accepted."""
    return _accepted(simulation, outcome, "CL_INVALID_MIP_LEVEL") if call.function.endswith("Image") else outcome


def _numbers(call: Call, name: str) -> tuple[int, ...]:
    given = call.arguments.get(name)
    return tuple(one for one in given.values if isinstance(one, int)) if isinstance(given, Items) else ()


def _accepted(simulation: Simulation, outcome: Outcome, code: str) -> Outcome:
    """Return success if the outcome is the error ``code``; any other outcome is returned unchanged."""
    if not isinstance(outcome, Returned) or outcome.value != simulation.model.value(code):
        return outcome
    return msgspec.structs.replace(outcome, value=0)
