"""Error conditions of sub-buffer creation: regions out of bounds, contradicting flags (section 5.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.machine_words import unpack_words
from clconform.calls.values import Data
from clconform.oracles.common.flags import are_flags_invalid, find_contradictions, find_flags
from clconform.oracles.common.memory import is_aligned
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import Buffer, SubBuffer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.state import Model

rules = Rules()

FROM_HOST = ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR")
CONTRADICTING_FLAGS: dict[str, tuple[str, ...]] = {
    "CL_MEM_WRITE_ONLY": ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY"),
    "CL_MEM_READ_ONLY": ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY"),
}
CONTRADICTING_HOST_FLAGS: dict[str, tuple[str, ...]] = {
    "CL_MEM_HOST_WRITE_ONLY": ("CL_MEM_HOST_READ_ONLY",),
    "CL_MEM_HOST_READ_ONLY": ("CL_MEM_HOST_WRITE_ONLY",),
    "CL_MEM_HOST_NO_ACCESS": ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_WRITE_ONLY"),
}
"""Maps a flag of a buffer to the flags that its sub-buffers must not have."""


@rules.clause("clCreateSubBuffer/CL_INVALID_MEM_OBJECT/1")
def is_buffer_invalid(call: Call, model: Model) -> PredicateResult:
    """buffer is NULL, not a valid buffer, or itself a sub-buffer."""
    reply = is_invalid_object(call.buffer, "cl_mem", model, "buffer")
    return must_if(isinstance(model.get(Buffer, call.buffer), SubBuffer)) if reply is NO else reply


@rules.alternatives_of("clCreateSubBuffer/CL_INVALID_MEM_OBJECT/1")
def find_buffer_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: buffer is NULL, not a valid buffer, or itself a sub-buffer."""
    yield from list(find_invalid_object("buffer", call.buffer, "cl_mem", model, "buffer")) or ["buffer is a sub-buffer"]


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/1")
def do_kernel_flags_contradict(call: Call, model: Model) -> PredicateResult:
    """flags contradicts the kernel access flags of buffer, or contains a CL_MEM_*_HOST_PTR flag.

    If buffer was created with CL_MEM_WRITE_ONLY, flags must not contain CL_MEM_READ_WRITE or CL_MEM_READ_ONLY. If
    buffer was created with CL_MEM_READ_ONLY, flags must not contain CL_MEM_READ_WRITE or CL_MEM_WRITE_ONLY.
    """
    if any(find_kernel_flag_violations(call, model)):
        return MUST
    valid = are_flags_invalid(call.flags, "cl_mem_flags", call, model)
    return NO if valid is NO else may("sub-buffer-flags")


@rules.alternatives_of("clCreateSubBuffer/CL_INVALID_VALUE/1")
def find_kernel_flag_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each CL_MEM_*_HOST_PTR flag in flags, and each kernel access flag that contradicts those of buffer."""
    yield from (f"flags contains {name}" for name in find_flags(call.flags, FROM_HOST, model))
    yield from _find_contradictions(call, model, CONTRADICTING_FLAGS)


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/2")
def do_host_flags_contradict(call: Call, model: Model) -> PredicateResult:
    """flags contradicts the host access flags of buffer.

    If buffer was created with CL_MEM_HOST_WRITE_ONLY, flags must not contain CL_MEM_HOST_READ_ONLY. If buffer was
    created with CL_MEM_HOST_READ_ONLY, flags must not contain CL_MEM_HOST_WRITE_ONLY. If buffer was created with
    CL_MEM_HOST_NO_ACCESS, flags must not contain either of them.
    """
    return must_if(any(find_host_flag_violations(call, model)))


@rules.alternatives_of("clCreateSubBuffer/CL_INVALID_VALUE/2")
def find_host_flag_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each host access flag of buffer with the flags of the call that contradict it."""
    return _find_contradictions(call, model, CONTRADICTING_HOST_FLAGS)


def _find_contradictions(call: Call, model: Model, table: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield each flag of buffer with the flags of the call that contradict it by a table."""
    if call.buffer is not None:
        for each in find_contradictions(model.get(Buffer, call.buffer).flags, call.flags, table, model):
            yield f"buffer was created with {each}"


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/3")
def is_create_type_invalid(call: Call, model: Model) -> PredicateResult:
    """buffer_create_type is not CL_BUFFER_CREATE_TYPE_REGION."""
    return must_if(bool(call.buffer_create_type != model.constant_value("CL_BUFFER_CREATE_TYPE_REGION")))


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/4")
def is_create_info_invalid(call: Call, model: Model) -> PredicateResult:
    """buffer_create_info is NULL. The error is optional if a value in buffer_create_info is not valid."""
    if call.buffer_create_info is None:
        return MUST
    wrong = is_region_empty(call, model).is_must or is_origin_misaligned(call, model).is_must
    return may("invalid-sub-buffer-region") if wrong else NO


@rules.clause("clCreateSubBuffer/CL_INVALID_VALUE/5")
def is_region_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """buffer_create_info->origin + buffer_create_info->size exceeds the size of buffer."""
    if call.buffer_create_info is None:
        return NO
    origin, size = _read_region(call, model)
    return must_if(origin + size > model.require(Buffer, call.buffer).size)


@rules.clause("clCreateSubBuffer/CL_INVALID_BUFFER_SIZE/1")
def is_region_empty(call: Call, model: Model) -> PredicateResult:
    """buffer_create_info->size is 0."""
    return must_if(_read_region(call, model)[1] == 0)


@rules.clause("clCreateSubBuffer/CL_MISALIGNED_SUB_BUFFER_OFFSET/1")
def is_origin_misaligned(call: Call, model: Model) -> PredicateResult:
    """buffer_create_info->origin is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN for any device of the context."""
    context = model.require(Buffer, call.buffer).context
    if context is None or not context.devices:
        raise UnknownFactError("the devices of the context")
    origin = _read_region(call, model)[0]
    return must_if(not any(is_aligned(origin, device) for device in context.devices))


def _read_region(call: Call, model: Model) -> tuple[int, int]:
    return read_region(call.buffer_create_info, model)


def read_region(value: Value, model: Model) -> tuple[int, int]:
    """Return the origin and the size in the bytes of a cl_buffer_region; UnknownFactError if there are too few."""
    whole = 2 * model.pointer_bytes
    if not isinstance(value, Data) or len(value.content) < whole:
        raise UnknownFactError("the region")
    origin, size = unpack_words(value.content[:whole], model.pointer_bytes)
    return origin, size
