"""Interpretations of section 5.5: memory objects and their maps."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "retain-of-pipe",
        "5.5.1, clRetainMemObject of a pipe",
        "success and CL_INVALID_MEM_OBJECT are both allowed",
        "the error condition lists buffers and images only, while creating a pipe retains it",
    ),
    Interpretation(
        "allocated-size",
        "5.5.7, CL_MEM_SIZE of a buffer; unified shared memory, CL_MEM_ALLOC_SIZE_INTEL",
        "every size is allowed that is at least the requested one and stays the same",
        "the value is the actual size of the memory, and an implementation may reserve more than requested",
    ),
    Interpretation(
        "map-without-flags",
        "5.2.4 and 5.6.1, a map with flags of 0",
        "the host may read any bytes there, unless the buffer was created on host memory",
        "only the descriptions of the single flags, and of memory given by host_ptr, guarantee the latest bytes",
    ),
    Interpretation(
        "host-writes-through-host-ptr",
        "5.2.4, a map of a buffer created with CL_MEM_USE_HOST_PTR: bytes that the host writes through host_ptr itself",
        "after that the bytes are unknown, unless a map has returned that very address",
        "the document describes only access through the returned pointer; a pointer derived from host_ptr need not "
        "refer to the same memory",
    ),
    Interpretation(
        "map-pointer-of-related-buffer",
        "5.5.3, clEnqueueUnmapMemObject: a pointer from mapping a sub-buffer of memobj, or the parent buffer of memobj",
        "success and CL_INVALID_VALUE are both allowed",
        "mapping memobj itself may return the same pointer",
    ),
    Interpretation(
        "repeated-unmap",
        "5.5.3, clEnqueueUnmapMemObject: a pointer that was already unmapped",
        "success and CL_INVALID_VALUE are both allowed",
        (
            "mapping memobj has returned the pointer, as the error condition requires; the document does not specify "
            "whether it is still valid"
        ),
    ),
    Interpretation(
        "stale-map-count",
        "5.5.6, CL_MEM_MAP_COUNT",
        "every number is allowed from 0 to the number of calls so far that map the object, the object that it was "
        "created from, or another object created from that",
        "the count is 0 at first and changes with calls that map and unmap the object, but a returned count is stale "
        "immediately, commands change it at an unspecified time, and it is unspecified whose count a sub-buffer's map "
        "changes",
    ),
    Interpretation(
        "derived-pointer",
        "5.2.4, clEnqueueMapBuffer of a buffer that was created with CL_MEM_USE_HOST_PTR",
        "the pointer is host_ptr plus the offset of the mapped region in that memory",
        "the pointer is derived from host_ptr, and host_ptr contains the latest contents of the region; only this "
        "address is derived from host_ptr and points to these bytes",
    ),
    Interpretation(
        "map-after-failed-unmap",
        "5.5.3 and 5.6.1, a map after a failed call to unmap it",
        "success and CL_INVALID_VALUE are both allowed",
        "the document does not specify the state after a failed call (OpenCL-Docs issue 623)",
    ),
)
