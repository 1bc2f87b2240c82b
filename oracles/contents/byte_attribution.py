"""Attributes unexpected bytes: to the function that returned them, or to one that wrote the memory before.

A function that reads memory may return bytes that the memory does not hold. So the memory is read again by another
function before a requirement is named. If that function returns the expected bytes, the first reader is the cause. If
it returns the same unexpected bytes, the last command that wrote them is the cause, unless the memory from which that
command copied them also holds unexpected bytes. The oracle only requests these readings; a session makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import MemoryReading, Returned
from clconform.calls.values import FILL_BYTE
from clconform.oracles.contents.storage import Origin
from clconform.oracles.engine.matchers import ExpectedBytes
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Generator

    from clconform.oracles.contents.effects import ShownBytes
    from clconform.oracles.contents.storage import Content, KnownOrigins, MemoryPlace, OriginSource
    from clconform.oracles.engine.call_context import CallContext

UNCHANGING_COMMANDS = (
    "clEnqueueMap",
    "clEnqueueSVMMap",
    "clEnqueueMigrate",
    "clEnqueueSVMMigrate",
    "clEnqueueMemAdvise",
    "clEnqueueAcquire",
    "clEnqueueRelease",
)
"""The beginnings of the names of commands that do not change the contents of the memory that they use."""
UNREADABLE = MemoryReading()
"""The reading of memory that cannot be read."""


class ReadingRequest(NamedTuple):
    """A request to read the bytes of ``place`` by another function than ``avoid``."""

    place: MemoryPlace
    avoid: str


class UnexpectedBytes(NamedTuple):
    """An output with unexpected bytes: the memory that it shows, the expected and the returned bytes."""

    shown: ShownBytes
    expected: ExpectedBytes
    returned: bytes


def find_unexpected_bytes(judged: CallContext, outcome: Returned) -> UnexpectedBytes | None:
    """Return the output of a call that shows memory with unexpected bytes, or None if there is none."""
    try:
        effect = judged.effect
    except (UnknownFactError, UndefinedBehaviourError):
        return None
    expected = effect.outputs.get(effect.shown.output) if effect.shown is not None else None
    if effect.shown is None or not isinstance(expected, ExpectedBytes) or outcome.value not in (0, None):
        return None
    output = outcome.outputs.get(effect.shown.output)
    if output is None or output.unrecorded:
        return None
    size = len(expected.content)
    returned = output.raw[:size].ljust(size, bytes([FILL_BYTE]))
    return UnexpectedBytes(effect.shown, expected, returned) if expected.mismatches([returned.hex()]) else None


def find_next_request(judged: CallContext, outcome: Returned) -> ReadingRequest | None:
    """Return the next memory to read before the unexpected bytes of an outcome can be attributed, or None."""
    found = find_unexpected_bytes(judged, outcome)
    if found is None:
        return None
    search, readings = _search_cause(judged.call.function, found), iter(outcome.readings)
    try:
        request = next(search)
        for reading in readings:
            request = search.send(reading)
    except StopIteration:
        return None
    return request


def record_check(judged: CallContext, outcome: Returned) -> None:
    """Record that a call returned the expected bytes of the memory that it shows, unless its output is unrecorded."""
    try:
        shown = judged.effect.shown
    except (UnknownFactError, UndefinedBehaviourError):
        return
    output = outcome.outputs.get(shown.output) if shown is not None else None
    if output is None or output.unrecorded:
        return
    if shown is not None and shown.place.spans and shown.place.storage.is_kept:
        content = shown.place.read()
        if not content.tolerances and all(content.defined):
            shown.place.storage.record_check(shown.place.spans)


def record_unexpected_bytes(judged: CallContext, outcome: Returned) -> None:
    """Record the unexpected bytes of an outcome: commands after it are not the cause if they are read again."""
    found = find_unexpected_bytes(judged, outcome)
    if found is None or not found.shown.place.storage.is_kept:
        return
    place = found.shown.place
    content, returned = place.read(), _returned_bytes(found)
    for at in find_wrong_bytes(content, returned):
        if at < len(returned):
            place.storage.record_unexpected(_offset_in_storage(place, at), content.bytes_held[at], returned[at])


def _returned_bytes(found: UnexpectedBytes) -> bytes:
    """Return the bytes of an output that show memory, in the order of the memory."""
    return b"".join(found.returned[start : start + size] for start, size in found.shown.spans)


def attribute_bytes(judged: CallContext, outcome: Returned) -> tuple[str, ...]:
    """Return the requirements to which the unexpected bytes of an outcome are attributed; empty if there are none.

    Several requirements: the available readings do not decide which of them is violated.
    """
    found = find_unexpected_bytes(judged, outcome)
    if found is None:
        return ()
    search, readings = _search_cause(judged.call.function, found), iter(outcome.readings)
    try:
        next(search)
        while True:
            search.send(next(readings, UNREADABLE))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _search_cause(function: str, found: UnexpectedBytes) -> Generator[ReadingRequest, MemoryReading, tuple[str, ...]]:
    """Yield requests, and return the requirements for the unexpected bytes that ``function`` has returned."""
    place, reader = found.shown.place, found.expected.default_requirement
    content = place.read()
    returned = _returned_bytes(found)
    wrong = find_wrong_bytes(content, returned)
    if not wrong:  # bytes of the output outside the region
        return (reader,)
    if found.shown.is_exact:
        return (yield from _trace_writers(place, content, wrong[0], returned, reader))
    if not place.storage.host and not returned.strip(bytes([FILL_BYTE])):
        return (reader,)
    reading = yield ReadingRequest(place, function)
    if not reading.function:
        if _was_checked(place, wrong, returned):
            return (reader,)
        return _together(reader, _last_writer(place, content, wrong[0], returned))
    wrong_again = set(find_wrong_bytes(content, reading.content))
    if wrong_again.isdisjoint(wrong):
        return (reader,)
    same = [at for at in wrong if at in wrong_again and reading.content[at : at + 1] == returned[at : at + 1]]
    if not same:
        return _together(reader, _last_writer(place, content, wrong[0], returned))
    return (yield from _trace_writers(place, content, same[0], returned, reader))


def _trace_writers(
    place: MemoryPlace, content: Content, at: int, returned: bytes, reader: str
) -> Generator[ReadingRequest, MemoryReading, tuple[str, ...]]:
    """Yield requests, and return the requirements for the byte at index ``at`` of a place, which is unexpected.

    ``returned``: the bytes that were read. ``reader``: the requirement if the writer of the byte is not known.
    """
    known = _find_origins(place, at, returned)
    if known.later and known.covering and known.covering[0].is_check:
        return _together(*known.later)  # the byte was as expected before these commands
    later = [each for each in known.later if not each.startswith(UNCHANGING_COMMANDS)]
    origin, *earlier = [each for each in known.covering if not each.is_check] or [Origin("", ())]
    named = content.writers[at] if not origin.passes_on and not known.was_unexpected else ""
    candidates = [named or origin.requirement or reader, *later]
    if origin.keeps_bytes and named in ("", origin.requirement):
        candidates += _list_kept_writers(earlier)
    for source in origin.sources:
        reading = UNREADABLE
        if _is_unchanged(source):
            reading = yield ReadingRequest(source.place, origin.requirement.partition("/")[0])
        if not reading.function:
            candidates += source.writers
            continue
        wrong = find_wrong_bytes(source.content, reading.content)
        if wrong:
            return (yield from _trace_writers(source.place, source.content, wrong[0], reading.content, reader))
    return _together(*candidates)


def _is_unchanged(source: OriginSource) -> bool:
    """Return whether the model tracks the contents of a source, and they are those before the command."""
    if not source.place.storage.is_kept:
        return False
    now = source.place.read()
    return now.bytes_held == source.content.bytes_held and now.defined == source.content.defined


def _find_origins(place: MemoryPlace, at: int, returned: bytes) -> KnownOrigins:
    """Return the commands that may have written the unexpected byte at index ``at`` of a place."""
    byte = returned[at] if at < len(returned) else FILL_BYTE
    return place.storage.find_origins(_offset_in_storage(place, at), byte)


def _was_checked(place: MemoryPlace, wrong: list[int], returned: bytes) -> bool:
    """Return whether unexpected bytes were read before and as expected, and no command has used the storage since."""
    for at in wrong:
        known = _find_origins(place, at, returned)
        if known.later or not known.covering or not known.covering[0].is_check:
            return False
    return True


def _list_kept_writers(origins: list[Origin]) -> list[str]:
    """Return the requirements of the commands whose bytes a later command has kept; ``origins``: last one first."""
    found: list[str] = []
    for origin in origins:
        found += [origin.requirement, *(name for source in origin.sources for name in source.writers)]
        if not origin.requirement or not origin.keeps_bytes:
            break
    return found


def find_wrong_bytes(content: Content, returned: bytes) -> list[int]:
    """Return the indices of bytes that are not as expected: defined bytes that differ, and numbers out of tolerance."""
    wrong = [
        at
        for at, (byte, known) in enumerate(zip(content.bytes_held, content.defined, strict=True))
        if known and returned[at : at + 1] != bytes([byte])
    ]
    for at, number in content.tolerances:
        if not number.accepts(returned[at : at + number.size].ljust(number.size, b"\0")):
            wrong += range(at, at + number.size)
    return sorted(wrong)


def _last_writer(place: MemoryPlace, content: Content, at: int, returned: bytes) -> str:
    """Return the requirement of the last command that wrote the byte at index ``at`` of a place; '' if unknown."""
    known = _find_origins(place, at, returned)
    named = "" if known.was_unexpected else content.writers[at]
    return named or next((each.requirement for each in known.covering if not each.is_check), "")


def _offset_in_storage(place: MemoryPlace, index: int) -> int:
    """Return the offset in the storage of the byte with this index in a place; IndexError if there is none."""
    for start, size in place.spans:
        if index < size:
            return start + index
        index -= size
    raise IndexError(index)


def _together(*requirements: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, requirements)))
