"""Reads a journal, complete or not, with an error class for each way in which one can be broken.

``JournalError`` is the base of all: ``UnreadableJournalError`` (no such file, no permission, a folder),
``EmptyJournalError`` (no complete line), ``NoHeaderError`` (the first line is something else),
``NewerFormatError``, ``OlderFormatError``, ``BrokenLineError`` (with its number), ``DuplicateLineError`` (a second
header or platform). A last line without a line end, or a run without its closing line, is not an error: that is what a
killed run leaves behind, and the journal is marked ``cut_short``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from clconform.calls.journal import (
    BUDGET_SPENT,
    FORMAT,
    CapabilitiesOf,
    CapabilityLine,
    Confirmation,
    Deviation,
    FirstSeen,
    FormatLine,
    ItemEnd,
    Killed,
    Line,
    Note,
    PartitionLine,
    PlatformLine,
    Resumed,
    RunEnd,
    RunHeader,
    Selection,
    TraceLine,
)
from clconform.reports.escaping import visible
from clconform.reports.given_files import (
    GivenFileError,
    MalformedError,
    MissingFileError,
    converted,
    decoded_by,
    json_of,
    read_bytes,
)
from clconform.reports.packing import packed_name, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class JournalError(Exception):
    """A journal cannot be read; the message is one line that says what to do."""


class UnreadableJournalError(JournalError):
    """There is no such file, or it may not be read."""


class EmptyJournalError(JournalError):
    """The file has no complete line."""


class NoHeaderError(JournalError):
    """The first line is not the header of a run."""


class OlderFormatError(JournalError):
    """The journal was written by an earlier clconform in another format; ``clconform migrate`` rewrites it."""


class NewerFormatError(JournalError):
    """The journal was written by a later clconform."""


class BrokenLineError(JournalError):
    """A line in the middle is not a valid journal line; ``number`` counts from one."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number


class DuplicateLineError(BrokenLineError):
    """A line that may appear only once (the header, the platform) appears again."""


class Journal(msgspec.Struct):
    """The contents of a journal, without superseded lines.

    ``platform`` is None if the run ended before it reached one. ``capabilities``: empty if the journal has no
    such line. ``items``: the end lines by item. ``unfinished``: items with lines but without an end.
    ``unreached``: how many items no budget was left for. ``killed``: calls in which the driver's process was killed.
    ``confirmations``: by deviation key, the latest. ``cut_short``: the closing line is missing.
    ``whole``: bytes up to the end of the last complete line.
    """

    run: RunHeader
    platform: PlatformLine | None = None
    capabilities: list[CapabilitiesOf] = []
    first_seen: list[FirstSeen] = []
    deviations: list[Deviation] = []
    killed: list[Killed] = []
    confirmations: dict[str, Confirmation] = {}
    items: dict[str, ItemEnd] = {}
    unfinished: list[str] = []
    planned: int = 0
    unreached: int = 0
    not_run: dict[str, str] = {}
    notes: list[Note] = []
    traces: list[TraceLine] = []
    partitions: list[PartitionLine] = []
    formats: list[FormatLine] = []
    end: RunEnd | None = None
    cut_short: bool = True
    whole: int = 0


def read_journal(path: Path) -> Journal:
    """Read the journal at ``path``; JournalError if that fails."""
    return parse_journal(journal_bytes(path), str(path))


def journal_bytes(path: Path) -> bytes:
    """Return the content of the journal at ``path``, packed or not; UnreadableJournalError if that fails.

    A plain journal that is not there may have been packed since.
    """
    name = visible(str(path))
    try:
        return unpacked(_plain_or_packed(path))
    except MissingFileError:
        raise UnreadableJournalError(f"{name}: no such journal; create one with `clconform run`") from None
    except GivenFileError as error:
        raise UnreadableJournalError(
            f"{name}: cannot read the journal: {error}; name the file that a run wrote"
        ) from None


def _plain_or_packed(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except MissingFileError:
        with suppress(MissingFileError):
            return read_bytes(packed_name(path))
        raise


def parse_journal(content: bytes, name: str) -> Journal:
    """Read a journal from its bytes; ``name`` is used in messages."""
    name = visible(name)
    lines = content.split(b"\n")
    rest = lines.pop()
    if not lines and _is_broken(rest):
        raise EmptyJournalError(f"{name}: the journal has no complete line; run `clconform run` again")
    journal = Journal(run=_header(lines[0] if lines else rest, name), whole=len(content) - len(rest))
    collector = _Collector(journal, name)
    for number, line in _numbered(lines, rest):
        collector.take(line, number)
    collector.close()
    return journal


def _numbered(lines: list[bytes], rest: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines after the header; the rest after the last line end only if it is a complete line."""
    yield from enumerate(lines[1:], start=2)
    if lines and rest and not _is_broken(rest):
        yield len(lines) + 1, rest


def _is_broken(text: bytes) -> bool:
    try:
        json_of(text, object)
    except MalformedError:
        return True
    return False


def _header(text: bytes, name: str) -> RunHeader:
    try:
        raw = json_of(text, object)
    except MalformedError:
        raise NoHeaderError(f"{name}: line 1 is not a journal header; is this a clconform journal?") from None
    if not isinstance(raw, dict) or raw.get("line") != "run":
        raise NoHeaderError(f"{name}: line 1 is not a journal header; is this a clconform journal?")
    written = raw.get("format", FORMAT)
    if isinstance(written, int) and written > FORMAT:
        raise NewerFormatError(
            f"{name}: the journal has format {written}, this clconform reads up to {FORMAT}; use a newer clconform"
        )
    if isinstance(written, int) and written < FORMAT:
        raise OlderFormatError(f"{name}: the journal has format {written}; convert it with `clconform migrate {name}`")
    try:
        return converted(raw, RunHeader)
    except MalformedError as error:
        raise NoHeaderError(f"{name}: the header in line 1 is incomplete: {error}") from None


OfItem: TypeAlias = FirstSeen | Deviation | Killed | Note | TraceLine | PartitionLine | FormatLine
"""The lines of an unfinished item, which are discarded if the item is run again."""


class _Collector:
    """Takes a journal's lines in order and keeps those that are not superseded."""

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._name = name
        self._decoder: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)
        self._open: dict[str, list[OfItem]] = {}
        self._closed: dict[str, list[OfItem]] = {}
        self._repeating: list[Deviation] = []

    def take(self, text: bytes, number: int) -> None:
        """Take the next line; BrokenLineError if it is invalid or not allowed at this place."""
        journal = self._journal
        match line := self._decoded(text, number):
            case RunHeader():
                raise self._twice("header", number)
            case PlatformLine() | CapabilityLine():
                self._take_tested(line, number)
            case Deviation(while_confirming=True):
                self._repeating.append(line)
            case FirstSeen() | Deviation() | Killed() | Note() | ItemEnd():
                self._take_of_item(line)
            case TraceLine() | PartitionLine() | FormatLine():
                self._take_of_item(line)
            case Confirmation():
                journal.confirmations[line.key] = line
            case Selection():
                journal.planned = max(journal.planned, line.items)
                journal.unreached += line.unreached
                journal.not_run.update(line.not_run)
            case Resumed():
                self._open.clear()
                journal.not_run = {record: why for record, why in journal.not_run.items() if why != BUDGET_SPENT}
                journal.unreached, journal.end = 0, None
            case RunEnd():
                journal.end = line

    def _take_tested(self, line: PlatformLine | CapabilityLine, number: int) -> None:
        if isinstance(line, CapabilityLine):
            self._journal.capabilities = line.capabilities
        elif self._journal.platform is not None:
            raise self._twice("platform", number)
        else:
            self._journal.platform = line

    def _take_of_item(self, line: OfItem | ItemEnd) -> None:
        if isinstance(line, ItemEnd):
            self._closed[line.item] = self._open.pop(line.item, [])
            self._journal.items[line.item] = line
            return
        self._open.setdefault(line.item, []).append(line)
        if isinstance(line, Deviation):
            known = self._journal.confirmations.get(line.key)
            if known is not None and known.verdict == "flaky":  # later occurrences may well repeat
                del self._journal.confirmations[line.key]

    def _decoded(self, text: bytes, number: int) -> Line:
        try:
            return decoded_by(self._decoder, text)
        except MalformedError as error:
            raise BrokenLineError(
                f"{self._name}: line {number} is broken: {error}; run `clconform run` again, or remove the line", number
            ) from None

    def _twice(self, what: str, number: int) -> DuplicateLineError:
        return DuplicateLineError(f"{self._name}: line {number} is a second {what}: two journals in one file", number)

    def close(self) -> None:
        """Put the kept lines into the journal: those of finished items, then those of the ones left open."""
        journal = self._journal
        reopened = {item: lines for item, lines in self._open.items() if item not in self._closed}
        journal.unfinished = list(reopened)
        for lines in (*self._closed.values(), *reopened.values()):
            for line in lines:
                if isinstance(line, FirstSeen):
                    journal.first_seen.append(line)
                elif isinstance(line, TraceLine):
                    journal.traces.append(line)
                elif isinstance(line, Note):
                    journal.notes.append(line)
                elif isinstance(line, Killed):
                    journal.killed.append(line)
                elif isinstance(line, PartitionLine):
                    journal.partitions.append(line)
                elif isinstance(line, FormatLine):
                    journal.formats.append(line)
                else:
                    journal.deviations.append(line)
        journal.deviations += self._repeating
        journal.cut_short = journal.end is None
