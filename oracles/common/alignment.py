"""Alignment of allocated memory, which depends on the size of the largest data type that a device supports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.matchers import Satisfies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.model.devices import Device

LONG16_BYTES, INT16_BYTES = 128, 64
"""The size in bytes of the largest data type, with and without 64-bit integers."""
CUSTOM_TYPE = 1 << 4
"""Value of CL_DEVICE_TYPE_CUSTOM."""
MAX_REPORTED_ALIGNMENT = 4096
"""The largest alignment that an outcome reports."""


def largest_type_size(devices: Iterable[Device]) -> int:
    """Return the size in bytes of the largest data type that all devices certainly support.

    A custom device need not support any data type of OpenCL C (interpretation *types-of-custom-devices*).
    """
    return min((_largest_type_of(device) for device in devices), default=INT16_BYTES)


def _largest_type_of(device: Device) -> int:
    if is_custom(device):
        return 1
    return LONG16_BYTES if has_int64(device) else INT16_BYTES


def is_custom(device: Device) -> bool:
    """Return whether the type of a device is that of a custom device; False if the type is not known.

    A sub-device has the type of its parent (section 4.3).
    """
    types = (each.facts.get("CL_DEVICE_TYPE") for each in (device, *device.ancestors))
    known = next((each for each in types if isinstance(each, int)), 0)
    return bool(known & CUSTOM_TYPE)


def has_int64(device: Device) -> bool:
    """Return whether the profile, an extension or a feature of a device shows that it supports 64-bit integers."""
    if device.facts.get("CL_DEVICE_PROFILE") == "FULL_PROFILE" or "cles_khr_int64" in device.extensions:
        return True
    features = device.facts.get("CL_DEVICE_OPENCL_C_FEATURES")
    return isinstance(features, tuple) and any(str(name).strip("\0 ") == "__opencl_c_int64" for name in features)


def expect_alignment(alignment: int, requirement: str) -> Satisfies:
    """Expect an address that is a multiple of ``alignment`` bytes."""
    least = min(alignment, MAX_REPORTED_ALIGNMENT)
    words = f"an address that is a multiple of {alignment}"
    return Satisfies(lambda seen: isinstance(seen[0], int) and seen[0] >= least, words, (requirement,), (least,))
