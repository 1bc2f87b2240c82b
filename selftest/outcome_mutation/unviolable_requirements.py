"""Requirements that no outcome of any call can violate, with the reason."""

from __future__ import annotations

MAY_FAIL = "a call in this case may fail with its code, and may also succeed"
NO_CALL = (
    "a runtime must not make the call, so no result of a call violates it; traces with such a call are tested "
    "separately"
)
NO_LESS = "no value of its type is less than the limit"
BY_THE_CLAUSE = "it repeats {}, by which a call may fail, and may also succeed"

_LAUNCH = "clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1"
_CLAUSES = {
    "clGetPlatformInfo/CL_INVALID_PLATFORM/1": "null-platform",
    "clGetDeviceIDs/CL_INVALID_PLATFORM/1": "null-platform",
    "clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1": "unknown-topology",
    "clCreateSubDevicesEXT/CL_DEVICE_PARTITION_FAILED_EXT/1": "unknown-topology",
    "clSetCommandQueueProperty/CL_INVALID_OPERATION/1": "fixed-queue-properties",
    "clCreateBuffer/CL_OUT_OF_RESOURCES/2": "second-buffer-for-address",
    "clCreateProgramWithIL/CL_INVALID_VALUE/2": "unknown-il-module",
    "clCreateProgramWithILKHR/CL_INVALID_VALUE/2": "unknown-il-module",
    "clCreateProgramWithBinary/CL_INVALID_BINARY/1": "unknown-binary",
    "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1": "destructors-of-programs",
    "clLinkProgram/CL_INVALID_LINKER_OPTIONS/1": "vendor-build-options",
    "clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1": "memory-limits-of-arguments",
    "clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1": "memory-limits-of-arguments",
    "clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1": "svm-pointer-outside-allocation",
    "clUpdateMutableCommandsKHR/via/clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1": "svm-pointer-outside-allocation",
    "clGetKernelArgInfo/CL_KERNEL_ARG_INFO_NOT_AVAILABLE/1": "argument-info-kept",
    "clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1": "image-size-unsupported-by-device",
    "clEnqueueTask/CL_INVALID_IMAGE_SIZE/1": "image-size-unsupported-by-device",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_IMAGE_SIZE/1": "image-size-unsupported-by-device",
    "clCommandNDRangeKernelKHR/via/clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1": "image-size-unsupported-by-device",
    _LAUNCH: "local-memory-above-limit",
    "clEnqueueTask/CL_OUT_OF_RESOURCES/1": "local-memory-above-limit",
    f"clCommandNDRangeKernelKHR/via/{_LAUNCH}": "local-memory-above-limit",
    f"clUpdateMutableCommandsKHR/via/{_LAUNCH}": "local-memory-above-limit",
    "clEnqueueMarker/CL_INVALID_VALUE/1": "marker-without-an-event",
    "clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/4": "semaphore-shared-with-device",
    "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1": "usm-region-of-hint",
}
"""Error conditions, with the interpretation that leaves unspecified whether they hold."""
_SENTENCES = {
    "program-initialization-and-clean-up-kernels:clSetProgramReleaseCallback/1": BY_THE_CLAUSE.format(
        "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1"
    ),
    "CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE/limit/1": NO_LESS,
    "linked-allocations:brief-overview-of-allocations-for-memory-objects/1": NO_CALL,
}

NEVER_VIOLATED = {clause: f"{MAY_FAIL} (interpretation: {entry})" for clause, entry in _CLAUSES.items()} | _SENTENCES
"""The reason for each requirement that cannot be violated."""
USED_INTERPRETATIONS = frozenset(_CLAUSES.values())
"""The interpretations that the reasons name."""
