"""Open points of section 5.17: command-buffers."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "pending-or-executable",
        "5.17.2 and 5.17.4: a command-buffer of which an enqueued instance may have completed or not",
        "while something that only the application can do holds the instance up, it is pending; until the host has "
        "waited for it afterwards, it may be pending or executable, so that clEnqueueCommandBufferKHR may succeed or "
        "return CL_INVALID_OPERATION, and the state may be either",
        "an instance leaves the pending state when it completes, and nothing tells when that is",
    ),
    Interpretation(
        "arguments-updatable-by-default",
        "5.17.5, clCommandNDRangeKernelKHR of 3.1: a kernel with arguments that are not set, properties that do not "
        "say what may be updated, and a device that can update arguments",
        "success and CL_INVALID_KERNEL_ARGS are both allowed",
        "the clause asks for the flag in properties, while the table of properties gives those that lack it the "
        "device's capabilities, and the description speaks of the command's property",
    ),
    Interpretation(
        "queue-listed-twice",
        "5.17.3, clCreateCommandBufferKHR: the same queue twice in queues, on a device without the capability for "
        "several queues",
        "success and CL_INCOMPATIBLE_COMMAND_QUEUE_KHR are both allowed",
        "the clause is about more than one command-queue of a device, and this is one that is named twice",
    ),
    Interpretation(
        "flags-of-no-use",
        "5.17.3, clCreateCommandBufferKHR: the flag for updates, for a device that can update nothing, and that for "
        "device-side synchronization, for one that no other device synchronizes with",
        "success and CL_INVALID_PROPERTY are both allowed",
        "the error is for valid values that a device does not support; of the flags only that for simultaneous use "
        "names the capability that a device must have",
    ),
    Interpretation(
        "identical-properties",
        "5.17.4, clEnqueueCommandBufferKHR: a queue of another list of properties, with the same bits",
        "success and CL_INCOMPATIBLE_COMMAND_QUEUE_KHR are both allowed",
        "a compatible queue has identical properties, and no sentence says whether hints, or names with their default "
        "values, count",
    ),
    Interpretation(
        "order-around-a-command-buffer",
        "5.17.1: a command-buffer on several queues among other commands of them",
        "no order is expected between it and other commands of its queues but by events, and clFinish of one queue "
        "does not end what it does on the others; on one queue it is a command like any other",
        "the order of other commands of the same queues is said to be the programmer's responsibility, in the section "
        "on several queues",
    ),
    Interpretation(
        "uniformity-of-a-chosen-size",
        "5.17.7, clUpdateMutableCommandsKHR: groups that do not fit the range evenly, for a launch that was recorded "
        "without local_work_size",
        "success and CL_INVALID_OPERATION are both allowed",
        "whether work-groups were of one size before is up to the implementation, which has chosen their size",
    ),
    Interpretation(
        "barrier-of-one-queue",
        "5.17.5, clCommandBarrierWithWaitListKHR in a command-buffer for several queues",
        "the barrier is expected to hold up commands of its own queue only, and to wait for these",
        "the parameter is said to wait for the commands recorded to command_queue, the function for those recorded in "
        "the command-buffer",
    ),
)
