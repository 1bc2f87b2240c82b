"""Coverage points for image formats (sections 5.3.1.1, 5.3.1.2 and 5.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.chapters.image_formats.postconditions import POWER_OF_TWO, UNION
from clconform.oracles.chapters.image_formats.uses import LIST, STENCIL
from clconform.oracles.chapters.images.image_sources import compatible_orders, parse_format_pair
from clconform.oracles.chapters.images.postconditions import DESCRIPTOR_FIELDS
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.spec_tables.requirements import CompatibleOrder, Flag, Limit, RequiredImageFormat

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

CREATING = ("clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D")
OF_OBJECTS = CREATING[:2]
ORDER_WITHOUT_TYPES = "CL_sRGB"
NO_POWER_OF_TWO = (
    "no data type is compatible with CL_sRGB: packed ones require CL_RGB or CL_RGBx, and with three channels of any "
    "other type the element size is not a power of two"
)
LIMIT_QUERIES = (
    "CL_DEVICE_MAX_READ_IMAGE_ARGS",
    "CL_DEVICE_MAX_WRITE_IMAGE_ARGS",
    "CL_DEVICE_IMAGE2D_MAX_WIDTH",
    "CL_DEVICE_IMAGE2D_MAX_HEIGHT",
    "CL_DEVICE_IMAGE3D_MAX_WIDTH",
    "CL_DEVICE_IMAGE3D_MAX_HEIGHT",
    "CL_DEVICE_IMAGE3D_MAX_DEPTH",
    "CL_DEVICE_MAX_SAMPLERS",
)
"""Queries whose minimum value applies only to devices with image support."""


@rules.completion
def _declare_lists(rules: Rules, tables: Tables) -> None:
    """Declare the requirements that results of clGetSupportedImageFormats cover."""
    for requirement in tables.requirements.values():
        if not isinstance(requirement, RequiredImageFormat):
            continue
        together = requirement.access == "read-and-write"
        how = "CL_MEM_KERNEL_READ_AND_WRITE" if together else "CL_MEM_READ_ONLY and for CL_MEM_WRITE_ONLY"
        words = (
            f"For each required image type, clGetSupportedImageFormats lists {requirement.order} with "
            f"{requirement.data_type} for {how}."
        )
        if requirement.order == STENCIL:
            rules.untestable(
                requirement.id, words, "images with this channel order can only be created from OpenGL textures"
            )
            continue
        rules.words[requirement.id] = words
        rules.relies_on_interpretation("minimum-formats-by-image-type", requirement.id)
    rules.words[UNION] = (
        "Checked on contexts with several devices: the list is the union of the lists for contexts with one of them."
    )
    rules.words[POWER_OF_TWO] = "An element of a listed image format has a power of two of bits (8, 16, 32, 64 or 128)."
    rules.words["read-write-images:clGetSupportedImageFormats/1"] = (
        "If no device of context supports read-write images, the list for CL_MEM_KERNEL_READ_AND_WRITE is empty."
    )
    rules.words["3d-image-writes:clGetSupportedImageFormats/1"] = (
        "If no device of context supports writes to 3D images, the list for CL_MEM_OBJECT_IMAGE3D is empty for flags "
        "other than CL_MEM_READ_ONLY."
    )


@rules.completion
def _declare_permissions(rules: Rules, _tables: Tables) -> None:
    for number, words in (
        (2, "A device needs to support CL_DEPTH only for 2D images and 2D image arrays."),
        (3, "A device need not support reading from CL_sRGBA for 1D image buffers."),
        (4, "A device need not support writing to CL_sRGBA."),
    ):
        rules.untestable(f"{LIST}/effect/{number}", words, PERMISSION)
    for feature, orders in (("srgb-images", "sRGB orders"), ("depth-images", "CL_DEPTH")):
        words = f"If no device of context supports {orders}, formats with {orders} are not listed."
        rules.untestable(
            f"{feature}:{LIST}/1", words, "only the list itself reports whether a device supports such formats"
        )
    for number, words in (
        (2, "Bit 15 of a CL_UNORM_SHORT_555 element is undefined."),
        (3, "Bits 31 and 30 of a CL_UNORM_INT_101010 element are undefined."),
    ):
        rules.untestable(f"OpenCL:image-format-descriptor/{number}", words, PERMISSION)


@rules.completion
def _declare_limits(rules: Rules, tables: Tables) -> None:
    """Declare the coverage point on the minimums of ``LIMIT_QUERIES`` for devices with image support."""
    known = [
        requirement
        for requirement in tables.requirements.values()
        if isinstance(requirement, Limit) and requirement.name in LIMIT_QUERIES
    ]
    rules.coverage_point(
        "clGetSupportedImageFormats/effect/1",
        "clGetDeviceInfo",
        (
            "If CL_DEVICE_IMAGE_SUPPORT is CL_TRUE, each image limit of the device is at least the minimum that the "
            "document lists for its query."
        ),
        *(requirement.id for requirement in known),
        holds=QueryCoverage(LIMIT_QUERIES, _is_limit_with_images),
    )


def _is_limit_with_images(asked: CompletedCall) -> bool:
    return (
        asked.code == "CL_SUCCESS"
        and asked.subject is not None
        and "param_value" in asked.outputs
        and bool(asked.subject.facts.get("CL_DEVICE_IMAGE_SUPPORT"))
    )


@rules.completion
def _declare_creation(rules: Rules, tables: Tables) -> None:
    """Declare coverage points on image creation: channel orders, data types and compatible orders."""
    for requirement in tables.requirements.values():
        if isinstance(requirement, Flag) and requirement.type in ("cl_channel_order", "cl_channel_type"):
            words = f"An image can be created with {requirement.name}."
            if requirement.name in (STENCIL, "CL_UNORM_INT24"):
                rules.untestable(requirement.id, words, "such images can only be created from OpenGL textures")
                continue
            if requirement.name == ORDER_WITHOUT_TYPES:
                rules.untestable(requirement.id, words, NO_POWER_OF_TWO)
                continue
            for function in CREATING:
                holds = _creates_with(requirement.type, requirement.name)
                rules.coverage_point(
                    requirement.id, function, words, f"{function}/success", holds=holds, requires_success=True
                )
        elif isinstance(requirement, CompatibleOrder):
            words = (
                f"A 2D image of {requirement.order} can be created from a {requirement.other} image with the same data "
                "type."
            )
            if ORDER_WITHOUT_TYPES in (requirement.order, requirement.other):
                rules.untestable(requirement.id, words, NO_POWER_OF_TWO)
                continue
            for function in OF_OBJECTS:
                parents = (f"{function}/success", f"{function}/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3")
                holds = _creates_view(requirement.order, requirement.other)
                rules.coverage_point(requirement.id, function, words, *parents, holds=holds, requires_success=True)


def _creates_with(group: str, name: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call creates an image with the channel order or data type ``name``."""

    def holds(asked: CompletedCall) -> bool:
        try:
            order, channel_type = parse_format_pair(asked.call.image_format)
        except UnknownFactError:
            return False
        return asked.model.constant_value(name) == (order if group.endswith("order") else channel_type)

    return holds


def _creates_view(order: str, other: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call creates an image of order ``order`` from an image of order ``other``."""

    def holds(asked: CompletedCall) -> bool:
        source = _source_image(asked)
        try:
            given, channel_type = parse_format_pair(asked.call.image_format)
        except UnknownFactError:
            return False
        pair = (asked.model.constant_value(order), asked.model.constant_value(other))
        if source is None or pair not in compatible_orders(asked.model):
            return False
        return (given, source.format.order) == pair and channel_type == source.format.channel_type

    return holds


def _source_image(asked: CompletedCall) -> Image | None:
    """Return the image that a call creates a new image from, or None."""
    described = asked.call.arguments.get("image_desc")
    if not isinstance(described, ElementList) or len(described.values) != len(DESCRIPTOR_FIELDS):
        return None
    fields = dict(zip(DESCRIPTOR_FIELDS, described.values, strict=True))
    source = asked.model.find(fields["mem_object"])
    return source if isinstance(source, Image) else None
