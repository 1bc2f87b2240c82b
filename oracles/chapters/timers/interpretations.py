"""Interpretations of section 4.2: timers."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "timer-of-a-sub-device",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: device",
        "CL_INVALID_DEVICE and success are both allowed for a sub-device",
        "the description requires a device that clGetDeviceIDs returned; the error condition is about valid devices",
    ),
    Interpretation(
        "timer-without-a-device",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: CL_INVALID_OPERATION",
        "allowed in addition to CL_INVALID_DEVICE if device is not valid and the platform does not support the timers",
        "without a valid device the platform is not named, but a driver with one platform knows it",
    ),
    Interpretation(
        "timebase-within-a-second",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: device timestamps and profiling timestamps",
        "a timestamp may be up to a second before an earlier one of the other kind",
        "both are in one timebase, but the document does not specify their accuracy, resolution or delay; timestamps "
        "of different timebases differ by more",
    ),
    Interpretation(
        "timers-of-custom-and-older-devices",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: a custom device, or one before 2.1, on a newer platform",
        "CL_INVALID_OPERATION and success are both allowed",
        "the error condition is about the platform, whose version may be later than that of the device; a custom "
        "device is not conformant, and may lack a clock",
    ),
    Interpretation(
        "timers-required-before-3.0",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: CL_INVALID_OPERATION before 3.0",
        "the error and success are both allowed on a platform of version 2.1 or 2.2 that reports a resolution of 0",
        "these versions require the timers, so the query itself may be the deviation",
    ),
)
