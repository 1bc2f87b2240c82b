"""Keeps the call stacks that a recording contains, for the calls that were made with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.recording.file_format import CallEntry, CallStack

_MAX_STACKS = 65536


class CallStacks:
    """The call stacks of a recording.

    ``_written``: maps the digest of a stack to its return addresses. ``_last``: maps a thread and a return address to
    the digest of the stack of the last call there. If there are too many, the oldest are forgotten: their calls have no
    stack.
    """

    def __init__(self) -> None:
        self._written: dict[int, tuple[int, ...]] = {}
        self._last: dict[tuple[int, int], int] = {}

    def add(self, stack: CallStack) -> None:
        """Add a stack: the following calls of its thread at its call site have it."""
        if stack.frames:
            self._written[stack.digest] = stack.frames
        self._last[stack.thread, stack.site] = stack.digest
        if len(self._written) > _MAX_STACKS:
            del self._written[next(iter(self._written))]
        if len(self._last) > _MAX_STACKS:
            del self._last[next(iter(self._last))]

    def frames_of(self, entered: CallEntry) -> tuple[int, ...]:
        """Return the return addresses of the callers at a call that begins now; empty if they are unknown."""
        return self._written.get(self._last.get((entered.thread, entered.site), 0), ())
