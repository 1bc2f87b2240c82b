"""Faults of the creation of images and of their queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED, Outcome, Output, Returned
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.chapters.images.postconditions import DESCRIPTOR_FIELDS
from clconform.oracles.model.images import Image
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.engine.matchers import Element

faults = Faults()

MISSING_FORMAT = ("CL_RGBA", "CL_SIGNED_INT16")
"""A format that every device with images must support."""
LIST, COUNT = "image_formats", "num_image_formats"
MANY = 1000
"""A capacity that holds every format."""


@faults.plant("clGetSupportedImageFormats", succeeded=True)
def required_format_omitted(step: SimulatedStep) -> Outcome | None:
    """A format that every device with images must support is missing from all lists."""
    whole = step.repeat(num_entries=MANY, image_formats=OutputBuffer(MANY), num_image_formats=None)
    if not isinstance(whole, Returned) or LIST not in whole.outputs:
        return None
    told = [value for value in whole.outputs[LIST].values if value != UNTOUCHED]
    left_out = tuple(step.constant(name) for name in MISSING_FORMAT)
    pairs = [pair for pair in zip(told[::2], told[1::2], strict=True) if pair != left_out]
    return with_formats(step, pairs, len(pairs))


def with_formats(step: SimulatedStep, pairs: Iterable[tuple[Element, Element]], count: int | None) -> Outcome:
    """Return the outcome with another list of formats, as far as it fits, and another count; None keeps the count."""
    outputs = dict(step.outcome.outputs)
    if COUNT in outputs and count is not None:
        outputs[COUNT] = Output([count], 4)
    if LIST in outputs:
        room = len(outputs[LIST].values)
        shown = [value for pair in pairs for value in pair][:room]
        outputs[LIST] = Output([*shown, *[UNTOUCHED] * (room - len(shown))], 4 * len(shown))
    return step.outcome.with_outputs(**outputs)


@faults.plant("clGetImageInfo", query="CL_IMAGE_SLICE_PITCH", succeeded=True)
def slice_pitch_reported_without_padding(step: SimulatedStep) -> Outcome | None:
    """CL_IMAGE_SLICE_PITCH of an image created with a slice pitch is the size of a slice without padding."""
    image = step.find("image", Image)
    if image is None or not image.shape.slice_pitch:
        return None
    rows = 1 if image.shape.image_type == "CL_MEM_OBJECT_IMAGE1D_ARRAY" else image.shape.height
    tight = image.shape.width * image.format.element_size * rows
    return step.outcome.with_outputs(param_value=Output([tight], 8))


@faults.plant("clCreateImage", succeeded=False)
def one_layer_above_limit_accepted(step: SimulatedStep) -> Outcome | None:
    """An image array with one layer more than the device's maximum can be created."""
    described = step.argument("image_desc", ElementList)
    fields = dict(zip(DESCRIPTOR_FIELDS, described.values, strict=True)) if described is not None else {}
    layers = fields.get("image_array_size")
    if not isinstance(layers, int) or layers < 1:
        return None
    again = step.repeat(image_desc=ElementList(tuple({**fields, "image_array_size": layers - 1}.values())))
    return again if isinstance(again, Returned) and isinstance(again.value, str) else None
