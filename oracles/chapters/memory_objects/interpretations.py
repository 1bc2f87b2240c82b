"""Open points of section 5.5: memory objects, and their maps taken back."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "pipe-as-memory",
        "5.5.1, clRetainMemObject of a pipe",
        "success and CL_INVALID_MEM_OBJECT are both right",
        "the clause lists buffers and images only, while creating a pipe is said to retain it",
    ),
    Interpretation(
        "actual-size",
        "5.5.7, CL_MEM_SIZE of a buffer; unified shared memory, CL_MEM_ALLOC_SIZE_INTEL",
        "every size is right that is not smaller than the one asked for, and stays the same",
        "the answer is the actual size of the memory, of which an implementation may reserve more than was asked for",
    ),
    Interpretation(
        "mapped-through-another",
        "5.5.3, clEnqueueUnmapMemObject: a pointer from mapping a sub-buffer of memobj, or the buffer that memobj is "
        "a sub-buffer of",
        "success and CL_INVALID_VALUE are both right",
        "mapping memobj itself may return the same pointer",
    ),
    Interpretation(
        "map-is-over",
        "5.5.3, clEnqueueUnmapMemObject: a pointer that was unmapped already",
        "success and CL_INVALID_VALUE are both right",
        "mapping memobj has returned the pointer, as the clause requires; whether it is still valid is not said",
    ),
    Interpretation(
        "map-after-an-error",
        "5.5.3 and 5.6.1, a map that a failed call was to unmap",
        "success and CL_INVALID_VALUE are both right",
        "the document does not say what state a failed call leaves behind (OpenCL-Docs issue 623)",
    ),
)
