"""Runs the suites in one process: starts the session, and composes the parts of the run."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.harness import HarnessError, StartError
from clconform.harness.errors import ConnectionLostError, ProcessShortageError, UnreachableError
from clconform.harness.gc_tuning import raise_gc_threshold
from clconform.harness.host_shortages import find_shortage
from clconform.harness.sandbox import die_with_parent
from clconform.runner.deviations.startup_failures import confirm_start, create_start_deviation
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.resuming import RunMismatchError
from clconform.runner.journal.writer import JournalWriteError
from clconform.runner.program_binaries import ProgramBinariesError, describe_device, read_binaries
from clconform.runner.pytest_plugin.item_runs import MAX_REPETITIONS, ItemRuns
from clconform.runner.pytest_plugin.run_completion import RunCompletion, report_internal_error
from clconform.runner.pytest_plugin.run_context import RunContext
from clconform.runner.pytest_plugin.run_journal import RunJournal
from clconform.runner.pytest_plugin.run_plan import START_ERROR_KEY
from clconform.runner.pytest_plugin.target_option import target_from_options
from clconform.runner.session.self_limits import SelfLimits
from clconform.runner.session.session import Session
from clconform.spec_tables import TablesError, load

if TYPE_CHECKING:
    from clconform.harness import Target
    from clconform.runner.gate.stop_signals import StopRequest
    from clconform.runner.pytest_plugin.run_plan import RunPlan
    from clconform.spec_tables import Tables

MAX_SMOKE_TEST_ENDS = 3
"""Maximum number of driver processes that calls for one requirement may end in a smoke test, as restarts are slow."""


class SuiteRun:
    """A run in one process, from the first item to the last report.

    ``context``: what the parts share; ``journal``: the journal of the run; ``items``: the items and their outcomes;
    ``completion``: the confirmations and reports at the end.
    """

    def __init__(self, config: pytest.Config, plan: RunPlan) -> None:
        """Create the parts; neither the driver nor the journal is opened yet."""
        if hasattr(config, "workerinput"):
            die_with_parent()
        self.context = RunContext(config, plan)
        self.journal = RunJournal(self.context)
        self.items = ItemRuns(self.context, self.journal, lambda: self.session)
        self.completion = RunCompletion(self.context, self.journal)
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """Return the session with the driver under test; start it on first use."""
        if self._session is None:
            self.open()
        if self._session is None:
            raise AssertionError("open() creates a session or raises")
        return self._session

    def open(self) -> None:
        """Start the driver and open the journal; if one of them fails, end the run with a message and an exit code."""
        if self._session is not None:
            return
        context, journal = self.context, self.journal
        try:
            target = target_from_options(context.options)
            tables = load()
            if context.options.cl_out:
                journal.open()
            session = self._session = self._start_session(target, tables)
        except StartError as error:
            self._record_failed_start(error, target, tables)
            return
        except HarnessError as error:
            lacks = isinstance(error, ProcessShortageError) or find_shortage(error)
            code = exit_codes.NO_RESOURCES if lacks else exit_codes.NO_SUCH_PLATFORM
            context.end_before_items(str(error), code)
            return
        except TablesError as error:
            pytest.exit(f"clconform: {error}", returncode=exit_codes.INTERNAL_ERROR)
        if context.options.cl_program_binaries:
            self._use_program_binaries(session, Path(context.options.cl_program_binaries))
        session.process_ends.known_to_hang = context.known.known_hangs(session)
        gc.freeze()  # tables, rules and items are most objects, and are never freed: exclude them from collections
        raise_gc_threshold()
        self.items.recorder.journal = journal.writer
        for failure in session.fact_queries.failures[:1]:
            report_internal_error(context.config, "the first queries", failure)
        if journal.writer is not None and not context.is_worker:
            self._write_opening(target, session)
        if context.is_controller:  # some devices can be used by one process only
            session.process.end()

    def _write_opening(self, target: Target, session: Session) -> None:
        """Write the first lines of the journal, and start the early confirmation."""
        context, journal = self.context, self.journal
        try:
            journal.write_opening(target, session)
        except RunMismatchError as error:
            journal.writer = None
            pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)
        except JournalWriteError as error:
            context.stop_reason = str(error)
            pytest.exit(f"clconform: {error}", returncode=exit_codes.NO_RESOURCES)
        self.completion.start_early_confirmation(target, session)

    def _use_program_binaries(self, session: Session, folder: Path) -> None:
        """Let the suites use the binaries in a folder, if the device does not have a compiler.

        The run ends if the folder cannot be used, or if its binaries were built for another device.
        """
        if session.fact("CL_DEVICE_COMPILER_AVAILABLE") != 0:
            return
        try:
            binaries = read_binaries(folder)
            device = describe_device(session.reached, session.device.name, session.fact("CL_DEVICE_ADDRESS_BITS"))
            binaries.require_device(device)
        except ProgramBinariesError as error:
            self.context.end_before_items(f"--program-binaries {error}", exit_codes.BAD_USAGE)
            return
        session.program_binaries = binaries

    def _start_session(self, target: Target, tables: Tables) -> Session:
        """Start a session, and start it again if the connection to the driver's machine is lost meanwhile.

        StartError also if the command failed to start the driver before pytest started.
        """
        seen = self.context.config.stash.get(START_ERROR_KEY, None)
        if seen is not None:
            raise seen
        machine = str(target.device) if len(self.context.options.cl_device) > 1 else ""
        for left in reversed(range(MAX_REPETITIONS)):
            self.items.recorder = Recorder(
                None, self.journal.full_log, process=self.context.process_name, machine=machine
            )
            try:
                return self._create_session(target, tables)
            except ConnectionLostError as error:
                if not left or isinstance(error, UnreachableError):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _create_session(self, target: Target, tables: Tables) -> Session:
        """Return a new session that checks the driver after signs of a loss; errors as for the creation of one."""
        context, options = self.context, self.context.options
        session = Session(
            target,
            tables,
            self.items.recorder,
            device_index=options.cl_device_index,
            robustness=options.robustness,
            keeps_contexts="unless-deviating" if options.cl_journal != "full" else "never",
            own_work=SelfLimits(options.cl_own_seconds),
        )
        session.process_ends.has_full_deadlines = False
        if context.is_smoke_test:
            session.process_ends.max_per_requirement = MAX_SMOKE_TEST_ENDS
            session.process_ends.single_process_requirements = context.known.single_entry_requirements(session)
        try:
            session.watch_health()
        except BaseException:
            session.close()
            raise
        return session

    def _record_failed_start(self, error: StartError, target: Target, tables: Tables) -> None:
        """Write the deviation of a driver that does not start to the journal, and end the run."""
        deviation, journal = create_start_deviation(error, tables), self.journal
        if deviation is None:
            self.context.end_before_items(str(error), exit_codes.NO_SUCH_PLATFORM)
            return
        if journal.writer is not None:
            journal.write_opening_without_session(target, tables)
            journal.write(deviation)
            if not self.context.is_worker:
                journal.write(confirm_start(deviation, target, tables))
        # with a journal, the result determines the exit code, because the deviation may be a known one
        code = exit_codes.AS_EXPECTED if journal.has_header else exit_codes.DEVIATIONS
        self.context.end_before_items(str(error), code)

    def finish(self, session: pytest.Session, kinds: set[str], stop: StopRequest, *, interrupted: bool) -> None:
        """Complete the run; the parameters are those of ``RunCompletion.finish``."""
        self.completion.finish(session, self._session, kinds, stop, interrupted=interrupted)

    def close(self) -> None:
        """End the driver's process and close the journal."""
        self.completion.abandon_early_confirmation()
        if self._session is not None:
            self._session.close()
        self.journal.close()
