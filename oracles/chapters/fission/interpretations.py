"""Unspecified points of cl_ext_device_fission."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "ext-two-styles",
        "cl_ext_device_fission: properties with two partition styles",
        "CL_INVALID_VALUE is allowed in addition to success",
        "the document forbids two styles in one list, but does not define an error for it",
    ),
    Interpretation(
        "ext-unknown-domain",
        "cl_ext_device_fission, by affinity domain: a value that is not an affinity domain",
        "CL_INVALID_VALUE and CL_DEVICE_PARTITION_FAILED_EXT are allowed in addition to success",
        "the error condition about unknown values covers only the keys of the list",
    ),
    Interpretation(
        "ext-unlisted-domain",
        "cl_ext_device_fission, by affinity domain: a domain that the device does not list",
        "CL_INVALID_VALUE and CL_DEVICE_PARTITION_FAILED_EXT are allowed in addition to success",
        "an implementation may choose not to support a level, but the document does not define the error",
    ),
    Interpretation(
        "ext-empty-names",
        "cl_ext_device_fission, by names: an empty list",
        "CL_INVALID_PARTITION_NAME_EXT, CL_INVALID_PARTITION_COUNT_EXT, CL_DEVICE_PARTITION_FAILED_EXT and "
        "CL_INVALID_VALUE are allowed in addition to success",
        "the document does not consider a sub-device without compute units",
    ),
)
