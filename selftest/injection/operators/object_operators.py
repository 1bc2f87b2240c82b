"""Faults of objects: another handle, another reference count, a misaligned or an overlapping pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import Handle
from clconform.selftest.injection.fault import FaultEffect, is_object_name
from clconform.selftest.injection.operators.number_operators import VALUE, OutputEffect, get_queries, get_value_kind
from clconform.selftest.injection.operators.operator_registry import Operators
from clconform.selftest.outcome_changes import has_all_objects, has_succeeded, with_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

operators = Operators()

RESULT = "result"


def find_handles(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield handle outputs: the result, output parameters, values of queries."""
    if function.queries:
        for query in get_queries(function, tables):
            if get_value_kind(query, tables) == "handle":
                yield VALUE, query.name
    known = tables.types.get(function.returns)
    if known is not None and known.kind == "handle":
        yield RESULT, ""
    for each in function.parameters:
        known = tables.types.get(each.base)
        if each.direction == "out" and each.pointers == 1 and known is not None and known.kind == "handle":
            yield each.name, ""


def find_pointers(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the result of a function that returns memory."""
    del tables
    if function.returns == "void*" and not function.name.startswith("clGetExtension"):
        yield RESULT, ""


def _make_prefix_finder(start: str) -> Callable[[Function, Tables], Iterator[tuple[str, str]]]:
    def places(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
        del tables
        if function.name.startswith(start):
            yield "", ""

    return places


@operators.operator("wrong-handle", find_handles)
class WrongHandle(OutputEffect):
    """Another live object of the same type is returned; NULL if a query value has no alternative."""

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the outcome with another live object in place of the returned one."""
        if self.fault.place == RESULT:
            if not is_object_name(outcome.value):
                return outcome
            other = self.objects.get_other(str(outcome.value))
            return msgspec.structs.replace(outcome, value=other) if other else outcome
        if not self.matches(call, outcome):
            return outcome
        values: list[Any] = list(outcome.outputs[self.fault.place].values)
        at = next((at for at, value in enumerate(values) if is_object_name(value)), None)
        if at is None:
            return outcome
        other = self.objects.get_other(values[at])
        if other is None and self.query is None:
            return outcome
        values[at] = other
        return with_values(outcome, self.fault.place, values)


@operators.operator("retained-twice", _make_prefix_finder("clRetain"))
class RetainedTwice(FaultEffect):
    """A reference is counted twice."""

    def after(self, call: Call, outcome: Outcome, again: Callable[[Call], Outcome]) -> Outcome:
        """Make the retain call again if it succeeded."""
        own = call.function == self.fault.function and isinstance(outcome, Returned)
        if own and has_succeeded(self.function, outcome) and self.is_due():  # type: ignore[arg-type]
            again(call)
        return outcome


@operators.operator("not-released", _make_prefix_finder("clRelease"))
class NotReleased(FaultEffect):
    """A released reference is kept."""

    def before(self, call: Call) -> Call | Outcome:
        """Omit the release call, and report success."""
        own = call.function == self.fault.function and has_all_objects(self.function, call)
        return Returned(0) if own and self.is_due() else call


@operators.operator("misaligned", find_pointers)
class Misaligned(FaultEffect):
    """Returned memory begins at an odd address."""

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the outcome with an odd address."""
        del call
        return msgspec.structs.replace(outcome, alignment=1) if outcome.alignment > 1 else outcome


@operators.operator("overlapping", find_pointers)
class Overlapping(FaultEffect):
    """Returned memory begins at the address of other memory from this function."""

    def start(self) -> None:
        """Forget the memory that the function returned in earlier items."""
        self.given: list[str] = []

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the outcome with the address of earlier memory from this function."""
        there = [name for name in self.given if name in self.objects.names and name not in _get_handle_names(call)]
        if isinstance(outcome.value, str):
            self.given.append(outcome.value)
            if there:
                return msgspec.structs.replace(outcome, value=there[-1])
        return outcome


def _get_handle_names(call: Call) -> set[str]:
    return {value.name for value in call.arguments.values() if isinstance(value, Handle)}
