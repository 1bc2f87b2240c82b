"""Open points of sections 5.11, 5.12 and 5.15: events, markers and times."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "after-an-abnormal-end",
        "5.11, calls on a queue after a command in its context has waited for a user event with an error",
        "the error of that event is allowed in addition to what is right otherwise, and so is "
        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        "the queues of the context may be of no use then, and what calls on them do is said to be "
        "implementation-defined; only these errors are allowed, since they show that this is the reason",
    ),
    Interpretation(
        "marker-without-an-event",
        "5.12, clEnqueueMarker, CL_INVALID_VALUE",
        "success and the error are both allowed where event is NULL",
        "the list of errors includes this, but the description of the parameter says that no event is created then",
    ),
    Interpretation(
        "svm-free-not-timed",
        "5.15, CL_PROFILING_INFO_NOT_AVAILABLE",
        "the error is allowed in addition to an answer for an event of clEnqueueSVMFree before OpenCL 3.0",
        "the clause permits it",
    ),
    Interpretation(
        "not-known-to-be-over",
        "5.15, CL_PROFILING_INFO_NOT_AVAILABLE",
        "the error and an answer are both right for a command that no call has waited for",
        "the command may complete at any moment, even between two calls",
    ),
    Interpretation(
        "times-along-events",
        "3.2 and 5.15: times of two commands of one device",
        "a command does not start before one has ended that it waits for through events; of a marker, a barrier or a "
        "wait in a queue only the end comes later; times of commands that only their queue keeps in order, or of "
        "different devices, are in any order",
        "a command is not launched before those in its list are complete, and both times are of one counter, the "
        "device's, which does not begin anew for each queue; nothing says when a command that only waits begins to "
        "run, and what order means for commands of one queue is said in two ways: that the earlier one is finished, "
        "and that it looks so",
    ),
)
