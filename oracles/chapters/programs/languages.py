"""The modules of intermediate language that devices take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.spirv import MODULES

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device


def modules_for(devices: list[Device]) -> list[bytes]:
    """Return our module in every form that one of the devices says it takes."""
    found = []
    for device in devices:
        told = device.facts.get("CL_DEVICE_IL_VERSION", device.facts.get("CL_DEVICE_IL_VERSION_KHR"))
        width = device.facts.get("CL_DEVICE_ADDRESS_BITS")
        names = told.split() if isinstance(told, str) else []
        found += [content for (name, bits), content in MODULES.items() if name in names and bits == width]
    return found
