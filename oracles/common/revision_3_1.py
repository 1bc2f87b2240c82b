"""Requirements of revisions from 3.1.0 on that no call can cover, with the reasons."""

from __future__ import annotations

from clconform.oracles.engine.rules import Rules

rules = Rules()

ANDROID_REASON = "an AHardwareBuffer exists only on Android, and the behaviour for an invalid pointer is undefined"
NO_LIST_REASON = (
    "the function does not have a properties parameter; the error condition is that of the function with this parameter"
)
NO_ADAPTERS_REASON = "the suites do not pass invalid Direct3D 9 adapters, and NULL meets other error conditions"
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
        "only a loader may call the function, which replaces the dispatch data of the driver",
    ),
    (
        "clIcdGetFunctionAddressForPlatformKHR/success",
        "The call returns the address of a function of the platform, or NULL.",
        "only a loader may call the function, and drivers need not export it by name",
    ),
    (
        "clIcdGetFunctionAddressForPlatformKHR/effect/1",
        "",
        "only a loader may call the function, and drivers need not export it by name",
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
