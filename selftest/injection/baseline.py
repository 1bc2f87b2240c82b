"""Properties of the calls of each function that items make without faults.

They explain why a fault does not affect any call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Returned
from clconform.selftest.injection.fault import EVERY
from clconform.selftest.injection.operators.number_operators import SIZE, VALUE
from clconform.selftest.outcome_changes import get_code, has_succeeded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clconform.calls.call import Call
    from clconform.selftest.injection.fault import Fault
    from clconform.selftest.injection.fault_layer import LoggedEvent
    from clconform.spec_tables import Tables

NO_CALL = "no call of the function was made"
NO_SUCCESS = "no call of the function succeeded"
NO_SUCH_CODE = "no call failed with this code"
NOT_ANSWERED = "the query was not answered"
SAME_ANSWER = "the query had the same answer each time"
SAME_ABOUT_OBJECTS = "the query had the same answer about an object each time"
ALWAYS_NOTHING = "the answer was 0 each time"
NOT_TWICE = "no item has two such calls"
OTHER_FORM = "no call was of this form"
FAILING = ("another-error", "success-for-error", "written-on-error")
"""Operators that change failing calls; all others change successful calls, or omit a call."""
STALE, ANOTHERS = "answer-of-before", "answer-of-another"
SMALLER = ("one-less", "bit-dropped")
QUERY_PARAMETERS = ("param_name", "param_value_size", VALUE, SIZE)
MAX_VALUES = 2
"""The number of different values stored for a query: enough to distinguish one value from several."""


class QueryValues(msgspec.Struct):
    """The values of a query: up to two different ones, whether they changed for an object, and whether all were 0."""

    values: set[str] = msgspec.field(default_factory=set)
    changed: bool = False
    all_zero: bool = True

    def merge(self, other: QueryValues) -> None:
        """Add the values of further calls."""
        self.values = set(sorted(self.values | other.values)[:MAX_VALUES])
        self.changed |= other.changed
        self.all_zero &= other.all_zero


class FunctionCalls(msgspec.Struct):
    """The calls of a function: the number of successes, and the codes of all failures.

    ``queries``: maps the numeric values of query names to the values of these queries.
    """

    succeeded: int = 0
    codes: set[int] = msgspec.field(default_factory=set)
    queries: dict[int, QueryValues] = {}

    def merge(self, other: FunctionCalls) -> None:
        """Add the properties of further calls."""
        self.succeeded += other.succeeded
        self.codes |= other.codes
        for name, asked in other.queries.items():
            self.queries.setdefault(name, QueryValues()).merge(asked)


def summarize_calls(log: Sequence[LoggedEvent], tables: Tables) -> dict[str, FunctionCalls]:
    """Return the properties of an item's calls, as a mapping from functions to the properties of their calls."""
    found: dict[str, FunctionCalls] = {}
    before: dict[object, str] = {}
    for call, outcome, forgotten in log:
        if call is None:
            if not forgotten:
                before = {}
        elif isinstance(outcome, Returned) and call.function in tables.functions:
            function = tables.functions[call.function]
            made = found.setdefault(call.function, FunctionCalls())
            if not has_succeeded(function, outcome):
                made.codes.add(get_code(function, outcome) or 0)
                continue
            made.succeeded += 1
            if function.queries:
                _add_query_value(call, outcome, made, before)
    return found


def _add_query_value(call: Call, outcome: Returned, made: FunctionCalls, before: dict[object, str]) -> None:
    name, told = call.arguments.get("param_name"), outcome.outputs.get(VALUE)
    if not isinstance(name, int) or told is None or not told.values:
        return
    about = (call.function, name, *(str(value) for key, value in call.arguments.items() if key not in QUERY_PARAMETERS))
    answer = str(told.values)
    asked = QueryValues(
        {answer}, before.get(about, answer) != answer, all(value in (0, None, "\0") for value in told.values)
    )
    before[about] = answer
    made.queries.setdefault(name, QueryValues()).merge(asked)


def merge_summaries(parts: Iterable[Mapping[str, FunctionCalls]]) -> dict[str, FunctionCalls]:
    """Return the properties of the calls of several items, as a mapping from functions to their calls."""
    whole: dict[str, FunctionCalls] = {}
    for part in parts:
        for function, made in part.items():
            whole.setdefault(function, FunctionCalls()).merge(made)
    return whole


def explain_no_effect(fault: Fault, made: FunctionCalls | None, tables: Tables) -> str:
    """Return the reason why a fault does not affect any call, given the calls of its function in all items."""
    if made is None:
        return NO_CALL
    if fault.operator in FAILING:
        known = tables.enumerants.get(fault.subject)
        if known is not None and known.value not in made.codes:
            return NO_SUCH_CODE
    elif not made.succeeded:
        return NO_SUCCESS
    elif fault.place in (VALUE, SIZE) and fault.subject in tables.enumerants:
        return _explain_query(fault, made.queries.get(tables.enumerants[fault.subject].value & 0xFFFFFFFF))
    return OTHER_FORM if fault.occurrence == EVERY else NOT_TWICE


def _explain_query(fault: Fault, asked: QueryValues | None) -> str:
    if asked is None:
        return NOT_ANSWERED
    if fault.operator in (STALE, ANOTHERS) and len(asked.values) < MAX_VALUES:
        return SAME_ANSWER
    if fault.operator == STALE and not asked.changed:
        return SAME_ABOUT_OBJECTS
    if fault.operator in SMALLER and fault.place == VALUE and asked.all_zero:
        return ALWAYS_NOTHING
    return OTHER_FORM if fault.occurrence == EVERY else NOT_TWICE
