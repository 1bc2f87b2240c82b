"""Faults of image creation: unchecked sizes, pitches and flags, and flags that are not inherited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Outcome, Output
from clconform.calls.values import ElementList
from clconform.oracles.chapters.images.description import LIMITS
from clconform.oracles.chapters.images.postconditions import DESCRIPTOR_FIELDS
from clconform.oracles.model.images import Image
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Handle, Value

faults = Faults()

CREATING = ("clCreateImage", "clCreateImageWithProperties")
OLDER_CREATING = ("clCreateImage2D", "clCreateImage3D")
PITCHES = ("image_row_pitch", "image_slice_pitch")


@faults.plant(*CREATING, *OLDER_CREATING, succeeded=False)
def zero_width_image_accepted(step: SimulatedStep) -> Outcome | None:
    """An image of width 0 can be created."""
    return _repeat_with(step, {"image_width": 1}) if _get_fields(step).get("image_width") == 0 else None


@faults.plant(*CREATING, *OLDER_CREATING, succeeded=False)
def image_pitch_unchecked(step: SimulatedStep) -> Outcome | None:
    """An image can be created although a pitch is too small or not a multiple of the element size."""
    return _repeat_with(step, {name: 0 for name in PITCHES if name in _get_fields(step)})


@faults.plant(*CREATING, succeeded=False)
def image_size_above_limits_accepted(step: SimulatedStep) -> Outcome | None:
    """An image can be created although its sizes exceed the limits of all devices."""
    fields = _get_fields(step)
    number = fields.get("image_type")
    kind = step.model.tables.name_of(number, "cl_mem_object_type") if isinstance(number, int) else None
    names = [f"image_{name}" for name in LIMITS.get(kind or "", ())]
    return _repeat_with(step, {name: 1 for name in names if isinstance(fields[name], int) and fields[name] != 0})


@faults.plant(*CREATING, succeeded=False)
def image_flags_contradict_parent(step: SimulatedStep) -> Outcome | None:
    """An image can be created from a memory object with flags that contradict the flags of this object."""
    return step.repeat(flags=0) if _get_fields(step).get("mem_object") is not None else None


@faults.plant("clGetMemObjectInfo", query="CL_MEM_FLAGS")
def image_does_not_inherit_flags(step: SimulatedStep) -> Outcome | None:
    """An image created from a memory object reports CL_MEM_READ_WRITE, whatever the flags of that object."""
    image = step.find("memobj", Image)
    told = Output([step.constant("CL_MEM_READ_WRITE")], 8)
    return step.outcome.with_outputs(param_value=told) if image is not None and image.source is not None else None


def _get_fields(step: SimulatedStep) -> Mapping[str, Value]:
    """Return the fields of an image description, or the arguments of an older function, by name."""
    return step.call.arguments if step.call.function in OLDER_CREATING else _get_description(step)


def _get_description(step: SimulatedStep) -> dict[str, int | Handle | None]:
    given = step.argument("image_desc", ElementList)
    return dict(zip(DESCRIPTOR_FIELDS, given.values, strict=False)) if given is not None else {}


def _repeat_with(step: SimulatedStep, changes: dict[str, int]) -> Outcome | None:
    """Return the outcome of the call with these changes to the fields; without changes, None."""
    if not changes or step.call.function in OLDER_CREATING:
        return step.repeat(**changes) if changes else None
    return step.repeat(image_desc=ElementList(tuple((_get_description(step) | changes).values())))
