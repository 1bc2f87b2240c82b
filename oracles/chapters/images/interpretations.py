"""Interpretations of section 5.3: reading, writing, copying, filling and mapping images."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "invalid-image-descriptors-in-3.1",
        "5.3.1, clCreateImage, clCreateImageWithProperties: a descriptor that is not valid, on devices of 3.1",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed; calls with an invalid mem_object are not made",
        "the text of 3.1 does not have this error condition, whichever revision of the tables a device is judged by, "
        "and does not specify the result of such a call",
    ),
    Interpretation(
        "copy-origin-in-1d-image-buffer",
        "clEnqueueCopyImage, src_origin[1] or src_origin[2] is not 0 for a 1D image buffer",
        "success and CL_INVALID_VALUE are both allowed",
        "the rule for src_origin names 1D images only; those for dst_origin and region also name 1D image buffers",
    ),
    Interpretation(
        "copy-of-1d-image-buffer",
        "clEnqueueCopyImage, src_image or dst_image is a 1D image buffer",
        "success and CL_INVALID_MEM_OBJECT are both allowed",
        "the list of images that can be copied lacks 1D image buffers, but the rules for dst_origin and region name "
        "them, and the error condition is about image objects of any type",
    ),
    Interpretation(
        "mip-level-of-image-without-mipmaps",
        "commands on images that are not mipmapped, CL_INVALID_MIP_LEVEL: an origin whose next coordinate is not 0",
        "CL_INVALID_MIP_LEVEL is allowed in addition to CL_INVALID_VALUE",
        "the document does not specify whether such an origin names a mip level that the image does not have, or only "
        "violates the rule that this coordinate is 0",
    ),
    Interpretation(
        "slice-pitch-of-1d-image-buffer",
        "clEnqueueReadImage and clEnqueueWriteImage, a slice pitch for a 1D image buffer",
        "success and CL_INVALID_VALUE are both allowed",
        (
            "the error condition names 1D and 2D images; elsewhere this section names 1D image buffers together with "
            "1D images"
        ),
    ),
    Interpretation(
        "pitch-of-a-transfer",
        "clEnqueueReadImage and clEnqueueWriteImage: a row pitch that is less than a row of the region, a slice pitch "
        "that is less than a slice of the region or not a multiple of the row pitch",
        "success and CL_INVALID_VALUE are both allowed",
        "the descriptions of the pitches require a minimum, but no error is listed for smaller values, and none of "
        "them requires a multiple; implementations reject such pitches",
    ),
    Interpretation(
        "overlap-of-empty-regions",
        "clEnqueueCopyImage within one image, an element of region is 0",
        "CL_MEM_COPY_OVERLAP is allowed in addition to CL_INVALID_VALUE",
        "it does not matter whether two empty regions at one place overlap: another error condition holds",
    ),
    Interpretation(
        "image-size-unsupported-by-device",
        "commands on images, CL_INVALID_IMAGE_SIZE: contexts with several devices, images created with a pitch, "
        "images on other memory objects",
        "success and CL_INVALID_IMAGE_SIZE are both allowed",
        "the image was created within the limits of one device of the context; no query reports which sizes and "
        "pitches another device does not support",
    ),
    Interpretation(
        "image-format-unsupported-by-device",
        "commands on images, CL_IMAGE_FORMAT_NOT_SUPPORTED: contexts with several devices",
        "success and CL_IMAGE_FORMAT_NOT_SUPPORTED are both allowed",
        "the lists of supported formats apply to a context; no query reports which of its devices support a format",
    ),
    Interpretation(
        "image-size-zero",
        "clCreateImage and clCreateImageWithProperties, a size of 0 that the type of the image uses",
        "CL_INVALID_IMAGE_SIZE is allowed in addition to CL_INVALID_IMAGE_DESCRIPTOR",
        "the description of each size requires at least 1, so 0 is not valid; the error condition about sizes names "
        "only those that are too large, but the one of the older functions includes 0",
    ),
    Interpretation(
        "image-size-beyond-limit",
        "clCreateImage and clCreateImageWithProperties, a size beyond the limit of a device of the context",
        "CL_INVALID_IMAGE_DESCRIPTOR is allowed in addition to CL_INVALID_IMAGE_SIZE; if only some of the devices "
        "have such a limit, success is also allowed",
        "the descriptions of the sizes require at most the limit, without specifying of which device; the error "
        "condition about sizes holds if all devices have a lower limit, and error conditions have no order",
    ),
    Interpretation(
        "buffer-too-small-for-an-image",
        "clCreateImage and clCreateImageWithProperties, a buffer with fewer bytes than the image on it",
        "CL_INVALID_IMAGE_SIZE is allowed in addition to CL_INVALID_IMAGE_DESCRIPTOR, and for a 2D image "
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR as well",
        (
            "the description of the image requires a buffer that is large enough, but no error condition lists a code "
            "for it"
        ),
    ),
    Interpretation(
        "image-buffer-without-buffer",
        "clCreateImage and clCreateImageWithProperties, CL_MEM_OBJECT_IMAGE1D_BUFFER with mem_object NULL",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "mem_object may be a buffer for this type; the document does not require one, and the table of sizes for "
        "host_ptr also has this type",
    ),
    Interpretation(
        "images-on-buffers-on-some-devices",
        "clCreateImage and clCreateImageWithProperties: a 2D image on a buffer if not all devices of the context "
        "support such images, or a device before 3.0 does not report it",
        "success, CL_INVALID_OPERATION and CL_INVALID_IMAGE_DESCRIPTOR are allowed; if no device of 3.0 or newer "
        "supports them, only the two errors",
        "CL_INVALID_OPERATION applies to devices of 3.0 without the feature; by the document of 1.2 mem_object must "
        "be NULL for a 2D image",
    ),
    Interpretation(
        "zero-row-pitch-on-buffer",
        "clCreateImage and clCreateImageWithProperties: a 2D image on a buffer with image_row_pitch 0",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "a pitch of 0 is a multiple of any alignment, but its meaning is specified only for images with a host_ptr",
    ),
    Interpretation(
        "alignment-in-pixels",
        "clCreateImage and clCreateImageWithProperties: a 2D image on a buffer whose row pitch or address is a "
        "multiple of the alignment in bytes, but not in pixels, or the reverse",
        "success and an error are both allowed",
        "CL_DEVICE_IMAGE_PITCH_ALIGNMENT and CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT count pixels, image_row_pitch "
        "counts bytes, and the rules compare the two without saying how",
    ),
    Interpretation(
        "unknown-buffer-alignment",
        "clCreateImage and clCreateImageWithProperties: a 2D image on a buffer that was created with "
        "CL_MEM_USE_HOST_PTR at an address that is not known",
        "success and an error are both allowed",
        "the oracle can evaluate the alignment only for memory that was allocated with a known alignment",
    ),
    Interpretation(
        "pitch-of-a-view",
        "clCreateImage and clCreateImageWithProperties: an image on another image, image_row_pitch not 0",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "the descriptor must match that of the other image, which may have been created with a pitch; but without "
        "host_ptr the pitch must be 0",
    ),
    Interpretation(
        "image-on-an-image",
        "clCreateImage and clCreateImageWithProperties: an image on another image that is itself on a memory object, "
        "or was created with another pitch or number of mip levels; devices before 2.0",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed; before 2.0 so is CL_INVALID_VALUE for flags that "
        "contradict those of mem_object",
        "the document does not specify whether the descriptor must match the values that the image was created with "
        "or its actual ones; the document of 1.2 does not have images on images",
    ),
    Interpretation(
        "slice-pitch-of-image-without-slices",
        "clCreateImage and clCreateImageWithProperties: image_slice_pitch not 0 for an image without slices or layers",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "image_slice_pitch is the size of a slice or layer, which such an image does not have; but it must be 0 "
        "without host_ptr for all types",
    ),
    Interpretation(
        "one-mip-level",
        "clCreateImage and clCreateImageWithProperties: num_mip_levels 1 without cl_khr_mipmap_image",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "it must be 0 without the extension, but by a footnote 0 and 1 both create an image of one level",
    ),
    Interpretation(
        "mip-levels",
        "clCreateImage and clCreateImageWithProperties with cl_khr_mipmap_image: more than one level with host_ptr, "
        "with mem_object or for CL_MEM_OBJECT_IMAGE1D_BUFFER, more levels than the sizes allow, or an extension of "
        "only some devices",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "no error condition lists a code for such images, and no sentence specifies how many levels an image can have",
    ),
    Interpretation(
        "flags-of-an-image-on-memory",
        "CL_MEM_FLAGS of an image that was created on a memory object",
        (
            "the flags given at creation are allowed, with all flags that the image inherits from the memory object or "
            "without them"
        ),
        "the query returns the flags argument, but an image inherits the flags that the argument leaves out",
    ),
)
