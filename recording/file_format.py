"""Reads recordings: what was written before a program ended, however it ended.

A file begins with ``CLREC``, the length of its head, and the head in JSON. Chunks follow, each with ``CLCHUNK``, its
size, how much of it is used, the process and the thread. A chunk holds records, each with its length (4 bytes), kind
and function (2 bytes each), and a number in the order of all threads.
Everything else is numbers of 8 bytes, little-endian; bytes of the program have their number before them, or
``NO_CONTENT``, and are padded to 8.
"""

from __future__ import annotations

import heapq
import mmap
import struct
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.harness.machine import Machine
from clconform.recording.layer_source import FORMAT, Head
from clconform.recording.places import Kind, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clconform.recording.places import Place
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Callback, Parameter

NO_CONTENT = (1 << 64) - 1
_HEAD = struct.Struct("<8sQ")
_CHUNK = struct.Struct("<8sQQII")
_RECORD = struct.Struct("<IHHQ")
_NUMBER = struct.Struct("<Q")
_ENTERED, _LEFT, _CALLED_BACK, _CALLBACK_ENDED, _MAPPED = 1, 2, 3, 4, 5
_SCRIPT = 7
_PAGE = 4096
_MOST_TEXTS = 65536


class RecordingError(Exception):
    """A file is no recording that can be judged; the message is one line that says what to do."""


class Argument(NamedTuple):
    """An argument as it was passed: ``bits`` of the value or the address, and the content there, if it is known.

    ``content``: bytes, or a list of them for strings and binaries, in which None stands for NULL.
    """

    bits: int
    content: bytes | list[bytes | None] | None = None


class Entered(NamedTuple):
    """A call when the driver was entered. ``site``: the return address; ``opening``: the layer asks.

    ``nanoseconds``: of a clock that never goes back.
    """

    sequence: int
    thread: int
    nanoseconds: int
    function: str
    site: int
    opening: bool
    arguments: dict[str, Argument]


class Left(NamedTuple):
    """The return of the call that was ``entered`` with that number. ``outputs``: what is known of their bytes."""

    sequence: int
    thread: int
    entered: int
    result: int
    outputs: dict[str, bytes | None]


class CallbackBegun(NamedTuple):
    """A callback, registered by the call with the number ``entered``; ``arguments`` as the driver gave them."""

    sequence: int
    thread: int
    entered: int
    arguments: bytes


class CallbackEnded(NamedTuple):
    """The end of a callback, registered by the call with the number ``entered``."""

    sequence: int
    thread: int
    entered: int


class Mapped(NamedTuple):
    """Code: the addresses from ``start`` to ``end`` are those of ``path`` from ``offset``."""

    sequence: int
    thread: int
    start: int
    end: int
    offset: int
    path: str


class Script(NamedTuple):
    """Where in a script its thread is from now on: ``lines`` as the interpreter prints them, the innermost first."""

    sequence: int
    thread: int
    lines: str


Event = Entered | Left | CallbackBegun | CallbackEnded | Mapped | Script


class Recording:
    """A recording that was opened; ``events`` reads it.

    ``process``: of the program. ``of_child``: of a process that the program has forked, by the file's name. ``cut``:
    why a part of it cannot be read, in words; empty if all can.
    """

    def __init__(self, path: Path, tables: Tables) -> None:
        """Open a file; RecordingError if it is no recording, or one of another version."""
        self._tables = tables
        self._machine = Machine(tables.types, tables.enumerants)
        self.process = 0
        self.cut = ""
        self.of_child = path.suffix[1:].isdigit()
        try:
            with path.open("rb") as file:
                self._bytes: bytes | mmap.mmap = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise RecordingError(f"{path} is empty; record the program again") from None
        except OSError as error:
            raise RecordingError(f"cannot read {path}: {error.strerror}") from None
        self._functions, self._start = self._head(path)
        self._places = [
            [
                (each, place_of(tables.functions[name], each, self._machine))
                for each in tables.functions[name].parameters
            ]
            for name in self._functions
        ]

    def _head(self, path: Path) -> tuple[list[str], int]:
        if len(self._bytes) < _HEAD.size or not self._bytes[:8].startswith(b"CLREC\0"):
            raise RecordingError(f"{path} is no recording; `clconform record -o FILE -- PROGRAM` makes one")
        _, length = _HEAD.unpack_from(self._bytes)
        try:
            head = msgspec.json.decode(self._bytes[_HEAD.size : _HEAD.size + min(length, 1 << 20)], type=Head)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RecordingError(f"{path}: its head cannot be read: {error}; record the program again") from None
        if head.format != FORMAT:
            raise RecordingError(f"{path} has format {head.format}, not {FORMAT}; record the program again")
        unknown = [name for name in head.functions if name not in self._tables.functions]
        if unknown:
            raise RecordingError(f"{path} has calls of {unknown[0][:64]!r}, which is in no table; record it again")
        return head.functions, (_HEAD.size + length + _PAGE) // _PAGE * _PAGE

    def events(self) -> Iterator[Event]:
        """Yield everything in the order over all threads; what cannot be read ends its thread's part (``cut``)."""
        threads: dict[int, list[tuple[int, int]]] = {}
        at = self._start
        while at + _CHUNK.size <= len(self._bytes):
            magic, size, used, process, thread = _CHUNK.unpack_from(self._bytes, at)
            if magic != b"CLCHUNK\0":
                if any(self._bytes[at : at + _CHUNK.size]):
                    self._cut(f"no chunk at byte {at}")
                break
            if not _CHUNK.size <= used <= size or size % _PAGE or at + used > len(self._bytes):
                self._cut(f"a chunk at byte {at} of {used} bytes that is not there as a whole")
                used = min(used, size, len(self._bytes) - at)
            self.process = self.process or process
            threads.setdefault(thread, []).append((at + _CHUNK.size, at + used))
            if size < _CHUNK.size:
                break
            at += size
        streams = [self._of_thread(thread, parts) for thread, parts in threads.items()]
        yield from heapq.merge(*streams, key=_sequence)

    def _cut(self, why: str) -> None:
        self.cut = self.cut or why

    def _of_thread(self, thread: int, parts: Sequence[tuple[int, int]]) -> Iterator[Event]:
        last = 0
        for start, end in parts:
            at = start
            while at + _RECORD.size <= end:
                length, kind, what, sequence = _RECORD.unpack_from(self._bytes, at)
                if length < _RECORD.size or at + length > end or sequence <= last:
                    self._cut(f"a record at byte {at} that is none")
                    return
                content = self._bytes[at + _RECORD.size : at + length]
                try:
                    event = self._event(kind, what, sequence, thread, _Bytes(content))
                except (_ShortError, IndexError):
                    self._cut(f"a record at byte {at} that is too short")
                    return
                if event is not None:
                    yield event
                last = sequence
                at += length

    def _event(self, kind: int, what: int, sequence: int, thread: int, rest: _Bytes) -> Event | None:
        begins = (sequence, thread)
        if kind == _ENTERED:
            site, opening, nanoseconds = rest.number(), rest.number(), rest.number()
            arguments = {each.name: rest.argument(place) for each, place in self._places[what]}
            return Entered(*begins, nanoseconds, self._functions[what], site, bool(opening), arguments)
        if kind == _LEFT:
            entered, result = rest.number(), rest.number()
            outputs = {each.name: rest.content() for each, place in self._places[what] if place.out}
            return Left(*begins, entered, result, outputs)
        if kind == _CALLED_BACK:
            return CallbackBegun(*begins, rest.number(), rest.left())
        if kind == _CALLBACK_ENDED:
            return CallbackEnded(*begins, rest.number())
        if kind == _MAPPED:
            start, end, offset = rest.number(), rest.number(), rest.number()
            return Mapped(*begins, start, end, offset, (rest.content() or b"").rstrip(b"\0").decode(errors="replace"))
        if kind == _SCRIPT:
            return Script(*begins, (rest.content() or b"").rstrip(b"\0").decode(errors="replace"))
        return None


def arguments_of(callback: Callback, given: bytes) -> dict[str, Argument]:
    """Return the arguments of a callback by name, without its user data; what is missing is left out."""
    rest, found = _Bytes(given), {}
    try:
        for each in callback.parameters[:-1]:
            listed = _is_listed(each)
            content = rest.content() if listed else None
            found[each.name] = Argument(0 if listed else rest.number(), content)
    except _ShortError:
        pass
    return found


def _is_listed(parameter: Parameter) -> bool:
    """Return whether an argument of a callback is recorded with its bytes: a text, or a list."""
    return parameter.pointers > 1 or (parameter.base == "char" and parameter.pointers == 1)


def _sequence(event: Event) -> int:
    return event.sequence


class _ShortError(Exception):
    """A record has fewer bytes than it says."""


class _Bytes:
    """The rest of a record."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def number(self) -> int:
        """Return the next number; _ShortError if there is none."""
        try:
            (value,) = _NUMBER.unpack_from(self._content, self._at)
        except struct.error:
            raise _ShortError from None
        self._at += _NUMBER.size
        return int(value)

    def content(self) -> bytes | None:
        """Return the next bytes, or None where they are not known."""
        size = self.number()
        if size == NO_CONTENT:
            return None
        padded = (size + 7) // 8 * 8
        if self._at + padded > len(self._content):
            raise _ShortError
        found = self._content[self._at : self._at + size]
        self._at += padded
        return found

    def left(self) -> bytes:
        """Return all that is left."""
        return self._content[self._at :]

    def argument(self, place: Place) -> Argument:
        """Return an argument that leads to such a place."""
        bits = self.number()
        if place.kind in (Kind.VALUE, Kind.ADDRESS, Kind.CALLBACK) or place.out:
            return Argument(bits)
        if place.kind in (Kind.TEXTS, Kind.BLOBS):
            count = self.number()
            if count > _MOST_TEXTS:
                return Argument(bits)
            return Argument(bits, [self.content() for _ in range(count)])
        return Argument(bits, self.content())
