"""Measures how long a driver takes for slow calls, and states whether the deadlines of a run suit it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Call, Returned
from clconform.calls.harness_actions import build_call
from clconform.calls.values import ElementList, Handle, HandleBytes, OutputBuffer, Text, Texts
from clconform.harness.deadlines import START_SECONDS, Deadlines
from clconform.spec_tables import load

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.harness import Worker

MARGIN = 10
"""A deadline must be this many times as long as the sample."""
SCALES = (1, 2, 5, 10, 20, 50, 100)
"""Scales of deadlines that are recommended."""
SOURCE = "kernel void double_all(global int *values) { values[get_global_id(0)] *= 2; }"
ITEMS = 1024
_READ_WRITE = 1
"""The value of CL_MEM_READ_WRITE."""


class _SampleError(Exception):
    """A call for a sample has failed; the text states how."""


class Sample(NamedTuple):
    """The duration of a step, and its deadline, both in seconds."""

    step: str
    seconds: float
    deadline: float


def describe_deadlines(worker: Worker) -> str:
    """Return which scale of the deadlines suits the driver of a worker, with the sample that shows this."""
    samples, missing = measure_calls(worker)
    slowest = max(samples, key=lambda sample: sample.seconds / sample.deadline)
    scale = recommend_scale(samples)
    shown = f"{slowest.step} took {slowest.seconds:.2f} s of {slowest.deadline:g} s"
    if missing:
        shown = f"{shown}; nothing was built ({missing})"
    return f"suit this driver: {shown}" if scale == 1 else f"run with --deadline-scale {scale}: {shown}"


def recommend_scale(samples: list[Sample]) -> int:
    """Return the least scale with which each deadline is ``MARGIN`` times as long as its sample, or the greatest."""
    needed = max(MARGIN * sample.seconds / sample.deadline for sample in samples)
    return next((scale for scale in SCALES if scale >= needed), SCALES[-1])


def measure_calls(worker: Worker) -> tuple[list[Sample], str]:
    """Build a program and run a kernel on the first device; return the durations, and why a step failed, or empty.

    The start of the driver is the first sample.
    """
    made = _SampleCalls(worker)
    devices = [device.handle for platform in worker.greeting.platforms for device in platform.devices]
    if not devices:
        return made.samples, "no device"
    try:
        _run_kernel(made, Handle(devices[0]), worker.greeting.pointer_bytes)
    except _SampleError as error:
        return made.samples, str(error)
    return made.samples, ""


def _run_kernel(made: _SampleCalls, device: Handle, pointer_bytes: int) -> None:
    one, error = ElementList((device,)), OutputBuffer(1)
    context = made.create("clCreateContext", None, 1, one, None, None, error)
    queue = made.create("clCreateCommandQueue", context, device, 0, error)
    program = made.create("clCreateProgramWithSource", context, 1, Texts((SOURCE,)), None, error)
    made.make("clBuildProgram", program, 1, one, None, None, None)
    kernel = made.create("clCreateKernel", program, Text("double_all"), error)
    buffer = made.create("clCreateBuffer", context, _READ_WRITE, 4 * ITEMS, None, error)
    made.make("clSetKernelArg", kernel, 0, pointer_bytes, HandleBytes(buffer))
    made.make("clEnqueueNDRangeKernel", queue, kernel, 1, None, ElementList((ITEMS,)), None, 0, None, None)
    made.make("clFinish", queue)


class _SampleCalls:
    """Makes calls and measures those whose duration matters."""

    def __init__(self, worker: Worker) -> None:
        self._worker, self._functions, self._deadlines = worker, load().functions, Deadlines()
        self.samples = [Sample("the start", worker.startup_seconds, START_SECONDS)]

    def create(self, function: str, *values: Value) -> Handle:
        """Make a call that returns an object; _SampleError if it fails."""
        outcome = self._call(build_call(function, self._functions, *values))
        if not isinstance(outcome.value, str):
            raise _SampleError(f"{function} failed")
        return Handle(outcome.value)

    def make(self, function: str, *values: Value) -> None:
        """Make a call that returns an error code; _SampleError if it fails."""
        outcome = self._call(build_call(function, self._functions, *values))
        if outcome.value != 0:
            raise _SampleError(f"{function} returned {outcome.value}")

    def _call(self, call: Call) -> Returned:
        began = time.perf_counter()
        outcome = self._worker.call(call)
        if not isinstance(outcome, Returned):
            raise _SampleError(f"{call.function}: {type(outcome).__name__.lower()}")
        self.samples.append(
            Sample(call.function, time.perf_counter() - began, self._deadlines.deadline_of(call.function))
        )
        return outcome
