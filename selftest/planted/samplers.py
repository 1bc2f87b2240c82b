"""Faults of samplers: invalid arguments that are accepted, and properties that are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.samplers.success import ADDRESSING
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.recurring.property_lists import pairs, read_list
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Value
    from clconform.simulator.platform import Simulation

faults = Faults()

BY_MODES, BY_LIST = "clCreateSampler", "clCreateSamplerWithProperties"


@faults.plant
def any_number_is_a_mode(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sampler can be created with invalid modes."""
    usual = {"addressing_mode": "CL_ADDRESS_NONE", "filter_mode": "CL_FILTER_NEAREST"}
    modes = {parameter: simulation.model.value(name) for parameter, name in usual.items()}
    return _made_with(modes, simulation, call, outcome) if call.function == BY_MODES else outcome


@faults.plant
def property_of_a_sampler_given_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sampler can be created from a list with a duplicate property."""
    listed = read_list(call.sampler_properties) if call.function == BY_LIST else None
    twice = listed is not None and len(dict(listed)) < len(listed)
    return _made_with({"sampler_properties": None}, simulation, call, outcome) if twice else outcome


@faults.plant
def samplers_without_a_list_are_refused(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A NULL property list is rejected with CL_INVALID_VALUE."""
    if call.function != BY_LIST or call.sampler_properties is not None or not isinstance(outcome, Returned):
        return outcome
    simulation.model.things.pop(str(outcome.value), None)
    code = {"errcode_ret": Output([simulation.model.value("CL_INVALID_VALUE")], 4)}
    return msgspec.structs.replace(
        outcome, value=None, outputs=code if isinstance(call.errcode_ret, OutputBuffer) else {}
    )


@faults.plant
def samplers_without_images(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Rejected sampler arguments return CL_INVALID_OPERATION, as on a device without images."""
    if call.function not in (BY_MODES, BY_LIST) or not isinstance(outcome, Returned) or outcome.value is not None:
        return outcome
    code = {"errcode_ret": Output([simulation.model.value("CL_INVALID_OPERATION")], 4)}
    return msgspec.structs.replace(outcome, outputs=code) if "errcode_ret" in outcome.outputs else outcome


@faults.plant
def images_are_clamped_to_the_edge(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sampler whose list contains no addressing mode reports CL_ADDRESS_CLAMP_TO_EDGE."""
    model = simulation.model
    if call.function != "clGetSamplerInfo" or call.param_name != model.value(ADDRESSING):
        return outcome
    sampler = model.known(call.sampler)
    if (
        not isinstance(sampler, Sampler)
        or not sampler.with_list
        or model.value(ADDRESSING) in pairs(sampler.properties)
    ):
        return outcome
    if not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    changed = {**outcome.outputs, "param_value": Output([model.value("CL_ADDRESS_CLAMP_TO_EDGE")], 4)}
    return msgspec.structs.replace(outcome, outputs=changed)


def _made_with(changes: Mapping[str, Value], simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Repeat a failed call with these changes to its arguments; return other outcomes unchanged."""
    failed = isinstance(outcome, Returned) and outcome.value is None
    return simulation.answer(Call(call.function, {**call.arguments, **changes})) if failed else outcome
