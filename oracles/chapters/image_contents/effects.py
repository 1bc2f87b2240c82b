"""Effects of image commands on texels (sections 5.3.4 to 5.3.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import Data, OutputBuffer
from clconform.oracles.chapters.memory_objects.effects import mapping
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.fill_colours import colour_bytes, storing, within_range
from clconform.oracles.contents.image_places import (
    LAYERS_OF_ROWS,
    as_stored,
    forget_gaps,
    has_gaps,
    image_of,
    in_host_memory,
    mapped_rows,
    texels,
)
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import View, by, repeated, wholes
from clconform.oracles.contents.transfers import (
    SHORT,
    buffer_place,
    copied,
    from_host,
    run_of,
    to_host,
    triple,
    within,
)
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.images import Image
    from clconform.oracles.model.world import Model

rules = Rules()
rules.by_reading("layers-of-a-1d-array", "clEnqueueReadImage/effect/4", "clEnqueueWriteImage/effect/4")


def _place(handle: object, origin: object, region: object, model: Model) -> tuple[Image, Place]:
    """Return an image and the bytes of one of its regions; raises the errors of ``image_of`` and ``texels``."""
    image = image_of(handle, model)
    return image, texels(image, triple(origin), triple(region))


def _or_anything(work: Callable[[], MemoryEffect], target: object, model: Model) -> MemoryEffect:
    """Return the effect; if the affected texels are unknown, the whole target becomes unknown."""
    try:
        return work()
    except UnknownError:
        everything = wholes((target,))
        if not everything:
            raise

        def carry_out(_value: Element, _command: Command | None) -> None:
            for place in everything:
                place.forget()

        del model
        return MemoryEffect(writes=everything, carry_out=carry_out)


def _into(image: Image, target: Place, work: MemoryEffect, call: Call) -> MemoryEffect:
    """Return an effect that stores texels in an image, in the representation of its format."""
    then = work.carry_out

    def carry_out(value: Element, command: Command | None) -> None:
        then(value, command)
        image.latest[call.function] = call
        layout = image.format.layout
        if layout is not None and not all(layout.used):
            target.put(lambda: as_stored(target.read(), layout))
        forget_gaps(image)

    reading = May("gaps-between-rows") if has_gaps(image) else work.reading
    return replace(work, carry_out=carry_out, reading=reading)


def _host_rows(call: Call, image: Image, prefix: str = "") -> Spans:
    """Return the spans of the texels in host memory; UnknownError if the layer pitch is unspecified."""
    pitches = (call.arguments[f"{prefix}{name}_pitch"] for name in ("row", "slice"))
    row, slice_ = (pitch if isinstance(pitch, int) else 0 for pitch in pitches)
    region = triple(call.region)
    rows = in_host_memory(image, region, row, slice_)
    if image.shape.image_type == LAYERS_OF_ROWS and region[1] > 1:
        row = row or region[0] * image.format.element_size
        if slice_ not in (0, row):
            _large_enough(call, rows)
            raise UnknownError("layers")
    return rows


def _large_enough(call: Call, rows: Spans) -> None:
    """Raise a ForbiddenError if the memory passed to a call is too small for the rows."""
    if isinstance(call.ptr, OutputBuffer):
        within(rows, call.ptr.count)
    elif isinstance(call.ptr, Data):
        within(rows, call.ptr.size)


@rules.effect("clEnqueueReadImage")
def image_read(call: Call, model: Model) -> MemoryEffect:
    """A region of an image is copied to rows and slices in host memory."""
    image = image_of(call.image, model)
    target = None if isinstance(call.ptr, OutputBuffer) else reach(call.ptr, model).owner

    def work() -> MemoryEffect:
        source = texels(image, triple(call.origin), triple(call.region))
        return to_host(call, model, source, _host_rows(call, image), blocking=bool(call.blocking_read))

    return _or_anything(work, target, model)


@rules.effect("clEnqueueWriteImage")
def image_written(call: Call, model: Model) -> MemoryEffect:
    """Rows and slices in host memory are copied to a region of an image."""
    image = image_of(call.image, model)

    def work() -> MemoryEffect:
        target = texels(image, triple(call.origin), triple(call.region))
        rows = _host_rows(call, image, "input_")
        return _into(image, target, from_host(call, model, target, rows, f"{call.function}/success"), call)

    return _or_anything(work, image, model)


@rules.effect("clEnqueueCopyImage")
def image_copied(call: Call, model: Model) -> MemoryEffect:
    """A region of an image is copied to a region of another image; the image types may differ."""
    target = image_of(call.dst_image, model)

    def work() -> MemoryEffect:
        _, source = _place(call.src_image, call.src_origin, call.region, model)
        place = texels(target, triple(call.dst_origin), triple(call.region))
        return _into(target, place, copied(source, place, f"{call.function}/success"), call)

    return _or_anything(work, target, model)


@rules.effect("clEnqueueCopyImageToBuffer")
def image_copied_to_buffer(call: Call, model: Model) -> MemoryEffect:
    """A region of an image is copied to a buffer, without padding between rows."""

    def work() -> MemoryEffect:
        _, source = _place(call.src_image, call.src_origin, call.region, model)
        size = sum(size for _, size in source.spans)
        target = buffer_place(call.dst_buffer, run_of(call.dst_offset, size), model)
        moved = copied(source, target, f"{call.function}/success")
        then = moved.carry_out

        def carry_out(value: Element, command: Command | None) -> None:
            then(value, command)
            model.get(Buffer, call.dst_buffer).latest[call.function] = call

        return replace(moved, carry_out=carry_out)

    return _or_anything(work, model.known(call.dst_buffer), model)


@rules.effect("clEnqueueCopyBufferToImage")
def buffer_copied_to_image(call: Call, model: Model) -> MemoryEffect:
    """Unpadded rows in a buffer are copied to a region of an image."""
    image = image_of(call.dst_image, model)

    def work() -> MemoryEffect:
        target = texels(image, triple(call.dst_origin), triple(call.region))
        size = sum(size for _, size in target.spans)
        source = buffer_place(call.src_buffer, run_of(call.src_offset, size), model)
        return _into(image, target, copied(source, target, f"{call.function}/success"), call)

    return _or_anything(work, image, model)


@rules.effect("clEnqueueFillImage")
def image_filled(call: Call, model: Model) -> MemoryEffect:
    """Every texel of a region is set to a colour, converted to the image format."""
    image = image_of(call.image, model)

    def work() -> MemoryEffect:
        target = texels(image, triple(call.origin), triple(call.region))
        if not isinstance(call.fill_color, Data) or image.format.layout is None:
            raise UnknownError("colour")
        if len(call.fill_color.content) < colour_bytes(image.format.layout):
            raise ForbiddenError(SHORT)
        texel = by(storing(image.format.layout, call.fill_color.content), f"{call.function}/success")
        fits = within_range(image.format.layout, call.fill_color.content)
        reading = None if fits else May("colours-beyond-the-range")
        many = sum(size for _, size in target.spans) // image.format.element_size

        def carry_out(_value: Element, _command: Command | None) -> None:
            target.put(lambda: repeated(texel, many))

        return _into(image, target, MemoryEffect(writes=(target,), carry_out=carry_out, reading=reading), call)

    return _or_anything(work, image, model)


@rules.effect("clEnqueueMapImage")
def image_mapped(call: Call, model: Model) -> MemoryEffect:
    """A region of an image is mapped until it is unmapped; the returned pitches locate its rows and slices."""
    image, place = _place(call.image, call.origin, call.region, model)
    region = triple(call.region)
    rows = texels(image, triple(call.origin), region, one_by_one=True).spans
    if not rows:
        raise UnknownError("no texels")
    first, end = min(start for start, _ in rows), max(map(sum, rows))
    view = View(place.storage, first, end - first)
    work = mapping(call, model, image, view, call.map_flags, rows)
    then = work.carry_out
    offsets: list[tuple[int, ...]] = []

    def learn(seen: dict[str, Values]) -> None:
        row, slice_ = (_number(seen.get(f"image_{name}_pitch", [])) for name in ("row", "slice"))
        offsets.append(mapped_rows(image, region, row, slice_))

    def carry_out(value: Element, command: Command | None) -> None:
        then(value, command)
        if command is not None:
            model.maps[-1].offsets = offsets[-1]
            image.latest[call.function] = call

    return replace(work, carry_out=carry_out, learn=learn)


def _number(seen: Values) -> int:
    return seen[0] if seen and isinstance(seen[0], int) else 0
