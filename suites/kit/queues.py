"""Command-queues on the host and on the device, and command-buffers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.suites.kit.contexts import Contexts
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

BITS, SIZE = "CL_QUEUE_PROPERTIES", "CL_QUEUE_SIZE"
OUT_OF_ORDER, PROFILING = "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "CL_QUEUE_PROFILING_ENABLE"
ON_DEVICE, DEFAULT = "CL_QUEUE_ON_DEVICE", "CL_QUEUE_ON_DEVICE_DEFAULT"
LARGEST = "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE"
WITH_PROPERTIES = "clCreateCommandQueueWithProperties"
REQUIRED = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
RECORDING_FLAGS = "CL_COMMAND_BUFFER_FLAGS_KHR"


class Queues(Contexts):
    """The default queue for commands, and others.

    ``properties``: the property bits of the default queue.
    """

    def __init__(self, cl: Session, properties: int = 0) -> None:
        super().__init__(cl)
        self._properties = properties

    @cached_property
    def queue(self) -> Handle:
        """A queue on the device under test."""
        return self.new_queue(properties=self._properties)

    def new_queue(self, device: Handle | None = None, properties: int = 0) -> Handle:
        """Create a queue, by default on the device under test."""
        return one(self.cl.clCreateCommandQueue(self.context, device or self.cl.device, properties, OutputBuffer(1)))

    def queue_by_list(self, properties: Items | None, device: Handle | None = None) -> Handle:
        """Create a queue from a property list."""
        needs(promised(self.cl, WITH_PROPERTIES), "requires OpenCL 2.0 (queues with a property list)")
        make = self.cl.clCreateCommandQueueWithProperties
        return one(make(self.context, device or self.cl.device, properties, OutputBuffer(1)))

    def device_queue(self, *elements: str | int, device: Handle | None = None) -> Handle:
        """Create a device queue from a property list, by default with the minimum of required properties."""
        chosen = self.listed(*(elements or (BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}")))
        return self.queue_by_list(chosen, device)

    def out_of_order(self, device: Handle | None = None) -> Handle:
        """Create an out-of-order queue; skip the item if the device does not support it."""
        return self.new_queue(device, self.out_of_order_bits(device))

    def out_of_order_bits(self, device: Handle | None = None) -> int:
        """Return the property bits of an out-of-order queue; skip the item if the device does not support it."""
        wanted = self.value(OUT_OF_ORDER)
        names = ("CL_DEVICE_QUEUE_PROPERTIES", "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES")
        supported = next((fact for fact in (self.cl.fact(name, device) for name in names) if fact), 0)
        needs(supported & wanted, "the device does not support out-of-order queues")
        return wanted

    def finish(self, queue: Handle | None = None) -> None:
        """Wait until all commands of a queue are complete."""
        self.cl.clFinish(queue or self.queue)

    def command_buffer(self, properties: Items | None = None, *queues: Handle) -> Handle:
        """Create a command-buffer, by default for one queue with the properties that the device requires."""
        needs(promised(self.cl, "clCreateCommandBufferKHR"), "cl_khr_command_buffer is not supported")
        listed = queues or (self.plain_queue(),)
        return one(self.cl.clCreateCommandBufferKHR(len(listed), Items(listed), properties, OutputBuffer(1)))

    def plain_queue(self, device: Handle | None = None, more: int = 0) -> Handle:
        """Create a queue with the properties that command-buffers of its device require; ``more``: further bits."""
        return self.new_queue(device, (self.cl.fact(REQUIRED, device) or 0) | more)

    def finalized(self, properties: Items | None = None, *queues: Handle) -> Handle:
        """Create a command-buffer without commands, and finalize it."""
        recorded = self.command_buffer(properties, *queues)
        self.cl.clFinalizeCommandBufferKHR(recorded)
        return recorded
