"""Interpretations of section 5.1: command-queues."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "code-for-invalid-queue-properties",
        "5.1, clCreateCommandQueueWithProperties: contradictory properties, or a size above the maximum",
        "CL_INVALID_VALUE or CL_INVALID_QUEUE_PROPERTIES is required; the latter is also allowed for an invalid name "
        "or value",
        "the table specifies which properties must be set together and the maximum size of a queue, but no error "
        "condition does; such a value may count as invalid or as unsupported",
    ),
    Interpretation(
        "queue-size-zero",
        "5.1, CL_QUEUE_SIZE: zero",
        "success, CL_INVALID_VALUE and CL_INVALID_QUEUE_PROPERTIES are allowed",
        "the table specifies only the maximum size",
    ),
    Interpretation(
        "fixed-queue-properties",
        "5.1, clSetCommandQueueProperty",
        "CL_INVALID_OPERATION is allowed in addition to success unless a device of the context is of version 1.0; for "
        "an invalid queue, in addition to its error, unless a device of the platform is of version 1.0",
        "the function may always fail if no device has to support it (OpenCL-Docs issue 980)",
    ),
    Interpretation(
        "disabling-unsupported-queue-property",
        "5.1, clSetCommandQueueProperty: CL_INVALID_QUEUE_PROPERTIES",
        "allowed in addition to success if the call disables a property that the device does not support",
        "the queue does not have the property, so the call requires nothing of the device",
    ),
    Interpretation(
        "on-device-bit-for-host-queue",
        "5.1, clCreateCommandQueue, clSetCommandQueueProperty: a bit for on-device queues",
        "an error is required; CL_INVALID_VALUE or CL_INVALID_QUEUE_PROPERTIES",
        "the table of another function contains the bit, so here it is either invalid or unsupported",
    ),
    Interpretation(
        "blocking-flush",
        "5.16, clFlush while a command of the queue waits for a user event",
        "the call must return before the event is set",
        "no sentence specifies when the call returns, but it only guarantees that the commands will be submitted, "
        "clFinish is the function that waits for them, and a host thread that flushes before it sets the event would "
        "never continue",
    ),
    Interpretation(
        "flush-before-the-wait",
        "5.16, clFlush: commands of one queue wait for events of another queue",
        "validate: a program must flush the other queue before the host waits for these commands; a test flushes it "
        "before it enqueues them",
        "the text requires the flush, but does not specify when, and until the host waits for a command nothing "
        "depends on its submission",
    ),
    Interpretation(
        "default-queue-without-device",
        "5.1, clSetDefaultDeviceCommandQueue: CL_INVALID_OPERATION",
        "allowed in addition to CL_INVALID_DEVICE if device is not valid and no device of the platform supports it",
        "without a valid device none is named, but a driver whose devices all lack the feature can determine the error",
    ),
    Interpretation(
        "default-queue-required-before-3.0",
        "5.1, clSetDefaultDeviceCommandQueue: CL_INVALID_OPERATION before 3.0",
        "the error and success are both allowed for a device of version 2.0, and for one of version 2.1 or 2.2 that "
        "reports no on-device queues",
        "2.0 has on-device queues, but not this function; 2.1 and 2.2 require both, so the query itself may be the "
        "deviation",
    ),
    Interpretation(
        "default-queue-of-another-context",
        "5.1, clSetDefaultDeviceCommandQueue: a queue of another context",
        "success, CL_INVALID_CONTEXT and CL_INVALID_COMMAND_QUEUE are allowed",
        "by its description context is the context of command_queue, but no error condition covers a different one",
    ),
    Interpretation(
        "host-queue-as-default",
        "5.1, clSetDefaultDeviceCommandQueue: a host queue",
        "success and CL_INVALID_COMMAND_QUEUE are both allowed",
        "the error condition requires a valid queue of the device, and a host queue is one; but the function replaces "
        "the default on-device queue, which a host queue cannot be",
    ),
)
