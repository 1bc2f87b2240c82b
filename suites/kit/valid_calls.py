"""Valid calls: for each function one, with all of its arguments; other calls change some of them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeAlias

from clconform.calls.values import OutputBuffer
from clconform.oracles.engine.registry import Registry, declared_in
from clconform.spec_tables import load
from clconform.spec_tables.across import twin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.calls.values import Value

    Arguments: TypeAlias = "dict[str, Value]"
    ValidCall: TypeAlias = "Callable[[Any], Arguments]"
    """What makes the arguments, given the kit, which itself knows every valid call."""

PACKAGE = "clconform.suites.chapters"
"""Where modules with valid calls are looked for, at any depth."""
USUAL: Mapping[str, Value] = {
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
"""Arguments that need not be given: nothing to wait for, an event and a code asked for, no callback, blocking.

A recorded command gives a synchronization-point, and no handle."""

REFUSED_WITHOUT = {
    "clEnqueueNativeKernel": ("CL_DEVICE_EXECUTION_CAPABILITIES", "CL_EXEC_NATIVE_KERNEL", "native kernels"),
}
"""Functions that a device refuses whatever the arguments are: query, the bit that it has to have, and what that is.

Calls that must be refused are made all the same.
"""


class ValidCalls(Registry[str, "ValidCall"]):
    """Function to what makes the arguments of a call that must succeed; a module keeps its own as ``valid_calls``.

    The usual arguments may be left out.
    """

    def __init__(self) -> None:
        super().__init__("valid calls")


@functools.cache
def every_valid_call() -> Mapping[str, ValidCall]:
    """Return the valid calls of all chapters, by function; ValueError where a function has two.

    A function that came from an extension into the core is called as it was there.
    """
    joined = ValidCalls()
    for own in declared_in(PACKAGE, "valid_calls", ValidCalls):
        joined.merge(own)
    tables = load()
    twins = {name: joined.known.get(twin_of(name, tables)) for name in tables.functions if name not in joined.known}
    return {**joined.known, **{name: call for name, call in twins.items() if call is not None}}
