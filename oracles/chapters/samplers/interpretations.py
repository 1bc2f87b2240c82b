"""Open points of section 5.7: samplers."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "odd-coordinates",
        "5.7.1, clCreateSampler: normalized_coords other than CL_TRUE and CL_FALSE",
        "CL_INVALID_VALUE is allowed beside success, and the sampler may then tell any value",
        "the clause names the parameter, but C takes every number but zero for true",
    ),
    Interpretation(
        "repeated-by-pixels",
        "5.7.1, clCreateSampler, clCreateSamplerWithProperties: CL_ADDRESS_REPEAT and CL_ADDRESS_MIRRORED_REPEAT "
        "without normalized coordinates",
        "CL_INVALID_VALUE is allowed beside success",
        "combinations can be not valid, but none is named; OpenCL C keeps these modes to normalized coordinates, and "
        "leaves the coordinates undefined where they are used with others",
    ),
)
