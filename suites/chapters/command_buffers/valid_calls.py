"""One valid call of each function about a command-buffer's life (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clFinalizeCommandBufferKHR")
def finalize(kit: Kit) -> Arguments:
    """Finalize a command-buffer that has recorded nothing."""
    return {"command_buffer": kit.command_buffer()}
