"""The ``rejudge`` command: judges the calls of full journals again and prints the changed verdicts in groups."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.reports import read_journal
from clconform.reports.escaping import visible
from clconform.reports.given_files import GivenFileError, converted, in_folder, read_text, toml_of
from clconform.reports.id_patterns import matches
from clconform.reports.reading import JournalError
from clconform.runner.gate import exit_codes
from clconform.runner.journal.every_call import CALLS
from clconform.runner.journal.rejudging import Rejudge, call_lines
from clconform.runner.journal.writer import JOURNAL
from clconform.spec_tables import load
from clconform.tools.choosing import choose_as
from clconform.tools.errors import CommandError
from clconform.tools.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.runner.journal.rejudging import Change

SHOWN_AT_MOST = 40
LONGEST = 2000


class Intended(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Intended changes: the patterns of all requirements that a change may concern, and the reason."""

    records: list[str]
    reason: str


class IntendedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of intended changes."""

    change: list[Intended] = []


class Kind(NamedTuple):
    """The common properties of a group of changes: function, changed parts of the verdict, requirements."""

    function: str
    parts: tuple[str, ...]
    records: tuple[str, ...]


def rejudge(given: Sequence[str], intended: str, *, verbose: bool) -> int:
    """Judge journals again; CommandError if one has no calls, JournalError if one cannot be read."""
    patterns = [pattern for each in _read(intended) for pattern in each.records] if intended else []
    code = exit_codes.AS_EXPECTED
    for name in given:
        path = in_folder(Path(name), JOURNAL)
        calls, changes = _changes(path)
        meant = [change for change in changes if all(any(matches(p, r) for p in patterns) for r in change.records)]
        others = [change for change in changes if change not in meant]
        say(f"{path}: {calls} calls: {len(others)} changed verdicts, {len(meant)} more as intended")
        for line in _told(others, verbose=verbose):
            say(line)
        if others:
            code = exit_codes.DEVIATIONS
    return code


def _changes(path: Path) -> tuple[int, list[Change]]:
    journal = read_journal(path)
    tested = journal.platform
    choose_as(journal.run.documents, journal.run.tables)
    if tested is None:
        raise CommandError(f"{path}: the run ended before it found a platform; run it again")
    judging, file = Rejudge(load(), tested), path.with_name(CALLS)
    try:
        found = [change for line in call_lines(file) for change in judging.take(line)]
        found += judging.close()
    except JournalError:
        raise
    except Exception as error:  # an untrusted file may contain a sequence that no run makes
        raise CommandError(
            f"{file}: call {judging.calls + 1} cannot be judged ({type(error).__name__}: {error}); the file does "
            "not come from a run of this version: run it again; otherwise, please report it"
        ) from error
    return judging.calls, found


def _told(changes: Sequence[Change], *, verbose: bool) -> Iterator[str]:
    kinds = Counter(Kind(change.line.call.function, change.parts, change.records) for change in changes)
    for kind, count in kinds.most_common(None if verbose else SHOWN_AT_MOST):
        first = next(
            change
            for change in changes
            if (change.line.call.function, change.parts, change.records) == (kind.function, kind.parts, kind.records)
        )
        yield f"  {count} x {kind.function}: {', '.join(kind.parts)} of {', '.join(kind.records)}"
        yield f"      in {first.line.item}, example {first.line.example} of {first.line.process}"
        if verbose:
            yield "      " + visible(msgspec.json.encode(first.line.call).decode(), limit=LONGEST)
        for part in kind.parts:
            yield "      " + visible(f"{part} before: {getattr(first.line.verdict, part)}", limit=LONGEST)
            yield "      " + visible(f"{part} now: {getattr(first.now, part)}", limit=LONGEST)
    if len(kinds) > SHOWN_AT_MOST and not verbose:
        yield f"  and {len(kinds) - SHOWN_AT_MOST} more kinds of change (--verbose lists all)"


def _read(path: str) -> list[Intended]:
    try:
        return converted(toml_of(read_text(Path(path))), IntendedFile).change
    except GivenFileError as error:
        raise CommandError(f"--intended {path}: not a list of intended changes: {error}") from None
