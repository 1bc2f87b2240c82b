"""Command-buffers that cannot be finalized (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Reply
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")
def finalized_before(call: Call, model: Model) -> Reply:
    """command_buffer is not in the recording state."""
    return not model.get(CommandBuffer, call.command_buffer).recording
