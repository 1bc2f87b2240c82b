"""Completes a run: confirms and minimises deviations, writes the reports, and sets the exit code."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls import exit_codes
from clconform.calls.journal import RunEnd
from clconform.calls.run_verdict import select_exit_code
from clconform.reports.compression import JournalPacking
from clconform.reports.driver_versions import driver_version
from clconform.reports.escaping import escape_unprintable
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.early_confirmation import EarlyConfirmation
from clconform.runner.deviations.item_repetition import confirm_by_items
from clconform.runner.deviations.parallel_confirmation import Confirmers, count_rounds
from clconform.runner.gate import finish
from clconform.runner.journal.header import utc_now
from clconform.runner.journal.writer import JOURNAL_FILE, JournalWriteError
from clconform.runner.pytest_plugin.item_repetition import ItemRepeater
from clconform.runner.pytest_plugin.progress import PROGRESS_PLUGIN as PROGRESS
from clconform.runner.pytest_plugin.progress import end_line
from clconform.runner.pytest_plugin.target_option import describe_slow_machines

if TYPE_CHECKING:
    from clconform.harness import Target
    from clconform.reports import JournalReader, RunResult
    from clconform.runner.gate.stop_signals import StopRequest
    from clconform.runner.journal.writer import JournalWriter
    from clconform.runner.pytest_plugin.run_context import RunContext
    from clconform.runner.pytest_plugin.run_journal import RunJournal
    from clconform.runner.session.session import Session


class RunCompletion:
    """The confirmations of a run, its result and its reports."""

    def __init__(self, context: RunContext, journal: RunJournal) -> None:
        self._context, self._journal = context, journal
        self._error: Exception | None = None
        self._early: EarlyConfirmation | None = None
        self._result: RunResult | None = None
        self._journal_name = JOURNAL_FILE
        self._damage = ""

    @property
    def has_result(self) -> bool:
        """Whether the result and the reports were written."""
        return self._result is not None and self._error is None

    # deviations

    def start_early_confirmation(self, target: Target, session: Session) -> None:
        """Start to confirm deviations while items run, if the run has several processes."""
        context, options, reader = self._context, self._context.options, self._journal.reader
        limited = context.plan.budget is not None or context.plan.earlier is not None or options.cl_quick
        if context.processes == 1 or limited or reader is None:
            return
        version = driver_version(session.reached.platforms, session.base.device)
        self._early = EarlyConfirmation(
            reader,
            self._confirmation_settings(target),
            from_start=context.is_smoke_test,
            seconds_each=self._minimising_seconds,
            known=lambda line: context.known.find_known_confirmation(line, version),
        )

    def abandon_early_confirmation(self) -> None:
        """Request that early confirmations stop; do nothing if they have ended."""
        if self._early is not None:
            self._early.abandon()

    def _confirmation_settings(self, target: Target) -> ConfirmationSettings:
        return ConfirmationSettings(target, self._context.options.cl_device_index, self._context.processes)

    def _minimising_seconds(self, deviations: int) -> float:
        """Return the seconds for minimising each of this number of deviations, by the time of the items so far."""
        return finish.minimising_seconds(
            self._context.options.cl_minimise_seconds,
            count_rounds(deviations, self._context.processes),
            self._context.seconds(),
            smoke=self._context.is_smoke_test,
        )

    def _confirm_and_minimise(self, writer: JournalWriter, reader: JournalReader, target: Target) -> None:
        context, options, plugins = self._context, self._context.options, self._context.config.pluginmanager
        reporter, progress = plugins.get_plugin("terminalreporter"), plugins.get_plugin(PROGRESS)
        if reporter is not None:
            end_line(context.config.get_terminal_writer())
        limits = finish.ConfirmationLimits(
            options.cl_minimise_seconds,
            items_seconds=context.seconds(),
            budget=context.plan.budget,
            once=options.cl_quick,
            smoke=context.is_smoke_test,
            known=context.known,
        )
        shown = finish.ConfirmationProgress(
            say=reporter.write_line if reporter is not None else lambda _line: None,
            confirmed=progress.show_confirmation if progress is not None else None,
            fail=lambda key, error: report_internal_error(context.config, key, error),
        )
        confirmers = Confirmers(self._confirmation_settings(target), self._early)
        finish.confirm_and_minimise(writer, reader, confirmers, limits, shown)
        written = reader.journal()
        for confirmation in confirm_by_items(written.deviations, written.confirmations, ItemRepeater(options).repeat):
            writer.write(confirmation)
        if progress is not None:
            progress.hide_line()

    # reports

    def finish(
        self,
        pytest_session: pytest.Session,
        session: Session | None,
        kinds: set[str],
        stop: StopRequest,
        *,
        interrupted: bool,
    ) -> None:
        """Confirm and minimise deviations, write the reports, and set the exit code.

        ``session``: the session of the run; None if it did not start. ``kinds``: the kinds of failures in the items'
        reports. ``stop``: the stop request of this process, which already holds signals. ``interrupted``: a signal or
        Ctrl-C has interrupted the run.
        """
        progress = self._context.config.pluginmanager.get_plugin(PROGRESS)
        if progress is not None:
            progress.finish_items()
        self._continue_with_copy()
        writer, reader = self._journal.writer, self._journal.reader
        if writer is not None and reader is not None and self._journal.has_header:
            if session is not None:
                if not interrupted and not self._context.stop_reason:
                    self._context.check_device(session)
                session.close()
            if interrupted or self._context.stop_reason:
                self.abandon_early_confirmation()
            packing = JournalPacking(writer.path)
            interrupted = self._confirm_unless_stopped(writer, reader, session, stop, interrupted=interrupted)
            self._write_reports(writer, reader, packing, interrupted=interrupted, internal_error="failure" in kinds)
        short = self._context.is_resource_shortage or bool(writer is not None and writer.write_error)
        pytest_session.exitstatus = select_exit_code(
            [
                *([stop.exit_code] if interrupted else []),
                *([exit_codes.NO_RESOURCES] if short else []),
                *finish.applicable_exit_codes(
                    0 if interrupted else pytest_session.exitstatus,
                    kinds,
                    self._result,
                    self._error,
                ),
            ]
        )

    def _continue_with_copy(self) -> None:
        """Continue with a copy of a journal that was removed, moved or changed.

        Its deviations are not confirmed, and it gets no last line, so that the run counts as incomplete.
        """
        self._damage = self._journal.replace_damaged() if self._journal.has_header else ""
        if self._damage:
            self._context.stop_reason = self._damage
            self._context.is_resource_shortage = True

    def _confirm_unless_stopped(
        self,
        writer: JournalWriter,
        reader: JournalReader,
        session: Session | None,
        stop: StopRequest,
        *,
        interrupted: bool,
    ) -> bool:
        """Confirm and minimise deviations unless the run was stopped; return whether the run was interrupted."""
        try:
            if not interrupted and not self._context.stop_reason and session is not None:
                with stop.release_signals():
                    self._confirm_and_minimise(writer, reader, session.target)
                if any(each.verdict == "unconfirmed" for each in reader.journal().confirmations.values()):
                    self._context.check_device(session)
                    session.close()
            if self._context.device_lost:
                finish.leave_unconfirmed(writer, reader, self._context.known, self._context.device_lost)
        except KeyboardInterrupt:
            return True
        except JournalWriteError as error:
            self._context.stop_reason = str(error)
        return interrupted

    def _write_reports(
        self,
        writer: JournalWriter,
        reader: JournalReader,
        packing: JournalPacking,
        *,
        interrupted: bool,
        internal_error: bool,
    ) -> None:
        """Write the last line of the journal and the reports, and compress the journal of a complete run."""
        context = self._context
        earlier = context.plan.earlier.duration_seconds if context.plan.earlier else 0.0
        if not self._damage:
            seconds = earlier + context.seconds()
            throttled = "" if context.device_lost else describe_slow_machines(context.options)
            self._journal.write(RunEnd(utc_now(), seconds, interrupted, context.device_lost, internal_error, throttled))
        self._result, self._error = finish.write_run_reports(reader, Path(context.options.cl_out), context.known)
        if interrupted or context.stop_reason or self._error is not None:
            packing.abandon()
        else:
            self._journal_name = finish.replace_by_packed(packing, writer)

    def summarize(self, reporter: Any) -> None:
        """Print the summary of the finished run."""
        if self._result is not None:
            journal = self._journal_name if self._error is None else ""
            options = self._context.options
            finish.print_run_summary(self._result, Path(options.cl_out), reporter, journal, verbose=options.cl_verbose)
        for problem in (self._context.stop_reason, self._error):
            if problem:
                reporter.write_line(f"clconform: {escape_unprintable(str(problem), limit=1000)}")


def report_internal_error(config: pytest.Config, key: str, error: Exception) -> None:
    """Report an internal error in the repetition of a deviation.

    The report has the form of an item's report.
    """
    name = f"confirming {escape_unprintable(key, limit=120)}"
    told = "".join(traceback.format_exception(error))
    report = pytest.TestReport(name, (name, None, name), {}, "failed", told, "call")
    report.clconform = "failure"  # type: ignore[attr-defined]
    config.hook.pytest_runtest_logreport(report=report)
