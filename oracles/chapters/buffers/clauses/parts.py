"""Error conditions that revisions from 3.1.0 on split off from an older condition: buffers (sections 5.2, 5.6).

Conditions that images share with buffers are also here: host pointers, and host access through mappings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.clauses.imported import given_in
from clconform.oracles.chapters.buffers.clauses.ranges import PATTERNS
from clconform.oracles.chapters.buffers.clauses.rectangles import faults_of_slices, side_out_of_bounds
from clconform.oracles.chapters.buffers.clauses.sub_buffers import (
    CONTRADICTED,
    CONTRADICTED_FOR_THE_HOST,
    FROM_HOST,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.pointed_memory import SvmAllocation
from clconform.oracles.recurring.maps import fixed_for_the_host, hidden_from_the_host, map_flags_not_valid
from clconform.oracles.recurring.memory import WANTING

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.model.world import Model

rules = Rules()

# Buffer creation


ANDROID = "CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR"


@rules.part("clCreateBuffer/CL_INVALID_BUFFER_SIZE/2")
def of_no_byte(call: Call, model: Model) -> Reply:
    """size is 0."""
    del model
    return bool(call.size == 0)


@rules.part("clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/2")
def of_no_byte_but_imported(call: Call, model: Model) -> Reply:
    """size is 0, and properties contains no AHardwareBuffer handle, whose buffer has a size of its own."""
    imported = model.value(ANDROID)
    return call.size == 0 and all(each.name != imported for each in given_in(call.properties, model) or ())


@rules.part("clCreateBuffer/CL_INVALID_BUFFER_SIZE/3", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/4")
def larger_than_any_allocation(call: Call, model: Model) -> Reply:
    """size exceeds CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device of context."""
    devices = model.context(call.context).devices
    return all(call.size > device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in devices)


@rules.part("clCreateBuffer/CL_INVALID_BUFFER_SIZE/4", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/5")
def larger_than_its_shared_memory(call: Call, model: Model) -> Reply:
    """flags contains CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR, and size exceeds the SVM allocation at host_ptr."""
    host = model.known(call.host_ptr)
    used = any(call.flags & model.value(name) for name in WANTING)
    return used and isinstance(host, SvmAllocation) and call.size > host.size


@rules.part(
    "clCreateBuffer/CL_INVALID_HOST_PTR/4",
    "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/3",
    "clCreateImage/CL_INVALID_HOST_PTR/3",
    "clCreateImageWithProperties/CL_INVALID_HOST_PTR/3",
)
def no_address_to_use(call: Call, model: Model) -> Reply:
    """host_ptr is NULL, and flags contains CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR."""
    del model
    return call.host_ptr is None


@rules.part(
    "clCreateBuffer/CL_INVALID_HOST_PTR/5",
    "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/4",
    "clCreateImage/CL_INVALID_HOST_PTR/4",
    "clCreateImageWithProperties/CL_INVALID_HOST_PTR/4",
)
def address_of_no_use(call: Call, model: Model) -> Reply:
    """host_ptr is not NULL, and flags contains neither CL_MEM_USE_HOST_PTR nor CL_MEM_COPY_HOST_PTR."""
    del model
    return call.host_ptr is not None


# Flags of a sub-buffer that contradict those of its buffer


def _against(flag: str, others: tuple[str, ...]) -> Predicate:
    """Return the predicate that the buffer has a flag, and flags contains one of those that contradict it."""

    def holds(call: Call, model: Model) -> Reply:
        """Return whether the flags of the buffer and of the call contradict each other."""
        own = model.get(Buffer, call.buffer).flags if call.buffer is not None else 0
        return bool(own & model.value(flag)) and any(call.flags & model.value(other) for other in others)

    return holds


for _number, _flag in ((6, "CL_MEM_WRITE_ONLY"), (7, "CL_MEM_READ_ONLY")):
    _record = f"clCreateSubBuffer/CL_INVALID_VALUE/{_number}"
    rules.part(_record)(_against(_flag, CONTRADICTED[_flag]))
    rules.words[_record] = f"buffer was created with {_flag}, and flags contains {' or '.join(CONTRADICTED[_flag])}."
for _number, _flag in ((8, "CL_MEM_HOST_WRITE_ONLY"), (9, "CL_MEM_HOST_READ_ONLY"), (10, "CL_MEM_HOST_NO_ACCESS")):
    _record, _others = f"clCreateSubBuffer/CL_INVALID_VALUE/{_number}", CONTRADICTED_FOR_THE_HOST[_flag]
    rules.part(_record)(_against(_flag, _others))
    rules.words[_record] = f"buffer was created with {_flag}, and flags contains {' or '.join(_others)}."


@rules.part("clCreateSubBuffer/CL_INVALID_VALUE/11")
def memory_of_its_own(call: Call, model: Model) -> Reply:
    """flags contains CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR."""
    return any(call.flags & model.value(name) for name in FROM_HOST)


# Commands


def _beyond(offset: int, size: int, buffer: Value, model: Model) -> bool:
    return buffer is not None and offset + size > model.get(Buffer, buffer).size


@rules.part("clEnqueueCopyBuffer/CL_INVALID_VALUE/2")
def copied_from_beyond(call: Call, model: Model) -> Reply:
    """src_offset + size exceeds the size of src_buffer."""
    return _beyond(call.src_offset, call.size, call.src_buffer, model)


@rules.part("clEnqueueCopyBuffer/CL_INVALID_VALUE/3")
def copied_to_beyond(call: Call, model: Model) -> Reply:
    """dst_offset + size exceeds the size of dst_buffer."""
    return _beyond(call.dst_offset, call.size, call.dst_buffer, model)


@rules.part("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/2", "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/2")
def copied_within_a_buffer(call: Call, model: Model) -> Reply:
    """src_buffer and dst_buffer are the same, and the source and destination regions overlap."""
    return model.get(Buffer, call.src_buffer) is model.get(Buffer, call.dst_buffer)


@rules.part("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/3", "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/3")
def copied_between_regions(call: Call, model: Model) -> Reply:
    """src_buffer and dst_buffer are different sub-buffers of one buffer, and their copied regions overlap."""
    return model.get(Buffer, call.src_buffer) is not model.get(Buffer, call.dst_buffer)


for _function in ("clEnqueueCopyBuffer", "clEnqueueCopyBufferRect"):
    rules.untestable(
        f"{_function}/CL_MEM_COPY_OVERLAP/4",
        "An appendix defines the overlap of copied regions.",
        "the sentence only refers to the rule; the two conditions before it check the rule",
    )


@rules.part("clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/4", "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/4")
def no_condition(call: Call, model: Model) -> Reply:
    """An appendix defines the overlap of copied regions."""
    del call, model
    return False


@rules.part("clEnqueueCopyBufferRect/CL_INVALID_VALUE/9")
def rectangle_from_beyond(call: Call, model: Model) -> Reply:
    """The region at src_origin extends beyond the end of src_buffer."""
    return side_out_of_bounds("src", call.src_buffer, call, model)


@rules.part("clEnqueueCopyBufferRect/CL_INVALID_VALUE/10")
def rectangle_to_beyond(call: Call, model: Model) -> Reply:
    """The region at dst_origin extends beyond the end of dst_buffer."""
    return side_out_of_bounds("dst", call.dst_buffer, call, model)


def _slices(side: str, fault: int) -> Predicate:
    def holds(call: Call, model: Model) -> Reply:
        """Return whether a slice pitch has a fault: 0, it is too small; 1, it is not a multiple of the row pitch."""
        del model
        return faults_of_slices(call, side)[fault]

    return holds


for _number, _side, _fault in ((11, "src", 0), (12, "src", 1), (13, "dst", 0), (14, "dst", 1)):
    _record = f"clEnqueueCopyBufferRect/CL_INVALID_VALUE/{_number}"
    _words = "is not a multiple of" if _fault else "is less than region[1] *"
    rules.part(_record)(_slices(_side, _fault))
    rules.words[_record] = f"{_side}_slice_pitch is not 0 and {_words} {_side}_row_pitch."


@rules.part("clEnqueueFillBuffer/CL_INVALID_VALUE/6", "clEnqueueSVMMemFill/CL_INVALID_VALUE/7")
def no_power_of_two(call: Call, model: Model) -> Reply:
    """pattern_size is not a power of two."""
    del model
    return call.pattern_size > 0 and bool(call.pattern_size & (call.pattern_size - 1))


@rules.part("clEnqueueFillBuffer/CL_INVALID_VALUE/7", "clEnqueueSVMMemFill/CL_INVALID_VALUE/8")
def larger_than_any_type(call: Call, model: Model) -> Reply:
    """pattern_size is greater than 128."""
    del model
    return bool(call.pattern_size > max(PATTERNS))


@rules.part("clEnqueueFillBuffer/CL_INVALID_VALUE/8")
def offset_out_of_step(call: Call, model: Model) -> Reply:
    """offset is not a multiple of pattern_size."""
    del model
    return bool(call.pattern_size and call.offset % call.pattern_size)


@rules.part("clEnqueueFillBuffer/CL_INVALID_VALUE/9")
def size_out_of_step(call: Call, model: Model) -> Reply:
    """size is not a multiple of pattern_size."""
    del model
    return bool(call.pattern_size and call.size % call.pattern_size)


@rules.part("clEnqueueMapBuffer/CL_INVALID_VALUE/2")
def mapped_beyond(call: Call, model: Model) -> Reply:
    """offset + size exceeds the size of buffer."""
    return _beyond(call.offset, call.size, call.buffer, model)


@rules.part("clEnqueueMapBuffer/CL_INVALID_VALUE/4", "clEnqueueMapImage/CL_INVALID_VALUE/9")
def mapped_with_other_flags(call: Call, model: Model) -> Reply:
    """map_flags is not valid."""
    return map_flags_not_valid(call, model)


@rules.part("clEnqueueMapBuffer/CL_INVALID_OPERATION/3", "clEnqueueMapImage/CL_INVALID_OPERATION/4")
def not_to_be_read(call: Call, model: Model) -> Reply:
    """map_flags requests read access, and the object has a flag that forbids the host to read it."""
    return hidden_from_the_host(_mapped(call, model), call, model)


@rules.part("clEnqueueMapBuffer/CL_INVALID_OPERATION/4", "clEnqueueMapImage/CL_INVALID_OPERATION/5")
def not_to_be_written(call: Call, model: Model) -> Reply:
    """map_flags requests write access, and the object has a flag that forbids the host to write it."""
    return fixed_for_the_host(_mapped(call, model), call, model)


def _mapped(call: Call, model: Model) -> MemoryObject:
    return model.get(MemoryObject, call.arguments.get("buffer", call.arguments.get("image")))
