"""Mutated replies of the worker: each has a well-formed outcome, or is found to be invalid."""

from __future__ import annotations

import os
import resource
import time
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.harness_actions import ALLOCATE, AWAIT, IN_CALLBACK, READ, build_call
from clconform.calls.values import Data, ElementList, Handle, HostCallback, OutputBuffer
from clconform.harness import Target
from clconform.harness.driver import Driver
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.entry_points import DispatchTableEntryPoints
from clconform.harness.worker_process import WorkerProcess
from clconform.selftest.fuzzing.raw_replies import RecordingProcess, ReplayingProcess, try_replies
from clconform.spec_tables import load

from ...hostile import building  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Value

SEED = 20261201
COUNT = 1500
SECONDS = 60.0
MAX_GROWTH_KIB = 400 << 10
MAX_SECONDS = 2.0
"""The longest time that the replay of one session may take on a busy machine; most take a few milliseconds."""


def make_step(function: str, *values: Value) -> Callable[[Driver], object]:
    call = build_call(function, load().functions, *values)
    return lambda driver: driver.make_call(call, SECONDS)


def make_action(function: str, **values: Value) -> Callable[[Driver], object]:
    return lambda driver: driver.make_call(Call(function, dict(values)), SECONDS)


FLUSH = Call("clFlush", {"command_queue": Handle("queue1")})
EVENT = Handle("event1")
STEPS: list[Callable[[Driver], object]] = [
    make_step("clGetPlatformInfo", Handle("platform1"), 0x0902, 100, OutputBuffer(100), OutputBuffer(1)),
    make_step("clCreateContext", None, 1, ElementList((Handle("device1"),)), None, None, OutputBuffer(1)),
    make_step("clGetContextInfo", Handle("context1"), 0x1081, 64, OutputBuffer(64), OutputBuffer(1)),
    make_step("clCreateCommandQueue", Handle("context1"), Handle("device1"), 0, OutputBuffer(1)),
    make_step("clCreateBuffer", Handle("context1"), 1, 64, None, OutputBuffer(1)),
    make_step(
        *("clEnqueueWriteBuffer", Handle("queue1"), Handle("mem1"), 1, 0, 16, Data(bytes(range(16))), 0, None, None)
    ),
    make_step("clCreateUserEvent", Handle("context1"), OutputBuffer(1)),
    make_step("clSetEventCallback", EVENT, 0, HostCallback("done"), None),
    lambda driver: driver.begin_call(3, FLUSH, SECONDS),
    lambda driver: driver.await_call(3, 1.0, SECONDS),
    make_step("clSetUserEventStatus", EVENT, 0),
    make_action(AWAIT, callback=HostCallback("done"), times=1, milliseconds=100),
    make_action(IN_CALLBACK, callback=HostCallback("done"), host_thread=5),
    lambda driver: driver.make_concurrent_calls([FLUSH] * 3, SECONDS),
    make_action(ALLOCATE, size=64, alignment=64),
    make_action(READ, pointer=Handle("pointer1"), size=64, content=OutputBuffer(64)),
    make_step("clEnqueueReadBuffer", Handle("queue1"), Handle("mem1"), 1, 0, 16, OutputBuffer(16), 0, None, None),
    make_step(
        *("clEnqueueMapBuffer", Handle("queue1"), Handle("mem1"), 1, 1, 0, 16, 0, None, OutputBuffer(1)),
        OutputBuffer(1),
    ),
    lambda driver: driver.put_aside("context1"),
    lambda driver: driver.begin_example(),
    lambda driver: driver.take_back(0, SECONDS),
    make_step("clReleaseContext", Handle("context1")),
]
"""The calls of a session: each kind of reply, with objects, callbacks, texts and memory."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    if building.COMPILER is None:
        pytest.skip("needs a C compiler")
    return str(building.build_library(tmp_path_factory.mktemp("hostile")))


def open_driver(process: ReplayingProcess | RecordingProcess, library: str) -> Driver:
    connection = DriverConnection(process, SECONDS)  # type: ignore[arg-type]
    driver = Driver(load(), connection, DispatchTableEntryPoints(library, load(), connection))
    driver.open("")
    return driver


@pytest.fixture(scope="module")
def replies(library: str) -> list[bytes]:
    """Return the replies of a worker to the calls, all of which succeed."""
    process = WorkerProcess(Target.driver(library, direct=True))
    try:
        recording = RecordingProcess(process)
        driver = open_driver(recording, library)
        for step in STEPS:
            step(driver)
    finally:
        process.close()
    return recording.replies


def test_session_survives_mutated_replies(library: str, replies: list[bytes]) -> None:
    def open_replayed(process: ReplayingProcess) -> Driver:
        return open_driver(process, library)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    kinds: Counter[str] = Counter()
    for seed in range(SEED, SEED + COUNT):
        began = time.process_time()
        kinds += try_replies(replies, open_replayed, STEPS, Random(seed), os.getpid())  # noqa: S311 (not for security)
        assert time.process_time() - began < MAX_SECONDS, seed
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MAX_GROWTH_KIB
    assert {"Returned", "ProcessEndedError", "BadCall", "HarnessError", "start: ProcessEndedError"} <= kinds.keys()


def test_unchanged_replies_have_the_recorded_outcomes(library: str, replies: list[bytes]) -> None:
    """Without this test, a session might reject every replayed reply."""
    driver = open_driver(ReplayingProcess(replies, os.getpid()), library)
    outcomes = [type(step(driver)).__name__ for step in STEPS]
    expected = Counter({"Returned": 17, "NoneType": 2, "Begun": 1, "CallEnded": 1, "list": 1})
    assert Counter(outcomes) == expected
