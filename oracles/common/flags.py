"""Recurring condition about flags: undefined and mutually exclusive bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.predicate_result import MUST, NO, Predicate, PredicateResult, may
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.model.memory_objects import MemoryObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition, Flag

rules = Rules()

ADDRESSABLE, EXTERNAL = "CL_MEM_BUS_ADDRESSABLE_AMD", "CL_MEM_EXTERNAL_PHYSICAL_AMD"
ACCESS_FLAGS = ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_ONLY")
HOST_READ_DENIED = ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS")
"""Flags of a memory object that the host must not read."""
HOST_WRITE_DENIED = ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")
"""Flags of a memory object that the host must not write."""
QUERY_ONLY_FLAGS = ("CL_MEM_KERNEL_READ_AND_WRITE",)
"""Flags that the table lists only for queries; applications do not create objects with them."""


@rules.recurring_condition("invalid-flags", "{0} contains an undefined bit, or bits that are mutually exclusive.")
def _build_invalid_flags(requirement: ErrorCondition) -> Predicate:
    (name,) = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        value = call.arguments[name]
        if not isinstance(value, int):
            return NO
        return are_flags_invalid(value, _flag_type(requirement.function, name, model), call, model)

    return holds


def _flag_type(function: str, name: str, model: Model) -> str:
    """Return the type of a parameter with flags."""
    return next(each.base for each in model.tables.functions[function].parameters if each.name == name)


@rules.alternatives_of_kind("invalid-flags")
def find_invalid_flags(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternative that holds: the flags contain an undefined bit or mutually exclusive bits."""
    (name,) = condition.condition.parameters
    value = call.arguments[name]
    if isinstance(value, int):
        yield from find_flag_violations(name, value, _flag_type(condition.function, name, model), call, model)


def are_flags_invalid(value: int, type_name: str, call: Call, model: Model) -> PredicateResult:
    """Return whether the flags in ``value`` are invalid in a call.

    A driver must reject undefined bits and mutually exclusive bits. It may accept or reject a bit that is defined
    elsewhere: in another table, a later version, or an unsupported extension.
    """
    flags = flags_of(type_name, model)
    every = model.tables.values_of_group(type_name)
    if has_undefined_bit(value, type_name, model):
        return MUST
    present = {name for name in flags if value & every[name] == every[name] and every[name]}
    if not present:
        return may("flag-defined-elsewhere") if value else NO
    scope = scope_of(call, model)
    supported = {name for name in present if applies(flags[name].applicability, scope)}
    if any(set(flags[name].excludes) & supported for name in supported):
        return MUST
    unusable = value
    for name in supported.difference(QUERY_ONLY_FLAGS):
        unusable &= ~every[name]
    return may("flag-defined-elsewhere") if unusable else _is_unspecified(supported)


def has_undefined_bit(value: int, type_name: str, model: Model) -> bool:
    """Return whether flags contain a bit that no flag of their type has."""
    for bits in model.tables.values_of_group(type_name).values():
        value &= ~bits
    return value != 0


def find_flag_violations(name: str, value: int, type_name: str, call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: invalid flags contain an undefined bit or mutually exclusive bits.

    Yield nothing if the flags are valid.
    """
    if has_undefined_bit(value, type_name, model):
        yield f"{name} contains an undefined bit"
    elif are_flags_invalid(value, type_name, call, model).is_must:
        yield f"{name} contains bits that are mutually exclusive"


def _is_unspecified(flags: set[str]) -> PredicateResult:
    """Return whether the validity of a combination of flags for bus memory is unspecified."""
    if EXTERNAL not in flags:
        return NO
    if ADDRESSABLE in flags:
        return may("bus-addressable-and-external")
    return NO if flags.intersection(ACCESS_FLAGS) else may("external-memory-without-access-flag")


def is_flag_supported(name: str, type_name: str, call: Call, model: Model) -> bool:
    """Return whether a flag is certainly defined for every device in the scope of a call."""
    return applies(flags_of(type_name, model)[name].applicability, scope_of(call, model))


def flags_of(type_name: str, model: Model) -> Mapping[str, Flag]:
    """Return name to flag for the flags in the table of a type."""
    return model.lookups.flags_by_name(type_name)


def has_any_flag(memory: MemoryObject, names: tuple[str, ...], model: Model) -> bool:
    """Return whether a memory object has any of these flags, from its creation or inherited."""
    return any(find_flags(memory.flags, names, model))


def find_flags(value: int, names: tuple[str, ...], model: Model) -> Iterator[str]:
    """Yield those of some flags that a value contains."""
    return (name for name in names if value & model.constant_value(name))


def find_creation_flags(name: str, memory: MemoryObject, flags: tuple[str, ...], model: Model) -> Iterator[str]:
    """Yield for each of some flags that the memory object ``name`` has it."""
    return (f"{name} was created with {flag}" for flag in find_flags(memory.flags, flags, model))


def find_contradictions(own: int, given: int, table: Mapping[str, tuple[str, ...]], model: Model) -> Iterator[str]:
    """Yield each flag of an object with the flags of a new object on it that contradict it.

    ``own``: the flags of the object. ``given``: the flags of the new object. ``table``: a flag of the object to the
    flags that the new object must not have.
    """
    for flag in find_flags(own, tuple(table), model):
        yield from (f"{flag}, and flags contains {other}" for other in find_flags(given, table[flag], model))
