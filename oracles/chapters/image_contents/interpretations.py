"""Interpretations of section 5.3: images, and the commands that transfer their texels."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "derived-pointer-of-an-image",
        "5.3.7, clEnqueueMapImage of an image that was created with CL_MEM_USE_HOST_PTR",
        "a map whose origin is the first texel returns host_ptr itself; the pointer of other maps is not checked",
        "the pointer is derived from host_ptr, and host_ptr contains the latest contents of the region in the layout "
        "that the image was created with; only host_ptr itself is derived from host_ptr and points to the first texel",
    ),
    Interpretation(
        "row-pitch-of-a-map",
        "5.3.7, image_row_pitch that clEnqueueMapImage returns",
        "any value is allowed if no slice of the region has a second row (1D images, image buffers and arrays, and "
        "regions of one row); for an image that uses host_ptr, the value is the row pitch at host_ptr; otherwise "
        "every value is allowed with which rows do not overlap, even if queries return another value",
        "the pitch describes the mapped region, whose layout may differ from the image's (OpenCL-Docs issue 763), "
        "except at host_ptr, to which the map points; without a second row the pitch has no effect",
    ),
    Interpretation(
        "slice-pitch-of-a-map",
        "5.3.7, image_slice_pitch that clEnqueueMapImage returns for a 3D image or an array",
        "any value is allowed if the region has one slice or layer, and for 1D image buffers; otherwise every value "
        "is allowed with which slices do not overlap",
        "as for rows; for a 1D image buffer the document does not specify the value",
    ),
    Interpretation(
        "gaps-between-rows",
        "5.3.1 and 5.3.4 to 5.3.7, bytes between the rows of an image in a buffer or at host_ptr (CL_MEM_USE_HOST_PTR)",
        "after the image is created or written, the contents of these bytes are unknown",
        "rows are padded to the row pitch; the document does not specify whether a command preserves the padding",
    ),
    Interpretation(
        "layers-of-a-1d-array",
        "5.3.4, clEnqueueReadImage and clEnqueueWriteImage of a 1D image array with a slice pitch other than the row "
        "pitch",
        "with a slice pitch of 0, layers are a row pitch apart in host memory; with a larger one, they are either a "
        "row pitch or a slice pitch apart",
        "the slice pitch is the size of each image of the array, but 0 stands for row_pitch x height, and region[1], "
        "the height for other images, is the number of images of such an array",
    ),
)
