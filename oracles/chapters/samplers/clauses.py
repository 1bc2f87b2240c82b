"""Error conditions of creating samplers: modes, property lists, and contexts without images (5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.samplers.success import ADDRESSING, COORDINATES, asked_modes, mode_or_none
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.gates import applies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.scope import devices_behind, scope_of
from clconform.oracles.recurring.capabilities import lacks
from clconform.oracles.recurring.flags import flags_of, is_supported
from clconform.oracles.recurring.objects import gravest
from clconform.oracles.recurring.property_lists import ELSEWHERE, ONE_OF, properties_of, read_list, value_not_valid

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Handle
    from clconform.oracles.model.world import Model

rules = Rules()

BITS_OF_A_MODE = 32
"""Bits of a mode; whether the other bits of a 64-bit list element count is unspecified."""


@rules.clause("clCreateSampler/CL_INVALID_VALUE/1")
def modes_not_valid(call: Call, model: Model) -> Reply:
    """addressing_mode or filter_mode is not a defined mode."""
    return gravest(
        [
            _mode_not_valid("cl_addressing_mode", call.addressing_mode, call, model),
            _mode_not_valid("cl_filter_mode", call.filter_mode, call, model),
            Answer.NO if call.normalized_coords in (0, 1) else May("odd-coordinates"),
            _repeats_by_pixels(call.normalized_coords, call.addressing_mode, model),
        ]
    )


@rules.clause("clCreateSamplerWithProperties/CL_INVALID_VALUE/1")
def list_of_a_sampler_not_valid(call: Call, model: Model) -> Reply:
    """sampler_properties contains an unsupported name, the same name twice, or a value that is not valid."""
    listed = read_list(call.sampler_properties)
    if listed is None:
        return Answer.UNDEFINED
    names = [name for name, _ in listed]
    twice = Answer.MUST if len(set(names)) < len(names) else Answer.NO
    modes = asked_modes(call.sampler_properties, model)
    together = _repeats_by_pixels(modes[COORDINATES], modes[ADDRESSING], model)
    return gravest([twice, *(_pair_not_valid(name, value, call, model) for name, value in listed), together])


def _pair_not_valid(name: int, value: int | Handle | None, call: Call, model: Model) -> Reply:
    known = properties_of(call.function, model).get(name)
    if known is None:
        return ELSEWHERE if name in model.tables.values_of_group("cl_sampler_properties").values() else Answer.MUST
    if not applies(known.gates, scope_of(call, model)):
        return ELSEWHERE
    if known.value_type not in ONE_OF or not isinstance(value, int):
        return value_not_valid(known.value_type, value, call, model)
    cut_off = mode_or_none(value % (1 << BITS_OF_A_MODE), known.value_type, model)
    wide = cut_off is not None and cut_off != value
    return May("property-value") if wide else _mode_not_valid(known.value_type, value, call, model)


def _mode_not_valid(type_name: str, value: int, call: Call, model: Model) -> Reply:
    """Return whether a number is not a mode of a type; one of a later version may be accepted."""
    named = next((name for name in flags_of(type_name, model) if model.value(name) == value), None)
    if named is None:
        return Answer.MUST
    return Answer.NO if is_supported(named, type_name, call, model) else May("flag-of-elsewhere")


def _repeats_by_pixels(coordinates: int | None, addressing: int | None, model: Model) -> Reply:
    """Return whether the addressing mode repeats the image although coordinates are not normalized."""
    repeating = (model.value("CL_ADDRESS_REPEAT"), model.value("CL_ADDRESS_MIRRORED_REPEAT"))
    return May("repeated-by-pixels") if coordinates == 0 and addressing in repeating else Answer.NO


@rules.clause("clCreateSampler/CL_INVALID_OPERATION/1", "clCreateSamplerWithProperties/CL_INVALID_OPERATION/1")
def no_images(call: Call, model: Model) -> Reply:
    """No device in context supports images."""
    if not isinstance(model.known(call.context), Context):
        everywhere = [lacks(device, "images") for device in model.root_devices()]
        return May("feature-of-nobody") if everywhere and all(everywhere) else Answer.NO
    lacking = {lacks(device, "images") for device in devices_behind(model.known(call.context))}
    if len(lacking) == 1:
        return lacking.pop()
    return May("unknown-fact") if not model.context(call.context).devices else Answer.NO
