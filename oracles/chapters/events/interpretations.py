"""Open points of sections 5.11, 5.12 and 5.14: events, markers and times."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "marker-without-an-event",
        "5.12, clEnqueueMarker, CL_INVALID_VALUE",
        "success and the error are both allowed where event is NULL",
        "the list of errors names it, but the parameter's description says that there is no event then, and goes on",
    ),
    Interpretation(
        "svm-free-not-timed",
        "5.14, CL_PROFILING_INFO_NOT_AVAILABLE",
        "allowed beside an answer for an event of clEnqueueSVMFree before OpenCL 3.0",
        "the clause says that implementations may",
    ),
    Interpretation(
        "not-known-to-be-over",
        "5.14, CL_PROFILING_INFO_NOT_AVAILABLE",
        "the error and an answer are both allowed for a command that nobody has waited for",
        "the command may end at any moment, also between two calls",
    ),
)
