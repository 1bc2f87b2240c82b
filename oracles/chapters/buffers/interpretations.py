"""Open points of section 5.2: buffers, what is read, written, copied and filled, and maps."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
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
)
