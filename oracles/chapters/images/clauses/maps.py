"""Error conditions of image maps: bounds, flags, pitches, host access, map failures (section 5.3.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.clauses.regions import region_outside
from clconform.oracles.contents.image_places import texels
from clconform.oracles.contents.maps import maps_of
from clconform.oracles.contents.transfers import triple
from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image
from clconform.oracles.recurring.maps import (
    host_may_not_access,
    map_flags_not_valid,
    mapped_twice,
    may_not_be_mapped,
)

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

WITH_SLICES = ("CL_MEM_OBJECT_IMAGE1D_ARRAY", "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE3D")


@rules.clause("clEnqueueMapImage/CL_INVALID_VALUE/2")
def map_not_valid(call: Call, model: Model) -> Reply:
    """origin + region exceeds image in a coordinate that its type uses, or map_flags is not valid."""
    flags = map_flags_not_valid(call, model)
    return flags if flags is Answer.MUST else region_outside(call, model) or flags


@rules.clause("clEnqueueMapImage/CL_INVALID_VALUE/5")
def no_place_for_the_slice_pitch(call: Call, model: Model) -> Reply:
    """image is a 3D image or an image array, and image_slice_pitch is NULL."""
    return call.image_slice_pitch is None and model.given(Image, call.image).shape.image_type in WITH_SLICES


@rules.clause("clEnqueueMapImage/CL_INVALID_OPERATION/2")
def host_may_not_map(call: Call, model: Model) -> Reply:
    """map_flags requests a host access that the CL_MEM_HOST_* flags of image do not allow."""
    return host_may_not_access(model.given(Image, call.image), call, model)


@rules.clause("clEnqueueMapImage/CL_MAP_FAILURE/1")
def map_fails(call: Call, model: Model) -> Reply:
    """The region cannot be mapped; images with CL_MEM_USE_HOST_PTR or CL_MEM_ALLOC_HOST_PTR are excluded."""
    return may_not_be_mapped(model.given(Image, call.image), model)


@rules.clause("clEnqueueMapImage/CL_INVALID_OPERATION/3")
def mapped_for_writing_twice(call: Call, model: Model) -> Reply:
    """map_flags requests writing, and part of the region is already mapped for writing.

    Before version 1.2 such a map is undefined.
    """
    image = model.given(Image, call.image)
    if image.memory is not None and not maps_of(image.memory.storage, model) and not image.whole.mapped_perhaps:
        return Answer.NO
    return mapped_twice(texels(image, triple(call.origin), triple(call.region)), call, model)
