"""Session and driver share a core only while one of them waits. The driver may use all allowed processors."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Deadlines, Target, Worker, cpu_affinity
from clconform.harness.cpu_affinity import CoreBinding

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.spec_tables import Tables

DEVICE = Handle("device1")


@pytest.fixture
def allowed_processors(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Return the processors that this thread may use. The reported load of the machine is low."""
    own = os.sched_getaffinity(0)
    if len(own) < 2:
        pytest.skip("one processor only: there is nothing to choose")
    monkeypatch.setattr(os, "getloadavg", lambda: (0.5, 0.0, 0.0))
    return own


def test_thread_is_bound_to_one_core_until_it_is_restored(allowed_processors: set[int]) -> None:
    binding = CoreBinding()
    for _ in range(3):
        core = binding.bind()
        met = os.sched_getaffinity(0)
        binding.restore()
        assert met == {core}
        assert core in allowed_processors
        assert os.sched_getaffinity(0) == allowed_processors


def test_thread_is_not_bound_on_a_busy_machine(allowed_processors: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (float(os.cpu_count() or 1), 0.0, 0.0))
    assert CoreBinding().bind() == -1
    assert os.sched_getaffinity(0) == allowed_processors


def test_thread_with_one_allowed_processor_is_not_bound(allowed_processors: set[int]) -> None:
    os.sched_setaffinity(0, {min(allowed_processors)})
    try:
        assert CoreBinding().bind() == -1
    finally:
        os.sched_setaffinity(0, allowed_processors)


@pytest.mark.parametrize("failure", ["refused", "other core"])
def test_thread_is_no_longer_bound_after_a_failure(
    allowed_processors: set[int], monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    binding = CoreBinding()
    with monkeypatch.context() as patch:
        if failure == "refused":
            patch.setattr(cpu_affinity, "_set_affinity", lambda *_: -1)
        else:
            patch.setattr(cpu_affinity, "_current_core", lambda: max(allowed_processors) + 1)
        assert binding.bind() == -1
    assert binding.bind() == -1
    assert os.sched_getaffinity(0) == allowed_processors


def test_worker_waits_on_the_core_of_the_session(
    allowed_processors: set[int], fake_driver: str, create_call: Callable[..., Call], tables: Tables
) -> None:
    asked = tables.enumerants["CL_DEVICE_MAX_COMPUTE_UNITS"].value
    units = create_call("clGetDeviceInfo", DEVICE, asked, 4, OutputBuffer(4), None)
    with Worker(Target.driver(fake_driver, direct=True)) as worker:
        for core in sorted(allowed_processors):
            os.sched_setaffinity(0, {core})
            assert isinstance(worker.call(units), Returned)
            os.sched_setaffinity(0, allowed_processors)
            until = time.monotonic() + 10
            while os.sched_getaffinity(worker.pid) != {core} and time.monotonic() < until:
                time.sleep(0.01)
            assert os.sched_getaffinity(worker.pid) == {core}


def test_driver_may_use_all_allowed_processors(
    allowed_processors: set[int], fake_driver: str, create_call: Callable[..., Call], tables: Tables
) -> None:
    asked = tables.enumerants["CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS"].value
    with Worker(Target.driver(fake_driver, direct=True)) as worker:
        for _ in range(20):
            worker.forget_objects(["device9"])
            outcome = worker.call(create_call("clGetDeviceInfo", DEVICE, asked, 4, OutputBuffer(4), None))
            assert isinstance(outcome, Returned)
            assert int.from_bytes(outcome.outputs["param_value"].raw, "little") == len(allowed_processors)


@pytest.mark.parametrize("function", ["clRetainDevice", "clReleaseDevice"])
def test_session_is_not_bound_after_crash_or_hang_of_driver(
    allowed_processors: set[int], fake_driver: str, create_call: Callable[..., Call], function: str
) -> None:
    with Worker(Target.driver(fake_driver, direct=True), deadlines=Deadlines(others=0.2)) as worker:
        worker.call(create_call(function, DEVICE))
        assert not worker.is_alive
    assert os.sched_getaffinity(0) == allowed_processors
