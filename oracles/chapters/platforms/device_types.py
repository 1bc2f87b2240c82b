"""Device types: valid values, and the root devices that match them (section 4.2, table 4)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device, Platform
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.lookups import TableLookups

ALL, DEFAULT, CUSTOM = (f"CL_DEVICE_TYPE_{name}" for name in ("ALL", "DEFAULT", "CUSTOM"))


@dataclass(frozen=True)
class MatchingDevices:
    """The root devices that match a device type.

    ``exact``: False if the documents also allow other devices, or only some of these devices.
    """

    devices: list[Device]
    exact: bool = True


def is_type_invalid(wanted: int, platform: Platform | None, model: Model) -> PredicateResult:
    """Return whether a device type does not contain any bit that the documents define."""
    known = _type_bits(model.lookups)
    if wanted == model.constant_value(ALL):
        return NO
    if wanted & known == 0:
        return MUST
    if wanted & known == model.constant_value(CUSTOM) and platform is not None and platform.version < (1, 2):
        return may("device-type-bits")
    return may("device-type-bits") if wanted & ~known else NO


def lacks_matching(wanted: int, platform: Platform, model: Model) -> PredicateResult:
    """Return whether a platform does not have a root device that matches a device type."""
    known = _type_bits(model.lookups)
    if wanted != model.constant_value(ALL) and (wanted & known == 0 or wanted & ~known):
        return may("device-type-bits")
    found = find_matching(wanted, platform, model)
    if found.devices:
        return NO
    if wanted & model.constant_value(CUSTOM):
        return may("custom-device-not-in-all")
    return MUST if found.exact else may("default-among-types")


def find_matching(wanted: int, platform: Platform, model: Model) -> MatchingDevices:
    """Return the root devices of a platform that match a device type.

    For CL_DEVICE_TYPE_DEFAULT alone, the result contains all root devices, since the platform may select any of them.
    Raises UnknownFactError if the type of a device is unknown.
    """
    devices = model.root_devices(platform)
    default = model.constant_value(DEFAULT)
    if wanted in (model.constant_value(ALL), default):
        return MatchingDevices(devices)
    custom = wanted & model.constant_value(CUSTOM)
    known = wanted & _type_bits(model.lookups) == wanted
    of_type = [device for device in devices if device.number("CL_DEVICE_TYPE") & wanted & ~default]
    apart = custom and not any(device.number("CL_DEVICE_TYPE") & custom for device in devices)
    return MatchingDevices(of_type, exact=known and not wanted & default and not apart)


@functools.cache
def _type_bits(lookups: TableLookups) -> int:
    group = lookups.tables.values_of_group("cl_device_type")
    return sum({value for name, value in group.items() if name != ALL})
