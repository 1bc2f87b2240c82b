"""Open points of section 5.13: semaphores."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "payload-after-a-wait",
        "5.13.8, CL_SEMAPHORE_PAYLOAD_KHR: after a wait for the semaphore was enqueued",
        "0 and 1 are both right until the semaphore is signaled again",
        "what a signal does to the state is said, but not that a wait takes it back, nor when",
    ),
    Interpretation(
        "state-after-an-import",
        "5.13.2 and 5.13.4, a semaphore that was created from an external handle, or exported to one",
        "its payload may be 0 or 1, and no wait is enqueued that no signal of ours comes before",
        "a new semaphore is said not to be signaled, while an import is said to reference or copy the payload of the "
        "handle, which may be (OpenCL-Docs issue 1489); another API may change an exported payload at any time",
    ),
    Interpretation(
        "handle-type-of-no-device",
        "5.13.2, clCreateSemaphoreWithPropertiesKHR: a type of handles that a device does not list",
        "success and CL_INVALID_PROPERTY are both right, unless CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR names the device "
        "and a handle is to be imported",
        "only for that case a clause names an error; the type is a value, or a name, that the extension defines",
    ),
    Interpretation(
        "one-device-twice",
        "5.13.2, CL_INVALID_DEVICE of clCreateSemaphoreWithPropertiesKHR: a list that names one device twice",
        "success and CL_INVALID_DEVICE are both right",
        "such a list identifies one device, but is no list of one",
    ),
    Interpretation(
        "shared-with-a-device",
        "5.13.3, clGetSemaphoreHandleForTypeKHR: another device of the context than the one that the semaphore is for",
        "success and CL_INVALID_DEVICE are both right",
        "what it takes for a semaphore to be shared with a device is not said",
    ),
)
