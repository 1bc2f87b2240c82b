"""How long a driver may take: for a call, by its function, and for its start."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.calls.call import Call

START_SECONDS = 60.0
"""The deadline for a driver to start and name its platforms."""
BUILDS = frozenset({"clBuildProgram", "clCompileProgram", "clLinkProgram"})
WORKS = frozenset(
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
"""Functions in which drivers start up or end, compile, or wait for everything that was enqueued."""
ALLOCATES = frozenset(
    {
        "clCreateBuffer",
        "clCreateBufferWithProperties",
        "clSVMAlloc",
        "clHostMemAllocINTEL",
        "clDeviceMemAllocINTEL",
        "clSharedMemAllocINTEL",
    }
)
"""Functions that may take longer the more memory they allocate, as long as the device has that much."""
FREES = {
    "clReleaseMemObject": "memobj",
    "clSVMFree": "svm_pointer",
    "clMemFreeINTEL": "ptr",
    "clMemBlockingFreeINTEL": "ptr",
}
"""Functions that may take longer the more memory they free, with the parameter that names it."""
_BYTES_IN_A_SECOND = 1 << 30
_MOST_BYTES = 1 << 38
"""No device has so much memory that a call for more of it takes longer than to be refused."""


@dataclass(frozen=True)
class Deadlines:
    """Deadlines in seconds: for building programs, for other slow calls, and for all others.

    The first two apply to the functions in ``BUILDS`` and ``WORKS``. Deadlines may be short if confirming repeats the
    call with a longer one. ``like_a_hang``: for a call that must fail with the same code as one that did not return.
    ``known_to_hang``: for a call that must fail, and that is known never to return.
    """

    builds: float = 120.0
    works: float = 20.0
    others: float = 5.0
    like_a_hang: float = 1.0
    known_to_hang: float = 0.5

    def of(self, function: str) -> float:
        """Return the deadline for a call of this function."""
        if function in BUILDS:
            return self.builds
        return self.works if function in WORKS else self.others

    def scaled(self, scale: float) -> Deadlines:
        """Return deadlines that are ``scale`` times as long."""
        return Deadlines(*(getattr(self, each.name) * scale for each in fields(self)))


def seconds_for_memory(call: Call) -> float:
    """Return the time that a call may take in addition because of the memory that it allocates."""
    size = call.arguments.get("size") if call.function in ALLOCATES else None
    return seconds_for_bytes(size) if isinstance(size, int) else 0.0


def seconds_for_bytes(size: int) -> float:
    """Return the time that allocating or freeing so much memory may take in addition: a second for a GiB."""
    return size / _BYTES_IN_A_SECOND if 0 < size < _MOST_BYTES else 0.0
