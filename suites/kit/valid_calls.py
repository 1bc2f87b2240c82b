"""Valid calls: one for each function, with all of its arguments.

The suites derive other calls by changing arguments.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeAlias

from clconform.calls.values import OutputBuffer
from clconform.oracles.engine.registry import Registry, find_declarations
from clconform.spec_tables import load
from clconform.spec_tables.revision_ids import extension_name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.calls.values import Value

    Arguments: TypeAlias = "dict[str, Value]"
    ValidCall: TypeAlias = "Callable[[Any], Arguments]"
    """A function that returns the arguments of a valid call for a kit."""

PACKAGE = "clconform.suites.chapters"
"""The package that is searched for modules with valid calls, recursively."""
DEFAULT_ARGUMENTS: Mapping[str, Value] = {
    "num_events_in_wait_list": 0,
    "event_wait_list": None,
    "event": OutputBuffer(1),
    "errcode_ret": OutputBuffer(1),
    "pfn_notify": None,
    "user_data": None,
    "properties": None,
    "blocking_read": 1,
    "blocking_write": 1,
    "blocking_map": 1,
    "blocking_copy": 1,
    "num_sync_points_in_wait_list": 0,
    "sync_point_wait_list": None,
    "sync_point": OutputBuffer(1),
    "mutable_handle": None,
}
"""Default arguments: empty wait list, requested event and error code, no callback, blocking.

For recorded commands: a requested sync-point, and NULL as the output of the handle.
"""

REQUIRED_CAPABILITIES = {
    "clEnqueueNativeKernel": ("CL_DEVICE_EXECUTION_CAPABILITIES", "CL_EXEC_NATIVE_KERNEL", "native kernels"),
}
"""Functions that a device may reject with any arguments: query, required bit, and description of the capability.

Calls that must be rejected are made even without the capability.
"""


class ValidCalls(Registry[str, "ValidCall"]):
    """A registry of valid calls by function, which modules declare as ``valid_calls``.

    A valid call is a function that returns arguments; it may omit default arguments.
    """

    def __init__(self) -> None:
        super().__init__("valid calls")


@functools.cache
def all_valid_calls() -> Mapping[str, ValidCall]:
    """Map functions to the valid calls of all chapters; ValueError if a function has two valid calls.

    A function that was promoted from an extension to the core uses the valid call of the extension's function.
    """
    joined = ValidCalls()
    for own in find_declarations(PACKAGE, "valid_calls", ValidCalls):
        joined.merge(own)
    tables = load()
    counterparts = {
        name: joined.entries.get(extension_name_of(name, tables))
        for name in tables.functions
        if name not in joined.entries
    }
    return {**joined.entries, **{name: call for name, call in counterparts.items() if call is not None}}
