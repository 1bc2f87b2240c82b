"""Inspects addresses of this process through ``/proc``, so that an invalid address is a result and not a crash."""

from __future__ import annotations

import bisect
import ctypes
import os
import struct
from typing import NamedTuple

_POINTER = struct.Struct("P")
_MAX_TEXT_BYTES = 1 << 16
_PAGE_BYTES = 4096


class _Mapping(NamedTuple):
    start: int
    end: int
    executable: bool
    path: str


class ProcessMemory:
    """Reads the memory of this process."""

    def __init__(self) -> None:
        self._mappings: list[_Mapping] = []
        self._open_memory()

    def _open_memory(self) -> None:
        self._memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
        self._file_identity = _file_identity_of(self._memory)

    def _read_bytes(self, size: int, address: int) -> bytes | None:
        """Return up to ``size`` bytes at ``address``, or None if the memory is not readable.

        A driver may have closed the descriptor or reused its number. The memory is then reopened; OSError if that
        fails.
        """
        if _file_identity_of(self._memory) != self._file_identity:
            self._open_memory()
        try:
            return os.pread(self._memory, size, address)
        except OSError:
            return None

    def read_pointer(self, address: int) -> int | None:
        """Return the pointer stored at ``address``, or None if it cannot be read."""
        if not 0 < address < 1 << 63:
            return None
        content = self._read_bytes(_POINTER.size, address)
        return int(_POINTER.unpack(content)[0]) if content and len(content) == _POINTER.size else None

    def read(self, address: int, size: int) -> bytes | None:
        """Return ``size`` bytes at ``address``, or None if not all of them can be read."""
        if size < 0 or not 0 < address < (1 << 63) - size:
            return None
        content = self._read_bytes(size, address)
        return content if content is not None and len(content) == size else None

    def read_text(self, address: int) -> bytes | None:
        """Return the bytes from ``address`` up to the first zero byte, or None.

        None: a byte before the zero byte is unreadable, or there is no zero byte within 64 KiB.
        """
        found = b""
        while 0 < address + len(found) < 1 << 63 and len(found) < _MAX_TEXT_BYTES:
            position = address + len(found)
            content = self._read_bytes(_PAGE_BYTES - position % _PAGE_BYTES, position)
            if content is None:
                return None
            text, end, _ = content.partition(b"\0")
            found += text
            if end or not content:
                return found if end else None
        return None

    def is_code(self, address: int) -> bool:
        """Return whether ``address`` is in executable memory."""
        found = self._find_mapping(address)
        return found is not None and found.executable

    def library_at(self, address: int) -> str:
        """Return the path of the file that is mapped at ``address``, or an empty string."""
        found = self._find_mapping(address)
        return found.path if found is not None else ""

    def is_mapped(self, path: str) -> bool:
        """Return whether this file is mapped into the process; symbolic links are resolved."""
        self._read_mappings()
        real = os.path.realpath(path)
        return any(mapping.path == real for mapping in self._mappings)

    def _find_mapping(self, address: int) -> _Mapping | None:
        for attempt in ("known", "fresh"):
            if attempt == "fresh":
                self._read_mappings()
            position = bisect.bisect_right(self._mappings, address, key=lambda mapping: mapping.start) - 1
            if position >= 0 and self._mappings[position].end > address:
                return self._mappings[position]
        return None

    def _read_mappings(self) -> None:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as lines:  # noqa: PTH123 (not a file of this project)
            self._mappings = [_parse_mapping(line.rstrip("\n")) for line in lines]


def _file_identity_of(descriptor: int) -> tuple[int, int] | None:
    """Return device and inode of an open file, or None if the descriptor is closed."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _parse_mapping(line: str) -> _Mapping:
    """Parse one line of /proc/self/maps: range, permissions, offset, device, inode and optional path."""
    bounds, permissions, _, _, _, *path = line.split(None, 5)
    start, end = bounds.split("-")
    return _Mapping(int(start, 16), int(end, 16), "x" in permissions, path[0] if path else "")


def load_library(path: str) -> ctypes.CDLL:
    """Load a shared library with local symbols; OSError with the dynamic linker's message if that fails."""
    return ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)


def symbol_address(library: ctypes.CDLL, name: str) -> int:
    """Return the address of an exported symbol, or 0."""
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
    except AttributeError:
        return 0
