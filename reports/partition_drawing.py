"""Draws the partitions of devices: a tree of sub-devices above the compute units of each root device."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList
from clconform.reports.call_formatting import format_call
from clconform.reports.escaping import escape_unprintable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clconform.calls.partitions import DeviceSplit, PartitionLine, PartitionStep
    from clconform.reports.call_formatting import ValueNames
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviceTested, PlatformTested

SUCCESS = "CL_SUCCESS"
LABEL_WIDTH, UNITS_WIDTH, ROW_HEIGHT, BOX_HEIGHT, INDENT = 330, 600, 28, 20, 14
"""Sizes in the drawing: the labels on the left, the units on the right, a row, a box, and the indentation."""
MAX_ROWS = 60
"""Maximum number of partitionings in a tree."""
MIN_NUMBERED_WIDTH = 16
"""Minimum width in pixels of a box that shows its number of units."""
PREFIXES = ("CL_DEVICE_PARTITION_", "CL_DEVICE_AFFINITY_DOMAIN_", "CL_AFFINITY_DOMAIN_")


@dataclass(frozen=True)
class SubDeviceBox:
    """A sub-device as drawn; ``units``: its compute units, 0 if not queried."""

    x: float
    width: float
    units: int
    description: str

    @property
    def label(self) -> str:
        """The number of compute units as the text in the box; empty if it is unknown or the box is too narrow."""
        return str(self.units) if self.units and self.width >= MIN_NUMBERED_WIDTH else ""


@dataclass(frozen=True)
class SplitRow:
    """One partitioning of a device as drawn.

    ``indent``: its depth in the tree. ``parent_line``: the line from its parent. ``exceeds_parent``: its sub-devices
    report more compute units than their parent.
    """

    y: int
    indent: int
    label: str
    description: str
    boxes: list[SubDeviceBox]
    parent_line: str
    exceeds_parent: bool


@dataclass(frozen=True)
class RejectedScheme:
    """A partition scheme that created no sub-devices, with the result of the call."""

    scheme: str
    observed: str


@dataclass
class PartitionTree:
    """The partitionings of one root device and its sub-devices as drawn.

    ``more``: number of partitionings that are not drawn. ``rejected``: the schemes that created no sub-devices.
    """

    title: str
    units: int
    rows: list[SplitRow] = field(default_factory=list)
    more: int = 0
    rejected: list[RejectedScheme] = field(default_factory=list)

    @property
    def height(self) -> int:
        """The height of the drawing in pixels."""
        return (len(self.rows) + 1) * ROW_HEIGHT + 6


def collect_splits(lines: Iterable[PartitionLine]) -> list[DeviceSplit]:
    """Return the distinct partitionings of all items, with the compute units that any item queried."""
    found: dict[tuple[object, ...], DeviceSplit] = {}
    for line in lines:
        for split in line.splits:
            key = (split.root, _path_key(split.path), split.function, tuple(split.scheme), split.observed)
            known = found.get(key)
            if known is None or sum(map(bool, known.units)) < sum(map(bool, split.units)):
                found[key] = split
    return list(found.values())


def draw_trees(
    splits: Sequence[DeviceSplit], platform: PlatformTested | None, tables: ReportTables, names: ValueNames
) -> list[PartitionTree]:
    """Return a tree for each root device that was partitioned."""
    devices = {device.handle: device for device in platform.devices} if platform else {}
    roots = dict.fromkeys(split.root for split in splits)
    drawn = [_TreeDrawing(splits, root, devices, tables, names).tree() for root in roots]
    return [tree for tree in drawn if tree.rows or tree.rejected]


def _path_key(path: Sequence[PartitionStep]) -> tuple[object, ...]:
    return tuple((tuple(part.scheme), part.index) for part in path)


class _TreeDrawing:
    """Draws the tree of one root device: a row for each partitioning, with boxes below the partitioned device."""

    def __init__(
        self,
        splits: Sequence[DeviceSplit],
        root: str,
        devices: Mapping[str, DeviceTested],
        tables: ReportTables,
        names: ValueNames,
    ) -> None:
        self._all = [split for split in splits if split.root == root]
        self._tables, self._names = tables, names
        device = devices.get(root)
        title = " · ".join(
            filter(None, (escape_unprintable(root), escape_unprintable(device.name, limit=100) if device else ""))
        )
        self._tree = PartitionTree(title, device.compute_units if device else 0)

    def tree(self) -> PartitionTree:
        """Return the drawing of the root device and all of its partitionings."""
        made = [split for split in self._all if split.observed == SUCCESS and split.units]
        whole = SubDeviceBox(LABEL_WIDTH, UNITS_WIDTH, self._tree.units, "")
        for split in sorted((each for each in made if not each.path), key=self._order):
            self._add(split, whole, ROW_HEIGHT, made)
        refused = {(self._scheme(split), split.observed) for split in self._all if split.observed != SUCCESS}
        self._tree.rejected = [
            RejectedScheme(scheme, escape_unprintable(observed)) for scheme, observed in sorted(refused)
        ]
        return self._tree

    def _add(self, split: DeviceSplit, parent: SubDeviceBox, above: int, made: Sequence[DeviceSplit]) -> None:
        tree, depth = self._tree, len(split.path)
        if len(tree.rows) >= MAX_ROWS:
            tree.more += 1
            return
        y = (len(tree.rows) + 1) * ROW_HEIGHT
        boxes = list(_sub_device_boxes(split, parent))
        words = self._scheme(split)
        of = f"sub-device {split.path[-1].index + 1}: " if split.path else ""
        units = ", ".join(str(units or "?") for units in split.units)
        indent = depth * INDENT
        tie = f"M{indent - 6} {above + BOX_HEIGHT + 4}V{y + BOX_HEIGHT // 2}H{indent - 1}" if depth else ""
        over = 0 < parent.units < sum(split.units)
        tree.rows.append(SplitRow(y, indent, of + words, f"{of}{words}: units {units}", boxes, tie, over))
        way = _path_key(split.path)
        for child in sorted((each for each in made if len(each.path) == depth + 1), key=self._order):
            last = child.path[-1]
            if _path_key(child.path[:-1]) == way and last.scheme == split.scheme and last.index < len(boxes):
                self._add(child, boxes[last.index], y, made)

    def _order(self, split: DeviceSplit) -> tuple[object, ...]:
        return (split.function, [part.index for part in split.path], len(split.scheme), split.scheme)

    def _scheme(self, split: DeviceSplit) -> str:
        """Return the short name of a partitioning's scheme, without the common prefix of the names."""
        whole = format_call(
            Call(split.function, {"properties": ElementList(tuple(split.scheme))}), None, self._tables, self._names
        )
        words = whole[len(split.function) + 2 : -2].removesuffix(", 0")
        for prefix in PREFIXES:
            words = words.replace(prefix, "")
        return f"{words} (EXT)" if split.function.endswith("EXT") else words


def _sub_device_boxes(split: DeviceSplit, parent: SubDeviceBox) -> Iterator[SubDeviceBox]:
    """Yield the boxes of sub-devices, with widths proportional to their compute units, or equal widths if unknown."""
    known = all(split.units) and parent.units >= sum(split.units)
    x = parent.x
    for number, units in enumerate(split.units, start=1):
        width = parent.width * units / parent.units if known else parent.width / len(split.units)
        told = f"{units} compute unit{'' if units == 1 else 's'}" if units else "units not queried"
        yield SubDeviceBox(round(x, 1), round(max(width - 2, 1), 1), units, f"sub-device {number}: {told}")
        x += width
