"""Harness actions as requests for the worker: memory of the host, atomic operations, waits for callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.atomics import ADD, LOAD, OBJECT_BYTES, ORDERS, STORE, parse_operations
from clconform.calls.call import Output, Returned
from clconform.calls.harness_actions import ALLOCATE, ATOMICS, READ, WRITE
from clconform.calls.values import Data, Handle, OffsetPointer, OutputBuffer, Pointers, Text
from clconform.harness import raw_messages
from clconform.harness.argument_encoding import ArgumentEncoder
from clconform.harness.errors import BadCall
from clconform.harness.names import MEMORY

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.harness.names import ObjectNames
    from clconform.harness.raw_messages import RawRequest, RawReturned
    from clconform.harness.type_layout import TypeLayouts

_LARGEST_BYTES = 1 << 30
_OPERATIONS = {LOAD: 0, STORE: 1, ADD: 2}
"""Maps atomic operations to their numbers in requests."""


class HostActions:
    """Encodes the harness actions that access memory, and decodes their outcomes.

    The argument types were checked before (``ArgumentTypes``); the caller checks that the memory is accessible.
    """

    def __init__(self, layouts: TypeLayouts, names: ObjectNames) -> None:
        self._encoder = ArgumentEncoder(layouts, names)
        self._names = names

    def encode(self, call: Call) -> RawRequest:
        """Return the request for an action; BadCall if the action is invalid."""
        if call.function == ATOMICS:
            return self._encode_operations(call)
        size = call.arguments.get("size")
        if call.function not in (ALLOCATE, WRITE, READ) or not isinstance(size, int):
            raise BadCall(f"{call.function} is not a harness action that accesses memory")
        if call.function == ALLOCATE:
            alignment = call.alignment
            if not 0 < size <= _LARGEST_BYTES or not 0 < alignment <= _LARGEST_BYTES or alignment & (alignment - 1):
                raise BadCall(f"cannot allocate {size} bytes at a multiple of {alignment}")
            return [raw_messages.ALLOCATE, size, alignment]
        address = self._address(call.pointer)
        if call.function == WRITE:
            content = self._content(call.content)
            if len(content) != size:
                raise BadCall(f"{WRITE} needs {size} bytes as its content")
            return [raw_messages.WRITE, address, content]
        if not isinstance(call.content, OutputBuffer) or call.content.count != size or not 0 <= size <= _LARGEST_BYTES:
            raise BadCall(f"{READ} needs an output buffer of {size} bytes")
        return [raw_messages.READ, address, size]

    def decode(self, call: Call, raw: RawReturned) -> Returned | None:
        """Return the outcome of an action, without callbacks; None if the reply is impossible."""
        if call.function == ATOMICS:
            return Returned(int(raw.result == 1))
        if call.function == ALLOCATE:
            return Returned(self._names.name_of(MEMORY, raw.result)) if raw.result else None
        if call.function == WRITE:
            return Returned(None)
        if len(raw.outputs) != 1 or len(raw.outputs[0]) > call.size:
            return None
        content = raw.outputs[0]
        overrun = ["pointer"] if raw.overrun else []
        return Returned(None, {"content": Output([], len(content), content)}, overrun)

    def _encode_operations(self, call: Call) -> RawRequest:
        address = self._address(call.pointer)
        if not isinstance(call.operations, Text) or address % OBJECT_BYTES:
            raise BadCall(f"{ATOMICS} needs operations and a multiple of {OBJECT_BYTES}")
        operations = parse_operations(call.operations.content)
        return [
            raw_messages.ATOMICS,
            address,
            call.instances,
            *([_OPERATIONS[each.operation], each.object_index, each.number, ORDERS[each.order]] for each in operations),
        ]

    def _content(self, value: Value) -> bytes:
        """Return the bytes to write, from data or from a list of addresses."""
        if isinstance(value, Pointers):
            return self._encoder.pack_pointers(value)
        return value.content if isinstance(value, Data) else b""

    def _address(self, value: Value) -> int:
        if isinstance(value, Handle | OffsetPointer):
            return self._encoder.address_of(value)
        raise BadCall(f"a harness action needs a named pointer, not {value!r}")
