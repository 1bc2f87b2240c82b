"""Error conditions of query functions: unknown names, short output buffers, and conditions of single functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffers
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.gates import Gating
from clconform.oracles.engine.rules import Rules
from clconform.oracles.queries.questions import (
    AS_MUCH_AS_FITS,
    Question,
    answer_size,
    queries_of,
    query_of,
    question_of,
    subject,
)

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.records import ErrorClause

rules = Rules()

FIRST_UNUSED_NAME = 0x7FFF0000
"""The registry does not assign blocks this high: names from here on are unassigned."""


@rules.clause("clGetMemAllocInfoINTEL/CL_INVALID_VALUE/1")
def unknown_name(call: Call, model: Model) -> Reply:
    """param_name is not a supported value."""
    return _unknown(question_of(call, model), call, model)


def _unknown(question: Question | None, call: Call, model: Model) -> Reply:
    if question is not None:
        return May("undecided-gate") if question.gating is Gating.UNDECIDED else Answer.NO
    if query_of(call, model) is None:
        return _not_a_name(call, model)
    if _of_nothing(call, model):
        everywhere = model.tables.functions[call.function].gates
        later = any(set(query.gates) - set(everywhere) for query in queries_of(call, model))
        return May("unknown-fact") if later else Answer.NO
    thing = model.known(call.arguments[subject(call)])
    return May("name-not-supported" if thing is not None else "unknown-fact")


@rules.clause("clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2")
def buffer_too_small(call: Call, model: Model) -> Reply:
    """param_value is not NULL and param_value_size is less than the size of the value."""
    return _short(question_of(call, model), call, model)


def _short(question: Question | None, call: Call, model: Model) -> Reply:
    if call.param_value is None:
        return Answer.NO
    if question is None:
        return _too_small_for_any(call, model) if _of_nothing(call, model) else Answer.NO
    if isinstance(call.param_value, OutputBuffers) and _buffers_too_short(call.param_value, question):
        return Answer.UNDEFINED
    return May("unknown-fact") if question.query.name in AS_MUCH_AS_FITS else _too_small(question)


def unknown_name_or_buffer_too_small(call: Call, model: Model) -> Reply:
    """param_name is not a supported value, or the output buffer is too small for the value."""
    question = question_of(call, model)
    reply = _unknown(question, call, model)
    return _short(question, call, model) if reply is Answer.NO else reply


def _not_a_name(call: Call, model: Model) -> Reply:
    """Return whether a name that this function does not define must be rejected.

    It must if the registry does not assign it, or if it belongs to another function.
    """
    value = call.param_name & 0xFFFFFFFF
    if value >= FIRST_UNUSED_NAME:
        return Answer.MUST
    others = model.lookups.functions_of(value)
    return Answer.MUST if others and call.function not in others else May("name-not-supported")


def _buffers_too_short(output_buffers: OutputBuffers, question: Question) -> bool:
    """Return whether a pointer of a list leads to fewer bytes than the size of its binary."""
    sizes = question.thing.facts.get("CL_PROGRAM_BINARY_SIZES")
    known = [size for size in sizes if isinstance(size, int)] if isinstance(sizes, tuple) else []
    return any(count < size for count, size in zip(output_buffers.counts, known, strict=False))


def _of_nothing(call: Call, model: Model) -> bool:
    """Return whether the queried object is NULL; a NULL platform may mean a default one."""
    first, *_ = model.tables.functions[call.function].parameters
    return call.arguments[first.name] is None and not first.pointers and first.base != "cl_platform_id"


def _too_small_for_any(call: Call, model: Model) -> Reply:
    """Return whether the output buffer for a query of NULL is too small: only the size of one element is known."""
    query = query_of(call, model)
    if query is None or query.name in AS_MUCH_AS_FITS:
        return May("unknown-fact")
    if call.param_value_size >= model.lookups.size_of(query.type):
        return Answer.NO
    return Answer.MUST if query.shape == "scalar" else May("unknown-fact")


def _too_small(question: Question) -> Reply:
    return bool(question.call.param_value_size < answer_size(question))


@rules.recurring(
    "query-value",
    "{0} is not a supported value, or {2} is not NULL and {1} is less than the size of the value.",
)
def query_value(record: ErrorClause) -> Predicate:
    """Build the predicate: param_name is not supported, or the output buffer is too small."""
    del record
    return unknown_name_or_buffer_too_small
