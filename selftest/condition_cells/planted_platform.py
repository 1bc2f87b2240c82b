"""A simulated platform that treats the calls of one cell wrongly, and the trial that runs items on it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from clconform.runner.session.observer import SessionObserver
from clconform.selftest.attribution.platform_sessions import open_session, run_limited
from clconform.selftest.condition_cells.call_features import describe_shape, find_carriers
from clconform.simulator.answer_policy import FirstAllowedPolicy
from clconform.simulator.topologies import require_platform

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session
    from clconform.selftest.trial import Runnable
    from clconform.simulator.topologies import SimulatedPlatform
    from clconform.spec_tables import Tables

RETAIN = "clRetain"


class PlantedFault(Protocol):
    """A fault of the simulated platform: which calls it affects, and the code that these calls return instead."""

    @property
    def code(self) -> str:
        """The error code of the affected calls; empty for success."""

    def affects(self, expectation: Expectation, test_value: str, retained: set[str]) -> bool:
        """Return whether the fault affects a call; ``retained``: the names of the objects retained so far."""

    def name_call(self, call: Call, test_value: str) -> str:
        """Return the name of an affected call."""


class RejectedNearMiss(NamedTuple):
    """The fault of a cell of near misses: valid calls of a function fail with the error code of a condition.

    ``calls``: the test values of these calls, or their shapes.
    """

    function: str
    code: str
    calls: frozenset[str]

    def affects(self, expectation: Expectation, test_value: str, retained: set[str]) -> bool:
        """Return whether a call is one of these valid calls."""
        del retained
        call = expectation.call
        if call.function != self.function or expectation.required_errors:
            return False
        return self.name_call(call, test_value) in self.calls

    def name_call(self, call: Call, test_value: str) -> str:
        """Return the test value of a call, or its shape."""
        return test_value if test_value in self.calls else describe_shape(call)


class AcceptedViolation(NamedTuple):
    """The fault of a cell of carried conditions: calls that violate the condition through the carrier succeed.

    ``parameters``: the parameters whose objects count.
    """

    clause: str
    carrier: str
    parameters: frozenset[str]
    code: str = ""

    def affects(self, expectation: Expectation, test_value: str, retained: set[str]) -> bool:
        """Return whether a call violates the condition with an object of this carrier."""
        del test_value
        return any(held.clause.id == self.clause for held in expectation.required_errors) and self.carrier in (
            find_carriers(expectation.call, expectation.context.model, self.parameters, retained)
        )

    def name_call(self, call: Call, test_value: str) -> str:
        """Return the test value of a call, or its shape if it has none."""
        return test_value or describe_shape(call)


class _FaultyPolicy(FirstAllowedPolicy):
    """Chooses the first allowed results, except for the calls that a planted fault affects.

    ``affected``: whether the fault has affected the last call.
    """

    def __init__(self, plan: SimulatedPlatform) -> None:
        super().__init__(plan)
        self.fault: PlantedFault | None = None
        self.find_test_value: Callable[[], str] = str
        self.affected = False
        self._retained: set[str] = set()

    def begin_example(self) -> None:
        """Forget the retained objects."""
        self._retained = set()

    def choose_error(self, expectation: Expectation) -> str:
        """Return the code with which a call fails; empty if it succeeds."""
        note_retained(expectation.call, self._retained)
        self.affected = self.fault is not None and self.fault.affects(
            expectation, self.find_test_value(), self._retained
        )
        if self.affected and self.fault is not None:
            return self.fault.code
        return super().choose_error(expectation)


def note_retained(call: Call, retained: set[str]) -> None:
    """Add the object of a call that retains it to ``retained``."""
    if call.function.startswith(RETAIN):
        retained.update(handle_name for value in call.arguments.values() if (handle_name := getattr(value, "name", "")))


@dataclass
class TrialResult:
    """What a run with a planted fault showed.

    ``requirements``: the requirements of the first deviation at an affected call; ``noticed``, ``unnoticed``: the names
    of the affected calls with and without a deviation.
    """

    requirements: tuple[str, ...] = ()
    noticed: list[str] = field(default_factory=list)
    unnoticed: list[str] = field(default_factory=list)


class CallObserver(Protocol):
    """A function that handles one judged call of a run without a fault."""

    def __call__(self, expectation: Expectation, outcome: Outcome, retained: set[str]) -> None:
        """Handle a call; ``retained``: the names of the objects retained so far."""


class CellTrial(SessionObserver):
    """Runs items on one simulated platform, with and without a planted fault; ``session``: the session."""

    def __init__(self, platform: str, tables: Tables) -> None:
        """Start a session; HarnessError for an unknown platform."""
        self._policy = _FaultyPolicy(require_platform(platform))
        self._retained: set[str] = set()
        self._observe: CallObserver | None = None
        self._fitting: Callable[[str], bool] = bool
        self._result = TrialResult()
        self.session: Session = open_session(platform, tables, self, self._policy)
        self._policy.find_test_value = lambda: self.session.sequence.test_value

    def on_example_start(self) -> None:
        """Forget the retained objects."""
        self._retained = set()

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Store what an affected call shows, or pass a call to the observer."""
        del steps
        note_retained(expectation.call, self._retained)
        affected, self._policy.affected = self._policy.affected, False
        if self._observe is not None:
            self._observe(expectation, outcome, self._retained)
        if not affected:
            return
        named = tuple(
            requirement
            for deviation in judgement.deviations
            if any(map(self._fitting, deviation.requirements))
            for requirement in deviation.requirements
        )
        self._result.requirements = self._result.requirements or named
        fault = self._policy.fault
        name = fault.name_call(expectation.call, test_value) if fault is not None else test_value
        (self._result.noticed if named else self._result.unnoticed).append(name)

    def collect(self, case: TableCase) -> list[object]:
        """Run a case without a fault, and return what its action returns: a list, or nothing."""
        returned: list[object] = []

        def act(session: Session) -> None:
            found = case.action(session)
            returned.extend(found if isinstance(found, list) else ())

        run_limited(replace(case, action=act), self.session)
        return returned

    def observe(self, item: Runnable, observer: CallObserver) -> None:
        """Run an item without a fault, and pass its judged calls to an observer."""
        self._observe = observer
        try:
            run_limited(item, self.session)
        finally:
            self._observe = None

    def try_fault(self, fault: PlantedFault, item: Runnable, fitting: Callable[[str], bool]) -> TrialResult:
        """Run an item with a fault; ``fitting``: whether a requirement fits a deviation at the affected calls."""
        self._result, self._fitting, self._policy.fault = TrialResult(), fitting, fault
        try:
            run_limited(item, self.session)
        finally:
            self._policy.fault = None
            if self._result.noticed or self._result.unnoticed:
                self.session.process.end()
        return self._result
