"""Conditions on plain parameters: NULL, zero, inconsistent counts and lists, pitches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

rules = Rules()


@rules.recurring("null-parameter", "{any} is NULL.")
def _null_parameter(record: ErrorClause) -> Predicate:
    names = record.condition.parameters
    return lambda call, _model: any(call.arguments.get(name) is None for name in names)


@rules.recurring("all-null", "{all} are NULL.")
def _all_null(record: ErrorClause) -> Predicate:
    names = record.condition.parameters
    return lambda call, _model: all(call.arguments.get(name) is None for name in names)


@rules.recurring("not-null-parameter", "{any} is not NULL.")
def _not_null(record: ErrorClause) -> Predicate:
    names = record.condition.parameters
    return lambda call, _model: any(call.arguments.get(name) is not None for name in names)


@rules.recurring("zero-parameter", "{any} is 0.")
def _zero_parameter(record: ErrorClause) -> Predicate:
    names = record.condition.parameters
    return lambda call, _model: any(call.arguments.get(name) == 0 for name in names)


@rules.recurring("zero-or-null-parameter", "{0} is 0 or {1} is NULL.")
@rules.recurring("null-or-zero-parameter", "{0} is NULL or {1} is 0.")
def _null_or_zero(record: ErrorClause) -> Predicate:
    names = record.condition.parameters
    return lambda call, _model: any(not call.arguments.get(name, 1) for name in names)


@rules.recurring("user-data-without-callback", "{0} is NULL and {1} is not NULL.")
def _user_data_without_callback(record: ErrorClause) -> Predicate:
    names = {name for name in record.condition.parameters if name.startswith("pfn")} or {"pfn_notify"}

    def holds(call: Call, _model: Model) -> Reply:
        return all(call.arguments.get(name) is None for name in names) and call.arguments.get("user_data") is not None

    return holds


@rules.recurring("count-pointer-disagree", "{0} is 0 and {1} is not NULL, or {0} is not 0 and {1} is NULL.")
def _count_and_list(record: ErrorClause) -> Predicate:
    count, listed = record.condition.parameters
    return lambda call, _model: (call.arguments[count] == 0) != (call.arguments[listed] is None)


@rules.recurring("null-with-count", "{0} is not 0 and {1} is NULL.")
def _null_with_count(record: ErrorClause) -> Predicate:
    count, listed = record.condition.parameters
    return lambda call, _model: call.arguments[count] != 0 and call.arguments[listed] is None


@rules.recurring("pointer-without-count", "{0} is 0 and {1} is not NULL.")
def _pointer_without_count(record: ErrorClause) -> Predicate:
    count, listed = record.condition.parameters
    return lambda call, _model: call.arguments[count] == 0 and call.arguments[listed] is not None


@rules.recurring("array-and-count-disagree", "{0} is 0 and {1} is not NULL, or {1} and {2} are both NULL.")
def _array_and_count_disagree(record: ErrorClause) -> Predicate:
    count, *places = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        parameters = {parameter.name: parameter for parameter in model.tables.functions[record.function].parameters}
        numbers = [name for name in places if parameters[name].base == "cl_uint"]
        lists = [name for name in places if name not in numbers]
        no_capacity = call.arguments[count] == 0 and any(call.arguments[name] is not None for name in lists)
        return no_capacity or all(call.arguments[name] is None for name in places)

    return holds


@rules.recurring("pitch-too-small", "{0} is not 0 and is less than {1}[0].")
def _pitch_too_small(record: ErrorClause) -> Predicate:
    pitch, region = record.condition.parameters

    def holds(call: Call, _model: Model) -> Reply:
        size, given = call.arguments[region], call.arguments[pitch]
        width = size.values[0] if isinstance(size, Items) else None
        return isinstance(width, int) and isinstance(given, int) and 0 < given < width

    return holds
