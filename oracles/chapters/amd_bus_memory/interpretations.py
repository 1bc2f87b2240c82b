"""Unspecified points of cl_amd_bus_addressable_memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "not-on-the-same-bus",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD with the addresses of another device's buffer",
        "success and CL_MEM_OBJECT_ALLOCATION_FAILURE are both allowed",
        "whether a device can reach an address depends on the machine, and no query returns it",
    ),
    Interpretation(
        "second-buffer-for-address",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: an address for which a buffer already exists",
        "a failure is required, with any of the codes that the extension adds to such calls",
        "the document requires a failure, but does not specify the code",
    ),
    Interpretation(
        "bus-memory-of-another-context",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: the address of a buffer in another context",
        "success and CL_OUT_OF_RESOURCES are both allowed",
        "literally, the error condition excludes memory that another context uses, although that may be the intended "
        "use",
    ),
    Interpretation(
        "missing-bus-addresses",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: host_ptr does not point to a structure with the addresses",
        "CL_INVALID_HOST_PTR is allowed in addition to other codes",
        "the error condition is about addresses that are 0, and without a structure there are no addresses",
    ),
    Interpretation(
        "page-of-4096-bytes",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: an address that is not a multiple of 4096",
        "CL_INVALID_HOST_PTR is required",
        "the document does not specify the page size, but no device or host has smaller pages",
    ),
    Interpretation(
        "bus-addressable-and-external",
        "clCreateBuffer: CL_MEM_BUS_ADDRESSABLE_AMD together with CL_MEM_EXTERNAL_PHYSICAL_AMD",
        "success and CL_INVALID_VALUE are both allowed",
        "the table permits this combination, although memory cannot belong both to the device and to another device",
    ),
    Interpretation(
        "external-memory-without-access-flag",
        "clCreateBuffer: CL_MEM_EXTERNAL_PHYSICAL_AMD without CL_MEM_WRITE_ONLY",
        "success and CL_INVALID_VALUE are both allowed",
        "without an access flag a buffer is CL_MEM_READ_WRITE, which the extension excludes",
    ),
    Interpretation(
        "null-event-pointers",
        "clEnqueueMakeBuffersResidentAMD: event or event_wait_list is NULL",
        "success and CL_INVALID_OPERATION are both allowed if event is NULL; event_wait_list may always be NULL",
        "the error condition is about any of the pointers, and literally would require a wait list in every call",
    ),
    Interpretation(
        "signal-beyond-the-buffer",
        "clEnqueueWriteSignalAMD: an offset that is less than 4 bytes before the end of the buffer's size",
        "CL_INVALID_BUFFER_SIZE is required",
        "the error condition uses the size of the buffer, although the signals are elsewhere and the document does "
        "not specify how many fit there",
    ),
    Interpretation(
        "external-memory-read",
        "commands and kernels that read, map or migrate memory of another device",
        "the suites never enqueue them",
        "the document calls them unsupported, but does not specify the outcome",
    ),
    Interpretation(
        "sub-buffer-of-bus-memory",
        "clCreateSubBuffer: a buffer with CL_MEM_BUS_ADDRESSABLE_AMD or CL_MEM_EXTERNAL_PHYSICAL_AMD",
        "the suites never make such a call",
        "the document calls sub-buffers unsupported, but does not specify the outcome",
    ),
    Interpretation(
        "passed-signal-value",
        "clEnqueueWaitSignalAMD: 0, or a value below the last written value; clEnqueueWriteSignalAMD: a value other "
        "than the one that a command waits for",
        "the suites never enqueue such a wait or write",
        "the wait is for a value to be written; whether a larger value ends it is unspecified",
    ),
    Interpretation(
        "signal-at-an-offset",
        "clEnqueueWriteSignalAMD with an offset, together with clEnqueueWaitSignalAMD, which has none",
        "the suites never wait for a signal address after a write at an offset from it",
        "which address a wait reads is unspecified, so it might never end",
    ),
)
