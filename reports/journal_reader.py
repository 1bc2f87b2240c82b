"""Reads a journal, which may be incomplete.

Each kind of damage has its own error class. ``JournalError`` is the base class of all errors.
``UnreadableJournalError``: no such file, no permission, a folder. ``EmptyJournalError``: no complete line.
``NoHeaderError``: the first line is not a header. ``NewerFormatError`` and ``OlderFormatError``: a format of another
version of clconform. ``BrokenLineError``: an invalid line, with its number. ``DuplicateLineError``: a second header or
platform. A killed run leaves a last line without a line end, or no closing line. This is not an error; such a journal
is marked ``cut_short``.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from clconform.calls.call import Call
from clconform.calls.journal import (
    BUDGET_SPENT,
    FORMAT,
    CapabilityLine,
    Confirmation,
    Deviation,
    FirstObservation,
    ImplementationNote,
    ItemEnd,
    KilledProcess,
    OwnerCapabilities,
    PlatformLine,
    Resumed,
    RunEnd,
    RunHeader,
    Selection,
    first_lines,
)
from clconform.calls.line_kinds import ExtraLine, JournalLine
from clconform.reports.compression import decompress, packed_path
from clconform.reports.escaping import escape_unprintable
from clconform.reports.status_policy import UNPROVED_STATUSES
from clconform.reports.untrusted_files import (
    GivenFileError,
    MalformedError,
    MissingFileError,
    convert_values,
    decode_json,
    decode_with,
    open_regular,
    read_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


Line = TypeVar("Line", bound=ExtraLine)


class JournalError(Exception):
    """A journal cannot be read; the message is one line with a remedy."""


class UnreadableJournalError(JournalError):
    """The file does not exist, is not a regular file, or cannot be read."""


class EmptyJournalError(JournalError):
    """The file has no complete line."""


class NoHeaderError(JournalError):
    """The first line is not the header of a run."""


class OlderFormatError(JournalError):
    """The journal has the format of an earlier clconform; ``clconform dev migrate`` converts it."""


class NewerFormatError(JournalError):
    """The journal has the format of a later clconform."""


class BrokenLineError(JournalError):
    """A line before the last is not a valid journal line; ``number``: the line number, from 1."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number


class DuplicateLineError(BrokenLineError):
    """A second header or a second platform line, although a journal may have only one."""


class JournalContents(msgspec.Struct):
    """The contents of a journal, without superseded lines.

    ``platform``: None if the run ended before it found a platform. ``capabilities``: empty without such a line.
    ``items``: maps items to their end lines. ``unfinished``: items with lines but without an end line. ``unreached``:
    number of items that were not started within the budget. ``killed``: calls in which the driver's process was killed.
    ``confirmations``: maps keys of deviations to their latest confirmation. ``extra_lines``: the lines about one
    subject each. ``cut_short``: the closing line is missing. ``whole``: number of bytes up to the end of the last
    complete line.
    """

    run: RunHeader
    platform: PlatformLine | None = None
    capabilities: list[OwnerCapabilities] = []
    first_seen: list[FirstObservation] = []
    deviations: list[Deviation] = []
    killed: list[KilledProcess] = []
    confirmations: dict[str, Confirmation] = {}
    items: dict[str, ItemEnd] = {}
    unfinished: list[str] = []
    planned: int = 0
    unreached: int = 0
    not_run: dict[str, str] = {}
    notes: list[ImplementationNote] = []
    extra_lines: list[ExtraLine] = []
    end: RunEnd | None = None
    cut_short: bool = True
    whole: int = 0

    def find_lines(self, kind: type[Line]) -> list[Line]:
        """Return the extra lines of one kind."""
        return [line for line in self.extra_lines if isinstance(line, kind)]


def read_journal(path: Path) -> JournalContents:
    """Read the journal at ``path``; JournalError if that fails."""
    return parse_journal(journal_bytes(path), str(path))


def journal_bytes(path: Path) -> bytes:
    """Return the content of the journal at ``path``, decompressed; UnreadableJournalError if that fails.

    If the plain file is missing, the packed file is read, because the run may have packed its journal in the meantime.
    """
    with _reading_journal(str(path)):
        return decompress(_read_either(path))


@contextmanager
def _reading_journal(name: str) -> Iterator[None]:
    """Convert errors from reading the file ``name`` into UnreadableJournalError."""
    try:
        yield
    except MissingFileError:
        raise UnreadableJournalError(
            f"{escape_unprintable(name)}: no such journal; create one with `clconform run`"
        ) from None
    except (GivenFileError, OSError) as error:
        raise UnreadableJournalError(
            f"{escape_unprintable(name)}: cannot read the journal: {error}; name the file that a run wrote"
        ) from None


def _read_either(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except MissingFileError:
        with suppress(MissingFileError):
            return read_bytes(packed_path(path))
        raise


def parse_journal(content: bytes, name: str) -> JournalContents:
    """Return the contents of a journal from its bytes; ``name``: its name for messages."""
    growing = GrowingJournal(name)
    for start in range(0, len(content), BLOCK_BYTES):
        growing.add(content[start : start + BLOCK_BYTES])
    return growing.finish()


class GrowingJournal:
    """The contents of a journal to which lines are still appended."""

    def __init__(self, name: str) -> None:
        self._name = escape_unprintable(name)
        self._collector: _LineCollector | None = None
        self._number = self._bytes = 0
        self._rest = b""
        self._error: JournalError | None = None

    def add(self, content: bytes) -> list[JournalLine]:
        """Add the next bytes of the file, and return the lines that they complete, except for the header.

        JournalError, in this and all later calls, if a line is invalid or not allowed at its position.
        """
        if self._error is not None:
            raise self._error
        *lines, self._rest = (self._rest + content).split(b"\n")
        self._bytes += sum(len(line) + 1 for line in lines)
        try:
            return [line for text in lines if (line := self._add_line(text)) is not None]
        except JournalError as error:
            self._error = error
            raise

    def journal(self) -> JournalContents:
        """Return the contents of the complete lines; EmptyJournalError without complete lines."""
        if self._collector is None:
            raise EmptyJournalError(f"{self._name}: the journal has no complete line; run `clconform run` again")
        return self._collector.contents(self._bytes)

    @property
    def items_left(self) -> float:
        """Return the number of selected items without an end line; infinity if no selection is known."""
        return math.inf if self._collector is None else self._collector.items_left

    def finish(self) -> JournalContents:
        """Return the contents of the finished file, whose last line may lack its line end."""
        if self._rest and not _is_broken(self._rest):
            self._add_line(self._rest)
            self._rest = b""
        return self.journal()

    def _add_line(self, text: bytes) -> JournalLine | None:
        self._number += 1
        if self._collector is not None:
            return self._collector.add_line(text, self._number)
        self._collector = _LineCollector(_parse_header(text, self._name), self._name)
        return None


class JournalReader:
    """Reads a journal while it is written, each line once.

    Several threads may use one reader.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._growing = GrowingJournal(str(path))
        self._read = 0
        self._lock = Lock()

    def read_new_lines(self) -> list[JournalLine]:
        """Return the lines that were completed since the previous call; JournalError as for ``read_journal``."""
        with self._lock:
            return self._growing.add(self._read_file())

    def journal(self) -> JournalContents:
        """Return the current contents of the journal; JournalError as for ``read_journal``."""
        with self._lock:
            while self._growing.add(content := self._read_file(BLOCK_BYTES)) or content:
                pass
            return self._growing.journal()

    @property
    def items_left(self) -> float:
        """Return the number of selected items without an end line so far; infinity if no selection is known."""
        with self._lock:
            return self._growing.items_left

    def _read_file(self, most: int = -1) -> bytes:
        with _reading_journal(str(self.path)), open_regular(self.path) as file:
            file.seek(self._read)
            content = file.read(most)
        self._read += len(content)
        return content


def _is_broken(text: bytes) -> bool:
    try:
        decode_json(text, object)
    except MalformedError:
        return True
    return False


def _parse_header(text: bytes, name: str) -> RunHeader:
    try:
        raw = decode_json(text, object)
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
        raise OlderFormatError(
            f"{name}: the journal has format {written}; convert it with `clconform dev migrate {name}`"
        )
    try:
        return convert_values(raw, RunHeader)
    except MalformedError as error:
        raise NoHeaderError(f"{name}: the header in line 1 is incomplete: {error}") from None


ItemLine: TypeAlias = FirstObservation | Deviation | KilledProcess | ImplementationNote | ExtraLine
"""The lines of an item, which are discarded if the item did not finish and is run again."""


BLOCK_BYTES = 1 << 20
"""The number of bytes of a journal that are parsed together; the lines need several times this memory."""
MAX_SEQUENCES_OF_KEY, MAX_SEQUENCES_OF_VALUE = 8, 2
"""Maximum numbers of occurrences of a deviation, and of those with one test value, whose calls a reader keeps, unless
later ones have fewer calls."""


def _further_deviations(lines: Iterable[ItemLine], others: Iterable[ItemLine]) -> list[Deviation]:
    """Return the deviations in ``lines`` whose keys ``others`` do not have."""
    keys = {line.key for line in others if isinstance(line, Deviation)}
    return [line for line in lines if isinstance(line, Deviation) and line.key not in keys]


class _LineCollector:
    """Processes the lines of a journal in order, and collects the lines that no later line supersedes."""

    def __init__(self, header: RunHeader, name: str) -> None:
        self._journal = JournalContents(header)
        self._name = name
        self._decoder: msgspec.json.Decoder[JournalLine] = msgspec.json.Decoder(JournalLine)
        self._open: dict[str, list[ItemLine]] = {}
        self._closed: dict[str, list[ItemLine]] = {}
        self._repeating: list[Deviation] = []
        self._lengths_by_group: dict[tuple[str, str | None], list[int]] = {}
        self._allowed: dict[tuple[str, ...], list[str]] = {}
        self._last_call = Call("", {})

    def add_line(self, text: bytes, number: int) -> JournalLine:
        """Process the next line and return it; BrokenLineError if it is invalid or not allowed at this position."""
        journal = self._journal
        match line := self._decoded(text, number):
            case RunHeader():
                raise self._duplicate_error("header", number)
            case PlatformLine() | CapabilityLine():
                self._add_tested(line, number)
            case Deviation(while_confirming=True):
                self._repeating.append(line)
            case FirstObservation() | Deviation() | KilledProcess() | ImplementationNote() | ItemEnd():
                self._add_of_item(line)
            case Confirmation():
                journal.confirmations[line.key] = line
            case Selection():
                journal.planned = max(journal.planned, line.items)
                journal.unreached += line.not_started
                journal.not_run.update(line.not_run)
            case Resumed():
                self._open.clear()
                journal.not_run = {
                    requirement: why for requirement, why in journal.not_run.items() if why != BUDGET_SPENT
                }
                journal.unreached, journal.end = 0, None
            case RunEnd():
                journal.end = line
            case _:  # an extra line
                self._add_of_item(line)
        return line

    def _add_tested(self, line: PlatformLine | CapabilityLine, number: int) -> None:
        if isinstance(line, CapabilityLine):
            self._journal.capabilities = line.capabilities
        elif self._journal.platform is not None:
            raise self._duplicate_error("platform", number)
        else:
            self._journal.platform = line

    def _add_of_item(self, line: ItemLine | ItemEnd) -> None:
        if isinstance(line, ItemEnd):
            lines = self._shortened(self._open.pop(line.item, []))
            self._closed[line.item] = [*_further_deviations(self._closed.get(line.item, ()), lines), *lines]
            self._journal.items[line.item] = line
            return
        if isinstance(line, FirstObservation):
            line = self._with_shared_values(line)
        self._open.setdefault(line.item, []).append(line)
        if isinstance(line, Deviation):
            known = self._journal.confirmations.get(line.key)
            if known is not None and known.verdict in UNPROVED_STATUSES:  # the deviation may repeat now
                del self._journal.confirmations[line.key]

    def _with_shared_values(self, line: FirstObservation) -> FirstObservation:
        """Return a line whose values are the same objects as equal values of earlier lines, to save memory."""
        allowed = self._allowed.setdefault(tuple(line.allowed), line.allowed)
        if self._last_call != line.call:
            self._last_call = line.call
        texts = map(sys.intern, (line.item, line.requirement, line.observed, line.test_value))
        item, requirement, observed, test_value = texts
        return FirstObservation(item, requirement, allowed, observed, test_value, self._last_call)

    def _shortened(self, lines: Sequence[ItemLine]) -> list[ItemLine]:
        """Return the lines of an item; a deviation without its calls if enough of its occurrences have as few calls.

        A driver may deviate thousands of times in the same way, each time after hundreds of calls.
        """
        first = set(map(id, first_lines(line for line in lines if isinstance(line, Deviation))))
        return [
            msgspec.structs.replace(line, sequence=[])
            if isinstance(line, Deviation) and not self._keeps_calls(line, is_first=id(line) in first)
            else line
            for line in lines
        ]

    def _keeps_calls(self, line: Deviation, *, is_first: bool) -> bool:
        """Return whether the calls of a deviation are kept; ``is_first``: the line is among the ``first_lines``.

        They are kept for the occurrences with the fewest calls, of all and of each test value, because a test value may
        be confirmed alone.
        """
        of_value = self._has_few_calls(line, (line.key, line.test_value), MAX_SEQUENCES_OF_VALUE)
        return (is_first and self._has_few_calls(line, (line.key, None), MAX_SEQUENCES_OF_KEY)) or of_value

    def _has_few_calls(self, line: Deviation, group: tuple[str, str | None], most: int) -> bool:
        """Return whether at most ``most`` occurrences in a group have fewer calls so far, and count this one if so."""
        lengths = self._lengths_by_group.setdefault(group, [])
        if len(lengths) >= most:
            if len(line.sequence) >= max(lengths):
                return False
            lengths.remove(max(lengths))
        lengths.append(len(line.sequence))
        return True

    def _decoded(self, text: bytes, number: int) -> JournalLine:
        try:
            return decode_with(self._decoder, text)
        except MalformedError as error:
            raise BrokenLineError(
                f"{self._name}: line {number} is broken: {error}; run `clconform run` again, or remove the line", number
            ) from None

    def _duplicate_error(self, what: str, number: int) -> DuplicateLineError:
        return DuplicateLineError(f"{self._name}: line {number} is a second {what}: two journals in one file", number)

    @property
    def items_left(self) -> float:
        """Return the number of selected items without an end line; infinity if no selection is known."""
        return self._journal.planned - len(self._journal.items) if self._journal.planned else math.inf

    def contents(self, whole: int) -> JournalContents:
        """Return the lines of finished items, then of unfinished items; ``whole``: number of bytes of all lines.

        Of the lines of an item after its end, only deviations count.
        """
        reopened = {item: lines for item, lines in self._open.items() if item not in self._closed}
        every = [line for lines in (*self._closed.values(), *reopened.values()) for line in lines]
        for item in (item for item in self._open if item in self._closed):
            every += _further_deviations(self._open[item], self._closed[item])
        kept: dict[type, list[Any]] = defaultdict(list)
        for line in every:
            kept[type(line)].append(line)
        return msgspec.structs.replace(
            self._journal,
            first_seen=kept[FirstObservation],
            notes=kept[ImplementationNote],
            killed=kept[KilledProcess],
            extra_lines=[line for line in every if isinstance(line, ExtraLine)],
            deviations=kept[Deviation] + self._repeating,
            unfinished=list(reopened),
            cut_short=self._journal.end is None,
            whole=whole,
        )
