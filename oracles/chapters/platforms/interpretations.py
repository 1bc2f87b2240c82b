"""Open points of chapter 4: platforms, devices, timers, and how devices are divided."""

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
        "no-scheme",
        "4.3, properties",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED and success are allowed",
        "no clause names a NULL list or one that ends at once; that it asks for no partition is all that is certain",
    ),
    Interpretation(
        "no-unit-each",
        "4.3, table 12, equally, n = 0",
        "an error is required; CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT",
        "a sub-device without compute units cannot be; which of the clauses says so is open, and later revisions "
        "moved it from one to another",
    ),
    Interpretation(
        "more-than-all-units",
        "4.3, table 12, equally, n above the number of compute units",
        "an error is required; CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT",
        "not one sub-device of that size can be created; the value is not valid, or the device cannot be partitioned "
        "so, or by a later wording the count is wrong",
    ),
    Interpretation(
        "all-units-in-one",
        "4.3, table 12, a partition with a single sub-device",
        "success and CL_DEVICE_PARTITION_FAILED are both allowed",
        "the text does not force a failure where the partition has one part only; the official tests expect one",
    ),
    Interpretation(
        "too-many-equal-parts",
        "4.3, table 12, equally, with more parts than CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT are allowed beside success; "
        "more sub-devices than the query says are a deviation from what the query says",
        "3.0.17 speaks of the limit only in the clause about counts, and 'as many as can be created' may stop at it",
    ),
    Interpretation(
        "implementation-supports",
        "4.3, CL_DEVICE_PARTITION_FAILED",
        "allowed beside CL_INVALID_VALUE wherever a device does not list the scheme or the domain",
        "whether the implementation supports a name that the device does not list cannot be seen from outside",
    ),
    Interpretation(
        "counts-are-values",
        "4.3, by counts, counts out of range",
        "CL_INVALID_VALUE is allowed beside CL_INVALID_DEVICE_PARTITION_COUNT",
        "counts are values of the property list too, and no clause ranks above another",
    ),
    Interpretation(
        "cannot-divide-further",
        "4.3, CL_DEVICE_PARTITION_FAILED",
        "allowed for every affinity domain whose topology is not known",
        "how the units of a device share caches and nodes is not told by any query",
    ),
    Interpretation(
        "empty-counts",
        "4.3, table 12, by counts, a list without a count",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED, CL_INVALID_DEVICE_PARTITION_COUNT and success are allowed",
        "0 ends the list; what an empty one asks for is not said (OpenCL-Docs issue 1498)",
    ),
    Interpretation(
        "after-the-counts",
        "4.3, table 12, by counts, numbers behind the list's end",
        "CL_INVALID_VALUE is allowed beside success",
        "a zero inside the list ends it; whether what follows is a second scheme or lies behind the property list's "
        "end depends on which of the two ends that zero is taken for, and every driver at hand stops there",
    ),
    Interpretation(
        "scheme-twice",
        "4.3, properties, the same scheme named twice",
        "CL_INVALID_VALUE is allowed beside success",
        "only one of the schemes can be given; whether the same one counts twice is not said",
    ),
    Interpretation(
        "several-domains",
        "4.3, table 12, by affinity domain, several bits at once",
        "an error is required; CL_INVALID_VALUE or CL_DEVICE_PARTITION_FAILED",
        "the value is drawn from a list of single domains; a mask of supported ones could also count as a partition "
        "that cannot be made",
    ),
    Interpretation(
        "names-by-intel",
        "cl_intel_device_partition_by_names",
        "any error of 4.3 is allowed for names out of range or twice; success makes one sub-device",
        "the extension's document is not among the sources; only the value of its name is",
    ),
    Interpretation(
        "ext-two-schemes",
        "cl_ext_device_fission, properties",
        "CL_INVALID_VALUE is allowed beside success",
        "the text forbids two schemes in one list but gives no error for it",
    ),
    Interpretation(
        "ext-unknown-domain",
        "cl_ext_device_fission, by affinity domain, a value that is no domain",
        "CL_INVALID_VALUE and CL_DEVICE_PARTITION_FAILED_EXT are allowed beside success",
        "the clause about unknown values names the list's keys only",
    ),
    Interpretation(
        "ext-unlisted-domain",
        "cl_ext_device_fission, by affinity domain, one that the device does not list",
        "CL_INVALID_VALUE and CL_DEVICE_PARTITION_FAILED_EXT are allowed beside success",
        "an implementation may elect not to provide fission at a level; the error for it is not said",
    ),
    Interpretation(
        "ext-names-empty",
        "cl_ext_device_fission, by names, no name at all",
        "CL_INVALID_PARTITION_NAME_EXT, CL_INVALID_PARTITION_COUNT_EXT, CL_DEVICE_PARTITION_FAILED_EXT and "
        "CL_INVALID_VALUE are allowed beside success",
        "the list ends at once; a sub-device without units is not foreseen",
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
