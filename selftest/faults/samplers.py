"""Faults of samplers: invalid arguments that are accepted, and properties that are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.samplers.postconditions import ADDRESSING
from clconform.oracles.common.property_lists import list_values, parse_list
from clconform.oracles.model.samplers import Sampler
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Value
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATE, CREATE_WITH_PROPERTIES = "clCreateSampler", "clCreateSamplerWithProperties"


@faults.plant
def invalid_sampler_modes_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sampler can be created with invalid modes."""
    usual = {"addressing_mode": "CL_ADDRESS_NONE", "filter_mode": "CL_FILTER_NEAREST"}
    modes = {parameter: simulation.model.constant_value(name) for parameter, name in usual.items()}
    return _retry_with_arguments(modes, simulation, call, outcome) if call.function == CREATE else outcome


@faults.plant
def duplicate_sampler_property_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sampler can be created from a list with a duplicate property."""
    listed = parse_list(call.sampler_properties) if call.function == CREATE_WITH_PROPERTIES else None
    twice = listed is not None and len(dict(listed)) < len(listed)
    return _retry_with_arguments({"sampler_properties": None}, simulation, call, outcome) if twice else outcome


@faults.plant
def null_sampler_properties_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A NULL property list is rejected with CL_INVALID_VALUE."""
    if (
        call.function != CREATE_WITH_PROPERTIES
        or call.sampler_properties is not None
        or not isinstance(outcome, Returned)
    ):
        return outcome
    simulation.model.objects.pop(str(outcome.value), None)
    code = {"errcode_ret": Output([simulation.model.constant_value("CL_INVALID_VALUE")], 4)}
    return msgspec.structs.replace(
        outcome, value=None, outputs=code if isinstance(call.errcode_ret, OutputBuffer) else {}
    )


@faults.plant
def invalid_sampler_returns_invalid_operation(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Calls with invalid sampler arguments return CL_INVALID_OPERATION, as on a device without images."""
    if (
        call.function not in (CREATE, CREATE_WITH_PROPERTIES)
        or not isinstance(outcome, Returned)
        or outcome.value is not None
    ):
        return outcome
    code = {"errcode_ret": Output([simulation.model.constant_value("CL_INVALID_OPERATION")], 4)}
    return msgspec.structs.replace(outcome, outputs=code) if "errcode_ret" in outcome.outputs else outcome


@faults.plant
def default_addressing_mode_is_clamp_to_edge(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sampler whose list contains no addressing mode reports CL_ADDRESS_CLAMP_TO_EDGE."""
    model = simulation.model
    if call.function != "clGetSamplerInfo" or call.param_name != model.constant_value(ADDRESSING):
        return outcome
    sampler = model.find(call.sampler)
    if (
        not isinstance(sampler, Sampler)
        or not sampler.has_property_list
        or model.constant_value(ADDRESSING) in list_values(sampler.properties)
    ):
        return outcome
    if not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    changed = {**outcome.outputs, "param_value": Output([model.constant_value("CL_ADDRESS_CLAMP_TO_EDGE")], 4)}
    return msgspec.structs.replace(outcome, outputs=changed)


def _retry_with_arguments(
    changes: Mapping[str, Value], simulation: Simulation, call: Call, outcome: Outcome
) -> Outcome:
    """Repeat a failed call with these changes to its arguments; return other outcomes unchanged."""
    failed = isinstance(outcome, Returned) and outcome.value is None
    return simulation.make_call(Call(call.function, {**call.arguments, **changes})) if failed else outcome
