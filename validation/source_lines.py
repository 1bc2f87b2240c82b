"""Finds the functions and source lines of positions in code files, by one ``addr2line`` process for each file."""

from __future__ import annotations

import os
import re
import select
import shutil
import struct
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_TIMEOUT = 30.0
_MAX_PROCESSES = 8
_MAX_LINES = 65536
_END = "0xffffffffffffffff"
"""An address in no code file: the output for it ends that for the address before it."""
_END_LINES = 3
_DISCRIMINATOR = re.compile(r" \(discriminator \d+\)$")
_ELF = struct.Struct("<16s2HI3QI3H")
_SEGMENT = struct.Struct("<2I6Q")
_LOADED = 1


class CodeLine(NamedTuple):
    """A source line as ``FILE:LINE``, and its function; each is empty if it is unknown."""

    source: str
    function: str


class _Segment(NamedTuple):
    """An entry of a code file's table of segments; ``in_file``: the size in the file, ``size``: that in memory."""

    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    in_file: int
    size: int
    alignment: int


class SourceLines:
    """Looks up source lines; a context manager that ends its processes."""

    def __init__(self) -> None:
        self._tool = shutil.which("addr2line")
        self._processes: dict[str, _LineProcess | None] = {}
        self._segments: dict[str, list[tuple[int, int, int]]] = {}
        self._known: dict[tuple[str, int], list[CodeLine]] = {}

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes; later look-ups start new ones."""
        while self._processes:
            _, process = self._processes.popitem()
            if process is not None:
                process.end()

    def lines_at(self, path: str, offset: int) -> list[CodeLine]:
        """Return the lines of an offset in a file: of inlined functions first, then of the function that has the code.

        The list is empty without debug information.
        """
        if len(self._known) >= _MAX_LINES:
            self._known.clear()
        found = self._known.get((path, offset))
        if found is None:
            found = self._known[path, offset] = self._look_up(path, offset)
        return found

    def _look_up(self, path: str, offset: int) -> list[CodeLine]:
        if path not in self._processes:
            self._processes[path] = self._start(path)
        process = self._processes[path]
        if process is None:
            return []
        try:
            return process.query(self._address_of(path, offset))
        except (OSError, TimeoutError):
            process.end()
            self._processes[path] = None
            return []

    def _start(self, path: str) -> _LineProcess | None:
        """Start a process for a file; None if that is not possible. End the oldest one if there are too many."""
        running = [name for name, process in self._processes.items() if process is not None]
        for oldest in running[: len(running) - _MAX_PROCESSES + 1]:
            process = self._processes.pop(oldest)
            if process is not None:
                process.end()
        if self._tool is None or not Path(path).is_file():
            return None
        try:
            return _LineProcess(self._tool, path)
        except OSError:
            return None

    def _address_of(self, path: str, offset: int) -> int:
        """Return the address in a file's debug information that belongs to an offset in the file."""
        if path not in self._segments:
            self._segments[path] = _read_segments(path)
        for start, size, address in self._segments[path]:
            if start <= offset < start + size:
                return offset - start + address
        return offset


class _LineProcess:
    """A running ``addr2line`` for one file."""

    def __init__(self, tool: str, path: str) -> None:
        """Start the process; OSError if that fails."""
        words = [tool, "-a", "-f", "-i", "-C", "-e", path]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )

    def query(self, address: int) -> list[CodeLine]:
        """Return the lines of an address; OSError if the process has ended, TimeoutError if it takes too long."""
        assert self._process.stdin is not None  # noqa: S101 (it is a pipe)
        self._process.stdin.write(f"{address:#x}\n{_END}\n".encode())
        lines = self._read_output()
        pairs = zip(lines[1::2], lines[2::2], strict=False)
        found = [CodeLine(_known_source(place), "" if name.startswith("?") else name) for name, place in pairs]
        return [line for line in found if line.source or line.function]

    def _read_output(self) -> list[str]:
        """Return the output for one address, without that for the address that ends it."""
        assert self._process.stdout is not None  # noqa: S101 (it is a pipe)
        pipe, read, deadline = self._process.stdout.fileno(), b"", time.monotonic() + _TIMEOUT
        while True:
            lines = read.decode(errors="replace").split("\n")
            if len(lines) > _END_LINES and lines[-1 - _END_LINES] == _END:
                return lines[: -1 - _END_LINES]
            if not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError
            more = os.read(pipe, 1 << 16)
            if not more:
                raise BrokenPipeError
            read += more

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def _known_source(place: str) -> str:
    """Return a place as ``FILE:LINE``; empty if the file or the line is unknown."""
    place = _DISCRIMINATOR.sub("", place)
    return "" if place.startswith("?") or place.endswith((":?", ":0")) else place


def _read_segments(path: str) -> list[tuple[int, int, int]]:
    """Return the loaded segments of a code file: offset, size in the file, and address; none if it is not ELF."""
    try:
        with Path(path).open("rb") as file:
            begin = file.read(_ELF.size)
            if len(begin) < _ELF.size or not begin.startswith(b"\x7fELF\x02\x01"):
                return []
            head = _ELF.unpack(begin)
            at, size, count = head[5], head[9], head[10]
            if size != _SEGMENT.size:
                return []
            file.seek(at)
            table = file.read(size * count)
    except (OSError, ValueError):
        return []
    if len(table) != size * count:
        return []
    segments = (_Segment(*each) for each in _SEGMENT.iter_unpack(table))
    return [(each.offset, each.in_file, each.address) for each in segments if each.kind == _LOADED]
