"""Interpretations for sentences of the unified document that the documents of older versions lack."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

INFERRED_TEXT = (
    "the requirement also applies to drivers of these versions; deviations from it are inferred, never literal"
)

ENTRIES = (
    Interpretation(
        "deprecated-function-undocumented",
        "functions and queries that are deprecated, on a driver of a version from their deprecation up to 2.2: "
        "clCreateImage2D, clCreateCommandQueue, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE and others",
        INFERRED_TEXT,
        "the document of such a version only lists them as deprecated; the earlier documents and the unified one "
        "describe them",
    ),
    Interpretation(
        "deprecated-function-missing",
        "1.3 and the glossary, deprecation: functions that the version of the platform, or an earlier one, deprecates, "
        "such as clSetCommandQueueProperty and clEnqueueWaitForEvents",
        "a driver lacks such a function neither in its dispatch table nor otherwise; it may return an error where the "
        "document of its version allows one",
        "a deprecated feature may be removed from a future version, but no version has removed an earlier function: "
        "5.1 lets clSetCommandQueueProperty fail on newer devices, which is not the absence of the function",
    ),
    Interpretation(
        "zero-limit-of-missing-feature",
        "clGetDeviceInfo: the value 0 for the limits of images, samplers and similar features that the device lacks, "
        "before version 3.0",
        INFERRED_TEXT,
        "the tables of queries in the documents of 1.0 to 2.2 give a minimum only for devices with images, and do not "
        "specify the value for other devices",
    ),
    Interpretation(
        "image-pitch-before-3.0",
        "CL_IMAGE_ROW_PITCH and CL_IMAGE_SLICE_PITCH before version 3.0",
        INFERRED_TEXT,
        "the documents of 1.0 to 2.2 mention a calculated pitch, but do not state that it is the application's pitch, "
        "or else follows from the width of the image; a driver may align its rows",
    ),
    Interpretation(
        "null-coordinates",
        "commands on rectangles and images: origin, region and similar arrays are NULL, before version 3.0",
        INFERRED_TEXT,
        "the lists of errors in the documents of 1.0 to 2.2 do not mention NULL for these arrays",
    ),
    Interpretation(
        "slice-pitch-without-slices",
        "clEnqueueReadImage and clEnqueueWriteImage: a slice pitch for an image without slices, versions 1.2 to 2.2",
        INFERRED_TEXT,
        "the descriptions of slice_pitch and input_slice_pitch require 0, but the lists of errors of these versions "
        "do not mention it; those of 1.0 and 1.1 do for 2D images",
    ),
    Interpretation(
        "image-from-image",
        "clCreateImage: a 2D image from a buffer or from another image, version 1.2",
        INFERRED_TEXT,
        "the document of 1.2 does not define such images; that of cl_khr_image2d_from_buffer defines those from "
        "buffers",
    ),
    Interpretation(
        "image-errors-before-1.2",
        "clEnqueue... with images, clSetKernelArg and clBuildProgram, versions 1.0 and 1.1",
        INFERRED_TEXT,
        "version 1.2 extends these lists of errors: formats that a device does not support, rules for origin and "
        "region as a whole, images that a kernel must not access, programs without source or binary",
    ),
    Interpretation(
        "image-size-errors-before-1.1",
        "clEnqueue... with images, clGetEventInfo and clGetEventProfilingInfo, version 1.0",
        INFERRED_TEXT,
        "version 1.1 extends these lists of errors: image sizes that a device does not support, invalid queries of an "
        "event, and each separate reason for missing profiling timestamps",
    ),
    Interpretation(
        "feature-errors-before-3.0",
        "CL_INVALID_OPERATION of functions whose feature is optional from 3.0 on, versions 2.0 to 2.2",
        INFERRED_TEXT,
        "the documents of these versions do not have the code, since every device has the feature; but the platform "
        "may have devices of an older version",
    ),
)
