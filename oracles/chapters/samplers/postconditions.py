"""Postconditions of creating samplers (section 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.flags import flags_of
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.samplers import Sampler

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Postcondition
    from clconform.oracles.model.state import Model

rules = Rules()

COORDINATES, ADDRESSING, FILTER = (
    f"CL_SAMPLER_{name}" for name in ("NORMALIZED_COORDS", "ADDRESSING_MODE", "FILTER_MODE")
)
DEFAULTS = {
    COORDINATES: ("cl_bool", "CL_TRUE"),
    ADDRESSING: ("cl_addressing_mode", "CL_ADDRESS_CLAMP"),
    FILTER: ("cl_filter_mode", "CL_FILTER_NEAREST"),
}
"""Maps each property to the type of its value and to its default value."""


@rules.postcondition("clCreateSampler")
def expect_sampler(call: Call, model: Model) -> Postcondition:
    """The call creates a new sampler, and queries return the modes that it was created with."""
    sampler = Sampler(
        context=model.context(call.context),
        normalized_coords=validate_mode(call.normalized_coords, "cl_bool", model),
        addressing_mode=validate_mode(call.addressing_mode, "cl_addressing_mode", model),
        filter_mode=validate_mode(call.filter_mode, "cl_filter_mode", model),
    )
    return create_postcondition(sampler, call, model)


@rules.postcondition("clCreateSamplerWithProperties")
def expect_sampler_with_properties(call: Call, model: Model) -> Postcondition:
    """The call creates a new sampler, and queries return the properties that it was created with.

    Properties that are not listed have their default values.
    """
    modes = requested_modes(call.sampler_properties, model)
    sampler = Sampler(
        context=model.context(call.context),
        normalized_coords=modes[COORDINATES],
        addressing_mode=modes[ADDRESSING],
        filter_mode=modes[FILTER],
        has_property_list=True,
        properties=call.sampler_properties,
    )
    return create_postcondition(sampler, call, model)


def requested_modes(listed: object, model: Model) -> dict[str, int | None]:
    """Return the three modes that a property list requests, or their defaults; None for an invalid value."""
    given = list_values(listed)
    return {
        name: validate_mode(given.get(model.constant_value(name), model.constant_value(usual)), kind, model)
        for name, (kind, usual) in DEFAULTS.items()
    }


def validate_mode(value: object, type_name: str, model: Model) -> int | None:
    """Return a value if it is valid for its type, else None, because the effect of an invalid value is unspecified."""
    if type_name == "cl_bool":
        return value if isinstance(value, int) and value in (0, 1) else None
    known = {model.constant_value(name) for name in flags_of(type_name, model)}
    return value if isinstance(value, int) and value in known else None
