"""Faults of the creation of images and of their queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.chapters.images.postconditions import DESCRIPTOR_FIELDS
from clconform.oracles.model.images import Image
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.simulator.platform import Simulation

faults = Faults()

MISSING_FORMAT = ("CL_RGBA", "CL_SIGNED_INT16")
"""A format that every device with images must support."""
LIST, COUNT = "image_formats", "num_image_formats"
MANY = 1000
"""A capacity that holds every format."""


@faults.plant
def required_format_omitted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A format that every device with images must support is missing from all lists."""
    if call.function != "clGetSupportedImageFormats" or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    everything = Call(call.function, {**call.arguments, "num_entries": MANY, LIST: OutputBuffer(MANY), COUNT: None})
    whole = simulation.make_call(everything)
    if not isinstance(whole, Returned) or LIST not in whole.outputs:
        return outcome
    told = [value for value in whole.outputs[LIST].values if value != UNTOUCHED]
    left_out = tuple(simulation.model.constant_value(name) for name in MISSING_FORMAT)
    pairs = [pair for pair in zip(told[::2], told[1::2], strict=True) if pair != left_out]
    outputs = dict(outcome.outputs)
    if COUNT in outputs:
        outputs[COUNT] = Output([len(pairs)], 4)
    if LIST in outputs:
        room = len(outputs[LIST].values)
        shown = [value for pair in pairs for value in pair][:room]
        outputs[LIST] = Output([*shown, *[UNTOUCHED] * (room - len(shown))], 4 * len(shown))
    return msgspec.structs.replace(outcome, outputs=outputs)


@faults.plant
def slice_pitch_reported_without_padding(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """CL_IMAGE_SLICE_PITCH of an image created with a slice pitch is the size of a slice without padding."""
    model = simulation.model
    if call.function != "clGetImageInfo" or call.param_name != model.constant_value("CL_IMAGE_SLICE_PITCH"):
        return outcome
    image = model.find(call.image)
    if not isinstance(image, Image) or not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    if outcome.value != 0 or not image.shape.slice_pitch:
        return outcome
    rows = 1 if image.shape.image_type == "CL_MEM_OBJECT_IMAGE1D_ARRAY" else image.shape.height
    tight = image.shape.width * image.format.element_size * rows
    return outcome.with_outputs(param_value=Output([tight], 8))


@faults.plant
def one_layer_above_limit_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image array with one layer more than the device's maximum can be created."""
    if call.function != "clCreateImage" or not isinstance(outcome, Returned) or outcome.value is not None:
        return outcome
    if not isinstance(call.image_desc, ElementList):
        return outcome
    fields = dict(zip(DESCRIPTOR_FIELDS, call.image_desc.values, strict=True))
    layers = fields["image_array_size"]
    if not isinstance(layers, int) or layers < 1:
        return outcome
    fewer = ElementList(tuple({**fields, "image_array_size": layers - 1}.values()))
    again = simulation.make_call(Call(call.function, {**call.arguments, "image_desc": fewer}))
    return again if isinstance(again, Returned) and isinstance(again.value, str) else outcome
