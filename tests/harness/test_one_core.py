"""Parent and worker share a core only while one of them waits; the driver runs on all its processors."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Deadlines, Target, Worker
from clconform.harness.one_core import OneCore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Call
    from clconform.spec_tables import Tables

DEVICE = Handle("device1")


@pytest.fixture
def processors(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Return the affinity of this thread, on a machine that appears idle."""
    own = os.sched_getaffinity(0)
    if len(own) < 2:
        pytest.skip("one processor only: there is nothing to choose")
    monkeypatch.setattr(os, "getloadavg", lambda: (0.5, 0.0, 0.0))
    return own


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_both_are_bound_to_the_core_of_the_asker_while_it_waits(
    processors: set[int], sleeper: subprocess.Popen[bytes]
) -> None:
    one_core = OneCore(sleeper.pid)
    one_core.meet()
    met = os.sched_getaffinity(0)
    one_core.part()
    assert len(met) == 1
    assert os.sched_getaffinity(sleeper.pid) == met
    assert os.sched_getaffinity(0) == processors


def test_on_a_busy_machine_the_kernel_chooses(
    processors: set[int], sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (float(os.cpu_count() or 1), 0.0, 0.0))
    OneCore(sleeper.pid).meet()
    assert os.sched_getaffinity(0) == os.sched_getaffinity(sleeper.pid) == processors


def test_a_worker_that_is_over_leaves_the_asker_unbound(processors: set[int], sleeper: subprocess.Popen[bytes]) -> None:
    one_core = OneCore(sleeper.pid)
    sleeper.kill()
    sleeper.wait()
    one_core.meet()
    assert os.sched_getaffinity(0) == processors


def test_a_driver_is_called_on_all_its_processors(
    processors: set[int], fake: str, made: Callable[..., Call], tables: Tables
) -> None:
    asked = tables.enumerants["CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS"].value
    with Worker(Target.driver(fake, direct=True)) as worker:
        for _ in range(20):
            worker.forget(["device9"])
            outcome = worker.ask(made("clGetDeviceInfo", DEVICE, asked, 4, OutputBuffer(4), None))
            assert isinstance(outcome, Returned)
            assert int.from_bytes(outcome.outputs["param_value"].raw, "little") == len(processors)


@pytest.mark.parametrize("function", ["clRetainDevice", "clReleaseDevice"])
def test_what_ends_a_worker_leaves_the_asker_unbound(
    processors: set[int], fake: str, made: Callable[..., Call], function: str
) -> None:
    with Worker(Target.driver(fake, direct=True), deadlines=Deadlines(others=0.2)) as worker:
        worker.ask(made(function, DEVICE))
        assert not worker.alive
    assert os.sched_getaffinity(0) == processors
