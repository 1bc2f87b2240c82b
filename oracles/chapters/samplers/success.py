"""Samplers and what they answer (section 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.world import Child
from clconform.oracles.recurring.making import exactly, made
from clconform.oracles.recurring.property_lists import list_echo, pairs

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Promise
    from clconform.oracles.model.world import Model

rules = Rules()

DEFAULTS: dict[str, int | str] = {
    "CL_SAMPLER_NORMALIZED_COORDS": 1,
    "CL_SAMPLER_ADDRESSING_MODE": "CL_ADDRESS_CLAMP",
    "CL_SAMPLER_FILTER_MODE": "CL_FILTER_NEAREST",
}
"""What a sampler has where its list of properties leaves it out."""


@rules.success("clCreateSampler")
def sampler_made(call: Call, model: Model) -> Promise:
    """A new sampler, which tells what it was made with."""
    child = _sampler(call, model)
    child.echoes |= {
        "CL_SAMPLER_NORMALIZED_COORDS": exactly(call.normalized_coords),
        "CL_SAMPLER_ADDRESSING_MODE": exactly(call.addressing_mode),
        "CL_SAMPLER_FILTER_MODE": exactly(call.filter_mode),
        "CL_SAMPLER_PROPERTIES": ((), (0,)),
    }
    return made("cl_sampler", call, model, child)


@rules.success("clCreateSamplerWithProperties")
def sampler_made_with_properties(call: Call, model: Model) -> Promise:
    """A new sampler, which repeats its list of properties and has the defaults for what the list leaves out."""
    child = _sampler(call, model)
    given = pairs(call.sampler_properties)
    for name, default in DEFAULTS.items():
        usual = model.value(default) if isinstance(default, str) else default
        value = given.get(model.value(name), usual)
        child.echoes[name] = exactly(value if isinstance(value, int) else usual)
    child.echoes["CL_SAMPLER_PROPERTIES"] = list_echo(call.sampler_properties)
    return made("cl_sampler", call, model, child)


def _sampler(call: Call, model: Model) -> Child:
    context = model.context(call.context)
    child = Child("cl_sampler", "", context=context)
    child.echoes["CL_SAMPLER_CONTEXT"] = exactly(context.name)
    return child
