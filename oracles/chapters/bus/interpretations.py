"""Open points of cl_amd_bus_addressable_memory."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "not-on-the-same-bus",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD with the addresses of another device's buffer",
        "a buffer and CL_MEM_OBJECT_ALLOCATION_FAILURE are both right",
        "whether a device can reach an address is the machine's affair, and no query tells it",
    ),
    Interpretation(
        "second-view-of-a-buffer",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: an address for which there is such a buffer already",
        "a failure is required, by any of the codes that the extension adds to such calls",
        "the text says that it fails, but not with which code",
    ),
    Interpretation(
        "memory-of-another-context's-buffer",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD in another context than that of the buffer at the address",
        "a buffer and CL_OUT_OF_RESOURCES are both right",
        "by its letter the clause refuses memory that another context uses, which may be the very use that is meant",
    ),
    Interpretation(
        "no-addresses",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD without a structure to take the addresses from",
        "CL_INVALID_HOST_PTR is allowed beside what else is right",
        "the clause is about addresses that are zero, and about none where there is no structure",
    ),
    Interpretation(
        "page-of-4096-bytes",
        "clCreateBuffer, CL_MEM_EXTERNAL_PHYSICAL_AMD: an address that is no multiple of 4096",
        "CL_INVALID_HOST_PTR is required",
        "the document does not say how large a page is, but no device or host has smaller ones",
    ),
    Interpretation(
        "on-the-bus-on-both-sides",
        "clCreateBuffer: CL_MEM_BUS_ADDRESSABLE_AMD together with CL_MEM_EXTERNAL_PHYSICAL_AMD",
        "a buffer and CL_INVALID_VALUE are both right",
        "the table does not exclude it, although memory cannot be the device's own and another's",
    ),
    Interpretation(
        "external-memory-of-no-access",
        "clCreateBuffer: CL_MEM_EXTERNAL_PHYSICAL_AMD without CL_MEM_WRITE_ONLY",
        "a buffer and CL_INVALID_VALUE are both right",
        "no flag of access stands for reading and writing, which the extension excludes",
    ),
    Interpretation(
        "every-pointer",
        "clEnqueueMakeBuffersResidentAMD: no event is asked for, or nothing is waited for",
        "success and CL_INVALID_OPERATION are both right without an event; a wait list may always be empty",
        "the clause speaks of any of the pointers, and taken by its letter would want a list of events in every call",
    ),
    Interpretation(
        "signal-beyond-the-buffer",
        "clEnqueueWriteSignalAMD: an offset from which four bytes lead beyond as many as the buffer has",
        "CL_INVALID_BUFFER_SIZE is required",
        "the clause measures by the buffer, although its signals lie elsewhere and how many fit there is not said",
    ),
    Interpretation(
        "external-memory-read",
        "commands and kernels that read, map or migrate memory of another device",
        "they are never made",
        "the text says that they are not supported, but not what they do instead",
    ),
    Interpretation(
        "part-of-bus-memory",
        "clCreateSubBuffer of a buffer on the bus, this device's or another's",
        "it is never called",
        "the text says that sub-buffers are not supported, but not what the call does instead",
    ),
    Interpretation(
        "value-that-has-passed",
        "clEnqueueWaitSignalAMD: a value below the last one that was written, or zero; one written past a wait",
        "such a wait is never enqueued, and no value is written past one that is waited for",
        "the wait is for a value to be written, and whether a larger one will do is not said",
    ),
    Interpretation(
        "signal-at-an-offset",
        "clEnqueueWriteSignalAMD with an offset, beside clEnqueueWaitSignalAMD, which has none",
        "no wait is enqueued for signals of which one was written at an offset",
        "where a wait looks is not said, so that it might end or not",
    ),
)
