"""Error conditions of queries that revision 3.1.0 split off from older conditions: for the name and for the buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.predicate_result import NO, PredicateResult
from clconform.oracles.engine.rules import Rules
from clconform.oracles.queries.query_error_conditions import is_buffer_too_small, is_name_unknown

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause_part(
    "clGetPlatformInfo/CL_INVALID_VALUE/2",
    "clGetDeviceInfo/CL_INVALID_VALUE/2",
    "clGetContextInfo/CL_INVALID_VALUE/2",
    "clGetCommandQueueInfo/CL_INVALID_VALUE/2",
    "clGetImageInfo/CL_INVALID_VALUE/2",
)
def is_unsupported_name(call: Call, model: Model) -> PredicateResult:
    """param_name is not a supported value."""
    return is_name_unknown(call, model)


@rules.clause_part(
    "clGetPlatformInfo/CL_INVALID_VALUE/3",
    "clGetDeviceInfo/CL_INVALID_VALUE/3",
    "clGetContextInfo/CL_INVALID_VALUE/3",
    "clGetCommandQueueInfo/CL_INVALID_VALUE/3",
    "clGetImageInfo/CL_INVALID_VALUE/3",
)
def is_short_buffer(call: Call, model: Model) -> PredicateResult:
    """param_value is not NULL, and param_value_size is less than the size of the value."""
    return is_buffer_too_small(call, model) if is_name_unknown(call, model) is NO else NO
