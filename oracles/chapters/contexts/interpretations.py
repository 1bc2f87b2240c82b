"""Open points of section 4.4: which devices a context knows."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "after-termination",
        "4.4, clTerminateContextKHR: calls on objects of a terminated context that create nothing and enqueue nothing",
        "CL_CONTEXT_TERMINATED_KHR is allowed in addition to what is right otherwise, except for queries, retains, "
        "releases, callbacks of events and memory objects, and the status of user events; waiting for events may fail "
        "as for failed commands, and times of commands need not be available",
        "the sentences are about calls that have the context itself as an argument, create objects or enqueue "
        "commands, and leave open what other calls return",
    ),
    Interpretation(
        "null-platform-in-a-list",
        "4.4, clCreateContext, clCreateContextFromType: CL_CONTEXT_PLATFORM with NULL",
        "CL_INVALID_PLATFORM or CL_INVALID_PROPERTY is required",
        "NULL is no valid object, and a list that names a platform does not leave the choice to the implementation; "
        "only clGetPlatformInfo and clGetDeviceIDs give NULL a meaning of its own",
    ),
    Interpretation(
        "associated-device",
        "5.1, 5.8: device associated with the context",
        "CL_INVALID_DEVICE and success are both allowed for a sub-device whose parent is in the context",
        "what 'associated' means for the descendants of a context's device is not defined, and the glossary lets "
        "a sub-device stand wherever its parent may",
    ),
)
