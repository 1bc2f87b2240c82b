"""Open points of section 5.3: images, what is read, written, copied, filled and mapped of them."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "descriptions-in-3.1",
        "5.3.1, clCreateImage, clCreateImageWithProperties: a description that is not valid, on devices of 3.1",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both right; a mem_object that is not valid is not sent",
        "the text of 3.1 no longer has that clause, whatever the tables are by which a device is judged, and does not "
        "say what such a call does",
    ),
    Interpretation(
        "origin-in-an-image-of-a-buffer",
        "clEnqueueCopyImage, src_origin[1] or src_origin[2] is not 0 for a 1D image buffer",
        "success and CL_INVALID_VALUE are both allowed",
        "the rule for src_origin names 1D images only; those for dst_origin and region name 1D image buffers, too",
    ),
    Interpretation(
        "copy-of-an-image-of-a-buffer",
        "clEnqueueCopyImage, src_image or dst_image is a 1D image buffer",
        "success and CL_INVALID_MEM_OBJECT are both allowed",
        "the images that can be copied are listed without 1D image buffers, but the rules for dst_origin and region "
        "name them, and the clause is about image objects of any type",
    ),
    Interpretation(
        "level-of-an-image-without",
        "commands on images that are not mipmapped, CL_INVALID_MIP_LEVEL: an origin whose next coordinate is not 0",
        "CL_INVALID_MIP_LEVEL is allowed in addition to CL_INVALID_VALUE",
        "whether such an origin names a mip level that the image does not have, or only breaks the rule by which this "
        "coordinate is 0, is not said",
    ),
    Interpretation(
        "slices-of-an-image-of-a-buffer",
        "clEnqueueReadImage and clEnqueueWriteImage, a slice pitch for a 1D image buffer",
        "success and CL_INVALID_VALUE are both allowed",
        "the clause names 1D and 2D images; elsewhere in this section 1D image buffers are named beside 1D images",
    ),
    Interpretation(
        "pitch-of-a-transfer",
        "clEnqueueReadImage and clEnqueueWriteImage: a row pitch that is less than a row of the region, a slice pitch "
        "that is less than a slice of it or no multiple of the row pitch",
        "success and CL_INVALID_VALUE are both allowed",
        "the descriptions of the pitches demand a least value, but no error is listed for smaller ones, and none of "
        "them demands a multiple; implementations refuse them",
    ),
    Interpretation(
        "overlap-of-no-pixel",
        "clEnqueueCopyImage within one image, an element of region is 0",
        "CL_MEM_COPY_OVERLAP is allowed in addition to CL_INVALID_VALUE",
        "whether two empty regions at one place overlap need not be decided: another clause holds",
    ),
    Interpretation(
        "size-for-a-device",
        "commands on images, CL_INVALID_IMAGE_SIZE: contexts with several devices, pitches that were given, images of "
        "other memory objects",
        "success and CL_INVALID_IMAGE_SIZE are both allowed",
        "the image was made by limits that one device of the context has; which sizes and pitches of it another device "
        "does not support is for no query to tell",
    ),
    Interpretation(
        "format-for-a-device",
        "commands on images, CL_IMAGE_FORMAT_NOT_SUPPORTED: contexts with several devices",
        "success and CL_IMAGE_FORMAT_NOT_SUPPORTED are both allowed",
        "the lists of supported formats are those of a context; which of its devices support one cannot be queried",
    ),
    Interpretation(
        "image-of-no-size",
        "clCreateImage and clCreateImageWithProperties, a size of 0 that the type of the image uses",
        "CL_INVALID_IMAGE_SIZE is allowed in addition to CL_INVALID_IMAGE_DESCRIPTOR",
        "the description of each size demands at least 1, which makes 0 a value that is not valid; the clause about "
        "sizes names only those that are too large, but that of the older functions has 0, too",
    ),
    Interpretation(
        "sizes-in-a-description",
        "clCreateImage and clCreateImageWithProperties, a size beyond the limit of a device of the context",
        "CL_INVALID_IMAGE_DESCRIPTOR is allowed in addition to CL_INVALID_IMAGE_SIZE; where only some of the devices "
        "have such a limit, success is allowed, too",
        "the descriptions of the sizes demand at most the limit, without saying of which device; the clause about "
        "sizes holds where all devices have a lower limit, and no clause comes before another",
    ),
    Interpretation(
        "buffer-too-small-for-an-image",
        "clCreateImage and clCreateImageWithProperties, a buffer with fewer bytes than the image on it",
        "CL_INVALID_IMAGE_SIZE is allowed in addition to CL_INVALID_IMAGE_DESCRIPTOR, and for a 2D image "
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR as well",
        "the description of the image demands a buffer that is large enough, but no clause names a code for it",
    ),
    Interpretation(
        "image-buffer-of-nothing",
        "clCreateImage and clCreateImageWithProperties, CL_MEM_OBJECT_IMAGE1D_BUFFER with mem_object NULL",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "mem_object may be a buffer for this type; that it must be one is not said, and the table of sizes for "
        "host_ptr has this type, too",
    ),
    Interpretation(
        "images-on-buffers-of-some",
        "clCreateImage and clCreateImageWithProperties: a 2D image on a buffer where not all devices of the context "
        "have such images, or a device before 3.0 does not tell",
        "success, CL_INVALID_OPERATION and CL_INVALID_IMAGE_DESCRIPTOR are allowed; if no device of 3.0 or newer has "
        "them, only the two errors",
        "CL_INVALID_OPERATION is for devices of 3.0 without the feature; by the document of 1.2 mem_object must be "
        "NULL for a 2D image",
    ),
    Interpretation(
        "no-pitch-on-a-buffer",
        "clCreateImage and clCreateImageWithProperties: a 2D image on a buffer with image_row_pitch 0",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "a pitch of 0 is a multiple of any alignment, but what it stands for is said only for images with a host_ptr",
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
        "unknown-address",
        "clCreateImage and clCreateImageWithProperties: a 2D image on a buffer that was created with "
        "CL_MEM_USE_HOST_PTR at an address that is not known",
        "success and an error are both allowed",
        "whether the address is aligned can be told only of memory that was allocated with a known alignment",
    ),
    Interpretation(
        "pitch-of-a-view",
        "clCreateImage and clCreateImageWithProperties: an image on another image, image_row_pitch not 0",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "the description must match that of the other image, whose pitch may have been given; but without host_ptr "
        "the pitch must be 0",
    ),
    Interpretation(
        "image-on-an-image",
        "clCreateImage and clCreateImageWithProperties: an image on another image that lies on a memory object "
        "itself or was described with another pitch or number of mip levels; devices before 2.0",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed; before 2.0 so is CL_INVALID_VALUE for flags that "
        "contradict those of mem_object",
        "whether what an image was described with or what it has must match is not said; the document of 1.2 has no "
        "images on images",
    ),
    Interpretation(
        "pitch-of-no-slices",
        "clCreateImage and clCreateImageWithProperties: image_slice_pitch not 0 for an image without slices or layers",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "image_slice_pitch is the size of a slice or layer, which such an image does not have; but that it must be 0 "
        "without host_ptr is said of all types",
    ),
    Interpretation(
        "one-mip-level",
        "clCreateImage and clCreateImageWithProperties: num_mip_levels 1 without cl_khr_mipmap_image",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "it must be 0 without the extension, but a footnote says that 0 and 1 both create an image of one level",
    ),
    Interpretation(
        "mip-levels",
        "clCreateImage and clCreateImageWithProperties with cl_khr_mipmap_image: more than one level with host_ptr, "
        "with mem_object or for CL_MEM_OBJECT_IMAGE1D_BUFFER, more levels than the sizes allow, or an extension of "
        "only some devices",
        "success and CL_INVALID_IMAGE_DESCRIPTOR are both allowed",
        "no clause names a code for such images, and no sentence says how many levels an image can have",
    ),
    Interpretation(
        "flags-of-an-image-on-memory",
        "CL_MEM_FLAGS of an image that was created on a memory object",
        "the flags given at creation are right with all that the image inherits from the memory object, or without it",
        "the query returns the flags argument, but an image inherits what the argument leaves out",
    ),
)
