"""The ``rejudge`` command: judges all stored calls of runs again, and prints the changed verdicts in groups."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls import exit_codes
from clconform.reports import read_journal
from clconform.reports.escaping import escape_unprintable
from clconform.reports.id_patterns import matches_pattern
from clconform.reports.journal_reader import JournalError
from clconform.reports.untrusted_files import GivenFileError, convert_values, file_in_folder, parse_toml, read_text
from clconform.runner.journal.full_log import CALLS_FILE
from clconform.runner.journal.rejudging import Rejudger, read_call_lines
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.revision_option import select_as_in_result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.runner.journal.rejudging import ChangedVerdict

MAX_KINDS_SHOWN = 40
MAX_TEXT = 2000


class IntendedChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An intended change: the patterns of all requirements that it may concern, and the reason."""

    requirements: list[str]
    reason: str


class IntendedChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of a file of intended changes."""

    change: list[IntendedChange] = []


class ChangeKind(NamedTuple):
    """The properties that the changes of a group share: function, changed fields of the verdict, requirements."""

    function: str
    parts: tuple[str, ...]
    requirements: tuple[str, ...]


def rejudge_journals(journals: Sequence[str], intended: str, *, verbose: bool) -> int:
    """Judge the calls of runs again; return the exit code.

    CommandError if a journal has no stored calls, JournalError if a file cannot be read.
    """
    patterns = [pattern for each in _read_intended(intended) for pattern in each.requirements] if intended else []
    code = exit_codes.AS_EXPECTED
    for name in journals:
        path = file_in_folder(Path(name), JOURNAL_FILE)
        calls, changes = _rejudge_journal(path)
        meant = [
            change
            for change in changes
            if all(any(matches_pattern(p, r) for p in patterns) for r in change.requirements)
        ]
        others = [change for change in changes if change not in meant]
        print_text(f"{path}: {calls} calls: {len(others)} changed verdicts, {len(meant)} more as intended")
        for line in _change_lines(others, verbose=verbose):
            print_text(line)
        if others:
            code = exit_codes.DEVIATIONS
    return code


def _rejudge_journal(path: Path) -> tuple[int, list[ChangedVerdict]]:
    journal = read_journal(path)
    tested = journal.platform
    select_as_in_result(journal.run.documents, journal.run.tables)
    if tested is None:
        raise CommandError(f"{path}: the run ended before it found a platform; run it again")
    judging, file = Rejudger(load(), tested), path.with_name(CALLS_FILE)
    try:
        found = [change for line in read_call_lines(file) for change in judging.judge_line(line)]
        found += judging.judge_rest()
    except JournalError:
        raise
    except Exception as error:  # an untrusted file may contain a sequence that no run makes
        raise CommandError(
            f"{file}: call {judging.call_count + 1} cannot be judged ({type(error).__name__}: {error}); the file does "
            "not come from a run of this version: run it again; otherwise, please report it"
        ) from error
    return judging.call_count, found


def _change_lines(changes: Sequence[ChangedVerdict], *, verbose: bool) -> Iterator[str]:
    kinds = Counter(
        ChangeKind(change.line.call.function, change.changed_fields, change.requirements) for change in changes
    )
    for kind, count in kinds.most_common(None if verbose else MAX_KINDS_SHOWN):
        first = next(
            change
            for change in changes
            if (change.line.call.function, change.changed_fields, change.requirements)
            == (kind.function, kind.parts, kind.requirements)
        )
        yield f"  {count} x {kind.function}: {', '.join(kind.parts)} of {', '.join(kind.requirements)}"
        yield f"      in {first.line.item}, example {first.line.example} of {first.line.process}"
        if verbose:
            yield "      " + escape_unprintable(msgspec.json.encode(first.line.call).decode(), limit=MAX_TEXT)
        for part in kind.parts:
            yield "      " + escape_unprintable(f"{part} before: {getattr(first.line.verdict, part)}", limit=MAX_TEXT)
            yield "      " + escape_unprintable(f"{part} now: {getattr(first.new_verdict, part)}", limit=MAX_TEXT)
    if len(kinds) > MAX_KINDS_SHOWN and not verbose:
        yield f"  and {len(kinds) - MAX_KINDS_SHOWN} more kinds of change (--verbose lists all)"


def _read_intended(path: str) -> list[IntendedChange]:
    try:
        return convert_values(parse_toml(read_text(Path(path))), IntendedChanges).change
    except GivenFileError as error:
        raise CommandError(f"--intended {path}: not a list of intended changes: {error}") from None
