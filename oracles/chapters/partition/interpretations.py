"""Open points of section 4.3: how devices are divided."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
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
)
