"""Open points of section 5.3: images, and the commands that move their texels."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "derived-pointer-of-an-image",
        "5.3.7, clEnqueueMapImage of an image that was created with CL_MEM_USE_HOST_PTR",
        "a map whose origin is the first texel returns host_ptr itself; of other maps the pointer is not checked",
        "the pointer is derived from host_ptr, and host_ptr contains the latest bits of the region, in the layout that "
        "the image was created with: no other address is derived from host_ptr and leads to its first texel",
    ),
    Interpretation(
        "rows-of-a-map",
        "5.3.7, image_row_pitch that clEnqueueMapImage returns",
        "any value is right where no slice of the region has a second row (1D images, image buffers and arrays, and "
        "regions of one row); for an image that uses host_ptr it is the row pitch there; else every value "
        "with which rows do not overlap, whether queries tell another or not",
        "the pitch is that of the mapped region, which need not lie as the image does (OpenCL-Docs issue 763), except "
        "at host_ptr, which a map leads to; without a second row nothing lies a pitch away",
    ),
    Interpretation(
        "slices-of-a-map",
        "5.3.7, image_slice_pitch that clEnqueueMapImage returns for a 3D image or an array",
        "any value is right where the region has one slice or layer, and for 1D image buffers; else every value with "
        "which slices do not overlap",
        "as for rows; for a 1D image buffer the document does not say what is returned",
    ),
    Interpretation(
        "gaps-between-rows",
        "5.3.1 and 5.3.4 to 5.3.7, bytes between the rows of an image in a buffer or at host_ptr (CL_MEM_USE_HOST_PTR)",
        "once the image is created or written, what they hold is unknown",
        "the rows are said to be padded to the row pitch, and not whether a command spares the padding",
    ),
    Interpretation(
        "layers-of-a-1d-array",
        "5.3.4, clEnqueueReadImage and clEnqueueWriteImage of a 1D image array with a slice pitch other than the row "
        "pitch",
        "with a slice pitch of 0 the layers lie a row pitch apart in host memory; with a larger one they lie a row "
        "pitch or a slice pitch apart",
        "the slice pitch is the size of each image of the array, but 0 stands for row_pitch x height, and region[1], "
        "which is the height of other images, is the number of images of such an array",
    ),
)
