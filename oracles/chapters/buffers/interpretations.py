"""Unspecified points of section 5.2: buffers, their transfers and mapping."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "sub-buffer-flags",
        "clCreateSubBuffer, flags",
        "success and CL_INVALID_VALUE are both allowed",
        "the error conditions name only flags that contradict those of buffer, not undefined or mutually exclusive "
        "bits",
    ),
    Interpretation(
        "blocking-write-before-3.0",
        "5.2.2 and 5.3.3, blocking writes to buffers and images on drivers of versions before 3.0",
        "the call may return before the command is complete; a later command that is not ordered after it may run "
        "first",
        "these versions require only that a blocking write copies the data before it returns, not that it waits for "
        "the command",
    ),
    Interpretation(
        "invalid-sub-buffer-region",
        "clCreateSubBuffer, a region of 0 bytes, or an origin that is not aligned for any device",
        "CL_INVALID_VALUE is allowed in addition to CL_INVALID_BUFFER_SIZE and CL_MISALIGNED_SUB_BUFFER_OFFSET",
        "the error condition about buffer_create_info as a whole covers any invalid value in it, and the error "
        "conditions have no order",
    ),
    Interpretation(
        "overlap-of-empty-copy",
        "clEnqueueCopyBuffer within one buffer, size 0 with an offset of 0, CL_MEM_COPY_OVERLAP",
        "success and CL_MEM_COPY_OVERLAP are both allowed",
        "the error condition compares with offset + size - 1, which is the largest size_t for an offset and a size of "
        "0; no byte lies in both ranges",
    ),
    Interpretation(
        "size-above-max-allocation",
        "clCreateBuffer: size exceeds CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device, and a device has a version from "
        "1.1 to 2.2",
        "success and CL_INVALID_BUFFER_SIZE are both allowed",
        "in these versions a footnote permits the code; versions 1.0 and 3.0 require it",
    ),
    Interpretation(
        "overlap-of-sub-buffers",
        "clEnqueueCopyBuffer and clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP",
        "success and CL_MEM_COPY_OVERLAP are both allowed between a sub-buffer and its buffer, and between sub-buffers "
        "of one buffer unless the sub-buffers overlap and the copied ranges overlap both by their offsets and by "
        "their bytes in the buffer; between disjoint sub-buffers, only success is allowed if the ranges do not overlap "
        "by their offsets either; a successful copy that overwrites its own source leaves unknown bytes",
        "the documents do not specify whether the sub-buffers, the copied ranges or their offsets are compared, and do "
        "not mention a sub-buffer and its own buffer",
    ),
    Interpretation(
        "pattern-size-zero",
        "clEnqueueFillBuffer, pattern_size 0",
        "CL_INVALID_VALUE, by the error condition about patterns",
        "whether a number is a multiple of zero does not matter: another error condition with the same code holds",
    ),
    Interpretation(
        "offset-or-size-not-multiple",
        "clEnqueueFillBuffer, either offset or size, but not both, is not a multiple of pattern_size",
        "CL_INVALID_VALUE is required",
        "the error condition joins the two by 'and', but the descriptions of offset and size each require a multiple",
    ),
    Interpretation(
        "one-slice-pitch-condition",
        "clEnqueueReadBufferRect and clEnqueueWriteBufferRect, slice pitches",
        "success and CL_INVALID_VALUE are both allowed if only one of the two conditions holds",
        "the error condition joins them by 'and', the one for copies by 'or'; implementations follow either",
    ),
    Interpretation(
        "slice-pitch-with-zero-row-pitch",
        "clEnqueueReadBufferRect and clEnqueueWriteBufferRect, slice pitches with a row pitch of 0",
        "success and CL_INVALID_VALUE are both allowed",
        "the error condition names the row pitch as passed, and no slice pitch is less than rows of 0 bytes; the error "
        "condition for copies holds under either interpretation",
    ),
    Interpretation(
        "one-pitch-differs",
        "clEnqueueCopyBufferRect within one buffer, if only one pitch differs, or a pitch of 0 stands for the same "
        "pitch",
        "success and CL_INVALID_VALUE are both allowed",
        "the error condition joins the two differences by 'and', a note requires both pitches to be equal, and earlier "
        "versions have 'or'",
    ),
    Interpretation(
        "overlap-rule-preconditions",
        "clEnqueueCopyBufferRect within one buffer: different pitches, an empty region, or a region out of bounds",
        "CL_MEM_COPY_OVERLAP is allowed in addition to the codes of other error conditions",
        "the rule of Appendix D covers only two rectangles with the same pitches that lie in the buffer",
    ),
    Interpretation(
        "overlap-by-rule-only",
        "clEnqueueCopyBufferRect within one buffer, Appendix D",
        "success and CL_MEM_COPY_OVERLAP are both allowed",
        "the rule finds an overlap although no byte lies in both rectangles; the error condition is about regions that "
        "overlap",
    ),
    Interpretation(
        "rectangle-offset-overflow",
        "rectangular regions of buffers: an origin so large that its offset wraps around as a size_t and lies in the "
        "buffer",
        "success and CL_INVALID_VALUE are both allowed",
        "a formula with operands of type size_t defines the offset; the documents do not specify whether it is "
        "computed in that type, where it may overflow, or in unbounded integers",
    ),
    Interpretation(
        "inherited-sub-buffer-flags",
        "clGetMemObjectInfo, CL_MEM_FLAGS of a sub-buffer",
        "the host memory and host access flags that the sub-buffer inherits may be missing",
        "besides its own flags, the query returns inherited memory access qualifiers; these may be only the three "
        "flags of that kind, or all inherited flags, which the description of sub-buffers also calls by that name",
    ),
    Interpretation(
        "map-flags-zero",
        "clEnqueueMapBuffer and clEnqueueMapImage, map_flags 0",
        "success and CL_INVALID_VALUE are both allowed",
        "no error condition specifies whether map_flags 0 is valid",
    ),
    Interpretation(
        "overlapping-read-and-write-mapping",
        "clEnqueueMapBuffer and clEnqueueMapImage, a write mapping that overlaps a read mapping, or the reverse",
        "success and CL_INVALID_OPERATION are both allowed",
        "the error condition forbids overlapping regions that are mapped for writing, which may mean both regions or "
        "either region",
    ),
    Interpretation(
        "map-failure",
        "clEnqueueMapBuffer and clEnqueueMapImage, CL_MAP_FAILURE",
        "success and CL_MAP_FAILURE are both allowed without CL_MEM_USE_HOST_PTR and CL_MEM_ALLOC_HOST_PTR",
        "the reasons for a failed mapping are implementation-defined; the error condition only names cases without "
        "failure",
    ),
)
