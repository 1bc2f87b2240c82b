"""Error conditions of image maps: bounds, flags, pitches, host access, map failures (section 5.3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.error_conditions.regions import has_region_outside
from clconform.oracles.common.mapping import (
    are_map_flags_invalid,
    is_host_access_denied,
    is_mapped_twice,
    may_map_fail,
)
from clconform.oracles.contents.image_layout import texel_place
from clconform.oracles.contents.mapped_contents import maps_of
from clconform.oracles.contents.transfers import triple_of
from clconform.oracles.engine.predicate_result import Decision, PredicateResult
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

WITH_SLICES = ("CL_MEM_OBJECT_IMAGE1D_ARRAY", "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE3D")


@rules.clause("clEnqueueMapImage/CL_INVALID_VALUE/2")
def is_map_invalid(call: Call, model: Model) -> PredicateResult:
    """origin + region exceeds image in a coordinate that its type uses, or map_flags is not valid.

    map_flags is not valid if it contains an undefined flag or two flags that exclude each other.
    """
    flags = are_map_flags_invalid(call, model)
    return flags if flags is Decision.MUST else has_region_outside(call, model) or flags


@rules.clause("clEnqueueMapImage/CL_INVALID_VALUE/5")
def is_slice_pitch_missing(call: Call, model: Model) -> PredicateResult:
    """image is a 3D image or an image array, and image_slice_pitch is NULL."""
    return call.image_slice_pitch is None and model.require(Image, call.image).shape.image_type in WITH_SLICES


@rules.clause("clEnqueueMapImage/CL_INVALID_OPERATION/2")
def lacks_host_access(call: Call, model: Model) -> PredicateResult:
    """map_flags requests a host access that the CL_MEM_HOST_* flags of image do not allow."""
    return is_host_access_denied(model.require(Image, call.image), call, model)


@rules.clause("clEnqueueMapImage/CL_MAP_FAILURE/1")
def is_map_failure_allowed(call: Call, model: Model) -> PredicateResult:
    """The region cannot be mapped, and image has neither CL_MEM_USE_HOST_PTR nor CL_MEM_ALLOC_HOST_PTR."""
    return may_map_fail(model.require(Image, call.image), model)


@rules.clause("clEnqueueMapImage/CL_INVALID_OPERATION/3")
def is_mapped_for_writing(call: Call, model: Model) -> PredicateResult:
    """map_flags requests writing, and part of the region is already mapped for writing.

    Before version 1.2 such a map is undefined.
    """
    image = model.require(Image, call.image)
    if image.memory is not None and not maps_of(image.memory.storage, model) and not image.root_object.may_be_mapped:
        return Decision.NO
    return is_mapped_twice(texel_place(image, triple_of(call.origin), triple_of(call.region)), call, model)
