"""Error conditions of callback registration (sections 4.4, 5.5.1, 5.8 and 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Reply
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clSetEventCallback/CL_INVALID_VALUE/1")
def nothing_to_call_or_no_such_status(call: Call, model: Model) -> Reply:
    """pfn_notify is NULL, or command_exec_callback_type is not CL_SUBMITTED, CL_RUNNING or CL_COMPLETE."""
    statuses = [model.value(name) for name in ("CL_SUBMITTED", "CL_RUNNING", "CL_COMPLETE")]
    return call.pfn_notify is None or call.command_exec_callback_type not in statuses
