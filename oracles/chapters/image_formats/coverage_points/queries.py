"""Coverage points for clGetImageInfo (section 5.3.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.model.images import Image

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

INFO = "clGetImageInfo"
LINEAR_TYPES = ("CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE1D_BUFFER", "CL_MEM_OBJECT_IMAGE1D_ARRAY")
TYPES_WITHOUT_SLICES = (*LINEAR_TYPES[:2], "CL_MEM_OBJECT_IMAGE2D")


def _queries_image(query: str, holds: Callable[[Image], bool]) -> QueryCoverage:
    """Return a coverage condition: ``query`` succeeds for an image for which ``holds`` is true."""

    def met(asked: CompletedCall) -> bool:
        image = asked.subject
        told = asked.code == "CL_SUCCESS" and "param_value" in asked.outputs
        return told and isinstance(image, Image) and holds(image)

    return QueryCoverage((query,), met)


def _is_standalone(image: Image) -> bool:
    """Return whether an image was created without another memory object and has a known element size."""
    return not image.has_memory_object and image.format.element_size > 0


@rules.completion
def _declare_queries(rules: Rules, _tables: Tables) -> None:
    for requirement, words, holds in (
        (
            "CL_IMAGE_ROW_PITCH/effect/1",
            "Checked on images that were created without another memory object, in a format of known element size.",
            _is_standalone,
        ),
        (
            "CL_IMAGE_SLICE_PITCH/effect/1",
            (
                "Checked on 3D images and image arrays that were created without another memory object, in a format of "
                "known element size."
            ),
            lambda image: _is_standalone(image) and image.shape.image_type not in TYPES_WITHOUT_SLICES,
        ),
        ("CL_IMAGE_SLICE_PITCH/effect/2", "", lambda image: image.shape.image_type in TYPES_WITHOUT_SLICES),
        ("CL_IMAGE_HEIGHT/effect/1", "", lambda image: image.shape.image_type in LINEAR_TYPES),
        ("CL_IMAGE_DEPTH/effect/1", "", lambda image: not image.shape.image_type.endswith("3D")),
        ("CL_IMAGE_ARRAY_SIZE/effect/1", "", lambda image: not image.shape.is_array),
    ):
        query = requirement.partition("/")[0]
        rules.coverage_point(requirement, INFO, words, query, holds=_queries_image(query, holds))
