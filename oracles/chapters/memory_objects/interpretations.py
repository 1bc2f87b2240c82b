"""Open points of section 5.5: memory objects, and their maps taken back."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "pipe-as-memory",
        "5.5.1, clRetainMemObject of a pipe",
        "success and CL_INVALID_MEM_OBJECT are both right",
        "the clause lists buffers and images only, while creating a pipe is said to retain it",
    ),
    Interpretation(
        "actual-size",
        "5.5.7, CL_MEM_SIZE of a buffer; unified shared memory, CL_MEM_ALLOC_SIZE_INTEL",
        "every size is right that is not smaller than the one asked for, and stays the same",
        "the answer is the actual size of the memory, of which an implementation may reserve more than was asked for",
    ),
    Interpretation(
        "latest-bytes-without-a-flag",
        "5.2.4 and 5.6.1, a map with flags of 0",
        "the host may find any bytes there, unless the buffer was created on memory of the host's own",
        "the latest bytes are promised in the descriptions of the single flags, and for memory given by host_ptr",
    ),
    Interpretation(
        "written-by-host-ptr",
        "5.2.4, a map of a buffer created with CL_MEM_USE_HOST_PTR: what the host writes by host_ptr itself",
        "the bytes there are unknown from then on, unless a map has returned that very address",
        "only access by the pointer that the map returns is described; that it is derived from host_ptr need not mean "
        "that it leads to the same memory",
    ),
    Interpretation(
        "mapped-through-another",
        "5.5.3, clEnqueueUnmapMemObject: a pointer from mapping a sub-buffer of memobj, or the buffer that memobj is "
        "a sub-buffer of",
        "success and CL_INVALID_VALUE are both right",
        "mapping memobj itself may return the same pointer",
    ),
    Interpretation(
        "map-is-over",
        "5.5.3, clEnqueueUnmapMemObject: a pointer that was unmapped already",
        "success and CL_INVALID_VALUE are both right",
        "mapping memobj has returned the pointer, as the clause requires; whether it is still valid is not said",
    ),
    Interpretation(
        "map-count-is-stale",
        "5.5.6, CL_MEM_MAP_COUNT",
        "every number is right from 0 to the number of calls so far that asked to map the object, the object that it "
        "was made from or another one made from that",
        "the count is 0 at first and follows the calls that map and unmap the object, but it is stale as soon as it is "
        "returned, commands change it at a time of their own, and whose count a sub-buffer's map changes is not said",
    ),
    Interpretation(
        "derived-pointer",
        "5.2.4, clEnqueueMapBuffer of a buffer that was created with CL_MEM_USE_HOST_PTR",
        "the pointer is host_ptr plus the offset of the mapped region in that memory",
        "the pointer is derived from host_ptr, and host_ptr contains the latest bits of the region: no other address "
        "is derived from host_ptr and leads to these bytes",
    ),
    Interpretation(
        "map-after-an-error",
        "5.5.3 and 5.6.1, a map that a failed call was to unmap",
        "success and CL_INVALID_VALUE are both right",
        "the document does not say what state a failed call leaves behind (OpenCL-Docs issue 623)",
    ),
)
