"""Postcondition of a query: a value of the expected size and contents, which is stored as a fact of the object."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import OutputBuffer
from clconform.oracles.common.object_creation import expect_reference_count, is_reference_count
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import (
    AllOf,
    Conditional,
    Element,
    Matcher,
    Mismatch,
    OneOf,
    Postcondition,
    Satisfies,
    TerminatedString,
    Values,
    format_values,
)
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.programs import Program
from clconform.oracles.queries.constraints import add_legacy_gap, expect_by_tables
from clconform.oracles.queries.query_request import BUFFER_SIZED_QUERIES, QueryRequest, requested_queries, value_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.oracles.engine.call_context import CallContext, RuleSource
    from clconform.oracles.model.cl_object import Fact

VOLATILE_NAME_PARTS = (
    "REFERENCE_COUNT",
    "MAP_COUNT",
    "DEVICE_AVAILABLE",
    "EXECUTION_STATUS",
    "SEMAPHORE_PAYLOAD",
    "COMMAND_BUFFER_STATE",
    "MUTABLE_DISPATCH_GLOBAL_WORK",
    "MUTABLE_DISPATCH_LOCAL_WORK",
    "BUILD_STATUS",
    "BUILD_LOG",
    "QUEUE_DEVICE_DEFAULT",
)
"""Parts of the names of queries whose value may change between calls."""


def query_postcondition(judged: CallContext) -> Postcondition:
    """Return the postcondition of a query: the expected value and size, and the fact that the model stores."""
    call, question = judged.call, judged.query_request
    if question is None:
        return Postcondition()
    outputs: dict[str, Matcher] = {}
    if isinstance(call.param_value, OutputBuffer):
        outputs["param_value"] = expect_query_value(question, judged.rulebook)
    if isinstance(call.param_value_size_ret, OutputBuffer):
        size = _expect_size(question)
        if question.query.shape == "array" and "param_value" not in outputs:
            size = AllOf(
                (
                    *_expect_known_array_size(question, judged.rulebook),
                    size,
                    *_expect_empty_array(question, judged.rulebook),
                )
            )
        outputs["param_value_size_ret"] = size

    def apply(_value: Element, seen: dict[str, Values]) -> list[Mismatch]:
        return record_value(question, seen)

    return Postcondition(outputs=outputs, apply=apply)


def expect_query_value(request: QueryRequest, rulebook: RuleSource) -> Matcher:
    """Return the expected value of a query, from its earlier value, the state of the object, and the tables.

    The matchers from the tables are omitted for an object whose state is unknown.
    """
    query, thing = request.query, request.subject
    parts: list[Matcher] = []
    told = rulebook.expected_value(request)
    if told is not None:
        parts.append(add_legacy_gap(told, query.id, request, rulebook))
    if isinstance(thing, ContextObject) and is_reference_count(query.name):
        parts.append(expect_reference_count(thing, query.id))
    if not thing.tainted or getattr(thing, "terminated", False):
        parts += expect_by_tables(request, rulebook)
    parts.append(_expect_unchanged(request))
    if query.shape == "string":
        return TerminatedString(
            tuple(parts), request.requirements, may_be_empty=_find_empty_interpretation(request) is not None
        )
    one = query.shape == "scalar" and not _is_undefined(request)
    members = request.model.lookups.count_members(query.type) if one else 0
    return AllOf(tuple(parts), requirements=request.requirements, length=members)


def record_value(request: QueryRequest, seen: dict[str, Values]) -> list[Mismatch]:
    """Store the returned value as a fact of the object; return a mismatch if its size is not the returned size."""
    complaints = _record_value_and_size(request, seen)
    _record_under_aliases(request)
    return complaints


def _record_under_aliases(question: QueryRequest) -> None:
    """Store the value under the query's aliases too, since rules use either the core name or that of an extension."""
    facts, key, name = question.subject.facts, question.fact_key, question.query.name
    for query in requested_queries(question.call, question.model):
        if query.name != name:
            for kept in (key, f"size of {key}"):
                if kept in facts:
                    facts[kept.replace(name, query.name)] = facts[kept]


def _record_value_and_size(question: QueryRequest, seen: dict[str, Values]) -> list[Mismatch]:
    query, thing, key = question.query, question.subject, question.fact_key
    sizes = seen.get("param_value_size_ret", [])
    size = sizes[0] if sizes and isinstance(sizes[0], int) else None
    if "param_value" not in seen:
        if size is not None:
            thing.facts[f"size of {key}"] = size
            if size == 0 and query.shape == "array":
                thing.facts[key] = ()
        return []
    values = [value for value in seen["param_value"] if value != UNTOUCHED]
    fact = _fact_from_values(question, values)
    if fact is _NO_FACT or (not values and _is_undefined(question)):
        return []
    thing.facts[key] = fact
    if query.shape == "string" and not values and size:
        observed = f"nothing written, param_value_size_ret {size}"
        return [Mismatch(query.id, f"{size} bytes with a terminator", observed, symptoms.NO_TERMINATOR)]
    known = _size_of_fact(question, fact)
    if known is not None and size and size != known:
        allowed, observed = f"{known} bytes for {format_values(values)}", f"param_value_size_ret {size}"
        return [Mismatch(query.id, allowed, observed, symptoms.OTHER_SIZE)]
    return []


_NO_FACT: Fact = "nothing to keep"


def _fact_from_values(question: QueryRequest, values: Values) -> Fact:
    """Return the fact to store for a value, or ``_NO_FACT`` if the value does not have the query's type."""
    query = question.query
    if query.shape == "string":
        return "".join(str(value) for value in values).rstrip("\0")
    kept = tuple(value for value in values if not isinstance(value, float))
    if len(kept) < len(values):
        return _NO_FACT
    if query.shape == "array":
        return kept
    lookups = question.model.lookups
    members = lookups.count_members(query.type)
    if len(kept) != members or (lookups.is_number(query.type) and not all(isinstance(each, int) for each in kept)):
        return _NO_FACT
    return kept if members > 1 else kept[0]


def _size_of_fact(question: QueryRequest, fact: Fact) -> int | None:
    if isinstance(fact, str) and question.query.shape == "string":
        return len(fact.encode(errors="surrogateescape")) + 1 if "\\x" not in fact else None
    width = question.model.lookups.size_of(question.query.type)
    if question.query.shape == "array" and isinstance(fact, tuple) and width:
        return width * len(fact) // question.model.lookups.count_members(question.query.type)
    return None


_ARRAY_LENGTHS = {"CL_DEVICE_UUID": 16, "CL_DRIVER_UUID": 16, "CL_DEVICE_LUID": 8}
"""Maps queries of devices to the length in the type of their value, such as ``cl_uchar[CL_UUID_SIZE_KHR]``."""


def _expect_size(question: QueryRequest) -> Matcher:
    """Return the expected size of a value, which also equals an earlier size if the value is stable.

    The size of a scalar is that of its type, and so is the size of an array whose type has a length. The size of
    another array is a multiple of the element size.
    """
    query = question.query
    width = question.model.lookups.size_of(query.type)
    if not width:
        return AllOf(())
    if query.shape == "scalar":
        return _expect_scalar_size(width, query.id)
    length = _ARRAY_LENGTHS.get(query.name.removesuffix("_KHR"))
    if length is not None and not _is_undefined(question):
        return _expect_scalar_size(width * length, query.id)
    try:
        size = value_size(question)
    except UnknownFactError:
        size = None
    nothing = query.shape == "string" and _find_empty_interpretation(question) is not None
    known = question.subject.facts.get(f"size of {question.fact_key}")
    before = known if isinstance(known, int) and is_stable(query.name) else None
    return _expect_variable_size(query.shape, width, query.id, size, before, or_nothing=nothing)


@functools.cache
def _expect_scalar_size(width: int, requirement: str) -> Matcher:
    """Expect exactly ``width`` bytes, the size of the query's type."""
    return OneOf(((width,),), (requirement,))


@functools.lru_cache
def _expect_variable_size(
    shape: str, width: int, requirement: str, size: int | None, before: int | None, *, or_nothing: bool
) -> Matcher:
    """Expect a size that fits a string or an array, and equals ``before`` if it is not None.

    ``size``: the simulated platform's size. ``or_nothing``: a string may have size 0.
    """
    choice = None if size is None else (size,)
    if shape == "string":
        least, why = (0, "there may be no source") if or_nothing else (1, "a string has a terminator")
        fits = Satisfies(lambda seen: _first_number(seen) >= least, f"at least {least}: {why}", (requirement,), choice)
    else:
        fits = Satisfies(
            lambda seen: _first_number(seen) >= 0 and _first_number(seen) % width == 0,
            f"a multiple of {width}",
            (requirement,),
            choice,
        )
    if before is None:
        return fits
    return AllOf((fits, Satisfies(lambda seen: _first_number(seen) == before, f"{before} as before", (requirement,))))


def _find_empty_interpretation(question: QueryRequest) -> InterpretationId | None:
    """Return the interpretation by which a string may be empty, without a terminator; None if it must not be."""
    program = question.subject
    sourceless = isinstance(program, Program) and not program.from_source
    return (
        InterpretationId("program-without-source")
        if sourceless and question.query.name == "CL_PROGRAM_SOURCE"
        else None
    )


def _expect_known_array_size(question: QueryRequest, rulebook: RuleSource) -> list[Matcher]:
    """Return the expected size of an array, if only the size is queried and a rule lists all allowed values."""
    told = rulebook.expected_value(question)
    lookups = question.model.lookups
    width = lookups.size_of(question.query.type)
    if not isinstance(told, OneOf) or not width:
        return []
    members = lookups.count_members(question.query.type)
    sizes = dict.fromkeys(len(values) * width // members for values in told.alternatives)
    return [OneOf(tuple((size,) for size in sizes), told.requirements)]


def _expect_empty_array(question: QueryRequest, rulebook: RuleSource) -> list[Matcher]:
    """Return the tables' matchers for an empty array, to apply to the returned size.

    They are checked only if the size is 0, in a call that queries only the size.
    """

    def demand(want: Satisfies) -> Conditional:
        def empty(seen: Values) -> bool:
            return seen == [0] and (not isinstance(want, Conditional) or want.applies([]))

        test, entry = want.test, want.inferred_by
        return Conditional(lambda _seen: test([]), want.allowed, want.requirements, inferred_by=entry, applies=empty)

    found = [want for want in expect_by_tables(question, rulebook) if isinstance(want, Satisfies)]
    return [demand(want) for want in found if want.requirements != (question.query.id,)]


def _expect_unchanged(question: QueryRequest) -> Matcher:
    """Expect the value of the earlier call, if the value of the query does not change between calls."""
    known = question.subject.facts.get(question.fact_key)
    if known is None or not is_stable(question.query.name) or _is_undefined(question) or _find_variability(question):
        return AllOf((), example=known if isinstance(known, (str, tuple)) else None if known is None else (known,))
    values = known if isinstance(known, tuple) else (known,)
    return AllOf(()) if _names_released_object(values, question) else OneOf((values,), (question.query.id,))


def _names_released_object(values: Sequence[Element], question: QueryRequest) -> bool:
    """Return whether an earlier value contains a released object; its handle no longer has this name."""
    type_ = question.model.tables.types.get(question.query.type)
    gone = (value for value in values if isinstance(value, str) and value not in question.model.objects)
    return type_ is not None and type_.kind == "handle" and any(gone)


def _find_variability(question: QueryRequest) -> InterpretationId | None:
    """Return the interpretation by which a value may differ between calls; None if the value must not change."""
    return _VARIABLE_QUERIES.get(question.query.name)


_VARIABLE_QUERIES = {
    "CL_DEVICE_MAX_CLOCK_FREQUENCY": InterpretationId("changing-clock-frequency"),
    "CL_PROGRAM_BINARY_SIZES": InterpretationId("binaries-that-grow"),
}
"""Maps queries to the interpretations by which their values may differ between calls."""


def _is_undefined(question: QueryRequest) -> bool:
    """Return whether a value is undefined, so that it may differ between calls or remain unwritten."""
    name = question.query.name.removesuffix("_KHR")
    if name not in ("CL_DEVICE_LUID", "CL_DEVICE_NODE_MASK"):
        return False
    facts = question.subject.facts
    return not any(facts.get(f"CL_DEVICE_LUID_VALID{suffix}") for suffix in ("", "_KHR"))


@functools.cache
def is_stable(name: str) -> bool:
    """Return whether the value of a query stays the same as long as the object does not change."""
    return name not in BUFFER_SIZED_QUERIES and not any(part in name for part in VOLATILE_NAME_PARTS)


def _first_number(seen: Values) -> int:
    return seen[0] if seen and isinstance(seen[0], int) else -1
