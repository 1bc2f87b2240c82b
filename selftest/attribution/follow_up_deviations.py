"""Run items on a simulated platform with one faulty function, and collect the follow-up deviations.

The fault is of one of three kinds. ``accepts``: the function accepts calls that it must reject, and the platform
performs such a call as far as the model defines it. ``fails``: the function performs a valid call, and returns an error
that the tables do not list for it. ``lacks``: the function performs a valid call, and returns an out-of-resources
error.

The judge reports the faulty result as a deviation, unless it is an out-of-resources error. After such a call the judge
must treat the affected objects as unknown, so every deviation of a later call is a false alarm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from clconform.calls.call import Returned
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.observer import SessionObserver
from clconform.selftest.attribution.platform_sessions import open_session, run_limited
from clconform.selftest.outcome_changes import as_failed, get_code, has_succeeded
from clconform.simulator.answer_policy import FirstAllowedPolicy
from clconform.simulator.topologies import require_platform

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.simulator.platform import Simulation
    from clconform.simulator.topologies import SimulatedPlatform
    from clconform.spec_tables import Tables

FaultKind: TypeAlias = Literal["accepts", "fails", "lacks"]
"""The kind of faulty result: an accepted invalid call, or an error for a valid call that the platform has performed.

The error of ``fails`` is a code that does not exist in OpenCL; the error of ``lacks`` is an out-of-resources code.
"""
UNKNOWN_CODE = -9999
"""An error code that does not exist in OpenCL."""
RESOURCE_CODES = ("CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY")
"""The out-of-resources codes that a faulty function returns; most functions list both."""


@dataclass(frozen=True)
class FollowUpDeviation:
    """A deviation that follows a faulty result of ``function``; ``item``: the first item in which it occurs."""

    function: str
    key: str
    item: str
    observed: str


@dataclass
class AttributionSummary:
    """The numbers of ``items``, ``faulty_results`` and ``failed_items``, and the deviations in ``follow_ups``."""

    items: int = 0
    faulty_results: int = 0
    failed_items: int = 0
    follow_ups: list[FollowUpDeviation] = field(default_factory=list)


class _FaultyPolicy(FirstAllowedPolicy):
    """A result policy that chooses the first allowed outcome, except for one faulty ``function``.

    ``wrong``: the number of faulty results. ``against``: the error conditions that held for calls that the function has
    accepted in this example. ``failed``: the function has returned a faulty error in this example. ``just_now``: the
    call that is judged next has returned a faulty error.
    """

    def __init__(self, plan: SimulatedPlatform, way: FaultKind, tables: Tables) -> None:
        super().__init__(plan)
        self._way, self._tables, self._functions = way, tables, tables.functions
        self.function = ""
        self._code: int | None = None
        self.wrong = 0
        self.against: set[str] = set()
        self.failed = self.just_now = False

    def set_faulty_function(self, function: str) -> None:
        """Set the function whose results are faulty from now on; an empty name disables the fault."""
        self.function, self._code = function, self._get_error_code(function)

    @property
    def has_acted(self) -> bool:
        """Return whether the faulty function has returned a faulty result in this example."""
        return bool(self.against) or self.failed

    def is_own_failure(self, outcome: Outcome, call: Call) -> bool:
        """Return whether an outcome contains the faulty error code.

        The order in which outcomes are judged is irrelevant.
        """
        function = self._functions.get(call.function)
        if self._code is None or function is None or not isinstance(outcome, Returned):
            return False
        return get_code(function, outcome) == self._code

    def _get_error_code(self, function: str) -> int | None:
        """Return the error code of the faulty function for valid calls; None if their results are unchanged."""
        if self._way == "fails":
            return UNKNOWN_CODE
        named = {clause.code for clause in self._tables.error_conditions_of(function)}
        lack = next((name for name in RESOURCE_CODES if name in named), None) if self._way == "lacks" else None
        return None if lack is None else self._tables.enumerants[lack].value

    def begin_example(self) -> None:
        """Forget the faulty results of the previous example."""
        self.against, self.failed, self.just_now = set(), False, False

    def choose_error(self, expectation: Expectation) -> str:
        """Return the code with which a call fails; empty if it succeeds."""
        if self._way == "accepts" and expectation.call.function == self.function and expectation.required_errors:
            self.wrong += 1
            self.against.update(held.clause.id for held in expectation.required_errors)
            return ""
        return super().choose_error(expectation)

    def change(self, _simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        """Return the outcome of a failed call if the faulty function has succeeded; return other outcomes unchanged."""
        function = self._functions.get(call.function)
        if self._code is None or call.function != self.function or function is None:
            return outcome
        if not isinstance(outcome, Returned) or function.returns == "void" or not has_succeeded(function, outcome):
            return outcome
        self.wrong += 1
        self.failed = self.just_now = True
        return as_failed(function, outcome, self._code)


class _FollowUpObserver(SessionObserver):
    def __init__(self, choices: _FaultyPolicy) -> None:
        self.tried = AttributionSummary()
        self.item = ""
        self._choices = choices
        self._known: set[tuple[str, str]] = set()

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Collect the deviations that are not faulty results of the function itself."""
        del steps, test_value
        own, self._choices.just_now = self._choices.just_now, False
        if own or not self._choices.has_acted or self._choices.is_own_failure(outcome, expectation.call):
            return
        function = self._choices.function
        for deviation in judgement.deviations:
            key = deviation_key(expectation.call.function, deviation)
            if not self._choices.against.issuperset(deviation.requirements) and (function, key) not in self._known:
                self._known.add((function, key))
                self.tried.follow_ups.append(FollowUpDeviation(function, key, self.item, deviation.observed))


def find_follow_up_deviations(
    topology: str, functions: Iterable[str], items: Iterable[SuiteItem], tables: Tables, way: FaultKind = "accepts"
) -> AttributionSummary:
    """Run the items that target each function, on a platform where this function is faulty; return the summary.

    ``way``: the kind of faulty result. An item ends early if the model cannot define or perform an invalid call, for
    example the creation of a billion sub-devices. HarnessError for an unknown topology.
    """
    choices = _FaultyPolicy(require_platform(topology), way, tables)
    watching = _FollowUpObserver(choices)
    session = open_session(topology, tables, watching, choices, choices.change)
    tried, every = watching.tried, list(items)
    for function in functions:
        for item in every:
            if function not in item.target_functions or any(map(session.find_inapplicability, item.requirements)):
                continue
            choices.set_faulty_function(function)
            watching.item = item.name
            tried.items += 1
            try:
                tried.failed_items += not run_limited(item, session)
            finally:
                choices.set_faulty_function("")
            if choices.has_acted:
                session.process.end()
    session.close()
    tried.faulty_results = choices.wrong
    return tried
