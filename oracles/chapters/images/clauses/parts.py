"""Cases of older error conditions that are separate error conditions from revision 3.1.0 on: images (section 5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.clauses.sub_buffers import CONTRADICTED, CONTRADICTED_FOR_THE_HOST, FROM_HOST
from clconform.oracles.chapters.images.clauses.creation import memory_below
from clconform.oracles.chapters.images.clauses.maps import WITH_SLICES
from clconform.oracles.chapters.images.clauses.regions import (
    bytes_outside,
    is_outside,
    level_beyond,
    numbers_in,
    region_outside,
)
from clconform.oracles.engine.answers import Answer
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.images import Image

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.model.world import Model

rules = Rules()

MAKERS = ("clCreateImage", "clCreateImageWithProperties")
OF_3D = "CL_MEM_OBJECT_IMAGE3D"

# Flags of an image against those of the memory object below it


def _against(flag: str, others: tuple[str, ...]) -> Predicate:
    """Return a predicate: the memory object has a flag, and the image is given one of the flags excluded by it."""

    def holds(call: Call, model: Model) -> Reply:
        """Return whether the memory object has the flag and the call passes an excluded one."""
        below = memory_below(call, model)
        own = below.flags if below is not None else 0
        return bool(own & model.value(flag)) and any(call.flags & model.value(other) for other in others)

    return holds


for _function in MAKERS:
    for _number, _flag, _table in (
        (5, "CL_MEM_WRITE_ONLY", CONTRADICTED),
        (6, "CL_MEM_READ_ONLY", CONTRADICTED),
        (8, "CL_MEM_HOST_WRITE_ONLY", CONTRADICTED_FOR_THE_HOST),
        (9, "CL_MEM_HOST_READ_ONLY", CONTRADICTED_FOR_THE_HOST),
        (10, "CL_MEM_HOST_NO_ACCESS", CONTRADICTED_FOR_THE_HOST),
    ):
        _record = f"{_function}/CL_INVALID_VALUE/{_number}"
        rules.part(_record)(_against(_flag, _table[_flag]))
        rules.words[_record] = f"mem_object was created with {_flag}, and flags contain {' or '.join(_table[_flag])}."


@rules.part(*(f"{function}/CL_INVALID_VALUE/7" for function in MAKERS))
def memory_of_its_own(call: Call, model: Model) -> Reply:
    """mem_object is given, and flags contain CL_MEM_USE_, ALLOC_ or COPY_HOST_PTR."""
    return any(call.flags & model.value(name) for name in FROM_HOST)


# Commands


def _outside(side: str, call: Call, model: Model) -> bool:
    handle = call.arguments[f"{side}_image"]
    if handle is None:
        return False
    return is_outside(model.get(Image, handle), numbers_in(call.arguments[f"{side}_origin"]), numbers_in(call.region))


def _level(side: str, call: Call, model: Model) -> Reply:
    handle = call.arguments[f"{side}_image"]
    if handle is None:
        return Answer.NO
    return level_beyond(model.get(Image, handle), numbers_in(call.arguments[f"{side}_origin"]))


@rules.part("clEnqueueCopyImage/CL_INVALID_VALUE/7")
def copied_from_outside(call: Call, model: Model) -> Reply:
    """src_origin + region exceeds src_image in a coordinate in use."""
    return _outside("src", call, model)


@rules.part("clEnqueueCopyImage/CL_INVALID_VALUE/8")
def copied_to_outside(call: Call, model: Model) -> Reply:
    """dst_origin + region exceeds dst_image in a coordinate in use."""
    return _outside("dst", call, model)


@rules.part("clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/2")
def no_such_source_level(call: Call, model: Model) -> Reply:
    """src_image is mipmapped, and does not have the mip level that src_origin names."""
    return _level("src", call, model)


@rules.part("clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/3")
def no_such_destination_level(call: Call, model: Model) -> Reply:
    """dst_image is mipmapped, and does not have the mip level that dst_origin names."""
    return _level("dst", call, model)


@rules.part(
    "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/6",
    "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/7",
    "clEnqueueMapImage/CL_INVALID_VALUE/8",
)
def texels_outside(call: Call, model: Model) -> Reply:
    """The region at the origin exceeds the image in a coordinate in use."""
    return region_outside(call, model)


@rules.part("clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/7", "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/6")
def texels_beyond_the_buffer(call: Call, model: Model) -> Reply:
    """The bytes of the region, starting at the offset, exceed the buffer."""
    return bytes_outside(call, model)


@rules.part("clEnqueueMapImage/CL_INVALID_VALUE/10")
def no_slice_pitch_of_an_array(call: Call, model: Model) -> Reply:
    """image is a 1D or 2D image array, and image_slice_pitch is NULL."""
    return model.get(Image, call.image).shape.image_type in set(WITH_SLICES) - {OF_3D}


@rules.part("clEnqueueMapImage/CL_INVALID_VALUE/11")
def no_slice_pitch_of_3d(call: Call, model: Model) -> Reply:
    """image is a 3D image, and image_slice_pitch is NULL."""
    return model.get(Image, call.image).shape.image_type == OF_3D
