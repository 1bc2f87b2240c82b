"""Error conditions of buffers that revision 3.1.0 split off from older conditions (sections 5.2 and 5.6).

Conditions that images share with buffers are also here: host pointers, and host access through mappings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.error_conditions.external_memory import (
    is_property_repeated,
    is_property_unknown,
    is_property_value_invalid,
    read_properties,
)
from clconform.oracles.chapters.buffers.error_conditions.ranges import PATTERN_SIZES
from clconform.oracles.chapters.buffers.error_conditions.rectangles import is_side_out_of_bounds, slice_pitch_faults
from clconform.oracles.chapters.buffers.error_conditions.sub_buffers import (
    CONTRADICTING_FLAGS,
    CONTRADICTING_HOST_FLAGS,
    FROM_HOST,
)
from clconform.oracles.common.mapping import are_map_flags_invalid, is_host_read_denied, is_host_write_denied
from clconform.oracles.common.memory import HOST_POINTER_FLAGS
from clconform.oracles.engine.predicate_result import NO, Predicate, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.pointer_memory import SvmAllocation

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.state import Model

rules = Rules()

# Buffer creation


ANDROID = "CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR"


@rules.clause_part("clCreateBuffer/CL_INVALID_BUFFER_SIZE/2")
def is_size_zero(call: Call, model: Model) -> PredicateResult:
    """size is 0."""
    del model
    return must_if(bool(call.size == 0))


@rules.clause_part("clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/2")
def is_size_zero_without_import(call: Call, model: Model) -> PredicateResult:
    """size is 0, and properties does not contain an AHardwareBuffer handle.

    An imported AHardwareBuffer has its own size.
    """
    imported = model.constant_value(ANDROID)
    return must_if(
        call.size == 0 and all(each.name != imported for each in read_properties(call.properties, model) or ())
    )


@rules.clause_part("clCreateBuffer/CL_INVALID_BUFFER_SIZE/3", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/4")
def exceeds_max_allocation(call: Call, model: Model) -> PredicateResult:
    """size exceeds CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device of context."""
    devices = model.context(call.context).devices
    return must_if(all(call.size > device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in devices))


@rules.clause_part("clCreateBuffer/CL_INVALID_BUFFER_SIZE/4", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/5")
def exceeds_svm_allocation(call: Call, model: Model) -> PredicateResult:
    """flags contains CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR, and size exceeds the SVM allocation at host_ptr."""
    host = model.find(call.host_ptr)
    used = any(call.flags & model.constant_value(name) for name in HOST_POINTER_FLAGS)
    return must_if(used and isinstance(host, SvmAllocation) and call.size > host.size)


@rules.clause_part(
    "clCreateBuffer/CL_INVALID_HOST_PTR/4",
    "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/3",
    "clCreateImage/CL_INVALID_HOST_PTR/3",
    "clCreateImageWithProperties/CL_INVALID_HOST_PTR/3",
)
def is_host_ptr_missing(call: Call, model: Model) -> PredicateResult:
    """host_ptr is NULL, and flags contains CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR."""
    del model
    return must_if(call.host_ptr is None)


@rules.clause_part(
    "clCreateBuffer/CL_INVALID_HOST_PTR/5",
    "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/4",
    "clCreateImage/CL_INVALID_HOST_PTR/4",
    "clCreateImageWithProperties/CL_INVALID_HOST_PTR/4",
)
def is_host_ptr_unused(call: Call, model: Model) -> PredicateResult:
    """host_ptr is not NULL, and flags contains neither CL_MEM_USE_HOST_PTR nor CL_MEM_COPY_HOST_PTR."""
    del model
    return must_if(call.host_ptr is not None)


# Flags of a sub-buffer that contradict those of its buffer


def _contradicts_flag(flag: str, others: tuple[str, ...]) -> Predicate:
    """Return a predicate: buffer was created with ``flag``, and flags contains one of ``others``."""

    def holds(call: Call, model: Model) -> PredicateResult:
        """Return whether the flags of the buffer and of the call contradict each other."""
        own = model.get(Buffer, call.buffer).flags if call.buffer is not None else 0
        return must_if(
            bool(own & model.constant_value(flag)) and any(call.flags & model.constant_value(other) for other in others)
        )

    return holds


for _number, _flag in ((6, "CL_MEM_WRITE_ONLY"), (7, "CL_MEM_READ_ONLY")):
    _record = f"clCreateSubBuffer/CL_INVALID_VALUE/{_number}"
    rules.clause_part(_record)(_contradicts_flag(_flag, CONTRADICTING_FLAGS[_flag]))
    rules.words[_record] = (
        f"buffer was created with {_flag}, and flags contains {' or '.join(CONTRADICTING_FLAGS[_flag])}."
    )
for _number, _flag in ((8, "CL_MEM_HOST_WRITE_ONLY"), (9, "CL_MEM_HOST_READ_ONLY"), (10, "CL_MEM_HOST_NO_ACCESS")):
    _record, _others = f"clCreateSubBuffer/CL_INVALID_VALUE/{_number}", CONTRADICTING_HOST_FLAGS[_flag]
    rules.clause_part(_record)(_contradicts_flag(_flag, _others))
    rules.words[_record] = f"buffer was created with {_flag}, and flags contains {' or '.join(_others)}."


@rules.clause_part("clCreateSubBuffer/CL_INVALID_VALUE/11")
def has_host_ptr_flag(call: Call, model: Model) -> PredicateResult:
    """flags contains CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR."""
    return must_if(any(call.flags & model.constant_value(name) for name in FROM_HOST))


# Commands


def _exceeds_buffer(offset: int, size: int, buffer: Value, model: Model) -> bool:
    return buffer is not None and offset + size > model.get(Buffer, buffer).size


@rules.clause_part("clEnqueueCopyBuffer/CL_INVALID_VALUE/2")
def is_source_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """src_offset + size exceeds the size of src_buffer."""
    return must_if(_exceeds_buffer(call.src_offset, call.size, call.src_buffer, model))


@rules.clause_part("clEnqueueCopyBuffer/CL_INVALID_VALUE/3")
def is_destination_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """dst_offset + size exceeds the size of dst_buffer."""
    return must_if(_exceeds_buffer(call.dst_offset, call.size, call.dst_buffer, model))


@rules.clause_part("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/2", "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/2")
def overlaps_within_buffer(call: Call, model: Model) -> PredicateResult:
    """src_buffer and dst_buffer are the same buffer, and the source and destination regions overlap."""
    return must_if(model.get(Buffer, call.src_buffer) is model.get(Buffer, call.dst_buffer))


@rules.clause_part("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/3", "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/3")
def overlaps_between_sub_buffers(call: Call, model: Model) -> PredicateResult:
    """src_buffer and dst_buffer are different sub-buffers of one buffer, and their copied regions overlap."""
    return must_if(model.get(Buffer, call.src_buffer) is not model.get(Buffer, call.dst_buffer))


for _function in ("clEnqueueCopyBuffer", "clEnqueueCopyBufferRect"):
    rules.untestable(
        f"{_function}/CL_MEM_COPY_OVERLAP/4",
        "Appendix D defines when copied regions overlap.",
        "the sentence only refers to the rule; the two conditions before it check the rule",
    )


@rules.clause_part("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/4", "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/4")
def is_never_violated(call: Call, model: Model) -> PredicateResult:
    """Appendix D defines when copied regions overlap.

    No call can violate this sentence by itself.
    """
    del call, model
    return NO


@rules.clause_part("clEnqueueCopyBufferRect/CL_INVALID_VALUE/9")
def is_source_rectangle_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """The region at src_origin extends beyond the end of src_buffer."""
    return is_side_out_of_bounds("src", call.src_buffer, call, model)


@rules.clause_part("clEnqueueCopyBufferRect/CL_INVALID_VALUE/10")
def is_destination_rectangle_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """The region at dst_origin extends beyond the end of dst_buffer."""
    return is_side_out_of_bounds("dst", call.dst_buffer, call, model)


def _has_slice_pitch_fault(side: str, fault: int) -> Predicate:
    def holds(call: Call, model: Model) -> PredicateResult:
        """Return whether the slice pitch is too small (``fault`` 0) or not a multiple of the row pitch (1)."""
        del model
        return must_if(slice_pitch_faults(call, side)[fault])

    return holds


for _number, _side, _fault in ((11, "src", 0), (12, "src", 1), (13, "dst", 0), (14, "dst", 1)):
    _record = f"clEnqueueCopyBufferRect/CL_INVALID_VALUE/{_number}"
    _words = "is not a multiple of" if _fault else "is less than region[1] *"
    rules.clause_part(_record)(_has_slice_pitch_fault(_side, _fault))
    rules.words[_record] = f"{_side}_slice_pitch is nonzero and {_words} {_side}_row_pitch."


@rules.clause_part("clEnqueueFillBuffer/CL_INVALID_VALUE/6", "clEnqueueSVMMemFill/CL_INVALID_VALUE/7")
def is_pattern_size_not_power_of_two(call: Call, model: Model) -> PredicateResult:
    """pattern_size is not a power of two."""
    del model
    return must_if(call.pattern_size > 0 and bool(call.pattern_size & (call.pattern_size - 1)))


@rules.clause_part("clEnqueueFillBuffer/CL_INVALID_VALUE/7", "clEnqueueSVMMemFill/CL_INVALID_VALUE/8")
def is_pattern_size_too_large(call: Call, model: Model) -> PredicateResult:
    """pattern_size is greater than 128."""
    del model
    return must_if(bool(call.pattern_size > max(PATTERN_SIZES)))


@rules.clause_part("clEnqueueFillBuffer/CL_INVALID_VALUE/8")
def is_offset_not_multiple(call: Call, model: Model) -> PredicateResult:
    """offset is not a multiple of pattern_size."""
    del model
    return must_if(bool(call.pattern_size and call.offset % call.pattern_size))


@rules.clause_part("clEnqueueFillBuffer/CL_INVALID_VALUE/9")
def is_size_not_multiple(call: Call, model: Model) -> PredicateResult:
    """size is not a multiple of pattern_size."""
    del model
    return must_if(bool(call.pattern_size and call.size % call.pattern_size))


@rules.clause_part("clEnqueueMapBuffer/CL_INVALID_VALUE/2")
def is_mapping_out_of_bounds(call: Call, model: Model) -> PredicateResult:
    """offset + size exceeds the size of buffer."""
    return must_if(_exceeds_buffer(call.offset, call.size, call.buffer, model))


@rules.clause_part("clEnqueueMapBuffer/CL_INVALID_VALUE/4", "clEnqueueMapImage/CL_INVALID_VALUE/9")
def are_new_map_flags_invalid(call: Call, model: Model) -> PredicateResult:
    """map_flags is not valid."""
    return are_map_flags_invalid(call, model)


@rules.clause_part("clEnqueueMapBuffer/CL_INVALID_OPERATION/3", "clEnqueueMapImage/CL_INVALID_OPERATION/4")
def is_host_read_forbidden(call: Call, model: Model) -> PredicateResult:
    """map_flags requests read access, and the host must not read the buffer or image.

    The buffer or image was created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS.
    """
    return must_if(is_host_read_denied(_mapped_object(call, model), call, model))


@rules.clause_part("clEnqueueMapBuffer/CL_INVALID_OPERATION/4", "clEnqueueMapImage/CL_INVALID_OPERATION/5")
def is_host_write_forbidden(call: Call, model: Model) -> PredicateResult:
    """map_flags requests write access, and the host must not write the buffer or image.

    The buffer or image was created with CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS.
    """
    return must_if(is_host_write_denied(_mapped_object(call, model), call, model))


def _mapped_object(call: Call, model: Model) -> MemoryObject:
    return model.get(MemoryObject, call.arguments.get("buffer", call.arguments.get("image")))


# Properties of imported memory: the predicates are also parts of the whole condition

rules.clause_part(
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/5", "clCreateImageWithProperties/CL_INVALID_PROPERTY/5"
)(is_property_unknown)
rules.clause_part(
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/6", "clCreateImageWithProperties/CL_INVALID_PROPERTY/6"
)(is_property_value_invalid)
rules.clause_part(
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/7", "clCreateImageWithProperties/CL_INVALID_PROPERTY/7"
)(is_property_repeated)
