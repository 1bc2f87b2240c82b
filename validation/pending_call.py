"""A recorded call of a program between its start and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call
from clconform.calls.values import Handle, find_handles
from clconform.recording.conversion import ConvertedCall
from clconform.recording.file_format import CallEntry, UnmappedMemory

if TYPE_CHECKING:
    from clconform.calls.values import Value


UNCHANGED_PREFIXES = ("platform", "device", "context")
"""Prefixes of the names of objects that a call does not change, except by retaining or releasing them."""


class PendingCall(msgspec.Struct, eq=False):
    """A call that the program has started.

    It may also have returned. ``number``: its number among the program's calls, from 1. ``is_concurrent``: another host
    thread made a call at the same time, or this call is inside a callback. ``concurrent_objects``: the objects that
    concurrent calls use. ``handles``: the objects in the arguments, each with its parameter. ``script``: the script
    lines of an interpreter that makes the call. ``frames``: the return addresses of the callers, the innermost first,
    without that of the call itself; empty if they are unknown. ``callback``: the call that registered the callback in
    which the program makes this call; None outside callbacks, and if it is unknown. ``unmapped``: the host memory that
    the call uses although it is not mapped. ``is_left``: another thread ended the process normally before the call
    returned.
    """

    entered: CallEntry
    converted: ConvertedCall
    number: int
    is_concurrent: bool = False
    concurrent_objects: set[str] = set()
    handles: list[tuple[Handle, str]] = []
    script: str = ""
    frames: tuple[int, ...] = ()
    callback: PendingCall | None = None
    unmapped: UnmappedMemory | None = None
    is_left: bool = False

    @property
    def call(self) -> Call:
        """Return the OpenCL call."""
        return self.converted.call

    def __post_init__(self) -> None:
        """Collect the objects in the arguments, each with its parameter."""
        self._collect_handles()

    def replace_argument(self, name: str, value: Value) -> None:
        """Replace the value of an argument."""
        call = Call(self.call.function, self.call.arguments | {name: value})
        self.converted = msgspec.structs.replace(self.converted, call=call)
        self._collect_handles()

    def _collect_handles(self) -> None:
        self.handles = [
            (handle, name)
            for name, value in self.converted.call.arguments.items()
            if value is not None and not isinstance(value, int)
            for handle in ((value,) if isinstance(value, Handle) else find_handles(value))
        ]

    def used_objects(self) -> set[str]:
        """Return the objects in the arguments, except for objects that the call does not change."""
        names = {handle.name for handle, _ in self.handles}
        if self.call.function.startswith(("clRetain", "clRelease")):
            return names
        return {name for name in names if not name.startswith(UNCHANGED_PREFIXES)}

    def note_concurrent(self, other: PendingCall) -> None:
        """Note that this call and the call ``other`` were concurrent."""
        self.is_concurrent = other.is_concurrent = True
        self.concurrent_objects |= other.used_objects()
        other.concurrent_objects |= self.used_objects()
