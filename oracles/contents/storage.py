"""Bytes that the model keeps, each defined or not, with the requirement of its writer; objects are views of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import FILL
from clconform.oracles.engine.permitted import placed
from clconform.oracles.model.errors import ForbiddenError, UnknownError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clconform.calls.values import Data, Handle, Inside, Pointers
    from clconform.oracles.contents.geometry import Span, Spans
    from clconform.oracles.engine.permitted import Loose, Permitted
    from clconform.oracles.model.contexts import ContextObject

POINTER_BYTES = 8
"""Bytes of an address."""
LONGEST = 4
"""Bytes of the largest number with a tolerance."""
KEPT_BYTES = 1 << 20
"""Maximum size of memory that is kept; the contents of larger memory are unknown."""


class Content(NamedTuple):
    """Bytes, 1 for each defined one, and for each the requirement of the command that wrote it, or an empty string.

    A plain write and the creation of an object do not leave a requirement: unexpected bytes after them are attributed
    to the reading function. ``loose``: tolerances for numbers among the undefined bytes.
    """

    held: bytes
    defined: bytes
    records: list[str]
    loose: Loose = ()


def by(content: Content, record: str) -> Content:
    """Return the bytes with one requirement responsible for all of them; an empty string for a plain write."""
    return content._replace(records=[record] * len(content.records))


def at_least_by(content: Content, record: str) -> Content:
    """Return the bytes with a requirement responsible for those without one."""
    records = [each or record for each in content.records] if any(content.records) else [record] * len(content.records)
    return content._replace(records=records)


def repeated(content: Content, times: int) -> Content:
    """Return the bytes, repeated."""
    size = len(content.held)
    loose = tuple((size * index + at, number) for index in range(times) for at, number in content.loose)
    return Content(content.held * times, content.defined * times, content.records * times, loose)


def plain(content: bytes) -> Content:
    """Return bytes that are all defined, without a responsible requirement."""
    return Content(content, b"\1" * len(content), [""] * len(content))


def unknown(size: int) -> Content:
    """Return bytes with unknown contents."""
    return Content(bytes(size), bytes(size), [""] * size)


def bytes_in(data: Data, spans: Spans) -> Content:
    """Return the bytes of an argument in the spans, one after the other; unrecorded bytes are unknown."""
    if not data.unrecorded:
        return plain(b"".join(data.content[start : start + size] for start, size in spans))
    if sum(size for _, size in spans) > KEPT_BYTES:
        return unknown(0)
    return in_a_row([_part(data, start, size) for start, size in spans])


def _part(data: Data, start: int, size: int) -> Content:
    known = plain(data.content[start : start + size])
    return in_a_row([known, unknown(size - len(known.held))]) if len(known.held) < size else known


def in_a_row(parts: Sequence[Content]) -> Content:
    """Return the concatenated bytes."""
    starts = itertools.accumulate((len(part.held) for part in parts), initial=0)
    return Content(
        b"".join(part.held for part in parts),
        b"".join(part.defined for part in parts),
        list(itertools.chain.from_iterable(part.records for part in parts)),
        tuple((start + at, one) for start, part in zip(starts, parts, strict=False) for at, one in part.loose),
    )


def fill_pattern(size: int) -> Content:
    """Return the bytes of memory that was passed to a driver, before it writes there."""
    return plain(bytes([FILL]) * size)


def _starts(loose: dict[int, Permitted], start: int, size: int) -> list[int]:
    """Return the starts of numbers within a range of bytes, in order."""
    within = range(start, start + size)
    if len(within) < len(loose):
        return [at for at in within if at in loose]
    return sorted(at for at in loose if at in within)


class Meeting(NamedTuple):
    """A kernel enqueue, and the harness action that may run concurrently: its operations, on so many instances."""

    command: object
    operations: str
    instances: int


class Storage:
    """A number of bytes. ``lent``: they are host memory on which an object was created.

    ``last``: the requirement of the last command that used them. ``pointers``: offsets of addresses, with their values;
    the bytes of the addresses are unknown. ``loose``: offsets of numbers with tolerances. ``ways``: the capabilities
    that the last kernel writing here used in addition to its arguments: names of device capabilities or of execution
    info. ``meets``: a kernel with atomic operations here that may run concurrently with the host's, and the matching
    harness action; None if the last command writing here was another one.
    """

    def __init__(self, size: int, *, host: bool = False) -> None:
        self.size = size
        self.host, self.lent = host, False
        self.last = ""
        self.pointers: dict[int, Handle | Inside] = {}
        self.loose: dict[int, Permitted] = {}
        self.ways: frozenset[str] = frozenset()
        self.meets: Meeting | None = None
        self._kept: tuple[bytearray, bytearray, list[str]] | None = None

    @property
    def keeps(self) -> bool:
        """Return whether the bytes are few enough to be kept."""
        return self.size <= KEPT_BYTES

    def read(self, spans: Spans) -> Content:
        """Return the contents of the spans, one after the other."""
        if self._kept is None:
            return unknown(sum(size for _, size in spans))
        content, defined, records = self._kept
        cuts = [slice(start, start + size) for start, size in spans]
        return Content(
            b"".join(content[cut] for cut in cuts),
            b"".join(defined[cut] for cut in cuts),
            list(itertools.chain.from_iterable(records[cut] for cut in cuts)),
            self._loose_in(spans) if self.loose else (),
        )

    def _loose_in(self, spans: Spans) -> Loose:
        """Return the tolerances that lie completely in the spans, by their offsets in the concatenated bytes."""
        found: list[tuple[int, Permitted]] = []
        first = 0
        for start, size in spans:
            there = [
                at
                for at in _starts(self.loose, start, size)
                if start <= at and at + self.loose[at].size <= start + size
            ]
            found += [(first + at - start, self.loose[at]) for at in there]
            first += size
        return tuple(found)

    def write(self, spans: Spans, new: Content) -> None:
        """Write bytes into the spans, one after the other."""
        self.meets = None
        for start, size in spans:
            for at in [at for at in self.pointers if start - POINTER_BYTES < at < start + size]:
                del self.pointers[at]
            for at in _starts(self.loose, start - LONGEST + 1, size + LONGEST - 1) if self.loose else ():
                if at + self.loose[at].size > start:
                    del self.loose[at]
        if self._kept is None:
            if not self.keeps or not (any(new.defined) or new.loose):
                return
            self._kept = (bytearray(self.size), bytearray(self.size), [""] * self.size)
        at = 0
        for start, size in spans:
            for kept, content in zip(self._kept, new[:3], strict=True):
                kept[start : start + size] = content[at : at + size]  # type: ignore[index]
            at += size
        self.loose.update(placed(new.loose, spans))

    def forget(self, spans: Spans | None = None) -> None:
        """Make the spans, or everything, undefined."""
        self.meets = None
        if self._kept is None and not self.pointers:
            return
        for span in ((0, self.size),) if spans is None else spans:
            self.write((span,), unknown(span[1] if self._kept is not None else 0))

    def signed(self, spans: Spans, record: str) -> None:
        """Make a requirement responsible for the contents of the spans from now on."""
        content = self.read(spans)
        self.write(spans, content._replace(records=[record] * len(content.records)))


@dataclass(frozen=True, eq=False)
class View:
    """The bytes of one object: ``size`` of them from ``start`` on."""

    storage: Storage
    start: int
    size: int

    def spans(self, offset: int, size: int) -> Spans:
        """Return one range of bytes by its offset; UnknownError if it is not inside."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise UnknownError("bytes outside")
        return ((self.start + offset, size),) if size else ()

    def moved(self, spans: Spans) -> Spans:
        """Return spans relative to the view's start as spans of the storage."""
        if any(start < 0 or start + size > self.size for start, size in spans):
            raise UnknownError("bytes outside")
        return tuple((self.start + start, size) for start, size in spans)

    def part(self, offset: int, size: int) -> View:
        """Return a view of a part of this one."""
        self.spans(offset, size)
        return View(self.storage, self.start + offset, size)


@dataclass(frozen=True, eq=False)
class Place:
    """Bytes that a command or the host uses: ``owner`` is the object through which it accesses them.

    ``shown``: the user of the bytes is certain to observe the memory's contents.
    """

    storage: Storage
    spans: Spans
    owner: ContextObject | None = None
    shown: bool = True

    def read(self) -> Content:
        """Return its contents."""
        return self.storage.read(self.spans) if self.shown else unknown(sum(size for _, size in self.spans))

    def write(self, content: Content) -> None:
        """Write bytes there."""
        self.storage.write(self.spans, content)

    def forget(self) -> None:
        """Make the bytes there undefined."""
        self.storage.forget(self.spans)

    def put(self, make: Callable[[], Content]) -> None:
        """Write bytes there, computed only if they are kept."""
        self.write(make() if self.storage.keeps else unknown(0))

    def point(self, pointers: Pointers, record: str) -> None:
        """Write addresses there; NULL is all zeros."""
        starts = (start + at for start, size in self.spans for at in range(0, size, POINTER_BYTES))
        for start, value in zip(starts, pointers.values, strict=True):
            content = unknown(POINTER_BYTES) if value else plain(bytes(POINTER_BYTES))
            self.storage.write(((start, POINTER_BYTES),), by(content, record))
            if value is not None:
                self.storage.pointers[start] = value

    def pointer(self) -> Handle | Inside | None:
        """Return the address stored there, None for NULL; UnknownError if no address was stored there."""
        ((start, _),) = self.spans
        content = self.read()
        if start not in self.storage.pointers and (not all(content.defined) or any(content.held)):
            raise UnknownError("address")
        return self.storage.pointers.get(start)


@dataclass(frozen=True)
class Reach:
    """The memory from an address on; ``owner``: the object that it belongs to; ``shown``: as for a ``Place``.

    ``rows``: if only some bytes can be reached, as for a mapped image: for each run its offset from the pointer, and
    its span in the storage.
    """

    view: View
    offset: int
    owner: ContextObject
    shown: bool = True
    rows: tuple[tuple[int, Span], ...] | None = None

    def place(self, spans: Spans) -> Place:
        """Return spans relative to the address; ForbiddenError if they lead outside."""
        if self.rows is not None:
            return Place(self.view.storage, tuple(map(self._in_a_row, spans)), self.owner, self.shown)
        if any(start + self.offset < 0 or start + self.offset + size > self.view.size for start, size in spans):
            raise ForbiddenError("it leads past the end of the memory that the pointer reaches")
        moved = tuple((self.view.start + self.offset + start, size) for start, size in spans)
        return Place(self.view.storage, moved, self.owner, self.shown)

    def _in_a_row(self, span: Span) -> Span:
        first, size = span[0] + self.offset, span[1]
        for offset, (start, most) in self.rows or ():
            if offset <= first and first + size <= offset + most:
                return start + first - offset, size
        raise ForbiddenError("no bytes of the mapped image are there")


def wholes(objects: Iterable[object]) -> tuple[Place, ...]:
    """Return all bytes of those objects whose bytes are kept."""
    kept = ((each, view) for each in objects if isinstance(view := getattr(each, "memory", None), View))
    return tuple(Place(view.storage, view.spans(0, view.size), owner) for owner, view in kept)  # type: ignore[arg-type]
