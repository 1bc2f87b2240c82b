"""Open points of section 5.2: buffers, what is read, written, copied and filled, and maps."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "flags-of-a-region",
        "clCreateSubBuffer, flags",
        "success and CL_INVALID_VALUE are both allowed",
        "the clauses name only flags that contradict those of buffer, not undefined or mutually exclusive bits",
    ),
    Interpretation(
        "write-that-copies",
        "5.2.2 and 5.3.3, blocking writes to buffers and images on drivers of versions before 3.0",
        "the call may return before the command is complete, and a later command that is not ordered after it may run "
        "before it does",
        "the documents of these versions say that a blocking write copies the data before it returns, and not that it "
        "waits for the command",
    ),
    Interpretation(
        "values-of-a-region",
        "clCreateSubBuffer, a region of no byte, or one whose origin is aligned for no device",
        "CL_INVALID_VALUE is allowed in addition to CL_INVALID_BUFFER_SIZE and CL_MISALIGNED_SUB_BUFFER_OFFSET",
        "the clause about buffer_create_info as a whole holds for any value in it that is not valid, and no clause "
        "comes before another",
    ),
    Interpretation(
        "overlap-of-no-byte",
        "clEnqueueCopyBuffer within one buffer, size 0 with an offset of 0, CL_MEM_COPY_OVERLAP",
        "success and CL_MEM_COPY_OVERLAP are both allowed",
        "the clause compares with offset + size - 1, which is the largest size_t for an offset and a size of 0; no "
        "byte lies in both ranges",
    ),
    Interpretation(
        "larger-than-an-allocation",
        "clCreateBuffer: size exceeds CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device, one of a version from 1.1 to 2.2",
        "success and CL_INVALID_BUFFER_SIZE are both allowed",
        "by a footnote of these versions an implementation may return the code; those of 1.0 and 3.0 require it",
    ),
    Interpretation(
        "overlap-of-regions",
        "clEnqueueCopyBuffer and clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP",
        "success and CL_MEM_COPY_OVERLAP are both allowed between sub-buffers of one buffer, unless they overlap and "
        "the copied ranges do, both by their offsets and by their bytes in the buffer; and between a sub-buffer and "
        "its buffer; what a copy has left that succeeds although it writes into its own source is unknown",
        "the documents leave open whether the sub-buffers, the copied ranges or their offsets are compared, and do not "
        "mention a sub-buffer and its own buffer",
    ),
    Interpretation(
        "pattern-of-no-byte",
        "clEnqueueFillBuffer, pattern_size 0",
        "CL_INVALID_VALUE, by the clause about patterns",
        "whether a number is a multiple of zero need not be decided: another clause holds with the same code",
    ),
    Interpretation(
        "either-no-multiple",
        "clEnqueueFillBuffer, offset or size, but not both, is not a multiple of pattern_size",
        "CL_INVALID_VALUE is required",
        "the clause joins the two by 'and', but the descriptions of offset and size each demand a multiple",
    ),
    Interpretation(
        "one-fault-of-slices",
        "clEnqueueReadBufferRect and clEnqueueWriteBufferRect, slice pitches",
        "success and CL_INVALID_VALUE are both allowed if only one of the two conditions holds",
        "the clause joins them by 'and', the one for copies by 'or'; implementations follow either",
    ),
    Interpretation(
        "slices-of-tight-rows",
        "clEnqueueReadBufferRect and clEnqueueWriteBufferRect, slice pitches with a row pitch of 0",
        "success and CL_INVALID_VALUE are both allowed",
        "the clause names the row pitch as given, and no slice pitch is less than rows of 0 bytes; the clause for "
        "copies holds with either reading",
    ),
    Interpretation(
        "one-pitch-differs",
        "clEnqueueCopyBufferRect within one buffer, if only one pitch differs, or only a 0 that means the same pitch",
        "success and CL_INVALID_VALUE are both allowed",
        "the clause joins the two differences by 'and', a note asks for both pitches to be equal, and earlier "
        "versions had 'or'",
    ),
    Interpretation(
        "rule-of-overlap",
        "clEnqueueCopyBufferRect within one buffer: different pitches, an empty region, or a region out of bounds",
        "CL_MEM_COPY_OVERLAP is allowed in addition to the codes of other clauses",
        "the rule of Appendix D is about two rectangles with the same pitches that lie in the buffer",
    ),
    Interpretation(
        "overlap-by-rule-only",
        "clEnqueueCopyBufferRect within one buffer, Appendix D",
        "success and CL_MEM_COPY_OVERLAP are both allowed",
        "the rule finds an overlap although no byte lies in both rectangles; the clause is about regions that overlap",
    ),
    Interpretation(
        "offset-that-wraps",
        "rectangles of buffers: an origin so large that its offset, as a size_t, lies in the buffer again",
        "success and CL_INVALID_VALUE are both allowed",
        "the offset is given by a formula whose operands are of the type size_t; whether it is computed in that type, "
        "where it may overflow, or in numbers of any size, is not said",
    ),
    Interpretation(
        "inherited-flags",
        "clGetMemObjectInfo, CL_MEM_FLAGS of a sub-buffer",
        "flags about host memory and host access that the sub-buffer inherits may be left out",
        "besides the flags given, the query returns inherited memory access qualifiers: that may mean only the three "
        "flags of that kind, or all flags that are inherited, which the description of sub-buffers calls by that name, "
        "too",
    ),
    Interpretation(
        "no-map-flag",
        "clEnqueueMapBuffer and clEnqueueMapImage, map_flags 0",
        "success and CL_INVALID_VALUE are both allowed",
        "no clause says whether a map without any flag is valid",
    ),
    Interpretation(
        "map-beside-a-map",
        "clEnqueueMapBuffer and clEnqueueMapImage, a map for writing that overlaps one for reading, or the reverse",
        "success and CL_INVALID_OPERATION are both allowed",
        "the clause forbids overlapping regions to be mapped for writing, which may mean both of them or any of them",
    ),
    Interpretation(
        "map-fails",
        "clEnqueueMapBuffer and clEnqueueMapImage, CL_MAP_FAILURE",
        "success and CL_MAP_FAILURE are both allowed without CL_MEM_USE_HOST_PTR and CL_MEM_ALLOC_HOST_PTR",
        "the reasons for a map to fail are implementation-defined; the clause only says when it cannot",
    ),
)
