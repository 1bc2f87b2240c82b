"""Open points of cl_ext_device_fission."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
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
)
