"""Postconditions of image transfers and image mappings: the mapped pointer and its pitches (5.3.4 to 5.3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.memory_objects.postconditions import expected_address
from clconform.oracles.contents.image_layout import ONE_D_ARRAY, WITHOUT_SLICES
from clconform.oracles.contents.transfers import triple_of
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import Anything, Matcher, NewHandles, OneOf, Postcondition, Satisfies
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.pointer_memory import POINTER_TYPE
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Values
    from clconform.oracles.model.state import Model

rules = Rules()

ROW, SLICE = "clEnqueueMapImage/effect/3", "clEnqueueMapImage/effect/4"
NO_SLICE, DERIVED = "clEnqueueMapImage/effect/5", "clEnqueueMapImage/effect/17"
PLACE, ROWS, SLICES = (
    InterpretationId("derived-pointer-of-an-image"),
    InterpretationId("row-pitch-of-a-map"),
    InterpretationId("slice-pitch-of-a-map"),
)
rules.relies_on_interpretation(ROWS, ROW)
rules.relies_on_interpretation(SLICES, SLICE)
rules.relies_on_interpretation(PLACE, DERIVED)
rules.words[ROW] = (
    "Checked if a slice of the mapped region has more than one row: the returned row pitch is at least the size of one "
    f"row of the region in bytes ({ROWS})."
)
rules.words[SLICE] = (
    "Checked if the mapped region has more than one slice or layer: the returned slice pitch is at least the size of "
    f"one slice of the region in bytes ({SLICES})."
)
rules.words[NO_SLICE] = ""
rules.words[DERIVED] = f"Checked on calls whose origin is the first texel: they return host_ptr itself ({PLACE})."


@rules.postcondition(
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
)
def expect_copied_texels(call: Call, model: Model) -> Postcondition:
    """The command copies the latest contents of the region. Bytes outside the target region do not change."""
    del call, model
    return Postcondition()


@rules.postcondition("clEnqueueFillImage")
def expect_filled_region(call: Call, model: Model) -> Postcondition:
    """The command sets every texel of the region to fill_color. Texels outside the region do not change."""
    del call, model
    return Postcondition()


@rules.postcondition("clEnqueueMapImage")
def expect_mapped_image(call: Call, model: Model) -> Postcondition:
    """The call returns a pointer to the mapped region.

    After the command is complete, host reads through the pointer return the latest contents of the region. Mapping the
    region again may return the same pointer. The returned pitches locate the rows and slices of the region.
    """
    model.get(CommandQueue, call.command_queue)
    image = model.find(call.image)
    outputs: dict[str, Matcher] = {}
    for name, want in (("image_row_pitch", _expected_row_pitch), ("image_slice_pitch", _expected_slice_pitch)):
        if isinstance(call.arguments.get(name), OutputBuffer):
            outputs[name] = want(call, image) if isinstance(image, Image) else Anything((1,))
    return Postcondition(_expected_address(call, image, model), outputs)


def _expected_address(call: Call, image: object, model: Model) -> Matcher:
    try:
        at_start = triple_of(call.origin) == (0, 0, 0)
    except UnknownFactError:
        at_start = False
    if isinstance(image, Image) and image.source is None and at_start:
        return expected_address(call, image, 0, DERIVED, model)
    return NewHandles(POINTER_TYPE, 1, 1, (f"{call.function}/success",))


def _expected_row_pitch(call: Call, image: Image) -> Matcher:
    """Return the expected row pitch of a mapped region.

    Any value is allowed unless a slice of the region has several rows.
    """
    element = image.format.element_size
    tight = image.shape.width * element
    if not element or image.shape.image_type == ONE_D_ARRAY or triple_of(call.region)[1] == 1:
        return Anything((tight,))
    if _is_in_host_memory(image) and image.strides is not None:
        return OneOf(((image.strides[1],),), (ROW,))
    return _expect_at_least(triple_of(call.region)[0] * element, ROW, tight)


def _expected_slice_pitch(call: Call, image: Image) -> Matcher:
    """Return the expected slice pitch of a mapped region.

    The value is 0 for 1D and 2D images. For other image types, any value is allowed if the region has only one slice.
    """
    shape, element = image.shape, image.format.element_size
    if shape.image_type in WITHOUT_SLICES:
        return OneOf(((0,),), (NO_SLICE,))
    arrayed = shape.image_type == ONE_D_ARRAY
    tight = shape.width * element * (1 if arrayed else shape.height)
    width, height, depth = triple_of(call.region)
    rows, slices = (1, height) if arrayed else (height, depth)
    if not element or slices == 1:
        return Anything((tight,))
    if _is_in_host_memory(image) and image.strides is not None:
        return OneOf(((image.strides[1 if arrayed else 2],),), (SLICE,))
    return _expect_at_least(width * element * rows, SLICE, tight)


def _is_in_host_memory(image: Image) -> bool:
    """Return whether an image is stored in host memory, so that mapped regions have known pitches."""
    return image.memory is not None and image.memory.storage.host and image.source is None


def _expect_at_least(least: int, requirement: str, choice: int) -> Matcher:
    def test(seen: Values) -> bool:
        return bool(seen) and isinstance(seen[0], int) and seen[0] >= least

    return Satisfies(test, f"at least {least}", (requirement,), (choice,))
