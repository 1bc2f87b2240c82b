"""Open points of sections 4.1 and 4.2: platforms and devices."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "null-platform",
        "clGetDeviceIDs, clGetPlatformInfo: platform",
        "success and CL_INVALID_PLATFORM are both allowed",
        "the behaviour for a NULL platform is implementation-defined, and a loader picks the first platform",
    ),
    Interpretation(
        "device-type-bits",
        "4.2, clGetDeviceIDs: device_type",
        "CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND and success are allowed where known and unknown bits are mixed, "
        "and for a bit that came with a later version; without a known bit an error is required, and either of the two "
        "is allowed",
        "whether such a mask is a valid value is not said, and no device matches a bit that nobody knows",
    ),
    Interpretation(
        "custom-apart",
        "4.2, table 4, CL_DEVICE_TYPE_CUSTOM and CL_DEVICE_TYPE_ALL",
        "a custom device may be found that CL_DEVICE_TYPE_ALL does not list",
        "3.0.17 speaks of all devices of the platform; texts of older versions leave custom devices out",
    ),
    Interpretation(
        "default-among-types",
        "4.2, table 4, CL_DEVICE_TYPE_DEFAULT together with other types",
        "CL_DEVICE_NOT_FOUND is allowed where no device has one of the other types; how many devices are found is open",
        "whether the default device then stands for itself or is a type like the others, which no device has, is not "
        "said",
    ),
)
