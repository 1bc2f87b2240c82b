"""A call with a known hang has a short deadline; calls that end too many processes are no longer made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Hung
from clconform.calls.values import ElementList
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
EQUALLY = ElementList((0x1086, 1, 0))
DEADLINES = Deadlines(others=1.5, after_hang=0.5, known_to_hang=0.25)


@pytest.fixture
def session() -> Iterator[Session]:
    target = Target.simulated("flat-4", "--fault", "unknown-property-hangs")
    opened = Session(target, load(), Recorder(None), deadlines=DEADLINES)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("known", "seconds"),
    [(CLAUSE, DEADLINES.known_to_hang), ("clCreateSubDevices/success", DEADLINES.others)],
)
def test_known_hang_has_short_deadline(session: Session, known: str, seconds: float) -> None:
    session.process_ends.known_to_hang = frozenset({known})
    with session.example(), pytest.raises(ExampleOverError):
        CORE_ENTRY.split(session, session.device, ElementList((UNKNOWN_KEY, 1, 0)))
    outcome = session.sequence.steps[-1].outcome
    assert isinstance(outcome, Hung)
    assert outcome.deadline == seconds
    assert session.process_ends.has_hung(CLAUSE)


def test_call_with_same_expected_error_code_as_a_hung_call_has_shorter_deadline(session: Session) -> None:
    seconds = []
    for unknown in (UNKNOWN_KEY, UNKNOWN_KEY + 1):
        with session.example(), pytest.raises(ExampleOverError):
            CORE_ENTRY.split(session, session.device, ElementList((unknown, 1, 0)))
        outcome = session.sequence.steps[-1].outcome
        assert isinstance(outcome, Hung)
        seconds.append(outcome.deadline)
    assert seconds == [DEADLINES.others, DEADLINES.after_hang]


def test_scaling_multiplies_every_deadline() -> None:
    assert DEADLINES.scaled(4) == Deadlines(480.0, 80.0, 6.0, 2.0, 1.0)


@pytest.fixture
def crashing_session() -> Iterator[Session]:
    target = Target.simulated("flat-4", "--fault", "third-retain-crashes")
    opened = Session(target, load(), Recorder(None), deadlines=DEADLINES)
    yield opened
    opened.close()


def crash_process(session: Session) -> None:
    with session.example():
        part = CORE_ENTRY.split(session, session.device, EQUALLY)[0]
        session.clRetainDevice(part)
        session.clRetainDevice(part)
        with pytest.raises(ExampleOverError):
            session.clRetainDevice(part)


def test_requirement_with_many_crashes_is_skipped(crashing_session: Session) -> None:
    crashing_session.process_ends.max_per_requirement = 2
    for ended in range(2):
        assert not crashing_session.process_ends.should_skip(RETAIN), ended
        crash_process(crashing_session)
    assert crashing_session.process_ends.should_skip(RETAIN)
    assert not crashing_session.process_ends.has_hung(RETAIN)


def test_requirement_with_known_crash_is_skipped_after_one_crash(crashing_session: Session) -> None:
    crashing_session.process_ends.max_per_requirement, crashing_session.process_ends.single_process_requirements = (
        3,
        frozenset({RETAIN}),
    )
    crash_process(crashing_session)
    assert crashing_session.process_ends.should_skip(RETAIN)
