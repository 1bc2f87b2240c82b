"""Rejected queries: revisions from 3.1.0 on have a separate clause for each of the two reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer
from clconform.oracles.engine.rules import Rules
from clconform.oracles.queries.clauses import buffer_too_small, unknown_name

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Reply
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.part(
    "clGetPlatformInfo/CL_INVALID_VALUE/2",
    "clGetDeviceInfo/CL_INVALID_VALUE/2",
    "clGetContextInfo/CL_INVALID_VALUE/2",
    "clGetCommandQueueInfo/CL_INVALID_VALUE/2",
    "clGetImageInfo/CL_INVALID_VALUE/2",
)
def no_such_name(call: Call, model: Model) -> Reply:
    """param_name is not a supported value."""
    return unknown_name(call, model)


@rules.part(
    "clGetPlatformInfo/CL_INVALID_VALUE/3",
    "clGetDeviceInfo/CL_INVALID_VALUE/3",
    "clGetContextInfo/CL_INVALID_VALUE/3",
    "clGetCommandQueueInfo/CL_INVALID_VALUE/3",
    "clGetImageInfo/CL_INVALID_VALUE/3",
)
def too_short_a_buffer(call: Call, model: Model) -> Reply:
    """param_value is not NULL, and param_value_size is less than the size of the value."""
    return buffer_too_small(call, model) if unknown_name(call, model) is Answer.NO else Answer.NO
