"""Interpretations of section 5.6: shared virtual memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "svm-size-zero",
        "5.6.1, clEnqueueSVMMemcpy and clEnqueueSVMMemFill: a size of 0",
        "success and the code of the error condition are both allowed, even if both pointers are the same; NULL is an "
        "error at any size",
        "the document does not specify whether a size of 0 is valid, and no memory is accessed (OpenCL-Docs issue "
        "1403); the error conditions about NULL do not exempt it, neither here nor in version 3.1",
    ),
    Interpretation(
        "svm-fine-grain-on-all-devices",
        "5.6.1, clSVMAlloc: CL_MEM_SVM_FINE_GRAIN_BUFFER in a context if only some devices support it",
        "the allocation must fail",
        "the error condition can mean 'by no device' or 'not by every device'; the text before it requires the "
        "support of all devices",
    ),
    Interpretation(
        "svm-atomics-on-some-devices",
        "5.6.1, clSVMAlloc: CL_MEM_SVM_ATOMICS in a context if only some devices support it",
        "a pointer to memory and NULL are both allowed",
        "the error condition can mean 'by no device' or 'not by every device', and no other sentence is about atomics",
    ),
    Interpretation(
        "svm-above-largest-type",
        "5.6.1, clSVMAlloc: alignment; clEnqueueSVMMemFill: pattern_size",
        "success and the failure are both allowed above the size of the largest data type",
        (
            "the description of the parameter stops at this size, but the error condition refers to the sizes that the "
            "implementation supports"
        ),
    ),
    Interpretation(
        "svm-free-of-nothing",
        "5.6.1, clEnqueueSVMFree: no pointers, or a NULL pointer together with a callback",
        "success and CL_INVALID_VALUE are both allowed",
        "no error condition covers this, earlier versions rejected both, and nothing is freed",
    ),
    Interpretation(
        "svm-map-flags-zero",
        "5.6.1, clEnqueueSVMMap: flags of 0",
        "success and CL_INVALID_VALUE are both allowed",
        "0 does not contain an invalid bit, but it also does not specify the purpose of the map",
    ),
    Interpretation(
        "repeated-svm-maps",
        "5.6.1, clEnqueueSVMUnmap: a region that was mapped several times",
        "after the first unmap, success and CL_INVALID_VALUE are both allowed, and the host does not use the region",
        "maps of memory objects are counted; no sentence specifies the same for shared virtual memory",
    ),
    Interpretation(
        "size-above-limit-of-some-devices",
        "5.6.1, clSVMAlloc, and allocations of unified shared memory: a size that only some of the devices support",
        "a pointer to memory and a failure are both allowed",
        "the error conditions refer to any device, while the one about buffers refers to all devices",
    ),
)
