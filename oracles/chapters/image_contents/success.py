"""Texels moved; images mapped: the pointer to their first texel, and the pitches of their rows (5.3.4 to 5.3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.memory_objects.success import address_of
from clconform.oracles.contents.image_places import LAYERS_OF_ROWS
from clconform.oracles.contents.transfers import triple
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, Fresh, OneOf, Promise, Such, Want
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.images import Image
from clconform.oracles.model.pointed_memory import POINTED
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Values
    from clconform.oracles.model.world import Model

rules = Rules()

ROW, SLICE = "clEnqueueMapImage/effect/3", "clEnqueueMapImage/effect/4"
NO_SLICE, DERIVED = "clEnqueueMapImage/effect/5", "clEnqueueMapImage/effect/17"
WITHOUT_SLICES = ("CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE2D")
PLACE, ROWS, SLICES = May("derived-pointer-of-an-image"), May("rows-of-a-map"), May("slices-of-a-map")
rules.interpreted(ROWS.interpretation, ROW)
rules.interpreted(SLICES.interpretation, SLICE)
rules.interpreted(PLACE.interpretation, DERIVED)
rules.words[ROW] = (
    "The row pitch that the call returns is at least the bytes of a row of the region, where a slice of it has more "
    f"than one row ({ROWS.interpretation})."
)
rules.words[SLICE] = (
    "The slice pitch that the call returns is at least the bytes from the first to the last of a slice or layer of the "
    f"region, where it has more than one ({SLICES.interpretation})."
)
rules.words[NO_SLICE] = "The slice pitch that the call returns for a 1D or a 2D image is 0."
rules.words[DERIVED] = (
    f"For an image that uses host_ptr, a map from the first texel on returns host_ptr ({PLACE.interpretation})."
)


@rules.success(
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
)
def texels_moved(call: Call, model: Model) -> Promise:
    """The command copies the texels of the region, as left by the commands before it, and changes no other texel."""
    del call, model
    return Promise()


@rules.success("clEnqueueFillImage")
def region_filled(call: Call, model: Model) -> Promise:
    """The command fills the region with the colour and changes no other texel."""
    del call, model
    return Promise()


@rules.success("clEnqueueMapImage")
def image_mapped(call: Call, model: Model) -> Promise:
    """The call returns a pointer to the mapped region, which has its latest contents once the map is complete.

    Mapping the region again may return the same pointer. Rows and slices of the region lie by the returned pitches.
    """
    model.get(Queue, call.command_queue)
    image = model.known(call.image)
    outputs: dict[str, Want] = {}
    for name, want in (("image_row_pitch", _row_pitch), ("image_slice_pitch", _slice_pitch)):
        if isinstance(call.arguments.get(name), OutputBuffer):
            outputs[name] = want(call, image) if isinstance(image, Image) else Anything((1,))
    return Promise(_address(call, image, model), outputs)


def _address(call: Call, image: object, model: Model) -> Want:
    try:
        at_start = triple(call.origin) == (0, 0, 0)
    except UnknownError:
        at_start = False
    if isinstance(image, Image) and image.source is None and at_start:
        return address_of(call, image, 0, DERIVED, model)
    return Fresh(POINTED, 1, 1, (f"{call.function}/success",))


def _row_pitch(call: Call, image: Image) -> Want:
    """Return what the row pitch may be: it counts where a slice of the region has several rows."""
    element = image.format.element_size
    tight = image.shape.width * element
    if not element or image.shape.image_type == LAYERS_OF_ROWS or triple(call.region)[1] == 1:
        return Anything((tight,))
    if _in_the_hosts_memory(image) and image.steps is not None:
        return OneOf(((image.steps[1],),), (ROW,))
    return _at_least(triple(call.region)[0] * element, ROW, tight)


def _slice_pitch(call: Call, image: Image) -> Want:
    """Return what the slice pitch may be: 0 without slices; else it counts where the region has several of them."""
    shape, element = image.shape, image.format.element_size
    if shape.image_type in WITHOUT_SLICES:
        return OneOf(((0,),), (NO_SLICE,))
    arrayed = shape.image_type == LAYERS_OF_ROWS
    tight = shape.width * element * (1 if arrayed else shape.height)
    width, height, depth = triple(call.region)
    rows, slices = (1, height) if arrayed else (height, depth)
    if not element or slices == 1:
        return Anything((tight,))
    if _in_the_hosts_memory(image) and image.steps is not None:
        return OneOf(((image.steps[1 if arrayed else 2],),), (SLICE,))
    return _at_least(width * element * rows, SLICE, tight)


def _in_the_hosts_memory(image: Image) -> bool:
    """Return whether an image lies in memory of the host, so that maps lead there: its rows have a known distance."""
    return image.memory is not None and image.memory.storage.host and image.source is None


def _at_least(least: int, record: str, choice: int) -> Want:
    def test(seen: Values) -> bool:
        return bool(seen) and isinstance(seen[0], int) and seen[0] >= least

    return Such(test, f"at least {least}", (record,), (choice,))
