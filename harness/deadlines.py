"""How long a driver may take: for a call, by its function, and for its start."""

from __future__ import annotations

from dataclasses import dataclass

START_SECONDS = 60.0
"""The deadline for a driver to start and name its platforms."""
BUILDS = ("clBuildProgram", "clCompileProgram", "clLinkProgram")
WORKS = (
    "clGetPlatformIDs",
    "clGetDeviceIDs",
    "clCreateContext",
    "clCreateContextFromType",
    "clCreateKernel",
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clFinish",
    "clWaitForEvents",
)
"""Functions in which drivers start up, compile, or wait for everything that was enqueued."""


@dataclass(frozen=True)
class Deadlines:
    """Deadlines in seconds: for building programs, for other slow calls, and for all others.

    The first two apply to the functions in ``BUILDS`` and ``WORKS``. Deadlines may be short if confirming repeats the
    call with a longer one.
    """

    builds: float = 120.0
    works: float = 20.0
    others: float = 5.0

    def of(self, function: str) -> float:
        """Return the deadline for a call of this function."""
        if function in BUILDS:
            return self.builds
        return self.works if function in WORKS else self.others

    def scaled(self, scale: float) -> Deadlines:
        """Return deadlines that are ``scale`` times as long."""
        return Deadlines(self.builds * scale, self.works * scale, self.others * scale)
