"""Runs items of the suites on a simulated platform with or without a fault, and returns the deviations."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING

import hypothesis

from clconform.harness import Target
from clconform.runner.gate.finish import describe_deviation
from clconform.runner.journal.recorder import Recorder
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.runner.session.examples import load_profile
from clconform.selftest.trial import run_item
from clconform.spec_tables import load

from ...sessions import InProcessSession  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from clconform.calls.call import Outcome, Step
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.runner.journal.writer import JournalWriter
    from clconform.runner.pytest_plugin.covers import TableCase
    from clconform.runner.session.device_discovery import SessionBase
    from clconform.runner.session.session import Session


@functools.cache
def _query_base(topology: str) -> SessionBase:
    """Return the query results of a platform without a fault.

    Repeating these queries would take most of the time of a test that runs only a few items.
    """
    session = InProcessSession(Target.simulated(topology), load(), Recorder(None))
    session.close()
    return session.base


def record_run(
    topology: str,
    fault: str,
    cases: Iterable[TableCase],
    journal: JournalWriter | None = None,
    *,
    until: Collection[str] = (),
    seen_in: Callable[[Recorder], set[str]] | None = None,
) -> Recorder:
    """Run the applicable items on a simulated platform, with a fault unless ``fault`` is empty; return the recorder.

    ``until``: stop after an item if all these requirements deviate; by default all items run. ``seen_in``: the function
    that returns the requirements to compare with ``until``; by default ``get_deviating``.
    """
    recorder = Recorder(journal)
    with open_session(topology, fault, recorder) as session:
        for case in cases:
            if not session.find_inapplicability(case.requirement):
                run_item(case, session)
            if until and (seen_in or get_deviating)(recorder).issuperset(until):
                break
    return recorder


@contextlib.contextmanager
def open_session(topology: str, fault: str, recorder: Recorder) -> Iterator[Session]:
    """Open a session with a simulated platform in this process; ``fault``: the name of its fault, or empty."""
    target = Target.simulated(topology, *(("--fault", fault) if fault else ()))
    session = InProcessSession(target, load(), recorder, _query_base(topology))
    try:
        yield session
    finally:
        session.close()


def run_and_get_deviating(
    topology: str, fault: str, cases: Iterable[TableCase], *, until: Collection[str] = ()
) -> set[str]:
    """Run items as ``record_run`` does; return the requirements that deviate."""
    return get_deviating(record_run(topology, fault, cases, until=until))


def get_deviating(recorder: Recorder) -> set[str]:
    """Return the requirements that deviate."""
    return {requirement for deviation in recorder.deviations.values() for requirement in deviation.requirements}


def get_violated(recorder: Recorder) -> set[str]:
    """Return the requirements that deviate, and those that share the verdict of a deviation."""
    return get_deviating(recorder) | {
        requirement for requirement, kinds in recorder.evidence.items() if kinds["deviates"]
    }


class _MessageSeen(BaseException):
    """Raised when the awaited message was reported."""


class _MessageRecorder(Recorder):
    """Ends the examples of an item when an awaited message is reported. ``words``: the messages of all deviations."""

    def __init__(self, awaited: str) -> None:
        super().__init__(None)
        self.words, self._awaited, self._counted = "", awaited, 0

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Record a judged call."""
        super().on_judged_call(expectation, outcome, judgement, steps, test_value)
        if len(self.deviations) > self._counted:
            self._counted = len(self.deviations)
            over = self._awaited in self.words
            self.words = "".join(f"\n{describe_deviation(each)}" for each in self.deviations.values())
            if self._awaited in self.words and not over:
                raise _MessageSeen


@contextlib.contextmanager
def limit_examples(number: int) -> Iterator[None]:
    """Limit random items to ``number`` examples, with the settings of a run; restore the settings of the tests."""
    usual = hypothesis.settings()
    load_profile("tables", number)
    try:
        yield
    finally:
        hypothesis.settings.register_profile("tests", usual)
        hypothesis.settings.load_profile("tests")


def get_random_messages(
    topology: str, fault: str, examples: int, act: Callable[[Session], object], awaited: str = ""
) -> str:
    """Run a random item on a platform with or without a fault; return the messages of its deviations.

    ``awaited``: the text of a message after which the run ends; by default all examples run.
    """
    recorder = _MessageRecorder(awaited or "\0")
    with (
        open_session(topology, fault, recorder) as session,
        limit_examples(examples),
        contextlib.suppress(_MessageSeen),
    ):
        act(session)
    return recorder.words


def get_messages(topology: str, fault: str, cases: Iterable[TableCase | SuiteItem], awaited: str = "") -> str:
    """Run items on a platform with or without a fault until a message contains ``awaited``; return all messages."""

    def act(session: Session) -> None:
        for case in cases:
            if not session.find_inapplicability(
                case.requirements[0] if isinstance(case, SuiteItem) else case.requirement
            ):
                run_item(case, session)

    return get_random_messages(topology, fault, 1, act, awaited)
