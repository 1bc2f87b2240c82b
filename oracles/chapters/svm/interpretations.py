"""Open points of section 5.6: shared virtual memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "no-shared-bytes",
        "5.6.1, clEnqueueSVMMemcpy and clEnqueueSVMMemFill of no bytes",
        "success and the clause's code are both right, also where a pointer is NULL or both are the same",
        "whether a size of zero is valid is not said, and nothing is accessed (OpenCL-Docs issue 1403)",
    ),
    Interpretation(
        "fine-grain-everywhere",
        "5.6.1, clSVMAlloc: fine grain in a context where some devices have it",
        "the allocation must fail",
        "the clause can be read as 'by none' or as 'not by all'; the text before it has fine grain need all devices",
    ),
    Interpretation(
        "atomics-somewhere",
        "5.6.1, clSVMAlloc: atomics in a context where some devices have them",
        "memory and NULL are both right",
        "the clause can be read as 'by none' or as 'not by all', and nothing else is said of atomics",
    ),
    Interpretation(
        "beyond-the-largest-type",
        "5.6.1, clSVMAlloc: alignment; clEnqueueSVMMemFill: pattern_size",
        "success and the clause's failure are both right above the size of the largest data type",
        "the parameter ends there, but the clause leaves it to the implementation what it can do",
    ),
    Interpretation(
        "nothing-to-free",
        "5.6.1, clEnqueueSVMFree of no pointers, or of NULL with a callback",
        "success and CL_INVALID_VALUE are both right",
        "no clause names it; earlier versions refused both, and nothing is freed",
    ),
    Interpretation(
        "mapped-for-nothing",
        "5.6.1, clEnqueueSVMMap: flags of 0",
        "success and CL_INVALID_VALUE are both right",
        "a map neither for reading nor for writing has no bit that is wrong, and no bit that says what it is for",
    ),
    Interpretation(
        "shared-memory-not-mapped",
        "5.6.1, clEnqueueSVMUnmap of what is not mapped",
        "success and CL_INVALID_VALUE are both right",
        "the parameter is said to have been mapped, but no clause names one that was not (OpenCL-Docs issue 890)",
    ),
    Interpretation(
        "more-than-some-device-gives",
        "5.6.1, clSVMAlloc, and allocations of unified shared memory: a size between the largest ones of two devices",
        "memory and a failure are both right",
        "the clauses speak of any device, while the one about buffers means that all of them give less",
    ),
)
