"""How programs about contents give objects back while commands that use them may still be queued."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from clconform.calls.values import Handle
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.events import UserEvent
from clconform.suites.data.machine import Machine

RELEASES = {"cl_mem": "clReleaseMemObject", "cl_event": "clReleaseEvent", "cl_kernel": "clReleaseKernel"}
"""Type of what a program gives back early, to the function that does it."""


class ReleaseRules(Machine):
    """An object that the application has released lives on for the commands that use it, and for its regions."""

    @rule(data=st.data())
    @precondition(lambda self: not self.over and bool(self.releasable()))
    def release(self, data: st.DataObject) -> None:
        """Give an object back."""
        thing = self.pick(data, self.releasable())
        self.kernels = {name: kernel for name, kernel in self.kernels.items() if kernel.name != thing.name}
        self.attempt(lambda: getattr(self.cl, RELEASES[thing.type])(Handle(thing.name)))

    def releasable(self) -> list[ContextObject]:
        """Return what may be given back: no memory that is mapped, no user event that is not set yet."""
        things = [each for type_name in RELEASES for each in self.living(ContextObject) if each.type == type_name]
        return [
            each for each in things if not self.on_a_map(each) and (not isinstance(each, UserEvent) or each.complete)
        ]
