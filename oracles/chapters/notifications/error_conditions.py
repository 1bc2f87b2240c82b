"""Error conditions of callback registration (sections 4.4, 5.5.1, 5.8 and 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.parameters import find_null
from clconform.oracles.engine.predicate_result import PredicateResult, must_if
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clSetEventCallback/CL_INVALID_VALUE/1")
def has_invalid_callback(call: Call, model: Model) -> PredicateResult:
    """pfn_notify is NULL, or command_exec_callback_type is not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE."""
    return must_if(any(find_callback_violations(call, model)))


@rules.alternatives_of("clSetEventCallback/CL_INVALID_VALUE/1")
def find_callback_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds.

    The alternatives: pfn_notify is NULL, or command_exec_callback_type is not one of the three statuses.
    """
    statuses = [model.constant_value(name) for name in ("CL_SUBMITTED", "CL_RUNNING", "CL_COMPLETE")]
    yield from find_null(call, "pfn_notify")
    if call.command_exec_callback_type not in statuses:
        yield "command_exec_callback_type is not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE"
