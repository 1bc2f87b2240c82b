"""Open points of section 5.5: memory objects, and their maps taken back."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "pipe-as-memory",
        "5.5.1, clRetainMemObject of a pipe",
        "success and CL_INVALID_MEM_OBJECT are both right",
        "the clause lists buffers and images only, while making a pipe is said to retain it",
    ),
    Interpretation(
        "mapped-through-another",
        "5.5.3, clEnqueueUnmapMemObject: a map of the buffer's region, or of the buffer that a region is of",
        "success and CL_INVALID_VALUE are both right",
        "the pointer may be the very one that a map of this object has",
    ),
    Interpretation(
        "map-is-over",
        "5.5.3, clEnqueueUnmapMemObject: a pointer whose map was taken back already",
        "success and CL_INVALID_VALUE are both right",
        "a map has given the pointer, so that the letter is kept; whether it is valid still is not said",
    ),
    Interpretation(
        "map-after-an-error",
        "5.5.3 and 5.6.1, a map that a failed call was to take back",
        "success and CL_INVALID_VALUE are both right",
        "nothing is said of the state that a call leaves behind which fails (OpenCL-Docs issue 623)",
    ),
)
