"""Faults of image commands: regions, pitches and copies that are not rejected."""

from __future__ import annotations

from clconform.calls.call import Outcome, Returned
from clconform.calls.values import ElementList
from clconform.oracles.model.images import Image
from clconform.selftest.faults.registry import Faults, SimulatedStep

faults = Faults()

SIZE_LIMIT = 1 << 64
"""The number of values of a size_t."""
INVALID_VALUE = "CL_INVALID_VALUE"


@faults.plant(error=INVALID_VALUE)
def image_region_wraps(step: SimulatedStep) -> Outcome | None:
    """A region is accepted if origin + region overflows to a coordinate inside the image."""
    return step.accept() if any(end >= SIZE_LIMIT for end in _get_ends(step)) else None


@faults.plant("clEnqueueReadImage", "clEnqueueWriteImage")
def array_layers_rejected(step: SimulatedStep) -> Outcome | None:
    """Only the first layer of a 1D image array is accepted, as if the array were an image of height 1."""
    image = step.find("image", Image)
    of_array = image is not None and image.shape.image_type == "CL_MEM_OBJECT_IMAGE1D_ARRAY"
    beyond = any(end > 1 for end in _get_ends(step)[1:2])
    return Returned(step.constant(INVALID_VALUE)) if of_array and beyond else None


faults.plant("clEnqueueCopyImage", error="CL_MEM_COPY_OVERLAP").add(
    "overlapping-image-copy-accepted",
    "A copy between overlapping regions of one image is accepted.",
    SimulatedStep.accept,
)
faults.plant("clEnqueueCopyImage", error="CL_IMAGE_FORMAT_MISMATCH").add(
    "image-copy-formats-unchecked", "A copy between images of different formats is accepted.", SimulatedStep.accept
)


@faults.plant(error=INVALID_VALUE)
def slice_pitch_without_slices_accepted(step: SimulatedStep) -> Outcome | None:
    """A nonzero slice pitch is accepted for an image that is neither a 3D image nor an array."""
    pitched = step.call.arguments.get("slice_pitch") or step.call.arguments.get("input_slice_pitch")
    valid = _get_numbers(step, "origin") == (0, 0, 0) and 0 not in _get_numbers(step, "region")
    return step.accept() if pitched and valid else None


@faults.plant("clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage", error=INVALID_VALUE)
def buffer_size_checked_for_first_slice(step: SimulatedStep) -> Outcome | None:
    """A copy between an image and a buffer is accepted if only the first slice or layer fits into the buffer."""
    start = any(_get_numbers(step, name) == (0, 0, 0) for name in ("src_origin", "dst_origin"))
    return step.accept() if start and _get_numbers(step, "region")[2:] > (1,) else None


@faults.plant(error="CL_INVALID_MIP_LEVEL")
def missing_mip_level_accepted(step: SimulatedStep) -> Outcome | None:
    """A mip level that the image does not have is accepted."""
    return step.accept() if step.call.function.endswith("Image") else None


def _get_numbers(step: SimulatedStep, name: str) -> tuple[int, ...]:
    given = step.argument(name, ElementList)
    return tuple(one for one in given.values if isinstance(one, int)) if given is not None else ()


def _get_ends(step: SimulatedStep) -> list[int]:
    """Return the sum of origin and region in each dimension."""
    sizes = zip(_get_numbers(step, "origin"), _get_numbers(step, "region"), strict=False)
    return [one + size for one, size in sizes]
