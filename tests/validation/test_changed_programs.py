"""A right program with a call moved, repeated or left out: what became wrong is named, and nothing else."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.recording.file_format import Entered, Event, Left, Recording
from clconform.spec_tables import load
from clconform.validation.findings import ADVICE, UNDEFINED, Finding
from clconform.validation.judging import Judge

from .chance import Measured, changes
from .chance import recorded as recorded_calls
from .conftest import POCL, launch
from .legality import handles, illegal_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RELEASES = {
    "clReleaseMemObject": "cl_mem",
    "clReleaseKernel": "cl_kernel",
    "clReleaseProgram": "cl_program",
    "clReleaseCommandQueue": "cl_command_queue",
    "clReleaseEvent": "cl_event",
    "clReleaseContext": "cl_context",
}


class _Call(NamedTuple):
    """A call of the program, by the events of its begin and its end."""

    begun: Entered
    ended: Left


class _Edited:
    """A recording that reads as one that was edited."""

    cut = ""
    of_child = False

    def __init__(self, before: list[Event], calls: list[_Call]) -> None:
        self._before, self._calls = before, calls

    def events(self) -> Iterator[Event]:
        """Yield what the layer recorded first, and then the calls, numbered anew."""
        yield from self._before
        number = self._before[-1].sequence
        for call in self._calls:
            yield call.begun._replace(sequence=number + 1)
            yield call.ended._replace(sequence=number + 2, entered=number + 1)
            number += 2


@pytest.fixture(scope="module")
def recorded(
    build: Callable[..., Path], layer: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Event], list[_Call]]:
    """Return what the layer recorded before the first call of the right program, and its calls."""
    path = tmp_path_factory.mktemp("recorded") / "calls.clrec"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(POCL))
        launch([str(build("mistakes"))], layer, path)
    events = list(Recording(path, load()).events())
    first = next(index for index, event in enumerate(events) if isinstance(event, Entered) and not event.opening)
    ends = {event.entered: event for event in events if isinstance(event, Left)}
    calls = [_Call(event, ends[event.sequence]) for event in events[first:] if isinstance(event, Entered)]
    return events[:first], [
        call for index, call in enumerate(calls) if not repeats(call, calls[max(0, index - 2) : index])
    ]


def repeats(call: _Call, before: list[_Call]) -> bool:
    """Return whether a call is the third of its kind in a row: a host thread makes thousands of these."""
    made = call.begun.function, call.begun.arguments
    return len(before) == 2 and all((each.begun.function, each.begun.arguments) == made for each in before)


def found(before: list[Event], calls: list[_Call]) -> list[Finding]:
    """Return what is found in edited calls."""
    return Judge(load()).judge(_Edited(before, calls), "").findings  # type: ignore[arg-type]


def object_of(call: _Call) -> int:
    return next(iter(call.begun.arguments.values())).bits


LISTS = ("event_wait_list", "event_list", "arg_value", "input_programs")
"""Arguments that are lists of handles, or a handle's bytes."""


def uses(call: _Call, address: int) -> bool:
    """Return whether a call names an object, alone, in a list, or as a kernel's argument."""
    wanted = address.to_bytes(8, "little")
    for name, each in call.begun.arguments.items():
        listed = each.content if isinstance(each.content, bytes) else b""
        if each.bits == address or (name in LISTS and wanted in listed):
            return True
    return False


def test_the_program_as_it_is_has_no_finding(recorded: tuple[list[Event], list[_Call]]) -> None:
    assert found(*recorded) == []


def test_a_release_too_much_is_named(recorded: tuple[list[Event], list[_Call]]) -> None:
    before, calls = recorded
    tried = 0
    for index, call in enumerate(calls):
        if call.begun.function in RELEASES:
            findings = found(before, [*calls[: index + 1], call, *calls[index + 1 :]])
            assert [(each.kind, each.function) for each in findings] == [(UNDEFINED, call.begun.function)]
            tried += 1
    assert tried >= 10


def test_a_release_too_early_is_named_at_the_next_use(recorded: tuple[list[Event], list[_Call]]) -> None:
    before, calls = recorded
    tried = 0
    for index, call in enumerate(calls):
        last = max((at for at in range(index) if uses(calls[at], object_of(call))), default=None)
        if call.begun.function not in RELEASES or last is None:
            continue
        findings = found(before, [*calls[:last], call, calls[last], *calls[last + 1 : index], *calls[index + 1 :]])
        serious = [each for each in findings if each.kind != ADVICE]
        assert [each.kind for each in serious] == [UNDEFINED], call.begun.function
        assert serious[0].function == calls[last].begun.function
        tried += 1
    assert tried >= 8


def test_a_release_that_is_missing_is_advice(recorded: tuple[list[Event], list[_Call]]) -> None:
    before, calls = recorded
    for index, call in enumerate(calls):
        if call.begun.function in RELEASES:
            findings = found(before, [*calls[:index], *calls[index + 1 :]])
            assert {each.kind for each in findings} == {ADVICE}, call.begun.function


def test_calls_that_need_no_order_may_change_places(recorded: tuple[list[Event], list[_Call]]) -> None:
    """Of two releases next to each other either may be first, since objects keep what they were made from."""
    before, calls = recorded
    tried = 0
    for index, (one, other) in enumerate(itertools.pairwise(calls)):
        if one.begun.function in RELEASES and other.begun.function in RELEASES:
            assert found(before, [*calls[:index], other, one, *calls[index + 2 :]]) == []
            tried += 1
    assert tried >= 6


def test_changes_by_chance_are_named_where_they_are_illegal_and_nowhere_else(
    build: Callable[..., Path], layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample of what ``python -m tests.validation.chance`` measures."""
    del layer
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    before, calls = recorded_calls(build("lifetimes"))
    assert illegal_calls(calls, handles(calls)) == []
    measured = Measured()
    for change in changes(len(calls), 1, 60):
        measured.add(change, before, calls)
    assert measured.illegal > 15
    assert measured.legal > 5
    assert measured.missed == []
    assert measured.false == []
