"""Deadlines for a driver: for its start, and for each call by its function."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.call import Call

START_SECONDS = 60.0
"""The deadline in seconds for a driver to start and report its platforms."""
BUILD_FUNCTIONS = frozenset({"clBuildProgram", "clCompileProgram", "clLinkProgram"})
SLOW_FUNCTIONS = frozenset(
    {
        "clGetPlatformIDs",
        "clGetDeviceIDs",
        "clCreateContext",
        "clCreateContextFromType",
        "clCreateKernel",
        "clEnqueueNDRangeKernel",
        "clEnqueueTask",
        "clFinish",
        "clWaitForEvents",
        "clReleaseContext",
    }
)
"""Functions in which drivers initialise, shut down, compile, or wait for all enqueued commands."""
ALLOCATION_FUNCTIONS = frozenset(
    {
        "clCreateBuffer",
        "clCreateBufferWithProperties",
        "clSVMAlloc",
        "clHostMemAllocINTEL",
        "clDeviceMemAllocINTEL",
        "clSharedMemAllocINTEL",
    }
)
"""Functions whose duration may grow with the allocated size, if the device has that much memory."""
RELEASE_PARAMETERS = {
    "clReleaseMemObject": "memobj",
    "clSVMFree": "svm_pointer",
    "clMemFreeINTEL": "ptr",
    "clMemBlockingFreeINTEL": "ptr",
}
"""Maps functions whose duration may grow with the size of the freed memory to the parameter of that memory."""
_BYTES_PER_SECOND = 1 << 30
_MAX_BYTES = 1 << 38
"""Devices are assumed to have less memory: a larger allocation fails immediately and needs no additional time."""


@dataclass(frozen=True)
class Deadlines:
    """The deadlines of calls, in seconds.

    ``builds`` and ``slow_calls``: for the functions in ``BUILD_FUNCTIONS`` and ``SLOW_FUNCTIONS``. ``others``: for all
    other functions. Deadlines may be short because confirmation repeats a hang with a longer one. ``after_hang``: for a
    call that must fail with the same error code as an earlier call that did not return. ``known_to_hang``: for a call
    that must fail, if a known deviation states that it hangs.
    """

    builds: float = 120.0
    slow_calls: float = 20.0
    others: float = 5.0
    after_hang: float = 1.0
    known_to_hang: float = 0.5

    def deadline_of(self, function: str) -> float:
        """Return the deadline for a call of this function."""
        if function in BUILD_FUNCTIONS:
            return self.builds
        return self.slow_calls if function in SLOW_FUNCTIONS else self.others

    def scaled(self, scale: float) -> Deadlines:
        """Return the deadlines multiplied by ``scale``."""
        return Deadlines(*(getattr(self, each.name) * scale for each in fields(self)))


def seconds_for_memory(call: Call) -> float:
    """Return the additional seconds that a call may take because of the memory that it allocates."""
    size = call.arguments.get("size") if call.function in ALLOCATION_FUNCTIONS else None
    return seconds_for_bytes(size) if isinstance(size, int) else 0.0


def seconds_for_bytes(size: int) -> float:
    """Return the additional seconds for allocating or freeing ``size`` bytes: one second per GiB."""
    return size / _BYTES_PER_SECOND if 0 < size < _MAX_BYTES else 0.0
