"""Interpretations of section 5.13: semaphores."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "payload-after-a-wait",
        "5.13.8, CL_SEMAPHORE_PAYLOAD_KHR: after a wait for the semaphore was enqueued",
        "0 and 1 are both allowed until the semaphore is signaled again",
        "the document specifies how a signal changes the state, but not that a wait resets it, nor when",
    ),
    Interpretation(
        "state-after-an-import",
        "5.13.2 and 5.13.4, a semaphore that was created from an external handle, or exported to one",
        "its payload may be 0 or 1, and a wait is enqueued only after a signal from this process",
        "a new semaphore is not signaled, while an import references or copies the payload of the handle, which may "
        "be signaled (OpenCL-Docs issue 1489); another API may change an exported payload at any time",
    ),
    Interpretation(
        "unlisted-semaphore-handle-type",
        "5.13.2, clCreateSemaphoreWithPropertiesKHR: a handle type that a device does not list",
        "success and CL_INVALID_PROPERTY are both allowed, unless CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR names the "
        "device and a handle is to be imported",
        "an error condition covers only that case; the type is a value, or a name, that the extension defines",
    ),
    Interpretation(
        "repeated-semaphore-device",
        "5.13.2, CL_INVALID_DEVICE of clCreateSemaphoreWithPropertiesKHR: a list that names one device twice",
        "success and CL_INVALID_DEVICE are both allowed",
        "such a list identifies one device, but has two elements",
    ),
    Interpretation(
        "semaphore-shared-with-device",
        "5.13.3, clGetSemaphoreHandleForTypeKHR: a device of the context other than the device of the semaphore",
        "success and CL_INVALID_DEVICE are both allowed",
        "the document does not specify when a semaphore is shared with a device",
    ),
)
