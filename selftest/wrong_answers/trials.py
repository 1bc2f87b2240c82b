"""Runs the suites' items on a simulated platform with one fault, until a deviation shows."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness import BadCall, Target
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.selftest.trial import NewDeviationError, run_item
from clconform.simulator.in_process_worker import InProcessWorker
from clconform.spec_tables.requirements import Query

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from clconform.calls.call import Call, Outcome, Step
    from clconform.harness import Deadlines, Worker
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.model.cl_object import Fact
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.selftest.wrong_answers.altered_queries import AnswerCollector
    from clconform.simulator.platform import Simulation
    from clconform.simulator.server import Change
    from clconform.spec_tables import Tables

FIRST_QUERIES = "first queries of the session"
"""The name of the calls before the first item, by which the session learns the facts of platform and devices."""


class Noticed(NamedTuple):
    """A wrong answer that shows: the item, and the requirements of the first deviation."""

    item: str
    requirements: tuple[str, ...]


class TrialSession(Session):
    """A session with a simulated platform in this process, whose fault can be replaced at any time.

    ``only``: the names of the queries that items make; None for all. ``change``: the fault; None for no fault.
    """

    def __init__(self, topology: str, tables: Tables, observer: SessionObserver) -> None:
        self.only: frozenset[str] | None = None
        self.change: Change | None = None

        def start(target: Target, deadlines: Deadlines | None) -> Worker:
            return InProcessWorker(target.arguments[1], deadlines=deadlines, change=self._change_outcome)

        super().__init__(Target.simulated(topology), tables, observer, robustness=True, start=start)
        self.base.size_queries = []  # a simulated platform reports constant limits

    def _change_outcome(self, simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
        return outcome if self.change is None else self.change(simulation, call, outcome)

    def find_inapplicability(self, requirement: str) -> str:
        """Return why a requirement does not apply, or why an item does not make its query."""
        found = self.tables.requirements.get(requirement)
        if self.only is not None and isinstance(found, Query) and found.name not in self.only:
            return "another query is altered"
        return super().find_inapplicability(requirement)


class WrongAnswerTrial(SessionObserver):
    """Runs items on one simulated platform, with and without a fault.

    ``session``: the session.
    """

    def __init__(self, topology: str, tables: Tables) -> None:
        """Start a session; HarnessError for an unknown topology."""
        self._stops = False
        self._requirements: tuple[str, ...] = ()
        self.session = TrialSession(topology, tables, self)
        self._base = self.session.base

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Raise NewDeviationError if a call deviates while a fault is tried."""
        del expectation, outcome, steps, test_value
        if judgement.deviations and self._stops:
            self._requirements = judgement.deviations[0].requirements
            raise NewDeviationError

    def collect(self, collector: AnswerCollector, item: SuiteItem, query: Query) -> bool:
        """Run an item that makes only one query, and collect its answers; return whether there is one."""
        before, session = collector.made, self.session
        session.change, session.only = collector, frozenset((query.name,))
        self._run(item)
        session.change, session.only = None, None
        return collector.made > before

    def try_fault(
        self,
        fault: Change,
        items: Iterable[SuiteItem],
        query: Query | None = None,
        asked: frozenset[str] = frozenset(),
        *,
        forgets: bool = False,
        from_start: bool = False,
    ) -> Noticed | None:
        """Run items with a fault until a deviation shows; return it, or None.

        ``query``: the only query that the items make, besides those ``asked``. ``forgets``: forget the right value
        of this query before.
        ``from_start``: then make the first queries of the session with the fault, as if it had always been there.
        """
        session, self._stops = self.session, True
        session.change, session.only = fault, None if query is None else asked | {query.name}
        if forgets and query is not None:
            number = session.tables.enumerants[query.name].value
            names = {each.name for each in session.model.lookups.queries(query.function, number)}
            facts = {name: _without(facts, names) for name, facts in self._base.facts.items()}
            session.base = replace(self._base, facts=facts, _inapplicable=None)
        try:
            for item in items:
                if not self._run(item):
                    return Noticed(item.name, self._requirements)
            if from_start and not self._query_facts():
                return Noticed(FIRST_QUERIES, self._requirements)
            return None
        finally:
            session.change, session.only, self._stops = None, None, False
            session.base = self._base

    def _query_facts(self) -> bool:
        """Make the first queries of the session again; return False if a deviation shows."""
        self.session.base = replace(self._base, facts={}, _inapplicable=None)
        try:
            self.session.fact_queries.query_all()
        except NewDeviationError:
            return False
        return True

    def _run(self, item: SuiteItem) -> bool:
        """Run an item; return False if a deviation shows."""
        try:
            with suppress(UndefinedCallError, BadCall):
                run_item(item, self.session)
        except NewDeviationError:
            return False
        return True


def _without(facts: dict[str, Fact], names: Collection[str]) -> dict[str, Fact]:
    """Return the facts without the values and sizes of the named queries."""
    return {key: value for key, value in facts.items() if key.removeprefix("size of ").partition("@")[0] not in names}
