"""Gaps: sentences that the unified document states for all versions, but the documents of older versions lack.

Gaps in error codes were found by comparing each function's list of errors in the documents of 1.0 (revision 48), 1.1
(44), 1.2 (19), 2.0, 2.1 and 2.2 with the list in the unified document. If an older document contradicts the unified
document, the predicate follows the older document for drivers of its version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.spec_tables.requirements import ErrorCondition, Limit

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _declare_deprecated(rules: Rules, tables: Tables) -> None:
    """Declare a gap for each requirement on a deprecated function or query, unless the requirement has one already."""
    for requirement in tables.requirements.values():
        since = ""
        if isinstance(requirement, ErrorCondition):
            since = tables.functions[requirement.function].deprecated_by
        elif isinstance(requirement, Limit):
            queries = [query for query in tables.queries_of(requirement.function) if query.name == requirement.name]
            since = next((query.deprecated_by for query in queries), "")
        if since and since != "3.0" and requirement.id not in rules.undocumented_versions.entries:
            rules.undocumented_in(since, "3.0", "deprecated-function-undocumented", requirement.id)


rules.undocumented_in(
    "1.0",
    "3.0",
    "null-coordinates",
    "clEnqueueReadBufferRect/CL_INVALID_VALUE/1",
    "clEnqueueWriteBufferRect/CL_INVALID_VALUE/1",
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/1",
    "clEnqueueReadImage/CL_INVALID_VALUE/1",
    "clEnqueueWriteImage/CL_INVALID_VALUE/1",
    "clEnqueueCopyImage/CL_INVALID_VALUE/1",
    "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/1",
    "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/1",
    "clEnqueueFillImage/CL_INVALID_VALUE/2",
    "clEnqueueMapImage/CL_INVALID_VALUE/1",
)
rules.undocumented_in("1.0", "3.0", "image-pitch-before-3.0", "CL_IMAGE_ROW_PITCH", "CL_IMAGE_SLICE_PITCH")
rules.undocumented_in(
    "1.2",
    "3.0",
    "slice-pitch-without-slices",
    "clEnqueueReadImage/CL_INVALID_VALUE/4",
    "clEnqueueWriteImage/CL_INVALID_VALUE/4",
)
rules.undocumented_in(
    "1.2",
    "2.0",
    "image-from-image",
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
    "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
)
rules.undocumented_in(
    "1.0",
    "1.2",
    "image-errors-before-1.2",
    "clEnqueueReadImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueWriteImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyImageToBuffer/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueCopyBufferToImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueMapImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueNDRangeKernel/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueReadImage/CL_INVALID_VALUE/3",
    "clEnqueueWriteImage/CL_INVALID_VALUE/3",
    "clEnqueueCopyImage/CL_INVALID_VALUE/3",
    "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3",
    "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3",
    "clEnqueueMapImage/CL_INVALID_VALUE/3",
    "clSetKernelArg/CL_INVALID_ARG_VALUE/2",
    "clBuildProgram/CL_INVALID_OPERATION/3",
)
rules.undocumented_in(
    "1.0",
    "1.1",
    "image-size-errors-before-1.1",
    "clEnqueueReadImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueWriteImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyImageToBuffer/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueCopyBufferToImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueMapImage/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1",
    "clGetEventInfo/CL_INVALID_VALUE/2",
    "clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE/1",
)
rules.undocumented_in(
    "2.0",
    "3.0",
    "feature-errors-before-3.0",
    "clCreatePipe/CL_INVALID_OPERATION/1",
    "clCreateProgramWithIL/CL_INVALID_OPERATION/1",
    "clEnqueueSVMFree/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMap/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMemFill/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMemcpy/CL_INVALID_OPERATION/1",
    "clEnqueueSVMMigrateMem/CL_INVALID_OPERATION/1",
    "clEnqueueSVMUnmap/CL_INVALID_OPERATION/1",
    "clGetDeviceAndHostTimer/CL_INVALID_OPERATION/1",
    "clGetHostTimer/CL_INVALID_OPERATION/1",
    "clGetKernelSubGroupInfo/CL_INVALID_OPERATION/1",
    "clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1",
    "clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1",
    "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1",
    "clSetProgramSpecializationConstant/CL_INVALID_OPERATION/1",
    "clSetProgramSpecializationConstant/CL_COMPILER_NOT_AVAILABLE/1",
)
