"""Error conditions of sub-buffer creation: regions out of bounds, contradicting flags (section 5.2.1)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.recurring.flags import flags_not_valid
from clconform.oracles.recurring.memory import is_aligned
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

FROM_HOST = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
CONTRADICTED: dict[str, tuple[str, ...]] = {
    "CL_MEM_WRITE_ONLY": ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY"),
    "CL_MEM_READ_ONLY": ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY"),
}
CONTRADICTED_FOR_THE_HOST: dict[str, tuple[str, ...]] = {
    "CL_MEM_HOST_WRITE_ONLY": ("CL_MEM_HOST_READ_ONLY",),
    "CL_MEM_HOST_READ_ONLY": ("CL_MEM_HOST_WRITE_ONLY",),
    "CL_MEM_HOST_NO_ACCESS": ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_WRITE_ONLY"),
}
"""Flags of a buffer to the flags that its sub-buffers must not have."""
_REGION = struct.Struct("@NN")


@rules.clause("clCreateSubBuffer/CL_INVALID_MEM_OBJECT/1")
def no_whole_buffer(call: Call, model: Model) -> Reply:
    """buffer is NULL, not a valid buffer, or itself a sub-buffer."""
    reply = valid_object(call.buffer, "cl_mem", model, "buffer")
    return isinstance(model.get(Buffer, call.buffer), SubBuffer) if reply is Answer.NO else reply


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/1")
def access_contradicts(call: Call, model: Model) -> Reply:
    """flags contradicts the kernel access flags of buffer, or contains a CL_MEM_*_HOST_PTR flag."""
    if any(call.flags & model.value(name) for name in FROM_HOST):
        return Answer.MUST
    if _contradicts(call, model, CONTRADICTED):
        return Answer.MUST
    valid = flags_not_valid(call.flags, "cl_mem_flags", call, model)
    return Answer.NO if valid is Answer.NO else May("flags-of-a-region")


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/2")
def host_access_contradicts(call: Call, model: Model) -> Reply:
    """flags contradicts the host access flags of buffer (CL_MEM_HOST_*)."""
    return _contradicts(call, model, CONTRADICTED_FOR_THE_HOST)


def _contradicts(call: Call, model: Model, table: dict[str, tuple[str, ...]]) -> bool:
    if call.buffer is None:
        return False
    own = model.get(Buffer, call.buffer).flags
    return any(
        own & model.value(flag) and any(call.flags & model.value(other) for other in others)
        for flag, others in table.items()
    )


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/3")
def no_such_type(call: Call, model: Model) -> Reply:
    """buffer_create_type is not CL_BUFFER_CREATE_TYPE_REGION."""
    return bool(call.buffer_create_type != model.value("CL_BUFFER_CREATE_TYPE_REGION"))


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/4")
def nothing_valid_described(call: Call, model: Model) -> Reply:
    """buffer_create_info is NULL. The error is optional if a value in buffer_create_info is not valid."""
    if call.buffer_create_info is None:
        return Answer.MUST
    wrong = region_of_no_byte(call, model) or aligned_for_no_device(call, model)
    return May("values-of-a-region") if wrong else Answer.NO


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/5")
def region_out_of_bounds(call: Call, model: Model) -> Reply:
    """buffer_create_info->origin + buffer_create_info->size exceeds the size of buffer."""
    if call.buffer_create_info is None:
        return Answer.NO
    origin, size = _region(call)
    return origin + size > model.given(Buffer, call.buffer).size


@rules.clause("clCreateSubBuffer/CL_INVALID_BUFFER_SIZE/1")
def region_of_no_byte(call: Call, model: Model) -> bool:
    """buffer_create_info->size is 0."""
    del model
    return _region(call)[1] == 0


@rules.clause("clCreateSubBuffer/CL_MISALIGNED_SUB_BUFFER_OFFSET/1")
def aligned_for_no_device(call: Call, model: Model) -> bool:
    """buffer_create_info->origin is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN of any device of the context."""
    context = model.given(Buffer, call.buffer).context
    if context is None or not context.devices:
        raise UnknownError("the devices of the context")
    origin = _region(call)[0]
    return not any(is_aligned(origin, device) for device in context.devices)


def _region(call: Call) -> tuple[int, int]:
    if not isinstance(call.buffer_create_info, Data) or len(call.buffer_create_info.content) < _REGION.size:
        raise UnknownError("the region")
    origin, size = _REGION.unpack(call.buffer_create_info.content[: _REGION.size])
    return origin, size
