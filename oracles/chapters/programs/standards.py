"""Versions of OpenCL C that devices compile, the version of a build, and unsupported options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.feature_sources import REQUIRED_MACROS, macro_of
from clconform.oracles.model.limit_kernels import CHANGED_IMAGES, find_limit_kernel
from clconform.oracles.model.program_sources import minimum_version
from clconform.oracles.queries.parsing import known_features, names_with_versions
from clconform.spec_tables.versions import OPENCL_C, parse_version, unpack_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.oracles.model.devices import Device

    C = tuple[int, int]
    """A version of OpenCL C."""

STANDARD_OPTION = "-cl-std="
OLDEST, NEWEST_OF_1, FIRST_OF_3 = (1, 0), (1, 2), (3, 0)
STANDARD_VERSIONS: dict[str, C] = {
    f"{STANDARD_OPTION}CL{major}.{minor}": (major, minor) for major, minor in ((1, 1), (1, 2), (2, 0), (3, 0))
}
"""Maps each option to the version of OpenCL C that it requests."""
CORRECTLY_ROUNDED = "-cl-fp32-correctly-rounded-divide-sqrt"
ROUNDED = 1 << 7
"""Value of CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT."""
CUSTOM = 1 << 4
"""Value of CL_DEVICE_TYPE_CUSTOM."""


def reported_version(device: Device) -> C:
    """Return the version of OpenCL C that a device reports; UnknownFactError if it is unknown."""
    if device.version < (1, 1):
        return OLDEST
    told = parse_version(str(device.fact("CL_DEVICE_OPENCL_C_VERSION")), OPENCL_C)
    if told is None:
        raise UnknownFactError("CL_DEVICE_OPENCL_C_VERSION")
    return told


def _listed_versions(device: Device) -> set[C]:
    """Return the versions in CL_DEVICE_OPENCL_C_ALL_VERSIONS of a device; empty before version 3.0."""
    if device.version < FIRST_OF_3:
        return set()
    told = device.fact("CL_DEVICE_OPENCL_C_ALL_VERSIONS")
    versions = (
        (unpack_version(version) for _, version in names_with_versions(list(told))) if isinstance(told, tuple) else ()
    )
    return {(each.major, each.minor) for each in versions}


def compiles(device: Device, version: C) -> bool:
    """Return whether a device reports that it compiles a version of OpenCL C; UnknownFactError if unknown."""
    told = reported_version(device)
    newest = told if told < FIRST_OF_3 else NEWEST_OF_1
    return version in (told, OLDEST) or version <= newest or version in _listed_versions(device)


def version_of_build(options: str, device: Device) -> C:
    """Return the OpenCL C version of a build: the requested version, or the newest 1.x that the device compiles."""
    asked = [STANDARD_VERSIONS.get(word) for word in options.split() if word.startswith(STANDARD_OPTION)]
    if len(asked) > 1 or None in asked:
        raise UnknownFactError("the version of a build")
    newest = max(version for version in (OLDEST, (1, 1), NEWEST_OF_1) if compiles(device, version))
    return next((each for each in asked if each is not None), newest)


def supports_parts(parts: Sequence[str], options: str, devices: Sequence[Device]) -> bool:
    """Return whether a build with these options for these devices supports all features that the source uses.

    Its OpenCL C version must be new enough, each device must list the macros of the optional features, and no kernel
    may exceed a limit of a device. ``parts``:
    the features that the source uses.
    """
    since = max(map(minimum_version, parts), default=OLDEST)
    if since != OLDEST and not all(version_of_build(options, device) >= since for device in devices):
        return False
    limited = [kernel for part in parts if (kernel := find_limit_kernel(part)) is not None]
    if not all(kernel.is_within_limits(device) for kernel in limited for device in devices):
        return False
    needed = {REQUIRED_MACROS[part] for part in parts if part in REQUIRED_MACROS}
    if any(kernel.family == CHANGED_IMAGES for kernel in limited):
        needed |= {macro_of("read_write_images")} if version_of_build(options, devices[0]) >= FIRST_OF_3 else set()
    return not needed or all(needed <= c_features(device) for device in devices)


def devices_lacking_feature(parts: Sequence[str], options: str, devices: Sequence[Device]) -> list[Device]:
    """Return the devices that do not list a feature that the parts of the source require.

    Raises UnknownFactError if the build uses a version of OpenCL C without feature macros.
    """
    needed = {REQUIRED_MACROS[part] for part in parts if part in REQUIRED_MACROS}
    if needed and not all(version_of_build(options, device) >= FIRST_OF_3 for device in devices):
        raise UnknownFactError("the version of a build")
    return [device for device in devices if needed - c_features(device)] if needed else []


def c_features(device: Device) -> set[str]:
    """Return the macros of the optional features that a device lists; UnknownFactError if unknown."""
    return known_features(device)


def unsupported_option(options: str, device: Device) -> str:
    """Return the first option that must make a build fail on a device; '' if a build with the options may succeed.

    The document of the version that the device reports defines the options.
    """
    if device.number("CL_DEVICE_TYPE") & CUSTOM:
        return ""
    for word in options.split():
        version = STANDARD_VERSIONS.get(word)
        asked_for = version is not None and device.version >= version
        if (
            version is not None
            and asked_for
            and reported_version(device) < version
            and version not in _listed_versions(device)
        ):
            return word
        old = word == CORRECTLY_ROUNDED and device.version >= NEWEST_OF_1
        if old and not device.number("CL_DEVICE_SINGLE_FP_CONFIG") & ROUNDED:
            return word
    return ""


def option_failing_everywhere(options: str, devices: Iterable[Device]) -> str:
    """Return an option that must make a build fail, or ''.

    The result is '' unless the build must fail on each of the devices.
    """
    found = [unsupported_option(options, device) for device in devices]
    return found[0] if found and all(found) else ""
