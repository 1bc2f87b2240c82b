"""Backing store of new images: separate memory, host memory, or the memory of another memory object."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.contents.image_layout import (
    forget_gaps,
    host_spans,
    mask_unused_bits,
    texel_strides,
    tight_strides,
)
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.storage import Storage, StorageView, argument_bytes, attribute_to
from clconform.oracles.contents.transfers import require_within, span_of
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import Content
    from clconform.oracles.model.state import Model


def attach_backing_store(image: Image, call: Call, model: Model) -> None:
    """Set the backing store and the texel strides of a new image, if they are known.

    Raise UndefinedBehaviourError if the memory at host_ptr is too small.
    """
    image.latest_calls[call.function] = call
    element = image.format.element_size
    if not element or not image.shape.dimensions or 0 in image.shape.extent or image.shape.mip_levels > 1:
        return
    with suppress(UnknownFactError):
        if image.has_memory_object:
            _share_source_storage(image, element)
            if image.memory is not None:
                image.memory.storage.record_use(f"{call.function}/success")
        elif call.arguments.get("host_ptr") is not None:
            _use_host_memory(image, call, model, element)
        else:
            _allocate_storage(image, element)


def _allocate_storage(image: Image, element: int) -> None:
    width, height, depth = image.shape.extent
    size = width * height * depth * element
    image.memory, image.strides = StorageView(Storage(size), 0, size), tight_strides(image.shape, element)


def _share_source_storage(image: Image, element: int) -> None:
    """Let an image share the bytes of the buffer or image that it was created from.

    A source image must have texels and an extent of the same size. If the row pitch of a 2D image created from a buffer
    is 0, the distance between the rows is unspecified.
    """
    source, shape = image.source, image.shape
    if isinstance(source, Image) and source.format.element_size == element and source.shape.extent == shape.extent:
        image.memory, image.strides = source.memory, source.strides
    elif isinstance(source, Buffer) and source.memory is not None:
        image.memory = source.memory
        if shape.extent[1] == 1 or shape.row_pitch:
            image.strides = texel_strides(shape, element, shape.row_distance(element), 0)


def _use_host_memory(image: Image, call: Call, model: Model, element: int) -> None:
    """Store an image at host_ptr, or copy its texels from host_ptr.

    The pitches of the image locate the rows and slices in host memory.
    """
    shape = image.shape
    row, slice_ = shape.row_distance(element), shape.slice_distance(element)
    spans = host_spans(image, shape.extent, row, slice_)
    if isinstance(call.host_ptr, Data):
        require_within(spans, call.host_ptr.size)
        _copy_content(image, argument_bytes(call.host_ptr, spans), element, f"{call.function}/success")
        return
    given = resolve_pointer(call.host_ptr, model)
    place = given.memory_place(spans)
    if not call.flags & model.constant_value("CL_MEM_USE_HOST_PTR"):
        _copy_content(image, place.read(), element, f"{call.function}/success")
        return
    size = max(map(sum, spans))
    given.memory_place(span_of(0, size))
    given.view.storage.is_lent = True
    given.view.storage.last_requirement = f"{call.function}/success"
    given.view.storage.record_use(f"{call.function}/success", place.spans)
    image.memory, image.strides = given.view.sub_view(given.offset, size), texel_strides(shape, element, row, slice_)
    forget_gaps(image)
    layout = image.format.layout
    if layout is not None and not all(layout.used_bytes):
        place.write_lazily(lambda: mask_unused_bits(place.read(), layout))


def _copy_content(image: Image, content: Content, element: int, requirement: str) -> None:
    """Allocate the storage of an image with these contents; ``requirement``: that of the creating function."""
    _allocate_storage(image, element)
    if image.memory is not None and image.format.layout is not None and image.memory.storage.is_kept:
        stored = mask_unused_bits(attribute_to(content, ""), image.format.layout)
        spans = image.memory.spans(0, image.memory.size)
        image.memory.storage.write(spans, stored)
        image.memory.storage.record_use(requirement, spans)
