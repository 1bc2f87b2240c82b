"""Open points of section 5.3: images, what is read, written, copied, filled and mapped of them."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "origin-in-an-image-of-a-buffer",
        "clEnqueueCopyImage, src_origin[1] or src_origin[2] is not 0 for a 1D image buffer",
        "success and CL_INVALID_VALUE are both allowed",
        "the rule for src_origin names 1D images only; those for dst_origin and region name 1D image buffers, too",
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
)
