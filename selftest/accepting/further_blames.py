"""Run items on a simulated platform with one faulty function, and collect the follow-up deviations.

The function accepts calls that it must reject, and the platform then performs the call as far as the model defines it.
Or it performs a valid call and returns an error that the tables do not list for it. The judge reports a deviation of
the function in both cases. Or it returns an out-of-resources error, which is not a deviation. After such a call the
judge must treat the affected objects as unknown, so every deviation of a later call is a false alarm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from clconform.calls.call import Returned
from clconform.harness import BadCall, Target
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.observer import Observer
from clconform.runner.session.own_work import OwnWork
from clconform.runner.session.session import Session
from clconform.selftest.outcomes import as_failed, code_of, succeeded
from clconform.selftest.trial import run
from clconform.simulator.choosing import FirstAllowed
from clconform.simulator.here import Here
from clconform.simulator.topologies import plan_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Outcome, Step
    from clconform.harness import Worker
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.pytest_plugin.items import Item
    from clconform.simulator.platform import Simulation
    from clconform.simulator.topologies import SimulatedPlatform
    from clconform.spec_tables import Tables

Way: TypeAlias = Literal["accepts", "fails", "lacks"]
"""The kind of faulty result: accept an invalid call, or perform a valid call and return an error.

The error is either a code that does not exist in OpenCL, or an out-of-resources code.
"""
SECONDS, MEMORY_BYTES = 20.0, 2 << 30
"""The limits on the CPU time of a call and on the memory of an item."""
NO_CODE = -9999
"""An error code that does not exist in OpenCL."""
LACKS = ("CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY")
"""The out-of-resources codes that are used; most functions list both."""


@dataclass(frozen=True)
class FurtherBlame:
    """A deviation that follows a faulty result of ``function``; ``item``: the first item that shows it."""

    function: str
    key: str
    item: str
    observed: str


@dataclass
class Tried:
    """The numbers of ``items`` run, of ``wrong`` results and of ``unable`` items, and the ``further`` deviations."""

    items: int = 0
    wrong: int = 0
    unable: int = 0
    further: list[FurtherBlame] = field(default_factory=list)


class _Wrongly(FirstAllowed):
    """An answer policy that chooses the first allowed outcome, except for one faulty ``function``.

    ``wrong``: the number of faulty results. ``against``: the error conditions whose calls it accepted in this example.
    ``failed``: it returned a faulty error in this example. ``just_now``: it did so in the call that is judged next.
    """

    def __init__(self, plan: SimulatedPlatform, way: Way, tables: Tables) -> None:
        super().__init__(plan)
        self._way, self._tables, self._functions = way, tables, tables.functions
        self.function = ""
        self._code: int | None = None
        self.wrong = 0
        self.against: set[str] = set()
        self.failed = self.just_now = False

    def answer_wrongly(self, function: str) -> None:
        """Set the function whose results are faulty from now on; an empty name disables the fault."""
        self.function, self._code = function, self._code_of(function)

    @property
    def has_answered(self) -> bool:
        """Return whether there was a faulty result in this example."""
        return bool(self.against) or self.failed

    def is_its(self, outcome: Outcome, call: Call) -> bool:
        """Return whether an outcome is the faulty error of the function, even if it is judged later."""
        function = self._functions.get(call.function)
        if self._code is None or function is None or not isinstance(outcome, Returned):
            return False
        return code_of(function, outcome) == self._code

    def _code_of(self, function: str) -> int | None:
        """Return the error that a function returns after it has performed a valid call; None if there is none."""
        if self._way == "fails":
            return NO_CODE
        named = {clause.code for clause in self._tables.clauses_of(function)}
        lack = next((name for name in LACKS if name in named), None) if self._way == "lacks" else None
        return None if lack is None else self._tables.enumerants[lack].value

    def begin(self) -> None:
        """Start an example."""
        self.against, self.failed, self.just_now = set(), False, False

    def error(self, expectation: Expectation) -> str:
        """Return the code with which a call fails; empty if it succeeds."""
        if self._way == "accepts" and expectation.call.function == self.function and expectation.musts:
            self.wrong += 1
            self.against.update(held.clause.id for held in expectation.musts)
            return ""
        return super().error(expectation)

    def changed(self, _simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        """Return the outcome as a failure if the faulty function has performed a valid call."""
        function = self._functions.get(call.function)
        if self._code is None or call.function != self.function or function is None:
            return outcome
        if not isinstance(outcome, Returned) or function.returns == "void" or not succeeded(function, outcome):
            return outcome
        self.wrong += 1
        self.failed = self.just_now = True
        return as_failed(function, outcome, self._code)


class _Platform(Here):
    def __init__(self, topology: str, choices: _Wrongly) -> None:
        super().__init__(topology, change=choices.changed)
        self._server.simulation.choices = choices


class _OnIt(Session):
    """A session with a faulty platform in this process."""

    def __init__(self, topology: str, tables: Tables, observer: Observer, choices: _Wrongly) -> None:
        self._topology, self._choices = topology, choices
        own_work = OwnWork(SECONDS, MEMORY_BYTES)
        super().__init__(Target.simulated(topology), tables, observer, own_work=own_work)

    def _started(self) -> Worker:
        return _Platform(self._topology, self._choices)

    def _ask_again(self) -> None:
        """Query nothing: these platforms report the same limits in every process."""


class _Watching(Observer):
    def __init__(self, choices: _Wrongly) -> None:
        self.tried = Tried()
        self.item = ""
        self._choices = choices
        self._known: set[tuple[str, str]] = set()

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Collect the deviations that are not faulty results of the function itself."""
        del steps, boundary
        own, self._choices.just_now = self._choices.just_now, False
        if own or not self._choices.has_answered or self._choices.is_its(outcome, expectation.call):
            return
        function = self._choices.function
        for blame in judgement.blames:
            key = deviation_key(expectation.call.function, blame)
            if not self._choices.against.issuperset(blame.records) and (function, key) not in self._known:
                self._known.add((function, key))
                self.tried.further.append(FurtherBlame(function, key, self.item, blame.observed))


def further_blames(
    topology: str, functions: Iterable[str], items: Iterable[Item], tables: Tables, way: Way = "accepts"
) -> Tried:
    """Run the items that target each function on a platform where all its calls are faulty; return the summary.

    An item ends early if the model cannot define or perform an invalid call, for example the creation of a billion
    sub-devices.
    """
    plan = plan_of(topology)
    if plan is None:
        raise ValueError(f"unknown topology {topology!r}")
    choices = _Wrongly(plan, way, tables)
    watching = _Watching(choices)
    session, tried, every = _OnIt(topology, tables, watching, choices), watching.tried, list(items)
    for function in functions:
        for item in every:
            if function not in item.functions or any(map(session.applies, item.records)):
                continue
            choices.answer_wrongly(function)
            watching.item = item.name
            tried.items += 1
            try:
                with session.own_work.bounded():
                    run(item, session)
            except (UndefinedCallError, BadCall):
                pass
            except Exception:  # noqa: BLE001 (the call needs behaviour that the model does not define)
                tried.unable += 1
            finally:
                choices.answer_wrongly("")
            if choices.has_answered:
                session.restart()
    session.close()
    tried.wrong = choices.wrong
    return tried
