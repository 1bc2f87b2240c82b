"""The ``trace`` command: prints the calls of recordings, each with its origin, and why some were not judged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.recording.file_format import RecordingError, RecordingFile
from clconform.reports.call_formatting import ValueNames, format_steps
from clconform.reports.escaping import escape_unprintable
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.validation.printer import lost_calls
from clconform.validation.recording_judge import RecordingJudge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.validation.recording_judge import JudgedCall

_LONGEST_LINE = 2000


def print_calls(recordings: Sequence[str], pattern: str) -> int:
    """Print the calls of recordings in the order in which they returned; return the exit code.

    ``pattern``: a regular expression; only lines with a match are printed. CommandError for a pattern that is none, and
    for a file that is not a recording.
    """
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise CommandError(f"--grep {escape_unprintable(pattern)}: not a regular expression: {error}") from None
    is_complete = True
    for path in recordings:
        if len(recordings) > 1:
            print_text(f"{escape_unprintable(path)}:")
        damage = _print_recording(Path(path), wanted)
        if damage:
            is_complete = False
            print_text(escape_unprintable(damage, limit=_LONGEST_LINE))
    return exit_codes.AS_EXPECTED if is_complete else exit_codes.INCOMPLETE


def _print_recording(path: Path, wanted: re.Pattern[str]) -> str:
    """Print the calls of a recording that match, and return why it is incomplete; empty if it is complete."""
    tables = load()
    names = ValueNames(tables)
    first: list[int] = []

    def print_call(judged: JudgedCall) -> None:
        entered = judged.begun.entered
        first[:] = first or [entered.nanoseconds]
        (called,) = format_steps([judged.step], tables, names)
        seconds = (entered.nanoseconds - first[0]) / 1e9
        line = f"{judged.begun.number:>6}  {seconds:10.6f} s  thread {entered.thread}  {judged.site}  {called}"
        line += f"  [not judged: {judged.reason}]" if judged.reason else ""
        if wanted.search(line):
            print_text(escape_unprintable(line, limit=_LONGEST_LINE))

    try:
        recording = RecordingFile(path, tables)
        judge = RecordingJudge(tables, inherits=recording.is_of_child, observer=print_call)
        return lost_calls(judge.judge(recording, str(path)))
    except RecordingError as error:
        raise CommandError(str(error)) from None
