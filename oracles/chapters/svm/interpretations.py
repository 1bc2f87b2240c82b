"""Open points of section 5.6: shared virtual memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "no-shared-bytes",
        "5.6.1, clEnqueueSVMMemcpy and clEnqueueSVMMemFill: a size of 0",
        "success and the clause's code are both right, even where both pointers are the same; NULL is an error at "
        "any size",
        "whether a size of 0 is valid is not said, and no memory is accessed (OpenCL-Docs issue 1403); the clauses "
        "about NULL make no exception for it, neither here nor in version 3.1",
    ),
    Interpretation(
        "fine-grain-everywhere",
        "5.6.1, clSVMAlloc: CL_MEM_SVM_FINE_GRAIN_BUFFER in a context where only some devices support it",
        "the allocation must fail",
        "the clause can mean 'by no device' or 'not by every device'; the text before it requires the support of all "
        "devices",
    ),
    Interpretation(
        "atomics-somewhere",
        "5.6.1, clSVMAlloc: CL_MEM_SVM_ATOMICS in a context where only some devices support it",
        "a pointer to memory and NULL are both right",
        "the clause can mean 'by no device' or 'not by every device', and nothing else is said about atomics",
    ),
    Interpretation(
        "beyond-the-largest-type",
        "5.6.1, clSVMAlloc: alignment; clEnqueueSVMMemFill: pattern_size",
        "success and the clause's failure are both right above the size of the largest data type",
        "the description of the parameter ends there, but the clause leaves it to the implementation what it supports",
    ),
    Interpretation(
        "nothing-to-free",
        "5.6.1, clEnqueueSVMFree: no pointers, or a NULL pointer together with a callback",
        "success and CL_INVALID_VALUE are both right",
        "no clause is about this, earlier versions refused both, and nothing is freed",
    ),
    Interpretation(
        "mapped-for-nothing",
        "5.6.1, clEnqueueSVMMap: flags of 0",
        "success and CL_INVALID_VALUE are both right",
        "0 has no bit that is not valid, but none that says what the map is for, either",
    ),
    Interpretation(
        "maps-of-one-place",
        "5.6.1, clEnqueueSVMUnmap: a region that was mapped several times",
        "after the first unmap, success and CL_INVALID_VALUE are both right, and the host does not use the region",
        "maps of memory objects are counted, and nothing like that is said of shared virtual memory",
    ),
    Interpretation(
        "more-than-some-device-gives",
        "5.6.1, clSVMAlloc, and allocations of unified shared memory: a size that only some of the devices support",
        "a pointer to memory and a failure are both right",
        "the clauses are about any device, while the one about buffers is about all devices",
    ),
)
