"""Open points of section 5.1: command-queues."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "queue-list-either-code",
        "5.1, clCreateCommandQueueWithProperties: properties that do not go together, or a size above the maximum",
        "an error is required; CL_INVALID_VALUE or CL_INVALID_QUEUE_PROPERTIES, and the latter also for a name or a "
        "value that is not valid",
        "the table says what must be set together and how large a queue can be, but no clause names it; whether such a "
        "value is not valid or not supported is open",
    ),
    Interpretation(
        "queue-of-no-size",
        "5.1, CL_QUEUE_SIZE: zero",
        "CL_INVALID_VALUE and CL_INVALID_QUEUE_PROPERTIES are allowed beside success",
        "the table gives the largest size only",
    ),
    Interpretation(
        "properties-stay",
        "5.1, clSetCommandQueueProperty",
        "CL_INVALID_OPERATION is allowed beside success unless a device of the context is of version 1.0; where the "
        "queue is no valid one, beside the error for that, unless a device of the platform is",
        "the function may fail in any case where no device has to support it (OpenCL-Docs issue 980)",
    ),
    Interpretation(
        "disabled-although-never-there",
        "5.1, clSetCommandQueueProperty: CL_INVALID_QUEUE_PROPERTIES",
        "allowed beside success where a property that the device does not support is to be disabled",
        "the queue does not have it, so that nothing is asked of the device",
    ),
    Interpretation(
        "bit-of-a-device-queue",
        "5.1, clCreateCommandQueue, clSetCommandQueueProperty: a bit that only queues on the device have",
        "an error is required; CL_INVALID_VALUE or CL_INVALID_QUEUE_PROPERTIES",
        "the bit is in the table of another function, so it is not valid here, or not supported",
    ),
    Interpretation(
        "default-without-a-device",
        "5.1, clSetDefaultDeviceCommandQueue: CL_INVALID_OPERATION",
        "allowed beside CL_INVALID_DEVICE where the device is no valid one and none of the platform could do it",
        "without a device there is none to ask, but a driver whose devices all lack the feature knows the answer",
    ),
    Interpretation(
        "default-was-required",
        "5.1, clSetDefaultDeviceCommandQueue: CL_INVALID_OPERATION before 3.0",
        "the error and success are both allowed on a device of 2.0, and on one of 2.1 or 2.2 that tells of no queues",
        "2.0 has device queues, but not this function; 2.1 and 2.2 require both, so the answer may be what is wrong",
    ),
    Interpretation(
        "default-of-another-context",
        "5.1, clSetDefaultDeviceCommandQueue: a queue of another context",
        "CL_INVALID_CONTEXT and CL_INVALID_COMMAND_QUEUE are allowed beside success",
        "the context is said to be the queue's own, but no clause names one that is not",
    ),
    Interpretation(
        "host-queue-for-the-default",
        "5.1, clSetDefaultDeviceCommandQueue: a queue on the host",
        "CL_INVALID_COMMAND_QUEUE is allowed beside success",
        "the clause asks for a valid queue for the device, not for one on it",
    ),
)
