"""Rules that release objects while commands that use them may still be queued."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from clconform.calls.values import Handle
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.events import UserEvent
from clconform.suites.data.state_machine import ContentsMachine

RELEASES = {"cl_mem": "clReleaseMemObject", "cl_event": "clReleaseEvent", "cl_kernel": "clReleaseKernel"}
"""Handle type of the objects that a program releases early to the function that releases them."""


class ReleaseRules(ContentsMachine):
    """Rules for releases: a released object lives on for the commands and sub-buffers that use it."""

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and bool(self.releasable_objects()))
    def release(self, data: st.DataObject) -> None:
        """Release an object."""
        thing = self.draw_object(data, self.releasable_objects())
        self.kernels = {name: kernel for name, kernel in self.kernels.items() if kernel.name != thing.name}
        self.attempt_calls(lambda: getattr(self.cl, RELEASES[thing.type])(Handle(thing.name)))

    def releasable_objects(self) -> list[ContextObject]:
        """Return the objects that may be released: neither mapped memory nor user events without a status."""
        things = [each for type_name in RELEASES for each in self.live_objects(ContextObject) if each.type == type_name]
        return [
            each
            for each in things
            if not self.is_mapped(each) and (not isinstance(each, UserEvent) or each.is_complete)
        ]
