"""Queries the facts that the oracle needs, and repeats the queries for sizes in a new process of the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from clconform.calls.call import Returned
from clconform.runner.session.device_discovery import SizeQuery, is_size_query, needed_queries, query_facts
from clconform.runner.session.errors import ExampleOverError, JudgingError, convert_internal_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.calls.call import Call, Outcome
    from clconform.calls.values import Handle
    from clconform.harness import Worker
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.model.state import Model
    from clconform.runner.session.call_sequence import CallSequence
    from clconform.runner.session.device_discovery import SessionBase
    from clconform.runner.session.observer import SessionObserver
    from clconform.runner.session.session_process import SessionProcess
    from clconform.spec_tables import Tables


class QueryingSession(Protocol):
    """The parts of a session that queries of facts need."""

    tables: Tables
    observer: SessionObserver
    process: SessionProcess
    sequence: CallSequence
    base: SessionBase

    @property
    def model(self) -> Model:
        """Return the model of the running example."""

    def begin_example(self) -> None:
        """Start an example."""

    def call(self, call: Call) -> Outcome:
        """Make one call, judge it, and return its outcome."""

    def query(self, function: str, thing: Handle, name: str) -> Any:
        """Query a value, and return it; None if the query fails."""


class FactQueries:
    """The queries of one session for the facts that the oracle needs.

    ``failures``: the internal errors of the first queries.
    """

    def __init__(self, session: QueryingSession, new_oracle: Callable[[], Oracle]) -> None:
        """Make no query yet; ``new_oracle`` returns an oracle with an empty model."""
        self._session, self._new_oracle = session, new_oracle
        self._queried_worker: Worker | None = None
        self.failures: list[JudgingError] = []

    def query_all(self) -> None:
        """Make the first queries of the session, as one example, and store their results in its base."""
        session = self._session
        self._queried_worker = session.process.worker
        session.begin_example()
        self.failures = query_facts(
            session.base, session.model, self._isolate_call(session.call), self._isolate_call(self._query_size)
        )
        session.base.store_facts(session.model)

    def _isolate_call(self, make: Callable[..., object]) -> Callable[..., object]:
        """Return a function that calls ``make``.

        If the driver dies in this call, the stored sequence is cleared, so that the next call starts a new sequence.
        """

        def made_alone(*arguments: Any) -> object:
            try:
                return make(*arguments)
            except ExampleOverError:
                self._session.sequence.steps = []
                raise

        return made_alone

    def _query_size(self, function: str, thing: Handle, name: str) -> Any:
        """Query a value as ``Session.query`` does, and store the call and its outcome if the value is a size."""
        session = self._session
        value = session.query(function, thing, name)
        if value is not None and is_size_query(session.tables.requirements.get(name)):
            call, outcome = session.sequence.steps[-1].call, session.sequence.steps[-1].outcome
            if isinstance(outcome, Returned):
                session.base.size_queries.append(SizeQuery(name, call, outcome))
        return value

    def update_sizes(self) -> None:
        """Repeat the queries for sizes if the driver's process is a new one, and use the new values."""
        process = self._session.process
        if process.worker is not self._queried_worker:
            self._repeat_size_queries()
            self._queried_worker = process.worker

    def _repeat_size_queries(self) -> None:
        """Repeat the queries for sizes.

        A limit may depend on the free memory at the start of a process. The repeated calls are not reported to the
        observer, and are not part of a sequence. If one of these calls ends the process, they are no longer repeated.
        """
        session, base = self._session, self._session.base
        oracle = self._new_oracle()
        base.restore_to(oracle.model)
        answers = list(base.size_queries)
        outcomes: Iterable[Outcome] = session.process.worker.call_in_turn([query.call for query in answers])
        if answers and not session.process.is_running:  # find out which call is the cause
            name, call, _ = answers[0]
            session.observer.on_note(name, "this query, or one after it, has ended a new process of the driver", call)
            session.process.end()
            worker = session.process.worker
            outcomes = (worker.call(query.call) for query in answers)
        for index, ((name, call, before), outcome) in enumerate(zip(answers, outcomes, strict=True)):
            if not isinstance(outcome, Returned) or oracle.find_outcome_error(call, outcome):
                session.process.end()
                base.size_queries = []
                session.observer.on_note(name, "not answered by a new process of the driver, which has ended", call)
                return
            if (outcome.value, outcome.outputs) != (before.value, before.outputs):
                answers[index] = SizeQuery(name, call, outcome)
                with convert_internal_errors(call):
                    oracle.judge(oracle.expect(call), outcome, validated=True)
        if answers != base.size_queries:
            base.size_queries = answers
            base.store_facts(oracle.model)

    def query_device_facts(self, device: Handle) -> None:
        """Query the facts that the oracle needs about a device."""
        session = self._session
        for name in needed_queries(session.tables, session.model.device(device)):
            session.query("clGetDeviceInfo", device, name)
