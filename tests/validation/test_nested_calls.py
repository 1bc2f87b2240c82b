"""Calls of one host thread inside each other, as of a driver that calls itself through the loader without an end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.recording.file_format import CallEntry, CallReturn, RecordedArgument, RecordingFile
from clconform.spec_tables import load
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES
from clconform.validation import recording_judge
from clconform.validation.printer import format_validation
from clconform.validation.recording_judge import MAX_NESTED_CALLS, NESTED, PendingCall, validate_recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.recording.file_format import Event

NUMBER = 1000


class NestedCalls(RecordingFile):
    """A recording of nested calls; ``returned``: all of them return, otherwise none."""

    truncation = ""
    is_of_child = False
    pointer_bytes = DEFAULT_POINTER_BYTES
    through_loader = True

    def __init__(self, *, returned: bool) -> None:
        self._returned = returned

    def events(self) -> Iterator[Event]:
        """Yield the entries of all calls, then their returns."""
        names = ("num_entries", "platforms", "num_platforms")
        nothing = {name: RecordedArgument(0, None) for name in names}
        for number in range(NUMBER):
            yield CallEntry(number, 1, number, "clGetPlatformIDs", 0, opening=False, arguments=nothing)
        for number in reversed(range(NUMBER) if self._returned else ()):
            yield CallReturn(2 * NUMBER - number, 1, number, -30 & 0xFFFFFFFF, {})


def test_only_the_outer_calls_of_many_nested_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    monkeypatch.setattr(recording_judge, "PendingCall", lambda *given: kept.append(1) or PendingCall(*given))
    found = validate_recording(NestedCalls(returned=False), load(), "")
    assert (found.calls, len(kept), len(found.pending_calls)) == (NUMBER, MAX_NESTED_CALLS, MAX_NESTED_CALLS)
    assert found.not_judged == {NESTED: NUMBER - MAX_NESTED_CALLS}
    lines = list(format_validation(found, load(), notes=True))
    assert len([line for line in lines if line.startswith("had not returned")]) == 1


def test_nested_calls_that_return_are_judged_up_to_the_limit() -> None:
    found = validate_recording(NestedCalls(returned=True), load(), "")
    assert found.not_judged == {NESTED: NUMBER - MAX_NESTED_CALLS}
    assert found.judged == MAX_NESTED_CALLS
