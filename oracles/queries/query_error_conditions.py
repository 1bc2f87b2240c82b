"""Error conditions of query functions: unknown names, short output buffers, and conditions of single functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffers
from clconform.oracles.engine.applicability import Applicability
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, Predicate, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.queries.query_request import (
    BUFFER_SIZED_QUERIES,
    QueryRequest,
    query_request_of,
    requested_queries,
    requested_query,
    subject_parameter,
    value_size,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import ErrorCondition

rules = Rules()

FIRST_ASSIGNED_NAME = 0x0900
"""The first of the names that the registry assigns; it keeps the numbers below for error codes and flags."""
FIRST_UNASSIGNED_NAME = 0x7FFF0000
"""The first of the names that the registry does not assign to a vendor or an extension."""


NAMES_IN_DOUBT = {
    Applicability.UNDECIDED: may("undecided-applicability"),
    Applicability.OTHER_REVISION: may("other-revision"),
}
"""The results for the name of a query whose applicability is in doubt."""


@rules.clause("clGetMemAllocInfoINTEL/CL_INVALID_VALUE/1")
def is_name_unknown(call: Call, model: Model) -> PredicateResult:
    """param_name is not a supported value."""
    return _check_name(query_request_of(call, model), call, model)


def _check_name(request: QueryRequest | None, call: Call, model: Model) -> PredicateResult:
    if request is not None:
        return NAMES_IN_DOUBT.get(request.applicability, NO)
    if requested_query(call, model) is None:
        return _is_foreign_name(call, model)
    if _is_subject_null(call, model):
        everywhere = model.tables.functions[call.function].applicability
        later = any(set(query.applicability) - set(everywhere) for query in requested_queries(call, model))
        return may("unknown-fact") if later else NO
    thing = model.find(call.arguments[subject_parameter(call)])
    return may("query-name-unsupported" if thing is not None else "unknown-fact")


@rules.clause("clGetMemAllocInfoINTEL/CL_INVALID_VALUE/2")
def is_buffer_too_small(call: Call, model: Model) -> PredicateResult:
    """param_value is not NULL and param_value_size is less than the size of the value."""
    return _check_buffer(query_request_of(call, model), call, model)


def _check_buffer(request: QueryRequest | None, call: Call, model: Model) -> PredicateResult:
    if call.param_value is None:
        return NO
    if request is None:
        return _is_too_small_for_any(call, model) if _is_subject_null(call, model) else NO
    if isinstance(call.param_value, OutputBuffers) and _has_short_buffers(call.param_value, request):
        return UNDEFINED
    return may("unknown-fact") if request.query.name in BUFFER_SIZED_QUERIES else _is_too_small(request)


def is_name_unknown_or_buffer_too_small(call: Call, model: Model) -> PredicateResult:
    """param_name is not supported, or param_value is not NULL and param_value_size is less than the value's size."""
    question = query_request_of(call, model)
    reply = _check_name(question, call, model)
    return _check_buffer(question, call, model) if reply is NO else reply


def _is_foreign_name(call: Call, model: Model) -> PredicateResult:
    """Return whether the function must reject a name that it does not define.

    The name must be rejected if the registry does not assign it, or if it belongs to another function.
    """
    value = call.param_name & 0xFFFFFFFF
    if not FIRST_ASSIGNED_NAME <= value < FIRST_UNASSIGNED_NAME:
        return MUST
    others = model.lookups.functions_of(value)
    return MUST if others and call.function not in others else may("query-name-unsupported")


def _has_short_buffers(output_buffers: OutputBuffers, question: QueryRequest) -> bool:
    """Return whether an output buffer in a list of buffers is smaller than the program binary that it receives."""
    sizes = question.subject.facts.get("CL_PROGRAM_BINARY_SIZES")
    known = [size for size in sizes if isinstance(size, int)] if isinstance(sizes, tuple) else []
    return any(count < size for count, size in zip(output_buffers.counts, known, strict=False))


def _is_subject_null(call: Call, model: Model) -> bool:
    """Return whether the queried object is NULL; False for a platform: NULL may stand for a default platform."""
    first, *_ = model.tables.functions[call.function].parameters
    return call.arguments[first.name] is None and not first.pointers and first.base != "cl_platform_id"


def _is_too_small_for_any(call: Call, model: Model) -> PredicateResult:
    """Return whether the output buffer of a query on NULL is too small for any value.

    Without an object, only the size of one element is known.
    """
    query = requested_query(call, model)
    if query is None or query.name in BUFFER_SIZED_QUERIES:
        return may("unknown-fact")
    if call.param_value_size >= model.lookups.size_of(query.type):
        return NO
    return MUST if query.shape == "scalar" else may("unknown-fact")


def _is_too_small(question: QueryRequest) -> PredicateResult:
    return must_if(bool(question.call.param_value_size < value_size(question)))


@rules.recurring_condition(
    "query-value",
    "{0} is not a supported value, or {2} is not NULL and {1} is less than the size of the value.",
)
def build_query_value(requirement: ErrorCondition) -> Predicate:
    """Return the predicate of a clause about an unsupported name and a too small output buffer."""
    del requirement
    return is_name_unknown_or_buffer_too_small


@rules.alternatives_of_kind("query-value")
def find_query_value_violation(call: Call, model: Model, condition: ErrorCondition) -> Iterator[str]:
    """Yield the alternative that holds: the name is not supported, or the output buffer is too small."""
    del condition
    return find_query_violation(call, model)


def find_query_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: the name of an invalid query is not supported, or its output buffer is too small.
    """
    if _check_name(query_request_of(call, model), call, model) is NO:
        yield "param_value is not NULL and param_value_size is less than the size of the value"
    else:
        yield "param_name is not a supported value"
