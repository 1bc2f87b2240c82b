"""Changes the recording of a valid program at random, and measures whether the judge finds the illegal calls.

``python -m tests.validation.chance [CHANGES [SEED]]``: calls are dropped, repeated, swapped and moved. ``legality.py``,
which is independent of the oracle, determines which calls become illegal. The results of the driver are not changed, so
only findings about the program count.
"""

from __future__ import annotations

import copy
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.recording.file_format import CallEntry, CallReturn, ProcessExit, RecordingFile
from clconform.recording.layer_build import build_layer
from clconform.recording.program_launch import run_program
from clconform.spec_tables import load
from clconform.tools.output_text import print_text
from clconform.validation.findings import PROGRAM, SERIOUS_KINDS
from clconform.validation.recording_judge import RecordingJudge

from .legality import created_handles, find_illegal_calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.recording.file_format import Event
    from clconform.validation.findings import ValidationFinding

HERE = Path(__file__).parent
DRIVER = "/usr/lib/x86_64-linux-gnu/libpocl.so.2"
CHANGE_KINDS = ("dropped", "repeated", "swapped", "moved")


class CallEvents(NamedTuple):
    """The events of the start and the end of a call."""

    begun: CallEntry
    ended: CallReturn


class ProgramChange(NamedTuple):
    """The change of the call at ``position``; ``target``: its new position, or the position of its partner."""

    kind: str
    position: int
    target: int


class EditedRecording:
    """An edited recording, with the interface of a recording that is read from a file."""

    truncation = ""
    of_child = False

    def __init__(self, before: list[Event], calls: Sequence[tuple[CallEntry, CallReturn]]) -> None:
        self._before, self._calls = before, calls

    def events(self) -> Iterator[Event]:
        """Yield the events before the first call, the events of the calls with new sequence numbers, and the exit."""
        yield from self._before
        number = self._before[-1].sequence
        for begun, ended in self._calls:
            yield begun._replace(sequence=number + 1)
            yield ended._replace(sequence=number + 2, entered=number + 1)
            number += 2
        if self._calls:
            yield ProcessExit(number + 1, self._before[-1].thread)


def random_changes(length: int, seed: int, number: int) -> Iterator[ProgramChange]:
    """Yield random changes of a program with ``length`` calls."""
    chosen = random.Random(seed)  # noqa: S311 (no secret)
    for _ in range(number):
        yield ProgramChange(chosen.choice(CHANGE_KINDS), chosen.randrange(length), chosen.randrange(length))


def apply_change(
    change: ProgramChange, calls: Sequence[tuple[CallEntry, CallReturn]]
) -> list[tuple[CallEntry, CallReturn]]:
    """Return the calls of the program after a change."""
    made, at = list(calls), change.position
    if change.kind == "dropped":
        del made[at]
    elif change.kind == "repeated":
        made.insert(at, made[at])
    elif change.kind == "swapped":
        made[at - 1], made[at] = made[at], made[at - 1]
    else:
        made.insert(change.target, made.pop(at))
    return made


class ProgramJudge:
    """Judges programs with a common beginning, which is judged only once.

    The queries of the layer, with which each recording begins, are most of a short recording.
    """

    def __init__(self, before: list[Event]) -> None:
        """Judge the events that the layer records before the first call of each program."""
        self._opened, self._last = RecordingJudge(load()), before[-1:]
        self._opened.judge(EditedRecording(before, ()), "")  # type: ignore[arg-type]
        oracle, tables = self._opened._oracle, load()
        never_changed = (tables, *msgspec.structs.asdict(tables).values(), oracle.rulebook, oracle.model.lookups)
        self._shared = {id(each): each for each in never_changed}

    def find_findings(self, calls: Sequence[tuple[CallEntry, CallReturn]]) -> list[ValidationFinding]:
        """Return the findings in a program with these calls."""
        judge = copy.deepcopy(self._opened, dict(self._shared))
        return judge.judge(EditedRecording(self._last, calls), "").findings  # type: ignore[arg-type]


class ChangeStatistics:
    """Statistics of changes. ``missed``: illegal changes without findings; ``false``: legal changes with findings."""

    def __init__(self, before: list[Event], calls: Sequence[tuple[CallEntry, CallReturn]]) -> None:
        """Start with a program: the layer's events before its first call, and its calls."""
        self._judging, self._calls = ProgramJudge(before), calls
        self.illegal = self.legal = 0
        self.missed: list[str] = []
        self.false: list[str] = []
        self.by_kind: Counter[str] = Counter()

    def judge_change(self, change: ProgramChange) -> None:
        """Apply one change, judge the changed program, and count the result."""
        calls = self._calls
        made = apply_change(change, calls)
        illegal = find_illegal_calls(made, created_handles(calls))
        named = [
            each for each in self._judging.find_findings(made) if each.party == PROGRAM and each.kind in SERIOUS_KINDS
        ]
        function = calls[change.position][0].function
        self.by_kind[f"{change.kind}, {'illegal' if illegal else 'legal'}"] += 1
        if illegal:
            self.illegal += 1
            if not any(each.function == made[illegal[0]][0].function for each in named):
                self.missed.append(
                    f"{change} of {function}: {made[illegal[0]][0].function}, {_format_functions(named)}"
                )
        else:
            self.legal += 1
            if named:
                self.false.append(f"{change} of {function}: {_format_functions(named)}")


def _format_functions(named: Sequence[object]) -> str:
    return "; ".join(f"{getattr(each, 'function', '')} {getattr(each, 'words', '')}" for each in named) or "nothing"


def record_program(program: Path) -> tuple[list[Event], list[CallEvents]]:
    """Record a program; return the layer's events before its first call, and its calls in the order of their start."""
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "calls.clrec"
        run_program([str(program)], build_layer(load()), path)
        events = list(RecordingFile(path, load()).events())
    first = next(index for index, event in enumerate(events) if isinstance(event, CallEntry) and not event.opening)
    ends = {event.entered: event for event in events if isinstance(event, CallReturn)}
    begun = [event for event in events[first:] if isinstance(event, CallEntry)]
    return events[:first], [CallEvents(event, ends[event.sequence]) for event in begun]


def main(words: list[str]) -> int:
    """Measure and print the shares of missed and false findings."""
    number, seed = int(words[0]) if words else 400, int(words[1]) if len(words) > 1 else 1
    with tempfile.TemporaryDirectory() as work:
        program = Path(work) / "program"
        build = ["cc", "-g", "-w", str(HERE / "lifetimes.c"), "-o", str(program), "-lOpenCL", "-lpthread"]
        subprocess.run(build, check=True)
        before, calls = record_program(program)
    measured = ChangeStatistics(before, calls)
    for change in random_changes(len(calls), seed, number):
        measured.judge_change(change)
    for title, found in (("missed", measured.missed), ("false", measured.false)):
        for each in found:
            print_text(f"{title}: {each}")
    print_text(", ".join(f"{count} {what}" for what, count in sorted(measured.by_kind.items())))
    named = measured.illegal - len(measured.missed)
    print_text(
        f"{len(calls)} calls, {number} changes, seed {seed}: {measured.illegal} became illegal, {named} of them named"
    )
    print_text(f"{measured.legal} stayed legal, {len(measured.false)} of them with a verdict on the program")
    return 1 if measured.false or named < 0.95 * measured.illegal else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
