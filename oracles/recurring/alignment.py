"""Alignment of allocated memory: up to the size of a device's largest data type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.wants import Such

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.model.devices import Device

LONG16, INT16 = 128, 64
"""Bytes of the largest data type, with and without 64-bit integers."""
MOST_SEEN = 4096
"""The largest alignment that an outcome reports."""


def largest_type(devices: Iterable[Device]) -> int:
    """Return the bytes of the largest data type that all of some devices certainly support."""
    return min((LONG16 if has_long(device) else INT16 for device in devices), default=INT16)


def has_long(device: Device) -> bool:
    """Return whether a device certainly supports 64-bit integers: by its profile, an extension or a feature."""
    if device.facts.get("CL_DEVICE_PROFILE") == "FULL_PROFILE" or "cles_khr_int64" in device.extensions:
        return True
    features = device.facts.get("CL_DEVICE_OPENCL_C_FEATURES")
    return isinstance(features, tuple) and any(str(name).rstrip("\0") == "__opencl_c_int64" for name in features)


def aligned_to(alignment: int, record: str) -> Such:
    """Expect an address that is a multiple of ``alignment`` bytes."""
    least = min(alignment, MOST_SEEN)
    words = f"an address that is a multiple of {alignment}"
    return Such(lambda seen: isinstance(seen[0], int) and seen[0] >= least, words, (record,), (least,))
