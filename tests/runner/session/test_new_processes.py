"""Reported limits are valid within one driver process: another process may have less free memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Died, Outcome, Returned
from clconform.calls.values import Items, OutputBuffer
from clconform.harness import Target, Worker
from clconform.runner.deviations.replay import Opening, Replayer
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.answers import made
from clconform.runner.session.session import Session
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST, ALL = "CL_DEVICE_MAX_MEM_ALLOC_SIZE", "CL_DEVICE_GLOBAL_MEM_SIZE"
VALUES = {load().enumerants[name].value: name for name in (MOST, ALL)}
LESS = 1 << 20


class Shrinking(Worker):
    """A driver process whose device has slightly less memory than in the previous process."""

    processes = 0
    dies_at = -1

    def __init__(self, target: Target, **named: object) -> None:
        super().__init__(target, **named)  # type: ignore[arg-type]
        self._less = LESS * Shrinking.processes
        self._dies = Shrinking.processes == Shrinking.dies_at
        Shrinking.processes += 1

    def ask(self, call: Call, deadline: float | None = None) -> Outcome:
        """Make the call, and change the reported memory sizes."""
        outcome = super().ask(call, deadline)
        if call.function != "clGetDeviceInfo" or call.param_name not in VALUES or not isinstance(outcome, Returned):
            return outcome
        if self._dies:
            self.close()
            return Died("signal", "SIGSEGV", "")
        told = outcome.outputs.get("param_value")
        if told is None or not told.values or not isinstance(told.values[0], int):
            return outcome
        value = told.values[0] - self._less
        return outcome.with_outputs(
            param_value=msgspec.structs.replace(told, values=[value], raw=value.to_bytes(8, "little"))
        )


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.setattr("clconform.runner.session.session.Worker", Shrinking)
    monkeypatch.setattr(Shrinking, "processes", 0)
    opened = Session(Target.simulated("everything"), load(), Recorder(None))
    yield opened
    opened.close()


def blamed(session: Session) -> list[str]:
    assert isinstance(session.observer, Recorder)
    return [record for deviation in session.observer.deviations.values() for record in deviation.records]


def test_a_new_process_may_tell_other_sizes(session: Session) -> None:
    first = session.fact(MOST), session.fact(ALL)
    session.restart()
    with session.example():
        assert (session.fact(MOST), session.fact(ALL)) == tuple(size - LESS for size in first)
        assert session.query("clGetDeviceInfo", session.device, ALL) == first[1] - LESS
        assert [step.call.function for step in session.steps] == ["clGetDeviceInfo"] * 2
    assert blamed(session) == []


def test_an_answer_of_the_same_process_stays(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.worker, "_less", LESS)
    with session.example():
        session.query("clGetDeviceInfo", session.device, ALL)
    assert blamed(session) == [ALL]


def test_a_limit_is_that_of_the_process(session: Session) -> None:
    most = session.fact(MOST)
    session.restart()
    with session.example():
        (context,) = made(session.clCreateContext(None, 1, Items((session.device,)), None, None, None))
        arguments = {"context": context, "flags": 0, "host_ptr": None, "errcode_ret": None}
        expected = session.oracle.expect(Call("clCreateBuffer", {**arguments, "size": most}))
    assert [held.clause.code for held in expected.musts] == ["CL_INVALID_BUFFER_SIZE"]


def test_a_process_that_ends_in_such_a_query_is_noted_and_asked_no_more(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shrinking, "dies_at", 1)
    session.restart()
    with session.example():
        assert session.clGetDeviceIDs(session.platform, 4, 0, None, OutputBuffer(1)) is not None
    assert session.worker.alive
    assert isinstance(session.observer, Recorder)
    assert session.base.answers == []


def test_a_sequence_is_repeated_by_what_its_own_process_tells(session: Session) -> None:
    with session.example():
        session.query("clGetDeviceInfo", session.device, ALL)
        steps = list(session.steps)
    replayer = Replayer(Target.simulated("everything"), load(), opening=Opening(session.base))
    try:
        assert not any(replayer.run(steps, fresh=True).keys)
        assert Shrinking.processes == 2
    finally:
        replayer.close()
