"""One run of the suites in one process: the session, the journal, and the recording of items."""

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
from clconform.harness.confinement import die_with_parent
from clconform.harness.garbage import look_less_often
from clconform.harness.shortages import shortage_in
from clconform.reports import JournalReader
from clconform.reports.driver_versions import driver_version
from clconform.reports.escaping import visible
from clconform.reports.packing import Packing, packed_name
from clconform.runner.deviations.ahead import Ahead
from clconform.runner.deviations.following import rounds_of
from clconform.runner.deviations.starting import confirm_start, start_deviation
from clconform.runner.gate import ending, exit_codes
from clconform.runner.gate.known import known_of
from clconform.runner.journal.every_call import CALLS, EveryCall
from clconform.runner.journal.header import header_of, now, tested_lines
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.resuming import OtherRunError
from clconform.runner.journal.writer import JOURNAL, JournalWriteError, JournalWriter
from clconform.runner.pytest_plugin import tiers
from clconform.runner.pytest_plugin.aims import Case
from clconform.runner.pytest_plugin.naming import target_of
from clconform.runner.pytest_plugin.plan import START_KEY
from clconform.runner.pytest_plugin.progress import NAME as PROGRESS
from clconform.runner.pytest_plugin.progress import end_line
from clconform.runner.pytest_plugin.selection import aims_of, is_random, item_id
from clconform.runner.session.errors import DeviationError, ExpectedDeviationError
from clconform.runner.session.examples import item_seed
from clconform.runner.session.own_work import OwnWork
from clconform.runner.session.session import Session
from clconform.spec_tables import TablesError, load

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager

    from clconform.calls.journal import Line
    from clconform.harness import Target
    from clconform.reports import Result
    from clconform.runner.gate.stopping import Stop
    from clconform.runner.pytest_plugin.plan import Plan
    from clconform.runner.pytest_plugin.selection import Choice
    from clconform.spec_tables import Tables

NOTHING = Case("", "", lambda _session: None)
"""The case of an item that has none."""


ENDS_AT_A_SMOKE_TEST = 3
"""How often calls for one record may cost a process of the driver in a smoke test: another one must be started."""
MOST_FAILED_STARTS = 3
"""How many items in a row may find that the driver does not start, before no further item is begun."""


UNLIKE = "the driver has answered the same calls differently, so that no further examples could be drawn"
"""Why an item ends early whose next call depends on what came back."""


class ItemLostError(Exception):
    """An item could not be run to its end, for a reason that is not in the item; the message is the reason."""


class Run:
    """Everything that lives from the first item to the last report.

    ``opened``: the journal has its first line. ``trouble``: why no further item is begun, in a line; empty if nothing
    is wrong. ``short``: it is something that this machine lacks. ``error``: why the reports could not be written.
    """

    def __init__(self, config: pytest.Config, plan: Plan) -> None:
        self.config, self.plan = config, plan
        self.options = config.option
        self.worker = hasattr(config, "workerinput")
        if self.worker:
            die_with_parent()
        self._session: Session | None = None
        self._recorder = Recorder(None)
        self._journal: JournalWriter | None = None
        self._reader: JournalReader | None = None
        self._every_call: EveryCall | None = None
        self._item: pytest.Item | None = None
        self.begun = False
        self._outcome = "passed"
        self._reason = ""
        self._skipped = ""
        self._begun_at = time.monotonic()
        self._item_started = 0.0
        self._result: Result | None = None
        self._journal_name = JOURNAL
        self.error: Exception | None = None
        self.opened = False
        self.trouble = ""
        self.short = False
        self._failed_starts = 0
        self._selected_by_workers = -1
        self._known = known_of(self.options)
        self._selection: Selection | None = None
        self._unreached: list[tuple[str, ...]] = []
        self._ahead: Ahead | None = None

    # the session

    @property
    def session(self) -> Session:
        """Return the session with the driver under test, opened at its first use."""
        if self._session is None:
            self.open()
        if self._session is None:
            raise AssertionError("open() creates a session or raises")
        return self._session

    def open(self) -> None:
        """Start the driver and open the journal; if that fails, the run ends with a message and an exit code."""
        if self._session is not None:
            return
        try:
            target = target_of(self.options)
            tables = load()
            if self.options.cl_out:
                self._open_journal()
            self._recorder = Recorder(None, self._every_call)
            self._session = self._started(target, tables)
        except StartError as error:
            self._without_start(error, target, tables)
            return
        except HarnessError as error:
            self._leave(str(error), exit_codes.NO_RESOURCES if shortage_in(error) else exit_codes.NO_SUCH_PLATFORM)
            return
        except TablesError as error:
            pytest.exit(f"clconform: {error}", returncode=exit_codes.OUR_FAILURE)
        self._session.known_to_hang = self._known.hanging(self._session)
        gc.freeze()  # tables, rules and items live to the end and are most objects: exclude them from collections
        look_less_often()
        self._recorder.journal = self._journal
        for failure in self.session.opening_failures[:1]:
            self._fail("the first queries", failure)
        if self._journal is not None and not self.worker:
            try:
                self._write_opening(self._journal, target)
            except OtherRunError as error:
                self._journal = None
                pytest.exit(f"clconform: {error}", returncode=exit_codes.BAD_USAGE)
            except JournalWriteError as error:
                self.trouble = str(error)
                pytest.exit(f"clconform: {error}", returncode=exit_codes.NO_RESOURCES)
            self._work_ahead(target, self._session)

    def _work_ahead(self, target: Target, session: Session) -> None:
        """With several processes, begin to do while items run what else would be left for the end."""
        processes = getattr(self.options, "numprocesses", None) or 1
        limited = self.plan.budget is not None or self.plan.earlier is not None or self.options.cl_quick
        if processes == 1 or limited or self._reader is None:
            return
        version = driver_version(session.reached.platforms, session.base.device)
        self._ahead = Ahead(
            self._reader,
            target,
            session.tables,
            device_index=self.options.cl_device,
            processes=processes,
            early=self.options.cl_tier == tiers.SMOKE,
            seconds_each=lambda deviations: self._seconds_each(rounds_of(deviations, processes)),
            known=lambda line: self._known.not_repeated(line, version),
        )

    def _seconds_each(self, rounds: int) -> float:
        """Return how long minimising one sequence may take if the items end now."""
        return ending.seconds_for_each(
            self.options.cl_minimise_seconds,
            rounds,
            time.monotonic() - self._begun_at,
            smoke=self.options.cl_tier == tiers.SMOKE,
        )

    def _started(self, target: Target, tables: Tables) -> Session:
        """Return a session; StartError, too, if the command has just seen the driver fail to start."""
        seen = self.config.stash.get(START_KEY, None)
        if seen is not None:
            raise seen
        session = Session(
            target,
            tables,
            self._recorder,
            device_index=self.options.cl_device,
            robustness=self.options.robustness,
            keeps_contexts="unless-deviating" if self.options.cl_journal != "full" else "never",
            own_work=OwnWork(self.options.cl_own_seconds),
        )
        session.patient = False
        if self.options.cl_tier == tiers.SMOKE:
            session.most_ends = ENDS_AT_A_SMOKE_TEST
            session.once = self._known.named_once(session)
        return session

    def _leave(self, message: str, code: int) -> None:
        """End the run before its first item; a worker of pytest-xdist runs none, since others may be able to."""
        self.trouble = message
        if not self.worker:
            pytest.exit(f"clconform: {message}", returncode=code)

    def _without_start(self, error: StartError, target: Target, tables: Tables) -> None:
        """Write down what a driver did that is there but does not start, and end the run."""
        deviation = start_deviation(error, tables)
        if deviation is None:
            self._leave(str(error), exit_codes.NO_SUCH_PLATFORM)
            return
        if self._journal is not None:
            self.opened = True
            if not self.worker and self.plan.earlier is None:
                self._write(header_of(self.config, target, tables))
                ending.remove_reports(self._journal.path.parent)
            self._write(deviation)
            if not self.worker:
                self._write(confirm_start(deviation, target, tables))
        # with a journal, the result decides: the deviation may be a known one
        self._leave(str(error), exit_codes.AS_EXPECTED if self.opened else exit_codes.DEVIATIONS)

    def _write(self, *lines: Line) -> None:
        """Write lines to the journal, if there is one; if that fails, the run ends soon."""
        try:
            if self._journal is not None:
                self._journal.write(*lines)
        except JournalWriteError as error:
            self.trouble = str(error)

    def _open_journal(self) -> None:
        path, earlier = Path(self.options.cl_out) / JOURNAL, self.plan.earlier
        keep = earlier.journal.whole if earlier else 0  # never a new file: a worker of pytest-xdist may have it open
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._journal = JournalWriter(path, keep=None if self.worker else keep)
            self._reader = JournalReader(path)
            if not self.worker:
                packed_name(path).unlink(missing_ok=True)
            if self.options.cl_journal == "full":
                self._every_call = EveryCall(self._all_calls(path.with_name(CALLS), resumed=earlier is not None))
            elif not self.worker and earlier is None:
                path.with_name(CALLS).unlink(missing_ok=True)
        except BlockingIOError:
            message = f"clconform: another run is writing {path}; wait for it, or choose another folder with --out"
            pytest.exit(message, returncode=exit_codes.BAD_USAGE)
        except OSError as error:
            message = f"clconform: cannot write {path} ({error.strerror}); choose another folder with --out"
            pytest.exit(message, returncode=exit_codes.BAD_USAGE)

    def _all_calls(self, path: Path, *, resumed: bool) -> JournalWriter:
        """Return the writer of every call, which appends in a resumed run."""
        return JournalWriter(
            path, keep=None if self.worker else path.stat().st_size if resumed and path.exists() else 0
        )

    def _write_opening(self, journal: JournalWriter, target: Target) -> None:
        self.opened = True
        header, earlier = header_of(self.config, target, self.session.tables), self.plan.earlier
        platform, reported = tested_lines(self.session)
        if earlier is None:
            journal.write(header)
        else:
            earlier.check_header(header)
            earlier.check_platform(platform)
            journal.write(Resumed(now()))
        ending.remove_reports(journal.path.parent)
        if earlier is None or earlier.journal.platform is None:
            journal.write(platform)
        if earlier is None or not earlier.journal.capabilities:
            journal.write(reported)

    def close(self) -> None:
        """End the driver's process and close the journal."""
        if self._ahead is not None:
            self._ahead.abandon()
        if self._session is not None:
            self._session.close()
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._every_call is not None:
            self._every_call.close()
            self._every_call = None

    # items

    def select(self, choice: Choice) -> None:
        """Write the records that items target although none of them is run."""
        self._selection = Selection(len(choice.kept) + len(choice.finished), choice.not_run())
        if not self.worker:
            self._write_selection()

    def selected_by_workers(self, items: int) -> None:
        """Write how many items the workers of pytest-xdist are going to run, in the controlling process, once."""
        if self._selected_by_workers != items:
            self._selected_by_workers = items
            self._write(Selection(items + len(self.plan.finished)))

    def _write_selection(self) -> None:
        """Write the selection once; in a worker of pytest-xdist only at its first item, after the header."""
        if self._journal is not None and self._selection is not None:
            self._write(self._selection)
        self._selection = None

    def begin_item(self, item: pytest.Item) -> None:
        """Start recording an item and set its seed; if the budget is spent, only remember its records."""
        budget = self.plan.budget
        self.begun = not self.trouble
        if self.begun and budget is not None and budget.is_spent(deviations=bool(self._recorder.keys)):
            self.begun = False
            self._unreached.append(aims_of(item))
        if not self.begun:
            return
        self._item, self._outcome, self._reason, self._skipped = item, "passed", "", ""
        self._write_selection()
        self._item_started = time.monotonic()
        name = item_id(item)
        self.session.aim_at(aims_of(item))
        self._recorder.begin(name, drawn=is_random(item))
        if hasattr(getattr(item, "obj", None), "hypothesis"):
            hypothesis.seed(item_seed(self.options.cl_seed, name))(item.obj)  # type: ignore[attr-defined]

    def seed_of(self, item: pytest.Item) -> int:
        """Return the seed of an item."""
        return item_seed(self.options.cl_seed, item_id(item))

    @contextlib.contextmanager
    def judged(self, item: pytest.Item) -> Generator[None, None, None]:
        """Run an item, as a single example if it draws none, and fail it if the driver deviated.

        A deviation counts even if the item is skipped afterwards. ItemLostError: it could not be run to its end.
        """
        skipped: BaseException | None = None
        self.session.unproved = ""
        try:
            with self.session.own_work.bounded(), contextlib.nullcontext() if is_random(item) else self._example(item):
                try:
                    yield
                except pytest.skip.Exception as reason:
                    skipped, self._skipped = reason, str(reason)
        except Exception as error:
            unlike = UNLIKE if _drawn_otherwise(error) else ""
            lost = self._lost_to(error, item) or unlike
            if lost and not (unlike and self._recorder.deviations):
                raise ItemLostError(lost) from error
            if not lost:
                raise
        self._failed_starts = 0
        deviations = list(self._recorder.deviations.values())
        if deviations:
            expected = self._known.expect_all(deviations, self.session)
            kind = ExpectedDeviationError if expected else DeviationError
            raise kind("\n\n".join(ending.describe(deviation) for deviation in deviations))
        if self.session.unproved:
            raise ItemLostError(f"{self.session.unproved}, and it is not known whether the driver is to blame for it")
        if skipped is not None:
            raise skipped

    def _lost_to(self, error: Exception, item: pytest.Item) -> str:
        """Return why an item cannot be run to its end, in a line; empty if the reason is in the item itself.

        The driver does not start again, the journal cannot be written, or this machine lacks something. If that is
        not going to change, no further item is begun.
        """
        if self._journal is not None and self._journal.broken:
            self.trouble = self._journal.broken
        elif self._every_call is not None and self._every_call.broken:
            self.trouble = self._every_call.broken
        elif shortage_in(error):
            self.trouble = shortage_in(error)
            self.short = True
        elif self.session.start_error is not None:
            return self._not_started(self.session.start_error, item)
        return self.trouble

    def _not_started(self, error: HarnessError, item: pytest.Item) -> str:
        deviation = (
            start_deviation(error, self.session.tables, item_id(item)) if isinstance(error, StartError) else None
        )
        if deviation is not None:
            self._recorder.keys.add(deviation.key)
            self._write(deviation)
        self._failed_starts += 1
        if self._failed_starts >= MOST_FAILED_STARTS:
            self.trouble = f"the driver did not start {self._failed_starts} times in a row: {error}"
        return str(error)

    def _example(self, item: pytest.Item) -> AbstractContextManager[Session]:
        if getattr(getattr(item, "callspec", None), "params", {}).get("case", NOTHING).fresh:
            self.session.restart()
        return self.session.example()

    def skip_where_nothing_applies(self, item: pytest.Item) -> None:
        """Skip an item if its first (main) record does not apply."""
        gate = next((self.session.applies(record) for record in aims_of(item)), "")
        if gate:
            pytest.skip(f"not applicable: {gate}")

    def skip_where_it_hung(self, item: pytest.Item) -> None:
        """Skip a table-driven item if calls for all its records have hung before, to save time."""
        records = aims_of(item)
        if records and not is_random(item) and all(map(self.session.is_silent, records)):
            pytest.skip(f"an earlier call for {records[0]} hung")

    def note(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        """Record an item's outcome, and note in its report which item it is, and the kind of failure."""
        if self._item is not None:
            report.clconform_item = self._recorder.item  # type: ignore[attr-defined]
        if report.outcome == "skipped":
            self._outcome = "skipped"
            words = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self._skipped = words.removeprefix("Skipped: ")
        if report.outcome == "failed" and call.excinfo is not None and call.excinfo.errisinstance(ItemLostError):
            self.begun = False  # the item has no end, so that a resumed run repeats it
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
        if not self.begun:
            return
        aims = aims_of(self._item) if self._item is not None else ()
        reason, seconds = self._reason or self._skipped, time.monotonic() - self._item_started
        try:
            self._recorder.end(self._outcome, seconds, reason, aims, skipped=bool(self._skipped))
        except JournalWriteError as error:
            self.trouble = str(error)

    # the end

    def end_items(self) -> None:
        """Write the records for which no budget was left: the last line of this process about items."""
        if self._journal is not None and self._unreached:
            self._write_selection()
            aimed = {record for aims in self._unreached for record in aims}
            self._write(Selection(0, dict.fromkeys(sorted(aimed), BUDGET_SPENT), len(self._unreached)))

    def finish(self, session: pytest.Session, kinds: set[str], stop: Stop, *, interrupted: bool) -> None:
        """Confirm and minimise deviations, write reports, set the exit code. ``kinds``: of failures in reports.

        ``stop``: the signals of this process, which are held already; ``interrupted``: by one of them, or by Ctrl-C.
        """
        progress = self.config.pluginmanager.get_plugin(PROGRESS)
        if progress is not None:
            progress.end_items()
        if self._journal is not None and self._reader is not None and self.opened:
            if self._session is not None:
                self._session.close()
            if self._ahead is not None and (interrupted or self.trouble):
                self._ahead.abandon()
            packing = Packing(self._journal.path)
            try:
                if not interrupted and not self.trouble and self._session is not None:
                    with stop.released():
                        self._confirm_and_minimise(self._journal, self._reader, self._session)
            except KeyboardInterrupt:
                interrupted = True
            except JournalWriteError as error:
                self.trouble = str(error)
            earlier = self.plan.earlier.seconds if self.plan.earlier else 0.0
            self._write(RunEnd(now(), earlier + time.monotonic() - self._begun_at, interrupted))
            self._result, self.error = ending.report(self._reader, Path(self.options.cl_out), self._known)
            if interrupted or self.trouble or self.error is not None:
                packing.abandon()
            else:
                self._journal_name = ending.packed_journal(packing, self._journal)
        short = self.short or bool(self._journal is not None and self._journal.broken)
        session.exitstatus = exit_codes.deciding(
            [
                *([stop.code] if interrupted else []),
                *([exit_codes.NO_RESOURCES] if short else []),
                *ending.exit_codes_of(
                    0 if interrupted else session.exitstatus, kinds, self._result, self.error, self._known
                ),
            ]
        )

    def _confirm_and_minimise(self, journal: JournalWriter, reader: JournalReader, session: Session) -> None:
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        progress = self.config.pluginmanager.get_plugin(PROGRESS)
        if reporter is not None:
            end_line(self.config.get_terminal_writer())
        ending.confirm_and_minimise(
            journal,
            reader,
            session.target,
            device_index=self.options.cl_device,
            processes=getattr(self.options, "numprocesses", None) or 1,
            seconds_each=self.options.cl_minimise_seconds,
            items_seconds=time.monotonic() - self._begun_at,
            budget=self.plan.budget,
            once=self.options.cl_quick,
            smoke=self.options.cl_tier == tiers.SMOKE,
            known=self._known,
            say=reporter.write_line if reporter is not None else lambda _line: None,
            confirmed=progress.confirmed if progress is not None else None,
            fail=self._fail,
            ahead=self._ahead,
        )
        if progress is not None:
            progress.stop()

    def _fail(self, key: str, error: Exception) -> None:
        """Report an exception of our own while a deviation was repeated, as for an item."""
        name = f"confirming {visible(key, limit=120)}"
        told = "".join(traceback.format_exception(error))
        report = pytest.TestReport(name, (name, None, name), {}, "failed", told, "call")
        report.clconform = "failure"  # type: ignore[attr-defined]
        self.config.hook.pytest_runtest_logreport(report=report)

    def summarize(self, reporter: Any) -> None:
        """Print the summary of the run that has just ended."""
        if self._result is not None:
            journal = self._journal_name if self.error is None else ""
            ending.summarize(self._result, Path(self.options.cl_out), reporter, journal)
        for problem in (self.trouble, self.error):
            if problem:
                reporter.write_line(f"clconform: {visible(str(problem), limit=1000)}")


def _drawn_otherwise(error: BaseException) -> bool:
    """Return whether Hypothesis has noticed that the same choices do not lead to the same draws, and nothing else."""
    if isinstance(error, BaseExceptionGroup):
        return all(_drawn_otherwise(each) for each in error.exceptions)
    return isinstance(error, (FlakyStrategyDefinition, FlakyReplay))
