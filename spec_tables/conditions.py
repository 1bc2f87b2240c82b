"""The recurring kinds of conditions, each with its meaning; an error clause names its kind and what fills it."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "invalid-object": "the parameter is no valid object of the handle type that comes first in values; after the types "
    "stands what sort is asked for, if any: buffer, image, pipe, host-queue, device-queue",
    "invalid-object-in-list": "an element of the list (parameter) is no valid object of the handle type and sort in "
    "values",
    "resources-device": "the implementation ran short of resources on the device",
    "resources-host": "the implementation ran short of resources on the host",
    "resources-object": "there was no memory for an object's data store (parameters: the objects named)",
    "null-parameter": "a parameter (any of those named) is NULL",
    "all-null": "all parameters named are NULL",
    "not-null-parameter": "a parameter (any of those named) is not NULL",
    "zero-parameter": "a parameter (any of those named) is zero",
    "null-or-zero-parameter": "a parameter (any of those named) is NULL or zero",
    "zero-or-null-parameter": "the first parameter is zero, or the second is NULL",
    "count-pointer-disagree": "the count (first) is zero and the list (second) is not NULL, or the other way round",
    "array-and-count-disagree": "the count of entries (first) is 0 and the array (second) is not NULL, or array and "
    "returned count (third) are both NULL",
    "wait-list": "the count (first) and the list (second) of events disagree, or an event in it is invalid",
    "sync-point-wait-list": "the count (first) and the list (second) of synchronization points disagree, or one in it "
    "is invalid",
    "failed-event-in-wait-list": "an event of the list (parameter) ended in an error, and the call blocks where values "
    "has blocking",
    "query-value": "param_name (first) is unknown, or the room in param_value_size (second) is too small and "
    "param_value (third) is not NULL",
    "user-data-without-callback": "the callback (first) is NULL and the user data (second) is not",
    "context-mismatch": "the objects named (parameters) do not all belong to one context",
    "context-mismatch-if-given": "the first object is not NULL, and is of another context than the second",
    "host-pointer-flags": "host_ptr (first) is NULL though flags (second) want one, or is not NULL though they do not",
    "image-region-rules": "origin and region (parameters) break the rules of the image's type: zeros and ones in the "
    "dimensions that it lacks",
    "pitch-too-small": "the pitch (first) is not 0 and less than the first dimension of the region (second)",
    "mip-level": "the mip level in the origin (first) is none of the image (second)",
    "device-of-context": "the device (first) is no valid device, or not associated with the context (second)",
    "unsupported-format": "no device of the context (first) supports the image format (second)",
    "invalid-value": "the value of the parameter is none of those defined",
    "invalid-flags": "the set of flags in the parameter holds something that is not valid",
    "invalid-property-list": "a property in the list (parameter) is unknown, has an invalid value or stands there "
    "twice",
    "misaligned-sub-buffer": "a sub-buffer (the parameter; where none is named, the value of an argument) does not "
    "begin at the device's base address alignment",
    "device-not-in-list": "a device in the list (first) is not associated with the object (second)",
    "unsupported-by-device": "the device of the queue (parameter) lacks the capability in values",
    "unsupported-by-all-devices": "no device of the context (parameter) has the capability in values",
    "image-size-unsupported": "the device does not support the dimensions of the image (parameter)",
    "image-format-unsupported": "the device does not support the format of the image (parameter)",
    "invalid-argument-index": "the parameter is no argument index of the kernel",
    "state-finalized": "the command buffer (parameter) has been finalized",
    "state-not-finalized": "the command buffer (parameter) has not been finalized",
    "command-buffer-queue": "the queue (first) is given where only one is supported, or is none of those of the "
    "command buffer (second), or is missing where there are several",
    "left-open": "the document asks itself what the condition is, so that it may hold for anything",
    "other": "one of a kind: the oracle has a predicate for it",
}

CIRCUMSTANCES: dict[str, str] = {
    "host-pointer": "host_ptr is not NULL",
    "no-host-pointer": "host_ptr is NULL",
    "external-memory": "the image is made from an external memory handle",
    "not-external-memory": "the image is not made from an external memory handle",
    "image-from-buffer": "a 2D image is made from a buffer",
    "not-image-from-buffer": "no 2D image is made from a buffer",
    "buffer-uses-host-pointer": "the buffer below the image was made with CL_MEM_USE_HOST_PTR",
    "zero-given": "the value given is 0",
    "image-1d": "the image is a 1D image",
    "image-1d-buffer": "the image is a 1D image on a buffer",
    "image-1d-array": "the image is a 1D image array",
    "image-2d": "the image is a 2D image",
    "image-2d-array": "the image is a 2D image array",
    "image-3d": "the image is a 3D image",
    "device-given": "device is not NULL",
    "no-device": "device is NULL",
    "otherwise": "the circumstance of the rule that stands before this one does not hold",
}
"""What a size rule may hang on; of several kinds of images one is enough, all the others have to hold together."""

ABOUT_RESOURCES = ("resources-device", "resources-host", "resources-object")
"""Kinds of clauses about resources that ran out, whatever their code is."""
