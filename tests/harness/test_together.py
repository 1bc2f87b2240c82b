"""Concurrent calls run on separate host threads; outcomes are in order; a crash is the outcome of every call."""

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
def worker(fake_driver: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    monkeypatch.setenv("FAKE_TOGETHER", "4")
    with Worker(Target.driver(fake_driver, direct=True)) as started:
        yield started


def test_concurrent_calls_are_in_the_driver_at_the_same_time(worker: Worker, create_call: Callable[..., Call]) -> None:
    call = create_call("clGetDeviceInfo", DEVICE, VENDOR, 4, OutputBuffer(4), OutputBuffer(1))
    outcomes = worker.call_concurrently([call] * 4)
    met = [outcome.outputs["param_value"].values for outcome in outcomes if isinstance(outcome, Returned)]
    assert met == [[4]] * 4


def test_each_concurrent_call_has_own_memory_and_outcome(worker: Worker, create_call: Callable[..., Call]) -> None:
    units = create_call("clGetDeviceInfo", DEVICE, UNITS, 4, OutputBuffer(4), OutputBuffer(1))
    name = create_call("clGetDeviceInfo", DEVICE, NAME, 64, OutputBuffer(64), OutputBuffer(1))
    outcomes = worker.call_concurrently([units, name] * 8)
    values = [outcome.outputs["param_value"].values for outcome in outcomes if isinstance(outcome, Returned)]
    assert values == [[4], ["Fake device\0"]] * 8


def test_crash_is_the_outcome_of_all_concurrent_calls(worker: Worker, create_call: Callable[..., Call]) -> None:
    outcomes = worker.call_concurrently([create_call("clRetainDevice", DEVICE)] * 3)
    assert outcomes == [outcomes[0]] * 3
    assert isinstance(outcomes[0], Died)
    assert not worker.is_alive


def test_one_deadline_applies_to_all_concurrent_calls_of_a_group(
    worker: Worker, create_call: Callable[..., Call]
) -> None:
    units = create_call("clGetDeviceInfo", DEVICE, UNITS, 4, OutputBuffer(4), OutputBuffer(1))
    outcomes = worker.call_concurrently([units, create_call("clReleaseDevice", DEVICE)], deadline=0.5)
    assert outcomes == [Hung(0.5)] * 2
    assert not worker.is_alive


def test_missing_function_among_concurrent_calls_is_absent(worker: Worker, create_call: Callable[..., Call]) -> None:
    absent = create_call("clGetMemObjectInfo", None, UNITS, 4, OutputBuffer(4), OutputBuffer(1))
    units = create_call("clGetDeviceInfo", DEVICE, UNITS, 4, OutputBuffer(4), OutputBuffer(1))
    outcomes = worker.call_concurrently([absent, units, absent])
    assert [type(outcome) for outcome in outcomes] == [Absent, Returned, Absent]
    assert [type(outcome) for outcome in worker.call_concurrently([absent])] == [Absent]


def test_invalid_concurrent_calls_leave_worker_alive(worker: Worker, create_call: Callable[..., Call]) -> None:
    wrong = create_call("clGetDeviceInfo", Handle("device9"), UNITS, 4, OutputBuffer(4), None)
    with pytest.raises(BadCall, match="device9"):
        worker.call_concurrently([wrong] * 2)
    assert worker.is_alive


def test_group_with_invalid_call_is_rejected_before_any_call(worker: Worker, create_call: Callable[..., Call]) -> None:
    counted = create_call("clGetDeviceInfo", DEVICE, VENDOR, 4, OutputBuffer(4), OutputBuffer(1))
    for wrong in (Handle("device9"), 7):
        with pytest.raises(BadCall):
            worker.call_concurrently(
                [counted, create_call("clGetDeviceInfo", wrong, VENDOR, 4, OutputBuffer(4), OutputBuffer(1))]
            )
    outcomes = worker.call_concurrently([counted] * 4)
    assert [each.outputs["param_value"].values for each in outcomes if isinstance(each, Returned)] == [[4]] * 4


def test_output_memory_is_refilled_between_groups_of_calls(worker: Worker, create_call: Callable[..., Call]) -> None:
    name = create_call("clGetDeviceInfo", DEVICE, NAME, 64, OutputBuffer(64), OutputBuffer(1))
    unknown = create_call("clGetDeviceInfo", DEVICE, 7, 64, OutputBuffer(64), OutputBuffer(1))
    worker.call_concurrently([name] * 2)
    written = [
        each.outputs["param_value"].written
        for each in worker.call_concurrently([unknown] * 2)
        if isinstance(each, Returned)
    ]
    assert written == [0, 0]
