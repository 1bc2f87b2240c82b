"""The register of interpretations: each point that the documents leave open, what is taken, and why.

A vendor who disagrees with a verdict argues with one entry of this list. An entry allows more, never less, than the
clause by itself: it turns a *must* into a *may*, or says which of several readings still counts as a failure.
"""

from __future__ import annotations

from clconform.calls.journal import Interpretation

_ENTRIES = (
    Interpretation(
        "unknown-fact",
        "any clause",
        "the clause may hold or not",
        "the condition hangs on a fact about the driver that no call of the sequence has asked for",
    ),
    Interpretation(
        "no-predicate",
        "any clause",
        "the clause may hold or not, and its record is not provoked",
        "nobody has yet written down when this clause holds, so its code is allowed everywhere",
    ),
    Interpretation(
        "other-type",
        "glossary, Valid Object",
        "the call may fail with the clause's code, or do anything else short of a verdict",
        "only NULL has to be detected; for a live handle of another type the behaviour is implementation-defined",
    ),
    Interpretation(
        "flag-of-elsewhere",
        "clauses about values of flags that are not valid",
        "success and the clause's code are both allowed",
        "the bit has a meaning, but in another table, a later version, an extension that is not there, or only in a "
        "query; a driver may know more than it has to",
    ),
    Interpretation(
        "no-bytes",
        "5.2.2 and 5.6.1, commands on no bytes",
        "for copies, before version 2.1, without a pointer, or behind the end: success and CL_INVALID_VALUE are right",
        "no clause names a size of zero; earlier versions refused it, and implementations of all refuse such copies",
    ),
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
        "more-than-some-device-gives",
        "5.6.1, clSVMAlloc, and allocations of unified shared memory: a size between the largest ones of two devices",
        "memory and a failure are both right",
        "the clauses speak of any device, while the one about buffers means that all of them give less",
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
        "no-pointers-at-an-address",
        "5.9.2, clSetKernelExecInfo: an address of pointers, and a size of zero",
        "success and CL_INVALID_VALUE are both right",
        "an empty set is said to be zero and NULL (OpenCL-Docs issue 1419)",
    ),
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
        "flags-of-a-region",
        "clCreateSubBuffer, flags",
        "success and CL_INVALID_VALUE are both allowed",
        "its clauses name only flags that contradict the buffer; bits without meaning, or that exclude each "
        "other, are not among them",
    ),
    Interpretation(
        "overlap-of-regions",
        "clEnqueueCopyBuffer and clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP",
        "success and CL_MEM_COPY_OVERLAP are both allowed between regions of one buffer, or a region and its buffer",
        "it is open whether the regions, the copied ranges or their offsets are compared, and a region with its "
        "own buffer is not named",
    ),
    Interpretation(
        "largest-type",
        "patterns, and alignments of unified shared memory, of 128 on a device of the embedded profile",
        "success and CL_INVALID_VALUE are both allowed",
        "they may be as large as the largest vector that the device supports, and 64-bit integers are optional there",
    ),
    Interpretation(
        "pattern-of-no-byte",
        "clEnqueueFillBuffer, pattern_size 0",
        "CL_INVALID_VALUE, by the clause about patterns",
        "whether a number is a multiple of zero need not be settled: another clause holds with the same code",
    ),
    Interpretation(
        "either-no-multiple",
        "clEnqueueFillBuffer, offset or size, but not both, no multiple of pattern_size",
        "CL_INVALID_VALUE is required",
        "the clause joins the two by 'and', but the descriptions of offset and size each demand a multiple",
    ),
    Interpretation(
        "one-fault-of-slices",
        "clEnqueueReadBufferRect and clEnqueueWriteBufferRect, slice pitches",
        "success and CL_INVALID_VALUE are both allowed where only one of the two conditions holds",
        "the clause joins them by 'and', that of the copy by 'or'; implementations follow either",
    ),
    Interpretation(
        "slices-of-tight-rows",
        "clEnqueueReadBufferRect and clEnqueueWriteBufferRect, slice pitches where the row pitch is given as zero",
        "success and CL_INVALID_VALUE are both allowed",
        "the clause names the row pitch itself, and no slice is less than a number of rows of zero bytes; the copy's "
        "clause holds with either reading",
    ),
    Interpretation(
        "one-pitch-differs",
        "clEnqueueCopyBufferRect within one buffer, where one pitch differs, or only as it is written",
        "success and CL_INVALID_VALUE are both allowed",
        "the clause joins the two differences by 'and', a note wants both pitches equal, and earlier texts had 'or'",
    ),
    Interpretation(
        "rule-of-overlap",
        "clEnqueueCopyBufferRect within one buffer: pitches that differ, no byte, or out of bounds",
        "CL_MEM_COPY_OVERLAP is allowed beside what other clauses say",
        "the rule of Appendix D speaks of two rectangles of the same pitches that lie in the buffer",
    ),
    Interpretation(
        "overlap-by-rule-only",
        "clEnqueueCopyBufferRect within one buffer, Appendix D",
        "success and CL_MEM_COPY_OVERLAP are both allowed",
        "the rule finds an overlap although no byte lies in both rectangles; the clause speaks of regions that overlap",
    ),
    Interpretation(
        "no-map-flag",
        "clEnqueueMapBuffer, map_flags 0",
        "success and CL_INVALID_VALUE are both allowed",
        "no clause says whether a map for nothing is valid",
    ),
    Interpretation(
        "map-beside-a-map",
        "clEnqueueMapBuffer, a map for writing beside one for reading, or the other way round",
        "success and CL_INVALID_OPERATION are both allowed",
        "the clause forbids overlapping regions to be mapped for writing, which may mean both of them or any of them",
    ),
    Interpretation(
        "map-fails",
        "clEnqueueMapBuffer, CL_MAP_FAILURE",
        "success and CL_MAP_FAILURE are both allowed where the memory is neither the host's nor shared with it",
        "why mapping may fail is the implementation's; the clause only says where it cannot",
    ),
    Interpretation(
        "map-after-an-error",
        "5.5.3 and 5.6.1, a map that a failed call was to take back",
        "success and CL_INVALID_VALUE are both right",
        "nothing is said of the state that a call leaves behind which fails (OpenCL-Docs issue 623)",
    ),
    Interpretation(
        "null-platform",
        "clGetDeviceIDs, clGetPlatformInfo: platform",
        "success and CL_INVALID_PLATFORM are both allowed",
        "the behaviour for a NULL platform is implementation-defined, and a loader picks the first platform",
    ),
    Interpretation(
        "no-scheme",
        "4.3, properties",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED and success are allowed",
        "no clause names a NULL list or one that ends at once; that it asks for no partition is all that is certain",
    ),
    Interpretation(
        "no-unit-each",
        "4.3, table 12, equally, n = 0",
        "an error is required; CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT",
        "a sub-device without compute units cannot be; which of the clauses says so is open, and later revisions "
        "moved it from one to another",
    ),
    Interpretation(
        "more-than-all-units",
        "4.3, table 12, equally, n above the number of compute units",
        "an error is required; CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT",
        "not one sub-device of that size can be created; the value is not valid, or the device cannot be partitioned "
        "so, or by a later wording the count is wrong",
    ),
    Interpretation(
        "all-units-in-one",
        "4.3, table 12, a partition with a single sub-device",
        "success and CL_DEVICE_PARTITION_FAILED are both allowed",
        "the text does not force a failure where the partition has one part only; the official tests expect one",
    ),
    Interpretation(
        "too-many-equal-parts",
        "4.3, table 12, equally, with more parts than CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED or CL_INVALID_DEVICE_PARTITION_COUNT are allowed beside success; "
        "more sub-devices than the query says are a deviation from what the query says",
        "3.0.17 speaks of the limit only in the clause about counts, and 'as many as can be created' may stop at it",
    ),
    Interpretation(
        "implementation-supports",
        "4.3, CL_DEVICE_PARTITION_FAILED",
        "allowed beside CL_INVALID_VALUE wherever a device does not list the scheme or the domain",
        "whether the implementation supports a name that the device does not list cannot be seen from outside",
    ),
    Interpretation(
        "counts-are-values",
        "4.3, by counts, counts out of range",
        "CL_INVALID_VALUE is allowed beside CL_INVALID_DEVICE_PARTITION_COUNT",
        "counts are values of the property list too, and no clause ranks above another",
    ),
    Interpretation(
        "cannot-divide-further",
        "4.3, CL_DEVICE_PARTITION_FAILED",
        "allowed for every affinity domain whose topology is not known",
        "how the units of a device share caches and nodes is not told by any query",
    ),
    Interpretation(
        "empty-counts",
        "4.3, table 12, by counts, a list without a count",
        "CL_INVALID_VALUE, CL_DEVICE_PARTITION_FAILED, CL_INVALID_DEVICE_PARTITION_COUNT and success are allowed",
        "0 ends the list; what an empty one asks for is not said (OpenCL-Docs issue 1498)",
    ),
    Interpretation(
        "after-the-counts",
        "4.3, table 12, by counts, numbers behind the list's end",
        "CL_INVALID_VALUE is allowed beside success",
        "a zero inside the list ends it; whether what follows is a second scheme or lies behind the property list's "
        "end depends on which of the two ends that zero is taken for, and every driver at hand stops there",
    ),
    Interpretation(
        "scheme-twice",
        "4.3, properties, the same scheme named twice",
        "CL_INVALID_VALUE is allowed beside success",
        "only one of the schemes can be given; whether the same one counts twice is not said",
    ),
    Interpretation(
        "several-domains",
        "4.3, table 12, by affinity domain, several bits at once",
        "an error is required; CL_INVALID_VALUE or CL_DEVICE_PARTITION_FAILED",
        "the value is drawn from a list of single domains; a mask of supported ones could also count as a partition "
        "that cannot be made",
    ),
    Interpretation(
        "names-by-intel",
        "cl_intel_device_partition_by_names",
        "any error of 4.3 is allowed for names out of range or twice; success makes one sub-device",
        "the extension's document is not among the sources; only the value of its name is",
    ),
    Interpretation(
        "ext-two-schemes",
        "cl_ext_device_fission, properties",
        "CL_INVALID_VALUE is allowed beside success",
        "the text forbids two schemes in one list but gives no error for it",
    ),
    Interpretation(
        "ext-unknown-domain",
        "cl_ext_device_fission, by affinity domain, a value that is no domain",
        "CL_INVALID_VALUE and CL_DEVICE_PARTITION_FAILED_EXT are allowed beside success",
        "the clause about unknown values names the list's keys only",
    ),
    Interpretation(
        "ext-unlisted-domain",
        "cl_ext_device_fission, by affinity domain, one that the device does not list",
        "CL_INVALID_VALUE and CL_DEVICE_PARTITION_FAILED_EXT are allowed beside success",
        "an implementation may elect not to provide fission at a level; the error for it is not said",
    ),
    Interpretation(
        "ext-names-empty",
        "cl_ext_device_fission, by names, no name at all",
        "CL_INVALID_PARTITION_NAME_EXT, CL_INVALID_PARTITION_COUNT_EXT, CL_DEVICE_PARTITION_FAILED_EXT and "
        "CL_INVALID_VALUE are allowed beside success",
        "the list ends at once; a sub-device without units is not foreseen",
    ),
    Interpretation(
        "associated-device",
        "5.1, 5.8: device associated with the context",
        "CL_INVALID_DEVICE and success are both allowed for a sub-device whose parent is in the context",
        "what 'associated' means for the descendants of a context's device is not defined, and the glossary lets "
        "a sub-device stand wherever its parent may",
    ),
    Interpretation(
        "name-not-supported",
        "every query function: param_name",
        "CL_INVALID_VALUE and an answer are both allowed for a name of a later version, or of an extension that is "
        "not reported, and for a value that only the registry or a vendor may know",
        "the clause speaks of supported values, and a driver may support more than its version and its extensions say",
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
    Interpretation(
        "svm-free-not-timed",
        "5.14, CL_PROFILING_INFO_NOT_AVAILABLE",
        "allowed beside an answer for an event of clEnqueueSVMFree before OpenCL 3.0",
        "the clause says that implementations may",
    ),
    Interpretation(
        "not-known-to-be-over",
        "5.14, CL_PROFILING_INFO_NOT_AVAILABLE",
        "the error and an answer are both allowed for a command that nobody has waited for",
        "the command may end at any moment, also between two calls",
    ),
    Interpretation(
        "device-type-bits",
        "4.2, clGetDeviceIDs: device_type",
        "CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND and success are allowed where known and unknown bits are mixed, "
        "and for a bit that came with a later version; without a known bit an error is required, and either of the two "
        "is allowed",
        "whether such a mask is a valid value is not said, and no device matches a bit that nobody knows",
    ),
    Interpretation(
        "custom-apart",
        "4.2, table 4, CL_DEVICE_TYPE_CUSTOM and CL_DEVICE_TYPE_ALL",
        "a custom device may be found that CL_DEVICE_TYPE_ALL does not list",
        "3.0.17 speaks of all devices of the platform; texts of older versions leave custom devices out",
    ),
    Interpretation(
        "default-among-types",
        "4.2, table 4, CL_DEVICE_TYPE_DEFAULT together with other types",
        "CL_DEVICE_NOT_FOUND is allowed where no device has one of the other types; how many devices are found is open",
        "whether the default device then stands for itself or is a type like the others, which no device has, is not "
        "said",
    ),
    Interpretation(
        "timer-of-a-sub-device",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: device",
        "CL_INVALID_DEVICE and success are both allowed for a sub-device",
        "the parameter is said to be a device that clGetDeviceIDs returned, the clause speaks of valid devices",
    ),
    Interpretation(
        "timer-without-a-device",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: CL_INVALID_OPERATION",
        "allowed beside CL_INVALID_DEVICE where the device is no valid one and the platform has no such timers",
        "without a device there is no platform of it, but a driver of one platform knows which one it is",
    ),
    Interpretation(
        "timers-were-required",
        "4.2, clGetHostTimer, clGetDeviceAndHostTimer: CL_INVALID_OPERATION before 3.0",
        "the error and success are both allowed on a platform of 2.1 or 2.2 that tells a resolution of zero",
        "these versions require the timers, so that the answer to the query may be what is wrong",
    ),
    Interpretation(
        "property-value",
        "every list of properties: a value",
        "the clause's code is allowed beside success",
        "what values of such a type are valid is not said, nor what becomes of bits that the type does not have",
    ),
    Interpretation(
        "odd-boolean",
        "every list of properties: a value of the type cl_bool",
        "the clause's code is allowed beside success for a value that is neither CL_TRUE nor CL_FALSE",
        "C takes every number but zero for true, and the text does not say that a driver must not",
    ),
    Interpretation(
        "property-of-elsewhere",
        "every list of properties: a name",
        "the clause's code is allowed beside success for a name of a later version, of an extension that is not "
        "reported, or that only the registry has",
        "the clause speaks of supported names, and a driver may support more than its version and its extensions say; "
        "which values a name has then, the extension's own text says",
    ),
    Interpretation(
        "property-twice",
        "5.1 and others: the same name twice in a list of properties",
        "the clause's code is allowed beside success",
        "other clauses name it as an error, these do not (OpenCL-Docs issue 426)",
    ),
    Interpretation(
        "queue-list-either-code",
        "5.1, clCreateCommandQueueWithProperties: properties that do not go together, or a size above the maximum",
        "an error is required; CL_INVALID_VALUE or CL_INVALID_QUEUE_PROPERTIES, and the latter also for a name or a "
        "value that is not valid",
        "the table says what must be set together and how large a queue can be, but no clause names it; whether such a "
        "value is not valid or not supported is open",
    ),
    Interpretation(
        "queue-of-no-size",
        "5.1, CL_QUEUE_SIZE: zero",
        "CL_INVALID_VALUE and CL_INVALID_QUEUE_PROPERTIES are allowed beside success",
        "the table gives the largest size only",
    ),
    Interpretation(
        "properties-stay",
        "5.1, clSetCommandQueueProperty",
        "CL_INVALID_OPERATION is allowed beside success unless a device of the context is of version 1.0",
        "the function may fail in any case where no device has to support it (OpenCL-Docs issue 980)",
    ),
    Interpretation(
        "disabled-although-never-there",
        "5.1, clSetCommandQueueProperty: CL_INVALID_QUEUE_PROPERTIES",
        "allowed beside success where a property that the device does not support is to be disabled",
        "the queue does not have it, so that nothing is asked of the device",
    ),
    Interpretation(
        "bit-of-a-device-queue",
        "5.1, clCreateCommandQueue, clSetCommandQueueProperty: a bit that only queues on the device have",
        "an error is required; CL_INVALID_VALUE or CL_INVALID_QUEUE_PROPERTIES",
        "the bit is in the table of another function, so it is not valid here, or not supported",
    ),
    Interpretation(
        "default-without-a-device",
        "5.1, clSetDefaultDeviceCommandQueue: CL_INVALID_OPERATION",
        "allowed beside CL_INVALID_DEVICE where the device is no valid one and none of the platform could do it",
        "without a device there is none to ask, but a driver whose devices all lack the feature knows the answer",
    ),
    Interpretation(
        "default-was-required",
        "5.1, clSetDefaultDeviceCommandQueue: CL_INVALID_OPERATION before 3.0",
        "the error and success are both allowed on a device of 2.0, and on one of 2.1 or 2.2 that tells of no queues",
        "2.0 has device queues, but not this function; 2.1 and 2.2 require both, so the answer may be what is wrong",
    ),
    Interpretation(
        "default-of-another-context",
        "5.1, clSetDefaultDeviceCommandQueue: a queue of another context",
        "CL_INVALID_CONTEXT and CL_INVALID_COMMAND_QUEUE are allowed beside success",
        "the context is said to be the queue's own, but no clause names one that is not",
    ),
    Interpretation(
        "host-queue-for-the-default",
        "5.1, clSetDefaultDeviceCommandQueue: a queue on the host",
        "CL_INVALID_COMMAND_QUEUE is allowed beside success",
        "the clause asks for a valid queue for the device, not for one on it",
    ),
)

REGISTER: dict[str, Interpretation] = {entry.point: entry for entry in _ENTRIES}
