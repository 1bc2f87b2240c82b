"""The ``merge`` command: merges the parts of a run."""

from __future__ import annotations

import shlex
from os.path import realpath  # unlike pathlib's resolve, it does not fail on a circle of links
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from clconform.reports import JournalReader, print_summary, read_journal
from clconform.reports.given_files import in_folder
from clconform.reports.packing import Packing, packed_name
from clconform.runner.gate import exit_codes
from clconform.runner.gate.ending import confirm_and_minimise, packed_journal, report
from clconform.runner.gate.known import Known
from clconform.runner.journal.merging import merged
from clconform.runner.journal.resuming import OtherRunError
from clconform.runner.journal.writer import JOURNAL, JournalWriter
from clconform.spec_tables import load
from clconform.tools.choosing import choose_as
from clconform.tools.errors import CommandError
from clconform.tools.saying import say
from clconform.tools.targets import stored

if TYPE_CHECKING:
    from clconform.calls.journal import Line, RunEnd


def merge(journals: tuple[str, ...], out: str, known: str, minimise_seconds: float) -> int:
    """Write the merged journal and its reports; return the exit code of the whole run."""
    entries = Known.read(known)
    paths = [in_folder(Path(given), JOURNAL) for given in journals]
    folder = Path(out)
    own = {realpath(folder / JOURNAL), realpath(packed_name(folder / JOURNAL))}
    if any(realpath(path) in own for path in paths):
        raise CommandError(f"--out {out}: contains the journal of one of the parts; choose another folder")
    lines, end = parts_of(paths)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        journal = JournalWriter(folder / JOURNAL, keep=0)
        packed_name(folder / JOURNAL).unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"--out {out}: cannot write ({error.strerror}); choose another folder") from None
    for line in lines:
        journal.write(line)
    reader = JournalReader(folder / JOURNAL)
    whole = reader.journal().run
    choose_as(whole.documents, whole.tables)
    target = stored(whole.target, whole.device).target()
    packing = Packing(journal.path)
    confirm_and_minimise(
        journal, reader, target, device_index=whole.device, seconds_each=minimise_seconds, known=entries, say=say
    )
    journal.write(end)
    result, problem = report(reader, folder, entries)
    if problem is None:
        packed_journal(packing, journal)
    else:
        packing.abandon()
    journal.close()
    if result is not None:
        print_summary(result, load(), Console(), result_path=shlex.quote(str(folder / "result.json")))
    if result is None or problem is not None:
        raise problem or AssertionError("there is a result, or a reason why not")
    say(f"clconform: merged {len(paths)} parts into {folder / 'report.html'} (also junit.xml and result.json)")
    if not result.run.items:
        return exit_codes.NOTHING_SELECTED
    return (result.gate or entries.gate(result)).exit_code


def parts_of(paths: list[Path]) -> tuple[list[Line], RunEnd]:
    """Return all lines of the whole run but the last, and the last; CommandError if the journals are not its parts."""
    _refuse_twice(paths)
    try:
        return merged({str(path): read_journal(path) for path in paths})
    except OtherRunError as error:
        raise CommandError(str(error)) from None


def _refuse_twice(paths: list[Path]) -> None:
    """Check that no file is given twice, by any path (``merged`` detects copies); CommandError otherwise."""
    given: dict[str, Path] = {}
    for path in paths:
        real = realpath(path)
        if real in given:
            also = f", also as {given[real]}" if given[real] != path else ""
            raise CommandError(f"{path}: this part is given twice{also}; give each part once")
        given[real] = path
