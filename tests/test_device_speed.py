"""``device check`` recommends deadlines that suit a slow driver."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.harness import Target, Worker
from clconform.tools.device_speed import Sample, describe_deadlines, recommend_scale

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome


@pytest.mark.parametrize(
    ("seconds", "scale"), [(0.01, 1), (12.0, 1), (12.1, 2), (25.0, 5), (119.0, 10), (200.0, 20), (5000.0, 100)]
)
def test_deadline_is_ten_times_the_sample(seconds: float, scale: int) -> None:
    assert recommend_scale([Sample("a build", seconds, 120.0), Sample("the start", 0.1, 60.0)]) == scale


def test_fast_driver_needs_no_scale() -> None:
    with Worker(Target.simulated("everything")) as worker:
        assert describe_deadlines(worker).startswith("suit this driver: ")


def test_slow_call_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    with Worker(Target.simulated("everything")) as worker:
        call_driver = worker.call

        def call_slowly(call: Call) -> Outcome:
            now[0] += 30.0 if call.function == "clBuildProgram" else 0.01
            return call_driver(call)

        monkeypatch.setattr(worker, "call", call_slowly)
        assert describe_deadlines(worker) == "run with --deadline-scale 5: clBuildProgram took 30.00 s of 120 s"


def test_failed_step_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with Worker(Target.simulated("everything")) as worker:
        call_driver = worker.call

        def refuse_to_build(call: Call) -> Outcome:
            return Returned(-3) if call.function == "clBuildProgram" else call_driver(call)

        monkeypatch.setattr(worker, "call", refuse_to_build)
        assert describe_deadlines(worker).endswith("; nothing was built (clBuildProgram returned -3)")
