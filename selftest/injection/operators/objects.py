"""Faults of objects: another handle, another reference count, a misaligned or an overlapping pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.call import Call, Outcome, Returned
from clconform.calls.values import Handle
from clconform.selftest.injection.faults import Tampering, is_name
from clconform.selftest.injection.operators.numbers import VALUE, Answer, kind_of, queries_of
from clconform.selftest.injection.operators.registry import Operators
from clconform.selftest.outcomes import objects_given, succeeded, with_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

operators = Operators()

RESULT = "result"


def handles(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield handle outputs: the result, output parameters, values of queries."""
    if function.queries:
        for query in queries_of(function, tables):
            if kind_of(query, tables) == "handle":
                yield VALUE, query.name
    known = tables.types.get(function.returns)
    if known is not None and known.kind == "handle":
        yield RESULT, ""
    for each in function.parameters:
        known = tables.types.get(each.base)
        if each.direction == "out" and each.pointers == 1 and known is not None and known.kind == "handle":
            yield each.name, ""


def pointers(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the result of a function that returns memory."""
    del tables
    if function.returns == "void*" and not function.name.startswith("clGetExtension"):
        yield RESULT, ""


def _called(start: str) -> Callable[[Function, Tables], Iterator[tuple[str, str]]]:
    def places(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
        del tables
        if function.name.startswith(start):
            yield "", ""

    return places


@operators.operator("wrong-handle", handles)
class WrongHandle(Answer):
    """Another live object of the same type is returned; NULL if a query value has no alternative."""

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Replace the handle."""
        if self.fault.place == RESULT:
            if not is_name(outcome.value):
                return outcome
            other = self.seen.other(str(outcome.value))
            return msgspec.structs.replace(outcome, value=other) if other else outcome
        if not self.asked(call, outcome):
            return outcome
        values: list[Any] = list(outcome.outputs[self.fault.place].values)
        at = next((at for at, value in enumerate(values) if is_name(value)), None)
        if at is None:
            return outcome
        other = self.seen.other(values[at])
        if other is None and self.query is None:
            return outcome
        values[at] = other
        return with_values(outcome, self.fault.place, values)


@operators.operator("retained-twice", _called("clRetain"))
class RetainedTwice(Tampering):
    """A reference is counted twice."""

    def after(self, call: Call, outcome: Outcome, again: Callable[[Call], Outcome]) -> Outcome:
        """Make the call again."""
        own = call.function == self.fault.function and isinstance(outcome, Returned)
        if own and succeeded(self.function, outcome) and self.due():  # type: ignore[arg-type]
            again(call)
        return outcome


@operators.operator("not-released", _called("clRelease"))
class NotReleased(Tampering):
    """A released reference is kept."""

    def before(self, call: Call) -> Call | Outcome:
        """Omit the call."""
        own = call.function == self.fault.function and objects_given(self.function, call)
        return Returned(0) if own and self.due() else call


@operators.operator("misaligned", pointers)
class Misaligned(Tampering):
    """Returned memory begins at an odd address."""

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Report an odd address."""
        del call
        return msgspec.structs.replace(outcome, alignment=1) if outcome.alignment > 1 else outcome


@operators.operator("overlapping", pointers)
class Overlapping(Tampering):
    """Returned memory begins at the address of other memory from this function."""

    def start(self) -> None:
        """Initialise without memory."""
        self.given: list[str] = []

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Return earlier memory again."""
        there = [name for name in self.given if name in self.seen.names and name not in _handles(call)]
        if isinstance(outcome.value, str):
            self.given.append(outcome.value)
            if there:
                return msgspec.structs.replace(outcome, value=there[-1])
        return outcome


def _handles(call: Call) -> set[str]:
    return {value.name for value in call.arguments.values() if isinstance(value, Handle)}
