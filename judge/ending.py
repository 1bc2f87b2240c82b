"""The end of a run: the second pass, the reports, the exit code and the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from clconform.calls.journal import Deviation, Finding
from clconform.judge import exit_codes
from clconform.judge.second_pass import find_all
from clconform.reports import (
    JournalError,
    ReportError,
    Result,
    format_call,
    print_summary,
    read_journal,
    result_of,
    write_reports,
)
from clconform.reports.escaping import visible
from clconform.reports.grouping import unexplained
from clconform.spec_tables import load

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.judge.journal import JournalWriter
    from clconform.judge.known import Known
    from clconform.judge.session import Session

JOURNAL = "journal.jsonl"


def second_pass(journal: JournalWriter, session: Session, options: Any, reporter: Any) -> None:
    """Repeat and shorten each distinct deviation of a journal, and append what comes of it.

    ``options``: pytest's; ``reporter``: its terminal reporter, or None.
    """
    deviations = unexplained(read_journal(journal.path).deviations)
    keys = {deviation.key for deviation in deviations}
    if reporter is not None and keys:
        reporter.ensure_newline()
        reporter.write_line(f"clconform: repeating and shortening {len(keys)} deviations")

    def tell(line: Deviation | Finding) -> None:
        journal.write(line)
        if reporter is not None:
            seen = "seen while repeating" if isinstance(line, Deviation) else line.verdict
            reporter.write_line(f"  {visible(line.key, limit=120)}: {seen}, {len(line.sequence)} calls")

    find_all(
        deviations,
        session.target,
        session.tables,
        device_index=options.cl_device,
        seconds_each=options.cl_shrink_seconds,
        tell=tell,
    )


def report(out: Path, known: Known) -> Result | JournalError | ReportError:
    """Write the reports of a folder's journal; what keeps them from being written is returned, not raised."""
    try:
        result = known.told_in(result_of(out / JOURNAL))
        write_reports(result, out, load())
    except (JournalError, ReportError) as error:
        return error
    return result


def exit_code(status: int, kinds: set[str], result: Result | Exception | None, known: Known) -> int:
    """Return a run's exit code from pytest's own, the kinds of failures seen, and the result, where there is one."""
    if status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        codes = [exit_codes.AS_EXPECTED]
        if "failure" in kinds or isinstance(result, Exception):
            codes.append(exit_codes.OUR_FAILURE)
        if isinstance(result, Result):
            codes.append((result.gate or known.gate(result)).exit_code)
        elif "deviation" in kinds:
            codes.append(exit_codes.DEVIATIONS)
        return max(codes)
    if status == pytest.ExitCode.NO_TESTS_COLLECTED:
        return exit_codes.NOTHING_SELECTED
    return int(status)


def summarize(result: Result | Exception, out: Path, reporter: Any) -> None:
    """Print the summary of a run on the terminal."""
    if isinstance(result, Exception):
        reporter.write_line(f"clconform: {result}")
        return
    print_summary(result, load(), Console(), result_path=str(out / "result.json"))
    reporter.write_line(f"clconform: {out / 'report.html'}, junit.xml, result.json and {JOURNAL} beside it")


def describe(deviation: Deviation) -> str:
    """Say in a few lines what a driver did and what the documents allow."""
    lines = [f"{' + '.join(deviation.records)}: {visible(deviation.observed, limit=300)}"]
    lines += [f"  because: {words}" for words in deviation.why.values() if words]
    lines.append(f"  allowed: {visible(', '.join(deviation.allowed), limit=300)}")
    call = format_call(deviation.sequence[-1].call, None, load())
    lines.append(f"  call {len(deviation.sequence)} of the example: {call}")
    return "\n".join(lines)
