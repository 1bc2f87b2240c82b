"""Tracks how devices are partitioned, so that a report can draw the tree of sub-devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED, Returned
from clconform.calls.journal import Part, Split
from clconform.calls.values import Handle, Items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.call import Call, Outcome, Step

COUNTS = {"clCreateSubDevices": "num_devices_ret", "clCreateSubDevicesEXT": "num_devices"}
"""The functions that partition a device, each with its output for the number of sub-devices."""
QUERY, UNITS = "clGetDeviceInfo", 0x1002
"""The query for a device's compute units."""
MOST = 60
"""Maximum number of partitionings stored per item."""


class Partitions:
    """The distinct partitionings of one item, independent of handles in examples."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Split] = {}

    def saw(self, call: Call, outcome: Outcome, observed: str, steps: Sequence[Step]) -> None:
        """Record a call if it partitions a device or queries its compute units; ``steps``: the example up to it."""
        if call.function in COUNTS:
            self._split(call, outcome, observed, steps)
        elif call.function == QUERY and call.arguments.get("param_name") == UNITS:
            self._units(call, outcome, steps)

    def all(self) -> list[Split]:
        """Return the partitionings in the order of their first call."""
        return list(self._found.values())

    def _split(self, call: Call, outcome: Outcome, observed: str, steps: Sequence[Step]) -> None:
        device, scheme = call.arguments.get("in_device"), _scheme(call)
        if not isinstance(device, Handle) or scheme is None:
            return
        root, path = _origin(device.name, steps[:-1])
        split = Split(root, path, call.function, scheme, observed, [0] * _number(call, outcome))
        known = self._found.get(_key(split))
        if known is None and len(self._found) >= MOST:
            return
        if known is None or len(known.units) < len(split.units):
            self._found[_key(split)] = split

    def _units(self, call: Call, outcome: Outcome, steps: Sequence[Step]) -> None:
        device = call.arguments.get("device")
        if not isinstance(device, Handle) or not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
            return
        made = _maker(device.name, steps)
        if made is None:
            return
        step, number = made
        parent, scheme = step.call.arguments.get("in_device"), _scheme(step.call)
        units = next(iter(outcome.outputs["param_value"].values), None)
        if not isinstance(parent, Handle) or scheme is None or not isinstance(units, int):
            return
        root, path = _origin(parent.name, steps)
        known = self._found.get(_key(Split(root, path, step.call.function, scheme, "", [])))
        if known is not None and number < len(known.units):
            known.units[number] = units


def _key(split: Split) -> tuple[object, ...]:
    path = tuple((tuple(part.scheme), part.number) for part in split.path)
    return (split.root, path, split.function, tuple(split.scheme))


def _scheme(call: Call) -> list[int] | None:
    """Return the list of partition properties; None if it is not a list of numbers."""
    scheme = call.arguments.get("properties")
    if not isinstance(scheme, Items):
        return None
    numbers = [value for value in scheme.values if isinstance(value, int)]
    return numbers if len(numbers) == len(scheme.values) else None


def _number(call: Call, outcome: Outcome) -> int:
    """Return the number of sub-devices that a call has created or reported."""
    if not isinstance(outcome, Returned) or outcome.value != 0:
        return 0
    made = outcome.outputs.get("out_devices")
    handles = [value for value in made.values if isinstance(value, str) and value != UNTOUCHED] if made else []
    told = outcome.outputs.get(COUNTS[call.function])
    counts = [value for value in told.values if isinstance(value, int)] if told else []
    return max([len(handles), *(count for count in counts if count <= MOST)])


def _maker(name: str, steps: Sequence[Step]) -> tuple[Step, int] | None:
    """Return the step that created a sub-device, and the sub-device's index in it; None for a root device."""
    for step in reversed(steps):
        if name in step.binds and step.call.function in COUNTS and isinstance(step.outcome, Returned):
            made = step.outcome.outputs.get("out_devices")
            if made and name in made.values:
                return step, made.values.index(name)
    return None


def _origin(name: str, steps: Sequence[Step]) -> tuple[str, list[Part]]:
    """Return the root device of a device, and the path from the root to the device."""
    path: list[Part] = []
    made = _maker(name, steps)
    while made is not None:
        step, number = made
        parent = step.call.arguments.get("in_device")
        path.insert(0, Part(_scheme(step.call) or [], number))
        name = parent.name if isinstance(parent, Handle) else ""
        made = _maker(name, steps)
    return name, path
