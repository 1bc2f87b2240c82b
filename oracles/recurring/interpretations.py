"""Sentences of the unified document that the documents of older versions lack, and what that means for a verdict."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

INFERRED = "the requirement holds for drivers of these versions, too; a deviation from it is inferred, never literal"

ENTRIES = (
    Interpretation(
        "deprecated-and-not-described",
        "functions and queries that are deprecated, on a driver of a version from their deprecation up to 2.2: "
        "clCreateImage2D, clCreateCommandQueue, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE and others",
        INFERRED,
        "the document of such a version only lists them as deprecated; earlier ones and the unified one describe them",
    ),
    Interpretation(
        "zero-without-images",
        "clGetDeviceInfo: the answer 0 to the limits of images, samplers and their like where the device lacks them, "
        "before version 3.0",
        INFERRED,
        "the tables of queries in the documents of 1.0 to 2.2 give a minimum for devices with images only, and do not "
        "say what others answer",
    ),
    Interpretation(
        "pitch-of-an-image",
        "CL_IMAGE_ROW_PITCH and CL_IMAGE_SLICE_PITCH before version 3.0",
        INFERRED,
        "the documents of 1.0 to 2.2 speak of a calculated pitch, and do not say that it is the one given by the "
        "application, or else follows from the width of the image; a driver may align its rows",
    ),
    Interpretation(
        "null-coordinates",
        "commands on rectangles and images: origin, region and their like are NULL, before version 3.0",
        INFERRED,
        "the lists of errors in the documents of 1.0 to 2.2 do not mention NULL for these arrays",
    ),
    Interpretation(
        "slice-pitch-without-slices",
        "clEnqueueReadImage and clEnqueueWriteImage: a slice pitch for an image without slices, versions 1.2 to 2.2",
        INFERRED,
        "the descriptions of slice_pitch and input_slice_pitch demand 0, but the lists of errors of these versions do "
        "not mention it; those of 1.0 and 1.1 did for 2D images",
    ),
    Interpretation(
        "image-of-an-image",
        "clCreateImage: a 2D image of a buffer or of another image, version 1.2",
        INFERRED,
        "the document of 1.2 has no such images; that of cl_khr_image2d_from_buffer has those of buffers",
    ),
    Interpretation(
        "images-of-the-device-before-1.2",
        "clEnqueue... with images, clSetKernelArg and clBuildProgram, versions 1.0 and 1.1",
        INFERRED,
        "these lists of errors were extended in 1.2: formats that a device does not support, rules for origin and "
        "region as a whole, images that a kernel may not access, programs without source or binary",
    ),
    Interpretation(
        "size-of-images-before-1.1",
        "clEnqueue... with images, clGetEventInfo and clGetEventProfilingInfo, version 1.0",
        INFERRED,
        "these lists of errors were extended in 1.1: sizes of images that a device does not support, what cannot be "
        "queried of an event, and each reason by itself why there are no times",
    ),
    Interpretation(
        "feature-optional-before-3.0",
        "CL_INVALID_OPERATION of functions whose feature is optional since 3.0, versions 2.0 to 2.2",
        INFERRED,
        "the documents of these versions do not have the code, since every device had the feature; but the platform "
        "may have devices of an older version",
    ),
)
