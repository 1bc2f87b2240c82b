"""Finds calls that use host memory which is not mapped: memory that the program has freed, or never allocated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.validation.findings import UNDEFINED
from clconform.validation.host_byte_ranges import is_returned_pointer
from clconform.validation.usage_rules import UsageViolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.judgements import Expectation
    from clconform.validation.pending_call import PendingCall

RULE = "missing-host-memory"


def find_unmapped_memory(begun: PendingCall, expectation: Expectation) -> Iterator[UsageViolation]:
    """Yield the use of memory that was not mapped when a call was made, unless the call must fail.

    Memory of the driver is not considered.
    """
    found = begun.unmapped
    if found is None or expectation.required_errors:
        return
    area = f"{found.bytes} bytes at {found.address:#x} in the program's memory, not all of which exist"
    if not found.object:
        if not is_returned_pointer(begun.call.arguments.get("ptr")):
            yield UsageViolation(UNDEFINED, (), f"ptr points to {area}", RULE)
        return
    given = begun.entered.arguments
    for handle, name in begun.handles:
        if name in given and given[name].bits == found.object:
            yield UsageViolation(UNDEFINED, (), f"{name}, {handle.name}, uses {area}", RULE, {"object": handle.name})
            return
