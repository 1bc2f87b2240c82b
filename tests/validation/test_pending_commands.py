"""The work of judging a command does not grow with the number of pending commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from clconform.recording.file_format import RecordingFile
from clconform.spec_tables import load
from clconform.validation.recording_judge import RecordingJudge

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMMANDS = 120
KINDS = (
    "kernels",
    "events",
    "writes",
    "reads",
    "same-reads",
    "queues",
    "crossing",
    "blocking",
    "unordered",
    "chains",
    "barriers",
    "user-events",
)


def count_executed_lines(path: Path) -> int:
    """Judge a valid program, and return the number of lines of Python that this executes; a loop counts each time."""
    judge, recording = RecordingJudge(load()), RecordingFile(path, load())
    lines = 0

    def trace(_frame: object, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        found = judge.judge(recording, "")
    finally:
        sys.settrace(previous)
    assert (found.findings, found.not_judged) == ([], {})
    return lines


@pytest.mark.parametrize("kind", KINDS)
def test_work_of_judging_is_proportional_to_pending_commands(
    kind: str, build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    """On revision 8faeac18, each command was compared with all pending ones, so that the second difference was 3/2."""
    program = build_program("many_commands")
    RecordingJudge(load()).judge(RecordingFile(record_program(program, 10, kind)[0], load()), "")  # fills caches
    few, more, most = (count_executed_lines(record_program(program, each * COMMANDS, kind)[0]) for each in (1, 2, 3))
    assert most - more < 1.1 * (more - few)
