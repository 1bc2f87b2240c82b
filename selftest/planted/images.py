"""Faults of image creation: unchecked sizes, pitches and flags, and flags that are not inherited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Items
from clconform.oracles.chapters.images.description import LIMITS
from clconform.oracles.chapters.images.success import DESCRIPTION
from clconform.oracles.model.images import Image
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Value
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATING = ("clCreateImage", "clCreateImageWithProperties")
OLDER = ("clCreateImage2D", "clCreateImage3D")
PITCHES = ("image_row_pitch", "image_slice_pitch")


@faults.plant
def images_of_no_width(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image of width 0 can be created."""
    if call.function in OLDER:
        return _made_with({"image_width": 1}, simulation, call, outcome) if call.image_width == 0 else outcome
    fields = _fields(call)
    changed = {"image_width": 1} if fields.get("image_width") == 0 else {}
    return _described_with(changed, simulation, call, outcome)


@faults.plant
def images_of_any_pitch(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image can be created although a pitch is too small or not a multiple of the element size."""
    given = {name: 0 for name in PITCHES if name in (_fields(call) if call.function in CREATING else call.arguments)}
    if call.function in OLDER:
        return _made_with(given, simulation, call, outcome)
    return _described_with(given, simulation, call, outcome)


@faults.plant
def images_larger_than_the_limits(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image can be created although its sizes exceed the limits of all devices."""
    fields = _fields(call)
    number = fields.get("image_type")
    kind = simulation.model.tables.name_of(number, "cl_mem_object_type") if isinstance(number, int) else None
    names = [f"image_{name}" for name in LIMITS.get(kind or "", ())]
    least = {name: 1 for name in names if isinstance(fields[name], int) and fields[name] != 0}
    return _described_with(least, simulation, call, outcome)


@faults.plant
def images_with_any_host_access(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image can be created with flags that contradict those of its memory object."""
    on_memory = call.function in CREATING and _fields(call).get("mem_object") is not None
    return _made_with({"flags": 0}, simulation, call, outcome) if on_memory else outcome


@faults.plant
def images_inherit_no_flags(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An image created from a memory object reports CL_MEM_READ_WRITE, whatever the flags of that object."""
    model = simulation.model
    if call.function != "clGetMemObjectInfo" or call.param_name != model.value("CL_MEM_FLAGS"):
        return outcome
    image = model.known(call.memobj)
    if not isinstance(image, Image) or image.source is None:
        return outcome
    if not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    told = {**outcome.outputs, "param_value": Output([model.value("CL_MEM_READ_WRITE")], 8)}
    return msgspec.structs.replace(outcome, outputs=told)


def _fields(call: Call) -> dict[str, Value]:
    """Return the fields of a call's image description by name; empty if it has none."""
    given = call.arguments.get("image_desc")
    return dict(zip(DESCRIPTION, given.values, strict=False)) if isinstance(given, Items) else {}


def _described_with(changes: Mapping[str, int], simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Repeat a failed call with these changes to its description; without changes, return the outcome unchanged."""
    fields = _fields(call)
    if call.function not in CREATING or not changes or not fields:
        return outcome
    described = Items(tuple({**fields, **changes}.values()))  # type: ignore[arg-type]
    return _made_with({"image_desc": described}, simulation, call, outcome)


def _made_with(changes: Mapping[str, Value], simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Repeat a failed call with these changes to its arguments; return other outcomes unchanged."""
    failed = isinstance(outcome, Returned) and outcome.value is None
    return simulation.answer(Call(call.function, {**call.arguments, **changes})) if failed else outcome
