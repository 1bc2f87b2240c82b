"""Predicates for the conditions that recur in clause after clause, built from the tables' structured conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.values import Items
from clconform.oracles.answers import Answer, May, Predicate, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.model import Model
    from clconform.spec_tables.records import ErrorClause

    Builder: TypeAlias = Callable[[ErrorClause], Predicate]


def structured_predicate(record: ErrorClause) -> Predicate | None:
    """Return the predicate for a clause whose condition is one of the recurring kinds, or None where it is not."""
    builder = _BUILDERS.get(record.condition.kind)
    return builder(record) if builder and record.condition.parameters else None


def structured_words(record: ErrorClause) -> str:
    """Return in our words what a recurring condition says, or an empty string where it is not one."""
    words = _WORDS.get(record.condition.kind, "")
    if not words or not record.condition.parameters:
        return ""
    return words.format(" and ".join(record.condition.parameters))


def valid_object(value: object, type_name: str, model: Model) -> Reply:
    """Tell whether a value is no valid object of a type: NULL must be found out, another type's handle may be.

    An object that is gone, or lives on without a reference of the application, is never sent.
    """
    if value is None:
        return Answer.MUST
    thing = model.known(value)
    if thing is None or thing.references < 1:
        return Answer.UNDEFINED
    return Answer.NO if thing.type == type_name else May("other-type")


def _invalid_object(record: ErrorClause) -> Predicate:
    (name, *_) = record.condition.parameters
    (type_name, *_) = record.condition.values

    def holds(call: Call, model: Model) -> Reply:
        value = call.arguments.get(name)
        if isinstance(value, Items):
            replies = [valid_object(element, type_name, model) for element in value.values]
            order = (Answer.UNDEFINED, Answer.MUST)
            return next((reply for wanted in order for reply in replies if reply is wanted), _any_may(replies))
        if value is None and _is_list(record, name, model):
            return Answer.NO
        return valid_object(value, type_name, model)

    return holds


def _any_may(replies: list[Reply]) -> Reply:
    return next((reply for reply in replies if isinstance(reply, May)), Answer.NO)


def _is_list(record: ErrorClause, name: str, model: Model) -> bool:
    function = model.tables.functions[record.function]
    return any(parameter.name == name and parameter.pointers for parameter in function.parameters)


def _null_parameter(record: ErrorClause) -> Predicate:
    names = record.condition.parameters
    return lambda call, _model: any(call.arguments.get(name) is None for name in names)


def _zero_parameter(record: ErrorClause) -> Predicate:
    names = record.condition.parameters
    return lambda call, _model: any(call.arguments.get(name) == 0 for name in names)


def _null_or_zero(record: ErrorClause) -> Predicate:
    names = record.condition.parameters
    return lambda call, _model: any(not call.arguments.get(name, 1) for name in names)


def _user_data_without_callback(record: ErrorClause) -> Predicate:
    names = {name for name in record.condition.parameters if name.startswith("pfn")} or {"pfn_notify"}

    def holds(call: Call, _model: Model) -> Reply:
        return all(call.arguments.get(name) is None for name in names) and call.arguments.get("user_data") is not None

    return holds


def _room_disagrees(record: ErrorClause) -> Predicate:
    """Build the predicate for: room for zero elements is given, or neither a list nor a place for its length."""
    count, *places = record.condition.parameters

    def holds(call: Call, model: Model) -> Reply:
        parameters = {parameter.name: parameter for parameter in model.tables.functions[record.function].parameters}
        numbers = [name for name in places if parameters[name].base == "cl_uint"]
        lists = [name for name in places if name not in numbers]
        no_room = call.arguments[count] == 0 and any(call.arguments[name] is not None for name in lists)
        return no_room or all(call.arguments[name] is None for name in places)

    return holds


_BUILDERS: dict[str, Builder] = {
    "invalid-object": _invalid_object,
    "null-parameter": _null_parameter,
    "zero-parameter": _zero_parameter,
    "user-data-without-callback": _user_data_without_callback,
    "room-disagree": _room_disagrees,
    "invalid-object-in-list": _invalid_object,
    "zero-or-null-parameter": _null_or_zero,
}

_WORDS = {
    "invalid-object": "{} is no valid object (NULL in any case)",
    "null-parameter": "{} is NULL",
    "zero-parameter": "{} is zero",
    "user-data-without-callback": "user data are given, but no callback that would get them",
    "room-disagree": "room for no element is given, or neither the list nor its length is asked for",
    "invalid-object-in-list": "{} holds what is no valid object (NULL in any case)",
    "zero-or-null-parameter": "{} is zero or NULL",
    "resources-device": "the device has no room for what the call needs",
    "resources-host": "the host has no room for what the call needs",
    "query-value": "the name asked for is unknown, or the room given is too small for the answer",
}


def recurring(kind: str) -> Callable[[Builder], Builder]:
    """Declare what builds the predicates of one more recurring kind of condition."""

    def declare(builder: Builder) -> Builder:
        _BUILDERS[kind] = builder
        return builder

    return declare
