"""Command-queues, on the host and on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.devices import Device


@dataclass(eq=False)
class Queue(ContextObject):
    """A command-queue of which nothing but its context and device is known; the two subclasses know more.

    ``bits``: the cl_command_queue_properties that it has now, or None where they are not known. ``in_order``: its
    commands follow each other; ``profiling``: they are timed. ``with_list``: it was made with a list of properties,
    which is ``properties`` as it was given. ``changed``: its bits are not those that it was made with.
    """

    type: ClassVar[str] = "cl_command_queue"

    on: Device | None = None
    bits: int | None = None
    in_order: bool = True
    profiling: bool = False
    with_list: bool = False
    properties: Value = None
    changed: bool = False

    @property
    def device(self) -> Device | None:
        """The device that the queue is on."""
        return self.on


@dataclass(eq=False)
class HostQueue(Queue):
    """A queue whose commands the host enqueues."""


@dataclass(eq=False)
class DeviceQueue(Queue):
    """A queue whose commands kernels enqueue; ``size``: its bytes, or None where the device chooses them."""

    size: int | None = None
