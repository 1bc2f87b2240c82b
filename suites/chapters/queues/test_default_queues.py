"""Replaced default on-device queues: the values that the device's queues report (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.queues import BITS, DEFAULT, LARGEST, ON_DEVICE, OUT_OF_ORDER
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "queues.default_queues"
SET, TOLD = "clSetDefaultDeviceCommandQueue", "CL_QUEUE_DEVICE_DEFAULT"
FEATURE = "device-side-enqueue"
cases = Cases(Kit)


def replaced(kit: Kit, device: Handle) -> None:
    """Create a default on-device queue and another on-device queue, and make each the default."""
    needs(promised(kit.cl, SET), f"{SET} is not available")
    needs(kit.cl.fact(LARGEST, device), "the device does not support device queues")
    first = kit.device_queue(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}", device=device)
    second = kit.device_queue(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}", device=device)
    for queue in (second, first):
        kit.cl.query("clGetCommandQueueInfo", first, TOLD)
        kit.cl.clSetDefaultDeviceCommandQueue(kit.context, device, queue)
        kit.cl.query("clGetCommandQueueInfo", first, TOLD)


@cases.of(f"{SET}/effect/1", "replaced twice", f"{SET}/success")
def of_the_device(kit: Kit) -> None:
    """Replace the default queue of the device under test."""
    replaced(kit, kit.cl.device)


@cases.of(f"{FEATURE}:{SET}/2", "another device", f"{SET}/CL_INVALID_OPERATION/1", f"{FEATURE}:{SET}/1")
def of_another_device(kit: Kit) -> None:
    """Replace the default queue of another device, which may not support that."""
    other = kit.another_device
    replaced(kit.within(kit.new_context(kit.cl.device, other)), other)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_default_queues(cl: Session, case: Case) -> None:
    case.act(cl)
