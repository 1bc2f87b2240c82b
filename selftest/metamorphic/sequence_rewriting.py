"""Rewrites stored sequences: several devices in a context, contexts created by type, or a sub-device as the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from clconform.calls.call import Call, Returned, Step
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.runner.deviations.replay import rename_handles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.calls.values import Value
    from clconform.spec_tables import Tables

BY_LIST, BY_TYPE, PARTITION = "clCreateContext", "clCreateContextFromType", "clCreateSubDevices"
_SUB_DEVICE_NAME = "device_in_place_of_its_root1"
_ROOT_DEVICE_FUNCTIONS = frozenset({PARTITION, "clCreateSubDevicesEXT", "clGetDeviceIDs", "clGetDeviceInfo"})


class RewrittenStep(Step, frozen=True):
    """A step of a rewritten sequence; ``origin``: its position in the stored sequence, -1 for an added call.

    ``touched``: its arguments differ from the stored ones.
    """

    origin: int = -1
    touched: bool = False


class SequenceRewriter(Protocol):
    """Rewrites stored sequences."""

    def rewrite(self, sequence: Sequence[Step]) -> list[RewrittenStep]:
        """Return the rewritten sequence. If no call can be rewritten, ``touched`` is false for every step."""


def make_step(step: Step, origin: int, call: Call | None = None) -> RewrittenStep:
    """Return a stored step as a step of a rewritten sequence, with another call if one is given."""
    fields = {name: getattr(step, name) for name in Step.__struct_fields__}
    if call is None or call == step.call:
        return RewrittenStep(**fields, origin=origin)
    return RewrittenStep(**{**fields, "call": call}, origin=origin, touched=True)


@dataclass(frozen=True)
class SeveralDevices:
    """Creates contexts of all root devices, where the stored sequence lists a single root device."""

    devices: tuple[str, ...]

    def rewrite(self, sequence: Sequence[Step]) -> list[RewrittenStep]:
        """Return the rewritten sequence."""
        return [make_step(step, at, self._rewrite_call(step.call)) for at, step in enumerate(sequence)]

    def _rewrite_call(self, call: Call) -> Call | None:
        listed = call.arguments.get("devices")
        if call.function != BY_LIST or not isinstance(listed, ElementList) or call.arguments.get("num_devices") != 1:
            return None
        own = listed.values[0] if len(listed.values) == 1 else None
        if not isinstance(own, Handle) or own.name not in self.devices:
            return None
        others = tuple(Handle(name) for name in self.devices if name != own.name)
        changed: dict[str, Value] = {"num_devices": 1 + len(others), "devices": ElementList((own, *others))}
        return Call(call.function, {**call.arguments, **changed})


@dataclass(frozen=True)
class ContextFromType:
    """Creates contexts by the device type CL_DEVICE_TYPE_ALL, where the stored sequence lists root devices."""

    platform: str
    tables: Tables

    def rewrite(self, sequence: Sequence[Step]) -> list[RewrittenStep]:
        """Return the rewritten sequence."""
        return [make_step(step, at, self._rewrite_call(step)) for at, step in enumerate(sequence)]

    def _rewrite_call(self, step: Step) -> Call | None:
        arguments = step.call.arguments
        made = isinstance(step.outcome, Returned) and step.outcome.value is not None
        listed = arguments.get("devices")
        if step.call.function != BY_LIST or not made or not isinstance(listed, ElementList):
            return None
        if arguments["properties"] is not None or arguments["num_devices"] != len(listed.values):
            return None
        numbers = self.tables.enumerants
        rest = {name: arguments[name] for name in ("pfn_notify", "user_data", "errcode_ret")}
        named = ElementList((numbers["CL_CONTEXT_PLATFORM"].value, Handle(self.platform), 0))
        return Call(BY_TYPE, {"properties": named, "device_type": numbers["CL_DEVICE_TYPE_ALL"].value, **rest})


@dataclass(frozen=True)
class SubDeviceForRoot:
    """Replaces the root device by a sub-device of one compute unit in all calls but queries and partitions."""

    device: str
    tables: Tables

    def rewrite(self, sequence: Sequence[Step]) -> list[RewrittenStep]:
        """Return the rewritten sequence."""
        names = {self.device: _SUB_DEVICE_NAME}
        steps = [
            make_step(
                step, at, rename_handles(step.call, names) if step.call.function not in _ROOT_DEVICE_FUNCTIONS else None
            )
            for at, step in enumerate(sequence)
        ]
        if not any(step.touched for step in steps):
            return steps
        scheme = self.tables.enumerants["CL_DEVICE_PARTITION_BY_COUNTS"].value
        end = self.tables.enumerants["CL_DEVICE_PARTITION_BY_COUNTS_LIST_END"].value
        made = Call(
            PARTITION,
            {
                "in_device": Handle(self.device),
                "properties": ElementList((scheme, 1, end, 0)),
                "num_devices": 1,
                "out_devices": OutputBuffer(1),
                "num_devices_ret": None,
            },
        )
        return [RewrittenStep(made, Returned(0), [_SUB_DEVICE_NAME]), *steps]


def copy_sequence(sequence: Sequence[Step]) -> list[RewrittenStep]:
    """Return a stored sequence without changes."""
    return [make_step(step, at) for at, step in enumerate(sequence)]
