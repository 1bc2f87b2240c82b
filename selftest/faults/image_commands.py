"""Faults of image commands: regions, pitches and copies that are not rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import ElementList
from clconform.oracles.model.images import Image
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

SIZE_LIMIT = 1 << 64
"""The number of values of a size_t."""
ARRAY = "CL_MEM_OBJECT_IMAGE1D_ARRAY"
INVALID_VALUE = "CL_INVALID_VALUE"


@faults.plant
def image_region_wraps(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A region is accepted if origin + region overflows to a coordinate inside the image."""
    origin, region = _get_numbers(call, "origin"), _get_numbers(call, "region")
    wraps = any(one + size >= SIZE_LIMIT for one, size in zip(origin, region, strict=False))
    return _accept(simulation, outcome, INVALID_VALUE) if wraps else outcome


@faults.plant
def array_layers_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Only the first layer of a 1D image array is accepted, as if the array were an image of height 1."""
    image = simulation.model.find(call.arguments.get("image"))
    beyond = [
        one + size > 1 for one, size in zip(_get_numbers(call, "origin"), _get_numbers(call, "region"), strict=False)
    ]
    if not isinstance(image, Image) or image.shape.image_type != ARRAY or not beyond[1:] or not beyond[1]:
        return outcome
    if call.function not in ("clEnqueueReadImage", "clEnqueueWriteImage") or not isinstance(outcome, Returned):
        return outcome
    return msgspec.structs.replace(outcome, value=simulation.model.constant_value(INVALID_VALUE), outputs={})


@faults.plant
def overlapping_image_copy_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between overlapping regions of one image is accepted."""
    copies = call.function == "clEnqueueCopyImage"
    return _accept(simulation, outcome, "CL_MEM_COPY_OVERLAP") if copies else outcome


@faults.plant
def image_copy_formats_unchecked(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between images of different formats is accepted."""
    copies = call.function == "clEnqueueCopyImage"
    return _accept(simulation, outcome, "CL_IMAGE_FORMAT_MISMATCH") if copies else outcome


@faults.plant
def slice_pitch_without_slices_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A nonzero slice pitch is accepted for an image that is neither a 3D image nor an array."""
    pitched = call.arguments.get("slice_pitch") or call.arguments.get("input_slice_pitch")
    valid = _get_numbers(call, "origin") == (0, 0, 0) and 0 not in _get_numbers(call, "region")
    return _accept(simulation, outcome, INVALID_VALUE) if pitched and valid else outcome


@faults.plant
def buffer_size_checked_for_first_slice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between an image and a buffer is accepted if only the first slice or layer fits into the buffer."""
    region = _get_numbers(call, "region")
    sliced = call.function in ("clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage") and region[2:] > (1,)
    start = any(_get_numbers(call, name) == (0, 0, 0) for name in ("src_origin", "dst_origin"))
    return _accept(simulation, outcome, INVALID_VALUE) if sliced and start else outcome


@faults.plant
def missing_mip_level_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A mip level that the image does not have is accepted."""
    return _accept(simulation, outcome, "CL_INVALID_MIP_LEVEL") if call.function.endswith("Image") else outcome


def _get_numbers(call: Call, name: str) -> tuple[int, ...]:
    given = call.arguments.get(name)
    return tuple(one for one in given.values if isinstance(one, int)) if isinstance(given, ElementList) else ()


def _accept(simulation: Simulation, outcome: Outcome, code: str) -> Outcome:
    """Return success if the outcome is the error ``code``; any other outcome is returned unchanged."""
    if not isinstance(outcome, Returned) or outcome.value != simulation.model.constant_value(code):
        return outcome
    return msgspec.structs.replace(outcome, value=0)
