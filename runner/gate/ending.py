"""The end of a run: confirming and minimising, the reports, the exit code and the summary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from clconform.calls.journal import Confirmation, Deviation
from clconform.harness.shortages import shortage_in
from clconform.reports import (
    JournalError,
    JournalReader,
    ReportError,
    Result,
    assemble,
    format_call,
    print_summary,
    write_reports,
)
from clconform.reports.assembling import listed
from clconform.reports.driver_versions import driver_version
from clconform.reports.escaping import visible
from clconform.reports.operand_words import all_operands
from clconform.reports.wording import Names
from clconform.reports.writing import REPORTS
from clconform.runner.deviations.following import confirm_all, rounds_of
from clconform.runner.deviations.kills import crashes_among
from clconform.runner.gate import exit_codes
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from pathlib import Path

    from clconform.harness import Target
    from clconform.reports.packing import Packing
    from clconform.reports.reading import Journal
    from clconform.runner.deviations.ahead import Ahead
    from clconform.runner.gate.known import Known
    from clconform.runner.journal.writer import JournalWriter
    from clconform.runner.pytest_plugin.budget import Budget

MOST_MINIMISING, LEAST_MINIMISING, OF_THE_ITEMS = 60.0, 5.0, 0.1
"""How long minimising all sequences may take, beside repeating each: a part of the items' time, within limits.

Many processes run the items in a small part of the time of one, and minimising must not take longer than they do. Most
sequences are short after half a second.
"""


def confirm_and_minimise(
    journal: JournalWriter,
    reader: JournalReader,
    target: Target,
    *,
    device_index: int,
    processes: int = 1,
    seconds_each: float,
    items_seconds: float = math.inf,
    budget: Budget | None = None,
    once: bool = False,
    smoke: bool = False,
    known: Known | None = None,
    say: Callable[[str], object],
    confirmed: Callable[[str, int, int], object] | None = None,
    fail: Callable[[str, Exception], None] | None = None,
    ahead: Ahead | None = None,
) -> None:
    """Confirm and minimise each distinct deviation of a journal that has no finding yet, and append the findings.

    This goes on until the result lists no deviation that was not followed up.

    ``reader``: of the journal.
    ``processes``: how many follow deviations up. ``seconds_each``: the limit for minimising one sequence, less where
    there are many (``seconds_for_each``); in a ``smoke`` test each is repeated once, with no more calls than its last
    one needs where these show it. ``items_seconds``: how long the items took; ``budget``: what is left for all
    deviations. ``once``: repeat each one once, and keep no sequence. ``known``: what is not repeated. ``confirmed`` is
    called for each one with a line on it, how many are done, and of how many; else the line is said. ``fail`` and
    ``ahead``: as for ``confirm_all``.
    """
    for crash in crashes_among(reader.journal().killed, target, load(), device_index=device_index):
        journal.write(crash)
    written = reader.journal()
    tested = written.platform
    version = driver_version([tested.platform], tested.device) if tested else ""

    def end_of(line: Deviation) -> Confirmation | None:
        return known.not_repeated(line, version) if known is not None else None

    telling = _Telling(journal, confirmed or (lambda line, _done, _all: say(line)))
    followed = {key for key, confirmation in written.confirmations.items() if not confirmation.known}
    deviations = _left(written, followed)
    while True:
        keys = {line.key for line in deviations if end_of(line) is None}
        skipped = len({line.key for line in deviations} - keys)
        if skipped:
            say(f"clconform: known deviations, which are not repeated: {skipped}")
        if keys:
            say(f"clconform: {'repeating once' if once else 'confirming and minimising'} {len(keys)} deviations")
        telling.expect(keys)
        rounds = rounds_of(len(keys), processes)
        each = seconds_for_each(seconds_each, rounds, items_seconds, smoke=smoke)
        confirm_all(
            deviations,
            target,
            load(),
            device_index=device_index,
            processes=processes,
            seconds_each=each if budget is None else budget.share(rounds, each),
            once=once,
            tell=telling.tell,
            fail=fail,
            known=end_of,
            ahead=ahead,
        )
        followed.update(line.key for line in deviations)
        written, ahead = reader.journal(), None  # it has ended with what was followed up first
        deviations = _left(written, followed | written.confirmations.keys())
        if not deviations:
            return


def _left(journal: Journal, followed: Container[str]) -> list[Deviation]:
    """Return what is to be followed up: the deviations that the result would list, but for those that were.

    One of several records that others explained is listed after all where these turn out to be flaky or others.
    """
    keys = {deviation.key for deviation in listed(journal)}
    return [line for line in journal.deviations if line.key in keys and line.key not in followed]


def seconds_for_each(most: float, rounds: int, items_seconds: float, *, smoke: bool = False) -> float:
    """Return how long minimising one sequence may take, where ``rounds`` of them follow one another; 0 if ``smoke``."""
    return (
        0.0 if smoke else min(most, min(MOST_MINIMISING, max(LEAST_MINIMISING, OF_THE_ITEMS * items_seconds)) / rounds)
    )


class _Telling:
    """Writes what confirming finds into the journal, and says it with the number of deviations that are done."""

    def __init__(self, journal: JournalWriter, say: Callable[[str, int, int], object]) -> None:
        self._journal, self._say = journal, say
        self._keys: set[str] = set()
        self._done: set[str] = set()

    def expect(self, keys: Iterable[str]) -> None:
        """Count these deviations among those that are to be followed up."""
        self._keys.update(keys)

    def tell(self, line: Deviation | Confirmation) -> None:
        """Take the next line; what is known is only written."""
        self._journal.write(line)
        if isinstance(line, Deviation):
            self._keys.add(line.key)
            seen = "seen while confirming"
        elif line.known:
            return
        else:
            self._done.add(line.key)
            seen = line.verdict
        calls = f", {len(line.sequence)} calls" if line.sequence else ""
        words = f"  {visible(line.key, limit=120)}: {seen}{calls}"
        self._say(words, len(self._done), len(self._keys))


def remove_reports(out: Path) -> None:
    """Remove the reports of an earlier run, so that no stale reports are left next to an incomplete journal."""
    for name in REPORTS:
        (out / name).unlink(missing_ok=True)


def report(journal: JournalReader, out: Path, known: Known) -> tuple[Result | None, Exception | None]:
    """Write the reports of a journal into a folder; return the result, if there is one, and what went wrong."""
    result = None
    try:
        result = known.told_in(assemble(journal.journal(), load()))
        write_reports(result, out, load())
    except (JournalError, ReportError) as error:
        return result, error
    return result, None


def exit_codes_of(
    status: int, kinds: set[str], result: Result | None, error: Exception | None, known: Known
) -> Iterator[int]:
    """Yield the exit codes that apply to a run, from pytest's own, the kinds of failures, the result and its error.

    A shard's deviations do not count: the verdict is given on the merged result.
    """
    if "failure" in kinds:
        yield exit_codes.OUR_FAILURE
    if error is not None:
        yield (
            exit_codes.NO_RESOURCES if isinstance(error, ReportError) or shortage_in(error) else exit_codes.OUR_FAILURE
        )
    if result is not None and result.run.shard:
        yield exit_codes.INCOMPLETE if result.run.gaps else exit_codes.AS_EXPECTED
    elif result is not None:
        yield (result.gate or known.gate(result)).exit_code
    elif "deviation" in kinds:
        yield exit_codes.DEVIATIONS
    elif "lost" in kinds:
        yield exit_codes.INCOMPLETE
    if status == pytest.ExitCode.NO_TESTS_COLLECTED:
        if result is None or not (result.run.shard or result.run.items):
            yield exit_codes.NOTHING_SELECTED
    elif status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        yield exit_codes.BAD_USAGE if status == pytest.ExitCode.USAGE_ERROR else int(status)


def packed_journal(packing: Packing, journal: JournalWriter) -> str:
    """Put the packed journal in place of the one to which nothing was added, and return its name; else it stays."""
    try:
        return packing.finish().name
    except OSError:
        return journal.path.name


def summarize(result: Result, out: Path, reporter: Any, journal: str) -> None:
    """Print the summary of a run on the terminal; ``journal``: its name, if the reports are in the folder, too."""
    print_summary(result, load(), Console(), result_path=str(out / "result.json"))
    if result.run.shard:
        reporter.write_line(
            f"clconform: this is shard {result.run.shard}; use clconform merge for the verdict on all shards"
        )
    if journal:
        shown = visible(str(out / "report.html"))
        reporter.write_line(f"clconform: {shown} (also junit.xml, result.json and {journal})")


def describe(deviation: Deviation) -> str:
    """Return a few lines with what a driver did and what the documents allow."""
    tables = load()
    lines = [f"{' + '.join(deviation.records)}: {visible(deviation.observed, limit=300)}"]
    lines += [f"  because: {words}" for words in deviation.conditions.values() if words]
    names = Names(tables)
    operands = all_operands(deviation, tables, names)
    lines += [f"  where: {visible(operands, limit=300)}"] if operands else []
    lines.append(f"  allowed: {visible(', '.join(deviation.allowed), limit=300)}")
    call = format_call(deviation.sequence[-1].call, None, tables, names)
    lines.append(f"  call {len(deviation.sequence)} of the example: {call}")
    return "\n".join(lines)
