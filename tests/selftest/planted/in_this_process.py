"""Sessions on a simulated platform in the process of the tests: many faults can be tried in little time."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.harness import Deadlines, Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.selftest.trial import run
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load

from .blaming import violated

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    import pytest

    from clconform.calls.call import Call, Outcome
    from clconform.runner.pytest_plugin.aims import Case

    Change = Callable[[Simulation, Call, Outcome], Outcome]


class InThisProcess:
    """A worker without a process: the simulated platform, with a change to its outcomes while it is tried."""

    alive, has_died = True, False
    deadlines = Deadlines()

    def __init__(self) -> None:
        self._simulation = Simulation(load(), "everything", TOPOLOGIES["everything"])
        self.change: Change = lambda _simulation, _call, outcome: outcome
        self.greeting = self._simulation.reached()

    def begin(self) -> None:
        """Begin an example."""
        self._simulation.begin()

    def ask(self, call: Call, _deadline: float | None = None) -> Outcome:
        """Answer a call."""
        outcome = self.change(self._simulation, call, self._simulation.answer(call))
        return self._simulation.delivered(call, outcome)

    def forget(self, names: list[str]) -> None:
        """Forget objects that are gone."""

    def close(self) -> None:
        """End it."""


WORKER = functools.cache(InThisProcess)


@functools.cache
def _session() -> Session:
    return Session(Target.simulated("everything"), load(), Recorder(None))


def opened(monkeypatch: pytest.MonkeyPatch, change: Change) -> tuple[Session, Recorder]:
    """Return the session on a simulated platform with everything, whose outcomes are changed, and what it records."""
    worker = WORKER()
    monkeypatch.setattr("clconform.runner.session.session.Worker", lambda *_, **__: worker)
    session, recorder = _session(), Recorder(None)
    session.observer = recorder
    monkeypatch.setattr(worker, "change", change)
    return session, recorder


def missed(
    monkeypatch: pytest.MonkeyPatch, change: Change, cases: Iterable[Case], records: Collection[str]
) -> set[str]:
    """Run the cases that aim at some records with a change; return the records that none of them found violated."""
    session, recorder = opened(monkeypatch, change)
    for case in cases:
        left = set(records) - violated(recorder)
        if left & {case.record, *case.records}:
            run(case, session)
    return set(records) - violated(recorder)
