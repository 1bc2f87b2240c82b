"""Interpretations of section 5.7: samplers."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "normalized-coords-neither-true-nor-false",
        "5.7.1, clCreateSampler: normalized_coords other than CL_TRUE and CL_FALSE",
        "CL_INVALID_VALUE is allowed in addition to success, and after success the query may return any value",
        "the error condition names the parameter, but in C every number other than 0 means true",
    ),
    Interpretation(
        "repeat-without-normalized-coords",
        "5.7.1, clCreateSampler, clCreateSamplerWithProperties: CL_ADDRESS_REPEAT and CL_ADDRESS_MIRRORED_REPEAT "
        "without normalized coordinates",
        "CL_INVALID_VALUE is allowed in addition to success",
        "the error condition is about invalid combinations, but does not list any; OpenCL C restricts these modes to "
        "normalized coordinates, and otherwise leaves the coordinates undefined",
    ),
)
