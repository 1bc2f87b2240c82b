"""Faults of samplers: invalid arguments that are accepted, and properties that are lost."""

from __future__ import annotations

from clconform.calls.call import Outcome, Output
from clconform.oracles.chapters.samplers.postconditions import ADDRESSING
from clconform.oracles.common.property_lists import list_values, parse_list
from clconform.oracles.model.samplers import Sampler
from clconform.selftest.faults.registry import ERROR, Faults, SimulatedStep

faults = Faults()

CREATE, CREATE_WITH_PROPERTIES = "clCreateSampler", "clCreateSamplerWithProperties"


@faults.plant(CREATE, succeeded=False)
def invalid_sampler_modes_accepted(step: SimulatedStep) -> Outcome:
    """A sampler can be created with invalid modes."""
    addressing, filtering = step.constant("CL_ADDRESS_NONE"), step.constant("CL_FILTER_NEAREST")
    return step.repeat(addressing_mode=addressing, filter_mode=filtering)


@faults.plant(CREATE_WITH_PROPERTIES, succeeded=False)
def duplicate_sampler_property_accepted(step: SimulatedStep) -> Outcome | None:
    """A sampler can be created from a list with a duplicate property."""
    listed = parse_list(step.call.sampler_properties)
    twice = listed is not None and len(dict(listed)) < len(listed)
    return step.repeat(sampler_properties=None) if twice else None


@faults.plant(CREATE_WITH_PROPERTIES)
def null_sampler_properties_rejected(step: SimulatedStep) -> Outcome | None:
    """A NULL property list is rejected with CL_INVALID_VALUE."""
    return step.fail_creation("CL_INVALID_VALUE", remove=True) if step.call.sampler_properties is None else None


faults.plant(CREATE, CREATE_WITH_PROPERTIES, output=ERROR, succeeded=False).add(
    "invalid-sampler-returns-invalid-operation",
    "Calls with invalid sampler arguments return CL_INVALID_OPERATION, as on a device without images.",
    lambda step: step.fail_creation("CL_INVALID_OPERATION"),
)


@faults.plant("clGetSamplerInfo", query=ADDRESSING)
def default_addressing_mode_is_clamp_to_edge(step: SimulatedStep) -> Outcome | None:
    """A sampler whose list contains no addressing mode reports CL_ADDRESS_CLAMP_TO_EDGE."""
    sampler, edge = step.find("sampler", Sampler), Output([step.constant("CL_ADDRESS_CLAMP_TO_EDGE")], 4)
    if sampler is None or not sampler.has_property_list or step.constant(ADDRESSING) in list_values(sampler.properties):
        return None
    return step.outcome.with_outputs(param_value=edge)
