"""Effects of kernels that use as many arguments as a limit of the device allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.image_layout import accessible_image, texel_place
from clconform.oracles.contents.storage import (
    Content,
    MemoryPlace,
    attribute_to,
    concatenate,
    defined_bytes,
    unknown_bytes,
)
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.limit_kernels import pixel_word
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.kernels import Kernel, KernelArgument
    from clconform.oracles.model.limit_kernels import LimitKernel
    from clconform.oracles.model.state import Model

CHANNELS, PIXEL_FORMAT = 4, ("CL_RGBA", "CL_UNSIGNED_INT32")
"""The format of all images for the kernels: its number of channels, and its name."""
ORIGIN, SINGLE = (0, 0, 0), (1, 1, 1)


def limit_kernel_effect(kernel: Kernel, known: LimitKernel, requirement: str, model: Model) -> MemoryEffect:
    """Return the effect of a kernel with one work-item; UnknownFactError if it is not known.

    ``requirement``: the requirement to which the written bytes are attributed.
    """
    target = _buffer_words(kernel.arguments.get(0), known.count)
    given = [kernel.arguments.get(known.first_index + index) for index in range(known.count)]
    if not known.argument.word:
        return _write_images(target, [_pixel(each, model) for each in given], requirement)
    if known.argument.extra is not None:
        given = [kernel.arguments.get(1)] * known.count
    places = [_place_of(each, model) for each in given]

    def carry_out(_value: Element, _command: Command | None) -> None:
        words = [_read_word(held, place, known.argument.word_offset) for held, place in zip(given, places, strict=True)]
        target.write(attribute_to(concatenate(words), requirement))

    return MemoryEffect(tuple(each for each in places if each is not None), (target,), apply=carry_out)


def _write_images(target: MemoryPlace, pixels: list[MemoryPlace], requirement: str) -> MemoryEffect:
    """Return the effect of a kernel that writes a pixel to each image, and the index of each image to the buffer."""

    def carry_out(_value: Element, _command: Command | None) -> None:
        for index, pixel in enumerate(pixels):
            colour = pixel_word(index).to_bytes(WORD_BYTES, "little") * CHANNELS
            pixel.write(attribute_to(defined_bytes(colour), requirement))
        indices = b"".join(index.to_bytes(WORD_BYTES, "little") for index in range(len(pixels)))
        target.write(attribute_to(defined_bytes(indices), requirement))

    return MemoryEffect((), (target, *pixels), apply=carry_out)


def _buffer_words(held: KernelArgument | None, count: int = 1) -> MemoryPlace:
    """Return the first words of the buffer that is the value of an argument."""
    used = held.object if held is not None else None
    if not isinstance(used, Buffer) or used.memory is None:
        raise UnknownFactError("argument")
    return MemoryPlace(used.memory.storage, used.memory.spans(0, WORD_BYTES * count), used)


def _pixel(held: KernelArgument | None, model: Model) -> MemoryPlace:
    """Return the first pixel of the image that is the value of an argument."""
    image = held.object if held is not None else None
    wanted = tuple(map(model.constant_value, PIXEL_FORMAT))
    if not isinstance(image, Image) or (image.format.order, image.format.channel_type) != wanted:
        raise UnknownFactError("argument")
    return texel_place(accessible_image(Handle(image.name), model), ORIGIN, SINGLE)


def _place_of(held: KernelArgument | None, model: Model) -> MemoryPlace | None:
    """Return the memory whose first word the kernel reads; None for an argument by value."""
    if held is not None and isinstance(held.value, Data):
        return None
    return _pixel(held, model) if held is not None and isinstance(held.object, Image) else _buffer_words(held)


def _read_word(held: KernelArgument | None, place: MemoryPlace | None, offset: int) -> Content:
    if place is not None:
        content = place.read()
        return Content(content.bytes_held[:WORD_BYTES], content.defined[:WORD_BYTES], content.writers[:WORD_BYTES])
    value = held.value.content if held is not None and isinstance(held.value, Data) else b""
    word = value[offset : offset + WORD_BYTES]
    return defined_bytes(word) if len(word) == WORD_BYTES else unknown_bytes(WORD_BYTES)
