"""Requirements of revisions from 3.1.0 on that no call can cover, with the reasons."""

from __future__ import annotations

from clconform.oracles.engine.rules import Rules

rules = Rules()

ANDROID_REASON = "an AHardwareBuffer exists on Android alone, and a made-up one is undefined behaviour"
NO_LIST_REASON = "the function takes no list of properties; the clause stands for the one that does"
NO_ADAPTERS_REASON = "adapters of Direct3D 9 are never made up, and NULL breaks other clauses"
UNTESTABLE = (
    (
        "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/3",
        "size is not 0, and the buffer is created from an AHardwareBuffer.",
        ANDROID_REASON,
    ),
    (
        "clCreateBufferWithProperties/CL_INVALID_OPERATION/1",
        "The AHardwareBuffer does not have the format of plain bytes.",
        ANDROID_REASON,
    ),
    (
        "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/6",
        "image_format is not NULL, and the image is created from an AHardwareBuffer.",
        ANDROID_REASON,
    ),
    (
        "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/2",
        "image_desc is not NULL, and the image is created from an AHardwareBuffer.",
        ANDROID_REASON,
    ),
    (
        "clCreateImageWithProperties/CL_IMAGE_FORMAT_NOT_SUPPORTED/2",
        "The format of the AHardwareBuffer is not supported, or is that of plain bytes.",
        ANDROID_REASON,
    ),
    ("clCreateBuffer/CL_INVALID_PROPERTY/3", "A property has an invalid value.", NO_LIST_REASON),
    ("clCreateBuffer/CL_INVALID_PROPERTY/4", "A list of properties has the same name more than once.", NO_LIST_REASON),
    ("clCreateImage/CL_INVALID_PROPERTY/3", "A property has an invalid value.", NO_LIST_REASON),
    ("clCreateImage/CL_INVALID_PROPERTY/4", "A list of properties has the same name more than once.", NO_LIST_REASON),
    (
        "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/8",
        "An element of media_adapters_type is not a valid value.",
        NO_ADAPTERS_REASON,
    ),
    (
        "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/9",
        "An element of media_adapters is not valid.",
        NO_ADAPTERS_REASON,
    ),
    (
        "clIcdSetPlatformDispatchDataKHR/success",
        "The call stores the dispatch data of a loader in the platform.",
        "only a loader may make the call; it would replace the data by which the driver is called",
    ),
    (
        "clIcdGetFunctionAddressForPlatformKHR/success",
        "The call returns the address of a function of the platform, or NULL.",
        "only a loader may make the call, and drivers need not have it under a name",
    ),
    (
        "clIcdGetFunctionAddressForPlatformKHR/effect/1",
        "",
        "only a loader may make the call, and drivers need not have it under a name",
    ),
)
"""Requirements that no call can cover: id, text and reason."""

for _record, _words, _reason in UNTESTABLE:
    rules.untestable(_record, _words, _reason)

UNIFIED_SVM_FUNCTIONS = ("clSVMAllocWithPropertiesKHR", "clSVMFreeWithPropertiesKHR", "clGetSVMPointerInfoKHR")
for _function in (*UNIFIED_SVM_FUNCTIONS, "clGetSVMSuggestedTypeIndexKHR"):
    rules.untestable(
        f"{_function}/success",
        "The call has the effect that cl_khr_unified_svm defines.",
        "the document only names the function: what it does is still under development",
    )
