"""Replacement of the default on-device queue: the default that all on-device queues report (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.queues import DEFAULT, MAX_DEVICE_QUEUE_SIZE, ON_DEVICE, OUT_OF_ORDER, QUEUE_PROPERTIES

if TYPE_CHECKING:
    from clconform.calls.values import Handle

NAME = "queues.default_queues"
SET, DEFAULT_QUEUE = "clSetDefaultDeviceCommandQueue", "CL_QUEUE_DEVICE_DEFAULT"
FEATURE = "device-side-enqueue"
cases = CaseRegistry(Kit)
test_replaced_default_queue_is_reported = TableTest(cases)


def replace_default(kit: Kit, device: Handle) -> None:
    """Create a default on-device queue and another on-device queue, and make each of them the default in turn."""
    skip_unless(is_available(kit.cl, SET), f"{SET} is not available")
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE, device), "the device does not support device queues")
    first = kit.device_queue(QUEUE_PROPERTIES, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}", device=device)
    second = kit.device_queue(QUEUE_PROPERTIES, f"{ON_DEVICE}+{OUT_OF_ORDER}", device=device)
    for queue in (second, first):
        kit.cl.query("clGetCommandQueueInfo", first, DEFAULT_QUEUE)
        kit.cl.clSetDefaultDeviceCommandQueue(kit.context, device, queue)
        kit.cl.query("clGetCommandQueueInfo", first, DEFAULT_QUEUE)


@cases.declare("clSetDefaultDeviceCommandQueue/effect/1", "replaced twice", "clSetDefaultDeviceCommandQueue/success")
def replace_default_of_device(kit: Kit) -> None:
    """Replace the default queue of the device under test."""
    replace_default(kit, kit.cl.device)


@cases.declare(
    "device-side-enqueue:clSetDefaultDeviceCommandQueue/2",
    "another device",
    "clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1",
    "device-side-enqueue:clSetDefaultDeviceCommandQueue/1",
)
def replace_default_of_another_device(kit: Kit) -> None:
    """Replace the default queue of another device, which may not support replacement."""
    other = kit.other_available_device
    replace_default(kit.for_context(kit.new_context(kit.cl.device, other)), other)
