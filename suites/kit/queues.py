"""Command-queues on the host and on the device, and command-buffers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.contexts import ContextKit

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

QUEUE_PROPERTIES, QUEUE_SIZE = "CL_QUEUE_PROPERTIES", "CL_QUEUE_SIZE"
OUT_OF_ORDER, PROFILING = "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE", "CL_QUEUE_PROFILING_ENABLE"
ON_DEVICE, DEFAULT = "CL_QUEUE_ON_DEVICE", "CL_QUEUE_ON_DEVICE_DEFAULT"
MAX_DEVICE_QUEUE_SIZE = "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE"
WITH_PROPERTIES = "clCreateCommandQueueWithProperties"
REQUIRED_PROPERTIES = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
RECORDING_FLAGS = "CL_COMMAND_BUFFER_FLAGS_KHR"


class QueueKit(ContextKit):
    """A kit with a default queue, and methods that create other queues and command-buffers.

    ``properties``: the property bits of the default queue.
    """

    def __init__(self, cl: Session, properties: int = 0) -> None:
        super().__init__(cl)
        self._properties = properties

    @cached_property
    def queue(self) -> Handle:
        """The default queue, on the device under test."""
        return self.new_queue(properties=self._properties)

    def new_queue(self, device: Handle | None = None, properties: int = 0) -> Handle:
        """Create a queue, by default on the device under test."""
        return require_handle(
            self.cl.clCreateCommandQueue(self.context, device or self.cl.device, properties, OutputBuffer(1))
        )

    def queue_from_list(self, properties: ElementList | None, device: Handle | None = None) -> Handle:
        """Create a queue from a property list."""
        skip_unless(is_available(self.cl, WITH_PROPERTIES), "requires OpenCL 2.0 (queues with a property list)")
        make = self.cl.clCreateCommandQueueWithProperties
        return require_handle(make(self.context, device or self.cl.device, properties, OutputBuffer(1)))

    def device_queue(self, *elements: str | int, device: Handle | None = None) -> Handle:
        """Create an on-device queue from a property list, by default with only the required properties."""
        chosen = self.property_list(*(elements or (QUEUE_PROPERTIES, f"{ON_DEVICE}+{OUT_OF_ORDER}")))
        return self.queue_from_list(chosen, device)

    def out_of_order_queue(self, device: Handle | None = None) -> Handle:
        """Create an out-of-order queue; skip the item if the device does not support such queues."""
        return self.new_queue(device, self.out_of_order_bits(device))

    def out_of_order_bits(self, device: Handle | None = None) -> int:
        """Return the property bits of an out-of-order queue; skip the item if the device does not support it."""
        wanted = self.constant(OUT_OF_ORDER)
        names = ("CL_DEVICE_QUEUE_PROPERTIES", "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES")
        supported = next((fact for fact in (self.cl.fact(name, device) for name in names) if fact), 0)
        skip_unless(supported & wanted, "the device does not support out-of-order queues")
        return wanted

    def finish(self, queue: Handle | None = None) -> None:
        """Wait until all commands of a queue are complete."""
        self.cl.clFinish(queue or self.queue)

    def command_buffer(self, properties: ElementList | None = None, *queues: Handle) -> Handle:
        """Create a command-buffer, by default for a new queue with the properties that the device requires."""
        skip_unless(is_available(self.cl, "clCreateCommandBufferKHR"), "cl_khr_command_buffer is not supported")
        listed = queues or (self.command_buffer_queue(),)
        return require_handle(
            self.cl.clCreateCommandBufferKHR(len(listed), ElementList(listed), properties, OutputBuffer(1))
        )

    def command_buffer_queue(self, device: Handle | None = None, extra_properties: int = 0) -> Handle:
        """Create a queue with the properties that the device requires for command-buffers.

        ``extra_properties``: additional property bits.
        """
        return self.new_queue(device, (self.cl.fact(REQUIRED_PROPERTIES, device) or 0) | extra_properties)

    def finalized_command_buffer(self, properties: ElementList | None = None, *queues: Handle) -> Handle:
        """Create a command-buffer without commands, and finalize it."""
        recorded = self.command_buffer(properties, *queues)
        self.cl.clFinalizeCommandBufferKHR(recorded)
        return recorded
