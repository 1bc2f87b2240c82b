"""A worker that alters the capabilities that a driver reports, between the session and the driver."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import FILL_BYTE, Handle, OutputBuffer
from clconform.harness import Worker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.calls.protocol import TargetReached
    from clconform.calls.values import Value
    from clconform.harness import Deadlines, Target
    from clconform.oracles.model.cl_object import Fact
    from clconform.spec_tables import Tables

INFO_FUNCTIONS = {"clGetPlatformInfo": "platform", "clGetDeviceInfo": "device"}
"""The functions whose results are altered, with the parameter for the queried object."""
PARTITION_FUNCTIONS = {"clCreateSubDevices": "in_device", "clCreateSubDevicesEXT": "in_device"}
DEVICE_LIST = "clGetDeviceIDs"
_NAME_BYTES = 64


class AlteredWorker(Worker):
    """A worker that returns given values for some queries, and lists the root devices in a given order.

    ``altered``: the new values by object and query; sub-devices return the new values of their root device. ``order``:
    the names of the root devices of ``platform``.
    """

    def __init__(
        self,
        target: Target,
        tables: Tables,
        altered: Mapping[str, Mapping[str, Fact]],
        platform: str,
        order: Sequence[str],
        *,
        deadlines: Deadlines | None = None,
    ) -> None:
        """Start the worker; HarnessError as for any worker."""
        self._tables, self._altered = tables, altered
        self._names = {tables.enumerants[query].value: query for told in altered.values() for query in told}
        self._platform, self._order = platform, tuple(order)
        self._roots: dict[str, str] = {}
        self._lengths: dict[tuple[str, str], int] = {}
        super().__init__(target, deadlines=deadlines)
        self.greeting = self._reorder_greeting(self.greeting)

    def call(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call as ``Worker.call`` does, and return the altered outcome."""
        return self._alter_outcome(call, super().call(self._alter_call(call), deadline))

    def call_concurrently(self, calls: Sequence[Call], deadline: float | None = None) -> list[Outcome]:
        """Make the calls concurrently; return their altered outcomes."""
        outcomes = super().call_concurrently([self._alter_call(call) for call in calls], deadline)
        return [self._alter_outcome(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]

    def begin_example(self) -> None:
        """Start an example: forget the sub-devices of the previous example."""
        super().begin_example()
        self._roots.clear()

    # calls

    def _get_alteration(self, call: Call) -> tuple[str, str, Fact] | None:
        """Return the queried object, the query and the new value if the call's result is altered; otherwise None."""
        parameter = INFO_FUNCTIONS.get(call.function)
        thing = call.arguments.get(parameter) if parameter else None
        query = self._names.get(call.arguments.get("param_name"))  # type: ignore[arg-type]
        if not isinstance(thing, Handle) or query is None:
            return None
        told = self._altered.get(self._roots.get(thing.name, thing.name), {})
        return (thing.name, query, told[query]) if query in told else None

    def _alter_call(self, call: Call) -> Call:
        """Return the call to make; for an altered query, the size of the output buffer is changed.

        It changes by the difference in size between the driver's value and the new value. So a buffer that is too small
        for the new value is also too small for the driver's value.
        """
        asked = self._get_alteration(call)
        size, room = call.arguments.get("param_value_size"), call.arguments.get("param_value")
        if asked is None or not isinstance(size, int) or not size or not isinstance(room, OutputBuffer):
            return call
        thing, query, answer = asked
        own = self._get_driver_size(call.function, thing, query)
        if own is None:
            return call
        more = own - len(encode_value(answer, query))
        count = max(1, (room.count or 0) + more)
        changed: dict[str, Value] = {
            "param_value_size": max(1, size + more) if size < 1 << 32 else size,
            "param_value": msgspec.structs.replace(room, count=count),
        }
        return Call(call.function, {**call.arguments, **changed})

    def _get_driver_size(self, function: str, thing: str, query: str) -> int | None:
        """Return the size of the driver's own value in bytes; None if the driver does not report it."""
        key = (thing, query)
        if key not in self._lengths:
            arguments: dict[str, Value] = {
                INFO_FUNCTIONS[function]: Handle(thing),
                "param_name": self._tables.enumerants[query].value,
            }
            sizes: dict[str, Value] = {
                "param_value_size": 0,
                "param_value": None,
                "param_value_size_ret": OutputBuffer(1),
            }
            outcome = super().call(Call(function, {**arguments, **sizes}))
            told = outcome.outputs["param_value_size_ret"].values if isinstance(outcome, Returned) else []
            if not told or not isinstance(told[0], int):
                return None
            self._lengths[key] = told[0]
        return self._lengths[key]

    # outcomes

    def _alter_outcome(self, call: Call, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Returned) or outcome.value != 0:
            return outcome
        if call.function in PARTITION_FUNCTIONS:
            self._record_sub_devices(call, outcome)
        if call.function == DEVICE_LIST:
            return self._reorder_devices(call, outcome)
        asked = self._get_alteration(call)
        return outcome if asked is None else self._replace_value(call, outcome, asked[1], asked[2])

    def _replace_value(self, call: Call, outcome: Returned, query: str, answer: Fact) -> Returned:
        content, outputs = encode_value(answer, query), dict(outcome.outputs)
        told = outputs.get("param_value_size_ret")
        if told is not None and told.values and isinstance(told.values[0], int):
            outputs["param_value_size_ret"] = msgspec.structs.replace(told, values=[len(content)])
        room = call.arguments.get("param_value")
        if "param_value" in outputs and isinstance(room, OutputBuffer):
            written = len(content.rstrip(bytes([FILL_BYTE])))
            outputs["param_value"] = Output(decode_values(answer, content), written, content[:written])
        return msgspec.structs.replace(outcome, outputs=outputs)

    def _record_sub_devices(self, call: Call, outcome: Returned) -> None:
        """Record the root device of new sub-devices."""
        parent = call.arguments.get(PARTITION_FUNCTIONS[call.function])
        if isinstance(parent, Handle):
            root = self._roots.get(parent.name, parent.name)
            made = outcome.outputs.get("out_devices")
            self._roots |= {name: root for name in (made.values if made else ()) if isinstance(name, str)}

    def _reorder_devices(self, call: Call, outcome: Returned) -> Returned:
        """Return a device list in the wanted order.

        An incomplete list of n devices becomes the first n devices in this order.
        """
        listed, platform = outcome.outputs.get("devices"), call.arguments.get("platform")
        if listed is None or not isinstance(platform, Handle) or platform.name != self._platform:
            return outcome
        names = [value for value in listed.values if value in self._order]
        if not names or len(set(names)) != len(names):
            return outcome
        every: dict[str, Value] = {
            "num_entries": len(self._order),
            "devices": OutputBuffer(len(self._order)),
            "num_devices": None,
        }
        whole = super().call(Call(DEVICE_LIST, {**call.arguments, **every}))
        there = whole.outputs["devices"].values if isinstance(whole, Returned) and whole.value == 0 else names
        wanted = [name for name in self._order if name in there][: len(names)]
        if len(wanted) < len(names):
            return outcome
        values = [*wanted, *listed.values[len(names) :]]
        return outcome.with_outputs(devices=msgspec.structs.replace(listed, values=values))

    def _reorder_greeting(self, greeting: TargetReached) -> TargetReached:
        platforms = [
            msgspec.structs.replace(each, devices=sorted(each.devices, key=lambda one: self._order.index(one.handle)))
            if each.handle == self._platform
            else each
            for each in greeting.platforms
        ]
        return msgspec.structs.replace(greeting, platforms=platforms)


def encode_value(answer: Fact, query: str) -> bytes:
    """Return the bytes of a query value: a text, a 32-bit number, or a list of names with versions.

    TypeError for any other value.
    """
    if isinstance(answer, str):
        return answer.encode("utf-8", "backslashreplace") + b"\0"
    if isinstance(answer, int):
        return struct.pack("<I", answer)
    if isinstance(answer, tuple):
        pairs = zip(answer[::2], answer[1::2], strict=True)
        return b"".join(
            struct.pack(f"<I{_NAME_BYTES}s", number, str(name).encode()[: _NAME_BYTES - 1]) for number, name in pairs
        )
    raise TypeError(f"{query}: {answer!r} is no text, number or list of names with versions")


def decode_values(answer: Fact, content: bytes) -> list[int | float | str | None]:
    """Return the elements of a query value as a worker decodes them."""
    if isinstance(answer, tuple):
        return list(answer)
    return [content.decode("utf-8", "backslashreplace") if isinstance(answer, str) else answer]
