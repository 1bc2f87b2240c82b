"""A recorded call between its begin and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.values import Handle, handles_in
from clconform.recording.conversion import Converted
from clconform.recording.file_format import Entered

if TYPE_CHECKING:
    from clconform.calls.call import Call


LEFT_AS_IT_IS = ("platform", "device", "context")
"""Beginnings of the names of objects that a call does not change, unless it retains or releases them."""


class UnderWay(msgspec.Struct, eq=False):
    """A call that the driver executes or executed. ``number``: among the program's calls, from 1.

    ``overlapped``: a call of another host thread was concurrent, or this call is inside a callback. ``met``: the
    objects that those calls use. ``handles``: the objects that the call names, each with its parameter. ``script``: the
    lines of the interpreter that makes the call.
    """

    entered: Entered
    converted: Converted
    number: int
    overlapped: bool = False
    met: set[str] = set()
    handles: list[tuple[Handle, str]] = []
    script: str = ""

    @property
    def call(self) -> Call:
        """Return the call itself."""
        return self.converted.call

    def __post_init__(self) -> None:
        """Collect the objects that the call names, each with its parameter."""
        self.handles = [
            (handle, name)
            for name, value in self.converted.call.arguments.items()
            if value is not None and not isinstance(value, int)
            for handle in ((value,) if isinstance(value, Handle) else handles_in(value))
        ]

    def works_on(self) -> set[str]:
        """Return the objects that the call uses: those that it names, except those that it does not change."""
        names = {handle.name for handle, _ in self.handles}
        if self.call.function.startswith(("clRetain", "clRelease")):
            return names
        return {name for name in names if not name.startswith(LEFT_AS_IT_IS)}

    def overlap(self, other: UnderWay) -> None:
        """Note that both calls were concurrent."""
        self.overlapped = other.overlapped = True
        self.met |= other.works_on()
        other.met |= self.works_on()
