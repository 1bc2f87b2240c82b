"""One valid call of each function that makes semaphores (section 5.13.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreateSemaphoreWithPropertiesKHR")
def semaphore(kit: Kit) -> Arguments:
    """Make a binary semaphore."""
    return {"context": kit.context, "sema_props": kit.listed("CL_SEMAPHORE_TYPE_KHR", "CL_SEMAPHORE_TYPE_BINARY_KHR")}
