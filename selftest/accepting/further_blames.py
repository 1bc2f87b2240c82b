"""Runs items on a simulated platform that accepts what one function must refuse, and keeps what else it is blamed for.

The platform does what the call asks for, as far as the model can say what that is. The judge blames the function for
not refusing it. Whatever it blames on other records afterwards is said of a platform that only goes on from there: the
judge should know no more of what such a call has made or changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.harness import BadCall, Target
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.observer import Observer
from clconform.runner.session.own_work import OwnWork
from clconform.runner.session.session import Session
from clconform.selftest.trial import run
from clconform.simulator.choosing import FirstAllowed
from clconform.simulator.here import Here
from clconform.simulator.topologies import plan_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Outcome, Step
    from clconform.harness import Worker
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.pytest_plugin.items import Item
    from clconform.simulator.topologies import SimulatedPlatform
    from clconform.spec_tables import Tables

SECONDS, MEMORY_BYTES = 20.0, 2 << 30
"""How much of the processor's time a call may take, and how much memory an item."""


@dataclass(frozen=True)
class FurtherBlame:
    """What a platform is blamed for after it has accepted a call of ``function``; ``item``: the first that shows it."""

    function: str
    key: str
    item: str
    observed: str


@dataclass
class Tried:
    """What was tried: ``items`` run, calls ``accepted``, those ``unable`` of an answer, and the ``further`` blames."""

    items: int = 0
    accepted: int = 0
    unable: int = 0
    further: list[FurtherBlame] = field(default_factory=list)


class _Accepts(FirstAllowed):
    """The first that is allowed, but for the errors of one function, which never come.

    ``accepted_against``: the clauses against which the example's calls were accepted.
    """

    def __init__(self, plan: SimulatedPlatform) -> None:
        super().__init__(plan)
        self.function = ""
        self.accepted = 0
        self.accepted_against: set[str] = set()

    def begin(self) -> None:
        """Begin an example."""
        self.accepted_against = set()

    def error(self, expectation: Expectation) -> str:
        """Return the code with which a call fails; empty where it succeeds."""
        if expectation.call.function == self.function and expectation.musts:
            self.accepted += 1
            self.accepted_against.update(held.clause.id for held in expectation.musts)
            return ""
        return super().error(expectation)


class _Platform(Here):
    def __init__(self, topology: str, choices: _Accepts) -> None:
        super().__init__(topology)
        self._server.simulation.choices = choices


class _Accepting(Session):
    """A session with such a platform, in this process."""

    def __init__(self, topology: str, tables: Tables, observer: Observer, choices: _Accepts) -> None:
        self._topology, self._choices = topology, choices
        own_work = OwnWork(SECONDS, MEMORY_BYTES)
        super().__init__(Target.simulated(topology), tables, observer, own_work=own_work)

    def _started(self) -> Worker:
        return _Platform(self._topology, self._choices)

    def _ask_again(self) -> None:
        """Ask nothing: these platforms tell the same sizes in every process."""


class _Watching(Observer):
    def __init__(self, choices: _Accepts) -> None:
        self.tried = Tried()
        self.item = ""
        self._choices = choices
        self._known: set[tuple[str, str]] = set()

    def judged(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], boundary: str
    ) -> None:
        """Keep what is blamed on anything but the errors of the function whose call was accepted."""
        del outcome, steps, boundary
        function = self._choices.function
        for blame in judgement.blames:
            own = self._choices.accepted_against.issuperset(blame.records)
            key = deviation_key(expectation.call.function, blame)
            if self._choices.accepted_against and not own and (function, key) not in self._known:
                self._known.add((function, key))
                self.tried.further.append(FurtherBlame(function, key, self.item, blame.observed))


def further_blames(topology: str, functions: Iterable[str], items: Iterable[Item], tables: Tables) -> Tried:
    """Run the items that target each function on a platform that accepts every call of it, and say what that shows.

    Where the model cannot say what a call would do that had to fail, or cannot do it, such as making a billion
    sub-devices, the platform has no answer, and the item ends.
    """
    plan = plan_of(topology)
    if plan is None:
        raise ValueError(f"unknown topology {topology!r}")
    choices = _Accepts(plan)
    watching = _Watching(choices)
    session, tried, every = _Accepting(topology, tables, watching, choices), watching.tried, list(items)
    for function in functions:
        for item in every:
            if function not in item.functions or any(map(session.applies, item.records)):
                continue
            choices.function, watching.item = function, item.name
            tried.items += 1
            try:
                with session.own_work.bounded():
                    run(item, session)
            except (UndefinedCallError, BadCall):
                pass
            except Exception:  # noqa: BLE001 (the platform is asked for what the model has no rules for)
                tried.unable += 1
            finally:
                choices.function = ""
            if choices.accepted_against:
                session.restart()
    session.close()
    tried.accepted = choices.accepted
    return tried
