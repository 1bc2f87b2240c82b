"""Runs items on a simulated platform on which one function answers wrongly, and keeps what else it is blamed for.

Either the function accepts what it must refuse: the platform does what the call asks for, as far as the model can say
what that is. Or it does what it is asked for and returns an error that no clause names. The judge blames the function
for that. Or the error is a lack of resources, for which no function is blamed. Whatever the judge blames on other calls
afterwards is said of a platform that only goes on from there: the judge should know no more of what such a call has
made, changed or released.
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
"""How a function answers wrongly: it accepts what it must refuse, or does what it is asked for and returns an error.

That error is one that OpenCL does not have, or one that says that resources are lacking.
"""
SECONDS, MEMORY_BYTES = 20.0, 2 << 30
"""How much of the processor's time a call may take, and how much memory an item."""
NO_CODE = -9999
"""An error code that OpenCL does not have."""
LACKS = ("CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY")
"""Errors that say that resources are lacking; most functions have both."""


@dataclass(frozen=True)
class FurtherBlame:
    """What a platform is blamed for after a wrong answer of ``function``; ``item``: the first that shows it."""

    function: str
    key: str
    item: str
    observed: str


@dataclass
class Tried:
    """What was tried: ``items`` run, ``wrong`` answers, items ``unable`` of one, and the ``further`` blames."""

    items: int = 0
    wrong: int = 0
    unable: int = 0
    further: list[FurtherBlame] = field(default_factory=list)


class _Wrongly(FirstAllowed):
    """A platform's choices: the first that is allowed, but for one ``function``.

    ``wrong``: its wrong answers; ``against``: the clauses against which it has accepted calls of this example;
    ``failed``: it has failed in this example, ``just_now``: in the call that is to be judged next.
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
        """Answer the calls of a function wrongly from now on; those of none for an empty name."""
        self.function, self._code = function, self._code_of(function)

    @property
    def has_answered(self) -> bool:
        """Return whether there was a wrong answer in this example."""
        return bool(self.against) or self.failed

    def is_its(self, outcome: Outcome, call: Call) -> bool:
        """Return whether it is this failure of the function, however late it is judged."""
        function = self._functions.get(call.function)
        if self._code is None or function is None or not isinstance(outcome, Returned):
            return False
        return code_of(function, outcome) == self._code

    def _code_of(self, function: str) -> int | None:
        """Return the error that a function returns although it has done what it was asked for; None if it has none."""
        if self._way == "fails":
            return NO_CODE
        named = {clause.code for clause in self._tables.clauses_of(function)}
        lack = next((name for name in LACKS if name in named), None) if self._way == "lacks" else None
        return None if lack is None else self._tables.enumerants[lack].value

    def begin(self) -> None:
        """Begin an example."""
        self.against, self.failed, self.just_now = set(), False, False

    def error(self, expectation: Expectation) -> str:
        """Return the code with which a call fails; empty where it succeeds."""
        if self._way == "accepts" and expectation.call.function == self.function and expectation.musts:
            self.wrong += 1
            self.against.update(held.clause.id for held in expectation.musts)
            return ""
        return super().error(expectation)

    def changed(self, _simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        """Return an outcome, as a failure if the function is to fail and has done what it was asked for."""
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
    """A session with such a platform, in this process."""

    def __init__(self, topology: str, tables: Tables, observer: Observer, choices: _Wrongly) -> None:
        self._topology, self._choices = topology, choices
        own_work = OwnWork(SECONDS, MEMORY_BYTES)
        super().__init__(Target.simulated(topology), tables, observer, own_work=own_work)

    def _started(self) -> Worker:
        return _Platform(self._topology, self._choices)

    def _ask_again(self) -> None:
        """Ask nothing: these platforms tell the same sizes in every process."""


class _Watching(Observer):
    def __init__(self, choices: _Wrongly) -> None:
        self.tried = Tried()
        self.item = ""
        self._choices = choices
        self._known: set[tuple[str, str]] = set()

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Keep what is blamed on anything but the wrong answers of the function."""
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
    """Run the items that target each function on a platform that answers all its calls wrongly; return what that shows.

    Where the model cannot say what a call would do that had to fail, or cannot do it, such as making a billion
    sub-devices, the platform has no answer, and the item ends.
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
            except Exception:  # noqa: BLE001 (the platform is asked for what the model has no rules for)
                tried.unable += 1
            finally:
                choices.answer_wrongly("")
            if choices.has_answered:
                session.restart()
    session.close()
    tried.wrong = choices.wrong
    return tried
