"""Validity of the pitches of a requested image, rule by rule (section 5.3.1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.description import buffer_of, described, devices_with_images
from clconform.oracles.engine.answers import Answer, May, Reply, settle
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.pointed_memory import PointedMemory
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.chapters.images.description import Description
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.model.world import Model

PITCH_ALIGNMENT, BASE_ALIGNMENT = "CL_DEVICE_IMAGE_PITCH_ALIGNMENT", "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"


def _on_a_buffer(asked: Description, model: Model) -> bool:
    """Return whether the call requests a 2D image on a buffer."""
    return asked.shape.image_type.endswith("IMAGE2D") and buffer_of(asked, model) is not None


def row_pitch_of_nothing(call: Call, model: Model) -> Reply:
    """image_row_pitch is not 0 although host_ptr is NULL and the image is not a 2D image on a buffer."""
    asked = described(call, model)
    if asked.shape.row_pitch == 0 or asked.host or asked.imported or _on_a_buffer(asked, model):
        return Answer.NO
    return May("pitch-of-a-view") if isinstance(model.known(asked.source), Image) else Answer.MUST


def row_pitch_too_small(call: Call, model: Model) -> Reply:
    """image_row_pitch is less than image_width elements."""
    asked = described(call, model)
    if asked.shape.row_pitch == 0 or not (asked.host or _on_a_buffer(asked, model)):
        return Answer.NO
    return asked.shape.row_pitch < asked.shape.width * asked.element


def row_pitch_of_broken_elements(call: Call, model: Model) -> Reply:
    """image_row_pitch is not a multiple of the size of an element."""
    asked = described(call, model)
    if asked.shape.row_pitch == 0 or not (asked.host or _on_a_buffer(asked, model)):
        return Answer.NO
    return asked.shape.row_pitch % asked.element != 0


def row_pitch_misaligned(call: Call, model: Model) -> Reply:
    """image_row_pitch of a 2D image on a buffer is not a multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT.

    If it is a multiple when counted in pixels but not in bytes, or the reverse, the error is only allowed.
    """
    asked = described(call, model)
    pitch = asked.shape.row_pitch
    if not _on_a_buffer(asked, model):
        return Answer.NO
    if pitch == 0:
        return May("no-pitch-on-a-buffer")
    most = max((device.number(PITCH_ALIGNMENT) for device in devices_with_images(call, model)), default=0)
    return _multiple(pitch, most, asked.element)


def _multiple(value: int, alignment: int, element: int) -> Reply:
    """Return whether a size in bytes violates an alignment in pixels: surely, by one interpretation, or not."""
    if alignment == 0:
        return Answer.NO
    broken = (value % alignment != 0, value % (alignment * element) != 0)
    if all(broken):
        return Answer.MUST
    return May("alignment-in-pixels") if any(broken) else Answer.NO


def base_misaligned(call: Call, model: Model) -> Reply:
    """The address of the buffer below a 2D image is not a multiple of CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT.

    If it is a multiple when counted in pixels but not in bytes, or the reverse, the error is only allowed.
    """
    asked = described(call, model)
    buffer = model.known(asked.source)
    if not isinstance(buffer, Buffer) or not _on_a_buffer(asked, model):
        return Answer.NO
    if not buffer.flags & model.value("CL_MEM_USE_HOST_PTR") or buffer.memory is None:
        return Answer.NO
    below = [
        each for each in model.of_kind(PointedMemory) if each.memory and each.memory.storage is buffer.memory.storage
    ]
    most = max((device.number(BASE_ALIGNMENT) for device in devices_with_images(call, model)), default=0)
    if not below or below[0].memory is None or most == 0:
        return May("unknown-address")
    offset = buffer.memory.start - below[0].memory.start
    known = below[0].alignment and below[0].alignment % (most * asked.element) == 0
    return _multiple(offset, most, asked.element) if known else May("unknown-address")


def slice_pitch_of_nothing(call: Call, model: Model) -> Reply:
    """image_slice_pitch is not 0 although host_ptr is NULL.

    If the image has neither slices nor layers, the error is allowed for any host_ptr.
    """
    asked = described(call, model)
    if asked.shape.slice_pitch == 0 or asked.imported:
        return Answer.NO
    if not _has_slices(asked):
        return May("pitch-of-no-slices")
    return not asked.host


def slice_pitch_too_small(call: Call, model: Model) -> Reply:
    """image_slice_pitch is less than the size of the rows of one slice or layer."""
    asked = described(call, model)
    pitch = asked.shape.slice_pitch
    return pitch != 0 and asked.host and _has_slices(asked) and pitch < asked.row * asked.rows


def slice_pitch_of_broken_rows(call: Call, model: Model) -> Reply:
    """image_slice_pitch is not a multiple of the row pitch."""
    asked = described(call, model)
    pitch = asked.shape.slice_pitch
    return pitch != 0 and asked.host and _has_slices(asked) and asked.row != 0 and pitch % asked.row != 0


def _has_slices(asked: Description) -> bool:
    return asked.shape.is_array or asked.shape.image_type.endswith("3D")


RULES: tuple[Predicate, ...] = (
    row_pitch_of_nothing,
    row_pitch_too_small,
    row_pitch_of_broken_elements,
    row_pitch_misaligned,
    slice_pitch_of_nothing,
    slice_pitch_too_small,
    slice_pitch_of_broken_rows,
)
"""The rules for the pitches of a descriptor."""


def pitches_not_valid(call: Call, model: Model) -> Reply:
    """A pitch violates one of the rules for pitches."""
    return gravest(settle(rule, call, model) for rule in RULES)
