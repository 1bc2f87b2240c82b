"""Effects of image commands on texels (sections 5.3.4 to 5.3.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import Data, OutputBuffer
from clconform.oracles.chapters.memory_objects.effects import map_effect
from clconform.oracles.contents.color_conversion import colour_size, convert_colour, is_within_range
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.image_layout import (
    ONE_D_ARRAY,
    accessible_image,
    forget_gaps,
    has_gaps,
    host_spans,
    mapped_row_offsets,
    mask_unused_bits,
    texel_place,
)
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.storage import StorageView, attribute_to, repeat, whole_places
from clconform.oracles.contents.transfers import (
    TOO_SHORT,
    buffer_place,
    copy_effect,
    read_effect,
    require_within,
    span_of,
    triple_of,
    write_effect,
)
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.images import Image
    from clconform.oracles.model.state import Model

rules = Rules()
rules.uses_interpretation("layers-of-a-1d-array", "clEnqueueReadImage/effect/4", "clEnqueueWriteImage/effect/4")


def _locate_region(handle: object, origin: object, region: object, model: Model) -> tuple[Image, MemoryPlace]:
    """Return an image and the memory of a region of the image.

    Raise the errors of ``accessible_image`` and ``texel_place``.
    """
    image = accessible_image(handle, model)
    return image, texel_place(image, triple_of(origin), triple_of(region))


def _build_or_forget(work: Callable[[], MemoryEffect], target: object, model: Model) -> MemoryEffect:
    """Return the effect that ``work`` builds.

    If ``work`` cannot locate the texels, return an effect that makes the contents of ``target`` unknown.
    """
    try:
        return work()
    except UnknownFactError:
        everything = whole_places((target,))
        if not everything:
            raise

        def carry_out(_value: Element, _command: Command | None) -> None:
            for place in everything:
                place.forget()

        del model
        return MemoryEffect(writes=everything, apply=carry_out)


def _store_in_image(image: Image, target: MemoryPlace, work: MemoryEffect, call: Call) -> MemoryEffect:
    """Return ``work`` with the side effects of writing an image: unused bits and gaps become undefined.

    Gaps are the bytes between the rows of an image.
    """
    then = work.apply

    def carry_out(value: Element, command: Command | None) -> None:
        then(value, command)
        image.latest_calls[call.function] = call
        layout = image.format.layout
        if layout is not None and not all(layout.used_bytes):
            target.write_lazily(lambda: mask_unused_bits(target.read(), layout))
        forget_gaps(image)

    reading = InterpretationId("gaps-between-rows") if has_gaps(image) else work.interpretation
    return replace(work, apply=carry_out, interpretation=reading)


def _locate_host_rows(call: Call, image: Image, prefix: str = "") -> Spans:
    """Return the spans of the texels of an image transfer in host memory.

    Raise UnknownFactError if the distance between the layers is unspecified.
    """
    pitches = (call.arguments[f"{prefix}{name}_pitch"] for name in ("row", "slice"))
    row, slice_ = (pitch if isinstance(pitch, int) else 0 for pitch in pitches)
    region = triple_of(call.region)
    rows = host_spans(image, region, row, slice_)
    if image.shape.image_type == ONE_D_ARRAY and region[1] > 1:
        row = row or region[0] * image.format.element_size
        if slice_ not in (0, row):
            _check_host_size(call, rows)
            raise UnknownFactError("layers")
    return rows


def _check_host_size(call: Call, rows: Spans) -> None:
    """Raise UndefinedBehaviourError if the memory at ptr of a call is too small for the rows."""
    if isinstance(call.ptr, OutputBuffer):
        require_within(rows, call.ptr.count)
    elif isinstance(call.ptr, Data):
        require_within(rows, call.ptr.size)


@rules.memory_effect("clEnqueueReadImage")
def read_image(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueReadImage: a region of image is copied to rows and slices in host memory."""
    image = accessible_image(call.image, model)
    target = None if isinstance(call.ptr, OutputBuffer) else resolve_pointer(call.ptr, model).owner

    def work() -> MemoryEffect:
        source = texel_place(image, triple_of(call.origin), triple_of(call.region))
        return read_effect(call, model, source, _locate_host_rows(call, image), blocking=bool(call.blocking_read))

    return _build_or_forget(work, target, model)


@rules.memory_effect("clEnqueueWriteImage")
def write_image(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueWriteImage: rows and slices in host memory are copied to a region of image."""
    image = accessible_image(call.image, model)

    def work() -> MemoryEffect:
        target = texel_place(image, triple_of(call.origin), triple_of(call.region))
        rows = _locate_host_rows(call, image, "input_")
        return _store_in_image(image, target, write_effect(call, model, target, rows, f"{call.function}/success"), call)

    return _build_or_forget(work, image, model)


@rules.memory_effect("clEnqueueCopyImage")
def copy_image(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueCopyImage: a region of src_image is copied to a region of dst_image.

    The image types may differ.
    """
    target = accessible_image(call.dst_image, model)

    def work() -> MemoryEffect:
        _, source = _locate_region(call.src_image, call.src_origin, call.region, model)
        place = texel_place(target, triple_of(call.dst_origin), triple_of(call.region))
        return _store_in_image(target, place, copy_effect(source, place, f"{call.function}/success"), call)

    return _build_or_forget(work, target, model)


@rules.memory_effect("clEnqueueCopyImageToBuffer")
def copy_image_to_buffer(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueCopyImageToBuffer: a region is copied to unpadded rows in dst_buffer."""

    def work() -> MemoryEffect:
        _, source = _locate_region(call.src_image, call.src_origin, call.region, model)
        size = sum(size for _, size in source.spans)
        target = buffer_place(call.dst_buffer, span_of(call.dst_offset, size), model)
        moved = copy_effect(source, target, f"{call.function}/success")
        then = moved.apply

        def carry_out(value: Element, command: Command | None) -> None:
            then(value, command)
            model.get(Buffer, call.dst_buffer).latest_calls[call.function] = call

        return replace(moved, apply=carry_out)

    return _build_or_forget(work, model.find(call.dst_buffer), model)


@rules.memory_effect("clEnqueueCopyBufferToImage")
def copy_buffer_to_image(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueCopyBufferToImage: unpadded rows are copied to a region of dst_image."""
    image = accessible_image(call.dst_image, model)

    def work() -> MemoryEffect:
        target = texel_place(image, triple_of(call.dst_origin), triple_of(call.region))
        size = sum(size for _, size in target.spans)
        source = buffer_place(call.src_buffer, span_of(call.src_offset, size), model)
        return _store_in_image(image, target, copy_effect(source, target, f"{call.function}/success"), call)

    return _build_or_forget(work, image, model)


@rules.memory_effect("clEnqueueFillImage")
def fill_image(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueFillImage: all texels of a region become fill_color in the image format."""
    image = accessible_image(call.image, model)

    def work() -> MemoryEffect:
        target = texel_place(image, triple_of(call.origin), triple_of(call.region))
        if not isinstance(call.fill_color, Data) or image.format.layout is None:
            raise UnknownFactError("colour")
        if len(call.fill_color.content) < colour_size(image.format.layout):
            raise UndefinedBehaviourError(TOO_SHORT)
        texel = attribute_to(convert_colour(image.format.layout, call.fill_color.content), f"{call.function}/success")
        fits = is_within_range(image.format.layout, call.fill_color.content)
        reading = None if fits else InterpretationId("fill-color-out-of-range")
        many = sum(size for _, size in target.spans) // image.format.element_size

        def carry_out(_value: Element, _command: Command | None) -> None:
            target.write_lazily(lambda: repeat(texel, many))

        return _store_in_image(
            image, target, MemoryEffect(writes=(target,), apply=carry_out, interpretation=reading), call
        )

    return _build_or_forget(work, image, model)


@rules.memory_effect("clEnqueueMapImage")
def map_image(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of clEnqueueMapImage: a region of image is mapped until it is unmapped.

    The returned pitches locate the rows and slices of the region.
    """
    image, place = _locate_region(call.image, call.origin, call.region, model)
    region = triple_of(call.region)
    rows = texel_place(image, triple_of(call.origin), region, keep_rows=True).spans
    if not rows:
        raise UnknownFactError("no texels")
    first, end = min(start for start, _ in rows), max(map(sum, rows))
    view = StorageView(place.storage, first, end - first)
    work = map_effect(call, model, image, view, call.map_flags, rows)
    then = work.apply
    offsets: list[tuple[int, ...]] = []

    def learn(seen: dict[str, Values]) -> None:
        row, slice_ = (_first_number(seen.get(f"image_{name}_pitch", [])) for name in ("row", "slice"))
        offsets.append(mapped_row_offsets(image, region, row, slice_))

    def carry_out(value: Element, command: Command | None) -> None:
        then(value, command)
        if command is not None:
            model.mapped_regions[-1].offsets = offsets[-1]
            image.latest_calls[call.function] = call

    return replace(work, apply=carry_out, observe=learn)


def _first_number(seen: Values) -> int:
    return seen[0] if seen and isinstance(seen[0], int) else 0
