"""Finishes a run: confirms and minimises deviations, writes the reports, and determines the exit code."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from clconform.calls import exit_codes
from clconform.calls.journal import Confirmation, Deviation
from clconform.harness.host_shortages import find_shortage
from clconform.reports import (
    JournalError,
    JournalReader,
    ReportError,
    RunResult,
    assemble_result,
    format_call,
    print_summary,
    write_reports,
)
from clconform.reports.call_formatting import ValueNames
from clconform.reports.driver_versions import driver_version
from clconform.reports.escaping import escape_unprintable
from clconform.reports.operand_text import all_operands
from clconform.reports.result_builder import listed_deviations
from clconform.reports.result_verdict import verdict_of
from clconform.reports.writer import REPORTS
from clconform.runner.deviations.confirmation_steps import INTERNAL_ERROR_NOTE
from clconform.runner.deviations.parallel_confirmation import (
    ConfirmationCallbacks,
    Confirmers,
    confirm_all,
    count_rounds,
)
from clconform.runner.deviations.repeated_kills import find_repeated_kills
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from pathlib import Path

    from clconform.reports.compression import JournalPacking
    from clconform.reports.journal_reader import JournalContents
    from clconform.runner.gate.known_entries import KnownDeviations
    from clconform.runner.journal.writer import JournalWriter
    from clconform.runner.pytest_plugin.time_budget import RunBudget

MAX_MINIMISING_SECONDS, MIN_MINIMISING_SECONDS, ITEMS_SHARE = 60.0, 5.0, 0.1
"""Maximum and minimum seconds for minimising all sequences, and these seconds as a share of the time of the items.

In a run with many processes, items take little time, and minimising must not dominate the run. Most sequences are short
after half a second of minimising."""

MAX_UNPROVED = 3
"""Maximum number of deviations in a row that stay unconfirmed although each is repeated alone."""


@dataclass(frozen=True)
class ConfirmationLimits:
    """The deviations that are repeated at the end of a run, and the time for them.

    ``seconds_each``: maximum seconds for minimising one sequence; less if there are many deviations
    (``minimising_seconds``). ``items_seconds``: duration of the items. ``budget``: remaining time for all deviations.
    ``once``: repeat each deviation once, and store no sequence. ``smoke``: repeat each deviation once, if possible with
    only the calls that its last call needs. ``known``: known deviations, which are not repeated.
    """

    seconds_each: float
    items_seconds: float = math.inf
    budget: RunBudget | None = None
    once: bool = False
    smoke: bool = False
    known: KnownDeviations | None = None

    def seconds_for(self, rounds: int) -> float | None:
        """Return the seconds for one sequence in ``rounds`` consecutive rounds, as for ``confirm_all``."""
        if self.once:
            return None
        each = minimising_seconds(self.seconds_each, rounds, self.items_seconds, smoke=self.smoke)
        return each if self.budget is None else self.budget.share_of(rounds, each)


@dataclass(frozen=True)
class ConfirmationProgress:
    """The functions that print the progress at the end of a run.

    ``say`` prints a line. ``confirmed`` is called for each deviation with a line of text, the number of finished
    deviations, and their total; by default, ``say`` prints the line. ``fail``: as for ``ConfirmationCallbacks``.
    """

    say: Callable[[str], object]
    confirmed: Callable[[str, int, int], object] | None = None
    fail: Callable[[str, Exception], None] | None = None


def confirm_and_minimise(
    journal: JournalWriter,
    reader: JournalReader,
    confirmers: Confirmers,
    limits: ConfirmationLimits,
    progress: ConfirmationProgress,
) -> None:
    """Confirm and minimise each distinct unconfirmed deviation of a journal, and append the confirmations.

    This repeats until each deviation that the result lists is processed. ``reader``: reads the journal.
    """
    settings, known, say = confirmers.settings, limits.known, progress.say
    for crash in find_repeated_kills(
        reader.journal().killed, settings.target, load(), device_index=settings.device_index
    ):
        journal.write(crash)
    written = reader.journal()
    tested = written.platform
    version = driver_version([tested.platform], tested.device) if tested else ""

    def end_of(line: Deviation) -> Confirmation | None:
        return known.find_known_confirmation(line, version) if known is not None else None

    telling = _ConfirmationReporter(journal, progress.confirmed or (lambda line, _done, _all: say(line)))
    callbacks = ConfirmationCallbacks(telling.report, progress.fail, end_of)
    followed = {
        key
        for key, confirmation in written.confirmations.items()
        if not confirmation.known and confirmation.verdict != "unconfirmed"  # a resumed run repeats the latter
    }
    deviations, are_alone = _unprocessed_deviations(written, followed), False
    while True:
        keys = {line.key for line in deviations if end_of(line) is None}
        skipped = len({line.key for line in deviations} - keys)
        if skipped:
            say(f"clconform: known deviations, not repeated: {skipped}")
        if keys:
            say(f"clconform: {'repeating once' if limits.once else 'confirming and minimising'} {len(keys)} deviations")
        telling.add_to_total(keys)
        seconds = limits.seconds_for(count_rounds(len(keys), settings.processes))
        confirm_all(deviations, confirmers, seconds=seconds, callbacks=callbacks)
        followed.update(line.key for line in deviations)
        written, confirmers = reader.journal(), Confirmers(settings)  # the early confirmations have ended
        deviations = _unprocessed_deviations(written, followed | written.confirmations.keys())
        if not deviations and not are_alone:
            _confirm_alone(reader, confirmers, limits, callbacks)
            written, are_alone = reader.journal(), True
            deviations = _unprocessed_deviations(written, followed | written.confirmations.keys())
        if not deviations:
            return


def _confirm_alone(
    reader: JournalReader, confirmers: Confirmers, limits: ConfirmationLimits, callbacks: ConfirmationCallbacks
) -> None:
    """Confirm the unconfirmed deviations again, one after another: some devices can be used by one process only.

    After ``MAX_UNPROVED`` deviations in a row that stay unconfirmed, the other deviations are not repeated again.
    """
    written = reader.journal()
    lines: dict[str, list[Deviation]] = {}
    for line in written.deviations:
        confirmation = written.confirmations.get(line.key)
        if confirmation is not None and _may_repeat_alone(confirmation):
            lines.setdefault(line.key, []).append(line)
    alone = Confirmers(replace(confirmers.settings, processes=1))
    seconds, unproved = limits.seconds_for(len(lines)) if lines else None, 0
    for of_key in lines.values():
        confirmations = confirm_all(of_key, alone, seconds=seconds, callbacks=callbacks)
        unproved = unproved + 1 if confirmations[0].verdict == "unconfirmed" else 0
        if unproved == MAX_UNPROVED:
            return


def _may_repeat_alone(confirmation: Confirmation) -> bool:
    return confirmation.verdict == "unconfirmed" and not confirmation.note.startswith(INTERNAL_ERROR_NOTE)


def _unprocessed_deviations(journal: JournalContents, processed: Container[str]) -> list[Deviation]:
    """Return the deviations of the journal that the result would list and that are not yet processed.

    The result lists a deviation of several requirements if deviations of the single requirements do not explain it.
    When one of the explaining deviations turns out to be flaky, the result may list further deviations.
    """
    keys = {deviation.key for deviation in listed_deviations(journal)}
    return [line for line in journal.deviations if line.key in keys and line.key not in processed]


def leave_unconfirmed(journal: JournalWriter, reader: JournalReader, known: KnownDeviations, device_lost: str) -> None:
    """Append a confirmation for each deviation without one, which states that it was not repeated.

    A known deviation keeps its verdict. ``device_lost``: why the driver no longer works.
    """
    written = reader.journal()
    version = driver_version([written.platform.platform], written.platform.device) if written.platform else ""
    note = f"not repeated: the device was lost: {device_lost}"
    for line in {line.key: line for line in written.deviations if line.key not in written.confirmations}.values():
        journal.write(
            known.find_known_confirmation(line, version) or Confirmation(line.key, "unconfirmed", 0, 0, [], note=note)
        )


def minimising_seconds(most: float, rounds: int, items_seconds: float, *, smoke: bool = False) -> float:
    """Return the seconds for minimising one sequence in ``rounds`` consecutive rounds; 0 in a smoke test."""
    return (
        0.0
        if smoke
        else min(most, min(MAX_MINIMISING_SECONDS, max(MIN_MINIMISING_SECONDS, ITEMS_SHARE * items_seconds)) / rounds)
    )


class _ConfirmationReporter:
    """Writes confirmations and new deviations to the journal, and reports progress."""

    def __init__(self, journal: JournalWriter, say: Callable[[str, int, int], object]) -> None:
        self._journal, self._say = journal, say
        self._keys: set[str] = set()
        self._done: set[str] = set()

    def add_to_total(self, keys: Iterable[str]) -> None:
        """Add deviations to the total number of deviations to confirm."""
        self._keys.update(keys)

    def report(self, line: Deviation | Confirmation) -> None:
        """Write a new deviation or a confirmation to the journal, and report it unless the deviation is known."""
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
        words = f"  {escape_unprintable(line.key, limit=120)}: {seen}{calls}"
        self._say(words, len(self._done), len(self._keys))


def remove_reports(out: Path) -> None:
    """Remove the reports of an earlier run, so that the folder never contains a new journal with old reports."""
    for name in REPORTS:
        (out / name).unlink(missing_ok=True)


def write_run_reports(
    journal: JournalReader, out: Path, known: KnownDeviations
) -> tuple[RunResult | None, Exception | None]:
    """Write the reports of a journal into a folder; return the result or None, and the error or None."""
    result = None
    try:
        result = known.add_verdict(assemble_result(journal.journal(), load()))
        write_reports(result, out, load())
    except (JournalError, ReportError) as error:
        return result, error
    return result, None


def applicable_exit_codes(
    status: int, kinds: set[str], result: RunResult | None, error: Exception | None
) -> Iterator[int]:
    """Yield all exit codes that apply to a run.

    ``status``: pytest's exit code. ``kinds``: the kinds of failures in the items' reports. ``error``: why the reports
    could not be written. Deviations in a shard do not count, because the verdict refers to the merged result.
    """
    if "failure" in kinds:
        yield exit_codes.INTERNAL_ERROR
    if error is not None:
        yield (
            exit_codes.NO_RESOURCES
            if isinstance(error, ReportError) or find_shortage(error)
            else exit_codes.INTERNAL_ERROR
        )
    if result is not None and result.run.shard:
        yield exit_codes.INCOMPLETE if result.run.gaps else exit_codes.AS_EXPECTED
    elif result is not None:
        yield verdict_of(result).exit_code
    elif "deviation" in kinds:
        yield exit_codes.DEVIATIONS
    elif "lost" in kinds:
        yield exit_codes.INCOMPLETE
    if status == pytest.ExitCode.NO_TESTS_COLLECTED:
        if result is None or not (result.run.shard or result.run.items):
            yield exit_codes.NOTHING_SELECTED
    elif status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        yield exit_codes.BAD_USAGE if status == pytest.ExitCode.USAGE_ERROR else int(status)


def replace_by_packed(packing: JournalPacking, journal: JournalWriter) -> str:
    """Replace the journal by its compressed copy, and return the file name; if that fails, keep the journal."""
    try:
        return packing.finish().name
    except OSError:
        return journal.path.name


def print_run_summary(result: RunResult, out: Path, reporter: Any, journal: str, *, verbose: bool) -> None:
    """Print the summary of a run on the terminal.

    ``journal``: the file name of the journal; empty if the reports were not written. ``verbose``: print all deviations
    with their calls.
    """
    print_summary(result, load(), Console(), result_path=str(out / "result.json"), verbose=verbose)
    if result.run.shard:
        reporter.write_line(
            f"clconform: this is shard {result.run.shard}; use clconform merge for the verdict on all shards"
        )
    if journal:
        shown = escape_unprintable(str(out / "report.html"))
        reporter.write_line(f"clconform: {shown} (also junit.xml, result.json and {journal})")


def describe_deviation(deviation: Deviation) -> str:
    """Return a few lines on a deviation: observed result, condition, allowed results, and call."""
    tables = load()
    lines = [f"{' + '.join(deviation.requirements)}: {escape_unprintable(deviation.observed, limit=300)}"]
    lines += [f"  because: {words}" for words in deviation.conditions.values() if words]
    names = ValueNames(tables)
    operands = all_operands(deviation, tables, names)
    lines += [f"  where: {escape_unprintable(operands, limit=300)}"] if operands else []
    lines.append(f"  allowed: {escape_unprintable(', '.join(deviation.allowed), limit=300)}")
    call = format_call(deviation.sequence[-1].call, None, tables, names)
    lines.append(f"  call {len(deviation.sequence)} of the example: {call}")
    return "\n".join(lines)
