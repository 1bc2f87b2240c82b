"""Property lists: parsing them up to the terminator, and the recurring condition about invalid names and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import ElementList, Handle
from clconform.oracles.common.flags import are_flags_invalid, flags_of
from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    UNDEFINED,
    Predicate,
    PredicateResult,
    may,
    must_by,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.devices import Platform

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model
    from clconform.oracles.queries.expected_answers import AllowedValues
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables.requirements import ErrorCondition, Property

    Listed = list[tuple[int, int | Handle | None]]

rules = Rules()

rules.uses_interpretation(
    "empty-property-list",
    "CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR",
    "CL_CONTEXT_PROPERTIES",
    "CL_MEM_PROPERTIES",
    "CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR",
    "CL_PIPE_PROPERTIES",
    "CL_QUEUE_PROPERTIES_ARRAY",
    "CL_SAMPLER_PROPERTIES",
    "CL_SEMAPHORE_PROPERTIES_KHR",
)

ENUMERATED_TYPES = ("cl_queue_priority_khr", "cl_queue_throttle_khr", "cl_addressing_mode", "cl_filter_mode")
"""Types whose values are enumerants, not combinations of bits."""
DEFINED_ELSEWHERE = may("property-defined-elsewhere")


@rules.recurring_condition(
    "invalid-property-list",
    "{0} contains an unsupported property name, an unsupported value for a property, or the same name more than once.",
)
def _build_property_list(requirement: ErrorCondition) -> Predicate:
    (name,) = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        return is_list_invalid(call, name, model, forbids_duplicates=requirement.code == "CL_INVALID_PROPERTY")

    return holds


@rules.alternatives_of_kind("invalid-property-list")
def find_invalid_properties(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: the list contains an unsupported name, an unsupported value, or the same name more than once.
    """
    (name,) = condition.condition.parameters
    forbids_duplicates = condition.code == "CL_INVALID_PROPERTY"
    yield from find_list_violations(call, name, model, forbids_duplicates=forbids_duplicates)


def is_list_invalid(call: Call, parameter: str, model: Model, *, forbids_duplicates: bool) -> PredicateResult:
    """Return whether a property list is invalid; ``forbids_duplicates``: the clause forbids the same name twice.

    A driver must reject an undefined name. It may accept or reject a name of a later version, of an unsupported
    extension, or a name that only the registry contains.
    """
    listed = parse_list(call.arguments[parameter])
    if listed is None:
        return UNDEFINED
    names = [name for name, _ in listed]
    if not names:
        return NO
    twice = (MUST if forbids_duplicates else may("duplicate-property")) if len(set(names)) < len(names) else NO
    return strongest_result([twice, *_check_entries(listed, parameter, call, model)])


def find_list_violations(call: Call, parameter: str, model: Model, *, forbids_duplicates: bool) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: an invalid list contains an unsupported name, an unsupported value, or the same name twice.
    """
    listed, table = parse_list(call.arguments[parameter]) or [], function_properties(call.function, model)
    replies = zip(listed, _check_entries(listed, parameter, call, model), strict=True)
    known = [name in table for (name, _), reply in replies if reply.is_must]
    if False in known:
        yield f"{parameter} contains an unsupported property name"
    if True in known:
        yield f"{parameter} contains an unsupported value for a property"
    if forbids_duplicates and len({name for name, _ in listed}) < len(listed):
        yield f"{parameter} contains the same name more than once"


class PropertyEntry(NamedTuple):
    """One property of a list, with its single value, or with the values of the nested list that follows its name."""

    name: int
    values: tuple[int | Handle | None, ...]


def parse_nested_list(value: ElementList | None, nested_names: tuple[int, ...]) -> list[PropertyEntry] | None:
    """Return the properties of a list in order; None if the list or a nested list does not have a terminator.

    The result is empty for NULL. ``nested_names``: the names that are followed by a nested list with a terminating 0.
    """
    found: list[PropertyEntry] = []
    rest = list(value.values) if value is not None else [0]
    while rest:
        name = rest.pop(0)
        if name in (0, None):
            return found
        end = next((at for at, each in enumerate(rest) if each in (0, None)), None) if name in nested_names else 1
        if end is None or end > len(rest):
            return None
        found.append(PropertyEntry(name if isinstance(name, int) else 0, tuple(rest[:end])))
        del rest[: end + (name in nested_names)]
    return None


def parse_list(value: object) -> Listed | None:
    """Return the names and values of a list up to its terminator; empty for NULL, None without a terminator."""
    listed: Listed = []
    if value is None:
        return listed
    elements = iter(value.values) if isinstance(value, ElementList) else iter(())
    for name in elements:
        if name in (0, None):
            return listed
        try:
            listed.append((name if isinstance(name, int) else 0, next(elements)))
        except StopIteration:
            return None
    return None


def list_values(value: object) -> dict[int, int | Handle | None]:
    """Return name to value for the properties of a list; empty for NULL, and for a list without a terminator."""
    return dict(parse_list(value) or ())


def allowed_list_values(value: object, question: QueryRequest) -> AllowedValues:
    """Return the allowed values of a query for a property list: the passed list, or an empty value if it was NULL.

    For a list with only a terminator, the terminator and an empty value are allowed. A negative value, such as a
    descriptor of -1, is allowed as passed and as an unsigned number.
    """
    if not isinstance(value, ElementList):
        return ((),) if value is None else ()
    if value.values == (0,):
        return ((0,), ())
    given = tuple(one.name if isinstance(one, Handle) else one for one in value.values)
    end = 1 << 8 * question.model.lookups.size_of(question.query.type)
    unsigned = tuple(one % end if isinstance(one, int) else one for one in given)
    return (given,) if unsigned == given else (unsigned, given)


def allowed_list_or_terminator(value: object, question: QueryRequest) -> AllowedValues:
    """Return the values of ``allowed_list_values``; if NULL was passed, a terminator alone is also allowed."""
    return ((), (0,)) if value is None else allowed_list_values(value, question)


def function_properties(function: str, model: Model) -> Mapping[int, Property]:
    """Return the properties in the table of a function, by the numeric value of their name."""
    return model.lookups.properties_of(function)


def has_unknown_name(call: Call, parameter: str, model: Model) -> bool:
    """Return whether a property list contains a name that neither the function's table nor the registry defines."""
    listed, table = parse_list(call.arguments[parameter]) or (), function_properties(call.function, model)
    known = {*table, *_registered_names(call, parameter, model)}
    return any(name not in known for name, _ in listed)


def _registered_names(call: Call, parameter: str, model: Model) -> set[int]:
    """Return the property names that the registry defines for the type of a parameter."""
    group = next(each.base for each in model.tables.functions[call.function].parameters if each.name == parameter)
    return set(model.tables.values_of_group(group).values())


def has_invalid_value(call: Call, parameter: str, model: Model) -> PredicateResult:
    """Return whether a property list contains an invalid value for a property in the function's table."""
    listed, table = parse_list(call.arguments[parameter]) or (), function_properties(call.function, model)
    return strongest_result(
        is_value_invalid(table[name].value_type, value, call, model) for name, value in listed if name in table
    )


def _check_entries(listed: Listed, parameter: str, call: Call, model: Model) -> Iterator[PredicateResult]:
    """Yield for each property of a list whether its name or its value is invalid."""
    table, registered = function_properties(call.function, model), _registered_names(call, parameter, model)
    scope = scope_of(call, model)
    for name, value in listed:
        known = table.get(name)
        if known is None:
            yield DEFINED_ELSEWHERE if name in registered else MUST
            continue
        reply = is_value_invalid(known.value_type, value, call, model)
        yield reply if reply is UNDEFINED or applies(known.applicability, scope) else DEFINED_ELSEWHERE


def is_value_invalid(type_name: str, value: int | Handle | None, call: Call, model: Model) -> PredicateResult:
    """Return whether a property's value is invalid for its type; invalid addresses are never sent."""
    number = value if isinstance(value, int) else 0
    if type_name == "cl_platform_id":
        return _check_platform(value, model)
    if type_name.endswith("*") or "handle" in type_name:
        return NO if value in (0, None) else UNDEFINED
    if isinstance(value, Handle):
        return may("unspecified-property-value")
    if type_name == "cl_bool":
        return NO if number in (0, 1) else may("boolean-other-than-0-or-1")
    if type_name in ENUMERATED_TYPES:
        known = {model.constant_value(name) for name in flags_of(type_name, model)}
        return NO if number in known else MUST
    if flags_of(type_name, model):
        return are_flags_invalid(number, type_name, call, model)
    return NO if type_name == "cl_uint" and 0 <= number < 1 << 32 else may("unspecified-property-value")


def _check_platform(value: int | Handle | None, model: Model) -> PredicateResult:
    if value in (0, None):
        return must_by("null-platform-in-a-list")
    thing = model.find(value)
    if thing is None:
        return UNDEFINED
    return NO if isinstance(thing, Platform) else may("handle-of-other-type")
