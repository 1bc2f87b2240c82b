"""Unspecified points of section 5.10: ranges and work-groups, local memory, and image accesses of kernels."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "texel-conversion-bounds",
        "5.3.5 and 5.3.1.1: numbers read from and written to images other than integers within their range",
        "results of read_image functions, and values stored by fill colours and write_image functions, are checked by "
        "the rules of OpenCL C (section 8.3), and each result within these bounds is allowed: a stored number is one "
        "of the two representable numbers next to the exact number, a normalized number that is read has an error of "
        "at most 1.5 ulp, a number read through the sRGB curve is stored as the same number again, subnormal "
        "floating-point numbers may become 0, a NaN may become any NaN, and the value of an infinite colour in a "
        "normalized channel is unspecified",
        "section 5.3 states that a colour is converted to the format of the image, and refers to the OpenCL C "
        "specification for the conversion, which gives bounds",
    ),
    Interpretation(
        "fill-color-out-of-range",
        "5.3.5, clEnqueueFillImage: an integer of fill_color beyond the range of an 8-bit or 16-bit channel",
        "the value of the channel is unknown; if a kernel writes such a number, the channel holds the nearest number",
        "the colour is converted to the format of the image, without a mention of saturation; OpenCL C requires "
        "saturation for kernels",
    ),
    Interpretation(
        "range-without-work-items",
        "5.10, clEnqueueNDRangeKernel: global_work_size is NULL, or 0 in a dimension",
        "since 2.1, success is allowed, and so is the code of any other error condition about the kernel, its "
        "arguments or the other sizes that holds",
        "such a kernel enqueue succeeds trivially, and the list of errors does not mention it",
    ),
    Interpretation(
        "required-size-with-null-local-size",
        "5.10, clEnqueueNDRangeKernel: local_work_size is NULL, and the source of kernel requires a work-group size",
        "success and CL_INVALID_WORK_GROUP_SIZE are both allowed on devices before version 3.0, and if "
        "global_work_size is not a multiple of the required size; otherwise success is required",
        "the error condition covers only a local_work_size that is given, and with NULL the implementation chooses the "
        "work-groups; documents of older versions list the error for NULL, and the list does not mention sizes that "
        "the required size does not divide",
    ),
    Interpretation(
        "executable-of-a-related-device",
        "5.10, CL_INVALID_PROGRAM_EXECUTABLE: a queue on a sub-device from clCreateSubDevicesEXT, on a sub-device "
        "whose own build failed, or on the parent of a device that the program was built for",
        "success and CL_INVALID_PROGRAM_EXECUTABLE are both allowed",
        "by section 5.8.9 a sub-device without a binary of its own uses that of its parent, but cl_ext_device_fission "
        "requires a build for each device; the documents do not mention the reverse",
    ),
    Interpretation(
        "local-memory-above-limit",
        "5.10, CL_OUT_OF_RESOURCES: local memory arguments that exceed CL_DEVICE_LOCAL_MEM_SIZE together",
        "success and CL_OUT_OF_RESOURCES are both allowed",
        "insufficient local memory is an example of this error, but a device may have more local memory than it "
        "reports",
    ),
    Interpretation(
        "sub-buffer-in-native-kernel",
        "5.10, clEnqueueNativeKernel: an element of mem_list is a sub-buffer",
        "success and CL_INVALID_MEM_OBJECT are both allowed",
        "the parameter takes objects from clCreateBuffer and clCreateBufferWithProperties, while the list of errors "
        "names buffer objects, which includes sub-buffers",
    ),
    Interpretation(
        "null-in-native-kernel",
        "5.10, clEnqueueNativeKernel: an element of mem_list is NULL",
        "success and CL_INVALID_MEM_OBJECT are both allowed",
        "the description of mem_list permits NULL, while the list of errors requires valid buffer objects",
    ),
    Interpretation(
        "device-side-enqueue-failure",
        "3.2.3 and 5.10: a kernel enqueues blocks into a device queue",
        "if a block cannot be enqueued, the kernel of the suites does the work itself; both outcomes are allowed",
        "only the OpenCL C document defines when enqueue_kernel fails",
    ),
    Interpretation(
        "required-sub-groups-of-il",
        "5.10, CL_INVALID_WORK_GROUP_SIZE: an IL module requires a number of sub-groups",
        "the error is required for work-groups with fewer work-items than sub-groups, and optional for larger ones",
        "the error condition refers to a requirement in the source of the program, for which OpenCL C has no "
        "attribute, while section 5.9.4 states that an intermediate language can have one; the division of work-items "
        "into sub-groups is implementation-defined",
    ),
)
