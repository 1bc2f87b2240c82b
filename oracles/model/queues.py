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
    """A command-queue of which only the context and the device are known; the two subclasses know more.

    ``bits``: its current cl_command_queue_properties, or None if unknown. ``in_order``: its commands run in order;
    ``profiling``: they have profiling timestamps. ``has_property_list``: it was created with a property list, which is
    ``properties``, unchanged. ``was_changed``: its bits differ from those at its creation.
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
        """The device that the queue is on."""
        return self.queue_device


@dataclass(eq=False)
class HostQueue(CommandQueue):
    """A queue whose commands the host enqueues."""


@dataclass(eq=False)
class DeviceQueue(CommandQueue):
    """A queue whose commands kernels enqueue; ``size``: its bytes, or None if the device chooses them."""

    size: int | None = None
