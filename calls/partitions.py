"""The journal line about partitions: the splits of devices into sub-devices, and their results."""

from __future__ import annotations

import msgspec


class PartitionStep(msgspec.Struct, frozen=True):
    """One step from a device to a sub-device: the scheme of the split, and the index of the sub-device."""

    scheme: list[int]
    index: int


class DeviceSplit(msgspec.Struct, frozen=True):
    """One split of a device and its result.

    ``path``: the splits by which the device was created, starting at its root device. ``scheme``: the property list.
    ``units``: the compute units of each sub-device, 0 if not queried.
    """

    root: str
    path: list[PartitionStep]
    function: str
    scheme: list[int]
    observed: str
    units: list[int]


class PartitionLine(msgspec.Struct, frozen=True, tag_field="line", tag="partitions"):
    """The distinct splits of devices in an item."""

    item: str
    splits: list[DeviceSplit]
