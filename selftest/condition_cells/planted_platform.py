"""A simulated platform that treats the calls of one cell wrongly, and the trial that runs items on it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from clconform.calls.call import Returned
from clconform.harness import BadCall
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.observer import SessionObserver
from clconform.selftest.attribution.platform_sessions import open_session, run_limited
from clconform.selftest.condition_cells.call_features import describe_shape, find_carriers
from clconform.selftest.outcome_changes import get_stem, has_succeeded, with_code
from clconform.selftest.trial import run_item
from clconform.simulator.answer_policy import FirstAllowedPolicy
from clconform.simulator.topologies import require_platform
from clconform.spec_tables.conditions import ABOUT_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.session import Session
    from clconform.selftest.trial import Runnable
    from clconform.simulator.platform import Simulation
    from clconform.simulator.topologies import SimulatedPlatform
    from clconform.spec_tables import Tables

RETAIN = "clRetain"
UNKNOWN_NUMBER = 99_999_999
"""The number in the name of an object that the model does not know."""


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


class _PlantedPolicy(FirstAllowedPolicy):
    """Chooses the first allowed results, except for the calls that planted faults affect.

    ``acting``: the fault that has affected the last call, or None. ``retained``: the names of the objects that the
    application has retained in this example.
    """

    def __init__(self, plan: SimulatedPlatform) -> None:
        super().__init__(plan)
        self.faults: Collection[PlantedFault] = ()
        self.find_test_value: Callable[[], str] = str
        self.acting: PlantedFault | None = None
        self.retained: set[str] = set()

    def begin_example(self) -> None:
        """Forget the retained objects."""
        self.retained = set()

    def choose_error(self, expectation: Expectation) -> str:
        """Return the code with which a call fails; empty if it succeeds."""
        self._note_retained(expectation.call)
        value = self.find_test_value() if self.faults else ""
        affecting = (each for each in self.faults if each.affects(expectation, value, self.retained))
        self.acting = next(affecting, None)
        return super().choose_error(expectation) if self.acting is None else self.acting.code

    def _note_retained(self, call: Call) -> None:
        if call.function.startswith(RETAIN):
            names = (getattr(value, "name", "") for value in call.arguments.values())
            self.retained.update(filter(None, names))

    def complete_success(self, simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        """Return success for a violation that a fault accepts, even if the model does not define its result."""
        function = simulation.tables.functions.get(call.function)
        if self.acting is None or self.acting.code or function is None or not isinstance(outcome, Returned):
            return outcome
        if has_succeeded(function, outcome):
            return outcome
        value = 0 if function.error_by == "return" else f"{get_stem(function.creates)}{UNKNOWN_NUMBER}"
        return msgspec.structs.replace(with_code(function, outcome, 0), value=value)


@dataclass
class TrialResult:
    """The result of a run with a planted fault.

    ``requirements``: the requirements of the first deviation at an affected call; ``noticed``, ``unnoticed``: the names
    of the affected calls with and without a deviation. ``allowed_by``: the error conditions that allow the error of an
    unnoticed call, each with its interpretation, which may be empty.
    """

    requirements: tuple[str, ...] = ()
    allowed_by: dict[str, str] = field(default_factory=dict)
    noticed: list[str] = field(default_factory=list)
    unnoticed: list[str] = field(default_factory=list)


def _find_allowing_conditions(expectation: Expectation, code: str) -> dict[str, str]:
    """Map the conditions that allow a call to fail with a code to their interpretations."""
    found = {held.clause.id: held.interpretation for held in expectation.optional_errors if held.clause.code == code}
    if found or code not in expectation.resource_codes:
        return found
    clauses = expectation.context.model.tables.error_conditions_of(expectation.call.function)
    return {each.id: "" for each in clauses if each.code == code and each.condition.kind in ABOUT_RESOURCES}


class CallObserver(Protocol):
    """A function that handles one judged call of a run without a fault."""

    def __call__(self, expectation: Expectation, retained: set[str]) -> None:
        """Handle a call; ``retained``: the names of the objects retained so far."""


class CellTrial(SessionObserver):
    """Runs items on one simulated platform, with and without a planted fault; ``session``: the session."""

    def __init__(self, platform: str, tables: Tables) -> None:
        """Start a session; HarnessError for an unknown platform."""
        self._policy = _PlantedPolicy(require_platform(platform))
        self._observe: CallObserver | None = None
        self._faults: Mapping[PlantedFault, Collection[str]] = {}
        self._results: dict[PlantedFault, TrialResult] = {}
        self.session: Session = open_session(platform, tables, self, self._policy, self._policy.complete_success)
        self._policy.find_test_value = lambda: self.session.sequence.test_value

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Store what an affected call shows, or pass a call to the observer."""
        del outcome, steps
        fault, self._policy.acting = self._policy.acting, None
        if self._observe is not None:
            self._observe(expectation, self._policy.retained)
        if fault is None:
            return
        fitting = self._faults[fault]
        named = tuple(
            requirement
            for deviation in judgement.deviations
            if not set(deviation.requirements).isdisjoint(fitting)
            for requirement in deviation.requirements
        )
        result = self._results.setdefault(fault, TrialResult())
        result.requirements = result.requirements or named
        if not named:
            result.allowed_by.update(_find_allowing_conditions(expectation, fault.code))
        (result.noticed if named else result.unnoticed).append(fault.name_call(expectation.call, test_value))

    def collect(self, case: TableCase) -> list[object]:
        """Run a case without a fault, and return what its action returns: a list, or nothing."""
        returned: list[object] = []

        def act(session: Session) -> None:
            found = case.action(session)
            returned.extend(found if isinstance(found, list) else ())

        self._run_unchanged(replace(case, action=act))
        return returned

    def observe(self, item: Runnable, observer: CallObserver) -> None:
        """Run an item without a fault, and pass its judged calls to an observer."""
        self._observe = observer
        try:
            self._run_unchanged(item)
        finally:
            self._observe = None

    def _run_unchanged(self, item: Runnable) -> None:
        """Run an item without a fault; it ends early at a call that cannot be made."""
        with suppress(UndefinedCallError, BadCall):
            run_item(item, self.session)

    def try_faults(
        self, faults: Mapping[PlantedFault, Collection[str]], item: Runnable
    ) -> dict[PlantedFault, TrialResult]:
        """Run an item with faults, each in other calls; return what the faults show that have affected a call.

        ``faults``: maps each fault to the requirements that fit a deviation at its calls.
        """
        self._results, self._faults, self._policy.faults = {}, faults, tuple(faults)
        try:
            run_limited(item, self.session)
        finally:
            self._policy.faults = ()
            if not all(fault.code for fault in self._results):  # the state after an accepted violation is unknown
                self.session.process.end()
        return self._results
