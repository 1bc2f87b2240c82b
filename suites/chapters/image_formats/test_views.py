"""2D images created from buffers and from other images: pitches, and compatible formats (section 5.3.1.2)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import ElementList, OffsetPointer, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.spec_tables import load
from clconform.spec_tables.requirements import CompatibleOrder
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.formats import IMAGE_2D, query_all_lists
from clconform.suites.kit.images import HEIGHT, PIXEL_BYTES, RGBA8, WIDTH
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import AREA_ALIGNMENT

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

NAME = "image_formats.views"
ROWS = {
    "clCreateImage": "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
    "clCreateImageWithProperties": "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
}
VIEWS = {
    "clCreateImage": "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
    "clCreateImageWithProperties": "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
}
ALIGNMENT, BASE_ALIGNMENT = "CL_DEVICE_IMAGE_PITCH_ALIGNMENT", "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"
TYPES = ("CL_UNORM_INT8", "CL_FLOAT", "CL_UNORM_INT16")
QUERIES = ("CL_IMAGE_FORMAT", "CL_IMAGE_ROW_PITCH", "CL_IMAGE_BUFFER")


def create_and_query(
    kit: Kit, function: str, channels: ElementList, described: ElementList, flags: str = "CL_MEM_READ_WRITE"
) -> list[Handle]:
    """Create an image, and query its properties."""
    given: dict[str, Value] = {
        "context": kit.context,
        "properties": None,
        "flags": kit.constant(flags),
        "image_format": channels,
        "image_desc": described,
        "host_ptr": None,
        "errcode_ret": OutputBuffer(1),
    }
    names = [parameter.name for parameter in kit.cl.tables.functions[function].parameters]
    images = returned_handles(kit.cl.call(Call(function, {name: given[name] for name in names})))
    for image in images:
        for query in QUERIES:
            kit.cl.query("clGetImageInfo", image, query)
        kit.cl.query("clGetMemObjectInfo", image, "CL_MEM_ASSOCIATED_MEMOBJECT")
    return images


def prepare_kit(cl: Session, function: str) -> Kit:
    """Return a kit after a query of all format lists in its context; skip where ``function`` is not available."""
    skip_unless(is_available(cl, function), f"{function} is not available")
    kit = Kit(cl)
    query_all_lists(kit)
    return kit


def create_on_buffers(function: str, cl: Session) -> None:
    """Create 2D images from a buffer with aligned rows, wider rows, and misaligned or too short rows."""
    kit = prepare_kit(cl, function)
    alignment = cl.fact(ALIGNMENT)
    skip_unless(isinstance(alignment, int) and 0 < alignment <= 1 << 16, "the device has no 2D images on buffers")
    step = alignment * PIXEL_BYTES
    row = -(-WIDTH * PIXEL_BYTES // step) * step
    buffer = kit.buffer(size=(row + step) * HEIGHT)
    for words, pitch in (
        ("exact rows", row),
        ("wider rows", row + step),
        ("rows and a byte", row + 1),
        ("rows and half an alignment", row + step // 2),
        ("a row too short", max(step, row - step) - (0 if row > step else PIXEL_BYTES)),
        ("no pitch", 0),
    ):
        cl.at_value(f"image_row_pitch: {words}")
        create_and_query(kit, function, kit.format(*RGBA8), kit.description(IMAGE_2D, buffer, image_row_pitch=pitch))


def create_on_host_memory(function: str, cl: Session) -> None:
    """Create 2D images from buffers that use host memory: at an aligned address, and one pixel after this address."""
    kit = prepare_kit(cl, function)
    pitch, base = cl.fact(ALIGNMENT), cl.fact(BASE_ALIGNMENT)
    usable = all(isinstance(each, int) and 0 < each <= 1 << 16 for each in (pitch, base))
    skip_unless(usable, "the device has no 2D images on buffers")
    step = pitch * PIXEL_BYTES
    row = -(-WIDTH * PIXEL_BYTES // step) * step
    for offset in (0, PIXEL_BYTES):
        area = require_handle(cl.host_allocate(offset + row * HEIGHT, max(AREA_ALIGNMENT, base * PIXEL_BYTES)))
        buffer = kit.buffer_on_host_memory(OffsetPointer(area, offset) if offset else area, row * HEIGHT)
        cl.at_value(f"{offset} bytes after an aligned address")
        create_and_query(kit, function, kit.format(*RGBA8), kit.description(IMAGE_2D, buffer, image_row_pitch=row))


def create_from_images(function: str, cl: Session) -> None:
    """Create 2D images from a 2D image: with the same format, with another format, and with another size."""
    kit = prepare_kit(cl, function)
    image = kit.image(IMAGE_2D, ("CL_RGBA", "CL_UNORM_INT8"))
    for words, channels, fields in (
        ("the same format", ("CL_RGBA", "CL_UNORM_INT8"), {}),
        ("another data type", ("CL_RGBA", "CL_UNSIGNED_INT8"), {}),
        ("another order", ("CL_BGRA", "CL_UNORM_INT8"), {}),
        ("fewer channels", ("CL_R", "CL_UNORM_INT8"), {}),
        ("another width", ("CL_sRGBA", "CL_UNORM_INT8"), {"image_width": WIDTH - 1}),
        ("another height", ("CL_sRGBA", "CL_UNORM_INT8"), {"image_height": HEIGHT + 1}),
    ):
        cl.at_value(words)
        create_and_query(kit, function, kit.format(*channels), kit.description(IMAGE_2D, image, **fields))


def create_in_another_order(requirement: CompatibleOrder, cl: Session) -> None:
    """Create a 2D image from an image with a compatible channel order."""
    kit = Kit(cl)
    skip_unless(is_available(cl, "clCreateImage"), "requires OpenCL 1.2 (clCreateImage)")
    lists = query_all_lists(kit)
    for flags in ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY"):
        for name in TYPES:
            pairs = [(kit.constant(order), kit.constant(name)) for order in (requirement.order, requirement.other)]
            if set(pairs) <= set(lists[flags, IMAGE_2D]):
                new, old = (ElementList(pair) for pair in pairs)
                alone = kit.description(IMAGE_2D)
                given = (kit.context, kit.constant(flags), old, alone, None, OutputBuffer(1))
                source = require_handle(cl.clCreateImage(*given))
                create_and_query(kit, "clCreateImage", new, kit.description(IMAGE_2D, source), flags)
                return
    skip_unless(None, "no data type is listed with both orders")


def cases() -> list[TableCase]:
    """Return the test items."""
    made_of = [requirement for requirement in load().requirements.values() if isinstance(requirement, CompatibleOrder)]
    return [
        *(
            TableCase(requirement, "2D images on a buffer", functools.partial(create_on_buffers, name))
            for name, requirement in ROWS.items()
        ),
        *(
            TableCase(
                requirement,
                "2D images on host memory",
                functools.partial(create_on_host_memory, name),
                (f"{name}/size/13",),
            )
            for name, requirement in ROWS.items()
        ),
        *(
            TableCase(requirement, "2D images of an image", functools.partial(create_from_images, name))
            for name, requirement in VIEWS.items()
        ),
        *(
            TableCase(
                requirement.id,
                f"{requirement.order} of {requirement.other}",
                functools.partial(create_in_another_order, requirement),
            )
            for requirement in made_of
        ),
    ]


test_views_need_compatible_formats = TableTest(cases)
