"""Concurrent calls: made on separate host threads, with outcomes in order, and lost together in a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Absent, Died, Hung, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import BadCall, Target, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call

VENDOR, UNITS, NAME = 0x1001, 0x1002, 0x102B
DEVICE = Handle("device1")


@pytest.fixture
def worker(fake: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    monkeypatch.setenv("FAKE_TOGETHER", "4")
    with Worker(Target.driver(fake, direct=True)) as started:
        yield started


def test_calls_are_in_the_driver_at_the_same_time(worker: Worker, made: Callable[..., Call]) -> None:
    call = made("clGetDeviceInfo", DEVICE, VENDOR, 4, OutputBuffer(4), OutputBuffer(1))
    outcomes = worker.ask_together([call] * 4)
    met = [outcome.outputs["param_value"].values for outcome in outcomes if isinstance(outcome, Returned)]
    assert met == [[4]] * 4


def test_each_call_has_memory_of_its_own_and_is_answered_in_its_place(
    worker: Worker, made: Callable[..., Call]
) -> None:
    units = made("clGetDeviceInfo", DEVICE, UNITS, 4, OutputBuffer(4), OutputBuffer(1))
    name = made("clGetDeviceInfo", DEVICE, NAME, 64, OutputBuffer(64), OutputBuffer(1))
    outcomes = worker.ask_together([units, name] * 8)
    values = [outcome.outputs["param_value"].values for outcome in outcomes if isinstance(outcome, Returned)]
    assert values == [[4], ["Fake device\0"]] * 8


def test_a_driver_that_dies_gives_all_the_same_outcome(worker: Worker, made: Callable[..., Call]) -> None:
    outcomes = worker.ask_together([made("clRetainDevice", DEVICE)] * 3)
    assert outcomes == [outcomes[0]] * 3
    assert isinstance(outcomes[0], Died)
    assert not worker.alive


def test_one_deadline_holds_for_all(worker: Worker, made: Callable[..., Call]) -> None:
    units = made("clGetDeviceInfo", DEVICE, UNITS, 4, OutputBuffer(4), OutputBuffer(1))
    outcomes = worker.ask_together([units, made("clReleaseDevice", DEVICE)], deadline=0.5)
    assert outcomes == [Hung(0.5)] * 2
    assert not worker.alive


def test_what_is_not_there_is_said_in_its_place(worker: Worker, made: Callable[..., Call]) -> None:
    absent = made("clGetMemObjectInfo", None, UNITS, 4, OutputBuffer(4), OutputBuffer(1))
    units = made("clGetDeviceInfo", DEVICE, UNITS, 4, OutputBuffer(4), OutputBuffer(1))
    outcomes = worker.ask_together([absent, units, absent])
    assert [type(outcome) for outcome in outcomes] == [Absent, Returned, Absent]
    assert [type(outcome) for outcome in worker.ask_together([absent])] == [Absent]


def test_a_call_that_makes_no_sense_leaves_the_worker_alive(worker: Worker, made: Callable[..., Call]) -> None:
    wrong = made("clGetDeviceInfo", Handle("device9"), UNITS, 4, OutputBuffer(4), None)
    with pytest.raises(BadCall, match="device9"):
        worker.ask_together([wrong] * 2)
    assert worker.alive


def test_where_one_call_makes_no_sense_none_is_made(worker: Worker, made: Callable[..., Call]) -> None:
    counted = made("clGetDeviceInfo", DEVICE, VENDOR, 4, OutputBuffer(4), OutputBuffer(1))
    for wrong in (Handle("device9"), 7):
        with pytest.raises(BadCall):
            worker.ask_together([counted, made("clGetDeviceInfo", wrong, VENDOR, 4, OutputBuffer(4), OutputBuffer(1))])
    outcomes = worker.ask_together([counted] * 4)
    assert [each.outputs["param_value"].values for each in outcomes if isinstance(each, Returned)] == [[4]] * 4


def test_memory_that_a_group_wrote_to_is_filled_anew(worker: Worker, made: Callable[..., Call]) -> None:
    name = made("clGetDeviceInfo", DEVICE, NAME, 64, OutputBuffer(64), OutputBuffer(1))
    unknown = made("clGetDeviceInfo", DEVICE, 7, 64, OutputBuffer(64), OutputBuffer(1))
    worker.ask_together([name] * 2)
    written = [
        each.outputs["param_value"].written for each in worker.ask_together([unknown] * 2) if isinstance(each, Returned)
    ]
    assert written == [0, 0]
