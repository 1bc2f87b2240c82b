"""Command-queues, on the host and on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.devices import Device


@dataclass(eq=False)
class CommandQueue(ContextObject):
    """Base class of command-queues; an instance of the base class may be a host queue or a device queue.

    ``bits``: the current cl_command_queue_properties, or None if unknown. ``in_order``: commands run in order.
    ``profiling``: commands have profiling timestamps. ``has_property_list``: the queue was created with a property
    list, or NULL for it. ``properties``: this list, unchanged. ``was_changed``: the bits differ from those at creation.
    """

    type: ClassVar[str] = "cl_command_queue"

    queue_device: Device | None = None
    bits: int | None = None
    in_order: bool = True
    profiling: bool = False
    has_property_list: bool = False
    properties: Value = None
    was_changed: bool = False

    @property
    def device(self) -> Device | None:
        """The device of the queue."""
        return self.queue_device


@dataclass(eq=False)
class HostQueue(CommandQueue):
    """A queue whose commands the host enqueues."""


@dataclass(eq=False)
class DeviceQueue(CommandQueue):
    """A queue whose commands kernels enqueue; ``size``: its size in bytes, or None if the device chooses the size."""

    size: int | None = None
