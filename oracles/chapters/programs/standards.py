"""Versions of OpenCL C that devices compile, the version of a build, and unsupported options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.feature_sources import NEEDING
from clconform.oracles.model.sources import SINCE
from clconform.oracles.queries.reading import list_of, unpacked, with_versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.oracles.model.devices import Device

    C = tuple[int, int]
    """A version of OpenCL C."""

OPTION = "-cl-std="
OLDEST, NEWEST_OF_1, FIRST_OF_3 = (1, 0), (1, 2), (3, 0)
STANDARDS: dict[str, C] = {
    f"{OPTION}CL{major}.{minor}": (major, minor) for major, minor in ((1, 1), (1, 2), (2, 0), (3, 0))
}
"""Option to the version that it requests."""
CORRECTLY_ROUNDED = "-cl-fp32-correctly-rounded-divide-sqrt"
ROUNDED = 1 << 7
"""CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT."""
CUSTOM = 1 << 4
"""CL_DEVICE_TYPE_CUSTOM."""
_VERSION = re.compile(r"OpenCL C (\d)\.(\d)")


def told_version(device: Device) -> C:
    """Return the version of OpenCL C that a device reports; UnknownError if it reports none."""
    if device.version < (1, 1):
        return OLDEST
    told = _VERSION.match(str(device.fact("CL_DEVICE_OPENCL_C_VERSION")))
    if told is None:
        raise UnknownError("CL_DEVICE_OPENCL_C_VERSION")
    return int(told[1]), int(told[2])


def _listed(device: Device) -> set[C]:
    """Return the versions that a device lists; empty before 3.0."""
    if device.version < FIRST_OF_3:
        return set()
    told = device.fact("CL_DEVICE_OPENCL_C_ALL_VERSIONS")
    versions = (unpacked(version) for _, version in with_versions(list(told))) if isinstance(told, tuple) else ()
    return {(each.major, each.minor) for each in versions}


def compiles(device: Device, version: C) -> bool:
    """Return whether a device reports that it compiles a version; UnknownError if unknown."""
    told = told_version(device)
    newest = told if told < FIRST_OF_3 else NEWEST_OF_1
    return version in (told, OLDEST) or version <= newest or version in _listed(device)


def compiled_as(options: str, device: Device) -> C:
    """Return the version of a build: the requested one, else the newest 1.x that the device compiles."""
    asked = [STANDARDS.get(word) for word in options.split() if word.startswith(OPTION)]
    if len(asked) > 1 or None in asked:
        raise UnknownError("the version of a build")
    newest = max(version for version in (OLDEST, (1, 1), NEWEST_OF_1) if compiles(device, version))
    return next((each for each in asked if each is not None), newest)


def new_enough(parts: Sequence[str], options: str, devices: Sequence[Device]) -> bool:
    """Return whether the version of a build supports everything that its parts use, on all devices."""
    since = max((SINCE.get(part, OLDEST) for part in parts), default=OLDEST)
    if since != OLDEST and not all(compiled_as(options, device) >= since for device in devices):
        return False
    needed = {NEEDING[part] for part in parts if part in NEEDING}
    return not needed or all(needed <= features_of_c(device) for device in devices)


def lacks_a_feature(parts: Sequence[str], options: str, devices: Sequence[Device]) -> list[Device]:
    """Return the devices that do not list a feature whose macro the parts require.

    Raises UnknownError if the build is for a version of OpenCL C without such macros.
    """
    needed = {NEEDING[part] for part in parts if part in NEEDING}
    if needed and not all(compiled_as(options, device) >= FIRST_OF_3 for device in devices):
        raise UnknownError("the version of a build")
    return [device for device in devices if needed - features_of_c(device)] if needed else []


def features_of_c(device: Device) -> set[str]:
    """Return the macros of the optional features that a device lists; UnknownError if unknown."""
    return {name for name, _ in list_of(device, "CL_DEVICE_OPENCL_C_FEATURES")}


def lacking(options: str, device: Device) -> str:
    """Return the option that must make a build fail on a device, by the document of its version; or ''."""
    if device.number("CL_DEVICE_TYPE") & CUSTOM:
        return ""
    for word in options.split():
        version = STANDARDS.get(word)
        asked_for = version is not None and device.version >= version
        if version is not None and asked_for and told_version(device) < version and version not in _listed(device):
            return word
        old = word == CORRECTLY_ROUNDED and device.version >= NEWEST_OF_1
        if old and not device.number("CL_DEVICE_SINGLE_FP_CONFIG") & ROUNDED:
            return word
    return ""


def fails_on_all(options: str, devices: Iterable[Device]) -> str:
    """Return an option that must make a build fail on all its devices; or ''."""
    found = [lacking(options, device) for device in devices]
    return found[0] if found and all(found) else ""
