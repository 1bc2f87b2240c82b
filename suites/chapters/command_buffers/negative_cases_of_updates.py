"""Updates of recorded kernels (section 5.17.7): variations of the calls and of each field in their structures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import (
    ArgumentUpdate,
    Data,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    HandleBytes,
    InfoUpdate,
    OutputBuffer,
    Pointers,
)
from clconform.suites.chapters.command_buffers.update_lists import (
    RECORD_KERNEL,
    change_first_update,
    get_first_update,
    get_updatable_bits,
    list_updates,
    record_updatable,
    update_buffer_argument,
)
from clconform.suites.chapters.execution.groups import get_largest_group
from clconform.suites.chapters.execution.kernels import (
    create_range_kernel,
    get_add_scaled,
    get_ready_kernel,
    get_standard_option,
)
from clconform.suites.chapters.execution.negative_cases import (
    create_kernel_with_sub_groups,
    create_region_for_another_device,
)
from clconform.suites.chapters.execution.negative_cases_of_ranges import get_largest_size
from clconform.suites.chapters.execution.range_kit import NON_UNIFORM
from clconform.suites.chapters.memory_model.add_kernel import create_add_kernel
from clconform.suites.chapters.svm.valid_calls import allocate_shared
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import has_version, require_handle, skip_unless
from clconform.suites.kit.queues import RECORDING_FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

UPDATE = "clUpdateMutableCommandsKHR"
GROUPS: dict[str, Value] = {"global_work_size": ElementList((16,)), "local_work_size": ElementList((4,))}


def _with_fields(kit: Kit, given: Arguments, **fields: object) -> dict[str, Value]:
    return change_first_update(kit, given, **fields)


def change_fields(**fields: object) -> Callable[[Kit, Arguments], dict[str, Value]]:
    """Return a function that changes these fields of the valid call's update."""
    return lambda kit, given: _with_fields(kit, given, **fields)


# the call


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/2")
def immutable_command_buffers() -> Iterator[Variation]:
    """Yield command-buffers without the mutable flag; the call passes an empty list of updates."""
    nothing: dict[str, Value] = {"num_configs": 0, "config_types": None, "configs": None}
    yield Variation("no flags", lambda kit, _given: {"command_buffer": kit.finalized_command_buffer(), **nothing})
    yield Variation(
        "flags without it",
        lambda kit, _given: {
            "command_buffer": kit.finalized_command_buffer(kit.property_list(RECORDING_FLAGS, 0)),
            **nothing,
        },
    )


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/3")
def unknown_types() -> Iterator[Variation]:
    """Yield unknown values in ``config_types``."""
    for number in (1, 0x7FFFFFFF, 0xFFFFFFFF):
        yield Variation(f"config_types={{{number:#x}}}", {"config_types": ElementList((number,))})


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/4")
def null_configs() -> Iterator[Variation]:
    """Yield NULL as the only update, and NULL after an update."""
    yield Variation("{NULL}", {"configs": DispatchConfigs((None,))})
    yield Variation("{an update, NULL}", lambda kit, given: list_updates(kit, get_first_update(given), None))


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_MUTABLE_COMMAND_KHR/1")
def invalid_commands() -> Iterator[Variation]:
    """Yield NULL as the command, and a command of another command-buffer."""
    yield Variation("command=NULL", change_fields(command=None))
    yield Variation("a command of another command-buffer", _with_foreign_command)


def _with_foreign_command(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _with_fields(kit, given, command=record_updatable(kit)[1])


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/1")
def unfinalized_command_buffers() -> Iterator[Variation]:
    """Yield an update of a kernel whose command-buffer is still recording."""
    yield Variation("a command-buffer that records still", _with_recording_command_buffer)


def _with_recording_command_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, command = record_updatable(kit)
    return {"command_buffer": buffer, **list_updates(kit, DispatchConfig(command, work_dim=1))}


@variations.declare("clUpdateMutableCommandsKHR/success")
def empty_updates() -> Iterator[Variation]:
    """Yield a call without updates."""
    yield Variation("no update", {"num_configs": 0, "config_types": None, "configs": None})


# properties that updates must not change


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3")
def changed_uniformity() -> Iterator[Variation]:
    """Yield updates that change whether the local size divides the global size."""
    yield Variation("a size that groups do not fit", bind_values(_with_non_uniform_kernel, (16,), (4,), (18,), None))
    yield Variation("groups that do not fit", bind_values(_with_non_uniform_kernel, (16,), (4,), None, (3,)))
    yield Variation("a size that groups fit", bind_values(_with_non_uniform_kernel, (18,), (4,), (16,), None))


DIMENSIONS = 3
Sizes = tuple[int, ...] | None


def _with_non_uniform_kernel(
    kit: Kit, given: Arguments, recorded_size: Sizes, recorded_local: Sizes, updated_size: Sizes, updated_local: Sizes
) -> dict[str, Value]:
    """Record a kernel that supports non-uniform work-groups, and return an update of its sizes."""
    skip_unless(has_version(kit.cl, (2, 0)), "requires OpenCL 2.0 (non-uniform work-groups)")
    skip_unless(not has_version(kit.cl, (3, 0)) or kit.cl.fact(NON_UNIFORM), "the device lacks non-uniform work-groups")
    kernel = create_range_kernel(kit, "tell_ids", get_standard_option(kit))
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(kit.first_buffer))
    return _with_updated_sizes(kit, given, recorded_size, recorded_local, updated_size, updated_local, kernel)


def _with_updated_sizes(
    kit: Kit,
    _given: Arguments,
    recorded_size: Sizes,
    recorded_local: Sizes,
    updated_size: Sizes,
    updated_local: Sizes,
    kernel: Handle | None = None,
) -> dict[str, Value]:
    """Record a kernel with sizes, query its largest work-group, and return an update to other sizes.

    ``recorded_size``, ``recorded_local``: the recorded global and local sizes. ``updated_size``, ``updated_local``: the
    sizes in the update; None leaves the recorded size unchanged.
    """
    fields = (["GLOBAL_SIZE"] if updated_size else []) + (["LOCAL_SIZE"] if updated_local else [])
    get_updatable_bits(kit, *fields)
    launched = kernel or get_ready_kernel(kit)
    get_largest_group(kit, launched)
    recorded: dict[str, Value] = {
        "kernel": launched,
        "work_dim": len(recorded_size or ()),
        "global_work_size": ElementList(recorded_size or ()),
        "local_work_size": ElementList(recorded_local) if recorded_local else None,
    }
    buffer, command = record_updatable(kit, recorded)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    config = DispatchConfig(
        command, work_dim=len(recorded_size or ()), global_work_size=updated_size, local_work_size=updated_local
    )
    return {"command_buffer": buffer, **list_updates(kit, config)}


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/4")
def changed_dimensions() -> Iterator[Variation]:
    """Yield zero, two and three dimensions for a kernel command with one dimension."""
    for number in (0, 2, 3):
        yield Variation(f"work_dim={number}", change_fields(work_dim=number))


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/10")
def excessive_dimensions() -> Iterator[Variation]:
    """Yield more dimensions than a range can have."""
    yield Variation("work_dim=4", change_fields(work_dim=4))


def _with_fixed_field(kit: Kit, _given: Arguments, field: str, **fields: object) -> dict[str, Value]:
    """Record a kernel with one field that must not be updated, and return an update of that field.

    ``fields``: the changed fields of the update.
    """
    every = kit.cl.fact("CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR") or 0
    others = every & ~kit.constant(f"CL_MUTABLE_DISPATCH_{field}_KHR")
    buffer, command = record_updatable(kit, GROUPS, others)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    start: dict[str, Value] = {"command_buffer": buffer, **list_updates(kit, DispatchConfig(command, work_dim=1))}
    return {"command_buffer": buffer, **change_first_update(kit, start, **fields)}


def _fix_field(field: str, **fields: object) -> Callable[[Kit, Arguments], dict[str, Value]]:
    return lambda kit, given: _with_fixed_field(kit, given, field, **fields)


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/5")
def fixed_offset() -> Iterator[Variation]:
    """Yield an offset for a kernel command whose offset must not be updated."""
    yield Variation("an offset", _fix_field("GLOBAL_OFFSET", global_work_offset=(2,)))


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/6")
def fixed_global_size() -> Iterator[Variation]:
    """Yield a global size for a kernel command whose global size must not be updated."""
    yield Variation("a global size", _fix_field("GLOBAL_SIZE", global_work_size=(8,)))


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/7")
def fixed_local_size() -> Iterator[Variation]:
    """Yield a local size for a kernel command whose local size must not be updated."""
    yield Variation("a local size", _fix_field("LOCAL_SIZE", local_work_size=(2,)))


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/8")
def fixed_arguments() -> Iterator[Variation]:
    """Yield arguments for a kernel command whose arguments must not be updated."""
    yield Variation("an argument", _with_fixed_arguments)
    yield Variation("a pointer", _with_a_fixed_pointer)


def _with_fixed_arguments(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _with_fixed_field(
        kit, given, "ARGUMENTS", num_args=1, arg_list=(update_buffer_argument(kit, kit.second_buffer),)
    )


def _with_a_fixed_pointer(kit: Kit, given: Arguments) -> dict[str, Value]:
    skip_unless(kit.has_svm(), "the device has no shared virtual memory")
    listed = (ArgumentUpdate(0, 0, allocate_shared(kit)),)
    return _with_fixed_field(kit, given, "ARGUMENTS", num_svm_args=1, arg_svm_list=listed)


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/9")
def fixed_infos() -> Iterator[Variation]:
    """Yield execution info for a kernel command whose execution info must not be updated."""
    yield Variation("an info", _with_a_fixed_info)


def _with_a_fixed_info(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _with_fixed_field(kit, given, "EXEC_INFO", num_exec_infos=1, exec_info_list=(_svm_pointers_info(kit),))


def _svm_pointers_info(kit: Kit) -> InfoUpdate:
    skip_unless(kit.has_svm(), "the device has no shared virtual memory")
    return InfoUpdate(
        kit.constant("CL_KERNEL_EXEC_INFO_SVM_PTRS"), kit.pointer_bytes, Pointers((allocate_shared(kit),))
    )


# counts and lists


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5")
def inconsistent_argument_lists() -> Iterator[Variation]:
    """Yield a number of arguments without a list, and a list without a number."""
    yield Variation("num_args=1 with NULL", change_fields(num_args=1))
    yield Variation(
        "num_args=0 with a list",
        lambda kit, given: _with_fields(kit, given, arg_list=(update_buffer_argument(kit, kit.second_buffer),)),
    )


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6")
def inconsistent_pointer_lists() -> Iterator[Variation]:
    """Yield a number of SVM pointers without a list, and a list without a number."""
    yield Variation("num_svm_args=1 with NULL", change_fields(num_svm_args=1))
    yield Variation(
        "num_svm_args=0 with a list",
        lambda kit, given: _with_fields(kit, given, arg_svm_list=(_svm_pointer_update(kit),)),
    )


def _svm_pointer_update(kit: Kit, index: int = 0) -> ArgumentUpdate:
    skip_unless(kit.has_svm(), "the device has no shared virtual memory")
    return ArgumentUpdate(index, 0, allocate_shared(kit))


@variations.declare("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7")
def inconsistent_info_lists() -> Iterator[Variation]:
    """Yield a number of execution infos without a list, and a list without a number."""
    yield Variation("num_exec_infos=1 with NULL", change_fields(num_exec_infos=1))
    yield Variation(
        "num_exec_infos=0 with a list",
        lambda kit, given: _with_fields(kit, given, exec_info_list=(_svm_pointers_info(kit),)),
    )


# values that other functions reject


def _with_argument(kit: Kit, given: Arguments, index: int, size: int, value: Data | None) -> dict[str, Value]:
    skip_unless(size != kit.pointer_bytes, f"a handle has {size} bytes")
    get_updatable_bits(kit, "ARGUMENTS")
    return _with_fields(kit, given, num_args=1, arg_list=(ArgumentUpdate(index, size, value),))


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_ARG_INDEX/1")
def invalid_argument_indices() -> Iterator[Variation]:
    """Yield argument indices: the index after the last argument, and the largest number."""
    yield Variation("arg_index=1", lambda kit, given: _with_buffer(kit, given, 1))
    yield Variation("arg_index=UINT_MAX", lambda kit, given: _with_buffer(kit, given, 0xFFFFFFFF))


def _with_buffer(kit: Kit, given: Arguments, index: int) -> dict[str, Value]:
    get_updatable_bits(kit, "ARGUMENTS")
    return _with_fields(kit, given, num_args=1, arg_list=(update_buffer_argument(kit, kit.second_buffer, index),))


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_ARG_SIZE/1")
def arguments_of_other_sizes() -> Iterator[Variation]:
    """Yield argument sizes that differ from the size of a handle."""
    for size in (4, 16):
        yield Variation(f"arg_size={size}", bind_values(_with_argument, 0, size, Data(bytes(size))))


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArgSVMPointer/CL_INVALID_ARG_INDEX/1")
def invalid_pointer_indices() -> Iterator[Variation]:
    """Yield the index after the last argument, for an SVM pointer."""
    yield Variation("arg_index=1", _with_pointer_after_last)


def _with_pointer_after_last(kit: Kit, given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "ARGUMENTS")
    return _with_fields(kit, given, num_svm_args=1, arg_svm_list=(_svm_pointer_update(kit, 1),))


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelExecInfo/CL_INVALID_VALUE/1")
def unknown_infos() -> Iterator[Variation]:
    """Yield an execution info with an unknown name, and an execution info without a value."""
    yield Variation("an unknown name", bind_values(_with_info, 0x7FFF0001, 8))
    yield Variation("no value", _with_info_without_value)


def _with_info(kit: Kit, given: Arguments, name: int, size: int) -> dict[str, Value]:
    get_updatable_bits(kit, "EXEC_INFO")
    return _with_fields(kit, given, num_exec_infos=1, exec_info_list=(InfoUpdate(name, size, Data(bytes(8))),))


def _with_info_without_value(kit: Kit, given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "EXEC_INFO")
    info = InfoUpdate(kit.constant("CL_KERNEL_EXEC_INFO_SVM_PTRS"), kit.pointer_bytes, None)
    return _with_fields(kit, given, num_exec_infos=1, exec_info_list=(info,))


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1")
def offsets_beyond_the_device() -> Iterator[Variation]:
    """Yield an offset that makes the last global id too large."""
    yield Variation("the largest offset", lambda kit, given: _with_offset(kit, given, kit.size_max))


def _with_offset(kit: Kit, given: Arguments, offset: int) -> dict[str, Value]:
    get_updatable_bits(kit, "GLOBAL_OFFSET")
    return _with_fields(kit, given, global_work_offset=(offset,))


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1")
def empty_ranges() -> Iterator[Variation]:
    """Yield a range without work-items."""
    yield Variation("no work-items", _with_empty_range)


def _with_empty_range(kit: Kit, given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "GLOBAL_SIZE")
    return _with_fields(kit, given, global_work_size=(0,))


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1")
def svm_unsupported_by_the_device() -> Iterator[Variation]:
    """Yield an SVM pointer in an update for a device without SVM, where another device of the context has SVM."""
    yield Variation("shared memory of another device", _with_svm_of_another_device)


def _with_svm_of_another_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    other = kit.other_available_device
    skip_unless(not kit.cl.fact("CL_DEVICE_SVM_CAPABILITIES", other), "the other device has shared virtual memory, too")
    get_updatable_bits(kit, "ARGUMENTS")
    both = kit.for_context(kit.new_context(kit.cl.device, other))
    memory, kernel = both.svm(), create_add_kernel(both, both.buffer(), kit.cl.device, other)
    buffer = both.command_buffer(
        both.property_list(RECORDING_FLAGS, "CL_COMMAND_BUFFER_MUTABLE_KHR"), both.command_buffer_queue(other)
    )
    given: dict[str, Value] = {"command_buffer": buffer, "kernel": kernel, "global_work_size": ElementList((16,))}
    command = require_handle(both.call(RECORD_KERNEL, mutable_handle=OutputBuffer(1), **given), "mutable_handle")
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    update = DispatchConfig(
        command, num_svm_args=1, work_dim=1, arg_svm_list=(ArgumentUpdate(0, kit.pointer_bytes, memory),)
    )
    return {"command_buffer": buffer, **list_updates(kit, update)}


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3")
def oversized_groups() -> Iterator[Variation]:
    """Yield work-groups that exceed the device's limit by one work-item. The global size is twice the local size."""
    yield Variation("one work-item too many", _with_oversized_group)


def _with_oversized_group(kit: Kit, _given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "GLOBAL_SIZE", "LOCAL_SIZE")
    most = kit.cl.fact("CL_DEVICE_MAX_WORK_GROUP_SIZE") or 0
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(kit.first_buffer))
    return _with_updated_sizes(kit, _given, (16, 16), (2, 2), (most * 2, 2), (most, 2), kernel)


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2")
def undersized_groups() -> Iterator[Variation]:
    """Yield work-groups with fewer work-items than the sub-groups that the kernel's module requires."""
    yield Variation("groups of 1 where 2 sub-groups are required", _with_undersized_group)


def _with_undersized_group(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _with_updated_sizes(kit, given, (16,), (8,), None, (1,), create_kernel_with_sub_groups(kit))


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1")
def groups_oversized_in_one_dimension() -> Iterator[Variation]:
    """Yield work-groups with more work-items in one dimension than the device allows."""
    yield Variation("more in the third dimension", _with_group_oversized_in_one_dimension)


def _with_group_oversized_in_one_dimension(kit: Kit, _given: Arguments) -> dict[str, Value]:
    sizes: tuple[int, ...] = kit.cl.fact("CL_DEVICE_MAX_WORK_ITEM_SIZES") or ()
    most = kit.cl.fact("CL_DEVICE_MAX_WORK_GROUP_SIZE") or 0
    skip_unless(len(sizes) == DIMENSIONS and sizes[-1] < most, "the third dimension is as large as a work-group")
    size = (1, 1, int(sizes[-1]) + 1)
    return _with_updated_sizes(kit, _given, (1, 1, 4), (1, 1, 2), size, size)


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4")
def groups_not_dividing_the_range() -> Iterator[Variation]:
    """Yield work-groups that do not divide the range, for a kernel recorded without a local size."""
    yield Variation("groups of 3 for 16 work-items", bind_values(_with_updated_sizes, (16,), None, None, (3,)))


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1")
def groups_unlike_the_required_size() -> Iterator[Variation]:
    """Yield work-groups of 2 work-items for a kernel that requires 4."""
    yield Variation("groups of 2 where 4 are required", _with_other_group_size)


def _with_other_group_size(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _with_updated_sizes(kit, given, (16,), (4,), None, (2,), get_add_scaled(kit))


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2")
def sizes_beyond_the_device() -> Iterator[Variation]:
    """Yield a size that exceeds the device's size_t but not the host's."""
    yield Variation(
        "most+1", lambda kit, given: _with_updated_sizes(kit, given, (16,), None, (get_largest_size(kit) + 1,), None)
    )


@variations.declare("clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1")
def misaligned_arguments() -> Iterator[Variation]:
    """Yield a sub-buffer argument that is misaligned for the queue's device but aligned for another device."""
    yield Variation("an argument aligned for another device only", _with_misaligned_region)


def _with_misaligned_region(kit: Kit, _given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "ARGUMENTS")
    both, region = create_region_for_another_device(kit)
    buffer, command = record_updatable(both)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    config = DispatchConfig(command, num_args=1, work_dim=1, arg_list=(update_buffer_argument(kit, region),))
    return {"command_buffer": buffer, **list_updates(kit, config)}


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_ARG_VALUE/1")
def arguments_of_other_types() -> Iterator[Variation]:
    """Yield an image as the argument, where the kernel expects a buffer."""
    yield Variation("an image for a buffer", _with_image_argument)


def _with_image_argument(kit: Kit, given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "ARGUMENTS")
    return _with_fields(kit, given, num_args=1, arg_list=(update_buffer_argument(kit, kit.image()),))


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1")
def pointers_without_svm() -> Iterator[Variation]:
    """Yield an SVM pointer, where no device supports SVM."""
    yield Variation("a pointer", _with_host_pointer)


def _with_host_pointer(kit: Kit, given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "ARGUMENTS")
    skip_unless(not kit.has_svm(), "the device has shared virtual memory")
    return _with_fields(kit, given, num_svm_args=1, arg_svm_list=(ArgumentUpdate(0, 0, allocate_shared(kit)),))


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelExecInfo/CL_INVALID_OPERATION/1")
def infos_without_svm() -> Iterator[Variation]:
    """Yield an SVM pointer in the execution info, where no device supports SVM."""
    yield Variation("a pointer of the host", _with_listed_host_pointer)


def _with_listed_host_pointer(kit: Kit, given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "EXEC_INFO")
    skip_unless(not kit.has_svm(), "the device has shared virtual memory")
    info = InfoUpdate(
        kit.constant("CL_KERNEL_EXEC_INFO_SVM_PTRS"), kit.pointer_bytes, Pointers((allocate_shared(kit),))
    )
    return _with_fields(kit, given, num_exec_infos=1, exec_info_list=(info,))


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelExecInfo/CL_INVALID_OPERATION/2")
def infos_without_system_svm() -> Iterator[Variation]:
    """Yield access to all host memory, where the device does not support fine-grain system SVM."""
    yield Variation("all memory of the host", _with_system_svm_info)


def _with_system_svm_info(kit: Kit, given: Arguments) -> dict[str, Value]:
    get_updatable_bits(kit, "EXEC_INFO")
    info = InfoUpdate(kit.constant("CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM"), 4, Data(bytes([1, 0, 0, 0])))
    return _with_fields(kit, given, num_exec_infos=1, exec_info_list=(info,))
