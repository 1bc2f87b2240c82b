"""A recorded call between its two records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.call import handles_of

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.recording.conversion import Converted
    from clconform.recording.file_format import Entered


LEFT_AS_IT_IS = ("platform", "device", "context")
"""Beginnings of the names of objects that a call leaves as they are, unless it retains or releases them."""


@dataclass
class UnderWay:
    """A call that the driver was in, or is. ``number``: among the program's calls, from 1.

    ``overlapped``: a call of another host thread was under way meanwhile, or this is one of a callback. ``met``: the
    objects that those calls work on. ``script``: the lines of the interpreter that makes the call.
    """

    entered: Entered
    converted: Converted
    number: int
    overlapped: bool = False
    met: set[str] = field(default_factory=set)
    script: str = ""

    @property
    def call(self) -> Call:
        """Return the call itself."""
        return self.converted.call

    def works_on(self) -> set[str]:
        """Return the objects that the call works on: those that it names, but for what it leaves as it is."""
        names = {handle.name for handle in handles_of(self.call)}
        if self.call.function.startswith(("clRetain", "clRelease")):
            return names
        return {name for name in names if not name.startswith(LEFT_AS_IT_IS)}

    def overlap(self, other: UnderWay) -> None:
        """Note that both calls were under way at the same time."""
        self.overlapped = other.overlapped = True
        self.met |= other.works_on()
        other.met |= self.works_on()
