"""Reads recordings, including those of programs that ended abnormally.

A file begins with ``CLREC``, a zero, a mark if the layer stopped recording before the program ended, the length of its
head, and the head in JSON. Chunks follow, each with ``CLCHUNK``, its
size, the used part of it, the process and the thread; two chunks that begin with the same record are copies, and pages
of zeros between chunks are unused. A chunk consists of records, each with its length (4 bytes), kind and function (2
bytes each), and a number in the order of all threads.

All other data are numbers of 8 bytes, little-endian; bytes of the program are preceded by their number, or
``NO_CONTENT``, and are padded to 8. The bytes of a long source or binary are preceded by ``WITH_DIGEST`` and a digest
of 16 bytes; if the recording already has them, ``KNOWN_DIGEST`` and the digest replace them.
"""

from __future__ import annotations

import heapq
import os
import struct
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec

from clconform.harness.type_layout import TypeLayouts
from clconform.recording.layer_source import FORMAT, Head
from clconform.recording.pointer_extents import ExtentKind, find_extent
from clconform.spec_tables.regular_files import open_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Callback, Function, Parameter

NO_CONTENT = (1 << 64) - 1
KNOWN_DIGEST, WITH_DIGEST = NO_CONTENT - 1, NO_CONTENT - 2
NO_LINES = "?"
FORMATS = (2, FORMAT)
"""The readable versions; each contains everything of the earlier ones."""
_HEAD = struct.Struct("<8sQ")
_CHUNK = struct.Struct("<8sQQII")
_RECORD = struct.Struct("<IHHQ")
_NUMBER = struct.Struct("<Q")
_TWO_NUMBERS = struct.Struct("<2Q")
_ENTERED, _LEFT, _CALLED_BACK, _CALLBACK_ENDED, _MAPPED, _ASKED, _SCRIPT, _CHANGED, _EXITED = range(1, 10)
_PAGE = 4096
_STOP_MARK_AT = 6
"""The position of the mark that the layer stopped recording."""
_LONGEST_HEAD = 1 << 20
_MOST_TEXTS = 65536


class RecordingError(Exception):
    """A file is not a recording that can be judged; the message is one line that states what to do."""


class RecordedArgument(msgspec.Struct, frozen=True):
    """An argument as passed: the ``bits`` of the value or the address, and the contents at the address, if known.

    ``content``: bytes, or a list of them for strings and binaries, in which None stands for NULL.
    """

    bits: int
    content: bytes | list[bytes | None] | None = None


class CallEntry(NamedTuple):
    """A call at its entry to the driver.

    ``site``: the return address. ``opening``: the call is a query of the layer itself. ``nanoseconds``: the time of a
    monotonic clock.
    """

    sequence: int
    thread: int
    nanoseconds: int
    function: str
    site: int
    opening: bool
    arguments: dict[str, RecordedArgument]


class CallReturn(NamedTuple):
    """The return of the call with the number ``entered``; ``outputs``: the known bytes of its outputs."""

    sequence: int
    thread: int
    entered: int
    result: int
    outputs: dict[str, bytes | None]


class CallbackBegin(NamedTuple):
    """A callback, registered by the call with the number ``entered``; ``arguments``: as passed by the driver."""

    sequence: int
    thread: int
    entered: int
    arguments: bytes


class CallbackEnd(NamedTuple):
    """The end of a callback, registered by the call with the number ``entered``."""

    sequence: int
    thread: int
    entered: int


class CodeMapping(NamedTuple):
    """A code mapping: the addresses from ``start`` to ``end`` map ``path``, beginning at ``offset``."""

    sequence: int
    thread: int
    start: int
    end: int
    offset: int
    path: str


class ScriptPosition(NamedTuple):
    """The position of a thread in a script; ``lines``: as the interpreter prints them, the innermost first.

    ``lines`` is ``NO_LINES`` if the interpreter does not report them.
    """

    sequence: int
    thread: int
    lines: str


class MemoryChange(NamedTuple):
    """The host memory of a non-blocking write has changed since the call with the number ``entered``."""

    sequence: int
    thread: int
    entered: int


class ProcessExit(NamedTuple):
    """The process exits normally: it has returned from ``main`` or called ``exit``."""

    sequence: int
    thread: int


Event = CallEntry | CallReturn | CallbackBegin | CallbackEnd | CodeMapping | ScriptPosition | MemoryChange | ProcessExit


class _Chunk(NamedTuple):
    """A piece of the file; ``first``: the number of its first record; ``at``: its offset in the file."""

    first: int
    at: int
    used: int
    thread: int


def _is_copy(one: _Chunk, other: _Chunk) -> bool:
    """Return whether two chunks have the same records: the process ended immediately after it copied them."""
    return (one.first, one.thread) == (other.first, other.thread)


class RecordingFile:
    """An open recording; ``events`` reads it.

    ``process``: the id of the program's process. ``is_of_child``: whether the file's name is that of a forked child
    process. ``truncation``: the reason why a part is unreadable; empty if the recording is complete.
    """

    def __init__(self, path: Path, tables: Tables) -> None:
        """Open a file; RecordingError if it is not a recording, or one of another version."""
        self._tables = tables
        self._machine = TypeLayouts(tables.types, tables.enumerants)
        self.process = 0
        self.truncation = ""
        self._texts: dict[tuple[int, ...], bytes | None] = {}
        self.is_of_child = path.suffix[1:].isdigit()
        try:
            with open_regular_file(path) as file:
                self._size = os.fstat(file.fileno()).st_size
                begin = file.read(_LONGEST_HEAD)
        except OSError as error:
            raise RecordingError(f"cannot read {path}: {error.strerror}") from None
        if not self._size:
            raise RecordingError(f"{path} is empty; record the program again")
        self._path = path
        self._functions, self._start = self._read_head(path, begin)
        self._layouts = [_RecordLayout(tables.functions[name], self._machine) for name in self._functions]

    def _read_head(self, path: Path, begin: bytes) -> tuple[list[str], int]:
        if len(begin) < _HEAD.size or not begin.startswith(b"CLREC\0"):
            raise RecordingError(f"{path} is not a recording; `clconform record -o FILE -- PROGRAM` creates one")
        self._is_stopped = begin[_STOP_MARK_AT] != 0
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
        """Yield all events in the order of all threads.

        An unreadable record ends its thread's events (``truncation``). The numbers of the records have no gaps unless
        records are lost.
        """
        if self._is_stopped:
            self._note_truncation("the layer stopped recording before the program ended, for lack of space")
        following = 1
        try:
            with open_regular_file(self._path, buffering=0) as file:
                for event in self._ordered_events(file):
                    if event.sequence > following:
                        self._note_truncation(f"records {following} to {event.sequence - 1} are missing")
                    following = event.sequence + 1
                    yield event
        except OSError as error:
            self._note_truncation(f"it cannot be read: {error.strerror}")

    def _ordered_events(self, file: BinaryIO) -> Iterator[Event]:
        chunks = sorted(self._find_chunks(file))
        ended: set[int] = set()
        under_way: list[tuple[int, int, Event, Iterator[Event]]] = []
        position = 0
        while position < len(chunks) or under_way:
            if position < len(chunks) and (not under_way or chunks[position].first < under_way[0][0]):
                chunk = chunks[position]
                position += 1
                if chunk.thread in ended or (position > 1 and _is_copy(chunk, chunks[position - 2])):
                    continue
                stream = self._chunk_events(file, chunk, ended)
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

    def _find_chunks(self, file: BinaryIO) -> Iterator[_Chunk]:
        at, size_of_file = self._start, self._size
        while at + _CHUNK.size <= size_of_file:
            head = os.pread(file.fileno(), _CHUNK.size + _RECORD.size, at)
            magic, size, used, process, thread = _CHUNK.unpack_from(head)
            if magic != b"CLCHUNK\0":
                if any(head):
                    self._note_truncation(f"no chunk at byte {at}")
                    return
                at += _PAGE  # the process ended before it wrote to the place that it had reserved
                continue
            if not _CHUNK.size <= used <= size or size % _PAGE or at + used > size_of_file:
                self._note_truncation(f"a chunk at byte {at} of {used} bytes that is not there as a whole")
                used = min(used, size, size_of_file - at)
            self.process = self.process or process
            if used >= _CHUNK.size + _RECORD.size and len(head) == _CHUNK.size + _RECORD.size:
                _, _, _, first = _RECORD.unpack_from(head, _CHUNK.size)
                yield _Chunk(first, at, used, thread)
            if size < _CHUNK.size:
                return
            at += size

    def _note_truncation(self, why: str) -> None:
        self.truncation = self.truncation or why

    def _chunk_events(self, file: BinaryIO, chunk: _Chunk, ended: set[int]) -> Iterator[Event]:
        content = os.pread(file.fileno(), chunk.used, chunk.at)
        at, end, last = _CHUNK.size, len(content), 0
        while at + _RECORD.size <= end:
            length, kind, what, sequence = _RECORD.unpack_from(content, at)
            if length < _RECORD.size or at + length > end or sequence <= last:
                self._note_truncation(f"a record at byte {chunk.at + at} that is none")
                ended.add(chunk.thread)
                return
            try:
                event = self._read_event(
                    kind,
                    what,
                    sequence,
                    chunk.thread,
                    _RecordReader(content, at + _RECORD.size, at + length, self._texts),
                )
            except (_ShortRecordError, IndexError):
                self._note_truncation(f"a record at byte {chunk.at + at} that is too short")
                ended.add(chunk.thread)
                return
            if event is not None:
                yield event
            last = sequence
            at += length

    def _read_event(self, kind: int, what: int, sequence: int, thread: int, rest: _RecordReader) -> Event | None:
        if kind in (_ENTERED, _ASKED):
            site, nanoseconds = rest.read_numbers(_TWO_NUMBERS)
            layout = self._layouts[what]
            arguments = layout.read_arguments(rest)
            return CallEntry(sequence, thread, nanoseconds, layout.function, site, kind == _ASKED, arguments)
        if kind == _LEFT:
            entered, result = rest.read_numbers(_TWO_NUMBERS)
            outputs = {name: rest.read_content() for name in self._layouts[what].outputs}
            return CallReturn(sequence, thread, entered, result, outputs)
        if kind == _CALLED_BACK:
            return CallbackBegin(sequence, thread, rest.read_number(), rest.read_rest())
        if kind == _CALLBACK_ENDED:
            return CallbackEnd(sequence, thread, rest.read_number())
        if kind == _MAPPED:
            start, end, offset = rest.read_number(), rest.read_number(), rest.read_number()
            path = (rest.read_content() or b"").rstrip(b"\0").decode(errors="replace")
            return CodeMapping(sequence, thread, start, end, offset, path)
        if kind == _SCRIPT:
            return ScriptPosition(sequence, thread, (rest.read_content() or b"").rstrip(b"\0").decode(errors="replace"))
        if kind == _CHANGED:
            return MemoryChange(sequence, thread, rest.read_number())
        if kind == _EXITED:
            return ProcessExit(sequence, thread)
        return None


class _RecordLayout:
    """The layout of the records of one function's calls.

    ``_runs``: groups of consecutive parameters, each stored as numbers; contents of the last parameter of a group may
    follow the group.
    """

    def __init__(self, function: Function, machine: TypeLayouts) -> None:
        self.function = function.name
        self.outputs: list[str] = []
        self._runs: list[tuple[struct.Struct, tuple[str, ...], ExtentKind | None]] = []
        names: list[str] = []
        for each in function.parameters:
            place = find_extent(function, each, machine)
            names.append(each.name)
            if place.is_output:
                self.outputs.append(each.name)
            elif place.kind not in (ExtentKind.VALUE, ExtentKind.ADDRESS, ExtentKind.CALLBACK):
                self._add_run(names, place.kind)
                names = []
        if names:
            self._add_run(names, None)

    def _add_run(self, names: list[str], kind: ExtentKind | None) -> None:
        self._runs.append((struct.Struct(f"<{len(names)}Q"), tuple(names), kind))

    def read_arguments(self, rest: _RecordReader) -> dict[str, RecordedArgument]:
        """Map the parameters of a call to its arguments."""
        found: dict[str, RecordedArgument] = {}
        for numbers, names, kind in self._runs:
            for name, bits in zip(names, rest.read_numbers(numbers), strict=True):
                found[name] = RecordedArgument(bits)
            if kind in (ExtentKind.TEXTS, ExtentKind.BLOBS):
                count = rest.read_number()
                if count <= _MOST_TEXTS:
                    found[names[-1]] = RecordedArgument(bits, [rest.read_content() for _ in range(count)])
            elif kind is not None:
                found[names[-1]] = RecordedArgument(bits, rest.read_content())
        return found


def read_callback_arguments(callback: Callback, given: bytes) -> dict[str, RecordedArgument]:
    """Map the parameters of a callback to its arguments, without user data and without missing arguments."""
    rest, found = _RecordReader(given, 0, len(given), {}), {}
    try:
        for each in callback.parameters[:-1]:
            listed = _is_recorded_with_bytes(each)
            content = rest.read_content() if listed else None
            found[each.name] = RecordedArgument(0 if listed else rest.read_number(), content)
    except _ShortRecordError:
        pass
    return found


def _is_recorded_with_bytes(parameter: Parameter) -> bool:
    """Return whether an argument of a callback is recorded with its bytes: a text, or a list."""
    return parameter.pointers > 1 or (parameter.base == "char" and parameter.pointers == 1)


class _ShortRecordError(Exception):
    """A record is shorter than it states."""


class _RecordReader:
    """Reads the data of a record, from ``at`` to ``end``."""

    __slots__ = ("_at", "_content", "_end", "_texts")

    def __init__(self, content: bytes, at: int, end: int, texts: dict[tuple[int, ...], bytes | None]) -> None:
        self._content, self._at, self._end, self._texts = content, at, end, texts

    def read_numbers(self, wanted: struct.Struct) -> tuple[int, ...]:
        """Return the next numbers; _ShortRecordError if there are fewer."""
        at = self._at
        self._at += wanted.size
        if self._at > self._end:
            raise _ShortRecordError
        return wanted.unpack_from(self._content, at)

    def read_number(self) -> int:
        """Return the next number; _ShortRecordError if there is none."""
        return self.read_numbers(_NUMBER)[0]

    def read_content(self) -> bytes | None:
        """Return the next bytes, or None if they are unknown."""
        size = self.read_number()
        if size >= WITH_DIGEST:
            return self._read_by_digest(size)
        return self._read_bytes(size)

    def _read_bytes(self, size: int) -> bytes:
        at = self._at
        self._at += (size + 7) // 8 * 8
        if self._at > self._end:
            raise _ShortRecordError
        return self._content[at : at + size]

    def read_rest(self) -> bytes:
        """Return all remaining bytes."""
        return self._content[self._at : self._end]

    def _read_by_digest(self, kind: int) -> bytes | None:
        """Return the bytes with a digest, which are either stored here for the first time or already known.

        The result is None if they are unknown.
        """
        if kind == NO_CONTENT:
            return None
        digest = self.read_numbers(_TWO_NUMBERS)
        if kind == KNOWN_DIGEST:
            return self._texts.get(digest)
        size = self.read_number()
        if size >= WITH_DIGEST:
            return None
        self._texts[digest] = found = self._read_bytes(size)
        return found
