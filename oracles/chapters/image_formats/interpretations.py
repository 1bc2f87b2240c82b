"""Interpretations of sections 5.3.1.1 and 5.3.2: image formats and the lists of supported formats."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "minimum-formats-by-image-type",
        "5.3.2.1, minimum lists of supported image formats",
        "the minimum lists are required for CL_MEM_READ_ONLY and CL_MEM_WRITE_ONLY, or for "
        "CL_MEM_KERNEL_READ_AND_WRITE, and for each image type that the device supports; for written 3D images only "
        "if the device can write them, and on embedded devices for 2D arrays only if they are read. For "
        "CL_MEM_READ_WRITE no format is required",
        "the tables do not name image types, so only footnotes exclude any; they apply to reading or writing, and "
        "only CL_MEM_READ_WRITE requests both",
    ),
    Interpretation(
        "format-list-flags",
        "5.3.2, clGetSupportedImageFormats: flags other than one of CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, "
        "CL_MEM_WRITE_ONLY and CL_MEM_KERNEL_READ_AND_WRITE alone",
        "success and CL_INVALID_VALUE are both allowed for defined flags that do not exclude each other, and for 0",
        "flags is described as usage information from the table of memory flags, which has more flags and a default, "
        "but only four of them are described as queries for formats",
    ),
    Interpretation(
        "undefined-or-vendor-format",
        "5.3.1.1, channel orders and data types of other versions, of unsupported extensions, and of vendors",
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR is allowed, and so is any result that is allowed if the values are valid",
        "a driver may support a value that is defined elsewhere",
    ),
    Interpretation(
        "pairs-of-older-documents",
        "5.3.1.1, channel orders with data types that the documents of 1.0 to 2.2 exclude, but this one does not: "
        "CL_INTENSITY and CL_LUMINANCE with integers, CL_ARGB, CL_BGRA and CL_ABGR with other than 8 bits, CL_DEPTH "
        "with other than CL_UNORM_INT16 and CL_FLOAT, sRGB orders with other than CL_UNORM_INT8, CL_RGBx with other "
        "than packed types, and CL_UNORM_INT24 without CL_DEPTH_STENCIL",
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR is allowed, unless the context lists the format",
        "a driver may follow the tables of these documents",
    ),
    Interpretation(
        "format-for-another-use",
        "5.3.1, CL_IMAGE_FORMAT_NOT_SUPPORTED for a format that is listed only for other flags or another image type, "
        "and for the format of an image on a buffer or on an image",
        "success and CL_IMAGE_FORMAT_NOT_SUPPORTED are both allowed",
        "the error condition is about devices that support the format, and does not specify for which use",
    ),
    Interpretation(
        "empty-format-list",
        "5.3.2, clGetSupportedImageFormats: an empty list for flags and an image type with required formats",
        "the empty list deviates from the first required format only",
        "the driver supports no image of this type for this use, which is one cause; the document requires each of the "
        "formats for each type, CL_MEM_OBJECT_IMAGE1D_BUFFER included",
    ),
    Interpretation(
        "images-on-images-without-buffers",
        "appendix on optional features, creating 2D images from buffers: clCreateImage and clCreateImageWithProperties "
        "with an image as mem_object",
        (
            "if a 3.0 device does not support 2D images on buffers, CL_INVALID_OPERATION is allowed in addition to the "
            "other allowed results"
        ),
        "the feature is about buffers, but the sentence lists the error for any mem_object other than NULL",
    ),
    Interpretation(
        "incompatible-view-format",
        "clCreateImage, CL_INVALID_IMAGE_DESCRIPTOR: a 2D image on another image whose format is incompatible",
        "CL_INVALID_IMAGE_DESCRIPTOR is allowed in addition to CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
        (
            "the compatible formats are specified in the description of mem_object, which is a field of the image "
            "descriptor"
        ),
    ),
    Interpretation(
        "view-with-equal-channel-order",
        "5.3.1, a 2D image on another image with the same channel order",
        "success and CL_INVALID_IMAGE_FORMAT_DESCRIPTOR are both allowed",
        "the table of compatible orders does not pair an order with itself, and no sentence requires a view to differ",
    ),
)
