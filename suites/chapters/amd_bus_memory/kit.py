"""The kit for memory on the bus: queues of two devices, and data and signals between the devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OutputBuffer
from clconform.suites.chapters.amd_bus_memory.devices import BusDevices
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

WAIT, WRITE = "clEnqueueWaitSignalAMD", "clEnqueueWriteSignalAMD"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"


class BusKit(Kit):
    """A kit with two devices on one bus; ``context`` holds both."""

    def __init__(self, cl: Session) -> None:
        super().__init__(cl)
        bus = self.bus = BusDevices(self)
        skip_unless(not bus.has_no_other_device, "no other device supports cl_amd_bus_addressable_memory")
        self.context, self.here, self.there = bus.context, bus.here, bus.there

    def write_signal(self, view: Handle, value: int, queue: Handle, offset: int = 0) -> Outcome:
        """Enqueue a signal write to an external buffer, and flush the queue."""
        told = self.enqueue(
            WRITE, queue=queue, buffer=view, value=value, offset=offset, num_events=0, event=OutputBuffer(1)
        )
        self.cl.clFlush(queue)
        return told

    def await_signal(self, buffer: Handle, value: int, queue: Handle) -> Handle:
        """Enqueue a wait for a signal, and return its event."""
        return self.require_event(
            self.enqueue(WAIT, queue=queue, buffer=buffer, value=value, num_events=0, event=OutputBuffer(1))
        )

    def send(self, view: Handle, content: bytes, queue: Handle, offset: int = 0) -> Outcome:
        """Enqueue a non-blocking write of bytes to an external buffer."""
        given: dict[str, Value] = {"offset": offset, "size": len(content), "ptr": Data(content)}
        return self.enqueue(
            "clEnqueueWriteBuffer", queue=queue, buffer=view, blocking_write=0, event=OutputBuffer(1), **given
        )
