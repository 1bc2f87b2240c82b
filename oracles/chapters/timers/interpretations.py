"""Open points of section 4.2: timers."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "timer-of-a-sub-device",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: device",
        "CL_INVALID_DEVICE and success are both allowed for a sub-device",
        "the parameter is said to be a device that clGetDeviceIDs returned, the clause speaks of valid devices",
    ),
    Interpretation(
        "timer-without-a-device",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: CL_INVALID_OPERATION",
        "allowed beside CL_INVALID_DEVICE where the device is no valid one and the platform has no such timers",
        "without a device there is no platform of it, but a driver of one platform knows which one it is",
    ),
    Interpretation(
        "timers-were-required",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: CL_INVALID_OPERATION before 3.0",
        "the error and success are both allowed on a platform of 2.1 or 2.2 that tells a resolution of zero",
        "these versions require the timers, so that the answer to the query may be what is wrong",
    ),
)
