"""Faults of image formats: incomplete lists, and images that are created or rejected unexpectedly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.format_lists import is_listed
from clconform.oracles.model.images import Image
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

LIST, FORMATS, NUMBER = "clGetSupportedImageFormats", "image_formats", "num_image_formats"
CREATING = ("clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D")
MISSING_FORMAT = ("CL_RGBA", "CL_HALF_FLOAT")
"""A format that every list of a device with images contains."""


@faults.plant
def required_format_not_listed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A required format is missing from the list and from the count."""
    value = simulation.model.constant_value
    context = simulation.model.find(call.arguments.get("context"))
    told = context.formats.get((call.flags, call.image_type)) if isinstance(context, Context) else None
    if call.function != LIST or not isinstance(outcome, Returned) or told is None:
        return outcome
    lost = (value(MISSING_FORMAT[0]), value(MISSING_FORMAT[1]))
    outputs = dict(outcome.outputs)
    kept = [pair for pair in _pair_values(outputs.get(FORMATS)) if pair != lost]
    if FORMATS in outputs:
        flat = [each for pair in kept for each in pair]
        room = len(outputs[FORMATS].values) - len(flat)
        outputs[FORMATS] = Output([*flat, *[UNTOUCHED] * room], 4 * len(flat))
    number = outputs[NUMBER].values[0] if NUMBER in outputs else None
    if isinstance(number, int) and number:
        outputs[NUMBER] = Output([number - 1], 4)
    return msgspec.structs.replace(outcome, outputs=outputs)


def _pair_values(output: Output | None) -> list[tuple[int, int]]:
    values = [each for each in output.values if isinstance(each, int)] if output is not None else []
    return list(zip(values[::2], values[1::2], strict=False))


@faults.plant
def format_count_off_by_one(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """num_image_formats does not count the last format."""
    del simulation
    if call.function != LIST or not isinstance(outcome, Returned) or NUMBER not in outcome.outputs:
        return outcome
    number = outcome.outputs[NUMBER].values[0]
    if not isinstance(number, int) or not number:
        return outcome
    return outcome.with_outputs(**{NUMBER: Output([number - 1], 4)})


@faults.plant
def format_count_limited_to_entries(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """num_image_formats counts only the formats that were written to image_formats."""
    del simulation
    if call.function != LIST or not isinstance(outcome, Returned) or not {FORMATS, NUMBER} <= set(outcome.outputs):
        return outcome
    written = len(_pair_values(outcome.outputs[FORMATS]))
    return outcome.with_outputs(**{NUMBER: Output([written], 4)})


@faults.plant
def listed_format_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Images of half floats are rejected with CL_IMAGE_FORMAT_NOT_SUPPORTED although their formats are listed."""
    made = call.function in CREATING and isinstance(outcome, Returned) and outcome.value is not None
    channels = call.arguments.get("image_format")
    if (
        not made
        or not isinstance(channels, ElementList)
        or channels.values[1] != simulation.model.constant_value(MISSING_FORMAT[1])
    ):
        return outcome
    return _fail("CL_IMAGE_FORMAT_NOT_SUPPORTED", simulation, call, outcome)


def _fail(code: str, simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Return the outcome of a failed call, and remove the image that it created from the model."""
    if not isinstance(outcome, Returned):
        return outcome
    simulation.model.objects.pop(str(outcome.value), None)
    told = isinstance(call.errcode_ret, OutputBuffer)
    outputs = {"errcode_ret": Output([simulation.model.constant_value(code)], 4)} if told else {}
    return msgspec.structs.replace(outcome, value=None, outputs=outputs)


@faults.plant
def unlisted_format_returns_invalid_operation(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A format that is not listed is rejected with CL_INVALID_OPERATION, as on a device without images."""
    context = simulation.model.find(call.arguments.get("context"))
    channels = call.arguments.get("image_format")
    failed = call.function in CREATING and isinstance(outcome, Returned) and outcome.value is None
    if not failed or not isinstance(context, Context) or not isinstance(channels, ElementList):
        return outcome
    order, channel_type = channels.values
    numbers = isinstance(order, int) and isinstance(channel_type, int)
    if not numbers or is_listed((order, channel_type), context.formats):  # type: ignore[arg-type]
        return outcome
    return _fail("CL_INVALID_OPERATION", simulation, call, outcome)


@faults.plant
def default_row_pitch_reported_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_IMAGE_ROW_PITCH is 0 if the image was created without a row pitch."""
    image = simulation.model.find(call.arguments.get("image"))
    pitch = simulation.model.constant_value("CL_IMAGE_ROW_PITCH")
    if call.function != "clGetImageInfo" or call.param_name != pitch or not isinstance(image, Image):
        return outcome
    if not isinstance(outcome, Returned) or "param_value" not in outcome.outputs or image.shape.row_pitch:
        return outcome
    nothing = Output([0], 8, bytes(8))
    return outcome.with_outputs(param_value=nothing)
