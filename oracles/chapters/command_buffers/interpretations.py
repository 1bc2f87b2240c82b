"""Unspecified points of section 5.17: command-buffers."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "pending-or-executable",
        "5.17.2 and 5.17.4: a command-buffer with an enqueued instance that may be complete or not",
        "the command-buffer is pending while the instance waits for an action of the application; afterwards, until "
        "the host has waited for it, it may be pending or executable, so clEnqueueCommandBufferKHR may succeed or "
        "return CL_INVALID_OPERATION, and the state may be either",
        "an instance leaves the pending state when it completes, and the host cannot observe that moment",
    ),
    Interpretation(
        "arguments-updatable-by-default",
        "5.17.5, clCommandNDRangeKernelKHR of 3.1: a kernel with unset arguments, properties without updatable fields, "
        "and a device that can update arguments",
        "success and CL_INVALID_KERNEL_ARGS are both allowed",
        "the error condition requires the flag in properties, while the table of properties gives the device's "
        "capabilities as the default, and the description refers to the property of the command",
    ),
    Interpretation(
        "released-queue-of-command-buffer",
        "5.17.5 and 5.17.4: a command-buffer whose queue the application has released",
        "success and CL_INVALID_COMMAND_QUEUE are both allowed for recording into it and for enqueuing it",
        "the document recommends, but does not require, that a command-buffer keeps the queues of its commands, and "
        "says nothing about the queues that it was created with",
    ),
    Interpretation(
        "queue-listed-twice",
        "5.17.3, clCreateCommandBufferKHR: the same queue twice in queues, on a device without the capability for "
        "several queues",
        "success and CL_INCOMPATIBLE_COMMAND_QUEUE_KHR are both allowed",
        "the error condition is about more than one command-queue of a device, and this is one queue that is listed "
        "twice",
    ),
    Interpretation(
        "flags-without-device-support",
        "5.17.3, clCreateCommandBufferKHR: the flag for updates on a device that cannot update anything, and the flag "
        "for device-side synchronization on a device that no other device synchronizes with",
        "success and CL_INVALID_PROPERTY are both allowed",
        "the error is for valid values that a device does not support; only the flag for simultaneous use names a "
        "required device capability",
    ),
    Interpretation(
        "identical-properties",
        "5.17.4, clEnqueueCommandBufferKHR: a queue with another property list that has the same bits",
        "success and CL_INCOMPATIBLE_COMMAND_QUEUE_KHR are both allowed",
        "a compatible queue has identical properties, and the documents do not specify whether hints, or names with "
        "their default values, count",
    ),
    Interpretation(
        "command-buffer-order",
        "5.17.1: a command-buffer on several queues, relative to other commands in these queues",
        "only events order it relative to other commands of its queues, and clFinish of one queue does not wait for "
        "its work on the other queues; on a single queue it is ordered like any other command",
        "the section on several queues makes the order of other commands in these queues the responsibility of the "
        "programmer",
    ),
    Interpretation(
        "uniformity-of-implementation-chosen-size",
        "5.17.7, clUpdateMutableCommandsKHR: work-groups that do not divide the range evenly, for a kernel that was "
        "recorded without local_work_size",
        "success and CL_INVALID_OPERATION are both allowed",
        "the implementation chose the recorded size, so it decides whether the work-groups were uniform before",
    ),
    Interpretation(
        "barrier-of-one-queue",
        "5.17.5, clCommandBarrierWithWaitListKHR in a command-buffer for several queues",
        "the barrier blocks only commands of its own queue, and waits only for these",
        "according to its parameter the barrier waits for the commands recorded to command_queue, according to the "
        "function for those recorded in the command-buffer",
    ),
)
