"""Open points of section 5.9: kernels."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "no-pointers-at-an-address",
        "5.9.2, clSetKernelExecInfo: a list of pointers with a size of 0 at an address other than NULL, and an empty "
        "list of pointers to unified shared memory",
        "success and CL_INVALID_VALUE are both right",
        "an empty list is described as a size of 0 and NULL, for pointers to shared virtual memory (OpenCL-Docs issue "
        "1419)",
    ),
    Interpretation(
        "odd-information",
        "5.9.2, clSetKernelExecInfo: a value of the type cl_bool that is neither CL_TRUE nor CL_FALSE",
        "success, CL_INVALID_VALUE and, where no device supports fine-grain system SVM, CL_INVALID_OPERATION are right",
        "the clauses name CL_TRUE and sizes that are not valid, but C treats every value but zero as true",
    ),
    Interpretation(
        "built-for-one-of-several",
        "5.9.4, clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo: device",
        "CL_INVALID_DEVICE and success are both right for NULL where the program has several devices, but was built "
        "for one of them only",
        "one sentence counts all devices of the context as the kernel's, but only one of them has the kernel",
    ),
    Interpretation(
        "argument-info-kept",
        "5.9.4, CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
        "an answer is allowed in addition to the error where the program was built without -cl-kernel-arg-info, or "
        "not from source",
        "the clause does not forbid an implementation to keep the information without being asked to",
    ),
)
