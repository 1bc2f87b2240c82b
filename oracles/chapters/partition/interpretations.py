"""Open points of section 4.3: how devices are divided."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "no-scheme",
        "4.3, properties",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED and success are allowed, success without a sub-device, too",
        "no clause is about a NULL or empty list; it is certain only that it asks for no partition",
    ),
    Interpretation(
        "no-unit-each",
        "4.3, table 12, equally, n = 0",
        "an error is required; CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT",
        "a sub-device without compute units cannot exist; the documents leave open which clause applies, and later "
        "revisions changed it",
    ),
    Interpretation(
        "more-than-all-units",
        "4.3, table 12, equally, n above the number of compute units",
        "an error is required; CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT",
        "no sub-device of that size can be created: the value is not valid, or the device cannot be partitioned, or, "
        "by the wording of later revisions, the count is wrong",
    ),
    Interpretation(
        "all-units-in-one",
        "4.3, table 12, a partition with a single sub-device",
        "success and CL_DEVICE_PARTITION_FAILED are both allowed",
        "the documents do not require a failure for a partition into one sub-device; the official tests expect one",
    ),
    Interpretation(
        "too-many-equal-parts",
        "4.3, table 12, equally, with more parts than CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT are allowed in addition to "
        "success; creating more sub-devices than the query reports is a deviation from the answer to the query",
        "3.0.17 mentions the limit only in the clause about counts, and 'as many as can be created' may stop at it",
    ),
    Interpretation(
        "implementation-supports",
        "4.3, CL_DEVICE_PARTITION_FAILED",
        "allowed in addition to CL_INVALID_VALUE if the device does not list the scheme or the domain",
        "no query reports whether the implementation supports a scheme that the device does not list",
    ),
    Interpretation(
        "counts-are-values",
        "4.3, by counts, counts out of range",
        "CL_INVALID_VALUE is allowed in addition to CL_INVALID_DEVICE_PARTITION_COUNT",
        "counts are values of the property list too, and no clause ranks above another",
    ),
    Interpretation(
        "cannot-divide-further",
        "4.3, CL_DEVICE_PARTITION_FAILED",
        "allowed for every affinity domain whose topology is not known",
        "no query reports how the compute units of a device share caches and NUMA nodes",
    ),
    Interpretation(
        "empty-counts",
        "4.3, table 12, by counts, a list without a count",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED, CL_INVALID_DEVICE_PARTITION_COUNT and success are allowed",
        "0 ends the list; the documents do not say what an empty list asks for (OpenCL-Docs issue 1498)",
    ),
    Interpretation(
        "after-the-counts",
        "4.3, table 12, by counts, numbers behind the list's end",
        "success and CL_INVALID_VALUE are both allowed",
        "a zero inside the list ends it; whether what follows is a second scheme or lies behind the property list's "
        "end depends on which of the two ends that zero is taken for, and every tested driver stops there",
    ),
    Interpretation(
        "end-of-the-counts",
        "4.2, CL_DEVICE_PARTITION_TYPE of a sub-device made by counts",
        "the answer may have both zeros, that of the counts and that of the properties, or only one",
        "the query returns the properties argument, but one zero ends the counts as well as a list whose last property "
        "they are; no sentence says how many of them are part of the argument",
    ),
    Interpretation(
        "scheme-twice",
        "4.3, properties, the same scheme named twice",
        "success and CL_INVALID_VALUE are both allowed",
        "only one scheme can be given; the documents do not say whether the same scheme twice counts as one",
    ),
    Interpretation(
        "several-domains",
        "4.3, table 12, by affinity domain, several bits at once",
        "an error is required; CL_INVALID_VALUE or CL_DEVICE_PARTITION_FAILED",
        "the value must be one of a list of single domains; a mask of supported ones could also count as a partition "
        "that cannot be made",
    ),
    Interpretation(
        "names-by-intel",
        "cl_intel_device_partition_by_names",
        "any error of 4.3 is allowed for names out of range or twice; success makes one sub-device with any number of "
        "compute units",
        "the extension's document is not among the sources; only the value of its name is",
    ),
)
