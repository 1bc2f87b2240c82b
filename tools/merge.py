"""The ``merge`` command: merges the parts of a run."""

from __future__ import annotations

import shlex
from os.path import realpath  # unlike pathlib's resolve, it does not fail on a circle of links
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from clconform.reports import JournalReader, ResultError, assemble_result, print_summary, read_journal
from clconform.reports.compression import JournalPacking, packed_path
from clconform.reports.result_consistency import require_no_contradictions
from clconform.reports.result_verdict import verdict_of
from clconform.reports.untrusted_files import file_in_folder
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.parallel_confirmation import Confirmers
from clconform.runner.gate.finish import (
    ConfirmationLimits,
    ConfirmationProgress,
    confirm_and_minimise,
    replace_by_packed,
    write_run_reports,
)
from clconform.runner.gate.known_entries import KnownDeviations
from clconform.runner.journal.merging import merge_journals
from clconform.runner.journal.resuming import RunMismatchError
from clconform.runner.journal.writer import JOURNAL_FILE, JournalWriter
from clconform.spec_tables import load
from clconform.tools.driver_options import parse_stored_target
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text
from clconform.tools.revision_option import select_as_in_result

if TYPE_CHECKING:
    from clconform.calls.journal import RunEnd
    from clconform.calls.line_kinds import JournalLine


def merge_results(journals: tuple[str, ...], out: str, known: str, minimise_seconds: float) -> int:
    """Write the merged journal and its reports; return the exit code for the whole run."""
    entries = KnownDeviations.read(known)
    paths = [file_in_folder(Path(given), JOURNAL_FILE) for given in journals]
    folder = Path(out)
    own = {realpath(folder / JOURNAL_FILE), realpath(packed_path(folder / JOURNAL_FILE))}
    if any(realpath(path) in own for path in paths):
        raise CommandError(f"--out {out}: contains the journal of one of the parts; choose another folder")
    lines, end = merge_lines(paths)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        journal = JournalWriter(folder / JOURNAL_FILE, keep=0)
        packed_path(folder / JOURNAL_FILE).unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"--out {out}: cannot write ({error.strerror}); choose another folder") from None
    for line in lines:
        journal.write(line)
    reader = JournalReader(folder / JOURNAL_FILE)
    whole = reader.journal().run
    select_as_in_result(whole.documents, whole.tables)
    try:
        merged = assemble_result(reader.journal(), load())
        require_no_contradictions(merged.run.contradictions, Path(", ".join(journals)))
    except ResultError:
        journal.close()
        journal.path.unlink()
        raise
    target = parse_stored_target(whole.target, whole.device).target()
    packing = JournalPacking(journal.path)
    confirm_and_minimise(
        journal,
        reader,
        Confirmers(ConfirmationSettings(target, whole.device)),
        ConfirmationLimits(minimise_seconds, known=entries),
        ConfirmationProgress(print_text),
    )
    journal.write(end)
    result, problem = write_run_reports(reader, folder, entries)
    if problem is None:
        replace_by_packed(packing, journal)
    else:
        packing.abandon()
    journal.close()
    if result is not None:
        print_summary(result, load(), Console(), result_path=shlex.quote(str(folder / "result.json")))
    if result is None or problem is not None:
        raise problem or AssertionError("there is a result, or a reason why not")
    print_text(f"clconform: merged {len(paths)} parts into {folder / 'report.html'} (also junit.xml and result.json)")
    return verdict_of(result).exit_code


def merge_lines(paths: list[Path]) -> tuple[list[JournalLine], RunEnd]:
    """Return the lines of the merged journal except the last, and separately the last line.

    CommandError if the parts do not match.
    """
    _check_unique(paths)
    try:
        return merge_journals({str(path): read_journal(path) for path in paths})
    except RunMismatchError as error:
        raise CommandError(str(error)) from None


def _check_unique(paths: list[Path]) -> None:
    """Raise CommandError if the same file is named twice, by any path; ``merge_journals`` detects copies."""
    given: dict[str, Path] = {}
    for path in paths:
        real = realpath(path)
        if real in given:
            also = f", also as {given[real]}" if given[real] != path else ""
            raise CommandError(f"{path}: this part is given twice{also}; give each part once")
        given[real] = path
