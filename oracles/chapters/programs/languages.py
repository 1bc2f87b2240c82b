"""Intermediate-language modules that devices accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.capabilities import reported_value
from clconform.oracles.model.programs import IlProgram
from clconform.oracles.model.spirv import CONSTANT_MODULES, EMPTY_MODULES

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.devices import Device


def accepted_modules(devices: list[Device]) -> list[bytes]:
    """Return our IL modules in each form that at least one of the devices reports as supported."""
    found = []
    for device in devices:
        told = reported_value(device, "IL")
        width = device.facts.get("CL_DEVICE_ADDRESS_BITS")
        names = told.split() if isinstance(told, str) else []
        forms = [form for form in EMPTY_MODULES if form[0] in names and form[1] == width]
        found += [modules[form] for form in forms for modules in (EMPTY_MODULES, CONSTANT_MODULES)]
    return found


def is_own_module(program: ClObject | None, devices: list[Device]) -> bool:
    """Return whether a program was created from one of our IL modules that at least one of the devices accepts."""
    return isinstance(program, IlProgram) and program.il in accepted_modules(devices)
