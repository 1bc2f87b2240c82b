"""Rules that release objects while enqueued commands may still use them."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from clconform.calls.values import Handle
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.events import UserEvent
from clconform.suites.data.state_machine import ContentsMachine

RELEASES = {"cl_mem": "clReleaseMemObject", "cl_event": "clReleaseEvent", "cl_kernel": "clReleaseKernel"}
"""The function that releases the objects of each handle type; random programs release only these types."""


class ReleaseRules(ContentsMachine):
    """Rules that release objects in use: commands and sub-buffers that use a released object keep it alive."""

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and bool(self.releasable_objects()))
    def release(self, data: st.DataObject) -> None:
        """Release a random object."""
        thing = self.draw_object(data, self.releasable_objects())
        self.kernels = {name: kernel for name, kernel in self.kernels.items() if kernel.name != thing.name}
        self.attempt_calls(lambda: getattr(self.cl, RELEASES[thing.type])(Handle(thing.name)))

    def releasable_objects(self) -> list[ContextObject]:
        """Return the objects that may be released: not mapped, and not a user event whose status is unset."""
        things = [each for type_name in RELEASES for each in self.live_objects(ContextObject) if each.type == type_name]
        return [
            each
            for each in things
            if not self.is_mapped(each) and (not isinstance(each, UserEvent) or each.is_complete)
        ]
