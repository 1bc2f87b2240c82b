"""Faults of values: sizes, counts and query values off by one, bits, other names, stale values, missing terminators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import OutputBuffer, OutputBuffers
from clconform.selftest.injection.fault import FaultEffect
from clconform.selftest.injection.operators.operator_registry import Operators
from clconform.selftest.outcome_changes import ERROR_PARAMETER, find_first_number, has_succeeded, with_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function, Query

operators = Operators()

VALUE, SIZE = "param_value", "param_value_size_ret"


def get_queries(function: Function, tables: Tables) -> list[Query]:
    """Return the queries of a query function whose value is in the tables."""
    return [query for query in tables.queries_of(function.name) if query.name in tables.enumerants]


def get_value_kind(query: Query, tables: Tables) -> str:
    """Return the kind of a query's value: string, handle, bits, name (one of a closed list of values), or number."""
    if query.shape == "string":
        return "string"
    base = query.type.replace("const ", "").rstrip("*[] ")
    known = tables.types.get(base)
    if "*" in query.type or (known and known.kind == "handle"):
        return "handle"
    if known and known.kind == "bitfield":
        return "bits"
    return "name" if get_listed_values(base, tables) else "number"


def get_listed_values(base: str, tables: Tables) -> list[int]:
    """Return the values of a type that is a closed list, in order; empty for other types."""
    if base == "cl_bool":
        return [0, 1]
    return sorted({each.value for each in tables.enumerants.values() if each.group == base})


def _make_query_finder(*kinds: str) -> Callable[[Function, Tables], Iterator[tuple[str, str]]]:
    def places(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
        if function.queries:
            yield from (
                (VALUE, query.name) for query in get_queries(function, tables) if get_value_kind(query, tables) in kinds
            )

    return places


def find_numbers(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield numeric outputs: sizes and values of queries, counts and pitches of other functions."""
    if function.queries:
        yield from ((SIZE, query.name) for query in get_queries(function, tables))
        yield from _make_query_finder("number")(function, tables)
        return
    for each in function.parameters:
        known = tables.types.get(each.base)
        counted = each.base == "size_t" or (known is not None and known.kind == "scalar")
        if each.direction == "out" and each.pointers == 1 and each.name != ERROR_PARAMETER and counted:
            yield each.name, ""


def find_bit_fields(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield bit-field outputs."""
    yield from _make_query_finder("bits")(function, tables)
    for each in function.parameters:
        known = tables.types.get(each.base)
        if each.direction == "out" and each.pointers == 1 and known is not None and known.kind == "bitfield":
            yield each.name, ""


class OutputEffect(FaultEffect):
    """Changes an output of a successful call. For query functions, the output is the value of one query."""

    def start(self) -> None:
        """Look up the ``param_name`` value of the query that the fault names, if it names a query."""
        named = self.tables.enumerants.get(self.fault.subject)
        self.query = named.value & 0xFFFFFFFF if named and self.function.queries else None

    def matches(self, call: Call, outcome: Returned) -> bool:
        """Return whether a call matches the fault."""
        if not has_succeeded(self.function, outcome) or not outcome.outputs.get(self.fault.place, Output()).values:
            return False
        return self.query is None or call.arguments["param_name"] == self.query

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Change the first number of the output."""
        if not self.matches(call, outcome):
            return outcome
        at = find_first_number(outcome, self.fault.place)
        if at is None:
            return outcome
        values: list[Any] = list(outcome.outputs[self.fault.place].values)
        changed = self.get_replacement(values[at])
        if changed is None:
            return outcome
        values[at] = changed
        return with_values(outcome, self.fault.place, values)

    def get_replacement(self, number: int) -> int | None:
        """Return the replacement of a number; None if the fault does not match it."""
        raise NotImplementedError


@operators.operator("one-more", find_numbers)
class OneMore(OutputEffect):
    """A size, a count or a number is one larger."""

    def get_replacement(self, number: int) -> int | None:
        """Return the next larger number."""
        return number + 1


@operators.operator("one-less", find_numbers)
class OneLess(OutputEffect):
    """A size, a count or a number is one smaller."""

    def get_replacement(self, number: int) -> int | None:
        """Return the number minus one; None for 0."""
        return number - 1 if number > 0 else None


@operators.operator("bit-added", find_bit_fields)
class BitAdded(OutputEffect):
    """The lowest clear bit of a bit-field is set."""

    def get_replacement(self, number: int) -> int | None:
        """Return the number with its lowest clear bit set."""
        return number | (number + 1)


@operators.operator("bit-dropped", find_bit_fields)
class BitDropped(OutputEffect):
    """The lowest set bit of a bit-field is cleared."""

    def get_replacement(self, number: int) -> int | None:
        """Return the number with its lowest set bit cleared; None if no bit is set."""
        return number & (number - 1) if number > 0 else None


@operators.operator("another-name", _make_query_finder("name"))
class AnotherName(OutputEffect):
    """The next value of a closed list is returned."""

    def get_replacement(self, number: int) -> int | None:
        """Return the next value of the closed list."""
        query = next(each for each in get_queries(self.function, self.tables) if each.name == self.fault.subject)
        there = get_listed_values(query.type.replace("const ", "").rstrip("*[] "), self.tables)
        after = [value for value in there if value > number] + there
        return next((value for value in after if value != number), None)


@operators.operator("no-terminator", _make_query_finder("string"))
class NoTerminator(OutputEffect):
    """A string ends with a letter instead of its terminator."""

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the outcome with a letter in place of the string's terminator."""
        if not self.matches(call, outcome):
            return outcome
        (text,) = outcome.outputs[VALUE].values
        if not isinstance(text, str) or not text.endswith("\0"):
            return outcome
        return with_values(outcome, VALUE, [text[:-1] + "x"])


def _get_capacity(buffer: Value) -> int | None:
    """Return the size in bytes of an output buffer, or the total size of the buffers in a pointer list."""
    if isinstance(buffer, OutputBuffers):
        return sum(buffer.counts)
    return buffer.count if isinstance(buffer, OutputBuffer) else None


def _get_needed_bytes(output: Output) -> int:
    """Return the number of bytes that a value needs. The contents of pointer lists are stored as hexadecimal texts."""
    return max(output.written, sum(len(each) for each in output.values if isinstance(each, str)) // 2)


class _StaleValueEffect(OutputEffect):
    """Returns a stale value for a query; ``answers`` stores the earlier outcomes by object and query."""

    def start(self) -> None:
        """Look up the query, and forget the outcomes of earlier items."""
        super().start()
        self.answers: dict[tuple[object, ...], list[Returned]] = {}

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return an earlier value that differs and fits into the buffer."""
        capacity = _get_capacity(call.arguments.get(VALUE))
        if not self.matches(call, outcome) or capacity is None:
            return outcome
        passed = ("param_name", "param_value_size", VALUE, SIZE)
        about = tuple(value for name, value in call.arguments.items() if name not in passed)
        kept = self.get_candidates(about)
        self.answers.setdefault(about, []).append(outcome)
        now = outcome.outputs[VALUE]
        for before in reversed(kept):
            then = before.outputs[VALUE]
            if then.values != now.values and _get_needed_bytes(then) <= capacity:
                changed = outcome.with_outputs(**{VALUE: then})
                told = before.outputs.get(SIZE)
                return changed.with_outputs(**{SIZE: told}) if told and SIZE in outcome.outputs else changed
        return outcome

    def get_candidates(self, about: tuple[object, ...]) -> list[Returned]:
        """Return the stored outcomes that may replace the outcome of this query."""
        raise NotImplementedError


@operators.operator("answer-of-before", _make_query_finder("string", "handle", "bits", "name", "number"))
class StaleValue(_StaleValueEffect):
    """A query returns an earlier value for the same object although the value has changed."""

    def get_candidates(self, about: tuple[object, ...]) -> list[Returned]:
        """Return the earlier outcomes of this query for the same object."""
        return list(self.answers.get(about, []))


@operators.operator("answer-of-another", _make_query_finder("string", "handle", "bits", "name", "number"))
class ValueOfOtherObject(_StaleValueEffect):
    """A query returns the value for another object."""

    def get_candidates(self, about: tuple[object, ...]) -> list[Returned]:
        """Return the earlier outcomes of this query for other objects."""
        return [answer for other, answers in self.answers.items() if other != about for answer in answers]
