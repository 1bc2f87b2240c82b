"""Bytes that the model tracks: for each byte, whether it is defined, and the requirement of the command that wrote it.

Memory objects and allocations are views of a storage.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import FILL_BYTE
from clconform.oracles.contents.geometry import overlaps
from clconform.oracles.engine.tolerances import place_tolerances
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clconform.calls.values import Data, Handle, OffsetPointer, Pointers
    from clconform.oracles.contents.geometry import Span, Spans
    from clconform.oracles.engine.tolerances import BytesTolerance, Tolerances
    from clconform.oracles.model.contexts import ContextObject

MAX_TOLERANCE_BYTES = 4
"""The number of bytes of the largest number with a tolerance."""
MAX_KEPT_BYTES = 1 << 20
"""Maximum size of memory whose contents the model tracks; the contents of larger memory are unknown."""


class Content(NamedTuple):
    """Some bytes of memory.

    ``bytes_held``: the bytes. ``defined``: 1 for each defined byte, 0 for each undefined byte. ``writers``: for each
    byte the requirement of the command that wrote it; empty after a plain write or the creation of an object, since
    unexpected bytes are then attributed to the reading function. ``tolerances``: tolerances for numbers among the
    undefined bytes.
    """

    bytes_held: bytes
    defined: bytes
    writers: list[str]
    tolerances: Tolerances = ()


def attribute_to(content: Content, requirement: str) -> Content:
    """Return the content with one requirement as the writer of all bytes; an empty string stands for a plain write."""
    return content._replace(writers=[requirement] * len(content.writers))


def attribute_remaining_to(content: Content, requirement: str) -> Content:
    """Return the content with a requirement as the writer of all bytes without a writer."""
    requirements = (
        [each or requirement for each in content.writers]
        if any(content.writers)
        else [requirement] * len(content.writers)
    )
    return content._replace(writers=requirements)


def repeat(content: Content, times: int) -> Content:
    """Return the content, repeated ``times`` times."""
    size = len(content.bytes_held)
    loose = tuple((size * index + at, number) for index in range(times) for at, number in content.tolerances)
    return Content(content.bytes_held * times, content.defined * times, content.writers * times, loose)


def defined_bytes(content: bytes) -> Content:
    """Return bytes that are all defined and do not have a writer."""
    return Content(content, b"\1" * len(content), [""] * len(content))


def unknown_bytes(size: int) -> Content:
    """Return ``size`` undefined bytes."""
    return Content(bytes(size), bytes(size), [""] * size)


def argument_bytes(data: Data, spans: Spans) -> Content:
    """Return the bytes of an argument in the spans, concatenated; unrecorded bytes are undefined."""
    if not data.unrecorded:
        return defined_bytes(b"".join(data.content[start : start + size] for start, size in spans))
    if sum(size for _, size in spans) > MAX_KEPT_BYTES:
        return unknown_bytes(0)
    return concatenate([_padded_part(data, start, size) for start, size in spans])


def _padded_part(data: Data, start: int, size: int) -> Content:
    known = defined_bytes(data.content[start : start + size])
    return concatenate([known, unknown_bytes(size - len(known.bytes_held))]) if len(known.bytes_held) < size else known


def concatenate(parts: Sequence[Content]) -> Content:
    """Return the concatenation of several contents."""
    starts = itertools.accumulate((len(part.bytes_held) for part in parts), initial=0)
    return Content(
        b"".join(part.bytes_held for part in parts),
        b"".join(part.defined for part in parts),
        list(itertools.chain.from_iterable(part.writers for part in parts)),
        tuple((start + at, one) for start, part in zip(starts, parts, strict=False) for at, one in part.tolerances),
    )


def fill_pattern(size: int) -> Content:
    """Return the bytes of an output buffer before the driver writes to it."""
    return defined_bytes(bytes([FILL_BYTE]) * size)


def _tolerance_starts(loose: dict[int, BytesTolerance], start: int, size: int) -> list[int]:
    """Return the offsets of numbers with a tolerance that begin within a range of bytes, in order."""
    within = range(start, start + size)
    if len(within) < len(loose):
        return [at for at in within if at in loose]
    return sorted(at for at in loose if at in within)


class ConcurrentAtomics(NamedTuple):
    """A kernel enqueue with atomic operations, and the harness action that may run concurrently.

    ``operations``: the operations of the harness action. ``instances``: the number of instances on which they run.
    """

    command: object
    operations: str
    instances: int


class OriginSource(NamedTuple):
    """Memory that a command read: its ``place``, and its ``content`` before the command.

    ``writers``: the requirements of all known commands from which the content may stem, directly or by copies.
    """

    place: MemoryPlace
    content: Content
    writers: tuple[str, ...]


class Origin(NamedTuple):
    """A command that wrote the bytes in ``spans``, or that used the storage without writing; then there are no spans.

    ``requirement``: that of the command, or empty if the contents name the writer of each byte. ``sources``: the memory
    that it read elsewhere. ``passes_on``: it read memory for the host, so the contents name the writers of the bytes
    that it read. ``keeps_bytes``: the written bytes depend on the bytes that were there before. ``is_check``: not a
    write; the bytes in ``spans`` were read and as expected.
    """

    requirement: str
    spans: Spans
    sources: tuple[OriginSource, ...] = ()
    passes_on: bool = False
    keeps_bytes: bool = False
    is_check: bool = False


class KnownOrigins(NamedTuple):
    """The commands that may have written an unexpected byte.

    ``covering``: those that wrote the byte, and the checks of it; ``later``: the requirements of all commands after
    these, which used other bytes of the storage or did not write. Both begin with the last one. ``was_unexpected``: the
    byte had the same unexpected value before, so that only commands before that reading are listed, and the contents
    may name a later writer.
    """

    covering: list[Origin]
    later: list[str]
    was_unexpected: bool = False


class _UnexpectedByte(NamedTuple):
    """A byte that was read and not as expected; ``last``: the last command or check before it was read."""

    expected: int
    returned: int
    last: Origin | None


MAX_ORIGINS = 32
"""The number of commands that a storage keeps in ``origins``; checks do not count."""


class Storage:
    """The bytes of an allocation, on which memory objects and regions are views.

    ``is_lent``: the bytes are host memory that a memory object uses. ``last_requirement``: the requirement of the last
    command that used them. ``pointers``: maps offsets to the addresses that were written there; the bytes of these
    addresses are undefined. ``pointer_bytes``: the size of these addresses. ``tolerances``: maps offsets of numbers to
    their tolerances. ``used_capabilities``: the capabilities that the last writing kernel used in addition to its
    arguments: names of device capabilities or of execution info. ``concurrent_atomics``: the last writing command, if
    it is a kernel with atomic operations, with the harness action that may run concurrently; otherwise None.
    ``origins``: the last commands that wrote the bytes, and the checks since the first of them.
    """

    def __init__(self, size: int, *, host: bool = False) -> None:
        self.size = size
        self.host, self.is_lent = host, False
        self.last_requirement = ""
        self.pointers: dict[int, Handle | OffsetPointer] = {}
        self.pointer_bytes = 0
        self.tolerances: dict[int, BytesTolerance] = {}
        self.used_capabilities: frozenset[str] = frozenset()
        self.concurrent_atomics: ConcurrentAtomics | None = None
        self.origins: list[Origin] = []
        self._unexpected: dict[int, _UnexpectedByte] = {}
        self._kept: tuple[bytearray, bytearray, list[str]] | None = None

    @property
    def is_kept(self) -> bool:
        """Return whether the model tracks the bytes; it does not track very large memory."""
        return self.size <= MAX_KEPT_BYTES

    def read(self, spans: Spans) -> Content:
        """Return the contents of the spans, concatenated."""
        if self._kept is None:
            return unknown_bytes(sum(size for _, size in spans))
        content, defined, requirements = self._kept
        cuts = [slice(start, start + size) for start, size in spans]
        return Content(
            b"".join(content[cut] for cut in cuts),
            b"".join(defined[cut] for cut in cuts),
            list(itertools.chain.from_iterable(requirements[cut] for cut in cuts)),
            self._tolerances_in(spans) if self.tolerances else (),
        )

    def _tolerances_in(self, spans: Spans) -> Tolerances:
        """Return the tolerances of numbers within single spans, with their offsets in the concatenated bytes."""
        found: list[tuple[int, BytesTolerance]] = []
        first = 0
        for start, size in spans:
            there = [
                at
                for at in _tolerance_starts(self.tolerances, start, size)
                if start <= at and at + self.tolerances[at].size <= start + size
            ]
            found += [(first + at - start, self.tolerances[at]) for at in there]
            first += size
        return tuple(found)

    def write(self, spans: Spans, new: Content) -> None:
        """Write ``new`` into the spans, one span after the other."""
        self.concurrent_atomics = None
        for start, size in spans:
            for at in [at for at in self.pointers if start - self.pointer_bytes < at < start + size]:
                del self.pointers[at]
            for at in (
                _tolerance_starts(self.tolerances, start - MAX_TOLERANCE_BYTES + 1, size + MAX_TOLERANCE_BYTES - 1)
                if self.tolerances
                else ()
            ):
                if at + self.tolerances[at].size > start:
                    del self.tolerances[at]
        if self._kept is None:
            if not self.is_kept or not (any(new.defined) or new.tolerances):
                return
            self._kept = (bytearray(self.size), bytearray(self.size), [""] * self.size)
        at = 0
        for start, size in spans:
            for kept, content in zip(self._kept, new[:3], strict=True):
                kept[start : start + size] = content[at : at + size]  # type: ignore[index]
            at += size
        self.tolerances.update(place_tolerances(new.tolerances, spans))

    def forget(self, spans: Spans | None = None) -> None:
        """Make the bytes in the spans undefined; without spans, all bytes."""
        self.concurrent_atomics = None
        if self._kept is None and not self.pointers:
            return
        for span in ((0, self.size),) if spans is None else spans:
            self.write((span,), unknown_bytes(span[1] if self._kept is not None else 0))

    def find_origins(self, offset: int, returned: int) -> KnownOrigins:
        """Return the commands that may have written the unexpected byte ``returned`` at ``offset``."""
        earlier = self._find_earlier_origins(offset, returned)
        known = KnownOrigins([], [], was_unexpected=earlier is not None)
        for origin in reversed(self.origins if earlier is None else earlier):
            if _covers(origin, offset):
                known.covering.append(origin)
            elif not known.covering and origin.requirement:
                known.later.append(origin.requirement)
        return known

    def _find_earlier_origins(self, offset: int, returned: int) -> list[Origin] | None:
        """Return the origins before the first reading of a byte that returned the same unexpected value.

        None: there was no such reading, or the byte was as expected, or was to have another value, since then.
        """
        seen = self._unexpected.get(offset)
        if seen is None or seen.returned != returned or self._kept is None or self._kept[0][offset] != seen.expected:
            return None
        number = next((at + 1 for at, origin in enumerate(self.origins) if origin is seen.last), 0)
        if any(origin.is_check and _covers(origin, offset) for origin in self.origins[number:]):
            return None
        return self.origins[:number]

    def record_use(self, requirement: str, spans: Spans = ()) -> None:
        """Record a command that wrote the bytes in ``spans``, or that used the storage without writing."""
        self.record_origin(Origin(requirement, spans))

    def record_origin(self, origin: Origin) -> None:
        """Record a command as the last one that used the storage; the oldest ones beyond MAX_ORIGINS are dropped."""
        self.origins.append(origin)
        commands = [at for at, each in enumerate(self.origins) if not each.is_check]
        if len(commands) > MAX_ORIGINS:
            del self.origins[: commands[-MAX_ORIGINS]]

    def record_check(self, spans: Spans) -> None:
        """Record that the bytes in ``spans`` were read and as expected."""
        check = Origin("", spans, is_check=True)
        if check not in itertools.takewhile(lambda each: each.is_check, reversed(self.origins)):
            self.origins.append(check)

    def record_unexpected(self, offset: int, expected: int, returned: int) -> None:
        """Record that the byte at ``offset`` was read and not as expected; the first such reading of a value counts."""
        seen = self._unexpected.get(offset)
        if seen is None or (seen.expected, seen.returned) != (expected, returned):
            self._unexpected[offset] = _UnexpectedByte(expected, returned, self.origins[-1] if self.origins else None)

    def describe_source(self, place: MemoryPlace) -> OriginSource:
        """Return a place of this storage as the source of a command."""
        content, writers = place.read() if self.is_kept else unknown_bytes(0), list[str]()
        for origin in reversed(self.origins):
            if origin.is_check and origin.spans == place.spans:
                return OriginSource(place, content, tuple(dict.fromkeys(filter(None, writers))))
            if not origin.spans or overlaps(origin.spans, place.spans):
                writers += [origin.requirement, *(name for source in origin.sources for name in source.writers)]
        return OriginSource(place, content, tuple(dict.fromkeys(filter(None, (*writers, *content.writers)))))

    def attribute_to(self, spans: Spans, requirement: str) -> None:
        """Make a requirement the writer of all bytes in the spans."""
        content = self.read(spans)
        self.write(spans, content._replace(writers=[requirement] * len(content.writers)))


def _covers(origin: Origin, offset: int) -> bool:
    """Return whether the byte at an offset is among the bytes of an origin."""
    return any(0 <= offset - start < size for start, size in origin.spans)


@dataclass(frozen=True, eq=False)
class StorageView:
    """The bytes of one object: ``size`` bytes of the storage from ``start`` on."""

    storage: Storage
    start: int
    size: int

    def spans(self, offset: int, size: int) -> Spans:
        """Return a range of bytes of the view as spans of the storage; UnknownFactError if it is not inside."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise UnknownFactError("bytes outside")
        return ((self.start + offset, size),) if size else ()

    def to_storage_spans(self, spans: Spans) -> Spans:
        """Return spans relative to the start of the view as spans of the storage; errors as for ``spans``."""
        if any(start < 0 or start + size > self.size for start, size in spans):
            raise UnknownFactError("bytes outside")
        return tuple((self.start + start, size) for start, size in spans)

    def sub_view(self, offset: int, size: int) -> StorageView:
        """Return a view of ``size`` bytes at an offset in the view; errors as for ``spans``."""
        self.spans(offset, size)
        return StorageView(self.storage, self.start + offset, size)


@dataclass(frozen=True, eq=False)
class MemoryPlace:
    """Bytes of a storage that a command or the host accesses, as spans.

    ``owner``: the object through which they are accessed. ``shows_contents``: a read certainly returns the latest
    bytes.
    """

    storage: Storage
    spans: Spans
    owner: ContextObject | None = None
    shows_contents: bool = True

    def read(self) -> Content:
        """Return the contents of the bytes; undefined if a read may return old bytes."""
        return (
            self.storage.read(self.spans) if self.shows_contents else unknown_bytes(sum(size for _, size in self.spans))
        )

    def write(self, content: Content) -> None:
        """Write ``content`` to the bytes."""
        self.storage.write(self.spans, content)

    def forget(self) -> None:
        """Make the bytes undefined."""
        self.storage.forget(self.spans)

    def write_lazily(self, make: Callable[[], Content]) -> None:
        """Write the result of ``make``, which is only called if the model tracks the bytes."""
        self.write(make() if self.storage.is_kept else unknown_bytes(0))

    def write_addresses(self, pointers: Pointers, pointer_bytes: int, requirement: str) -> None:
        """Write addresses one after the other, NULL as zeros.

        ``pointer_bytes``: the size of an address. ``requirement``: that of the writing command.
        """
        self.storage.pointer_bytes = pointer_bytes
        starts = (start + at for start, size in self.spans for at in range(0, size, pointer_bytes))
        for start, value in zip(starts, pointers.values, strict=True):
            content = unknown_bytes(pointer_bytes) if value else defined_bytes(bytes(pointer_bytes))
            self.storage.write(((start, pointer_bytes),), attribute_to(content, requirement))
            if value is not None:
                self.storage.pointers[start] = value

    def read_address(self) -> Handle | OffsetPointer | None:
        """Return the address that was written to the bytes, None for NULL; UnknownFactError if none was written."""
        ((start, _),) = self.spans
        content = self.read()
        if start not in self.storage.pointers and (not all(content.defined) or any(content.bytes_held)):
            raise UnknownFactError("address")
        return self.storage.pointers.get(start)


@dataclass(frozen=True)
class PointerTarget:
    """The memory at an address, at ``offset`` in ``view``.

    ``owner``: the object that contains the memory. ``shows_contents``: as for ``MemoryPlace``. ``rows``: None unless
    the memory is a mapped image, where only the bytes of the rows are accessible; then the offset of each row from the
    pointer, and its span in the storage.
    """

    view: StorageView
    offset: int
    owner: ContextObject
    shows_contents: bool = True
    rows: tuple[tuple[int, Span], ...] | None = None

    def memory_place(self, spans: Spans) -> MemoryPlace:
        """Return the bytes in spans relative to the address; UndefinedBehaviourError if they are outside the memory."""
        if self.rows is not None:
            return MemoryPlace(self.view.storage, tuple(map(self._span_in_row, spans)), self.owner, self.shows_contents)
        if any(start + self.offset < 0 or start + self.offset + size > self.view.size for start, size in spans):
            raise UndefinedBehaviourError("it leads past the end of the memory that the pointer reaches")
        moved = tuple((self.view.start + self.offset + start, size) for start, size in spans)
        return MemoryPlace(self.view.storage, moved, self.owner, self.shows_contents)

    def _span_in_row(self, span: Span) -> Span:
        first, size = span[0] + self.offset, span[1]
        for offset, (start, most) in self.rows or ():
            if offset <= first and first + size <= offset + most:
                return start + first - offset, size
        raise UndefinedBehaviourError("no bytes of the mapped image are there")


def have_common_bytes(one: object, other: object) -> bool:
    """Return whether two objects have bytes in common; True if the model does not track the memory of one of them."""
    views = [view for each in (one, other) if isinstance(view := getattr(each, "memory", None), StorageView)]
    if len(views) < 2:  # noqa: PLR2004 (the two objects)
        return True
    first, second = views
    common = min(first.start + first.size, second.start + second.size) > max(first.start, second.start)
    return first.storage is second.storage and common


def whole_places(objects: Iterable[object]) -> tuple[MemoryPlace, ...]:
    """Return all bytes of each object with contents that the model tracks."""
    kept = ((each, view) for each in objects if isinstance(view := getattr(each, "memory", None), StorageView))
    return tuple(MemoryPlace(view.storage, view.spans(0, view.size), owner) for owner, view in kept)  # type: ignore[arg-type]
