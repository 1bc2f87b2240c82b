"""Query results of images (section 5.3.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.queries.expected_answers import expect_exactly, expect_handle, expect_one_of

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Matcher
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

SUFFIXES_WITHOUT_SLICES = ("IMAGE1D", "IMAGE1D_BUFFER", "IMAGE2D")
"""Suffixes of the image types for which CL_IMAGE_SLICE_PITCH is 0."""


@rules.expected_value("CL_IMAGE_FORMAT", of=Image)
def format_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the channel order and the channel data type that the image was created with."""
    return expect_one_of(question, ((image.format.order, image.format.channel_type),))


@rules.expected_value("CL_IMAGE_ELEMENT_SIZE", of=Image)
def element_size_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the size in bytes of one element of the image format."""
    return expect_exactly(question, image.format.element_size) if image.format.element_size else None


@rules.expected_value("CL_IMAGE_ROW_PITCH", of=Image)
def row_pitch_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is image_row_pitch at creation, or the image width * the element size if image_row_pitch was 0.

    An image that was created from another image with a row pitch of 0 may also return the row pitch of that image.
    """
    size, source = image.format.element_size, image.source
    if not size or (image.has_memory_object and source is None):
        return None
    own = image.shape.row_distance(size)
    if not isinstance(source, Image):
        return expect_exactly(question, own)
    if not source.format.element_size or source.has_memory_object:
        return None
    return expect_one_of(question, ((own,), (source.shape.row_distance(source.format.element_size),)))


@rules.expected_value("CL_IMAGE_SLICE_PITCH", of=Image)
def slice_pitch_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is 0 for a 1D image, a 1D image buffer or a 2D image.

    For other image types, the value is image_slice_pitch at creation, or the size of one slice in bytes if
    image_slice_pitch was 0. Images created from another memory object are not checked.
    """
    if image.shape.image_type.endswith(SUFFIXES_WITHOUT_SLICES):
        return expect_exactly(question, 0)
    if not image.format.element_size or image.has_memory_object:
        return None
    return expect_exactly(question, image.shape.slice_distance(image.format.element_size))


@rules.expected_value("CL_IMAGE_WIDTH", of=Image)
def width_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the width that the image was created with."""
    return expect_exactly(question, image.shape.width)


@rules.expected_value("CL_IMAGE_HEIGHT", of=Image)
def height_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the height that the image was created with, and 0 for 1D images, 1D image buffers and 1D arrays."""
    return expect_exactly(question, 0 if "IMAGE1D" in image.shape.image_type else image.shape.height)


@rules.expected_value("CL_IMAGE_DEPTH", of=Image)
def depth_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the depth that a 3D image was created with, and 0 for all other images."""
    return expect_exactly(question, image.shape.depth if image.shape.image_type.endswith("IMAGE3D") else 0)


@rules.expected_value("CL_IMAGE_ARRAY_SIZE", of=Image)
def array_size_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the number of images in an image array, and 0 for all other images."""
    return expect_exactly(question, image.shape.array_size if image.shape.image_type.endswith("ARRAY") else 0)


@rules.expected_value("CL_IMAGE_NUM_MIP_LEVELS", of=Image)
def mip_levels_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the number of mip levels that the image was created with."""
    return expect_exactly(question, image.shape.mip_levels)


@rules.expected_value("CL_IMAGE_NUM_SAMPLES", of=Image)
def samples_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the number of samples that the image was created with."""
    return expect_exactly(question, image.shape.samples)


@rules.expected_value("CL_IMAGE_BUFFER", of=Image)
def buffer_of(image: Image, question: QueryRequest) -> Matcher | None:
    """The value is the buffer that the image was created from, or NULL if it was not created from a buffer."""
    if image.source is None:
        return None if image.has_memory_object else expect_exactly(question, None)
    return expect_handle(question, image.source) if isinstance(image.source, Buffer) else None
