"""Lists of image formats: completeness, constancy, output buffers of any size, and several devices."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.image_formats.coverage_points.formats import LIMIT_QUERIES
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.spec_tables import load
from clconform.spec_tables.requirements import RequiredImageFormat
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.formats import (
    LIST_FUNCTION,
    TYPES,
    count_formats,
    list_formats,
    skip_without_images,
    supported_types,
    supported_uses,
)
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

NAME = "image_formats.lists"
SUCCESS = "clGetSupportedImageFormats/success"
UNION = "clGetSupportedImageFormats/effect/6"
LIMITS = "clGetSupportedImageFormats/effect/1"
ELEMENTS = "OpenCL:image-format-descriptor/1"
EMPTY = ("read-write-images:clGetSupportedImageFormats/1", "3d-image-writes:clGetSupportedImageFormats/1")


def query_lists_of_type(image_type: str, cl: Session) -> None:
    """Query the lists of an image type for each flag, with output buffers of several sizes."""
    kit = Kit(cl)
    skip_without_images(kit)
    skip_unless(image_type in supported_types(kit), "requires OpenCL 1.2 (1D images and arrays)")
    for flags in supported_uses(kit):
        _query_in_every_way(kit, flags, image_type)


def _query_in_every_way(kit: Kit, flags: str, image_type: str) -> None:
    """Query one list with several output buffers.

    The queries are: the length; all entries; one entry; one entry fewer than all; one more than all; all entries
    without the length.
    """
    uses = f"{flags}, {image_type}"
    kit.cl.at_value(uses)
    number = count_formats(kit, kit.context, kit.constant(flags), kit.constant(image_type))
    if not number:
        return
    for words, entries, formats, with_number in (
        ("num_entries=number", number, OutputBuffer(number), True),
        ("num_entries=1, num_image_formats=NULL", 1, OutputBuffer(1), False),
        *((("num_entries=number-1", number - 1, OutputBuffer(number - 1), True),) if number > 1 else ()),
        ("num_entries=number+1, num_image_formats=NULL", number + 1, OutputBuffer(number + 1), False),
        ("image_formats=NULL", number, None, True),
        ("num_entries=number, num_image_formats=NULL", number, OutputBuffer(number), False),
    ):
        kit.cl.at_value(f"{uses}: {words}").clGetSupportedImageFormats(
            kit.context,
            kit.constant(flags),
            kit.constant(image_type),
            entries,
            formats,
            OutputBuffer(1) if with_number else None,
        )


def query_list_and_number(cl: Session) -> None:
    """Query a list and its length in one call, without an earlier query of the length."""
    kit = Kit(cl)
    skip_without_images(kit)
    for image_type in supported_types(kit):
        flags, kind = kit.constant("CL_MEM_READ_ONLY"), kit.constant(image_type)
        cl.at_value(image_type).clGetSupportedImageFormats(
            kit.context, flags, kind, 256, OutputBuffer(256), OutputBuffer(1)
        )


def query_lists_of_several_devices(cl: Session) -> None:
    """Query the lists in contexts of each of two devices, then in a context of both."""
    kit = Kit(cl)
    skip_without_images(kit)
    pair = (cl.device, kit.other_available_device)
    contexts = [kit.new_context(device) for device in pair]
    contexts.append(kit.new_context(*pair))
    for flags in supported_uses(kit):
        for image_type in TYPES[:2]:
            for context in contexts:
                cl.at_value(f"{flags}, {image_type}")
                list_formats(kit, context, kit.constant(flags), kit.constant(image_type))


def query_limits(cl: Session) -> None:
    """Query the image limits of a device with image support."""
    skip_without_images(Kit(cl))
    for query in LIMIT_QUERIES:
        cl.query("clGetDeviceInfo", cl.device, query)


def cases() -> list[TableCase]:
    """Return the test items."""
    required = tuple(
        requirement.id
        for requirement in load().requirements_of(LIST_FUNCTION)
        if isinstance(requirement, RequiredImageFormat)
    )
    aims = (*required, ELEMENTS, *EMPTY)
    return [
        *(
            TableCase(SUCCESS, f"lists for {name}", functools.partial(query_lists_of_type, name), aims)
            for name in TYPES
        ),
        TableCase(SUCCESS, "list and number together", query_list_and_number),
        TableCase(UNION, "two devices", query_lists_of_several_devices),
        TableCase(LIMITS, "limits of a device with images", query_limits),
    ]


test_format_lists_are_complete = TableTest(cases)
