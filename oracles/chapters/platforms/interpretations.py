"""Interpretations of sections 4.1 and 4.2: platforms and devices."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "null-platform",
        "clGetDeviceIDs, clGetPlatformInfo: platform",
        "success and CL_INVALID_PLATFORM are both allowed",
        "the behaviour for a NULL platform is implementation-defined, and a loader selects the first platform",
    ),
    Interpretation(
        "device-type-bits",
        "4.2, clGetDeviceIDs: device_type",
        "CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND and success are allowed for defined and undefined bits together, "
        "and for a bit of a later version; without a defined bit one of the two errors is required",
        "the documents do not specify whether such a mask is valid, and no device matches an undefined bit",
    ),
    Interpretation(
        "subset-of-devices",
        "4.2, clGetDeviceIDs: which devices are listed",
        "any number of the root devices of the type is allowed, except none: CL_DEVICE_NOT_FOUND is not allowed if "
        "the platform has such devices; the list is as long as the number that the same call returns",
        "the function may return all devices or a subset, and the document does not require the same subset each "
        "time; the error applies if no devices were found",
    ),
    Interpretation(
        "kilobyte-size",
        "4.2, minimum values in KB and MB",
        "a value is allowed that is at least the minimum by powers of 1000",
        "the document does not specify how many bytes a KB has; 1024 is customary, and 1000 is the usual meaning of "
        "the symbol",
    ),
    Interpretation(
        "changing-clock-frequency",
        "4.2, CL_DEVICE_MAX_CLOCK_FREQUENCY",
        "the value may differ each time, on devices of all versions",
        "since version 2.2 it may be any valid frequency of a device that changes its own; before 2.2 it is the "
        "highest configured one, and the documents do not require it to be fixed",
    ),
    Interpretation(
        "custom-device-not-in-all",
        "4.2, table 4, CL_DEVICE_TYPE_CUSTOM and CL_DEVICE_TYPE_ALL",
        "CL_DEVICE_TYPE_ALL need not list a custom device that CL_DEVICE_TYPE_CUSTOM lists",
        "3.0.17 includes all devices of the platform; older versions exclude custom devices",
    ),
    Interpretation(
        "types-of-custom-devices",
        "the largest data type that a device supports, for custom devices: default alignments, and the limits of "
        "alignments and patterns",
        "any alignment is allowed by default, and an error is optional for each larger alignment and pattern",
        "a custom device does not support programs in OpenCL C, so the data types that it supports are not specified",
    ),
    Interpretation(
        "default-among-types",
        "4.2, table 4, CL_DEVICE_TYPE_DEFAULT together with other types",
        "CL_DEVICE_NOT_FOUND is allowed if no device has one of the other types; any number of devices may be returned",
        "the documents do not specify whether the bit then adds the default device, or is a type that no device has",
    ),
    Interpretation(
        "linker-of-older-embedded-devices",
        "4.2, CL_DEVICE_LINKER_AVAILABLE of a device of the embedded profile that has a compiler, by tables of 3.1",
        "CL_TRUE is required of devices of 3.1 and later; devices of older versions may return either value",
        "3.1.1 requires it of devices of any version, up to 3.0.17 CL_FALSE was allowed for all devices of the "
        "embedded profile, and a device is judged by the document of its own version",
    ),
)
