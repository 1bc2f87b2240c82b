"""Interpretations of section 4.3: partitioning of devices."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "empty-partition-list",
        "4.3, properties",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED and success are allowed, including success without a sub-device",
        "no error condition covers a NULL or empty list; such a list does not request any partition",
    ),
    Interpretation(
        "equal-partition-of-zero-units",
        "4.3, table 12, equally, n = 0",
        "an error is required; CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT",
        "a sub-device without compute units cannot exist; the documents do not specify which error condition applies, "
        "and later revisions changed it",
    ),
    Interpretation(
        "equal-partition-above-all-units",
        "4.3, table 12, equally, n above the number of compute units",
        "an error is required; CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT",
        "no sub-device of that size can be created: the value is not valid, or the device cannot be partitioned; the "
        "condition about counts begins with partitions by counts, but its part about the total number of compute units "
        "can be read without them, is listed alone in later revisions, and is what the official tests expect",
    ),
    Interpretation(
        "partition-into-one-sub-device",
        "4.3, table 12, a partition with a single sub-device",
        "success and CL_DEVICE_PARTITION_FAILED are both allowed",
        "the documents do not require a failure for a partition into one sub-device; the official tests expect one",
    ),
    Interpretation(
        "too-many-equal-sub-devices",
        "4.3, table 12, equally, with more sub-devices than CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT are allowed in addition to "
        "success; creating more sub-devices than the query reports is a deviation from the query",
        (
            "3.0.17 mentions the limit only in the error condition about counts, and 'as many as can be created' may "
            "stop at it"
        ),
    ),
    Interpretation(
        "scheme-not-listed",
        "4.3, CL_DEVICE_PARTITION_FAILED",
        "allowed in addition to CL_INVALID_VALUE if the device does not list the scheme or the domain",
        "no query reports whether the implementation supports a scheme that the device does not list",
    ),
    Interpretation(
        "code-for-counts-out-of-range",
        "4.3, by counts, counts out of range",
        "CL_INVALID_VALUE is allowed in addition to CL_INVALID_DEVICE_PARTITION_COUNT",
        "counts are also values of the property list, and error conditions have no order",
    ),
    Interpretation(
        "unknown-topology",
        "4.3, CL_DEVICE_PARTITION_FAILED",
        "allowed for every affinity domain whose topology is unknown",
        "no query reports how the compute units of a device share caches and NUMA nodes",
    ),
    Interpretation(
        "empty-partition-counts",
        "4.3, table 12, by counts, a list without a count",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED, CL_INVALID_DEVICE_PARTITION_COUNT and success are allowed",
        "0 ends the list; the documents do not specify what an empty list requests (OpenCL-Docs issue 1498)",
    ),
    Interpretation(
        "numbers-after-partition-counts",
        "4.3, table 12, by counts, numbers after the end of the list",
        "success and CL_INVALID_VALUE are both allowed",
        "a zero inside the list ends it; the following numbers are a second scheme or lie after the end of the "
        "property list, depending on which end the zero stands for; every tested driver stops there",
    ),
    Interpretation(
        "terminators-of-partition-counts",
        "4.2, CL_DEVICE_PARTITION_TYPE of a sub-device created by counts",
        "the value may have both zeros, one for the counts and one for the properties, or only one",
        "the query returns the properties argument, but one zero can end both the counts and the list; no sentence "
        "specifies how many zeros are part of the argument",
    ),
    Interpretation(
        "repeated-partition-scheme",
        "4.3, properties, the same scheme named twice",
        "success and CL_INVALID_VALUE are both allowed",
        "only one scheme can be given; the documents do not specify whether the same scheme twice counts as one",
    ),
    Interpretation(
        "several-affinity-domains",
        "4.3, table 12, by affinity domain, several bits",
        "an error is required; CL_INVALID_VALUE or CL_DEVICE_PARTITION_FAILED",
        "the value must be a single domain of the list; a mask of supported ones could also count as a partition that "
        "cannot be created",
    ),
    Interpretation(
        "partition-by-names",
        "cl_intel_device_partition_by_names",
        "any error of 4.3 is allowed for names out of range or repeated names; success creates one sub-device with "
        "any number of compute units",
        "the document of the extension is not available; only the value of its name is",
    ),
)
