"""A call with a known hang has a short deadline; calls that end too many processes are no longer made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Hung
from clconform.calls.values import Items
from clconform.harness import Deadlines, Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.errors import ExampleOverError
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.suites.chapters.partition.entries import CORE_ENTRY, UNKNOWN_KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

CLAUSE = "clCreateSubDevices/CL_INVALID_VALUE/1"
RETAIN = "clRetainDevice/success"
EQUALLY = Items((0x1086, 1, 0))
DEADLINES = Deadlines(others=1.5, like_a_hang=0.5, known_to_hang=0.25)


@pytest.fixture
def session() -> Iterator[Session]:
    target = Target.simulated("flat-4", "--fault", "hangs-on-unknown-keys")
    opened = Session(target, load(), Recorder(None), deadlines=DEADLINES)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("known", "seconds"),
    [(CLAUSE, DEADLINES.known_to_hang), ("clCreateSubDevices/success", DEADLINES.others)],
)
def test_the_deadline_is_the_short_one_only_for_a_clause_that_is_known_to_hang(
    session: Session, known: str, seconds: float
) -> None:
    session.known_to_hang = frozenset({known})
    with session.example(), pytest.raises(ExampleOverError):
        CORE_ENTRY.split(session, session.device, Items((UNKNOWN_KEY, 1, 0)))
    outcome = session.steps[-1].outcome
    assert isinstance(outcome, Hung)
    assert outcome.deadline == seconds
    assert session.is_silent(CLAUSE)


def test_after_a_hang_those_that_must_fail_with_the_same_code_have_less_time(session: Session) -> None:
    seconds = []
    for unknown in (UNKNOWN_KEY, UNKNOWN_KEY + 1):
        with session.example(), pytest.raises(ExampleOverError):
            CORE_ENTRY.split(session, session.device, Items((unknown, 1, 0)))
        outcome = session.steps[-1].outcome
        assert isinstance(outcome, Hung)
        seconds.append(outcome.deadline)
    assert seconds == [DEADLINES.others, DEADLINES.like_a_hang]


def test_deadlines_are_scaled_together() -> None:
    assert DEADLINES.scaled(4) == Deadlines(480.0, 80.0, 6.0, 2.0, 1.0)


@pytest.fixture
def dying() -> Iterator[Session]:
    target = Target.simulated("flat-4", "--fault", "dies-on-a-third-retain")
    opened = Session(target, load(), Recorder(None), deadlines=DEADLINES)
    yield opened
    opened.close()


def end_a_process(session: Session) -> None:
    with session.example():
        part = CORE_ENTRY.split(session, session.device, EQUALLY)[0]
        session.clRetainDevice(part)
        session.clRetainDevice(part)
        with pytest.raises(ExampleOverError):
            session.clRetainDevice(part)


def test_suites_make_no_more_calls_for_a_record_that_has_ended_enough_processes(dying: Session) -> None:
    dying.most_ends = 2
    for ended in range(2):
        assert not dying.is_needless(RETAIN), ended
        end_a_process(dying)
    assert dying.is_needless(RETAIN)
    assert not dying.is_silent(RETAIN)


def test_of_what_is_known_one_end_is_enough(dying: Session) -> None:
    dying.most_ends, dying.once = 3, frozenset({RETAIN})
    end_a_process(dying)
    assert dying.is_needless(RETAIN)
