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
from clconform.validation.finding_text import stack_lines
from clconform.validation.printer import lost_calls
from clconform.validation.recording_judge import RecordingJudge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.validation.recording_judge import JudgedCall

_LONGEST_LINE = 2000


def print_calls(recordings: Sequence[str], pattern: str, my_code: Sequence[str] = (), *, stacks: bool = False) -> int:
    """Print the calls of recordings in the order in which they returned; return the exit code.

    ``pattern``: a regular expression; only lines with a match are printed. ``my_code``: patterns of the code in which
    calls have their places. ``stacks``: print the call stack after each call. CommandError for a pattern that is none,
    and for a file that is not a recording.
    """
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise CommandError(f"--grep {escape_unprintable(pattern)}: not a regular expression: {error}") from None
    is_complete = True
    for path in recordings:
        if len(recordings) > 1:
            print_text(f"{escape_unprintable(path)}:")
        damage = _print_recording(Path(path), wanted, my_code, stacks=stacks)
        if damage:
            is_complete = False
            print_text(escape_unprintable(damage, limit=_LONGEST_LINE))
    return exit_codes.AS_EXPECTED if is_complete else exit_codes.INCOMPLETE


def _print_recording(path: Path, wanted: re.Pattern[str], my_code: Sequence[str], *, stacks: bool) -> str:
    """Print the calls of a recording that match, and return why it is incomplete; empty if it is complete."""
    tables = load()
    names = ValueNames(tables)
    first: list[int] = []

    def print_call(judged: JudgedCall) -> None:
        entered = judged.begun.entered
        first[:] = first or [entered.nanoseconds]
        (called,) = format_steps([judged.step], tables, names)
        seconds = (entered.nanoseconds - first[0]) / 1e9
        site = judged.sites.site_of(judged.begun)
        line = f"{judged.begun.number:>6}  {seconds:10.6f} s  thread {entered.thread}  {site}  {called}"
        line += f"  [not judged: {judged.reason}]" if judged.reason else ""
        if not wanted.search(line):
            return
        frames = stack_lines(judged.sites.stack_of(judged.begun)) if stacks else []
        for text in (line, *(f"{'':8}from {frame}" for frame in frames)):
            print_text(escape_unprintable(text, limit=_LONGEST_LINE))

    try:
        recording = RecordingFile(path, tables)
        judge = RecordingJudge(
            tables,
            pointer_bytes=recording.pointer_bytes,
            through_loader=recording.through_loader,
            inherits=recording.is_of_child,
            observer=print_call,
            my_code=my_code,
        )
        return lost_calls(judge.judge(recording, str(path)))
    except RecordingError as error:
        raise CommandError(str(error)) from None
