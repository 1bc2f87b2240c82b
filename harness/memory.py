"""Memory for a call's arguments, separate from Python's heap and with guard bytes around every output buffer.

A driver that writes past the end of a buffer first overwrites guard bytes, then other buffers of the same call, and
only then memory of the worker.
"""

from __future__ import annotations

import ctypes
import mmap
from collections import deque

from clconform.calls.values import FILL_BYTE
from clconform.harness.errors import BadCall

GUARD_BYTES = 64
_GUARD = bytes([0xC3]) * GUARD_BYTES
_FILLED = bytes([FILL_BYTE])
_OTHERS = bytes(0xFF ^ byte for byte in range(256))
_ALIGNMENT = 128  # the largest that a device may require of host memory: a vector of sixteen 64-bit numbers
_CHUNK_BYTES = 1 << 18
_LARGE_CHUNK_BYTES = 1 << 24
_KEPT_CHUNKS = 256
_LARGEST_BYTES = 1 << 33


class GuardedBuffer:
    """``size`` bytes at ``address``, filled with a pattern and surrounded by guard bytes."""

    __slots__ = ("_map", "_start", "address", "size")

    def __init__(self, chunk: mmap.mmap, start: int, address: int, size: int) -> None:
        self._map = chunk
        self._start = start
        self.address = address
        self.size = size
        chunk[start - GUARD_BYTES : start + size + GUARD_BYTES] = _GUARD + _FILLED * size + _GUARD

    def content(self) -> bytes:
        """Return the current content."""
        return self._map[self._start : self._start + self.size]

    def overrun(self) -> bool:
        """Return whether a guard byte has changed."""
        start, end = self._start, self._start + self.size
        return self._map[start - GUARD_BYTES : start] != _GUARD or self._map[end : end + GUARD_BYTES] != _GUARD


class Arena:
    """Allocates memory for one call at a time; ``release`` frees it, ``keep`` retains it for an enqueued command."""

    def __init__(self) -> None:
        self._chunks: list[tuple[mmap.mmap, int]] = []
        self._offset = 0
        self._kept: deque[mmap.mmap] = deque(maxlen=_KEPT_CHUNKS)
        self._reusable: list[tuple[mmap.mmap, int, int]] = []

    def buffer(self, size: int) -> GuardedBuffer:
        """Return a guarded buffer of ``size`` bytes; BadCall if the size is negative or too large."""
        if size < 0:
            raise BadCall(f"cannot allocate an output buffer of {size} bytes")
        chunk, start, address = self._take(size + 2 * GUARD_BYTES, before=GUARD_BYTES)
        return GuardedBuffer(chunk, start, address, size)

    def put(self, content: bytes, *, reusable: bool = False) -> int:
        """Copy ``content`` to memory that lives until ``release``, and return its address.

        ``reusable``: the driver may not read the memory after the call has returned; ``reuse`` overwrites it.
        """
        chunk, start, address = self._take(len(content))
        chunk[start : start + len(content)] = content
        if reusable:
            self._reusable.append((chunk, start, start + len(content)))
        return address

    def reuse(self) -> None:
        """Overwrite all ``reusable`` memory, as an application may do after the call."""
        for chunk, start, end in self._reusable:
            chunk[start:end] = chunk[start:end].translate(_OTHERS)
        self._reusable = []

    def release(self) -> None:
        """Free all memory that was allocated since the last ``release`` or ``keep``."""
        self._reusable = []
        if self._chunks and len(self._chunks[0][0]) > _LARGE_CHUNK_BYTES:
            self._chunks = []
        del self._chunks[1:]
        self._offset = 0

    def keep(self) -> None:
        """Retain all memory of this call, because the driver may access it until the enqueued command completes.

        The memory of the last 256 retained calls stays allocated.
        """
        self._kept.extend(chunk for chunk, _ in self._chunks)
        self._chunks = []
        self._offset = 0

    def _take(self, size: int, before: int = 0) -> tuple[mmap.mmap, int, int]:
        """Allocate ``size`` bytes; return (chunk, offset, address) of the aligned place ``before`` bytes into them."""
        if size > _LARGEST_BYTES:
            raise BadCall(f"cannot allocate an output buffer of {size} bytes")
        start = -(-(self._offset + before) // _ALIGNMENT) * _ALIGNMENT
        if not self._chunks or start - before + size > len(self._chunks[-1][0]):
            self._add(size + before + _ALIGNMENT)
            start = -(-before // _ALIGNMENT) * _ALIGNMENT
        chunk, base = self._chunks[-1]
        self._offset = start - before + size
        return chunk, start, base + start

    def _add(self, size: int) -> None:
        try:
            chunk = mmap.mmap(-1, max(_CHUNK_BYTES, size))
        except (OverflowError, ValueError) as error:
            raise BadCall(f"cannot allocate an output buffer of {size} bytes: {error}") from None
        self._chunks.append((chunk, ctypes.addressof(ctypes.c_char.from_buffer(chunk))))
        self._offset = 0
