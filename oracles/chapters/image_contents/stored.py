"""Backing store of new images: their own bytes, host memory, or another memory object."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.contents.image_places import as_stored, forget_gaps, in_host_memory, steps_of, tight_steps
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import Storage, View, by, bytes_in
from clconform.oracles.contents.transfers import run_of, within
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import Content
    from clconform.oracles.model.world import Model


def keep_texels(image: Image, call: Call, model: Model) -> None:
    """Give a new image its backing store and its texel strides, if they are known.

    Raises ForbiddenError if the memory at host_ptr is too small.
    """
    image.latest[call.function] = call
    element = image.format.element_size
    if not element or not image.shape.dimensions or 0 in image.shape.extent or image.shape.mip_levels > 1:
        return
    with suppress(UnknownError):
        if image.on_memory_object:
            _as_the_source_keeps_them(image, element)
        elif call.arguments.get("host_ptr") is not None:
            _from_the_host(image, call, model, element)
        else:
            _in_storage_of_its_own(image, element)


def _in_storage_of_its_own(image: Image, element: int) -> None:
    width, height, depth = image.shape.extent
    size = width * height * depth * element
    image.memory, image.steps = View(Storage(size), 0, size), tight_steps(image.shape, element)


def _as_the_source_keeps_them(image: Image, element: int) -> None:
    """Share the bytes of a buffer, or of an image with texels of the same size.

    Without a given pitch, the distance between rows of a 2D image on a buffer is unspecified.
    """
    source, shape = image.source, image.shape
    if isinstance(source, Image) and source.format.element_size == element and source.shape.extent == shape.extent:
        image.memory, image.steps = source.memory, source.steps
    elif isinstance(source, Buffer) and source.memory is not None:
        image.memory = source.memory
        if shape.extent[1] == 1 or shape.row_pitch:
            image.steps = steps_of(shape, element, shape.row(element), 0)


def _from_the_host(image: Image, call: Call, model: Model, element: int) -> None:
    """Use the texels at host_ptr or a copy of them; the given pitches locate rows and slices."""
    shape = image.shape
    row, slice_ = shape.row(element), shape.slice(element)
    spans = in_host_memory(image, shape.extent, row, slice_)
    if isinstance(call.host_ptr, Data):
        within(spans, call.host_ptr.size)
        _copy(image, bytes_in(call.host_ptr, spans), element)
        return
    given = reach(call.host_ptr, model)
    place = given.place(spans)
    if not call.flags & model.value("CL_MEM_USE_HOST_PTR"):
        _copy(image, place.read(), element)
        return
    size = max(map(sum, spans))
    given.place(run_of(0, size))
    given.view.storage.lent = True
    given.view.storage.last = f"{call.function}/success"
    image.memory, image.steps = given.view.part(given.offset, size), steps_of(shape, element, row, slice_)
    forget_gaps(image)
    layout = image.format.layout
    if layout is not None and not all(layout.used):
        place.put(lambda: as_stored(place.read(), layout))


def _copy(image: Image, content: Content, element: int) -> None:
    _in_storage_of_its_own(image, element)
    if image.memory is not None and image.format.layout is not None and image.memory.storage.keeps:
        stored = as_stored(by(content, ""), image.format.layout)
        image.memory.storage.write(image.memory.spans(0, image.memory.size), stored)
