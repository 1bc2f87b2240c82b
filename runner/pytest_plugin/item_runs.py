"""Runs the items of a run one after another, and records their outcomes."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

import hypothesis
import pytest
from hypothesis.errors import FlakyReplay, FlakyStrategyDefinition

from clconform.harness import StartError
from clconform.harness.errors import ConnectionLostError, ProcessShortageError, UnreachableError
from clconform.harness.host_shortages import find_shortage
from clconform.harness.remote.losses import hold_losses
from clconform.runner.deviations.startup_failures import create_start_deviation
from clconform.runner.gate import finish
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.writer import JournalWriteError
from clconform.runner.pytest_plugin.covers import TableCase
from clconform.runner.pytest_plugin.item_selection import is_random, item_id, requirements_of
from clconform.runner.session.errors import (
    DeviationError,
    DeviceLostError,
    ExpectedDeviationError,
    OtherRevisionError,
)
from clconform.runner.session.examples import item_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager

    from clconform.harness import HarnessError
    from clconform.runner.pytest_plugin.run_context import RunContext
    from clconform.runner.pytest_plugin.run_journal import RunJournal
    from clconform.runner.session.session import Session

MAX_REPETITIONS = 3
"""How often an item is repeated, if the connection to the driver's machine is lost each time."""
EMPTY_CASE = TableCase("", "", lambda _session: None)
"""Stands for the case of an item that has no case."""
UNREPRODUCIBLE_DRAWS = "the driver returned different results for the same calls, so no further examples could be drawn"
"""Why a random item ends early if its next call depends on earlier results."""


class IncompleteItemError(Exception):
    """An item could not be completed, for a reason outside the item; the message is the reason.

    ``may_succeed``: a repetition of the item may succeed.
    """

    def __init__(self, message: str, *, may_succeed: bool = False) -> None:
        super().__init__(message)
        self.may_succeed = may_succeed


class ItemRuns:
    """The items of one process: the state of the current item, and the recorder of all of them.

    ``is_started``: the current item was started.
    """

    def __init__(self, context: RunContext, journal: RunJournal, open_session: Callable[[], Session]) -> None:
        """Start without an item; ``open_session`` returns the session of the run, and starts it on first use."""
        self._context, self._journal, self._open_session = context, journal, open_session
        self.recorder = Recorder(None)
        self.is_started = False
        self._item: pytest.Item | None = None
        self._outcome = "passed"
        self._reason = ""
        self._skipped = ""
        self._began_at = 0.0

    def begin(self, item: pytest.Item) -> None:
        """Start to record an item, and set its seed.

        If the budget is spent, only note the requirements of the item.
        """
        budget = self._context.plan.budget
        self.is_started = not self._context.stop_reason
        if self.is_started and budget is not None and budget.is_spent(deviations=bool(self.recorder.keys)):
            self.is_started = False
            self._journal.note_unreached(requirements_of(item))
        if not self.is_started:
            return
        self._item, self._outcome, self._reason, self._skipped = item, "passed", "", ""
        self._journal.write_pending_selection()
        self._began_at = time.monotonic()
        self._open_session().set_targets(requirements_of(item))
        self.recorder.begin_item(item_id(item), is_random=is_random(item))
        if hasattr(getattr(item, "obj", None), "hypothesis"):
            hypothesis.seed(self.seed_of(item))(item.obj)  # type: ignore[attr-defined]

    def seed_of(self, item: pytest.Item) -> int:
        """Return the seed of an item."""
        return item_seed(self._context.options.cl_seed, item_id(item))

    @contextlib.contextmanager
    def run(self, item: pytest.Item) -> Generator[None, None, None]:
        """Run an item, as a single example unless it is random, and fail it if the driver deviates.

        A deviation counts even if the item is skipped afterwards. IncompleteItemError if the item could not be
        completed.
        """
        skipped: BaseException | None = None
        session = self._open_session()
        session.process_ends.unproved_end = ""
        try:
            with (
                hold_losses(),
                session.self_limits.limit_block(),
                contextlib.nullcontext() if is_random(item) else _open_example(item, session),
            ):
                try:
                    yield
                except pytest.skip.Exception as reason:
                    skipped, self._skipped = reason, str(reason)
                except OtherRevisionError as reason:
                    skipped, self._skipped = pytest.skip.Exception(str(reason)), str(reason)
            if session.health is not None:
                session.health.check_if_suspicious()
        except Exception as error:
            unlike = UNREPRODUCIBLE_DRAWS if _has_unreproducible_draws(error) else ""
            lost = self._find_loss_reason(error, item, session) or unlike
            if lost and not (unlike and self.recorder.deviations):
                may_succeed = isinstance(error, ConnectionLostError) and not self._context.stop_reason
                raise IncompleteItemError(lost, may_succeed=may_succeed) from error
            if not lost:
                raise
        deviations = list(self.recorder.deviations.values())
        if deviations:
            expected = self._context.known.are_all_known(self.recorder.deviation_lines, session)
            kind = ExpectedDeviationError if expected else DeviationError
            raise kind("\n\n".join(finish.describe_deviation(deviation) for deviation in deviations))
        if session.process_ends.unproved_end:
            raise IncompleteItemError(
                f"{session.process_ends.unproved_end}, and it is unknown whether the driver is the cause"
            )
        if skipped is not None:
            raise skipped

    def repeat(self, item: pytest.Item) -> None:
        """Run an item again, of which the connection to the driver's machine was lost; errors as for ``run``."""
        for left in reversed(range(MAX_REPETITIONS)):
            try:
                with self.run(item):
                    item.runtest()
            except IncompleteItemError as error:
                if not left or not error.may_succeed:
                    raise
            else:
                return

    def _find_loss_reason(self, error: Exception, item: pytest.Item, session: Session) -> str:
        """Return why an item cannot be completed, as one line; empty if the reason is in the item itself.

        Reasons: the device was lost, the driver does not restart, the journal cannot be written, or this machine or
        the driver's process lacks resources. If the reason is permanent, items are no longer started.
        """
        context = self._context
        if isinstance(error, UnreachableError):
            context.stop_after_loss(str(error))
        if isinstance(error, (ProcessShortageError, ConnectionLostError)):
            return str(error)
        if self._journal.write_error:
            context.stop_reason = self._journal.write_error
        elif find_shortage(error):
            context.stop_reason = find_shortage(error)
            context.is_resource_shortage = True
        elif session.process.start_error is not None and not isinstance(error, DeviceLostError):
            return self._record_start_error(session.process.start_error, item, session)
        elif session.health is not None and session.health.lost:
            context.stop_after_loss(session.health.lost)
        return context.stop_reason

    def _record_start_error(self, error: HarnessError, item: pytest.Item, session: Session) -> str:
        deviation = (
            create_start_deviation(error, session.tables, item_id(item)) if isinstance(error, StartError) else None
        )
        if deviation is not None:
            self.recorder.keys.add(deviation.key)
            self._journal.write(deviation)
        self._context.check_device(session)
        return str(error)

    def skip_inapplicable(self, item: pytest.Item) -> None:
        """Skip an item if the first of its requirements, the main one, does not apply."""
        session = self._open_session()
        gate = next((session.find_inapplicability(requirement) for requirement in requirements_of(item)), "")
        if gate:
            pytest.skip(f"not applicable: {gate}")

    def skip_after_hangs(self, item: pytest.Item) -> None:
        """Skip a table-driven item if earlier calls for all its requirements have hung, to save time."""
        requirements, ends = requirements_of(item), self._open_session().process_ends
        if requirements and not is_random(item) and all(map(ends.has_hung, requirements)):
            pytest.skip(f"an earlier call for {requirements[0]} hung")

    def record_report(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
        """Record an item's outcome, and add the item's id and the kind of failure to its report."""
        if self._item is not None:
            report.clconform_item = self.recorder.item  # type: ignore[attr-defined]
        if report.outcome == "skipped":
            self._outcome = "skipped"
            words = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self._skipped = words.removeprefix("Skipped: ")
        if report.outcome == "failed" and call.excinfo is not None and call.excinfo.errisinstance(IncompleteItemError):
            self.is_started = False  # the item gets no end in the journal, so that a resumed run repeats it
            report.clconform, report.longrepr = "lost", str(call.excinfo.value)  # type: ignore[attr-defined]
        elif report.outcome == "failed":
            deviating = call.excinfo is not None and call.excinfo.errisinstance(DeviationError)
            values = self.recorder.deviation_values if deviating else {}
            report.clconform_deviations = values  # type: ignore[attr-defined]
            self._outcome = "failed" if deviating and self._outcome != "error" else "error"
            report.clconform = "deviation" if deviating else "failure"  # type: ignore[attr-defined]
            if call.excinfo is not None and call.excinfo.errisinstance(ExpectedDeviationError):
                self._outcome, report.outcome = "xfailed", "skipped"
                report.wasxfail = report.clconform = "expected"  # type: ignore[attr-defined]
            if deviating and call.excinfo is not None:
                report.longrepr = str(call.excinfo.value)
            else:
                self._reason = str(call.excinfo.value) if call.excinfo is not None else ""

    def end(self) -> None:
        """Finish recording an item that was started."""
        if not self.is_started:
            return
        aims = requirements_of(self._item) if self._item is not None else ()
        reason, seconds = self._reason or self._skipped, time.monotonic() - self._began_at
        try:
            self.recorder.end_item(self._outcome, seconds, reason, aims, skipped=bool(self._skipped))
        except JournalWriteError as error:
            self._context.stop_reason = str(error)


def _open_example(item: pytest.Item, session: Session) -> AbstractContextManager[Session]:
    if getattr(getattr(item, "callspec", None), "params", {}).get("case", EMPTY_CASE).needs_new_process:
        session.process.end()
    return session.example()


def _has_unreproducible_draws(error: BaseException) -> bool:
    """Return whether an error only means that Hypothesis could not reproduce its earlier random choices."""
    if isinstance(error, BaseExceptionGroup):
        return all(_has_unreproducible_draws(each) for each in error.exceptions)
    return isinstance(error, (FlakyStrategyDefinition, FlakyReplay))
