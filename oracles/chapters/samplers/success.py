"""Samplers made (section 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.recurring.making import made
from clconform.oracles.recurring.property_lists import pairs

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Promise
    from clconform.oracles.model.world import Model

rules = Rules()

COORDINATES, ADDRESSING, FILTER = (
    f"CL_SAMPLER_{name}" for name in ("NORMALIZED_COORDS", "ADDRESSING_MODE", "FILTER_MODE")
)


@rules.success("clCreateSampler")
def sampler_made(call: Call, model: Model) -> Promise:
    """A new sampler, which tells what it was made with."""
    sampler = Sampler(
        context=model.context(call.context),
        normalized_coords=call.normalized_coords,
        addressing_mode=call.addressing_mode,
        filter_mode=call.filter_mode,
    )
    return made(sampler, call, model)


@rules.success("clCreateSamplerWithProperties")
def sampler_made_with_properties(call: Call, model: Model) -> Promise:
    """A new sampler, which repeats its list of properties and has the defaults for what the list leaves out."""
    given = pairs(call.sampler_properties)

    def mode(name: str, usual: int) -> int:
        value = given.get(model.value(name), usual)
        return value if isinstance(value, int) else usual

    sampler = Sampler(
        context=model.context(call.context),
        normalized_coords=mode(COORDINATES, 1),
        addressing_mode=mode(ADDRESSING, model.value("CL_ADDRESS_CLAMP")),
        filter_mode=mode(FILTER, model.value("CL_FILTER_NEAREST")),
        with_list=True,
        properties=call.sampler_properties,
    )
    return made(sampler, call, model)
