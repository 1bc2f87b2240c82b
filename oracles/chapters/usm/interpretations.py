"""Interpretations of cl_intel_unified_shared_memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "usm-size-zero",
        "clEnqueueMemFillINTEL, clEnqueueMemcpyINTEL: a size of zero",
        (
            "success and the codes of the error conditions are all allowed, whatever the pointers; after success there "
            "may be no event"
        ),
        "issue 17 about such a size is not resolved, so it is unspecified whether a command is enqueued",
    ),
    Interpretation(
        "usm-copy-of-host-memory",
        "clEnqueueMemcpyINTEL: a pointer to host memory, or to shared virtual memory",
        "success and CL_INVALID_VALUE are both allowed; after success the bytes must be copied correctly",
        "the text accepts any pointer, but issue 10, whether that is intended, is not resolved",
    ),
    Interpretation(
        "usm-copy-overlap",
        "clEnqueueMemcpyINTEL, CL_MEM_COPY_OVERLAP",
        "the code is required",
        "the error condition requires it unconditionally; issue 10 discusses its removal and recommends keeping it",
    ),
    Interpretation(
        "usm-region-of-hint",
        "clEnqueueMigrateMemINTEL, clEnqueueMemAdviseINTEL: ptr and size",
        "success and CL_INVALID_VALUE are both allowed",
        "the error condition is phrased as a question about invalid values, and issue 17 is not resolved",
    ),
    Interpretation(
        "usm-migration-to-host",
        "clEnqueueMigrateMemINTEL, CL_MIGRATE_MEM_OBJECT_HOST",
        "success and CL_INVALID_VALUE are both allowed",
        "the function migrates to the queue's device, and issue 11 discusses a way to migrate to the host",
    ),
    Interpretation(
        "usm-advice",
        "clEnqueueMemAdviseINTEL: advice",
        "success and CL_INVALID_VALUE are both allowed, also for 0",
        "the document does not define any advice; by the error condition, unsupported advice is an error; by the text "
        "it is ignored; only the revision history allows 0",
    ),
    Interpretation(
        "usm-type-unsupported",
        "unified shared memory, allocations: sizes and alignments if no device supports the type of allocation",
        "CL_INVALID_BUFFER_SIZE and CL_INVALID_VALUE are allowed in addition to CL_INVALID_OPERATION",
        "the error conditions refer to the devices that support the type, and no device does",
    ),
    Interpretation(
        "usm-shared-without-cross-device",
        "clSharedMemAllocINTEL: device is NULL, and no device has the cross-device capability",
        "an allocation and CL_INVALID_OPERATION are both allowed",
        (
            "the error condition is about shared memory of any kind, but without this capability no device can use "
            "such memory"
        ),
    ),
    Interpretation(
        "usm-alignment-above-largest-type",
        "unified shared memory: alignments and pattern sizes above the size of every data type",
        "CL_INVALID_VALUE is required",
        (
            "the error conditions require it; issues 18 and 19 discuss a query for larger values, but the document "
            "does not have one"
        ),
    ),
    Interpretation(
        "usm-flags-zero",
        "unified shared memory, allocations: CL_MEM_ALLOC_FLAGS_INTEL with a value of 0",
        "an allocation and CL_INVALID_PROPERTY are both allowed",
        "the value is a combination of flags, and the document does not specify whether the empty one is valid",
    ),
    Interpretation(
        "usm-placement-value",
        "unified shared memory, allocations: an initial placement that the memory cannot have, or both of them",
        "CL_INVALID_PROPERTY by the error condition about placements; the one about invalid values may also hold",
        "such a value is also an invalid value, and both error conditions have the same code",
    ),
    Interpretation(
        "usm-memory-of-another-context",
        "clMemFreeINTEL, clMemBlockingFreeINTEL, clSetKernelArgMemPointerINTEL: memory of another context",
        "success and the code of the error condition are both allowed",
        (
            "the error conditions require only that one of the three functions returned the pointer, and do not name a "
            "context"
        ),
    ),
    Interpretation(
        "usm-pointer-outside-allocation",
        "clSetKernelArgMemPointerINTEL: a pointer that does not point into unified shared memory",
        "success and CL_INVALID_ARG_VALUE are both allowed",
        "the text requires the error, issue 26 questions it, and a later revision of the document does not have it",
    ),
    Interpretation(
        "usm-pointer-for-local-or-value",
        "clSetKernelArgMemPointerINTEL: a pointer for an argument in local memory, or passed by value",
        "CL_INVALID_ARG_VALUE is required",
        "the error condition does not specify which arguments it applies to, but the text allows pointers to global "
        "and constant memory only",
    ),
    Interpretation(
        "usm-argument-not-pointer",
        "clSetKernelArgMemPointerINTEL: a pointer or NULL for an argument in local memory or passed by value, or an "
        "invalid index",
        "CL_INVALID_ARG_VALUE and CL_INVALID_ARG_INDEX are allowed in addition to the other allowed results",
        "the text is only about pointers into allocations and about the values of existing arguments; the index may "
        "count as invalid, since the argument does not accept such a pointer",
    ),
    Interpretation(
        "usm-without-svm",
        "5.9.2, clSetKernelExecInfo, parameter names of unified shared memory, if no device supports SVM",
        "success and CL_INVALID_OPERATION are both allowed",
        "the error condition is older than the extension, which also targets devices without SVM",
    ),
    Interpretation(
        "usm-system-memory-without-svm",
        "5.10, clEnqueueNDRangeKernel: memory that the host allocated itself, on a device that supports this as "
        "unified shared memory, but not as SVM",
        "success and CL_INVALID_OPERATION are both allowed",
        "the error condition is about SVM only, while the extension accepts any pointer for such a device",
    ),
    Interpretation(
        "exec-info-pointer-outside-allocation",
        (
            "5.9.2, clSetKernelExecInfo, lists of pointers: NULL, or an address outside any allocation of the kernel's "
            "context"
        ),
        "success and CL_INVALID_VALUE are both allowed; the same holds for a pointer into a USM allocation other than "
        "its start",
        (
            "no error condition covers invalid pointers, while issue 26 mentions an error for them; the list is a list "
            "of allocations"
        ),
    ),
    Interpretation(
        "usm-largest-type",
        "unified shared memory: patterns and alignments of 128 on a device of the embedded profile",
        "success and CL_INVALID_VALUE are both allowed",
        "the limit is the largest vector type of the device, and 64-bit integers are optional in that profile",
    ),
)
