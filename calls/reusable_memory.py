"""Determines the memory that an application may reuse after a call has returned.

The harness changes this memory after the call: a driver that reads the memory later uses unexpected bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, HandleBytes, Pointers
from clconform.spec_tables.requirements import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.calls.call import Call
    from clconform.spec_tables.entries import Enumerant
    from clconform.spec_tables.requirements import Function, Requirement

TOPICS = (
    "args-reusable-after-return",
    "argument-value-copied",
    "host-memory-reusable",
    "host-ptr-copied-immediately",
    "pattern-reusable-on-return",
    "pointer-list-reusable",
    "spec-value-copied",
    "wait-list-reusable",
)
"""The topics of effects that allow the reuse of the parameters that they name."""
COPIED, USED = "CL_MEM_COPY_HOST_PTR", "CL_MEM_USE_HOST_PTR"
HOST_PTR = "host_ptr"
"""The parameter for host memory of functions that create a buffer or an image; one requirement covers all of them."""
PTR, BLOCKING = "ptr", "blocking_write"
"""The source of a write, and the parameter that determines whether it may be reused immediately."""


def find_reusable_parameters(function: Function, requirements: Iterable[Requirement]) -> frozenset[str]:
    """Return the parameters whose memory may be reused after a call; ``requirements``: the function's requirements."""
    named = {
        name
        for requirement in requirements
        if isinstance(requirement, Effect) and requirement.topic in TOPICS
        for name in requirement.parameters
    }
    names = {parameter.name for parameter in function.parameters}
    return frozenset(names & (named | {HOST_PTR} if "flags" in names else named))


def is_reusable(parameter: str, call: Call, enumerants: Mapping[str, Enumerant]) -> bool:
    """Return whether an application may reuse the memory of a reusable parameter after this particular call."""
    given = call.arguments
    if not isinstance(given[parameter], Data | HandleBytes | ElementList | Pointers):
        return False
    if parameter == HOST_PTR:
        flags = given["flags"]
        copied, used = (enumerants[name].value for name in (COPIED, USED))
        return isinstance(flags, int) and flags & (copied | used) == copied
    return parameter != PTR or bool(given.get(BLOCKING))
