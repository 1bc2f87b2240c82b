"""Faults of image creation: unchecked sizes, pitches and flags, and flags that are not inherited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import ElementList
from clconform.oracles.chapters.images.description import LIMITS
from clconform.oracles.chapters.images.postconditions import DESCRIPTOR_FIELDS
from clconform.oracles.model.images import Image
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Value
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATING = ("clCreateImage", "clCreateImageWithProperties")
OLDER_CREATING = ("clCreateImage2D", "clCreateImage3D")
PITCHES = ("image_row_pitch", "image_slice_pitch")


@faults.plant
def zero_width_image_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image of width 0 can be created."""
    if call.function in OLDER_CREATING:
        return (
            _retry_with_arguments({"image_width": 1}, simulation, call, outcome) if call.image_width == 0 else outcome
        )
    fields = _get_description(call)
    changed = {"image_width": 1} if fields.get("image_width") == 0 else {}
    return _retry_with_description(changed, simulation, call, outcome)


@faults.plant
def image_pitch_unchecked(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image can be created although a pitch is too small or not a multiple of the element size."""
    given = {
        name: 0 for name in PITCHES if name in (_get_description(call) if call.function in CREATING else call.arguments)
    }
    if call.function in OLDER_CREATING:
        return _retry_with_arguments(given, simulation, call, outcome)
    return _retry_with_description(given, simulation, call, outcome)


@faults.plant
def image_size_above_limits_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image can be created although its sizes exceed the limits of all devices."""
    fields = _get_description(call)
    number = fields.get("image_type")
    kind = simulation.model.tables.name_of(number, "cl_mem_object_type") if isinstance(number, int) else None
    names = [f"image_{name}" for name in LIMITS.get(kind or "", ())]
    least = {name: 1 for name in names if isinstance(fields[name], int) and fields[name] != 0}
    return _retry_with_description(least, simulation, call, outcome)


@faults.plant
def image_flags_contradict_parent(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image can be created from a memory object with flags that contradict the flags of this object."""
    on_memory = call.function in CREATING and _get_description(call).get("mem_object") is not None
    return _retry_with_arguments({"flags": 0}, simulation, call, outcome) if on_memory else outcome


@faults.plant
def image_does_not_inherit_flags(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image created from a memory object reports CL_MEM_READ_WRITE, whatever the flags of that object."""
    model = simulation.model
    if call.function != "clGetMemObjectInfo" or call.param_name != model.constant_value("CL_MEM_FLAGS"):
        return outcome
    image = model.find(call.memobj)
    if not isinstance(image, Image) or image.source is None:
        return outcome
    if not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    told = {**outcome.outputs, "param_value": Output([model.constant_value("CL_MEM_READ_WRITE")], 8)}
    return msgspec.structs.replace(outcome, outputs=told)


def _get_description(call: Call) -> dict[str, Value]:
    """Return the fields of a call's image description by name; empty if it has none."""
    given = call.arguments.get("image_desc")
    return dict(zip(DESCRIPTOR_FIELDS, given.values, strict=False)) if isinstance(given, ElementList) else {}


def _retry_with_description(
    changes: Mapping[str, int], simulation: Simulation, call: Call, outcome: Outcome
) -> Outcome:
    """Repeat a failed call with these changes to its description; without changes, return the outcome unchanged."""
    fields = _get_description(call)
    if call.function not in CREATING or not changes or not fields:
        return outcome
    described = ElementList(tuple({**fields, **changes}.values()))  # type: ignore[arg-type]
    return _retry_with_arguments({"image_desc": described}, simulation, call, outcome)


def _retry_with_arguments(
    changes: Mapping[str, Value], simulation: Simulation, call: Call, outcome: Outcome
) -> Outcome:
    """Repeat a failed call with these changes to its arguments; return other outcomes unchanged."""
    failed = isinstance(outcome, Returned) and outcome.value is None
    return simulation.make_call(Call(call.function, {**call.arguments, **changes})) if failed else outcome
