"""Reads recordings, including damaged ones and those of programs that ended abnormally.

``file_layout`` describes them. The events end where the first record is missing or damaged in the order of all threads.
"""

from __future__ import annotations

import heapq
import os
import struct
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import msgspec

from clconform.harness.type_layout import TypeLayouts
from clconform.recording.file_layout import (
    CHUNK_HEAD,
    CHUNK_MAGIC,
    FILE_HEAD,
    KNOWN_DIGEST,
    MAGIC,
    NO_CONTENT,
    PAGE,
    RECORD_HEAD,
    WITH_DIGEST,
    chunk_checksum,
    compute_checksum,
    describe_stop,
    first_chunk_position,
    text_checksum,
)
from clconform.recording.layer_source import FORMAT, Head, machine_of_program
from clconform.recording.pointer_extents import ExtentKind, find_extent
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES
from clconform.spec_tables.regular_files import open_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Callback, Function, Parameter

NO_LINES = "?"
POINTER_SIZES = (4, 8)
_NUMBER = struct.Struct("<Q")
_TWO_NUMBERS = struct.Struct("<2Q")
_ENTERED, _LEFT, _CALLED_BACK, _CALLBACK_ENDED, _MAPPED, _ASKED, _SCRIPT, _CHANGED, _EXITED = range(1, 10)
_STACK = 12
_UNMAPPED = 20
_LONGEST_HEAD = 1 << 20
_MOST_TEXTS = 65536
_MOST_DAMAGED_BYTES = 2
"""The number of changed bytes with which ``MAGIC`` is still recognized."""
_MOST_FRAMES = 64


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


class CallStack(NamedTuple):
    """The callers of the next calls of a thread with the return address ``site``, until another stack follows.

    ``frames``: their return addresses, the innermost first; empty if an earlier stack with the same digest has them.
    """

    sequence: int
    thread: int
    site: int
    digest: int
    frames: tuple[int, ...]


class MemoryChange(NamedTuple):
    """The host memory of a non-blocking write has changed since the call with the number ``entered``."""

    sequence: int
    thread: int
    entered: int


class UnmappedMemory(NamedTuple):
    """Host memory that is not mapped, although the thread's next call uses it: its address and its bytes.

    ``object``: the handle of the memory object that uses the memory; 0 for a pointer of the call.
    """

    sequence: int
    thread: int
    object: int
    address: int
    bytes: int


class ProcessExit(NamedTuple):
    """The process exits normally: it has returned from ``main`` or called ``exit``."""

    sequence: int
    thread: int


Event = (
    CallEntry
    | CallReturn
    | CallbackBegin
    | CallbackEnd
    | CodeMapping
    | ScriptPosition
    | CallStack
    | MemoryChange
    | UnmappedMemory
    | ProcessExit
)
_NUMBER_EVENTS: dict[int, tuple[Callable[..., Event], int]] = {
    _CALLBACK_ENDED: (CallbackEnd, 1),
    _CHANGED: (MemoryChange, 1),
    _UNMAPPED: (UnmappedMemory, 3),
    _EXITED: (ProcessExit, 0),
}
"""Maps kinds of records that contain only numbers to their event, and the number of these numbers."""


class _Chunk(NamedTuple):
    """A piece of the file; ``first``: the number of its first record; ``at``: its offset in the file."""

    first: int
    at: int
    used: int
    thread: int


class Record(NamedTuple):
    """A record with a valid checksum.

    ``at``: its offset in the file. ``start``, ``end``: the place of its data in ``content``.
    """

    sequence: int
    at: int
    thread: int
    kind: int
    function: int
    content: bytes
    start: int
    end: int


class RecordingFile:
    """An open recording; ``events`` reads it.

    ``process``: the id of the program's process. ``is_of_child``: whether the file's name is that of a forked child
    process. ``pointer_bytes``: the size of a pointer in the program. ``through_loader``: a loader received the calls.
    ``stop``: why the layer stopped recording before the program ended, or wrote no head; else empty.
    ``truncation``: why ``events`` has not yielded the events of all records; empty if the recording is complete.
    """

    def __init__(self, path: Path, tables: Tables) -> None:
        """Open a file; RecordingError if it is not a recording, or one of another version."""
        self._tables = tables
        self.process = 0
        self.pointer_bytes, self.through_loader = DEFAULT_POINTER_BYTES, True
        self.truncation = self.stop = ""
        self._damaged_at: int | None = None
        self._start = self._next = 0
        self.is_of_child = path.suffix[1:].isdigit()
        try:
            with open_regular_file(path) as file:
                self._size = os.fstat(file.fileno()).st_size
                begin = file.read(_LONGEST_HEAD)
        except OSError as error:
            raise RecordingError(f"cannot read {path}: {error.strerror}") from None
        self._path = path
        if not is_recording(begin):
            raise RecordingError(f"{path} is not a recording; `clconform record -o FILE -- PROGRAM` creates one")
        self._head_damage = self._read_head(begin)
        self.stop = self.stop or self._head_damage

    def _read_head(self, begin: bytes) -> str:
        """Read the head of the file; return why that is not possible, or an empty string."""
        if not any(begin[: FILE_HEAD.size]):
            return "the layer could not write its head"
        if len(begin) < FILE_HEAD.size:
            return "its head is cut off"
        _, length, checksum, mark, error, self._next = FILE_HEAD.unpack_from(begin)
        text = begin[FILE_HEAD.size : FILE_HEAD.size + length]
        if len(text) != length or text_checksum(text) != checksum:
            return "its head is damaged, or of another version of clconform"
        self.stop = describe_stop(mark, error)
        self._decoder = RecordDecoder(text, self._tables, str(self._path))
        self.pointer_bytes, self.through_loader = self._decoder.pointer_bytes, self._decoder.through_loader
        self._start = first_chunk_position(length)
        return ""

    def events(self) -> Iterator[Event]:
        """Yield the events in the order of all threads, up to the first record that is missing or damaged."""
        following = 1
        self.truncation = self._head_damage
        if self.truncation:
            return
        try:
            with open_regular_file(self._path, buffering=0) as file:
                for record in self._ordered_records(file):
                    if record.sequence < following:
                        continue  # a copy
                    event = self._read_event(record) if record.sequence == following else None
                    if event is None:
                        break
                    following += 1
                    yield event
        except OSError as error:
            self.truncation = f"it cannot be read after record {following - 1}: {error.strerror}"
        self.truncation = self.truncation or self._describe_loss(following)

    def _describe_loss(self, following: int) -> str:
        """Return why there is no record ``following``; empty if the recording is complete."""
        if following > self._next:
            return "its number of records is damaged"
        if following < self._next:
            place = "" if self._damaged_at is None else f", at byte {self._damaged_at}"
            return f"record {following} of {self._next - 1} is missing or damaged{place}"
        return self.stop

    def _ordered_records(self, file: BinaryIO) -> Iterator[Record]:
        """Yield the records of all chunks, ordered by number; those of copied chunks twice."""
        chunks = sorted(self._find_chunks(file))
        under_way: list[tuple[Record, Iterator[Record]]] = []
        position = 0
        while position < len(chunks) or under_way:
            record: Record | None
            if position < len(chunks) and (not under_way or chunks[position].first < under_way[0][0].sequence):
                stream = self._chunk_records(file, chunks[position])
                position += 1
                record = next(stream, None)
            else:
                record, stream = heapq.heappop(under_way)
            following = chunks[position].first if position < len(chunks) else NO_CONTENT
            limit = min(following, under_way[0][0].sequence) if under_way else following
            while record is not None and record.sequence <= limit:
                yield record
                record = next(stream, None)
            if record is not None:
                heapq.heappush(under_way, (record, stream))

    def _find_chunks(self, file: BinaryIO) -> Iterator[_Chunk]:
        """Yield the chunks with a valid head and at least one record; other pages are ignored."""
        at = self._start
        while at < self._size:
            content = os.pread(file.fileno(), CHUNK_HEAD.size + RECORD_HEAD.size, at)
            size, used, process, thread = _read_chunk_head(content, at)
            if not size:
                self._note_damage(at, is_damaged=any(content))
                at += PAGE
                continue
            self.process = self.process or process
            if len(content) == CHUNK_HEAD.size + RECORD_HEAD.size and used > CHUNK_HEAD.size:
                _, first, _, _, _ = RECORD_HEAD.unpack_from(content, CHUNK_HEAD.size)
                yield _Chunk(first, at, used, thread)
            at += size
        self._note_damage(self._size, is_damaged=at > self._size)

    def _note_damage(self, at: int, *, is_damaged: bool) -> None:
        """Store the first damaged position; whether records are missing because of it is not known."""
        if is_damaged and self._damaged_at is None:
            self._damaged_at = at

    def _chunk_records(self, file: BinaryIO, chunk: _Chunk) -> Iterator[Record]:
        """Yield the records of a chunk, up to the first damaged one."""
        content = os.pread(file.fileno(), chunk.used, chunk.at)
        at = CHUNK_HEAD.size
        while at + RECORD_HEAD.size <= len(content):
            _, sequence, length, kind, function = RECORD_HEAD.unpack_from(content, at)
            start, end = at + RECORD_HEAD.size, at + length
            if not start <= end <= len(content) or compute_checksum(content[at:end]):
                break
            yield Record(sequence, chunk.at + at, chunk.thread, kind, function, content, start, end)
            at = end
        self._note_damage(chunk.at + at, is_damaged=at < chunk.used)

    def _read_event(self, record: Record) -> Event | None:
        """Return the event of a record; None if there is no such record."""
        event = self._decoder.decode(record)
        self._note_damage(record.at, is_damaged=event is None)
        return event


class RecordDecoder:
    """Decodes the records of a file or of a stream in the order of their numbers.

    ``pointer_bytes``: the size of a pointer in the program. ``through_loader``: a loader received the calls.
    """

    def __init__(self, text: bytes, tables: Tables, name: str) -> None:
        """Read the text of a head; RecordingError, which contains ``name``, if it is invalid, or of another version."""
        try:
            head = msgspec.json.decode(text, type=Head)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RecordingError(f"{name}: its head cannot be read: {error}; record the program again") from None
        if head.format != FORMAT:
            raise RecordingError(f"{name} has format {head.format}, not {FORMAT}; record the program again")
        unknown = [each for each in head.functions if each not in tables.functions]
        if unknown:
            raise RecordingError(f"{name} has calls of {unknown[0][:64]!r}, which is in no table; record it again")
        if head.pointer_bytes not in POINTER_SIZES:
            raise RecordingError(f"{name} has pointers of {head.pointer_bytes} bytes, not 4 or 8; record it again")
        self.pointer_bytes, self.through_loader = head.pointer_bytes, head.through_loader
        self._machine = TypeLayouts(tables.types, tables.enumerants, machine_of_program(head.pointer_bytes))
        self._functions = [tables.functions[each] for each in head.functions]
        self._layouts: dict[int, _RecordLayout] = {}
        self._texts: dict[tuple[int, ...], bytes | None] = {}

    def decode(self, record: Record) -> Event | None:
        """Return the event of a record; None if it is not valid."""
        try:
            return self._read_data(record, _RecordReader(record.content, record.start, record.end, self._texts))
        except (_ShortRecordError, IndexError):
            return None

    def _layout_of(self, number: int) -> _RecordLayout:
        """Return the layout of the records of a function; IndexError if the recording has no such function."""
        layout = self._layouts.get(number)
        if layout is None:
            layout = self._layouts[number] = _RecordLayout(self._functions[number], self._machine)
        return layout

    def _read_data(self, record: Record, rest: _RecordReader) -> Event | None:
        sequence, thread, kind, what = record.sequence, record.thread, record.kind, record.function
        if kind in _NUMBER_EVENTS:
            event, count = _NUMBER_EVENTS[kind]
            return event(sequence, thread, *(rest.read_number() for _ in range(count)))
        if kind in (_ENTERED, _ASKED):
            site, nanoseconds = rest.read_numbers(_TWO_NUMBERS)
            layout = self._layout_of(what)
            arguments = layout.read_arguments(rest)
            return CallEntry(sequence, thread, nanoseconds, layout.function, site, kind == _ASKED, arguments)
        if kind == _LEFT:
            entered, result = rest.read_numbers(_TWO_NUMBERS)
            outputs = {name: rest.read_content() for name in self._layout_of(what).outputs}
            return CallReturn(sequence, thread, entered, result, outputs)
        if kind == _CALLED_BACK:
            return CallbackBegin(sequence, thread, rest.read_number(), rest.read_rest())
        if kind == _MAPPED:
            start, end, offset = rest.read_number(), rest.read_number(), rest.read_number()
            path = (rest.read_content() or b"").rstrip(b"\0").decode(errors="replace")
            return CodeMapping(sequence, thread, start, end, offset, path)
        if kind == _SCRIPT:
            return ScriptPosition(sequence, thread, (rest.read_content() or b"").rstrip(b"\0").decode(errors="replace"))
        if kind == _STACK:
            site, digest = rest.read_numbers(_TWO_NUMBERS)
            return CallStack(sequence, thread, site, digest, rest.read_remaining_numbers(_MOST_FRAMES))
        return None


def is_recording(begin: bytes) -> bool:
    """Return whether a file with these first bytes is a recording, which may be damaged, or empty for lack of space."""
    if MAGIC.startswith(begin) or not any(begin[: FILE_HEAD.size]):
        return True
    changed = sum(one != other for one, other in zip(begin, MAGIC, strict=False))
    return len(begin) >= len(MAGIC) and changed <= _MOST_DAMAGED_BYTES


def _read_chunk_head(content: bytes, at: int) -> tuple[int, int, int, int]:
    """Return the size, the used part, the process and the thread of a chunk; only zeros if the head is damaged."""
    if len(content) >= CHUNK_HEAD.size:
        magic, check, size, position, used, combined, process, thread = CHUNK_HEAD.unpack_from(content)
        is_valid = magic == CHUNK_MAGIC and position == at and check == chunk_checksum(size, at, process, thread)
        if is_valid and used ^ check == combined and CHUNK_HEAD.size <= used <= size and size % PAGE == 0:
            return size, used, process, thread
    return 0, 0, 0, 0


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

    def read_remaining_numbers(self, most: int) -> tuple[int, ...]:
        """Return the remaining numbers, at most the first ``most`` of them."""
        count = min((self._end - self._at) // _NUMBER.size, most)
        return self.read_numbers(struct.Struct(f"<{count}Q"))

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
