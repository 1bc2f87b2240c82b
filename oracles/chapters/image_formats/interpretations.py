"""Open points of sections 5.3.1.1 and 5.3.2: formats of images, and the lists of them."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "formats-of-every-type",
        "5.3.2.1, minimum lists of supported image formats",
        "the lists are demanded for CL_MEM_READ_ONLY and CL_MEM_WRITE_ONLY, or for CL_MEM_KERNEL_READ_AND_WRITE, "
        "and for each image type that the device has; for written 3D images only where the device writes to them, "
        "and on embedded devices for 2D arrays only where they are read. For CL_MEM_READ_WRITE nothing is demanded",
        "the tables name no image type, so that none is left out but by footnotes; they are for reading or writing, "
        "and only CL_MEM_READ_WRITE asks for what allows both",
    ),
    Interpretation(
        "formats-by-allocation",
        "5.3.2, clGetSupportedImageFormats: flags other than one of CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, "
        "CL_MEM_WRITE_ONLY and CL_MEM_KERNEL_READ_AND_WRITE alone",
        "success and CL_INVALID_VALUE are both allowed for defined flags that do not exclude each other, and for 0",
        "flags is explained as usage information of the table of memory flags, which has more flags and a default, but "
        "only four of them are said to ask for formats",
    ),
    Interpretation(
        "format-of-elsewhere",
        "5.3.1.1, channel orders and data types of other versions, of extensions that are not there, and of vendors",
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR is allowed, and so is what follows if the values are valid",
        "a value that has a meaning elsewhere may be known to a driver",
    ),
    Interpretation(
        "pairs-of-older-documents",
        "5.3.1.1, channel orders with data types that the documents of 1.0 to 2.2 exclude, but this one does not: "
        "CL_INTENSITY and CL_LUMINANCE with integers, CL_ARGB, CL_BGRA and CL_ABGR with other than 8 bits, CL_DEPTH "
        "with other than CL_UNORM_INT16 and CL_FLOAT, sRGB orders with other than CL_UNORM_INT8, CL_RGBx with other "
        "than packed types, and CL_UNORM_INT24 without CL_DEPTH_STENCIL",
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR is allowed, unless the context lists the format",
        "a driver may well keep to the tables of these documents",
    ),
    Interpretation(
        "format-for-another-use",
        "5.3.1, CL_IMAGE_FORMAT_NOT_SUPPORTED for a format that is listed for other flags or another image type only, "
        "and for one of an image of a buffer or of an image",
        "success and CL_IMAGE_FORMAT_NOT_SUPPORTED are both allowed",
        "the clause is about devices that support the format, and does not say for which use",
    ),
    Interpretation(
        "images-on-images-without-buffers",
        "appendix on optional features, creating 2D images from buffers: clCreateImage and clCreateImageWithProperties "
        "with an image as mem_object",
        "where a device of 3.0 has no 2D images on buffers, CL_INVALID_OPERATION is allowed beside what else is right",
        "the feature is about buffers, but the sentence has the error for any mem_object that is not NULL",
    ),
    Interpretation(
        "format-of-a-view",
        "clCreateImage, CL_INVALID_IMAGE_DESCRIPTOR: a 2D image of another image whose format does not go with its own",
        "CL_INVALID_IMAGE_DESCRIPTOR is allowed in addition to CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
        "which formats go with an image is said where mem_object is described, which is a field of the description",
    ),
    Interpretation(
        "view-in-the-same-order",
        "5.3.1, a 2D image of another image with the channel order of that image",
        "success and CL_INVALID_IMAGE_FORMAT_DESCRIPTOR are both allowed",
        "the table of compatible orders does not list an order beside itself, and nothing says that a view must differ",
    ),
)
