"""Open points of section 5.10: ranges and groups, local memory, and what kernels read from and write to images."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "conversions-of-texels",
        "5.3.5 and 5.3.1.1: numbers read from and written to images other than integers within their range",
        "what read_image functions return, and what a fill colour or write_image functions store, is judged by the "
        "rules of OpenCL C (its section 8.3), and each result within its bounds is right: a stored number is the next "
        "one below or above the exact one, a normalised number that is read is wrong by 1.5 units in the last place at "
        "most, one read by the sRGB curve is stored as the same one again, floating-point numbers that are not normal "
        "may become 0, a NaN any NaN, and what an infinite colour becomes in a normalised channel is open",
        "section 5.3 says that a colour is converted to the format of the image, and leaves the conversion to the "
        "specification of OpenCL C, which gives bounds",
    ),
    Interpretation(
        "colours-beyond-the-range",
        "5.3.5, clEnqueueFillImage: an integer of fill_color that is beyond the range of a channel of 8 or 16 bits",
        "what the channel then holds is unknown; where a kernel writes such a number, it holds the nearest one",
        "the colour is converted to the format of the image, and not said to saturate; OpenCL C says so of kernels",
    ),
    Interpretation(
        "range-without-work-items",
        "5.10, clEnqueueNDRangeKernel: global_work_size is NULL, or 0 in a dimension",
        "since 2.1, success is right, and so is the code of a clause about the kernel, its arguments or the other "
        "sizes that holds as well",
        "such a launch succeeds trivially, and the list of errors makes no exception for it",
    ),
    Interpretation(
        "required-size-without-a-local-size",
        "5.10, clEnqueueNDRangeKernel: local_work_size is NULL, and the source of kernel requires a work-group size",
        "success and CL_INVALID_WORK_GROUP_SIZE are both allowed",
        "the unified document speaks of a given local_work_size only; those of older versions list the error for NULL",
    ),
    Interpretation(
        "executable-of-a-related-device",
        "5.10, CL_INVALID_PROGRAM_EXECUTABLE: a queue on a sub-device of clCreateSubDevicesEXT, on one whose own build "
        "has failed, or on the parent of one that the program was built for",
        "success and CL_INVALID_PROGRAM_EXECUTABLE are both allowed",
        "a sub-device without a binary of its own has that of its parent by section 5.8.9, but cl_ext_device_fission "
        "asks for a build for each; nothing is said of the reverse",
    ),
    Interpretation(
        "more-local-memory-than-the-device-has",
        "5.10, CL_OUT_OF_RESOURCES: arguments in local memory that are larger than CL_DEVICE_LOCAL_MEM_SIZE together",
        "success and CL_OUT_OF_RESOURCES are both allowed",
        "too little local memory is an example of this error, but a device may have more of it than it tells",
    ),
    Interpretation(
        "sub-buffer-of-a-native-kernel",
        "5.10, clEnqueueNativeKernel: an element of mem_list is a sub-buffer",
        "success and CL_INVALID_MEM_OBJECT are both allowed",
        "the parameter takes what clCreateBuffer and clCreateBufferWithProperties return, while the list of errors "
        "speaks of buffer objects, which sub-buffers are",
    ),
    Interpretation(
        "null-for-a-native-kernel",
        "5.10, clEnqueueNativeKernel: an element of mem_list is NULL",
        "success and CL_INVALID_MEM_OBJECT are both allowed",
        "the description of mem_list takes NULL, while the list of errors wants valid buffer objects",
    ),
    Interpretation(
        "blocks-of-a-kernel",
        "3.2.3 and 5.10: a kernel puts blocks into a device queue",
        "the kernel of this suite that could not put a block into the queue does its work itself, and either is right",
        "when enqueue_kernel fails is left to the document of OpenCL C",
    ),
    Interpretation(
        "sub-groups-of-a-module",
        "5.10, CL_INVALID_WORK_GROUP_SIZE: a module of intermediate language requires a number of sub-groups",
        "a launch in work-groups with fewer work-items than that fails by this error, and in larger ones it may",
        "the clause speaks of what the source of a program requires, for which OpenCL C has no attribute, while "
        "section 5.9.4 says that an intermediate language can; how work-items are divided is left to implementations",
    ),
)
