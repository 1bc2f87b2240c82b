"""Recurring conditions about single parameters: NULL, zero, inconsistent counts and lists, pitches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.engine.predicate_result import Predicate, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()


@rules.recurring_condition("null-parameter", "{any} is NULL.")
def _build_null_parameter(requirement: ErrorCondition) -> Predicate:
    names = requirement.condition.parameters
    return lambda call, _model: must_if(any(call.arguments.get(name) is None for name in names))


@rules.recurring_condition("all-null", "{all} are NULL.")
def _build_all_null(requirement: ErrorCondition) -> Predicate:
    names = requirement.condition.parameters
    return lambda call, _model: must_if(all(call.arguments.get(name) is None for name in names))


@rules.recurring_condition("not-null-parameter", "{any} is not NULL.")
def _build_not_null(requirement: ErrorCondition) -> Predicate:
    names = requirement.condition.parameters
    return lambda call, _model: must_if(any(call.arguments.get(name) is not None for name in names))


@rules.alternatives_of_kind("not-null-parameter")
def find_passed_parameters(call: Call, _model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the parameters that are not NULL, if the condition names several."""
    names = condition.condition.parameters
    if len(names) > 1:
        yield from (f"{name} is not NULL" for name in names if call.arguments.get(name) is not None)


@rules.recurring_condition("zero-parameter", "{any} is 0.")
def _build_zero_parameter(requirement: ErrorCondition) -> Predicate:
    names = requirement.condition.parameters
    return lambda call, _model: must_if(any(call.arguments.get(name) == 0 for name in names))


@rules.alternatives_of_kind("zero-parameter")
def find_zero_parameters(call: Call, _model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the parameters that are 0, if the condition names several."""
    names = condition.condition.parameters
    if len(names) > 1:
        yield from (f"{name} is 0" for name in names if call.arguments.get(name) == 0)


@rules.recurring_condition("zero-or-null-parameter", "{0} is 0 or {1} is NULL.")
@rules.recurring_condition("null-or-zero-parameter", "{0} is NULL or {1} is 0.")
def _build_null_or_zero(requirement: ErrorCondition) -> Predicate:
    names = requirement.condition.parameters
    return lambda call, _model: must_if(any(not call.arguments.get(name, 1) for name in names))


@rules.recurring_condition("user-data-without-callback", "{0} is NULL and {1} is not NULL.")
def _build_user_data_without_callback(requirement: ErrorCondition) -> Predicate:
    names = {name for name in requirement.condition.parameters if name.startswith("pfn")} or {"pfn_notify"}

    def holds(call: Call, _model: Model) -> PredicateResult:
        return must_if(
            all(call.arguments.get(name) is None for name in names) and call.arguments.get("user_data") is not None
        )

    return holds


@rules.recurring_condition("count-pointer-disagree", "{0} is 0 and {1} is not NULL, or {0} is not 0 and {1} is NULL.")
def _build_count_and_list(requirement: ErrorCondition) -> Predicate:
    count, listed = requirement.condition.parameters
    return lambda call, _model: must_if((call.arguments[count] == 0) != (call.arguments[listed] is None))


@rules.recurring_condition("null-with-count", "{0} is not 0 and {1} is NULL.")
def _build_null_with_count(requirement: ErrorCondition) -> Predicate:
    count, listed = requirement.condition.parameters
    return lambda call, _model: must_if(call.arguments[count] != 0 and call.arguments[listed] is None)


@rules.recurring_condition("pointer-without-count", "{0} is 0 and {1} is not NULL.")
def _build_pointer_without_count(requirement: ErrorCondition) -> Predicate:
    count, listed = requirement.condition.parameters
    return lambda call, _model: must_if(call.arguments[count] == 0 and call.arguments[listed] is not None)


@rules.recurring_condition("array-and-count-disagree", "{0} is 0 and {1} is not NULL, or {1} and {2} are both NULL.")
def _build_array_and_count(requirement: ErrorCondition) -> Predicate:
    count, *places = requirement.condition.parameters

    def holds(call: Call, model: Model) -> PredicateResult:
        parameters = {
            parameter.name: parameter for parameter in model.tables.functions[requirement.function].parameters
        }
        numbers = [name for name in places if parameters[name].base == "cl_uint"]
        lists = [name for name in places if name not in numbers]
        no_capacity = call.arguments[count] == 0 and any(call.arguments[name] is not None for name in lists)
        return must_if(no_capacity or all(call.arguments[name] is None for name in places))

    return holds


@rules.recurring_condition("pitch-too-small", "{0} is not 0 and is less than {1}[0].")
def _build_pitch_too_small(requirement: ErrorCondition) -> Predicate:
    pitch, region = requirement.condition.parameters

    def holds(call: Call, _model: Model) -> PredicateResult:
        size, given = call.arguments[region], call.arguments[pitch]
        width = size.values[0] if isinstance(size, ElementList) else None
        return must_if(isinstance(width, int) and isinstance(given, int) and 0 < given < width)

    return holds


@rules.alternatives_of_kind("null-parameter")
def find_null_parameters(call: Call, _model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the parameters that are NULL, if the condition names several."""
    names = condition.condition.parameters
    if len(names) > 1:
        yield from find_null(call, *names)


def find_null(call: Call, *names: str) -> Iterator[str]:
    """Yield each of some parameters that is NULL."""
    return (f"{name} is NULL" for name in names if call.arguments.get(name) is None)


@rules.alternatives_of_kind("zero-or-null-parameter", "null-or-zero-parameter")
def find_null_or_zero_parameters(call: Call, _model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the parameters that are 0 or NULL."""
    for name in condition.condition.parameters:
        value = call.arguments.get(name, 1)
        if not value:
            yield f"{name} is {'NULL' if value is None else 0}"


@rules.alternatives_of_kind("count-pointer-disagree", "sync-point-wait-list")
def find_disagreeing_count(call: Call, _model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternative that holds: the count is 0 and the list is not NULL, or the reverse."""
    count, listed = condition.condition.parameters
    yield describe_disagreement(call, count, listed)


def describe_disagreement(call: Call, count: str, listed: str) -> str:
    """Return how a count and a list contradict each other: one of them is 0 or NULL, the other one is not."""
    if call.arguments[listed] is None:
        return f"{count} is not 0 and {listed} is NULL"
    return f"{count} is 0 and {listed} is not NULL"


@rules.alternatives_of_kind("array-and-count-disagree")
def find_missing_outputs(call: Call, _model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternative that holds: both output parameters are NULL, or the array has a capacity of 0."""
    yield describe_missing_output(call, *condition.condition.parameters)


def describe_missing_output(call: Call, count: str, array: str, number: str) -> str:
    """Return whether both outputs of a call are NULL, or the array has no capacity."""
    if call.arguments[array] is None:
        return f"{array} and {number} are both NULL"
    return f"{count} is 0 and {array} is not NULL"
