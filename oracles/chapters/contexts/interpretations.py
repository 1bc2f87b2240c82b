"""Unspecified points of section 4.4: termination, platforms in properties, and associated devices."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "after-termination",
        "4.4, clTerminateContextKHR: calls on objects of a terminated context that create nothing and enqueue nothing",
        "CL_CONTEXT_TERMINATED_KHR is allowed in addition to the expected outcome, except for queries, retains, "
        "releases, callbacks of events and memory objects, and the status of user events; waits for events may fail "
        "as for failed commands, and profiling timestamps need not be available",
        "the requirements cover calls with the context itself as an argument, and calls that create objects or "
        "enqueue commands; they do not specify the results of other calls",
    ),
    Interpretation(
        "null-platform-in-a-list",
        "4.4, clCreateContext, clCreateContextFromType: CL_CONTEXT_PLATFORM with NULL",
        "CL_INVALID_PLATFORM or CL_INVALID_PROPERTY is required",
        "NULL is not a valid object, and a list that names a platform does not leave the choice to the "
        "implementation; NULL has a meaning of its own only in clGetPlatformInfo and clGetDeviceIDs",
    ),
    Interpretation(
        "associated-device",
        "5.1, 5.8: device associated with the context",
        "CL_INVALID_DEVICE and success are both allowed for a sub-device whose parent is in the context",
        "the documents do not define 'associated' for the descendants of a context's device, and by the glossary a "
        "sub-device can be used wherever its parent can",
    ),
)
