"""Intermediate-language modules that devices accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.programs import IlProgram
from clconform.oracles.model.spirv import MODULES, WITH_CONSTANTS
from clconform.oracles.recurring.capabilities import told_of

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.devices import Device


def modules_for(devices: list[Device]) -> list[bytes]:
    """Return our modules in every form that one of the devices reports to accept."""
    found = []
    for device in devices:
        told = told_of(device, "IL")
        width = device.facts.get("CL_DEVICE_ADDRESS_BITS")
        names = told.split() if isinstance(told, str) else []
        forms = [form for form in MODULES if form[0] in names and form[1] == width]
        found += [modules[form] for form in forms for modules in (MODULES, WITH_CONSTANTS)]
    return found


def is_made_from_ours(program: ClObject | None, devices: list[Device]) -> bool:
    """Return whether a program was created from one of our modules that one of the devices accepts."""
    return isinstance(program, IlProgram) and program.il in modules_for(devices)
