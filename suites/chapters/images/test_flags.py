"""Default flags of images, and flags that images inherit from their memory objects."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.images import IMAGE_OF_BUFFER, NO_IMAGES
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "images.flags"
CREATING = ("clCreateImage", "clCreateImageWithProperties")
OLDER = ("clCreateImage2D", "clCreateImage3D")
BUFFER_FLAGS = (
    ("CL_MEM_READ_ONLY",),
    ("CL_MEM_WRITE_ONLY", "CL_MEM_HOST_WRITE_ONLY"),
    ("CL_MEM_READ_WRITE", "CL_MEM_HOST_READ_ONLY"),
    ("CL_MEM_READ_ONLY", "CL_MEM_HOST_NO_ACCESS", "CL_MEM_COPY_HOST_PTR"),
)
"""Flags of buffers that images are created from."""


def _query_flags(kit: Kit, image: Handle) -> None:
    size = 8
    kit.cl.clGetMemObjectInfo(image, kit.constant("CL_MEM_FLAGS"), size, OutputBuffer(size), None)


def query_default_flags(function: str, cl: Session) -> None:
    """Query the flags of an image created with ``flags`` 0."""
    kit = Kit(cl)
    skip_unless(cl.fact("CL_DEVICE_IMAGE_SUPPORT"), NO_IMAGES)
    _query_flags(kit, require_handle(kit.call(function, flags=0)))


def query_inherited_flags(function: str, cl: Session) -> None:
    """Query the flags of images created from buffers: with ``flags`` 0, and with the buffer's kernel access."""
    kit = Kit(cl)
    skip_unless(cl.fact("CL_DEVICE_IMAGE_SUPPORT"), NO_IMAGES)
    for names in BUFFER_FLAGS:
        described = kit.description(IMAGE_OF_BUFFER, kit.buffer(*names))
        for own in ((), names[:1]):
            cl.at_value(f"{' and '.join(own) or 'flags=0'} on {' and '.join(names)}")
            _query_flags(kit, require_handle(kit.call(function, flags=kit.constant(*own), image_desc=described)))


def cases() -> Iterator[TableCase]:
    """Yield items for each creation function: images with default flags, and images that inherit a buffer's flags."""
    for function in CREATING:
        yield TableCase(f"{function}/effect/2", "flags=0", functools.partial(query_default_flags, function))
        inheriting = functools.partial(query_inherited_flags, function)
        yield TableCase(f"{function}/effect/3", "on buffers", inheriting, (f"{function}/effect/5",))
    for function in OLDER:
        yield TableCase(f"{function}/effect/1", "flags=0", functools.partial(query_default_flags, function))


test_image_reports_implicit_flags = TableTest(cases)
