"""Contributes the partitionings of devices to the journal, so that a report can draw the tree of sub-devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED, Returned
from clconform.calls.partitions import DeviceSplit, PartitionLine, PartitionStep
from clconform.calls.values import ElementList, Handle
from clconform.runner.journal.line_contributor import LineContributor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Judgement

COUNT_OUTPUTS = {"clCreateSubDevices": "num_devices_ret", "clCreateSubDevicesEXT": "num_devices"}
"""Maps the functions that partition a device to their output for the number of sub-devices."""
UNITS_FUNCTION, UNITS_QUERY = "clGetDeviceInfo", 0x1002
"""The function and the query for the number of compute units of a device."""
MAX_SPLITS = 60
"""Maximum number of partitionings stored per item."""


class PartitionContributor(LineContributor):
    """Contributes the distinct partitionings of devices in an item.

    They do not depend on the handles of an example.
    """

    def __init__(self) -> None:
        self.begin_item()

    def begin_item(self) -> None:
        """Start a new item, without partitionings."""
        self._found: dict[tuple[object, ...], DeviceSplit] = {}

    def on_judged_call(self, call: Call, outcome: Outcome, judgement: Judgement, steps: Sequence[Step]) -> None:
        """Record a call if it partitions a device or queries its compute units."""
        if call.function in COUNT_OUTPUTS:
            self._record_split(call, outcome, judgement.observed, steps)
        elif call.function == UNITS_FUNCTION and call.arguments.get("param_name") == UNITS_QUERY:
            self._record_units(call, outcome, steps)

    def end_item(self, item: str) -> Iterator[PartitionLine]:
        """Yield the line with the partitionings of an item, in the order in which they first occurred, if any."""
        if self._found:
            yield PartitionLine(item, list(self._found.values()))

    def _record_split(self, call: Call, outcome: Outcome, observed: str, steps: Sequence[Step]) -> None:
        device, scheme = call.arguments.get("in_device"), _partition_properties(call)
        if not isinstance(device, Handle) or scheme is None:
            return
        root, path = _find_root(device.name, steps[:-1])
        split = DeviceSplit(root, path, call.function, scheme, observed, [0] * _count_sub_devices(call, outcome))
        known = self._found.get(_split_key(split))
        if known is None and len(self._found) >= MAX_SPLITS:
            return
        if known is None or len(known.units) < len(split.units):
            self._found[_split_key(split)] = split

    def _record_units(self, call: Call, outcome: Outcome, steps: Sequence[Step]) -> None:
        device = call.arguments.get("device")
        if not isinstance(device, Handle) or not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
            return
        made = _find_creating_step(device.name, steps)
        if made is None:
            return
        step, number = made
        parent, scheme = step.call.arguments.get("in_device"), _partition_properties(step.call)
        units = next(iter(outcome.outputs["param_value"].values), None)
        if not isinstance(parent, Handle) or scheme is None or not isinstance(units, int):
            return
        root, path = _find_root(parent.name, steps)
        known = self._found.get(_split_key(DeviceSplit(root, path, step.call.function, scheme, "", [])))
        if known is not None and number < len(known.units):
            known.units[number] = units


def _split_key(split: DeviceSplit) -> tuple[object, ...]:
    path = tuple((tuple(part.scheme), part.index) for part in split.path)
    return (split.root, path, split.function, tuple(split.scheme))


def _partition_properties(call: Call) -> list[int] | None:
    """Return the partition properties of a call; None if they are not a list of numbers."""
    scheme = call.arguments.get("properties")
    if not isinstance(scheme, ElementList):
        return None
    numbers = [value for value in scheme.values if isinstance(value, int)]
    return numbers if len(numbers) == len(scheme.values) else None


def _count_sub_devices(call: Call, outcome: Outcome) -> int:
    """Return the number of sub-devices that a call has created or returned."""
    if not isinstance(outcome, Returned) or outcome.value != 0:
        return 0
    made = outcome.outputs.get("out_devices")
    handles = [value for value in made.values if isinstance(value, str) and value != UNTOUCHED] if made else []
    told = outcome.outputs.get(COUNT_OUTPUTS[call.function])
    counts = [value for value in told.values if isinstance(value, int)] if told else []
    return max([len(handles), *(count for count in counts if count <= MAX_SPLITS)])


def _find_creating_step(name: str, steps: Sequence[Step]) -> tuple[Step, int] | None:
    """Return the step that created a sub-device, and the index of the sub-device in its output.

    None for a root device.
    """
    for step in reversed(steps):
        if name in step.new_names and step.call.function in COUNT_OUTPUTS and isinstance(step.outcome, Returned):
            made = step.outcome.outputs.get("out_devices")
            if made and name in made.values:
                return step, made.values.index(name)
    return None


def _find_root(name: str, steps: Sequence[Step]) -> tuple[str, list[PartitionStep]]:
    """Return the root device of a device, and the partitionings that created the device from the root device."""
    path: list[PartitionStep] = []
    made = _find_creating_step(name, steps)
    while made is not None:
        step, number = made
        parent = step.call.arguments.get("in_device")
        path.insert(0, PartitionStep(_partition_properties(step.call) or [], number))
        name = parent.name if isinstance(parent, Handle) else ""
        made = _find_creating_step(name, steps)
    return name, path
