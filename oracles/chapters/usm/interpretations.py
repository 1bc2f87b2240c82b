"""Open points of cl_intel_unified_shared_memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "no-unified-bytes",
        "clEnqueueMemFillINTEL, clEnqueueMemcpyINTEL: a size of zero",
        "success and the clauses' codes are all right, whatever the pointers; after success there may be no event",
        "issue 17 asks whether such a size is valid, and is not resolved; so it is open whether there is a command",
    ),
    Interpretation(
        "copied-by-the-host's-address",
        "clEnqueueMemcpyINTEL: a pointer to host memory, or to shared virtual memory",
        "success and CL_INVALID_VALUE are both right; after success the bytes must be copied correctly",
        "the text accepts any pointer, but issue 10 asks whether that is intended, and is not resolved",
    ),
    Interpretation(
        "overlap-is-an-error",
        "clEnqueueMemcpyINTEL, CL_MEM_COPY_OVERLAP",
        "the code is required",
        "the clause requires it without a condition; issue 10 asks whether it should stay, and recommends that it does",
    ),
    Interpretation(
        "region-for-a-hint",
        "clEnqueueMigrateMemINTEL, clEnqueueMemAdviseINTEL: ptr and size",
        "success and CL_INVALID_VALUE are both right",
        "the clause is a question, whether any values are invalid, and issue 17 is not resolved",
    ),
    Interpretation(
        "migrated-to-the-host",
        "clEnqueueMigrateMemINTEL, CL_MIGRATE_MEM_OBJECT_HOST",
        "success and CL_INVALID_VALUE are both right",
        "the function is said to migrate to the queue's device, and issue 11 asks for a way to migrate to the host",
    ),
    Interpretation(
        "advice-of-nobody",
        "clEnqueueMemAdviseINTEL: advice",
        "success and CL_INVALID_VALUE are both right, also for 0",
        "the document defines no advice; by the clause, advice that is not supported is an error; by the text it is "
        "ignored; that 0 is allowed is said only in the history of revisions",
    ),
    Interpretation(
        "type-of-no-device",
        "unified shared memory, allocations: sizes and alignments where no device supports the type of allocation",
        "CL_INVALID_BUFFER_SIZE and CL_INVALID_VALUE are allowed in addition to CL_INVALID_OPERATION",
        "the clauses are about the devices that support the type, and there are none",
    ),
    Interpretation(
        "shared-by-no-two",
        "clSharedMemAllocINTEL: device is NULL, and no device has the cross-device capability",
        "memory and CL_INVALID_OPERATION are both right",
        "the clause is about shared memory of any kind, but without this capability no device can use such memory",
    ),
    Interpretation(
        "more-than-the-document-has",
        "unified shared memory: alignments and pattern sizes above the size of every data type",
        "CL_INVALID_VALUE is required",
        "the clauses require it; issues 18 and 19 consider a query for larger ones, but there is none yet",
    ),
    Interpretation(
        "flags-of-none",
        "unified shared memory, allocations: CL_MEM_ALLOC_FLAGS_INTEL with a value of 0",
        "memory and CL_INVALID_PROPERTY are both right",
        "the value is a combination of flags, and whether the empty one is valid is not said",
    ),
    Interpretation(
        "placement-as-a-value",
        "unified shared memory, allocations: an initial placement that the memory cannot have, or both of them",
        "CL_INVALID_PROPERTY, by the clause about placements; the clause about values that are not valid may hold, too",
        "such a value is not valid either, and both clauses have the same code",
    ),
    Interpretation(
        "memory-of-another-context",
        "clMemFreeINTEL, clMemBlockingFreeINTEL, clSetKernelArgMemPointerINTEL: memory of another context",
        "success and the clause's code are both right",
        "the clauses require only that one of the three functions has returned the pointer, and name no context",
    ),
    Interpretation(
        "unknown-pointer",
        "clSetKernelArgMemPointerINTEL: a pointer that does not point into unified shared memory",
        "success and CL_INVALID_ARG_VALUE are both right",
        "the text requires the error, issue 26 doubts it, and a later revision of the document has removed it",
    ),
    Interpretation(
        "only-global-or-constant",
        "clSetKernelArgMemPointerINTEL: a pointer for an argument in local memory, or passed by value",
        "CL_INVALID_ARG_VALUE is required",
        "the clause does not say which arguments it is about, but the text allows pointers to global and constant "
        "memory only",
    ),
    Interpretation(
        "argument-of-no-kind",
        "clSetKernelArgMemPointerINTEL: a pointer or NULL for an argument in local memory or passed by value, or a "
        "wrong index",
        "CL_INVALID_ARG_VALUE and CL_INVALID_ARG_INDEX are allowed in addition to what else is right",
        "the text is about pointers into allocations there, and about the values of existing arguments only; it may be "
        "the index that is not valid, since the argument takes no pointer of this kind",
    ),
    Interpretation(
        "unified-without-virtual",
        "5.9.2, clSetKernelExecInfo, the names of unified shared memory, where no device supports SVM",
        "success and CL_INVALID_OPERATION are both right",
        "the clause is older than the extension, which is meant for devices without SVM, too",
    ),
    Interpretation(
        "the-host's-own-by-unified",
        "5.10, clEnqueueNDRangeKernel: memory that the host allocated itself, on a device that supports this as "
        "unified shared memory, but not as SVM",
        "success and CL_INVALID_OPERATION are both right",
        "the clause is about SVM only, while the extension accepts any pointer for such a device",
    ),
    Interpretation(
        "pointer-to-no-allocation",
        "5.9.2, clSetKernelExecInfo, lists of pointers: NULL, or an address in no allocation of the kernel's context",
        "success and CL_INVALID_VALUE are both right; the same holds for a pointer inside a unified allocation other "
        "than its start",
        "no clause is about wrong pointers, while issue 26 mentions an error for them; the list is one of allocations",
    ),
    Interpretation(
        "largest-type",
        "unified shared memory: patterns and alignments of 128 on a device of the embedded profile",
        "success and CL_INVALID_VALUE are both right",
        "they may be as large as the largest vector type of the device, and 64-bit integers are optional in that "
        "profile",
    ),
)
