"""Error conditions of images that revision 3.1.0 split off from older conditions (section 5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.error_conditions.sub_buffers import (
    CONTRADICTING_FLAGS,
    CONTRADICTING_HOST_FLAGS,
    FROM_HOST,
)
from clconform.oracles.chapters.images.error_conditions.creation import memory_of_image
from clconform.oracles.chapters.images.error_conditions.mapping import WITH_SLICES
from clconform.oracles.chapters.images.error_conditions.regions import (
    exceeds_buffer,
    has_region_outside,
    is_level_invalid,
    is_outside,
    parse_coordinates,
)
from clconform.oracles.engine.predicate_result import NO, Predicate, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

MAKERS = ("clCreateImage", "clCreateImageWithProperties")
OF_3D = "CL_MEM_OBJECT_IMAGE3D"

# Flags that contradict the flags of mem_object


def _has_excluded_flag(flag: str, others: tuple[str, ...]) -> Predicate:
    """Return a predicate: mem_object has ``flag``, and flags contains one of ``others``."""

    def holds(call: Call, model: Model) -> PredicateResult:
        """Return whether mem_object has the flag and the call passes a flag that this flag excludes."""
        below = memory_of_image(call, model)
        own = below.flags if below is not None else 0
        return must_if(
            bool(own & model.constant_value(flag)) and any(call.flags & model.constant_value(other) for other in others)
        )

    return holds


for _function in MAKERS:
    for _number, _flag, _table in (
        (5, "CL_MEM_WRITE_ONLY", CONTRADICTING_FLAGS),
        (6, "CL_MEM_READ_ONLY", CONTRADICTING_FLAGS),
        (8, "CL_MEM_HOST_WRITE_ONLY", CONTRADICTING_HOST_FLAGS),
        (9, "CL_MEM_HOST_READ_ONLY", CONTRADICTING_HOST_FLAGS),
        (10, "CL_MEM_HOST_NO_ACCESS", CONTRADICTING_HOST_FLAGS),
    ):
        _record = f"{_function}/CL_INVALID_VALUE/{_number}"
        rules.clause_part(_record)(_has_excluded_flag(_flag, _table[_flag]))
        rules.words[_record] = f"mem_object was created with {_flag}, and flags contains {' or '.join(_table[_flag])}."


@rules.clause_part(*(f"{function}/CL_INVALID_VALUE/7" for function in MAKERS))
def has_host_pointer_flag(call: Call, model: Model) -> PredicateResult:
    """mem_object is not NULL, and flags contains CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR."""
    return must_if(any(call.flags & model.constant_value(name) for name in FROM_HOST))


# Commands


def _is_side_outside(side: str, call: Call, model: Model) -> bool:
    handle = call.arguments[f"{side}_image"]
    if handle is None:
        return False
    return is_outside(
        model.get(Image, handle), parse_coordinates(call.arguments[f"{side}_origin"]), parse_coordinates(call.region)
    )


def _is_side_level_invalid(side: str, call: Call, model: Model) -> PredicateResult:
    handle = call.arguments[f"{side}_image"]
    if handle is None:
        return NO
    return is_level_invalid(model.get(Image, handle), parse_coordinates(call.arguments[f"{side}_origin"]))


@rules.clause_part("clEnqueueCopyImage/CL_INVALID_VALUE/7")
def is_source_outside(call: Call, model: Model) -> PredicateResult:
    """src_origin + region exceeds src_image in a coordinate that src_image uses."""
    return must_if(_is_side_outside("src", call, model))


@rules.clause_part("clEnqueueCopyImage/CL_INVALID_VALUE/8")
def is_destination_outside(call: Call, model: Model) -> PredicateResult:
    """dst_origin + region exceeds dst_image in a coordinate that dst_image uses."""
    return must_if(_is_side_outside("dst", call, model))


@rules.clause_part("clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/2")
def is_source_level_invalid(call: Call, model: Model) -> PredicateResult:
    """src_image is mipmapped, and the mip level in src_origin is at least the number of mip levels of src_image."""
    return _is_side_level_invalid("src", call, model)


@rules.clause_part("clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/3")
def is_destination_level_invalid(call: Call, model: Model) -> PredicateResult:
    """dst_image is mipmapped, and the mip level in dst_origin is at least the number of mip levels of dst_image."""
    return _is_side_level_invalid("dst", call, model)


@rules.clause_part(
    "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/6",
    "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/7",
    "clEnqueueMapImage/CL_INVALID_VALUE/8",
)
def is_region_outside(call: Call, model: Model) -> PredicateResult:
    """The origin plus region exceeds the image in a coordinate that the image type uses.

    The origin is src_origin, dst_origin or origin.
    """
    return must_if(has_region_outside(call, model))


@rules.clause_part("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/7", "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/6")
def is_buffer_exceeded(call: Call, model: Model) -> PredicateResult:
    """The offset in the buffer plus the size of region in bytes exceeds the size of the buffer.

    The offset is dst_offset or src_offset.
    """
    return must_if(exceeds_buffer(call, model))


@rules.clause_part("clEnqueueMapImage/CL_INVALID_VALUE/10")
def is_array_slice_pitch_missing(call: Call, model: Model) -> PredicateResult:
    """image is a 1D or 2D image array, and image_slice_pitch is NULL."""
    return must_if(model.get(Image, call.image).shape.image_type in set(WITH_SLICES) - {OF_3D})


@rules.clause_part("clEnqueueMapImage/CL_INVALID_VALUE/11")
def is_3d_slice_pitch_missing(call: Call, model: Model) -> PredicateResult:
    """image is a 3D image, and image_slice_pitch is NULL."""
    return must_if(model.get(Image, call.image).shape.image_type == OF_3D)
