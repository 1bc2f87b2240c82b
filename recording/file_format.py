"""Reads recordings, including those of programs that ended abnormally.

A file begins with ``CLREC``, the length of its head, and the head in JSON. Chunks follow, each with ``CLCHUNK``, its
size, the used part of it, the process and the thread; two chunks that begin with the same record are copies, and pages
of zeros between chunks are unused. A chunk consists of records, each with its length (4 bytes), kind and function (2
bytes each), and a number in the order of all threads.

All other data are numbers of 8 bytes, little-endian; bytes of the program are preceded by their number, or
``NO_CONTENT``, and are padded to 8. The bytes of a long source or binary are preceded by ``WITH_DIGEST`` and a digest
of 16 bytes; if the recording already has them, ``AS_BEFORE`` and the digest replace them.
"""

from __future__ import annotations

import heapq
import os
import struct
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.harness.machine import Machine
from clconform.recording.layer_source import FORMAT, Head
from clconform.recording.places import Kind, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
    from pathlib import Path

    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Callback, Function, Parameter

NO_CONTENT = (1 << 64) - 1
AS_BEFORE, WITH_DIGEST = NO_CONTENT - 1, NO_CONTENT - 2
NO_LINES = "?"
FORMATS = (2, FORMAT)
"""The readable versions; each contains everything of the earlier ones."""
_HEAD = struct.Struct("<8sQ")
_CHUNK = struct.Struct("<8sQQII")
_RECORD = struct.Struct("<IHHQ")
_NUMBER = struct.Struct("<Q")
_TWO_NUMBERS = struct.Struct("<2Q")
_ENTERED, _LEFT, _CALLED_BACK, _CALLBACK_ENDED, _MAPPED, _ASKED, _SCRIPT, _CHANGED = range(1, 9)
_PAGE = 4096
_LONGEST_HEAD = 1 << 20
_MOST_TEXTS = 65536


class RecordingError(Exception):
    """A file is not a recording that can be judged; the message is one line that states what to do."""


class Argument(msgspec.Struct, frozen=True):
    """An argument as passed: ``bits`` of the value or the address, and the contents there, if known.

    ``content``: bytes, or a list of them for strings and binaries, in which None stands for NULL.
    """

    bits: int
    content: bytes | list[bytes | None] | None = None


class Entered(NamedTuple):
    """A call at its entry to the driver.

    ``site``: the return address. ``opening``: it is a query of the layer itself. ``nanoseconds``: of a monotonic clock.
    """

    sequence: int
    thread: int
    nanoseconds: int
    function: str
    site: int
    opening: bool
    arguments: dict[str, Argument]


class Left(NamedTuple):
    """The return of the call with the number ``entered``; ``outputs``: the known bytes of its outputs."""

    sequence: int
    thread: int
    entered: int
    result: int
    outputs: dict[str, bytes | None]


class CallbackBegun(NamedTuple):
    """A callback, registered by the call with the number ``entered``; ``arguments``: as passed by the driver."""

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
    """A code mapping: the addresses from ``start`` to ``end`` map ``path``, beginning at ``offset``."""

    sequence: int
    thread: int
    start: int
    end: int
    offset: int
    path: str


class Script(NamedTuple):
    """The position of a thread in a script; ``lines`` as the interpreter prints them, the innermost first.

    ``NO_LINES`` if the interpreter does not report them.
    """

    sequence: int
    thread: int
    lines: str


class Changed(NamedTuple):
    """The host memory of a non-blocking write has changed since the call with the number ``entered``."""

    sequence: int
    thread: int
    entered: int


Event = Entered | Left | CallbackBegun | CallbackEnded | Mapped | Script | Changed


class _Chunk(NamedTuple):
    """A piece of the file; ``first``: the number of its first record; ``at``: its offset in the file."""

    first: int
    at: int
    used: int
    thread: int


def _same(one: _Chunk, other: _Chunk) -> bool:
    """Return whether both have the same records: the process ended directly after it copied them."""
    return (one.first, one.thread) == (other.first, other.thread)


class Recording:
    """An open recording; ``events`` reads it.

    ``process``: the id of the program's process. ``of_child``: whether the file's name is that of a forked child
    process. ``cut``: the reason why a part is unreadable; empty if the recording is complete.
    """

    def __init__(self, path: Path, tables: Tables) -> None:
        """Open a file; RecordingError if it is not a recording, or one of another version."""
        self._tables = tables
        self._machine = Machine(tables.types, tables.enumerants)
        self.process = 0
        self.cut = ""
        self._texts: dict[tuple[int, ...], bytes | None] = {}
        self.of_child = path.suffix[1:].isdigit()
        try:
            with path.open("rb") as file:
                self._size = os.fstat(file.fileno()).st_size
                begin = file.read(_LONGEST_HEAD)
        except OSError as error:
            raise RecordingError(f"cannot read {path}: {error.strerror}") from None
        if not self._size:
            raise RecordingError(f"{path} is empty; record the program again")
        self._path = path
        self._functions, self._start = self._head(path, begin)
        self._layouts = [_RecordLayout(tables.functions[name], self._machine) for name in self._functions]

    def _head(self, path: Path, begin: bytes) -> tuple[list[str], int]:
        if len(begin) < _HEAD.size or not begin.startswith(b"CLREC\0"):
            raise RecordingError(f"{path} is not a recording; `clconform record -o FILE -- PROGRAM` creates one")
        _, length = _HEAD.unpack_from(begin)
        try:
            head = msgspec.json.decode(begin[_HEAD.size : _HEAD.size + length], type=Head)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RecordingError(f"{path}: its head cannot be read: {error}; record the program again") from None
        if head.format not in FORMATS:
            raise RecordingError(f"{path} has format {head.format}, not {FORMAT}; record the program again")
        unknown = [name for name in head.functions if name not in self._tables.functions]
        if unknown:
            raise RecordingError(f"{path} has calls of {unknown[0][:64]!r}, which is in no table; record it again")
        return head.functions, (_HEAD.size + length + _PAGE) // _PAGE * _PAGE

    def events(self) -> Iterator[Event]:
        """Yield all events in the order of all threads; an unreadable record ends its thread's events (``cut``)."""
        try:
            with self._path.open("rb", buffering=0) as file:
                yield from self._in_order(file)
        except OSError as error:
            self._cut(f"it cannot be read: {error.strerror}")

    def _in_order(self, file: FileIO) -> Iterator[Event]:
        chunks = sorted(self._chunks(file))
        ended: set[int] = set()
        under_way: list[tuple[int, int, Event, Iterator[Event]]] = []
        position = 0
        while position < len(chunks) or under_way:
            if position < len(chunks) and (not under_way or chunks[position].first < under_way[0][0]):
                chunk = chunks[position]
                position += 1
                if chunk.thread in ended or (position > 1 and _same(chunk, chunks[position - 2])):
                    continue
                stream = self._of_chunk(file, chunk, ended)
                event = next(stream, None)
            else:
                _, _, event, stream = heapq.heappop(under_way)
            following = chunks[position].first if position < len(chunks) else NO_CONTENT
            limit = min(following, under_way[0][0]) if under_way else following
            while event is not None and event.sequence <= limit:
                yield event
                event = next(stream, None)
            if event is not None:
                heapq.heappush(under_way, (event.sequence, position, event, stream))

    def _chunks(self, file: FileIO) -> Iterator[_Chunk]:
        at, size_of_file = self._start, self._size
        while at + _CHUNK.size <= size_of_file:
            head = os.pread(file.fileno(), _CHUNK.size + _RECORD.size, at)
            magic, size, used, process, thread = _CHUNK.unpack_from(head)
            if magic != b"CLCHUNK\0":
                if any(head):
                    self._cut(f"no chunk at byte {at}")
                    return
                at += _PAGE  # the process ended before it wrote to the place that it had reserved
                continue
            if not _CHUNK.size <= used <= size or size % _PAGE or at + used > size_of_file:
                self._cut(f"a chunk at byte {at} of {used} bytes that is not there as a whole")
                used = min(used, size, size_of_file - at)
            self.process = self.process or process
            if used >= _CHUNK.size + _RECORD.size and len(head) == _CHUNK.size + _RECORD.size:
                _, _, _, first = _RECORD.unpack_from(head, _CHUNK.size)
                yield _Chunk(first, at, used, thread)
            if size < _CHUNK.size:
                return
            at += size

    def _cut(self, why: str) -> None:
        self.cut = self.cut or why

    def _of_chunk(self, file: FileIO, chunk: _Chunk, ended: set[int]) -> Iterator[Event]:
        content = os.pread(file.fileno(), chunk.used, chunk.at)
        at, end, last = _CHUNK.size, len(content), 0
        while at + _RECORD.size <= end:
            length, kind, what, sequence = _RECORD.unpack_from(content, at)
            if length < _RECORD.size or at + length > end or sequence <= last:
                self._cut(f"a record at byte {chunk.at + at} that is none")
                ended.add(chunk.thread)
                return
            try:
                event = self._event(
                    kind, what, sequence, chunk.thread, _Bytes(content, at + _RECORD.size, at + length, self._texts)
                )
            except (_ShortError, IndexError):
                self._cut(f"a record at byte {chunk.at + at} that is too short")
                ended.add(chunk.thread)
                return
            if event is not None:
                yield event
            last = sequence
            at += length

    def _event(self, kind: int, what: int, sequence: int, thread: int, rest: _Bytes) -> Event | None:
        if kind in (_ENTERED, _ASKED):
            site, nanoseconds = rest.numbers(_TWO_NUMBERS)
            layout = self._layouts[what]
            arguments = layout.arguments(rest)
            return Entered(sequence, thread, nanoseconds, layout.function, site, kind == _ASKED, arguments)
        if kind == _LEFT:
            entered, result = rest.numbers(_TWO_NUMBERS)
            outputs = {name: rest.content() for name in self._layouts[what].outputs}
            return Left(sequence, thread, entered, result, outputs)
        if kind == _CALLED_BACK:
            return CallbackBegun(sequence, thread, rest.number(), rest.left())
        if kind == _CALLBACK_ENDED:
            return CallbackEnded(sequence, thread, rest.number())
        if kind == _MAPPED:
            start, end, offset = rest.number(), rest.number(), rest.number()
            path = (rest.content() or b"").rstrip(b"\0").decode(errors="replace")
            return Mapped(sequence, thread, start, end, offset, path)
        if kind == _SCRIPT:
            return Script(sequence, thread, (rest.content() or b"").rstrip(b"\0").decode(errors="replace"))
        if kind == _CHANGED:
            return Changed(sequence, thread, rest.number())
        return None


class _RecordLayout:
    """The layout of the records of one function's calls.

    ``runs``: consecutive numbers, by the names of their parameters, the last of which may have contents.
    """

    def __init__(self, function: Function, machine: Machine) -> None:
        self.function = function.name
        self.outputs: list[str] = []
        self._runs: list[tuple[struct.Struct, tuple[str, ...], Kind | None]] = []
        names: list[str] = []
        for each in function.parameters:
            place = place_of(function, each, machine)
            names.append(each.name)
            if place.out:
                self.outputs.append(each.name)
            elif place.kind not in (Kind.VALUE, Kind.ADDRESS, Kind.CALLBACK):
                self._run(names, place.kind)
                names = []
        if names:
            self._run(names, None)

    def _run(self, names: list[str], kind: Kind | None) -> None:
        self._runs.append((struct.Struct(f"<{len(names)}Q"), tuple(names), kind))

    def arguments(self, rest: _Bytes) -> dict[str, Argument]:
        """Return the arguments of a call by name."""
        found: dict[str, Argument] = {}
        for numbers, names, kind in self._runs:
            for name, bits in zip(names, rest.numbers(numbers), strict=True):
                found[name] = Argument(bits)
            if kind in (Kind.TEXTS, Kind.BLOBS):
                count = rest.number()
                if count <= _MOST_TEXTS:
                    found[names[-1]] = Argument(bits, [rest.content() for _ in range(count)])
            elif kind is not None:
                found[names[-1]] = Argument(bits, rest.content())
        return found


def arguments_of(callback: Callback, given: bytes) -> dict[str, Argument]:
    """Return the arguments of a callback by name, without its user data; missing ones are left out."""
    rest, found = _Bytes(given, 0, len(given), {}), {}
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


class _ShortError(Exception):
    """A record is shorter than it states."""


class _Bytes:
    """Reads the rest of a record, from ``at`` to ``end``."""

    __slots__ = ("_at", "_content", "_end", "_texts")

    def __init__(self, content: bytes, at: int, end: int, texts: dict[tuple[int, ...], bytes | None]) -> None:
        self._content, self._at, self._end, self._texts = content, at, end, texts

    def numbers(self, wanted: struct.Struct) -> tuple[int, ...]:
        """Return the next numbers; _ShortError if there are fewer."""
        at = self._at
        self._at += wanted.size
        if self._at > self._end:
            raise _ShortError
        return wanted.unpack_from(self._content, at)

    def number(self) -> int:
        """Return the next number; _ShortError if there is none."""
        return self.numbers(_NUMBER)[0]

    def content(self) -> bytes | None:
        """Return the next bytes, or None if they are unknown."""
        size = self.number()
        if size >= WITH_DIGEST:
            return self._by_digest(size)
        return self._of_size(size)

    def _of_size(self, size: int) -> bytes:
        at = self._at
        self._at += (size + 7) // 8 * 8
        if self._at > self._end:
            raise _ShortError
        return self._content[at : at + size]

    def left(self) -> bytes:
        """Return all remaining bytes."""
        return self._content[self._at : self._end]

    def _by_digest(self, kind: int) -> bytes | None:
        """Return bytes by their digest, and store new ones; None if they are unknown."""
        if kind == NO_CONTENT:
            return None
        digest = self.numbers(_TWO_NUMBERS)
        if kind == AS_BEFORE:
            return self._texts.get(digest)
        size = self.number()
        if size >= WITH_DIGEST:
            return None
        self._texts[digest] = found = self._of_size(size)
        return found
