"""Updates of recorded kernels (section 5.17.7): variations of the calls, field by field of their structures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import (
    ArgumentUpdate,
    Data,
    DispatchConfig,
    DispatchConfigs,
    HandleBytes,
    InfoUpdate,
    Items,
    OutputBuffer,
    Pointers,
)
from clconform.suites.chapters.command_buffers.updating import (
    HANDLE,
    LAUNCH,
    buffer_argument,
    changed,
    configs,
    first_config,
    updatable,
    with_command,
)
from clconform.suites.chapters.execution.groups import largest_group
from clconform.suites.chapters.execution.kernels import add_scaled, range_kernel, ready, standard
from clconform.suites.chapters.execution.range_kit import NON_UNIFORM
from clconform.suites.chapters.execution.variations import in_sub_groups, region_for_another
from clconform.suites.chapters.execution.variations_of_ranges import most_of
from clconform.suites.chapters.memory_model.adding import adding
from clconform.suites.chapters.svm.valid_calls import shared
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import TOP
from clconform.suites.kit.queues import RECORDING_FLAGS
from clconform.suites.steps import at_least, needs, one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

UPDATE = "clUpdateMutableCommandsKHR"
ASSERTS, NO_MORE = "CL_MUTABLE_DISPATCH_ASSERTS_KHR", "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
GROUPS: dict[str, Value] = {"global_work_size": Items((16,)), "local_work_size": Items((4,))}


def _field(kit: Kit, given: Arguments, **fields: object) -> dict[str, Value]:
    return changed(kit, given, **fields)


def of_fields(**fields: object) -> Callable[[Kit, Arguments], dict[str, Value]]:
    """Return the difference that changes these fields of the update."""
    return lambda kit, given: _field(kit, given, **fields)


# the call


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/2")
def immutable() -> Iterator[Variation]:
    """Yield a command-buffer without the mutable flag, and an empty list of updates."""
    nothing: dict[str, Value] = {"num_configs": 0, "config_types": None, "configs": None}
    yield Variation("no flags", lambda kit, _given: {"command_buffer": kit.finalized(), **nothing})
    yield Variation(
        "flags without it",
        lambda kit, _given: {"command_buffer": kit.finalized(kit.listed(RECORDING_FLAGS, 0)), **nothing},
    )


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/3")
def unknown_types() -> Iterator[Variation]:
    """Yield unknown values in ``config_types``."""
    for number in (1, 0x7FFFFFFF, 0xFFFFFFFF):
        yield Variation(f"config_types={{{number:#x}}}", {"config_types": Items((number,))})


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/4")
def no_config() -> Iterator[Variation]:
    """Yield NULL in place of the update, and NULL after an update."""
    yield Variation("{NULL}", {"configs": DispatchConfigs((None,))})
    yield Variation("{an update, NULL}", lambda kit, given: configs(kit, first_config(given), None))


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_MUTABLE_COMMAND_KHR/1")
def no_command() -> Iterator[Variation]:
    """Yield NULL, and a command of another command-buffer."""
    yield Variation("command=NULL", of_fields(command=None))
    yield Variation("a command of another command-buffer", _of_another)


def _of_another(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _field(kit, given, command=with_command(kit)[1])


@variations.of(f"{UPDATE}/CL_INVALID_OPERATION/1")
def before_the_end() -> Iterator[Variation]:
    """Yield an update of a kernel whose command-buffer is still recording."""
    yield Variation("a command-buffer that records still", _recording)


def _recording(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, command = with_command(kit)
    return {"command_buffer": buffer, **configs(kit, DispatchConfig(command, work_dim=1))}


@variations.of(f"{UPDATE}/success")
def nothing_updated() -> Iterator[Variation]:
    """Yield a call without updates."""
    yield Variation("no update", {"num_configs": 0, "config_types": None, "configs": None})


# properties that updates must not change


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/3")
def another_uniformity() -> Iterator[Variation]:
    """Yield sizes that are no longer a multiple of the local size, and sizes that become a multiple of it."""
    yield Variation("a size that groups do not fit", bound(_uneven, (16,), (4,), (18,), None))
    yield Variation("groups that do not fit", bound(_uneven, (16,), (4,), None, (3,)))
    yield Variation("a size that groups fit", bound(_uneven, (18,), (4,), (16,), None))


THREE = 3
Sizes = tuple[int, ...] | None


def _uneven(kit: Kit, given: Arguments, size: Sizes, local: Sizes, to: Sizes, in_groups: Sizes) -> dict[str, Value]:
    """Record and update the sizes of a kernel that supports non-uniform work-groups."""
    needs(at_least(kit.cl, (2, 0)), "requires OpenCL 2.0 (non-uniform work-groups)")
    needs(not at_least(kit.cl, (3, 0)) or kit.cl.fact(NON_UNIFORM), "the device lacks non-uniform work-groups")
    kernel = range_kernel(kit, "tell_ids", standard(kit))
    kit.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(kit.first_buffer))
    return _sized(kit, given, size, local, to, in_groups, kernel)


def _sized(
    kit: Kit,
    _given: Arguments,
    size: Sizes,
    local: Sizes,
    to: Sizes,
    in_groups: Sizes,
    kernel: Handle | None = None,
) -> dict[str, Value]:
    """Record a kernel with sizes, query its largest work-group, and return an update to other sizes.

    ``size``, ``local``: the recorded sizes. ``to``, ``in_groups``: the sizes of the update; None leaves one unchanged.
    """
    fields = (["GLOBAL_SIZE"] if to else []) + (["LOCAL_SIZE"] if in_groups else [])
    updatable(kit, *fields)
    launched = kernel or ready(kit)
    largest_group(kit, launched)
    recorded: dict[str, Value] = {
        "kernel": launched,
        "work_dim": len(size or ()),
        "global_work_size": Items(size or ()),
        "local_work_size": Items(local) if local else None,
    }
    buffer, command = with_command(kit, recorded)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    config = DispatchConfig(command, work_dim=len(size or ()), global_work_size=to, local_work_size=in_groups)
    return {"command_buffer": buffer, **configs(kit, config)}


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/4")
def another_dimension() -> Iterator[Variation]:
    """Yield zero, two and three dimensions for a kernel command with one dimension."""
    for number in (0, 2, 3):
        yield Variation(f"work_dim={number}", of_fields(work_dim=number))


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/10")
def dimensions_of_no_range() -> Iterator[Variation]:
    """Yield more dimensions than a range can have."""
    yield Variation("work_dim=4", of_fields(work_dim=4))


def _fixed(kit: Kit, _given: Arguments, field: str, **fields: object) -> dict[str, Value]:
    """Record a kernel with one field that may not be updated, and return an update of that field."""
    every = kit.cl.fact("CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR") or 0
    others = every & ~kit.value(f"CL_MUTABLE_DISPATCH_{field}_KHR")
    buffer, command = with_command(kit, GROUPS, others)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    start: dict[str, Value] = {"command_buffer": buffer, **configs(kit, DispatchConfig(command, work_dim=1))}
    return {"command_buffer": buffer, **changed(kit, start, **fields)}


def _one_fixed(field: str, **fields: object) -> Callable[[Kit, Arguments], dict[str, Value]]:
    return lambda kit, given: _fixed(kit, given, field, **fields)


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/5")
def fixed_offset() -> Iterator[Variation]:
    """Yield an offset for a kernel command whose offset may not be updated."""
    yield Variation("an offset", _one_fixed("GLOBAL_OFFSET", global_work_offset=(2,)))


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/6")
def fixed_global_size() -> Iterator[Variation]:
    """Yield a global size for a kernel command whose global size may not be updated."""
    yield Variation("a global size", _one_fixed("GLOBAL_SIZE", global_work_size=(8,)))


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/7")
def fixed_local_size() -> Iterator[Variation]:
    """Yield a local size for a kernel command whose local size may not be updated."""
    yield Variation("a local size", _one_fixed("LOCAL_SIZE", local_work_size=(2,)))


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/8")
def fixed_arguments() -> Iterator[Variation]:
    """Yield arguments for a kernel command whose arguments may not be updated."""
    yield Variation("an argument", _with_fixed_arguments)
    yield Variation("a pointer", _with_a_fixed_pointer)


def _with_fixed_arguments(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _fixed(kit, given, "ARGUMENTS", num_args=1, arg_list=(buffer_argument(kit.second_buffer),))


def _with_a_fixed_pointer(kit: Kit, given: Arguments) -> dict[str, Value]:
    needs(kit.has_svm(), "the device has no shared virtual memory")
    listed = (ArgumentUpdate(0, 0, shared(kit)),)
    return _fixed(kit, given, "ARGUMENTS", num_svm_args=1, arg_svm_list=listed)


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/9")
def fixed_infos() -> Iterator[Variation]:
    """Yield execution info for a kernel command whose execution info may not be updated."""
    yield Variation("an info", _with_a_fixed_info)


def _with_a_fixed_info(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _fixed(kit, given, "EXEC_INFO", num_exec_infos=1, exec_info_list=(_pointers(kit),))


def _pointers(kit: Kit) -> InfoUpdate:
    needs(kit.has_svm(), "the device has no shared virtual memory")
    return InfoUpdate(kit.value("CL_KERNEL_EXEC_INFO_SVM_PTRS"), 8, Pointers((shared(kit),)))


# counts and lists


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/5")
def arguments_and_numbers() -> Iterator[Variation]:
    """Yield a number of arguments without a list, and a list without a number."""
    yield Variation("num_args=1 with NULL", of_fields(num_args=1))
    yield Variation(
        "num_args=0 with a list",
        lambda kit, given: _field(kit, given, arg_list=(buffer_argument(kit.second_buffer),)),
    )


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/6")
def pointers_and_numbers() -> Iterator[Variation]:
    """Yield a number of SVM pointers without a list, and a list without a number."""
    yield Variation("num_svm_args=1 with NULL", of_fields(num_svm_args=1))
    yield Variation("num_svm_args=0 with a list", lambda kit, given: _field(kit, given, arg_svm_list=(_pointer(kit),)))


def _pointer(kit: Kit, index: int = 0) -> ArgumentUpdate:
    needs(kit.has_svm(), "the device has no shared virtual memory")
    return ArgumentUpdate(index, 0, shared(kit))


@variations.of("clUpdateMutableCommandsKHR/CL_INVALID_VALUE/7")
def infos_and_numbers() -> Iterator[Variation]:
    """Yield a number of infos without a list, and a list without a number."""
    yield Variation("num_exec_infos=1 with NULL", of_fields(num_exec_infos=1))
    yield Variation(
        "num_exec_infos=0 with a list", lambda kit, given: _field(kit, given, exec_info_list=(_pointers(kit),))
    )


# values that other functions reject


def _argument(kit: Kit, given: Arguments, index: int, size: int, value: Data | None) -> dict[str, Value]:
    updatable(kit, "ARGUMENTS")
    return _field(kit, given, num_args=1, arg_list=(ArgumentUpdate(index, size, value),))


@variations.of(f"{UPDATE}/via/clSetKernelArg/CL_INVALID_ARG_INDEX/1")
def no_such_argument() -> Iterator[Variation]:
    """Yield the index after the last argument, and the largest index."""
    yield Variation("arg_index=1", lambda kit, given: _with_buffer(kit, given, 1))
    yield Variation("arg_index=UINT_MAX", lambda kit, given: _with_buffer(kit, given, 0xFFFFFFFF))


def _with_buffer(kit: Kit, given: Arguments, index: int) -> dict[str, Value]:
    updatable(kit, "ARGUMENTS")
    return _field(kit, given, num_args=1, arg_list=(buffer_argument(kit.second_buffer, index),))


@variations.of(f"{UPDATE}/via/clSetKernelArg/CL_INVALID_ARG_SIZE/1")
def arguments_of_other_sizes() -> Iterator[Variation]:
    """Yield argument sizes that differ from the size of a handle."""
    for size in (4, 16):
        yield Variation(f"arg_size={size}", bound(_argument, 0, size, Data(bytes(size))))


@variations.of(f"{UPDATE}/via/clSetKernelArgSVMPointer/CL_INVALID_ARG_INDEX/1")
def no_such_pointer() -> Iterator[Variation]:
    """Yield the index after the last argument."""
    yield Variation("arg_index=1", _pointer_behind)


def _pointer_behind(kit: Kit, given: Arguments) -> dict[str, Value]:
    updatable(kit, "ARGUMENTS")
    return _field(kit, given, num_svm_args=1, arg_svm_list=(_pointer(kit, 1),))


@variations.of(f"{UPDATE}/via/clSetKernelExecInfo/CL_INVALID_VALUE/1")
def unknown_infos() -> Iterator[Variation]:
    """Yield an unknown name, and an info without a value."""
    yield Variation("an unknown name", bound(_info, 0x7FFF0001, 8))
    yield Variation("no value", _no_value)


def _info(kit: Kit, given: Arguments, name: int, size: int) -> dict[str, Value]:
    updatable(kit, "EXEC_INFO")
    return _field(kit, given, num_exec_infos=1, exec_info_list=(InfoUpdate(name, size, Data(bytes(8))),))


def _no_value(kit: Kit, given: Arguments) -> dict[str, Value]:
    updatable(kit, "EXEC_INFO")
    info = InfoUpdate(kit.value("CL_KERNEL_EXEC_INFO_SVM_PTRS"), 8, None)
    return _field(kit, given, num_exec_infos=1, exec_info_list=(info,))


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1")
def offsets_beyond_the_device() -> Iterator[Variation]:
    """Yield an offset that makes the last global id too large."""
    yield Variation("the largest offset", lambda kit, given: _offset(kit, given, TOP))


def _offset(kit: Kit, given: Arguments, offset: int) -> dict[str, Value]:
    updatable(kit, "GLOBAL_OFFSET")
    return _field(kit, given, global_work_offset=(offset,))


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1")
def sizes_of_nothing() -> Iterator[Variation]:
    """Yield a range without work-items."""
    yield Variation("no work-items", _no_items)


def _no_items(kit: Kit, given: Arguments) -> dict[str, Value]:
    updatable(kit, "GLOBAL_SIZE")
    return _field(kit, given, global_work_size=(0,))


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1")
def shared_memory_for_another_device() -> Iterator[Variation]:
    """Yield an SVM pointer in an update for a device without SVM, where another device of the context has SVM."""
    yield Variation("shared memory of another device", _shared_elsewhere)


def _shared_elsewhere(kit: Kit, _given: Arguments) -> dict[str, Value]:
    other = kit.another_device
    needs(not kit.cl.fact("CL_DEVICE_SVM_CAPABILITIES", other), "the other device has shared virtual memory, too")
    updatable(kit, "ARGUMENTS")
    both = kit.within(kit.new_context(kit.cl.device, other))
    memory, kernel = both.svm(), adding(both, both.buffer(), kit.cl.device, other)
    buffer = both.command_buffer(both.listed(RECORDING_FLAGS, "CL_COMMAND_BUFFER_MUTABLE_KHR"), both.plain_queue(other))
    given: dict[str, Value] = {"command_buffer": buffer, "kernel": kernel, "global_work_size": Items((16,))}
    command = one(both.call(LAUNCH, mutable_handle=OutputBuffer(1), **given), "mutable_handle")
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    update = DispatchConfig(command, num_svm_args=1, work_dim=1, arg_svm_list=(ArgumentUpdate(0, HANDLE, memory),))
    return {"command_buffer": buffer, **configs(kit, update)}


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3")
def groups_that_are_too_large() -> Iterator[Variation]:
    """Yield work-groups with more work-items than the device allows, in a range of twice that size."""
    yield Variation("one work-item too many", _too_large)


def _too_large(kit: Kit, _given: Arguments) -> dict[str, Value]:
    updatable(kit, "GLOBAL_SIZE", "LOCAL_SIZE")
    most = kit.cl.fact("CL_DEVICE_MAX_WORK_GROUP_SIZE") or 0
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(kit.first_buffer))
    return _sized(kit, _given, (16, 16), (2, 2), (most * 2, 2), (most, 2), kernel)


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2")
def groups_that_are_too_small() -> Iterator[Variation]:
    """Yield work-groups with fewer work-items than the sub-groups that the kernel's module requires."""
    yield Variation("groups of 1 where 2 sub-groups are required", _too_small)


def _too_small(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _sized(kit, given, (16,), (8,), None, (1,), in_sub_groups(kit))


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1")
def groups_that_are_too_long() -> Iterator[Variation]:
    """Yield work-groups with more work-items in one dimension than the device allows."""
    yield Variation("more in the third dimension", _too_long)


def _too_long(kit: Kit, _given: Arguments) -> dict[str, Value]:
    sizes: tuple[int, ...] = kit.cl.fact("CL_DEVICE_MAX_WORK_ITEM_SIZES") or ()
    most = kit.cl.fact("CL_DEVICE_MAX_WORK_GROUP_SIZE") or 0
    needs(len(sizes) == THREE and sizes[-1] < most, "the third dimension is as large as a work-group")
    size = (1, 1, int(sizes[-1]) + 1)
    return _sized(kit, _given, (1, 1, 4), (1, 1, 2), size, size)


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4")
def groups_that_do_not_fit() -> Iterator[Variation]:
    """Yield work-groups that do not divide the range, for a kernel recorded without a local size."""
    yield Variation("groups of 3 for 16 work-items", bound(_sized, (16,), None, None, (3,)))


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1")
def not_the_required_groups() -> Iterator[Variation]:
    """Yield work-groups of a size other than the kernel's required size."""
    yield Variation("groups of 2 where 4 are required", _other_groups)


def _other_groups(kit: Kit, given: Arguments) -> dict[str, Value]:
    return _sized(kit, given, (16,), (4,), None, (2,), add_scaled(kit))


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2")
def sizes_beyond_the_device() -> Iterator[Variation]:
    """Yield a size that exceeds the device's size_t but not the host's."""
    yield Variation("most+1", lambda kit, given: _sized(kit, given, (16,), None, (most_of(kit) + 1,), None))


@variations.of(f"{UPDATE}/via/clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1")
def misaligned_arguments() -> Iterator[Variation]:
    """Yield a sub-buffer argument whose alignment only another device of the context allows."""
    yield Variation("an argument aligned for another device only", _apart)


def _apart(kit: Kit, _given: Arguments) -> dict[str, Value]:
    updatable(kit, "ARGUMENTS")
    both, region = region_for_another(kit)
    buffer, command = with_command(both)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    config = DispatchConfig(command, num_args=1, work_dim=1, arg_list=(buffer_argument(region),))
    return {"command_buffer": buffer, **configs(kit, config)}


@variations.of(f"{UPDATE}/via/clSetKernelArg/CL_INVALID_ARG_VALUE/1")
def objects_of_other_kinds() -> Iterator[Variation]:
    """Yield an image where the kernel expects a buffer."""
    yield Variation("an image for a buffer", _an_image)


def _an_image(kit: Kit, given: Arguments) -> dict[str, Value]:
    updatable(kit, "ARGUMENTS")
    return _field(kit, given, num_args=1, arg_list=(buffer_argument(kit.image()),))


@variations.of(f"{UPDATE}/via/clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1")
def pointers_without_shared_memory() -> Iterator[Variation]:
    """Yield an SVM pointer, where no device supports SVM."""
    yield Variation("a pointer", _pointer_of_the_host)


def _pointer_of_the_host(kit: Kit, given: Arguments) -> dict[str, Value]:
    updatable(kit, "ARGUMENTS")
    needs(not kit.has_svm(), "the device has shared virtual memory")
    return _field(kit, given, num_svm_args=1, arg_svm_list=(ArgumentUpdate(0, 0, shared(kit)),))


@variations.of(f"{UPDATE}/via/clSetKernelExecInfo/CL_INVALID_OPERATION/1")
def infos_without_shared_memory() -> Iterator[Variation]:
    """Yield an SVM pointer in the execution info, where no device supports SVM."""
    yield Variation("a pointer of the host", _pointer_listed)


def _pointer_listed(kit: Kit, given: Arguments) -> dict[str, Value]:
    updatable(kit, "EXEC_INFO")
    needs(not kit.has_svm(), "the device has shared virtual memory")
    info = InfoUpdate(kit.value("CL_KERNEL_EXEC_INFO_SVM_PTRS"), HANDLE, Pointers((shared(kit),)))
    return _field(kit, given, num_exec_infos=1, exec_info_list=(info,))


@variations.of(f"{UPDATE}/via/clSetKernelExecInfo/CL_INVALID_OPERATION/2")
def infos_without_the_host() -> Iterator[Variation]:
    """Yield access to all host memory, where the device does not support fine-grain system SVM."""
    yield Variation("all memory of the host", _everything)


def _everything(kit: Kit, given: Arguments) -> dict[str, Value]:
    updatable(kit, "EXEC_INFO")
    info = InfoUpdate(kit.value("CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM"), 4, Data(bytes([1, 0, 0, 0])))
    return _field(kit, given, num_exec_infos=1, exec_info_list=(info,))
