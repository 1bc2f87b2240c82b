"""Images of every format of the tables: listed formats are created and reported, other formats are rejected."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Flag
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.formats import IMAGE_2D, TYPES, query_all_lists, supported_types
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clconform.calls.call import Outcome
    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

    Lists = Mapping[tuple[str, str], Sequence[tuple[int, int]]]

NAME = "image_formats.formats"
CREATE, LISTED = "clCreateImage/success", "clCreateImageWithProperties/success"
NOT_SUPPORTED = {
    "clCreateImage": "clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImageWithProperties": "clCreateImageWithProperties/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImage2D": "clCreateImage2D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clCreateImage3D": "clCreateImage3D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
}
NOT_VALID = {
    "clCreateImage": "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImageWithProperties": "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage2D": "clCreateImage2D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    "clCreateImage3D": "clCreateImage3D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
}
FIELDS = ("CL_IMAGE_FORMAT", "CL_IMAGE_ELEMENT_SIZE", "CL_IMAGE_ROW_PITCH", "CL_IMAGE_SLICE_PITCH")
TEXEL = 16
"""The size of the largest image element in bytes."""
WIDTH = 4
ACCESS_FLAGS = ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY", "CL_MEM_READ_WRITE")
UNDEFINED = (0, 0x1FFF, (1 << 32) - 1, 0x4000, 0x5000)
"""Numbers that denote neither channel orders nor data types; 0x4000 is the first vendor-defined number."""
INVALID_PAIRS = (
    ("CL_RGBA", "CL_UNORM_SHORT_565"),
    ("CL_R", "CL_UNORM_SHORT_555"),
    ("CL_BGRA", "CL_UNORM_INT_101010"),
    ("CL_RGB", "CL_UNORM_INT_101010_2"),
    ("CL_RGB", "CL_FLOAT"),
    ("CL_RGB", "CL_UNORM_INT8"),
    ("CL_DEPTH_STENCIL", "CL_UNORM_INT8"),
)
"""Channel order and data type of formats that are invalid or have elements of 24 or 96 bits.

The last format needs an extension.
"""


def get_names(group: str) -> list[str]:
    """Return all channel orders or all data types of the tables, except the depth-stencil values of OpenGL."""
    flags = [
        requirement
        for requirement in load().requirements.values()
        if isinstance(requirement, Flag) and requirement.type == group
    ]
    return [flag.name for flag in flags if flag.name not in ("CL_DEPTH_STENCIL", "CL_UNORM_INT24")]


def create_image(
    kit: Kit, function: str, channels: Value, image_type: str, flags: str = "CL_MEM_READ_WRITE"
) -> Outcome:
    """Create a small image with ``function``; the image type must be valid for the function."""
    given: dict[str, Value] = {"context": kit.context, "flags": kit.constant(flags), "image_format": channels}
    sizes: dict[str, Value] = {"image_width": WIDTH, "image_height": 2, "image_row_pitch": 0}
    if function == "clCreateImage3D":
        sizes |= {"image_depth": 2, "image_slice_pitch": 0}
    elif function != "clCreateImage2D":
        source = kit.buffer(size=WIDTH * TEXEL) if image_type.endswith("BUFFER") else None
        sizes = {"image_desc": kit.description(image_type, source, **_width_of_buffer_image(image_type))}
        if function == "clCreateImageWithProperties":
            sizes["properties"] = None
    given = {**given, **sizes, "host_ptr": None, "errcode_ret": OutputBuffer(1)}
    names = [parameter.name for parameter in kit.cl.tables.functions[function].parameters]
    return kit.cl.call(Call(function, {name: given[name] for name in names}))


def _width_of_buffer_image(image_type: str) -> dict[str, int]:
    return {"image_width": WIDTH} if image_type.endswith("BUFFER") else {}


def create_images_of_order(order: str, cl: Session) -> None:
    """Create images with a channel order and every data type.

    Each format is used for a 2D image and for an image of one other type. The other types are used in rotation. The
    format, element size and pitches of each image are queried.
    """
    kit = Kit(cl)
    skip_unless(is_available(cl, "clCreateImage"), "requires OpenCL 1.2 (clCreateImage)")
    lists = query_all_lists(kit)
    others = itertools.cycle([name for name in supported_types(kit) if name != IMAGE_2D])
    for channel_type in get_names("cl_channel_type"):
        pair = (kit.constant(order), kit.constant(channel_type))
        for image_type in (IMAGE_2D, next(others)):
            flags = next((flags for flags in ACCESS_FLAGS[::-1] if pair in lists[flags, image_type]), ACCESS_FLAGS[-1])
            cl.at_value(f"{order}, {channel_type}, {image_type}")
            _query_and_release(kit, create_image(kit, "clCreateImage", ElementList(pair), image_type, flags))
            if pair not in lists[flags, image_type]:
                break


def _query_and_release(kit: Kit, outcome: Outcome) -> None:
    """Query the properties of a new image that follow from its format, and release the image."""
    for image in returned_handles(outcome):
        for query in FIELDS:
            kit.cl.query("clGetImageInfo", image, query)
        kit.cl.clReleaseMemObject(image)


def create_images_by_flags(image_type: str, function: str, cl: Session) -> None:
    """For each flag, create images with this flag.

    Their formats are the first and the last format that the driver lists for the flag.
    """
    kit = Kit(cl)
    skip_unless(is_available(cl, function), f"{function} is not available")
    lists = query_all_lists(kit)
    skip_unless(image_type in supported_types(kit), "requires OpenCL 1.2 (1D images and arrays)")
    for flags in ACCESS_FLAGS:
        pairs = lists[flags, image_type]
        for pair in dict.fromkeys((*pairs[:1], *pairs[-1:])):
            cl.at_value(f"{flags}, {image_type}, {pair[0]:#x} {pair[1]:#x}")
            _query_and_release(kit, create_image(kit, function, ElementList(pair), image_type, flags))


def create_unlisted_formats(function: str, cl: Session) -> None:
    """Query all lists of formats, and create images of formats that the lists do not contain."""
    kit = Kit(cl)
    skip_unless(is_available(cl, function), f"{function} is not available")
    lists = query_all_lists(kit)
    listed = {pair for pairs in lists.values() for pair in pairs}
    image_type = "CL_MEM_OBJECT_IMAGE3D" if function.endswith("3D") else IMAGE_2D
    tables = itertools.product(("CL_RGBA", "CL_R", "CL_ARGB", "CL_A", "CL_RA"), get_names("cl_channel_type")[:4])
    pairs = [(kit.constant(order), kit.constant(channel_type)) for order, channel_type in tables]
    absent = [pair for pair in pairs if pair not in listed]
    skip_unless(absent, "the device supports every such format")
    for pair in absent[:2]:
        cl.at_value(f"{pair[0]:#x} {pair[1]:#x}, in no list")
        create_image(kit, function, ElementList(pair), image_type)


def create_invalid_formats(function: str, cl: Session) -> None:
    """Create images with NULL, undefined values and invalid pairs as the format."""
    kit = Kit(cl)
    skip_unless(is_available(cl, function), f"{function} is not available")
    skip_unless(cl.fact("CL_DEVICE_IMAGE_SUPPORT"), "the device does not support images")
    image_type = "CL_MEM_OBJECT_IMAGE3D" if function.endswith("3D") else IMAGE_2D
    for words, channels in _invalid_formats(kit):
        cl.at_value(words)
        create_image(kit, function, channels, image_type)


def _invalid_formats(kit: Kit) -> Iterator[tuple[str, ElementList | None]]:
    """Yield the description of an invalid format and the argument that passes it."""
    yield "image_format=NULL", None
    for value in UNDEFINED:
        yield f"order={value:#x}", ElementList((value, kit.constant("CL_UNORM_INT8")))
        yield f"data type={value:#x}", ElementList((kit.constant("CL_RGBA"), value))
    swapped = (kit.constant("CL_UNORM_INT8"), kit.constant("CL_RGBA"))
    yield "order and data type swapped", ElementList(swapped)
    for order, channel_type in INVALID_PAIRS:
        yield f"{order}, {channel_type}", kit.format(order, channel_type)


def cases() -> list[TableCase]:
    """Return the test items."""
    every_type = tuple(f"cl_channel_type:{name}" for name in get_names("cl_channel_type"))
    items = [
        TableCase(
            CREATE,
            f"channel order {order}",
            functools.partial(create_images_of_order, order),
            (f"cl_channel_order:{order}",),
        )
        for order in get_names("cl_channel_order")
    ]
    items += [
        TableCase(
            CREATE, f"flags, {name}", functools.partial(create_images_by_flags, name, "clCreateImage"), every_type
        )
        for name in TYPES
    ]
    by_list = functools.partial(create_images_by_flags, IMAGE_2D, "clCreateImageWithProperties")
    items.append(TableCase(LISTED, f"flags, {IMAGE_2D}", by_list))
    for function, requirement in NOT_SUPPORTED.items():
        items.append(TableCase(requirement, "formats in no list", functools.partial(create_unlisted_formats, function)))
    for function, requirement in NOT_VALID.items():
        items.append(
            TableCase(requirement, "formats that are not valid", functools.partial(create_invalid_formats, function))
        )
    return items


test_image_creation_follows_format_lists = TableTest(cases)
