"""Unspecified points of sections 5.11, 5.12 and 5.15: events, markers and profiling timestamps."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "after-failed-user-event",
        "5.11, calls on a queue after a command in its context waited for a user event that was set to an error",
        "the error of that event is allowed in addition to the expected outcome, and so is "
        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        "the queues of the context may then be unusable, and the behaviour of calls on them is "
        "implementation-defined; only these errors are allowed, because they show that this is the cause",
    ),
    Interpretation(
        "marker-without-an-event",
        "5.12, clEnqueueMarker, CL_INVALID_VALUE",
        "success and the error are both allowed if event is NULL",
        "the list of errors includes this case, but according to the description of the parameter no event is created "
        "then",
    ),
    Interpretation(
        "svm-free-profiling",
        "5.15, CL_PROFILING_INFO_NOT_AVAILABLE",
        "for an event of clEnqueueSVMFree before OpenCL 3.0, the error is allowed in addition to a value",
        "the error condition permits it",
    ),
    Interpretation(
        "completion-unknown",
        "5.15, CL_PROFILING_INFO_NOT_AVAILABLE",
        "for a command that no call has waited for, the error and a value are both allowed",
        "the command may complete at any moment, even between two calls",
    ),
    Interpretation(
        "timestamps-along-events",
        "3.2 and 5.15: profiling timestamps of two commands on one device",
        "a command does not start before the end of a command that it waits for through events; for a marker, a "
        "barrier or a wait in a queue only the end is later; timestamps of commands that only their queue orders, or "
        "of different devices, have no order",
        "a command is not launched before the commands in its wait list are complete, and both timestamps are from "
        "one counter of the device, which does not restart for each queue; the documents do not specify when a "
        "command that only waits begins to run, and describe the order of commands in one queue in two ways: the "
        "earlier command is finished, or it appears to be finished",
    ),
)
