"""The recurring kinds of conditions with their meaning; an error condition has a kind and operands."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "invalid-object": "the parameter is not a valid object of the first handle type in values; after the types "
    "comes the required sort, if any: buffer, image, pipe, host-queue, device-queue",
    "invalid-object-in-list": "an element of the list (parameter) is not a valid object of the handle type and sort in "
    "values",
    "resources-device": "the implementation ran out of resources on the device",
    "resources-host": "the implementation ran out of resources on the host",
    "resources-object": "there was no memory for an object's data store (parameters: the objects named)",
    "null-parameter": "a parameter (any of those named) is NULL",
    "all-null": "all parameters named are NULL",
    "not-null-parameter": "a parameter (any of those named) is not NULL",
    "zero-parameter": "a parameter (any of those named) is zero",
    "null-or-zero-parameter": "a parameter (any of those named) is NULL or zero",
    "zero-or-null-parameter": "the first parameter is zero, or the second is NULL",
    "count-pointer-disagree": "the count (first) is zero and the list (second) is not NULL, or the other way round",
    "null-with-count": "the count (first) is not zero and the list (second) is NULL",
    "pointer-without-count": "the count (first) is zero and the list (second) is not NULL",
    "array-and-count-disagree": "the count of entries (first) is 0 and the array (second) is not NULL, or array and "
    "returned count (third) are both NULL",
    "wait-list": "the count (first) and the list (second) of events disagree, or an event in it is invalid",
    "sync-point-wait-list": "the count (first) and the list (second) of synchronization points disagree, or one in it "
    "is invalid",
    "failed-event-in-wait-list": "an event of the list (parameter) ended in an error, and the call blocks where values "
    "has blocking",
    "query-value": "param_name (first) is unknown, or the value of param_value_size (second) is too small and "
    "param_value (third) is not NULL",
    "user-data-without-callback": "the callback (first) is NULL and the user data (second) is not",
    "context-mismatch": "the objects named (parameters) do not all belong to one context",
    "context-mismatch-if-given": "the first object is not NULL, and is of another context than the second",
    "host-pointer-flags": "host_ptr (first) is NULL although flags (second) require it, or the other way round",
    "image-region-rules": "origin and region (parameters) violate the rules of the image's type: zeros and ones in the "
    "dimensions that it lacks",
    "pitch-too-small": "the pitch (first) is not 0 and less than the first dimension of the region (second)",
    "mip-level": "the mip level in the origin (first) is not a level of the image (second)",
    "device-of-context": "the device (first) is not a valid device, or not associated with the context (second)",
    "unsupported-format": "no device of the context (first) supports the image format (second)",
    "invalid-value": "the value of the parameter is not defined",
    "invalid-flags": "the flags in the parameter are not valid",
    "invalid-property-list": "a property in the list (parameter) is unknown, has an invalid value or appears twice",
    "misaligned-sub-buffer": "a sub-buffer (the parameter; if none is named, the value of an argument) does not "
    "begin at the device's base address alignment",
    "device-not-in-list": "a device in the list (first) is not associated with the object (second)",
    "unsupported-by-device": "the device of the queue (parameter) lacks the capability in values",
    "unsupported-by-all-devices": "no device of the context (parameter) has the capability in values",
    "image-size-unsupported": "the device does not support the dimensions of the image (parameter)",
    "image-format-unsupported": "the device does not support the format of the image (parameter)",
    "invalid-argument-index": "the parameter is not a valid argument index of the kernel",
    "state-finalized": "the command buffer (parameter) has been finalized",
    "state-not-finalized": "the command buffer (parameter) has not been finalized",
    "command-buffer-queue": "the queue (first) is given where only one is supported, or is not a queue of the "
    "command buffer (second), or is missing although there are several",
    "left-open": "the document marks the condition as an open issue, so it may hold for anything",
    "other": "not a recurring kind: the oracle has a predicate for it",
}

CIRCUMSTANCES: dict[str, str] = {
    "host-pointer": "host_ptr is not NULL",
    "no-host-pointer": "host_ptr is NULL",
    "external-memory": "the image is created from an external memory handle",
    "not-external-memory": "the image is not created from an external memory handle",
    "image-from-buffer": "a 2D image is created from a buffer",
    "not-image-from-buffer": "the image is not a 2D image created from a buffer",
    "buffer-uses-host-pointer": "the image's buffer was created with CL_MEM_USE_HOST_PTR",
    "zero-given": "the value given is 0",
    "image-1d": "the image is a 1D image",
    "image-1d-buffer": "the image is a 1D image on a buffer",
    "image-1d-array": "the image is a 1D image array",
    "image-2d": "the image is a 2D image",
    "image-2d-array": "the image is a 2D image array",
    "image-3d": "the image is a 3D image",
    "device-given": "device is not NULL",
    "no-device": "device is NULL",
    "otherwise": "the circumstance of the preceding rule does not hold",
}
"""The circumstances in which a size rule applies, with their meaning.

All circumstances of a rule must hold. If several of them are image types, one of these is sufficient.
"""

ABOUT_RESOURCES = ("resources-device", "resources-host", "resources-object")
"""Kinds of error conditions about exhausted resources, with any code."""
NO_DEVICE_CODES = (
    "CL_OUT_OF_RESOURCES",
    "CL_OUT_OF_HOST_MEMORY",
    "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "CL_DEVICE_NOT_AVAILABLE",
)
"""Error codes of a call whose device is not available, or lacks resources: the call shows nothing else."""
