"""Which answers of clGetImageInfo and clGetMemObjectInfo put the sentences about images to the test (5.3.9, 5.5.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.model.images import Image

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()

INFO = "clGetImageInfo"
LINES = ("CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE1D_BUFFER", "CL_MEM_OBJECT_IMAGE1D_ARRAY")
WITHOUT_SLICES = (*LINES[:2], "CL_MEM_OBJECT_IMAGE2D")


def _of_an_image(query: str, holds: Callable[[Image], bool]) -> Answered:
    """Return the trigger that an image of some kind answers a query."""

    def met(asked: AnsweredCall) -> bool:
        image = asked.subject
        told = asked.code == "CL_SUCCESS" and "param_value" in asked.seen
        return told and isinstance(image, Image) and holds(image)

    return Answered((query,), met)


def _is_alone(image: Image) -> bool:
    """Return whether an image was made of no other memory object, and has elements of a known size."""
    return not image.on_memory_object and image.format.element_size > 0


@rules.completion
def _answers(rules: Rules, _tables: Tables) -> None:
    for record, words, holds in (
        (
            "CL_IMAGE_ROW_PITCH/effect/1",
            "The row pitch is that given at creation, or the width times the size of an element if none was.",
            _is_alone,
        ),
        (
            "CL_IMAGE_SLICE_PITCH/effect/1",
            "The slice pitch is that given at creation, or the rows of a slice or layer times the row pitch.",
            lambda image: _is_alone(image) and image.shape.image_type not in WITHOUT_SLICES,
        ),
        (
            "CL_IMAGE_SLICE_PITCH/effect/2",
            "The slice pitch of a 1D image, a 1D image buffer and a 2D image is 0.",
            lambda image: image.shape.image_type in WITHOUT_SLICES,
        ),
        (
            "CL_IMAGE_HEIGHT/effect/1",
            "The height of a 1D image, a 1D image buffer and a 1D image array is 0.",
            lambda image: image.shape.image_type in LINES,
        ),
        (
            "CL_IMAGE_DEPTH/effect/1",
            "The depth of an image that is not 3D is 0.",
            lambda image: not image.shape.image_type.endswith("3D"),
        ),
        (
            "CL_IMAGE_ARRAY_SIZE/effect/1",
            "The number of layers of an image that is no array is 0.",
            lambda image: not image.shape.is_array,
        ),
    ):
        query = record.partition("/")[0]
        rules.trigger(record, INFO, words, query, holds=_of_an_image(query, holds))
