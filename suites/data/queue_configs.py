"""Queue configurations of random programs: one queue, two queues, mixed order, and two devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit


def one_queue(kit: Kit) -> list[Handle]:
    """Create one in-order queue."""
    return [kit.queue]


def two_queues(kit: Kit) -> list[Handle]:
    """Create two in-order queues."""
    return [kit.queue, kit.new_queue()]


def mixed_order_queues(kit: Kit) -> list[Handle]:
    """Create an out-of-order queue and an in-order queue."""
    return [kit.out_of_order_queue(), kit.queue]


def queues_of_two_devices(kit: Kit) -> list[Handle]:
    """Create a queue on each of two devices of one context."""
    kit.context = kit.new_context(kit.cl.device, kit.any_other_device)
    return [kit.queue, kit.new_queue(kit.any_other_device)]


QUEUE_CONFIGS: dict[str, Callable[[Kit], list[Handle]]] = {
    "one queue": one_queue,
    "two queues": two_queues,
    "out of order": mixed_order_queues,
    "two devices": queues_of_two_devices,
}
