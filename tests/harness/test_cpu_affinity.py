"""Parent and worker share a core only while one of them waits. The driver may use all allowed processors."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Deadlines, Target, Worker
from clconform.harness.cpu_affinity import CoreBinding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


@pytest.fixture
def sleeping_process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_parent_and_worker_are_bound_to_one_core_while_parent_waits(
    allowed_processors: set[int], sleeping_process: subprocess.Popen[bytes]
) -> None:
    one_core = CoreBinding(sleeping_process.pid)
    one_core.bind()
    met = os.sched_getaffinity(0)
    one_core.restore()
    assert len(met) == 1
    assert os.sched_getaffinity(sleeping_process.pid) == met
    assert os.sched_getaffinity(0) == allowed_processors


def test_parent_and_worker_are_not_bound_on_a_busy_machine(
    allowed_processors: set[int], sleeping_process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (float(os.cpu_count() or 1), 0.0, 0.0))
    CoreBinding(sleeping_process.pid).bind()
    assert os.sched_getaffinity(0) == os.sched_getaffinity(sleeping_process.pid) == allowed_processors


def test_parent_is_not_bound_if_worker_has_ended(
    allowed_processors: set[int], sleeping_process: subprocess.Popen[bytes]
) -> None:
    one_core = CoreBinding(sleeping_process.pid)
    sleeping_process.kill()
    sleeping_process.wait()
    one_core.bind()
    assert os.sched_getaffinity(0) == allowed_processors


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
def test_parent_is_not_bound_after_crash_or_hang_of_driver(
    allowed_processors: set[int], fake_driver: str, create_call: Callable[..., Call], function: str
) -> None:
    with Worker(Target.driver(fake_driver, direct=True), deadlines=Deadlines(others=0.2)) as worker:
        worker.call(create_call(function, DEVICE))
        assert not worker.is_alive
    assert os.sched_getaffinity(0) == allowed_processors
