"""Devices beside the one under test, and contexts made by the type of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items, Room
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from clconform.suites.bench import Bench

PLATFORM = "CL_CONTEXT_PLATFORM"


def listed(bench: Bench, *elements: str | int | Handle) -> Items:
    """Return a list of properties: names stand for their values, and the platform is added at the front."""
    values = [bench.value(each) if isinstance(each, str) else each for each in elements]
    return Items((bench.value(PLATFORM), bench.cl.platform, *values, 0))


def of_type_of(bench: Bench, device: Handle) -> Handle:
    """Make a context of the type that a device has."""
    kind = bench.cl.fact("CL_DEVICE_TYPE", device) or 0
    return one(bench.cl.clCreateContextFromType(listed(bench), kind, None, None, Room(1)))


def another(bench: Bench) -> Handle:
    """Return another root device that is available; the item is skipped where there is none."""
    cl = bench.cl
    others = [device for device in cl.devices if device != cl.device and cl.fact("CL_DEVICE_AVAILABLE", device)]
    needs(others, "the platform has one device only that is available")
    return others[0]


def away(bench: Bench) -> Handle:
    """Return a root device that says that it is not available; the item is skipped where there is none."""
    cl = bench.cl
    gone = [device for device in cl.devices if cl.fact("CL_DEVICE_AVAILABLE", device) == 0]
    needs(gone, "every device is available")
    return gone[0]
