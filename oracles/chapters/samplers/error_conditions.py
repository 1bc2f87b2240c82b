"""Error conditions of creating samplers: modes, property lists, and contexts without images (5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.samplers.postconditions import ADDRESSING, COORDINATES, requested_modes, validate_mode
from clconform.oracles.common.capabilities import lacks_capability
from clconform.oracles.common.flags import flags_of, is_flag_supported
from clconform.oracles.common.property_lists import (
    DEFINED_ELSEWHERE,
    ENUMERATED_TYPES,
    function_properties,
    is_value_invalid,
    parse_list,
)
from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    PredicateResult,
    may,
    must_if,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import devices_of, scope_of
from clconform.oracles.model.contexts import Context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Handle
    from clconform.oracles.model.state import Model

rules = Rules()

MODE_BITS = 32
"""Number of bits of a mode; the effect of the other bits of a 64-bit list element is unspecified."""


@rules.clause("clCreateSampler/CL_INVALID_VALUE/1")
def has_invalid_mode(call: Call, model: Model) -> PredicateResult:
    """addressing_mode or filter_mode is not a defined mode."""
    return strongest_result(
        [
            _is_mode_invalid("cl_addressing_mode", call.addressing_mode, call, model),
            _is_mode_invalid("cl_filter_mode", call.filter_mode, call, model),
            NO if call.normalized_coords in (0, 1) else may("normalized-coords-neither-true-nor-false"),
            _repeats_unnormalized(call.normalized_coords, call.addressing_mode, model),
        ]
    )


@rules.alternatives_of("clCreateSampler/CL_INVALID_VALUE/1")
def find_invalid_modes(call: Call, model: Model) -> Iterator[str]:
    """Yield each of addressing_mode and filter_mode that is not a defined mode."""
    for name in ("addressing_mode", "filter_mode"):
        value = call.arguments[name]
        if isinstance(value, int) and _is_mode_invalid(f"cl_{name}", value, call, model).is_must:
            yield f"{name} is not a defined mode"


@rules.clause("clCreateSamplerWithProperties/CL_INVALID_VALUE/1")
def has_invalid_list(call: Call, model: Model) -> PredicateResult:
    """sampler_properties contains an unsupported name, the same name twice, or a value that is not valid."""
    listed = parse_list(call.sampler_properties)
    if listed is None:
        return UNDEFINED
    names = [name for name, _ in listed]
    twice = MUST if len(set(names)) < len(names) else NO
    modes = requested_modes(call.sampler_properties, model)
    together = _repeats_unnormalized(modes[COORDINATES], modes[ADDRESSING], model)
    return strongest_result(
        [twice, *(_is_property_invalid(name, value, call, model) for name, value in listed), together]
    )


@rules.alternatives_of("clCreateSamplerWithProperties/CL_INVALID_VALUE/1")
def find_list_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: the list contains an unsupported name, a value that is not valid, or the same name twice.
    """
    listed, table = parse_list(call.sampler_properties) or [], function_properties(call.function, model)
    known = [name in table for name, value in listed if _is_property_invalid(name, value, call, model).is_must]
    if False in known:
        yield "sampler_properties contains an unsupported name"
    if True in known:
        yield "sampler_properties contains a value that is not valid"
    if len({name for name, _ in listed}) < len(listed):
        yield "sampler_properties contains the same name twice"


def _is_property_invalid(name: int, value: int | Handle | None, call: Call, model: Model) -> PredicateResult:
    known = function_properties(call.function, model).get(name)
    if known is None:
        return DEFINED_ELSEWHERE if name in model.tables.values_of_group("cl_sampler_properties").values() else MUST
    if not applies(known.applicability, scope_of(call, model)):
        return DEFINED_ELSEWHERE
    if known.value_type not in ENUMERATED_TYPES or not isinstance(value, int):
        return is_value_invalid(known.value_type, value, call, model)
    cut_off = validate_mode(value % (1 << MODE_BITS), known.value_type, model)
    wide = cut_off is not None and cut_off != value
    return may("unspecified-property-value") if wide else _is_mode_invalid(known.value_type, value, call, model)


def _is_mode_invalid(type_name: str, value: int, call: Call, model: Model) -> PredicateResult:
    """Return whether a number is not a mode of the type. The error is optional for a mode of a later version."""
    named = next((name for name in flags_of(type_name, model) if model.constant_value(name) == value), None)
    if named is None:
        return MUST
    return NO if is_flag_supported(named, type_name, call, model) else may("flag-defined-elsewhere")


def _repeats_unnormalized(coordinates: int | None, addressing: int | None, model: Model) -> PredicateResult:
    """Return whether a sampler combines an addressing mode that repeats the image with unnormalized coordinates."""
    repeating = (model.constant_value("CL_ADDRESS_REPEAT"), model.constant_value("CL_ADDRESS_MIRRORED_REPEAT"))
    return may("repeat-without-normalized-coords") if coordinates == 0 and addressing in repeating else NO


@rules.clause("clCreateSampler/CL_INVALID_OPERATION/1", "clCreateSamplerWithProperties/CL_INVALID_OPERATION/1")
def lacks_images(call: Call, model: Model) -> PredicateResult:
    """No device in context supports images."""
    if not isinstance(model.find(call.context), Context):
        everywhere = [lacks_capability(device, "images") for device in model.root_devices()]
        return may("feature-unsupported-everywhere") if everywhere and all(everywhere) else NO
    lacking = {lacks_capability(device, "images") for device in devices_of(model.find(call.context))}
    if len(lacking) == 1:
        return must_if(lacking.pop())
    return may("unknown-fact") if not model.context(call.context).devices else NO
