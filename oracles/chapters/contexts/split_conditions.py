"""Error conditions of creating contexts that revision 3.1.0 split off from older conditions (section 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.property_lists import has_invalid_value, has_unknown_name, parse_list
from clconform.oracles.engine.predicate_result import PredicateResult, must_if
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


def _property_names(call: Call) -> list[int]:
    return [name for name, _ in parse_list(call.properties) or ()]


@rules.clause_part("clCreateContext/CL_INVALID_PLATFORM/2", "clCreateContextFromType/CL_INVALID_PLATFORM/2")
def is_platform_missing(call: Call, model: Model) -> PredicateResult:
    """properties does not contain CL_CONTEXT_PLATFORM, and no platform could be selected."""
    return must_if(model.constant_value("CL_CONTEXT_PLATFORM") not in _property_names(call))


@rules.clause_part("clCreateContext/CL_INVALID_PLATFORM/3", "clCreateContextFromType/CL_INVALID_PLATFORM/3")
def is_named_platform_invalid(call: Call, model: Model) -> PredicateResult:
    """The value of CL_CONTEXT_PLATFORM in properties is not a valid platform."""
    return must_if(model.constant_value("CL_CONTEXT_PLATFORM") in _property_names(call))


@rules.clause_part("clCreateContext/CL_INVALID_PROPERTY/4", "clCreateContextFromType/CL_INVALID_PROPERTY/3")
def has_unknown_property(call: Call, model: Model) -> PredicateResult:
    """properties contains an unsupported property name."""
    return must_if(has_unknown_name(call, "properties", model))


@rules.clause_part("clCreateContext/CL_INVALID_PROPERTY/5", "clCreateContextFromType/CL_INVALID_PROPERTY/4")
def has_invalid_property_value(call: Call, model: Model) -> PredicateResult:
    """properties contains an unsupported value for a property."""
    return must_if(has_invalid_value(call, "properties", model).is_must)


@rules.clause_part("clCreateContext/CL_INVALID_PROPERTY/6", "clCreateContextFromType/CL_INVALID_PROPERTY/5")
def has_repeated_property(call: Call, model: Model) -> PredicateResult:
    """properties contains the same property name more than once."""
    del model
    names = _property_names(call)
    return must_if(len(set(names)) < len(names))
