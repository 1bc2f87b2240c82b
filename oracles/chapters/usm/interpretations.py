"""Open points of cl_intel_unified_shared_memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "no-unified-bytes",
        "clEnqueueMemFillINTEL, clEnqueueMemcpyINTEL: a size of zero",
        "success and the clauses' codes are all right, whatever the pointers",
        "issue 17 asks whether such a size is valid and has no answer",
    ),
    Interpretation(
        "copied-by-the-host's-address",
        "clEnqueueMemcpyINTEL: host memory, or shared virtual memory, on a side",
        "success and CL_INVALID_VALUE are both right; bytes that are copied must be right",
        "the text takes any pointer, but issue 10 asks whether that is meant and has no answer",
    ),
    Interpretation(
        "overlap-is-an-error",
        "clEnqueueMemcpyINTEL, CL_MEM_COPY_OVERLAP",
        "the code is required",
        "the clause says so without a condition; issue 10 asks whether it should stay, and recommends that it does",
    ),
    Interpretation(
        "region-for-a-hint",
        "clEnqueueMigrateMemINTEL, clEnqueueMemAdviseINTEL: ptr and size",
        "success and CL_INVALID_VALUE are both right for all but a part of shared memory that the device may use",
        "the clause is a question, and so is issue 17; the parameter is said to lead to shared memory",
    ),
    Interpretation(
        "migrated-to-the-host",
        "clEnqueueMigrateMemINTEL, CL_MIGRATE_MEM_OBJECT_HOST",
        "success and CL_INVALID_VALUE are both right",
        "the function is said to migrate to the queue's device, and issue 11 asks for a way to the host",
    ),
    Interpretation(
        "advice-of-nobody",
        "clEnqueueMemAdviseINTEL: any advice but zero",
        "success and CL_INVALID_VALUE are both right",
        "the document defines no advice; one that is not supported is an error by the clause, but ignored by the text",
    ),
    Interpretation(
        "type-of-no-device",
        "unified shared memory, allocations: sizes and alignments where no device has the type",
        "CL_INVALID_BUFFER_SIZE and CL_INVALID_VALUE are allowed beside CL_INVALID_OPERATION",
        "the clauses count devices that have the type only, and there is none to count",
    ),
    Interpretation(
        "shared-by-no-two",
        "clSharedMemAllocINTEL without a device, where devices share with the host, but not with each other",
        "memory and CL_INVALID_OPERATION are both right",
        "the clause asks for shared memory of any kind, while only devices that share with others may use the memory",
    ),
    Interpretation(
        "more-than-the-document-has",
        "unified shared memory, alignments and patterns above the size of every data type",
        "CL_INVALID_VALUE is required",
        "the clauses say so; that issues 18 and 19 think of a query for larger ones does not allow them yet",
    ),
    Interpretation(
        "flags-of-none",
        "unified shared memory, allocations: CL_MEM_ALLOC_FLAGS_INTEL with a value of zero",
        "memory and CL_INVALID_PROPERTY are both right",
        "a combination of flags is asked for, and whether none of them is one is not said",
    ),
    Interpretation(
        "placement-as-a-value",
        "unified shared memory, allocations: a first placement that the memory cannot have, or both of them",
        "CL_INVALID_PROPERTY, by the clause about placements; that about values that are not valid may hold, too",
        "such a value is not valid either, and both clauses have one code",
    ),
    Interpretation(
        "memory-of-another-context",
        "clMemFreeINTEL, clMemBlockingFreeINTEL, clSetKernelArgMemPointerINTEL: memory of another context",
        "success and the clause's code are both right",
        "the clauses ask only whether one of the three functions has returned the pointer; no context is named",
    ),
    Interpretation(
        "unknown-pointer",
        "clSetKernelArgMemPointerINTEL: a pointer into no unified shared memory",
        "success and CL_INVALID_ARG_VALUE are both right",
        "the text wants the error, issue 26 doubts it, and a later revision of the document has dropped it",
    ),
    Interpretation(
        "only-global-or-constant",
        "clSetKernelArgMemPointerINTEL: a pointer for an argument in local memory, or given by value",
        "CL_INVALID_ARG_VALUE is required",
        "the clause names no kinds of arguments, but the text allows such a value for the two address spaces only",
    ),
    Interpretation(
        "argument-of-no-kind",
        "clSetKernelArgMemPointerINTEL: NULL for an argument in local memory or given by value, or no such argument",
        "CL_INVALID_ARG_VALUE is allowed beside what else is right",
        "the text speaks of pointers into allocations there, and of valid values only where there is an argument",
    ),
    Interpretation(
        "unified-without-virtual",
        "5.9.2, clSetKernelExecInfo, names of unified shared memory, where no device has shared virtual memory",
        "success and CL_INVALID_OPERATION are both right",
        "the clause is older than the extension, which is meant for devices without shared virtual memory, too",
    ),
    Interpretation(
        "the-host's-own-by-unified",
        "5.10, clEnqueueNDRangeKernel: the host's own memory, where a device shares it as unified memory only",
        "success and CL_INVALID_OPERATION are both right",
        "the clause knows of shared virtual memory only, while the extension takes any pointer for such a device",
    ),
    Interpretation(
        "pointer-to-no-allocation",
        "5.9.2, clSetKernelExecInfo, lists of pointers: NULL, or an address in no allocation of the kernel's context",
        "success and CL_INVALID_VALUE are both right; so with one inside unified memory that is not where that begins",
        "no clause knows of wrong pointers, while issue 26 speaks of an error for them; the set is one of allocations",
    ),
    Interpretation(
        "largest-type",
        "patterns, and alignments of unified shared memory, of 128 on a device of the embedded profile",
        "success and CL_INVALID_VALUE are both allowed",
        "they may be as large as the largest vector that the device supports, and 64-bit integers are optional there",
    ),
)
