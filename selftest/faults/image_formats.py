"""Faults of image formats: incomplete lists, and images that are created or rejected unexpectedly."""

from __future__ import annotations

from clconform.calls.call import Outcome, Output
from clconform.calls.values import ElementList
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.format_lists import is_listed
from clconform.oracles.model.images import Image
from clconform.selftest.faults.image_creation import COUNT, LIST, with_formats
from clconform.selftest.faults.registry import Faults, SimulatedStep

faults = Faults()

QUERY = "clGetSupportedImageFormats"
CREATING = ("clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D")
MISSING_FORMAT = ("CL_RGBA", "CL_HALF_FLOAT")
"""A format that every list of a device with images contains."""


@faults.plant(QUERY)
def required_format_not_listed(step: SimulatedStep) -> Outcome | None:
    """A required format is missing from the list and from the count."""
    context = step.find("context", Context)
    told = context.formats.get((step.call.flags, step.call.image_type)) if context is not None else None
    if told is None:
        return None
    lost = tuple(step.constant(name) for name in MISSING_FORMAT)
    count = _get_count(step)
    return with_formats(step, [pair for pair in _get_pairs(step) if pair != lost], count - 1 if count else None)


def _get_pairs(step: SimulatedStep) -> list[tuple[int, int]]:
    """Return the formats in the list that a call returns."""
    output = step.outcome.outputs.get(LIST)
    values = [each for each in output.values if isinstance(each, int)] if output is not None else []
    return list(zip(values[::2], values[1::2], strict=False))


def _get_count(step: SimulatedStep) -> int:
    """Return the number of formats that a call returns; 0 if it returns none."""
    output = step.outcome.outputs.get(COUNT)
    count = output.values[0] if output is not None else None
    return count if isinstance(count, int) else 0


@faults.plant(QUERY)
def format_count_off_by_one(step: SimulatedStep) -> Outcome | None:
    """num_image_formats does not count the last format."""
    count = _get_count(step)
    return step.outcome.with_outputs(num_image_formats=Output([count - 1], 4)) if count else None


@faults.plant(QUERY, output=COUNT)
def format_count_limited_to_entries(step: SimulatedStep) -> Outcome | None:
    """num_image_formats counts only the formats that were written to image_formats."""
    limited = Output([len(_get_pairs(step))], 4)
    return step.outcome.with_outputs(num_image_formats=limited) if LIST in step.outcome.outputs else None


@faults.plant(*CREATING, succeeded=True)
def listed_format_rejected(step: SimulatedStep) -> Outcome | None:
    """Images of half floats are rejected with CL_IMAGE_FORMAT_NOT_SUPPORTED although their formats are listed."""
    channels = step.argument("image_format", ElementList)
    half = channels is not None and channels.values[1] == step.constant(MISSING_FORMAT[1])
    return step.fail_creation("CL_IMAGE_FORMAT_NOT_SUPPORTED", remove=True) if half else None


@faults.plant(*CREATING, succeeded=False)
def unlisted_format_returns_invalid_operation(step: SimulatedStep) -> Outcome | None:
    """A format that is not listed is rejected with CL_INVALID_OPERATION, as on a device without images."""
    context, channels = step.find("context", Context), step.argument("image_format", ElementList)
    if context is None or channels is None:
        return None
    order, channel_type = channels.values
    if not isinstance(order, int) or not isinstance(channel_type, int):
        return None
    return None if is_listed((order, channel_type), context.formats) else step.fail_creation("CL_INVALID_OPERATION")


@faults.plant("clGetImageInfo", query="CL_IMAGE_ROW_PITCH")
def default_row_pitch_reported_zero(step: SimulatedStep) -> Outcome | None:
    """CL_IMAGE_ROW_PITCH is 0 if the image was created without a row pitch."""
    image = step.find("image", Image)
    unset = image is not None and not image.shape.row_pitch
    return step.outcome.with_outputs(param_value=Output([0], 8, bytes(8))) if unset else None
