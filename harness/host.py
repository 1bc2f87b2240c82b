"""Host memory for harness actions, which allocate guarded areas and write or read memory at a pointer."""

from __future__ import annotations

import ctypes
import mmap
from collections import deque
from typing import TYPE_CHECKING

from clconform.calls.atomics import OBJECT_BYTES, parse_operations
from clconform.calls.call import Output, Returned
from clconform.calls.harness_actions import ALLOCATE, ATOMICS, READ, WRITE
from clconform.calls.values import FILL_BYTE, Data, Handle, OffsetPointer, OutputBuffer, Pointers, Text
from clconform.harness import atomics
from clconform.harness.binding import address_of, bytes_of
from clconform.harness.errors import BadCall
from clconform.harness.memory import GUARD_BYTES, GuardedBuffer
from clconform.harness.names import MEMORY

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.harness.names import ObjectNames

_KEPT_AREAS = 256
_LARGEST_BYTES = 1 << 30


class HostMemory:
    """The host areas of one example. Areas of recent examples also stay allocated: a driver may still access them."""

    def __init__(self, names: ObjectNames) -> None:
        self._names = names
        self._areas: list[GuardedBuffer] = []
        self._kept: deque[GuardedBuffer] = deque(maxlen=_KEPT_AREAS)

    def begin(self) -> None:
        """Begin an example; it has no areas yet."""
        self._kept.extend(self._areas)
        self._areas = []

    def perform(self, call: Call) -> Returned:
        """Perform one harness action whose argument types ``ArgumentTypes`` has checked; BadCall if it is invalid.

        The caller checks that the memory is accessible.
        """
        if call.function == ATOMICS:
            return Returned(self._operate(call))
        if call.function not in (ALLOCATE, WRITE, READ):
            raise BadCall(f"{call.function} is not a harness action that accesses memory")
        size = call.size
        if call.function == ALLOCATE:
            return Returned(self._allocate(size, call.alignment))
        address = self._address(call.pointer)
        if call.function == WRITE:
            content = self._content(call.content)
            if len(content) != size:
                raise BadCall(f"{WRITE} needs {size} bytes as its content")
            ctypes.memmove(address, content, size)
            return Returned(None)
        if not isinstance(call.content, OutputBuffer) or call.content.count != size:
            raise BadCall(f"{READ} needs an output buffer of {size} bytes")
        content = ctypes.string_at(address, size).rstrip(bytes([FILL_BYTE]))  # as for other output buffers
        return Returned(None, {"content": Output([], len(content), content)}, self._overrun(address))

    def _allocate(self, size: int, alignment: int) -> str:
        if not 0 < size <= _LARGEST_BYTES or alignment < 1 or alignment & (alignment - 1):
            raise BadCall(f"cannot allocate {size} bytes at a multiple of {alignment}")
        chunk = mmap.mmap(-1, size + 2 * GUARD_BYTES + alignment)
        base = ctypes.addressof(ctypes.c_char.from_buffer(chunk))
        address = -(-(base + GUARD_BYTES) // alignment) * alignment
        self._areas.append(GuardedBuffer(chunk, address - base, address, size))
        return self._names.name_of(MEMORY, address)

    def _operate(self, call: Call) -> int:
        address = self._address(call.pointer)
        if not isinstance(call.operations, Text) or address % OBJECT_BYTES:
            raise BadCall(f"{ATOMICS} needs operations and a multiple of {OBJECT_BYTES}")
        return int(atomics.make_on(address, call.instances, parse_operations(call.operations.content)))

    def _content(self, value: Value) -> bytes:
        """Return the bytes to write, from data or from a list of addresses."""
        if isinstance(value, Pointers):
            return bytes_of(value, self._names)
        return value.content if isinstance(value, Data) else b""

    def _address(self, value: Value) -> int:
        if isinstance(value, Handle | OffsetPointer):
            return address_of(value, self._names)
        raise BadCall(f"a harness action needs a named pointer, not {value!r}")

    def _overrun(self, address: int) -> list[str]:
        """Return ``["pointer"]``, the overrun parameter, if guard bytes of the area at an address changed; else []."""
        around = (area for area in self._areas if area.address <= address <= area.address + area.size)
        return ["pointer"] if any(area.overrun() for area in around) else []
