"""Runs the suites in one process: owns the session and the journal of the process, and records its items."""

from __future__ import annotations

import contextlib
import gc
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis.errors import FlakyReplay, FlakyStrategyDefinition

from clconform.calls.journal import BUDGET_SPENT, Resumed, RunEnd, Selection
from clconform.harness import HarnessError, StartError
from clconform.harness.gc_tuning import raise_gc_threshold
from clconform.harness.host_shortages import find_shortage
from clconform.harness.sandbox import die_with_parent
from clconform.reports import JournalReader
from clconform.reports.compression import JournalPacking, packed_path
from clconform.reports.driver_versions import driver_version
from clconform.reports.escaping import escape_unprintable
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.early_confirmation import EarlyConfirmation
from clconform.runner.deviations.parallel_confirmation import Confirmers, count_rounds
from clconform.runner.deviations.startup_failures import confirm_start, create_start_deviation
from clconform.runner.gate import exit_codes, finish
from clconform.runner.gate.known_entries import read_known_option
from clconform.runner.journal.full_log import CALLS_FILE, FullLog
from clconform.runner.journal.header import create_header, create_platform_lines, utc_now
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.resuming import RunMismatchError
from clconform.runner.journal.writer import JOURNAL_FILE, JournalWriteError, JournalWriter
from clconform.runner.pytest_plugin import tiers
from clconform.runner.pytest_plugin.covers import TableCase
from clconform.runner.pytest_plugin.item_selection import is_random, item_id, requirements_of
from clconform.runner.pytest_plugin.progress import PROGRESS_PLUGIN as PROGRESS
from clconform.runner.pytest_plugin.progress import end_line
from clconform.runner.pytest_plugin.run_plan import START_ERROR_KEY
from clconform.runner.pytest_plugin.target_option import target_from_options
from clconform.runner.session.errors import DeviationError, ExpectedDeviationError
from clconform.runner.session.examples import item_seed
from clconform.runner.session.self_limits import SelfLimits
from clconform.runner.session.session import Session
from clconform.spec_tables import TablesError, load

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager

    from clconform.calls.line_kinds import JournalLine
    from clconform.harness import Target
    from clconform.reports import RunResult
    from clconform.runner.gate.stop_signals import StopRequest
    from clconform.runner.pytest_plugin.item_selection import ItemSelection
    from clconform.runner.pytest_plugin.run_plan import RunPlan
    from clconform.spec_tables import Tables

EMPTY_CASE = TableCase("", "", lambda _session: None)
"""Stands for the case of an item that has no case."""


MAX_SMOKE_TEST_ENDS = 3
"""Maximum number of driver processes that calls for one requirement may end in a smoke test, as restarts are slow."""
MAX_FAILED_STARTS = 3
"""After this number of consecutive items in which the driver did not start, no further items are started."""


UNREPRODUCIBLE_DRAWS = "the driver returned different results for the same calls, so no further examples could be drawn"
"""Why a random item ends early if its next call depends on earlier results."""


class IncompleteItemError(Exception):
    """An item could not be completed, for a reason outside the item; the message is the reason."""


class SuiteRun:
    """The state of a run from the first item to the last report.

    ``has_header``: the journal contains its first line. ``stop_reason``: why items are no longer started, as one line,
    or empty. ``is_resource_shortage``: ``stop_reason`` is a lack of resources on this machine. ``error``: why the
    reports could not be written.
    """

    def __init__(self, config: pytest.Config, plan: RunPlan) -> None:
        self.config, self.plan = config, plan
        self.options = config.option
        self.is_worker = hasattr(config, "workerinput")
        if self.is_worker:
            die_with_parent()
        self._session: Session | None = None
        self._recorder = Recorder(None)
        self._journal: JournalWriter | None = None
        self._reader: JournalReader | None = None
        self._full_log: FullLog | None = None
        self._item: pytest.Item | None = None
        self.is_item_started = False
        self._outcome = "passed"
        self._reason = ""
        self._skipped = ""
        self._started_at = time.monotonic()
        self._item_started = 0.0
        self._result: RunResult | None = None
        self._journal_name = JOURNAL_FILE
        self.error: Exception | None = None
        self.has_header = False
        self.stop_reason = ""
        self.is_resource_shortage = False
        self._failed_starts = 0
        self._selected_by_workers = -1
        self._known = read_known_option(self.options)
        self._selection: Selection | None = None
        self._unreached: list[tuple[str, ...]] = []
        self._early: EarlyConfirmation | None = None

    # the session and the journal

    @property
    def session(self) -> Session:
        """Return the session with the driver under test; start it on first use."""
        if self._session is None:
            self.open_run()
        if self._session is None:
            raise AssertionError("open() creates a session or raises")
        return self._session

    def open_run(self) -> None:
        """Start the driver and open the journal; if one of them fails, end the run with a message and an exit code."""
        if self._session is not None:
            return
        try:
            target = target_from_options(self.options)
            tables = load()
            if self.options.cl_out:
                self._open_journal()
            self._recorder = Recorder(None, self._full_log)
            self._session = self._start_session(target, tables)
        except StartError as error:
            self._record_failed_start(error, target, tables)
            return
        except HarnessError as error:
            self._end_before_items(
                str(error), exit_codes.NO_RESOURCES if find_shortage(error) else exit_codes.NO_SUCH_PLATFORM
            )
            return
        except TablesError as error:
            pytest.exit(f"clconform: {error}", returncode=exit_codes.INTERNAL_ERROR)
        self._session.process_ends.known_to_hang = self._known.known_hangs(self._session)
        gc.freeze()  # tables, rules and items are most objects, and are never freed: exclude them from collections
        raise_gc_threshold()
        self._recorder.journal = self._journal
        for failure in self.session.fact_queries.failures[:1]:
            self._report_internal_error("the first queries", failure)
        if self._journal is not None and not self.is_worker:
            try:
                self._write_opening(self._journal, target)
            except RunMismatchError as error:
                self._journal = None
                pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)
            except JournalWriteError as error:
                self.stop_reason = str(error)
                pytest.exit(f"clconform: {error}", returncode=exit_codes.NO_RESOURCES)
            self._start_early_confirmation(target, self._session)

    def _start_early_confirmation(self, target: Target, session: Session) -> None:
        """Start to confirm deviations while items run, if the run has several processes."""
        processes = getattr(self.options, "numprocesses", None) or 1
        limited = self.plan.budget is not None or self.plan.earlier is not None or self.options.cl_quick
        if processes == 1 or limited or self._reader is None:
            return
        version = driver_version(session.reached.platforms, session.base.device)
        self._early = EarlyConfirmation(
            self._reader,
            self._confirmation_settings(target),
            from_start=self.options.cl_tier == tiers.SMOKE,
            seconds_each=lambda deviations: self._minimising_seconds(count_rounds(deviations, processes)),
            known=lambda line: self._known.find_known_confirmation(line, version),
        )

    def _confirmation_settings(self, target: Target) -> ConfirmationSettings:
        processes = getattr(self.options, "numprocesses", None) or 1
        return ConfirmationSettings(target, self.options.cl_device, processes)

    def _minimising_seconds(self, rounds: int) -> float:
        """Return the seconds for minimising one sequence, based on the time of the items so far."""
        return finish.minimising_seconds(
            self.options.cl_minimise_seconds,
            rounds,
            time.monotonic() - self._started_at,
            smoke=self.options.cl_tier == tiers.SMOKE,
        )

    def _start_session(self, target: Target, tables: Tables) -> Session:
        """Start a session; StartError also if the command failed to start the driver before pytest started."""
        seen = self.config.stash.get(START_ERROR_KEY, None)
        if seen is not None:
            raise seen
        session = Session(
            target,
            tables,
            self._recorder,
            device_index=self.options.cl_device,
            robustness=self.options.robustness,
            keeps_contexts="unless-deviating" if self.options.cl_journal != "full" else "never",
            own_work=SelfLimits(self.options.cl_own_seconds),
        )
        session.process_ends.has_full_deadlines = False
        if self.options.cl_tier == tiers.SMOKE:
            session.process_ends.max_per_requirement = MAX_SMOKE_TEST_ENDS
            session.process_ends.single_process_requirements = self._known.single_entry_requirements(session)
        return session

    def _end_before_items(self, message: str, code: int) -> None:
        """End the run before its first item.

        A worker of pytest-xdist ends alone, because others may still run.
        """
        self.stop_reason = message
        if not self.is_worker:
            pytest.exit(f"clconform: {message}", returncode=code)

    def _record_failed_start(self, error: StartError, target: Target, tables: Tables) -> None:
        """Write the deviation of a driver that does not start to the journal, and end the run."""
        deviation = create_start_deviation(error, tables)
        if deviation is None:
            self._end_before_items(str(error), exit_codes.NO_SUCH_PLATFORM)
            return
        if self._journal is not None:
            self.has_header = True
            if not self.is_worker and self.plan.earlier is None:
                self._write_lines(create_header(self.config, target, tables))
                finish.remove_reports(self._journal.path.parent)
            self._write_lines(deviation)
            if not self.is_worker:
                self._write_lines(confirm_start(deviation, target, tables))
        # with a journal, the result determines the exit code, because the deviation may be a known one
        self._end_before_items(str(error), exit_codes.AS_EXPECTED if self.has_header else exit_codes.DEVIATIONS)

    def _write_lines(self, *lines: JournalLine) -> None:
        """Write lines to the journal, if there is a journal; if that fails, stop starting items."""
        try:
            if self._journal is not None:
                self._journal.write(*lines)
        except JournalWriteError as error:
            self.stop_reason = str(error)

    def _open_journal(self) -> None:
        path, earlier = Path(self.options.cl_out) / JOURNAL_FILE, self.plan.earlier
        keep = earlier.journal.whole if earlier else 0  # truncate, never replace: a worker may have the file open
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._journal = JournalWriter(path, keep=None if self.is_worker else keep)
            self._reader = JournalReader(path)
            if not self.is_worker:
                packed_path(path).unlink(missing_ok=True)
            if self.options.cl_journal == "full":
                self._full_log = FullLog(
                    self._create_call_writer(path.with_name(CALLS_FILE), resumed=earlier is not None)
                )
            elif not self.is_worker and earlier is None:
                path.with_name(CALLS_FILE).unlink(missing_ok=True)
        except BlockingIOError:
            message = f"clconform: another run is writing {path}; wait for it, or choose another folder with --out"
            pytest.exit(message, returncode=exit_codes.BAD_USAGE)
        except OSError as error:
            message = f"clconform: cannot write {path} ({error.strerror}); choose another folder with --out"
            pytest.exit(message, returncode=exit_codes.BAD_USAGE)

    def _create_call_writer(self, path: Path, *, resumed: bool) -> JournalWriter:
        """Return the writer for the file of all calls; in a resumed run it appends to the file."""
        return JournalWriter(
            path, keep=None if self.is_worker else path.stat().st_size if resumed and path.exists() else 0
        )

    def _write_opening(self, journal: JournalWriter, target: Target) -> None:
        self.has_header = True
        header, earlier = create_header(self.config, target, self.session.tables), self.plan.earlier
        platform, reported = create_platform_lines(self.session)
        if earlier is None:
            journal.write(header)
        else:
            earlier.check_header(header)
            earlier.check_platform(platform)
            journal.write(Resumed(utc_now()))
        finish.remove_reports(journal.path.parent)
        if earlier is None or earlier.journal.platform is None:
            journal.write(platform)
        if earlier is None or not earlier.journal.capabilities:
            journal.write(reported)

    def close(self) -> None:
        """End the driver's process and close the journal."""
        if self._early is not None:
            self._early.abandon()
        if self._session is not None:
            self._session.close()
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._full_log is not None:
            self._full_log.close()
            self._full_log = None

    # items

    def write_selection(self, choice: ItemSelection) -> None:
        """Write the requirements that only omitted items target, each with the reason."""
        self._selection = Selection(len(choice.kept) + len(choice.finished), choice.omitted_requirements())
        if not self.is_worker:
            self._write_pending_selection()

    def write_worker_selection(self, items: int) -> None:
        """Write, once in the controlling process, the number of items that the workers of pytest-xdist will run."""
        if self._selected_by_workers != items:
            self._selected_by_workers = items
            self._write_lines(Selection(items + len(self.plan.finished)))

    def _write_pending_selection(self) -> None:
        """Write the selection once.

        A worker of pytest-xdist writes it at its first item, after the header.
        """
        if self._journal is not None and self._selection is not None:
            self._write_lines(self._selection)
        self._selection = None

    def begin_item(self, item: pytest.Item) -> None:
        """Start to record an item, and set its seed.

        If the budget is spent, only note the requirements of the item.
        """
        budget = self.plan.budget
        self.is_item_started = not self.stop_reason
        if self.is_item_started and budget is not None and budget.is_spent(deviations=bool(self._recorder.keys)):
            self.is_item_started = False
            self._unreached.append(requirements_of(item))
        if not self.is_item_started:
            return
        self._item, self._outcome, self._reason, self._skipped = item, "passed", "", ""
        self._write_pending_selection()
        self._item_started = time.monotonic()
        name = item_id(item)
        self.session.set_targets(requirements_of(item))
        self._recorder.begin_item(name, is_random=is_random(item))
        if hasattr(getattr(item, "obj", None), "hypothesis"):
            hypothesis.seed(item_seed(self.options.cl_seed, name))(item.obj)  # type: ignore[attr-defined]

    def seed_of(self, item: pytest.Item) -> int:
        """Return the seed of an item."""
        return item_seed(self.options.cl_seed, item_id(item))

    @contextlib.contextmanager
    def run_item(self, item: pytest.Item) -> Generator[None, None, None]:
        """Run an item, as a single example unless it is random, and fail it if the driver deviates.

        A deviation counts even if the item is skipped afterwards. IncompleteItemError if the item could not be
        completed.
        """
        skipped: BaseException | None = None
        self.session.process_ends.unproved_end = ""
        try:
            with (
                self.session.self_limits.limit_block(),
                contextlib.nullcontext() if is_random(item) else self._open_example(item),
            ):
                try:
                    yield
                except pytest.skip.Exception as reason:
                    skipped, self._skipped = reason, str(reason)
        except Exception as error:
            unlike = UNREPRODUCIBLE_DRAWS if _has_unreproducible_draws(error) else ""
            lost = self._find_loss_reason(error, item) or unlike
            if lost and not (unlike and self._recorder.deviations):
                raise IncompleteItemError(lost) from error
            if not lost:
                raise
        self._failed_starts = 0
        deviations = list(self._recorder.deviations.values())
        if deviations:
            expected = self._known.are_all_known(deviations, self.session)
            kind = ExpectedDeviationError if expected else DeviationError
            raise kind("\n\n".join(finish.describe_deviation(deviation) for deviation in deviations))
        if self.session.process_ends.unproved_end:
            raise IncompleteItemError(
                f"{self.session.process_ends.unproved_end}, and it is unknown whether the driver is the cause"
            )
        if skipped is not None:
            raise skipped

    def _find_loss_reason(self, error: Exception, item: pytest.Item) -> str:
        """Return why an item cannot be completed, as one line; empty if the reason is in the item itself.

        Reasons: the driver does not restart, the journal cannot be written, or this machine lacks resources. If the
        reason is permanent, items are no longer started.
        """
        if self._journal is not None and self._journal.write_error:
            self.stop_reason = self._journal.write_error
        elif self._full_log is not None and self._full_log.write_error:
            self.stop_reason = self._full_log.write_error
        elif find_shortage(error):
            self.stop_reason = find_shortage(error)
            self.is_resource_shortage = True
        elif self.session.process.start_error is not None:
            return self._record_start_error(self.session.process.start_error, item)
        return self.stop_reason

    def _record_start_error(self, error: HarnessError, item: pytest.Item) -> str:
        deviation = (
            create_start_deviation(error, self.session.tables, item_id(item)) if isinstance(error, StartError) else None
        )
        if deviation is not None:
            self._recorder.keys.add(deviation.key)
            self._write_lines(deviation)
        self._failed_starts += 1
        if self._failed_starts >= MAX_FAILED_STARTS:
            self.stop_reason = f"the driver did not start {self._failed_starts} times in a row: {error}"
        return str(error)

    def _open_example(self, item: pytest.Item) -> AbstractContextManager[Session]:
        if getattr(getattr(item, "callspec", None), "params", {}).get("case", EMPTY_CASE).needs_new_process:
            self.session.process.end()
        return self.session.example()

    def skip_inapplicable(self, item: pytest.Item) -> None:
        """Skip an item if the first of its requirements, the main one, does not apply."""
        gate = next((self.session.find_inapplicability(requirement) for requirement in requirements_of(item)), "")
        if gate:
            pytest.skip(f"not applicable: {gate}")

    def skip_after_hangs(self, item: pytest.Item) -> None:
        """Skip a table-driven item if earlier calls for all its requirements have hung, to save time."""
        requirements = requirements_of(item)
        if requirements and not is_random(item) and all(map(self.session.process_ends.has_hung, requirements)):
            pytest.skip(f"an earlier call for {requirements[0]} hung")

    def record_report(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        """Record an item's outcome, and add the item's id and the kind of failure to its report."""
        if self._item is not None:
            report.clconform_item = self._recorder.item  # type: ignore[attr-defined]
        if report.outcome == "skipped":
            self._outcome = "skipped"
            words = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self._skipped = words.removeprefix("Skipped: ")
        if report.outcome == "failed" and call.excinfo is not None and call.excinfo.errisinstance(IncompleteItemError):
            self.is_item_started = False  # the item gets no end in the journal, so that a resumed run repeats it
            report.clconform, report.longrepr = "lost", str(call.excinfo.value)  # type: ignore[attr-defined]
        elif report.outcome == "failed":
            deviating = call.excinfo is not None and call.excinfo.errisinstance(DeviationError)
            report.clconform_keys = list(self._recorder.deviations) if deviating else []  # type: ignore[attr-defined]
            self._outcome = "failed" if deviating and self._outcome != "error" else "error"
            report.clconform = "deviation" if deviating else "failure"  # type: ignore[attr-defined]
            if call.excinfo is not None and call.excinfo.errisinstance(ExpectedDeviationError):
                self._outcome, report.outcome = "xfailed", "skipped"
                report.wasxfail = report.clconform = "expected"  # type: ignore[attr-defined]
            if deviating and call.excinfo is not None:
                report.longrepr = str(call.excinfo.value)
            else:
                self._reason = str(call.excinfo.value) if call.excinfo is not None else ""

    def end_item(self) -> None:
        """Finish recording an item that was started."""
        if not self.is_item_started:
            return
        aims = requirements_of(self._item) if self._item is not None else ()
        reason, seconds = self._reason or self._skipped, time.monotonic() - self._item_started
        try:
            self._recorder.end_item(self._outcome, seconds, reason, aims, skipped=bool(self._skipped))
        except JournalWriteError as error:
            self.stop_reason = str(error)

    # the end of the run

    def write_unreached(self) -> None:
        """Write the requirements of the items that were not started within the budget.

        This is the last line about items that this process writes.
        """
        if self._journal is not None and self._unreached:
            self._write_pending_selection()
            aimed = {requirement for aims in self._unreached for requirement in aims}
            self._write_lines(Selection(0, dict.fromkeys(sorted(aimed), BUDGET_SPENT), len(self._unreached)))

    def finish_run(self, session: pytest.Session, kinds: set[str], stop: StopRequest, *, interrupted: bool) -> None:
        """Confirm and minimise deviations, write the reports, and set the exit code.

        ``kinds``: the kinds of failures in the items' reports. ``stop``: the stop request of this process, which
        already holds signals. ``interrupted``: a signal or Ctrl-C has interrupted the run.
        """
        progress = self.config.pluginmanager.get_plugin(PROGRESS)
        if progress is not None:
            progress.finish_items()
        if self._journal is not None and self._reader is not None and self.has_header:
            if self._session is not None:
                self._session.close()
            if self._early is not None and (interrupted or self.stop_reason):
                self._early.abandon()
            packing = JournalPacking(self._journal.path)
            try:
                if not interrupted and not self.stop_reason and self._session is not None:
                    with stop.release_signals():
                        self._confirm_and_minimise(self._journal, self._reader, self._session)
            except KeyboardInterrupt:
                interrupted = True
            except JournalWriteError as error:
                self.stop_reason = str(error)
            earlier = self.plan.earlier.duration_seconds if self.plan.earlier else 0.0
            self._write_lines(RunEnd(utc_now(), earlier + time.monotonic() - self._started_at, interrupted))
            self._result, self.error = finish.write_run_reports(self._reader, Path(self.options.cl_out), self._known)
            if interrupted or self.stop_reason or self.error is not None:
                packing.abandon()
            else:
                self._journal_name = finish.replace_by_packed(packing, self._journal)
        short = self.is_resource_shortage or bool(self._journal is not None and self._journal.write_error)
        session.exitstatus = exit_codes.select_exit_code(
            [
                *([stop.exit_code] if interrupted else []),
                *([exit_codes.NO_RESOURCES] if short else []),
                *finish.applicable_exit_codes(
                    0 if interrupted else session.exitstatus, kinds, self._result, self.error, self._known
                ),
            ]
        )

    def _confirm_and_minimise(self, journal: JournalWriter, reader: JournalReader, session: Session) -> None:
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        progress = self.config.pluginmanager.get_plugin(PROGRESS)
        if reporter is not None:
            end_line(self.config.get_terminal_writer())
        limits = finish.ConfirmationLimits(
            self.options.cl_minimise_seconds,
            items_seconds=time.monotonic() - self._started_at,
            budget=self.plan.budget,
            once=self.options.cl_quick,
            smoke=self.options.cl_tier == tiers.SMOKE,
            known=self._known,
        )
        shown = finish.ConfirmationProgress(
            say=reporter.write_line if reporter is not None else lambda _line: None,
            confirmed=progress.show_confirmation if progress is not None else None,
            fail=self._report_internal_error,
        )
        confirmers = Confirmers(self._confirmation_settings(session.target), self._early)
        finish.confirm_and_minimise(journal, reader, confirmers, limits, shown)
        if progress is not None:
            progress.hide_line()

    def _report_internal_error(self, key: str, error: Exception) -> None:
        """Report an internal error in the repetition of a deviation.

        The report has the form of an item's report.
        """
        name = f"confirming {escape_unprintable(key, limit=120)}"
        told = "".join(traceback.format_exception(error))
        report = pytest.TestReport(name, (name, None, name), {}, "failed", told, "call")
        report.clconform = "failure"  # type: ignore[attr-defined]
        self.config.hook.pytest_runtest_logreport(report=report)

    def summarize(self, reporter: Any) -> None:
        """Print the summary of the finished run."""
        if self._result is not None:
            journal = self._journal_name if self.error is None else ""
            finish.print_run_summary(self._result, Path(self.options.cl_out), reporter, journal)
        for problem in (self.stop_reason, self.error):
            if problem:
                reporter.write_line(f"clconform: {escape_unprintable(str(problem), limit=1000)}")


def _has_unreproducible_draws(error: BaseException) -> bool:
    """Return whether an error only means that Hypothesis could not reproduce its earlier random choices."""
    if isinstance(error, BaseExceptionGroup):
        return all(_has_unreproducible_draws(each) for each in error.exceptions)
    return isinstance(error, (FlakyStrategyDefinition, FlakyReplay))
