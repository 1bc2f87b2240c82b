"""Error conditions of image mappings: bounds, flags, pitches, host access, failed mappings (section 5.3.7)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from clconform.oracles.chapters.images.error_conditions.regions import find_exceeded_images, has_region_outside
from clconform.oracles.common.flags import find_flag_violations
from clconform.oracles.common.mapping import (
    are_map_flags_invalid,
    find_denied_access,
    is_host_access_denied,
    is_mapped_twice,
    may_map_fail,
)
from clconform.oracles.contents.image_layout import texel_place
from clconform.oracles.contents.mapped_contents import maps_of
from clconform.oracles.contents.transfers import triple_of
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

WITH_SLICES = ("CL_MEM_OBJECT_IMAGE1D_ARRAY", "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE3D")


@rules.clause("clEnqueueMapImage/CL_INVALID_VALUE/2")
def is_map_invalid(call: Call, model: Model) -> PredicateResult:
    """origin + region exceeds image in a coordinate that the image type uses, or map_flags is not valid.

    map_flags is not valid if it contains an undefined flag or two flags that exclude each other.
    """
    flags = are_map_flags_invalid(call, model)
    return MUST if has_region_outside(call, model) else flags


@rules.alternatives_of("clEnqueueMapImage/CL_INVALID_VALUE/2")
def find_map_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each coordinate in which the region exceeds image, and whether map_flags is not valid."""
    flags = list(find_flag_violations("map_flags", call.map_flags, "cl_map_flags", call, model))
    with contextlib.suppress(UnknownFactError):  # then map_flags is the alternative that holds
        yield from find_exceeded_images(call, model)
    yield from flags


@rules.clause("clEnqueueMapImage/CL_INVALID_VALUE/5")
def is_slice_pitch_missing(call: Call, model: Model) -> PredicateResult:
    """image is a 3D image or an image array, and image_slice_pitch is NULL."""
    return must_if(call.image_slice_pitch is None and model.require(Image, call.image).shape.image_type in WITH_SLICES)


@rules.alternatives_of("clEnqueueMapImage/CL_INVALID_VALUE/5")
def find_missing_slice_pitch(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: image_slice_pitch is NULL for an image array or for a 3D image."""
    kind = "an image array" if model.require(Image, call.image).shape.is_array else "a 3D image"
    yield f"image is {kind}, and image_slice_pitch is NULL"


@rules.clause("clEnqueueMapImage/CL_INVALID_OPERATION/2")
def lacks_host_access(call: Call, model: Model) -> PredicateResult:
    """map_flags requests a host access that the CL_MEM_HOST_* flags of image do not allow."""
    return must_if(is_host_access_denied(model.require(Image, call.image), call, model))


@rules.alternatives_of("clEnqueueMapImage/CL_INVALID_OPERATION/2")
def find_forbidden_host_access(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: map_flags requests read access or write access that the flags of image do not allow.
    """
    return find_denied_access("image", model.require(Image, call.image), call, model)


@rules.clause("clEnqueueMapImage/CL_MAP_FAILURE/1")
def is_map_failure_allowed(call: Call, model: Model) -> PredicateResult:
    """The region cannot be mapped, and image has neither CL_MEM_USE_HOST_PTR nor CL_MEM_ALLOC_HOST_PTR."""
    return may_map_fail(model.require(Image, call.image), model)


@rules.clause("clEnqueueMapImage/CL_INVALID_OPERATION/3")
def is_mapped_for_writing(call: Call, model: Model) -> PredicateResult:
    """map_flags requests write access, and part of the region is already mapped for writing.

    Before version 1.2, the behaviour of such a call is undefined.
    """
    image = model.require(Image, call.image)
    if image.memory is not None and not maps_of(image.memory.storage, model) and not image.root_object.may_be_mapped:
        return NO
    return is_mapped_twice(texel_place(image, triple_of(call.origin), triple_of(call.region)), call, model)
