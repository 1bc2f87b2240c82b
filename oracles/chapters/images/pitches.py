"""Validity of the pitches of a requested image, rule by rule (section 5.3.1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.description import describe_image, devices_with_images, source_buffer
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    Predicate,
    PredicateResult,
    evaluate,
    may,
    must_if,
    strongest_result,
)
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointer_memory import PointerMemory

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.chapters.images.description import RequestedImage
    from clconform.oracles.model.state import Model

PITCH_ALIGNMENT, BASE_ALIGNMENT = "CL_DEVICE_IMAGE_PITCH_ALIGNMENT", "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"


def _is_2d_on_buffer(asked: RequestedImage, model: Model) -> bool:
    """Return whether the call creates a 2D image from a buffer."""
    return asked.shape.image_type.endswith("IMAGE2D") and source_buffer(asked, model) is not None


def has_row_pitch_without_rows(call: Call, model: Model) -> PredicateResult:
    """image_row_pitch is not 0, host_ptr is NULL, and the image is not a 2D image created from a buffer.

    The error is optional for an image created from another image.
    """
    asked = describe_image(call, model)
    if asked.shape.row_pitch == 0 or asked.host or asked.imported or _is_2d_on_buffer(asked, model):
        return NO
    return may("pitch-of-a-view") if isinstance(model.find(asked.source), Image) else MUST


def has_small_row_pitch(call: Call, model: Model) -> PredicateResult:
    """image_row_pitch is less than image_width elements."""
    asked = describe_image(call, model)
    if asked.shape.row_pitch == 0 or not (asked.host or _is_2d_on_buffer(asked, model)):
        return NO
    return must_if(asked.shape.row_pitch < asked.shape.width * asked.element)


def has_partial_element_in_row(call: Call, model: Model) -> PredicateResult:
    """image_row_pitch is not a multiple of the size of an element."""
    asked = describe_image(call, model)
    if asked.shape.row_pitch == 0 or not (asked.host or _is_2d_on_buffer(asked, model)):
        return NO
    return must_if(asked.shape.row_pitch % asked.element != 0)


def has_misaligned_row_pitch(call: Call, model: Model) -> PredicateResult:
    """image_row_pitch of a 2D image from a buffer is not a multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT.

    The error is optional if image_row_pitch is a multiple in bytes but not in pixels, or in pixels but not in bytes.
    """
    asked = describe_image(call, model)
    pitch = asked.shape.row_pitch
    if not _is_2d_on_buffer(asked, model):
        return NO
    if pitch == 0:
        return may("zero-row-pitch-on-buffer")
    most = max((device.number(PITCH_ALIGNMENT) for device in devices_with_images(call, model)), default=0)
    return _is_misaligned(pitch, most, asked.element)


def _is_misaligned(value: int, alignment: int, element: int) -> PredicateResult:
    """Return whether a size in bytes is not a multiple of an alignment.

    The error is optional if the result depends on whether the alignment is in pixels or in bytes.
    """
    if alignment == 0:
        return NO
    broken = (value % alignment != 0, value % (alignment * element) != 0)
    if all(broken):
        return MUST
    return may("alignment-in-pixels") if any(broken) else NO


def has_misaligned_base(call: Call, model: Model) -> PredicateResult:
    """The buffer of a 2D image is not aligned to CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT.

    The error is optional if the address is a multiple in bytes but not in pixels, or in pixels but not in bytes.
    """
    asked = describe_image(call, model)
    buffer = model.find(asked.source)
    if not isinstance(buffer, Buffer) or not _is_2d_on_buffer(asked, model):
        return NO
    if not buffer.flags & model.constant_value("CL_MEM_USE_HOST_PTR") or buffer.memory is None:
        return NO
    below = [
        each
        for each in model.objects_of_class(PointerMemory)
        if each.memory and each.memory.storage is buffer.memory.storage
    ]
    most = max((device.number(BASE_ALIGNMENT) for device in devices_with_images(call, model)), default=0)
    if not below or below[0].memory is None or most == 0:
        return may("unknown-buffer-alignment")
    offset = buffer.memory.start - below[0].memory.start
    known = below[0].known_alignment and below[0].known_alignment % (most * asked.element) == 0
    return _is_misaligned(offset, most, asked.element) if known else may("unknown-buffer-alignment")


def has_slice_pitch_without_slices(call: Call, model: Model) -> PredicateResult:
    """image_slice_pitch is not 0, and host_ptr is NULL.

    The error is optional for any host_ptr if the image has neither slices nor layers.
    """
    asked = describe_image(call, model)
    if asked.shape.slice_pitch == 0 or asked.imported:
        return NO
    if not _has_slices(asked):
        return may("slice-pitch-of-image-without-slices")
    return must_if(not asked.host)


def has_small_slice_pitch(call: Call, model: Model) -> PredicateResult:
    """image_slice_pitch is less than the size in bytes of one slice or layer."""
    asked = describe_image(call, model)
    pitch = asked.shape.slice_pitch
    return must_if(pitch != 0 and asked.host and _has_slices(asked) and pitch < asked.row * asked.rows)


def has_partial_row_in_slice(call: Call, model: Model) -> PredicateResult:
    """image_slice_pitch is not a multiple of the row pitch."""
    asked = describe_image(call, model)
    pitch = asked.shape.slice_pitch
    return must_if(pitch != 0 and asked.host and _has_slices(asked) and asked.row != 0 and pitch % asked.row != 0)


def _has_slices(asked: RequestedImage) -> bool:
    return asked.shape.is_array or asked.shape.image_type.endswith("3D")


ROW_PITCH_RULES: dict[Predicate, str] = {
    has_small_row_pitch: "image_row_pitch is less than image_width elements",
    has_partial_element_in_row: "image_row_pitch is not a multiple of the element size",
    has_misaligned_row_pitch: f"image_row_pitch is not a multiple of {PITCH_ALIGNMENT}",
}
PITCH_RULES: dict[Predicate, str] = {
    has_row_pitch_without_rows: "image_row_pitch is not 0 although host_ptr is NULL",
    **ROW_PITCH_RULES,
    has_slice_pitch_without_slices: "image_slice_pitch is not 0 although host_ptr is NULL",
    has_small_slice_pitch: "image_slice_pitch is less than a slice",
    has_partial_row_in_slice: "image_slice_pitch is not a multiple of the row pitch",
}
"""Maps predicates for violations of rules about the pitches of an image descriptor to texts of the violations."""


def has_invalid_pitch(call: Call, model: Model) -> PredicateResult:
    """image_row_pitch or image_slice_pitch violates one of ``PITCH_RULES``."""
    return strongest_result(evaluate(rule, call, model) for rule in PITCH_RULES)
