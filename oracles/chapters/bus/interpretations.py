"""Open points of cl_amd_bus_addressable_memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "not-on-the-same-bus",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD with the addresses of another device's buffer",
        "a buffer and CL_MEM_OBJECT_ALLOCATION_FAILURE are both right",
        "whether a device can reach an address depends on the machine, and no query answers it",
    ),
    Interpretation(
        "second-view-of-a-buffer",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: an address for which a buffer was created already",
        "a failure is required, with any of the codes that the extension adds to such calls",
        "the text says that it fails, but not with which code",
    ),
    Interpretation(
        "memory-of-another-context's-buffer",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: the address of a buffer in another context",
        "a buffer and CL_OUT_OF_RESOURCES are both right",
        "literally, the clause refuses memory that another context uses, although that may be the intended use",
    ),
    Interpretation(
        "no-addresses",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: no structure to take the addresses from",
        "CL_INVALID_HOST_PTR is allowed in addition to what else is right",
        "the clause is about addresses that are 0, and without a structure there are none",
    ),
    Interpretation(
        "page-of-4096-bytes",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: an address that is not a multiple of 4096",
        "CL_INVALID_HOST_PTR is required",
        "the document does not say how large a page is, but no device or host has smaller pages",
    ),
    Interpretation(
        "on-the-bus-on-both-sides",
        "clCreateBuffer: CL_MEM_BUS_ADDRESSABLE_AMD together with CL_MEM_EXTERNAL_PHYSICAL_AMD",
        "a buffer and CL_INVALID_VALUE are both right",
        "the table does not exclude it, although memory cannot be both the device's own and another device's",
    ),
    Interpretation(
        "external-memory-of-no-access",
        "clCreateBuffer: CL_MEM_EXTERNAL_PHYSICAL_AMD without CL_MEM_WRITE_ONLY",
        "a buffer and CL_INVALID_VALUE are both right",
        "without an access flag a buffer is CL_MEM_READ_WRITE, which the extension excludes",
    ),
    Interpretation(
        "every-pointer",
        "clEnqueueMakeBuffersResidentAMD: event or event_wait_list is NULL",
        "success and CL_INVALID_OPERATION are both right where event is NULL; event_wait_list may always be NULL",
        "the clause is about any of the pointers, and literally would require a wait list in every call",
    ),
    Interpretation(
        "signal-beyond-the-buffer",
        "clEnqueueWriteSignalAMD: an offset that is less than 4 bytes before the end of the buffer's size",
        "CL_INVALID_BUFFER_SIZE is required",
        "the clause uses the size of the buffer, although the signals are elsewhere and the document does not say how "
        "many fit there",
    ),
    Interpretation(
        "external-memory-read",
        "commands and kernels that read, map or migrate memory of another device",
        "this suite never enqueues them",
        "the text says that they are not supported, but not what happens instead",
    ),
    Interpretation(
        "part-of-bus-memory",
        "clCreateSubBuffer: a buffer with CL_MEM_BUS_ADDRESSABLE_AMD or CL_MEM_EXTERNAL_PHYSICAL_AMD",
        "this suite never makes such a call",
        "the text says that sub-buffers are not supported, but not what the call does instead",
    ),
    Interpretation(
        "value-that-has-passed",
        "clEnqueueWaitSignalAMD: 0, or a value below the last one written; clEnqueueWriteSignalAMD: a value other "
        "than the one waited for",
        "this suite never enqueues such a wait or write",
        "the wait is for a value to be written, and whether a larger one ends it is not said",
    ),
    Interpretation(
        "signal-at-an-offset",
        "clEnqueueWriteSignalAMD with an offset, together with clEnqueueWaitSignalAMD, which has none",
        "this suite never waits for a signal address if a value was written at an offset from it",
        "which address a wait reads is not said, so it might never end",
    ),
)
