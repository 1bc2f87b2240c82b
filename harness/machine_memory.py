"""The memory of the driver's process: safe reads, and the files that are mapped there.

An invalid address is a result, not a crash.
"""

from __future__ import annotations

import bisect
import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

from clconform.harness.library_paths import has_folder, has_name

if TYPE_CHECKING:
    from clconform.harness.driver_connection import DriverConnection


class TextReader(Protocol):
    """Memory from which strings can be read."""

    def read_text(self, address: int) -> bytes | None:
        """Return the bytes from ``address`` up to the first zero byte, or None if they cannot be read."""


class UnreadableMemory:
    """The memory of a process that has ended."""

    def read_text(self, address: int) -> bytes | None:  # noqa: ARG002 (the interface of TextReader)
        """Return None."""
        return None


class _Mapping(NamedTuple):
    start: int
    end: int
    executable: bool
    path: str


class ProcessMemory:
    """Reads the memory of the driver's process."""

    def __init__(self, connection: DriverConnection) -> None:
        self._connection = connection
        self._mappings: list[_Mapping] = []
        machine = connection.machine
        self._pointer_bytes = machine.pointer_bytes
        self._order = machine.integer_order
        self._end = 1 << 8 * machine.pointer_bytes

    def read_pointer(self, address: int) -> int | None:
        """Return the pointer stored at ``address``, or None if it cannot be read."""
        content = self.read(address, self._pointer_bytes)
        return int.from_bytes(content, self._order) if content is not None else None

    def read_table_entry(self, table: int, position: int) -> int | None:
        """Return the pointer at a position of a table of pointers, or None if it cannot be read."""
        return self.read_pointer(table + self._pointer_bytes * position)

    def read_pointers(self, address: int, count: int) -> list[int | None]:
        """Return ``count`` pointers stored from ``address`` on; None for each that cannot be read."""
        size = self._pointer_bytes
        places = range(0, count * size, size)
        content = self.read(address, count * size)
        if content is None:  # part of them, or all
            return [self.read_pointer(address + place) for place in places]
        return [int.from_bytes(content[place : place + size], self._order) for place in places]

    def read(self, address: int, size: int) -> bytes | None:
        """Return ``size`` bytes at ``address``, or None if not all of them can be read."""
        if size < 0 or not 0 < address < self._end - size:
            return None
        return self._connection.peek(address, size)

    def read_text(self, address: int) -> bytes | None:
        """Return the bytes from ``address`` up to the first zero byte, or None.

        None: a byte before the zero byte is unreadable, or there is no zero byte within 64 KiB.
        """
        return self._connection.peek_text(address) if 0 < address < self._end else None

    def is_code(self, address: int) -> bool:
        """Return whether ``address`` is in executable memory."""
        found = self._find_mapping(address)
        return found is not None and found.executable

    def library_at(self, address: int) -> str:
        """Return the path of the file that is mapped at ``address``, or an empty string."""
        found = self._find_mapping(address)
        return found.path if found is not None else ""

    def is_mapped(self, path: str) -> bool:
        """Return whether this file is mapped into the process; symbolic links are resolved.

        A name without a folder also stands for a file with further numbers of a version.
        """
        self._read_mappings()
        if not has_folder(path):
            return any(has_name(mapping.path, path) for mapping in self._mappings)
        real = self._connection.real_path(path)
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
        self._mappings = [
            _Mapping(start, end, executable, os.fsdecode(path))
            for start, end, executable, path in self._connection.mappings()
        ]
