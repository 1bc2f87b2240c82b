"""Device types: valid values, and the root devices that match them (section 4.2, table 4)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device, Platform
    from clconform.oracles.model.world import Model
    from clconform.spec_tables.lookups import Lookups

ALL, DEFAULT, CUSTOM = (f"CL_DEVICE_TYPE_{name}" for name in ("ALL", "DEFAULT", "CUSTOM"))


@dataclass(frozen=True)
class Found:
    """The root devices that match a type; not ``exact`` if the documents allow more or fewer matches."""

    devices: list[Device]
    exact: bool = True


def type_not_valid(wanted: int, platform: Platform | None, model: Model) -> Reply:
    """Return whether a device type does not contain a bit that any document defines."""
    known = _type_bits(model.lookups)
    if wanted == model.value(ALL):
        return Answer.NO
    if wanted & known == 0:
        return Answer.MUST
    if wanted & known == model.value(CUSTOM) and platform is not None and platform.version < (1, 2):
        return May("device-type-bits")
    return May("device-type-bits") if wanted & ~known else Answer.NO


def none_found(wanted: int, platform: Platform, model: Model) -> Reply:
    """Return whether a platform does not have a device of a type."""
    known = _type_bits(model.lookups)
    if wanted != model.value(ALL) and (wanted & known == 0 or wanted & ~known):
        return May("device-type-bits")
    found = matching(wanted, platform, model)
    if found.devices:
        return Answer.NO
    if wanted & model.value(CUSTOM):
        return May("custom-apart")
    return Answer.MUST if found.exact else May("default-among-types")


def matching(wanted: int, platform: Platform, model: Model) -> Found:
    """Return the root devices of a platform that match a type; UnknownError if a device's type is unknown.

    For the default device alone the result is all root devices: the platform selects one of them.
    """
    devices = model.root_devices(platform)
    default = model.value(DEFAULT)
    if wanted in (model.value(ALL), default):
        return Found(devices)
    custom = wanted & model.value(CUSTOM)
    known = wanted & _type_bits(model.lookups) == wanted
    of_type = [device for device in devices if device.number("CL_DEVICE_TYPE") & wanted & ~default]
    apart = custom and not any(device.number("CL_DEVICE_TYPE") & custom for device in devices)
    return Found(of_type, exact=known and not wanted & default and not apart)


@functools.cache
def _type_bits(lookups: Lookups) -> int:
    group = lookups.tables.values_of_group("cl_device_type")
    return sum({value for name, value in group.items() if name != ALL})
