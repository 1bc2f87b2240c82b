"""Sessions on a simulated platform in the test process, so that many faults can be tried quickly."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.selftest.trial import run_item
from clconform.simulator.in_process_worker import InProcessWorker
from clconform.spec_tables import load

from .attribution import get_violated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import pytest

    from clconform.calls.call import Call, Outcome
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.simulator.platform import Simulation
    from clconform.simulator.server import Change


def _keep_outcome(_simulation: Simulation, _call: Call, outcome: Outcome) -> Outcome:
    return outcome


class SharedPlatform(InProcessWorker):
    """A simulated platform whose outcomes are changed by the current fault; it is never closed."""

    def __init__(self) -> None:
        self.change: Change = _keep_outcome
        super().__init__("everything", change=self._change_outcome)

    def _change_outcome(self, simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        return self.change(simulation, call, outcome)

    def close(self) -> None:
        """Keep the platform for the next test."""


WORKER = functools.cache(SharedPlatform)


@functools.cache
def _get_session() -> Session:
    return Session(Target.simulated("everything"), load(), Recorder(None))


def open_session(monkeypatch: pytest.MonkeyPatch, change: Change) -> tuple[Session, Recorder]:
    """Return the session on the topology ``everything`` with changed outcomes, and its recorder."""
    worker = WORKER()
    monkeypatch.setattr("clconform.runner.session.session_process.Worker", lambda *_, **__: worker)
    session, recorder = _get_session(), Recorder(None)
    session.observer = recorder
    monkeypatch.setattr(worker, "change", change)
    return session, recorder


def find_missed(
    monkeypatch: pytest.MonkeyPatch, change: Change, cases: Iterable[TableCase], requirements: Collection[str]
) -> set[str]:
    """Run the cases that target ``requirements`` with a change; return the requirements that none found violated."""
    session, recorder = open_session(monkeypatch, change)
    for case in cases:
        left = set(requirements) - get_violated(recorder)
        if left & {case.requirement, *case.further_requirements}:
            run_item(case, session)
    return set(requirements) - get_violated(recorder)
