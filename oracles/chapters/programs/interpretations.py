"""Open points of sections 5.8 to 5.14: programs, kernels and the times of commands."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "no-pointers-at-an-address",
        "5.9.2, clSetKernelExecInfo: an address of pointers, and a size of zero",
        "success and CL_INVALID_VALUE are both right",
        "an empty set is said to be zero and NULL (OpenCL-Docs issue 1419)",
    ),
    Interpretation(
        "built-in-without-a-build",
        "5.8.9, the kernels of a program of built-in kernels",
        "CL_INVALID_PROGRAM_EXECUTABLE and the names of the kernels are both right",
        "the names are there once an executable has been built; whether such a program is one from the start is open",
    ),
    Interpretation(
        "no-source-at-all",
        "5.8.9, CL_PROGRAM_SOURCE of a program that was not made from source",
        "a terminator alone, no bytes at all, and some source are all right",
        "a null string is asked for, which may be an empty one or none",
    ),
    Interpretation(
        "built-for-one-of-several",
        "5.9.4, clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo: device",
        "CL_INVALID_DEVICE and success are both allowed for NULL where the program has several devices, but was built "
        "for one of them only",
        "one sentence takes the context's devices for those of the kernel, and only one of them has the kernel",
    ),
    Interpretation(
        "argument-info-kept",
        "5.9.4, CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
        "an answer is allowed beside the error where the program was built without -cl-kernel-arg-info, or not from "
        "source",
        "the clause does not forbid an implementation to keep what it was not asked to keep",
    ),
    Interpretation(
        "false-before-a-build",
        "5.8.8, CL_INVALID_PROGRAM_EXECUTABLE: global constructors and destructors",
        "allowed beside CL_FALSE for a program that has not been built",
        "where such kernels are not supported at all, the appendix on compatibility has the answer be CL_FALSE",
    ),
)
