"""2D images on buffers and on other images: pitches, and compatible formats (section 5.3.1.2)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Inside, Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import made
from clconform.spec_tables import load
from clconform.spec_tables.records import CompatibleOrder
from clconform.suites.kit.formats import FLAT, every_list
from clconform.suites.kit.images import HEIGHT, PIXEL_BYTES, RGBA8, WIDTH
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import AREA_ALIGNMENT
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    import pytest

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


def make(kit: Kit, function: str, channels: Items, described: Items, flags: str = "CL_MEM_READ_WRITE") -> list[Handle]:
    """Create an image, and query its properties."""
    given: dict[str, Value] = {
        "context": kit.context,
        "properties": None,
        "flags": kit.value(flags),
        "image_format": channels,
        "image_desc": described,
        "host_ptr": None,
        "errcode_ret": OutputBuffer(1),
    }
    names = [parameter.name for parameter in kit.cl.tables.functions[function].parameters]
    images = made(kit.cl.ask(Call(function, {name: given[name] for name in names})))
    for image in images:
        for query in QUERIES:
            kit.cl.query("clGetImageInfo", image, query)
        kit.cl.query("clGetMemObjectInfo", image, "CL_MEM_ASSOCIATED_MEMOBJECT")
    return images


def prepared(cl: Session, function: str) -> Kit:
    """Return a kit whose context has reported all format lists; skip where the function is not available."""
    needs(promised(cl, function), f"{function} is not available")
    kit = Kit(cl)
    every_list(kit)
    return kit


def on_buffers(function: str, cl: Session) -> None:
    """Create 2D images on a buffer with aligned rows, wider rows, and misaligned or too short rows."""
    kit = prepared(cl, function)
    alignment = cl.fact(ALIGNMENT)
    needs(isinstance(alignment, int) and 0 < alignment <= 1 << 16, "the device has no 2D images on buffers")
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
        cl.at(f"image_row_pitch: {words}")
        make(kit, function, kit.format(*RGBA8), kit.description(FLAT, buffer, image_row_pitch=pitch))


def on_host_memory(function: str, cl: Session) -> None:
    """Create 2D images on buffers in host memory: at an aligned address, and one pixel after it."""
    kit = prepared(cl, function)
    pitch, base = cl.fact(ALIGNMENT), cl.fact(BASE_ALIGNMENT)
    usable = all(isinstance(each, int) and 0 < each <= 1 << 16 for each in (pitch, base))
    needs(usable, "the device has no 2D images on buffers")
    step = pitch * PIXEL_BYTES
    row = -(-WIDTH * PIXEL_BYTES // step) * step
    for offset in (0, PIXEL_BYTES):
        area = one(cl.host_allocate(offset + row * HEIGHT, max(AREA_ALIGNMENT, base * PIXEL_BYTES)))
        buffer = kit.buffer_on(Inside(area, offset) if offset else area, row * HEIGHT)
        cl.at(f"{offset} bytes after an aligned address")
        make(kit, function, kit.format(*RGBA8), kit.description(FLAT, buffer, image_row_pitch=row))


def of_images(function: str, cl: Session) -> None:
    """Create 2D images from an image: same format, other data type, other channel order, and other size."""
    kit = prepared(cl, function)
    image = kit.image(FLAT, ("CL_RGBA", "CL_UNORM_INT8"))
    for words, channels, fields in (
        ("the same format", ("CL_RGBA", "CL_UNORM_INT8"), {}),
        ("another data type", ("CL_RGBA", "CL_UNSIGNED_INT8"), {}),
        ("another order", ("CL_BGRA", "CL_UNORM_INT8"), {}),
        ("fewer channels", ("CL_R", "CL_UNORM_INT8"), {}),
        ("another width", ("CL_sRGBA", "CL_UNORM_INT8"), {"image_width": WIDTH - 1}),
        ("another height", ("CL_sRGBA", "CL_UNORM_INT8"), {"image_height": HEIGHT + 1}),
    ):
        cl.at(words)
        make(kit, function, kit.format(*channels), kit.description(FLAT, image, **fields))


def in_another_order(record: CompatibleOrder, cl: Session) -> None:
    """Create a 2D image in one channel order from an image in a compatible order, where both are listed."""
    kit = Kit(cl)
    needs(promised(cl, "clCreateImage"), "requires OpenCL 1.2 (clCreateImage)")
    lists = every_list(kit)
    for flags in ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY"):
        for name in TYPES:
            pairs = [(kit.value(order), kit.value(name)) for order in (record.order, record.other)]
            if set(pairs) <= set(lists[flags, FLAT]):
                new, old = (Items(pair) for pair in pairs)
                alone = kit.description(FLAT)
                given = (kit.context, kit.value(flags), old, alone, None, OutputBuffer(1))
                source = one(cl.clCreateImage(*given))
                make(kit, "clCreateImage", new, kit.description(FLAT, source), flags)
                return
    needs(None, "no data type is listed with both orders")


def cases() -> list[Case]:
    """Return the test items."""
    made_of = [record for record in load().records.values() if isinstance(record, CompatibleOrder)]
    return [
        *(Case(record, "2D images on a buffer", functools.partial(on_buffers, name)) for name, record in ROWS.items()),
        *(
            Case(record, "2D images on host memory", functools.partial(on_host_memory, name), (f"{name}/size/13",))
            for name, record in ROWS.items()
        ),
        *(Case(record, "2D images of an image", functools.partial(of_images, name)) for name, record in VIEWS.items()),
        *(
            Case(record.id, f"{record.order} of {record.other}", functools.partial(in_another_order, record))
            for record in made_of
        ),
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_views(cl: Session, case: Case) -> None:
    case.act(cl)
