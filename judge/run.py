"""One run of the suites in one process: the session, the journal, and the account of items."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib.metadata
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from clconform.calls.journal import CapabilityLine, PlatformLine, RunEnd, RunHeader, Selection
from clconform.harness import HarnessError
from clconform.harness.confinement import die_with_parent
from clconform.judge import ending, exit_codes
from clconform.judge.aims import Case
from clconform.judge.applicability import applicability, words_of
from clconform.judge.errors import DeviationError, ExpectedDeviationError
from clconform.judge.examples import item_seed
from clconform.judge.journal import JournalWriter
from clconform.judge.known import known_of
from clconform.judge.naming import target_of
from clconform.judge.recorder import Recorder
from clconform.judge.selection import aims_of, is_random
from clconform.judge.session import Session
from clconform.oracles.capabilities import capabilities
from clconform.oracles.register import REGISTER
from clconform.spec_tables import TablesError, load

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractContextManager

    from clconform.harness import Target

NOTHING = Case("", "", lambda _session: None)
"""Stands for the case of an item that has none."""


class Run:
    """Everything that lasts from the first item to the last report."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.options = config.option
        self.worker = hasattr(config, "workerinput")
        if self.worker:
            die_with_parent()
        self._session: Session | None = None
        self._recorder = Recorder(None)
        self._journal: JournalWriter | None = None
        self._item: pytest.Item | None = None
        self._outcome = "passed"
        self._reason = ""
        self._skipped = ""
        self._started = time.monotonic()
        self._item_started = 0.0
        self._result: Any = None
        self._known = known_of(self.options)
        self._selection: Selection | None = None

    # the session

    @property
    def session(self) -> Session:
        """Return the session with the driver under test, opened at its first use."""
        if self._session is None:
            self.open()
        if self._session is None:
            raise AssertionError("open() leaves a session behind or raises")
        return self._session

    def open(self) -> None:
        """Reach the driver and open the journal; the run ends with a line and an exit code where that fails."""
        if self._session is not None:
            return
        try:
            target = target_of(self.options)
            tables = load()
            if self.options.cl_out:
                self._open_journal()
            self._recorder = Recorder(None)
            self._session = Session(
                target,
                tables,
                self._recorder,
                device_index=self.options.cl_device,
                robustness=self.options.robustness,
            )
        except HarnessError as error:
            pytest.exit(f"clconform: {error}", returncode=exit_codes.NO_SUCH_PLATFORM)
        except TablesError as error:
            pytest.exit(f"clconform: {error}", returncode=exit_codes.OUR_FAILURE)
        self._recorder.journal = self._journal
        if self._journal is not None and not self.worker:
            self._write_opening(target)

    def _open_journal(self) -> None:
        path = Path(self.options.cl_out) / ending.JOURNAL
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not self.worker:
                path.write_bytes(b"")  # emptied, not removed: a worker of pytest-xdist may have it open
            self._journal = JournalWriter(path)
        except OSError as error:
            message = f"clconform: {path} cannot be written ({error.strerror}); choose another folder with --out"
            pytest.exit(message, returncode=exit_codes.BAD_USAGE)

    def _write_opening(self, target: Target) -> None:
        session, tables = self.session, self.session.tables
        if self._journal is None:
            return
        self._journal.write(
            RunHeader(
                version=importlib.metadata.version("clconform"),
                seed=self.options.cl_seed,
                tier=self.options.cl_tier,
                started=_now(),
                target=target.describe(),
                documents={document.key: document.revision for document in tables.documents.values()},
                tables="-".join(sorted(document.digest for document in tables.documents.values())),
            )
        )
        reached = session.reached
        platform = next(p for p in reached.platforms if p.handle == session.base.platform)
        not_applicable, untestable = applicability(session)
        self._journal.write(
            PlatformLine(
                platform=platform,
                device=session.base.device,
                way=reached.way,
                loader=reached.loader,
                libraries=reached.libraries,
                not_applicable=not_applicable,
                untestable=untestable,
                words=words_of(tables),
                empty=reached.empty,
                register=list(REGISTER.values()),
            )
        )
        self._journal.write(CapabilityLine(capabilities(session.model)))

    def close(self) -> None:
        """End the driver's process and close the journal."""
        if self._session is not None:
            self._session.close()
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    # items

    def select(self, kept: list[pytest.Item], left_out: list[pytest.Item]) -> None:
        """Write down which records no item was run for, although one aims at them."""
        if not kept and not left_out:  # the controller of pytest-xdist, which collects nothing
            return
        chosen = {record for item in kept for record in aims_of(item)}
        missed = {record for item in left_out for record in aims_of(item)} - chosen
        self._selection = Selection(len(kept), dict.fromkeys(sorted(missed), "deselected"))
        if not self.worker:
            self._write_selection()

    def _write_selection(self) -> None:
        """Write the selection once; in a worker of pytest-xdist not before its first item, when the header stands."""
        if self._journal is not None and self._selection is not None:
            self._journal.write(self._selection)
        self._selection = None

    def begin_item(self, item: pytest.Item) -> None:
        """Open the account of an item, and give it its seed."""
        self._item, self._outcome, self._reason, self._skipped = item, "passed", "", ""
        self._write_selection()
        self._item_started = time.monotonic()
        name = item_id(item)
        self._recorder.begin(name)
        if hasattr(getattr(item, "obj", None), "hypothesis"):
            hypothesis.seed(item_seed(self.options.cl_seed, name))(item.obj)  # type: ignore[attr-defined]

    def seed_of(self, item: pytest.Item) -> int:
        """Return the seed of an item."""
        return item_seed(self.options.cl_seed, item_id(item))

    @contextlib.contextmanager
    def judged(self, item: pytest.Item) -> Generator[None, None, None]:
        """Run an item, as one example of its own where it draws none, and fail it where the driver deviated.

        That it deviated counts where it was skipped after that, too.
        """
        skipped: BaseException | None = None
        with contextlib.nullcontext() if is_random(item) else self._example(item):
            try:
                yield
            except pytest.skip.Exception as reason:
                skipped, self._skipped = reason, str(reason)
        deviations = list(self._recorder.deviations.values())
        if deviations:
            expected = self._known.expect_all(deviations, self.session)
            kind = ExpectedDeviationError if expected else DeviationError
            raise kind("\n\n".join(ending.describe(deviation) for deviation in deviations))
        if skipped is not None:
            raise skipped

    def _example(self, item: pytest.Item) -> AbstractContextManager[Session]:
        if getattr(getattr(item, "callspec", None), "params", {}).get("case", NOTHING).fresh:
            self.session.restart()
        return self.session.example()

    def skip_where_nothing_applies(self, item: pytest.Item) -> None:
        """Skip an item where a gate keeps its first record from applying, which is the one that it is about."""
        gate = next((self.session.applies(record) for record in aims_of(item)), "")
        if gate:
            pytest.skip(f"not applicable: {gate}")

    def skip_where_it_hung(self, item: pytest.Item) -> None:
        """Skip a table-driven item whose records have all met a call without an answer before: it would cost time."""
        records = aims_of(item)
        if records and not is_random(item) and all(map(self.session.is_silent, records)):
            pytest.skip(f"a call for {records[0]} has given no answer already")

    def note(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        """Remember how an item went, and say in a report what kind of failure it is."""
        if report.outcome == "skipped":
            self._outcome = "skipped"
            words = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self._skipped = words.removeprefix("Skipped: ")
        if report.outcome == "failed":
            deviating = call.excinfo is not None and call.excinfo.errisinstance(DeviationError)
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
        """Close the account of an item."""
        aims = aims_of(self._item) if self._item is not None else ()
        reason, seconds = self._reason or self._skipped, time.monotonic() - self._item_started
        self._recorder.end(self._outcome, seconds, reason, aims, skipped=bool(self._skipped))

    # the end

    def finish(self, session: pytest.Session, kinds: set[str]) -> None:
        """Make the second pass and the reports; set the exit code. ``kinds``: of failures seen in reports."""
        interrupted = session.exitstatus == pytest.ExitCode.INTERRUPTED
        if self._journal is not None and self._session is not None:
            self._session.close()
            try:
                if not interrupted:
                    ending.second_pass(self._journal, self._session, self.options, self._reporter())
            except KeyboardInterrupt:
                interrupted, session.exitstatus = True, exit_codes.INTERRUPTED
            self._journal.write(RunEnd(_now(), time.monotonic() - self._started, interrupted))
            self._result = ending.report(Path(self.options.cl_out), self._known)
        session.exitstatus = ending.exit_code(session.exitstatus, kinds, self._result, self._known)

    def _reporter(self) -> Any:
        return self.config.pluginmanager.get_plugin("terminalreporter")

    def summarize(self, reporter: Any) -> None:
        """Print the summary of the run that has just ended."""
        if self._result is not None:
            ending.summarize(self._result, Path(self.options.cl_out), reporter)


def item_id(item: pytest.Item) -> str:
    """Return an item's id from the suites folder on, so that it is the same in a checkout and in an installed wheel."""
    _, _, rest = item.nodeid.rpartition("suites/")
    return f"suites/{rest}"


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
