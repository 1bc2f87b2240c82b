"""Lists of image formats: complete, constant, for output buffers of any size, and for several devices."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.image_formats.triggers.formats import LIMITED
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.spec_tables import load
from clconform.spec_tables.records import ImageFormat
from clconform.suites.kit.formats import LIST, TYPES, listed, needs_images, number_of, types, uses
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs

if TYPE_CHECKING:
    import pytest

    from clconform.runner.session.session import Session

NAME = "image_formats.lists"
SUCCESS = "clGetSupportedImageFormats/success"
UNION = "clGetSupportedImageFormats/effect/6"
LIMITS = "clGetSupportedImageFormats/effect/1"
ELEMENTS = "OpenCL:image-format-descriptor/1"
EMPTY = ("read-write-images:clGetSupportedImageFormats/1", "3d-image-writes:clGetSupportedImageFormats/1")


def of_a_type(image_type: str, cl: Session) -> None:
    """Query the lists of an image type for each flag, with output buffers of several sizes."""
    kit = Kit(cl)
    needs_images(kit)
    needs(image_type in types(kit), "requires OpenCL 1.2 (1D images and arrays)")
    for flags in uses(kit):
        cl.at(f"{flags}, {image_type}")
        _in_every_way(kit, kit.value(flags), kit.value(image_type))


def _in_every_way(kit: Kit, flags: int, image_type: int) -> None:
    """Query one list: its length, all entries, one entry, one entry fewer, one more, without the length, and again."""
    ask = functools.partial(kit.cl.clGetSupportedImageFormats, kit.context, flags, image_type)
    number = number_of(kit, kit.context, flags, image_type)
    if not number:
        return
    ask(number, OutputBuffer(number), OutputBuffer(1))
    ask(1, OutputBuffer(1), None)
    if number > 1:
        ask(number - 1, OutputBuffer(number - 1), OutputBuffer(1))
    ask(number + 1, OutputBuffer(number + 1), None)
    ask(number, None, OutputBuffer(1))
    ask(number, OutputBuffer(number), None)


def at_once(cl: Session) -> None:
    """Query formats and their number in one call, before the number is known."""
    kit = Kit(cl)
    needs_images(kit)
    for image_type in types(kit):
        flags, kind = kit.value("CL_MEM_READ_ONLY"), kit.value(image_type)
        cl.clGetSupportedImageFormats(kit.context, flags, kind, 256, OutputBuffer(256), OutputBuffer(1))


def of_several_devices(cl: Session) -> None:
    """Query contexts of each of two devices, then a context of both."""
    kit = Kit(cl)
    needs_images(kit)
    pair = (cl.device, kit.another_device)
    contexts = [kit.new_context(device) for device in pair]
    contexts.append(kit.new_context(*pair))
    for flags in uses(kit):
        for image_type in TYPES[:2]:
            for context in contexts:
                listed(kit, context, kit.value(flags), kit.value(image_type))


def limits(cl: Session) -> None:
    """Query the minimum limits of a device with image support."""
    needs_images(Kit(cl))
    for query in LIMITED:
        cl.query("clGetDeviceInfo", cl.device, query)


def cases() -> list[Case]:
    """Return the test items."""
    required = tuple(record.id for record in load().records_of(LIST) if isinstance(record, ImageFormat))
    aims = (*required, ELEMENTS, *EMPTY)
    return [
        *(Case(SUCCESS, f"lists for {name}", functools.partial(of_a_type, name), aims) for name in TYPES),
        Case(SUCCESS, "list and number at once", at_once),
        Case(UNION, "two devices", of_several_devices),
        Case(LIMITS, "limits of a device with images", limits),
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_lists(cl: Session, case: Case) -> None:
    case.act(cl)
