"""Recurring condition about flags: undefined and mutually exclusive bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.predicate_result import Decision, May, PredicateResult
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.call import Call
    from clconform.oracles.engine.predicate_result import Predicate
    from clconform.oracles.model.memory_objects import MemoryObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition, Flag

rules = Rules()

ADDRESSABLE, EXTERNAL = "CL_MEM_BUS_ADDRESSABLE_AMD", "CL_MEM_EXTERNAL_PHYSICAL_AMD"
ACCESS_FLAGS = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")
QUERY_ONLY_FLAGS = ("CL_MEM_KERNEL_READ_AND_WRITE",)
"""Flags that the table lists only for queries; applications do not create objects with them."""


@rules.recurring_condition("invalid-flags", "{0} contains an undefined bit, or bits that are mutually exclusive.")
def _build_invalid_flags(record: ErrorCondition) -> Predicate:
    (name,) = record.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        function = model.tables.functions[record.function]
        base = next(parameter.base for parameter in function.parameters if parameter.name == name)
        value = call.arguments[name]
        return are_flags_invalid(value, base, call, model) if isinstance(value, int) else Decision.NO

    return holds


def are_flags_invalid(value: int, type_name: str, call: Call, model: Model) -> PredicateResult:
    """Return whether the flags in ``value`` are invalid in a call.

    A driver must reject undefined bits and mutually exclusive bits. It may accept or reject a bit that is defined
    elsewhere: in another table, a later version, or an unsupported extension.
    """
    flags = flags_of(type_name, model)
    every = model.tables.values_of_group(type_name)
    undefined = value
    for bits in every.values():
        undefined &= ~bits
    if undefined:
        return Decision.MUST
    present = {name for name in flags if value & every[name] == every[name] and every[name]}
    if not present:
        return May("flag-defined-elsewhere") if value else Decision.NO
    scope = scope_of(call, model)
    supported = {name for name in present if applies(flags[name].applicability, scope)}
    if any(set(flags[name].excludes) & supported for name in supported):
        return Decision.MUST
    unusable = value
    for name in supported.difference(QUERY_ONLY_FLAGS):
        unusable &= ~every[name]
    return May("flag-defined-elsewhere") if unusable else _is_unspecified(supported)


def _is_unspecified(flags: set[str]) -> PredicateResult:
    """Return whether it is unspecified if a combination of flags for bus memory is valid."""
    if EXTERNAL not in flags:
        return Decision.NO
    if ADDRESSABLE in flags:
        return May("bus-addressable-and-external")
    return Decision.NO if flags.intersection(ACCESS_FLAGS) else May("external-memory-without-access-flag")


def is_flag_supported(name: str, type_name: str, call: Call, model: Model) -> bool:
    """Return whether a flag is certainly defined for every device in the scope of a call."""
    return applies(flags_of(type_name, model)[name].applicability, scope_of(call, model))


def flags_of(type_name: str, model: Model) -> Mapping[str, Flag]:
    """Return name to flag for the flags in the table of a type."""
    return model.lookups.flags_by_name(type_name)


def has_any_flag(memory: MemoryObject, names: tuple[str, ...], model: Model) -> bool:
    """Return whether a memory object has any of these flags, from its creation or inherited."""
    return any(memory.flags & model.constant_value(name) for name in names)
