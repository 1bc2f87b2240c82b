"""The time of a call outside the driver: from the session to the driver's process and back; and the start of a process.

The session and the driver's process take turns, so the figures are those of one call after another. The time inside the
driver, which the process reports, is subtracted.
"""

from __future__ import annotations

import statistics
import time

from clconform.calls.call import Call, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer, Value
from clconform.harness import Target, Worker
from clconform.harness.driver_connection import DriverConnection
from clconform.harness.worker_process import WorkerProcess
from clconform.selftest.benchmarks.benchmark_part import (
    BenchmarkSetup,
    BenchmarkTable,
    Cell,
    NotMeasurableError,
    to_microseconds,
)
from clconform.spec_tables import load

ROUNDS, CALLS, STARTS = 7, 1000, 21
"""The number of rounds, of calls of each function in a round, and of starts of a process."""
_START_SECONDS = 60.0
_BUFFER_BYTES = 64


def measure_round_trips(bench: BenchmarkSetup) -> BenchmarkTable:
    """Measure four calls, and the start of a process without a driver.

    NotMeasurableError without a driver library, or if the driver fails a call.
    """
    if not bench.library:
        raise NotMeasurableError("it needs a driver's library; name one with --driver")
    with Worker(Target.driver(bench.library)) as worker:
        rounds = [_measure_round(worker) for _ in range(ROUNDS)]
    rows: list[list[Cell]] = []
    for function in rounds[0]:
        medians = [each[function] for each in rounds]
        rows.append([function, *map(to_microseconds, (min(medians), statistics.median(medians), max(medians)))])
    starts = [_measure_start() for _ in range(STARTS)]
    spread = (min(starts), statistics.median(starts), max(starts))
    rows.append(["start of a process, without a driver", *map(to_microseconds, spread)])
    return BenchmarkTable(
        "round-trips",
        f"microseconds outside the driver; medians of {CALLS} calls in each of {ROUNDS} rounds, of {STARTS} starts",
        [],
        ["call", "least", "median", "most"],
        rows,
    )


def _measure_round(worker: Worker) -> dict[str, float]:
    """Return the median seconds of each function's calls outside the driver."""
    worker.begin_example()
    vendor = load().enumerants["CL_PLATFORM_VENDOR"].value
    devices = ElementList((Handle("device1"),))
    context = _make_call(worker, "clCreateContext", None, 1, devices, None, None, OutputBuffer(1))[0].value
    found: dict[str, list[float]] = {}
    for _ in range(CALLS):
        info = (Handle("platform1"), vendor, _BUFFER_BYTES, OutputBuffer(_BUFFER_BYTES), OutputBuffer(1))
        _note(found, worker, "clGetPlatformInfo", *info)
        _note(found, worker, "clRetainContext", Handle(str(context)))
        memory = _note(found, worker, "clCreateBuffer", Handle(str(context)), 0, _BUFFER_BYTES, None, OutputBuffer(1))
        _note(found, worker, "clReleaseMemObject", Handle(str(memory)))
        worker.forget_objects([str(memory)])
    return {function: statistics.median(seconds) for function, seconds in found.items()}


def _note(found: dict[str, list[float]], worker: Worker, function: str, *arguments: Value) -> object:
    """Make a call, add its seconds outside the driver, and return its result."""
    outcome, seconds = _make_call(worker, function, *arguments)
    found.setdefault(function, []).append(seconds)
    return outcome.value


def _make_call(worker: Worker, function: str, *arguments: Value) -> tuple[Returned, float]:
    """Return the outcome of a call, and the seconds outside the driver."""
    names = [parameter.name for parameter in load().functions[function].parameters]
    call = Call(function, dict(zip(names, arguments, strict=True)))
    began = time.perf_counter()
    outcome = worker.call(call)
    seconds = time.perf_counter() - began
    if not isinstance(outcome, Returned):
        raise NotMeasurableError(f"{function} did not return: {outcome}")
    return outcome, seconds - outcome.seconds


def _measure_start() -> float:
    """Return the seconds from the start of a process without a driver until its first message, and end it."""
    began = time.perf_counter()
    process = WorkerProcess(Target.null())
    try:
        DriverConnection(process, _START_SECONDS)
        return time.perf_counter() - began
    finally:
        process.close()
