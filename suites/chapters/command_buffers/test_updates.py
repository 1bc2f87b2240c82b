"""Updates of recorded kernels: they change arguments, pointers, offsets and sizes, and nothing else (5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ArgumentUpdate, Data, DispatchConfig
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.command_buffers.update_lists import (
    FIELDS,
    get_updatable_bits,
    update_buffer_argument,
)
from clconform.suites.chapters.command_buffers.updater import WHOLE, Updater
from clconform.suites.chapters.execution.range_kit import KernelRange
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from clconform.calls.values import Value

NAME = "command_buffers.updates"
STRUCTS = tuple(f"OpenCL:kernel-command-update-structs/{number}" for number in (1, 2, 3, 4))
DEFAULT_FIELDS = ("clCommandNDRangeKernelKHR/effect/1", "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR/effect/1")
ID_KERNEL = "tell_ids"
ARGUMENTS_BY_UPDATE, STATE = "clUpdateMutableCommandsKHR/effect/2", "CL_COMMAND_BUFFER_STATE_KHR"


cases = CaseRegistry(Updater)
test_updates_change_only_the_named_fields = TableTest(cases)


@cases.declare("clUpdateMutableCommandsKHR/success", "another buffer", "OpenCL:mutable-commands/1", *DEFAULT_FIELDS)
def replace_buffer(kit: Updater) -> None:
    """Replace the buffer of a kernel command between two runs, then enqueue the kernel without a command-buffer."""
    kit.begin_mutable()
    first, second = kit.create_filled_buffer(SIZE, seed=1), kit.create_filled_buffer(SIZE, seed=2)
    kernel = kit.set_buffer(first)
    get_updatable_bits(kit, "ARGUMENTS")
    command = kit.record_kernel(kernel, **WHOLE)
    kit.finalize()
    kit.run()
    kit.update_commands(
        DispatchConfig(command, num_args=1, work_dim=1, arg_list=(update_buffer_argument(kit, second),))
    )
    kit.run(times=2)
    launched: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None, **WHOLE}
    kit.enqueue("clEnqueueNDRangeKernel", kernel=kernel, **launched)
    kit.read_whole(first)
    kit.read_whole(second)


@cases.declare("clUpdateMutableCommandsKHR/success", "two kernel commands in one call")
def update_two_commands(kit: Updater) -> None:
    """Replace the buffers of two kernel commands with one call."""
    kit.begin_mutable()
    buffers = [kit.create_filled_buffer(SIZE, seed=seed) for seed in (3, 4, 5, 6)]
    kernel = kit.set_buffer(buffers[0])
    get_updatable_bits(kit, "ARGUMENTS")
    commands = []
    for buffer in buffers[:2]:
        kit.set_buffer(buffer, kernel)
        commands.append(kit.record_kernel(kernel, **WHOLE))
    kit.finalize()
    kit.update_commands(
        *(
            DispatchConfig(command, num_args=1, work_dim=1, arg_list=(update_buffer_argument(kit, buffer),))
            for command, buffer in zip(commands, buffers[2:], strict=True)
        )
    )
    kit.run()
    for buffer in buffers:
        kit.read_whole(buffer)


@cases.declare("OpenCL:mutable-commands/2", "the replaced buffer is released", "clUpdateMutableCommandsKHR/success")
def release_replaced_buffer(kit: Updater) -> None:
    """Replace a kernel command's buffer, release the old buffer, and run the command-buffer."""
    kit.begin_mutable()
    first, second = kit.create_filled_buffer(SIZE, seed=7), kit.create_filled_buffer(SIZE, seed=8)
    kernel = kit.set_buffer(first)
    get_updatable_bits(kit, "ARGUMENTS")
    command = kit.record_kernel(kernel, **WHOLE)
    kit.finalize()
    kit.update_commands(
        DispatchConfig(command, num_args=1, work_dim=1, arg_list=(update_buffer_argument(kit, second),))
    )
    kit.set_buffer(second, kernel)
    kit.cl.clReleaseMemObject(first)
    kit.run()
    kit.read_whole(second)


@cases.declare(STRUCTS[0], "a size with the pointer", "clUpdateMutableCommandsKHR/success")
def replace_svm_pointer(kit: Updater) -> None:
    """Replace the SVM pointer of a kernel command by an update with an arbitrary value in the size field."""
    kit.begin_mutable()
    skip_unless(kit.has_svm(), "the device has no shared virtual memory")
    first, second = kit.svm(size=SIZE), kit.svm(size=SIZE)
    kernel = kit.kernel("add_index")
    for memory in (first, second):
        kit.cl.clEnqueueSVMMemFill(kit.queues[0], memory, *_pattern(), SIZE, 0, None, None)
    kit.finish_queues()
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, first)
    get_updatable_bits(kit, "ARGUMENTS")
    command = kit.record_kernel(kernel, **WHOLE)
    kit.finalize()
    listed = (ArgumentUpdate(0, 3, second),)
    kit.update_commands(DispatchConfig(command, num_svm_args=1, work_dim=1, arg_svm_list=listed))
    kit.run()
    for memory in (first, second):
        kit.read_shared(memory)


def _pattern() -> tuple[Data, int]:
    return Data(bytes([1, 2, 3, 4])), 4


@cases.declare(STRUCTS[3], "an offset alone", STRUCTS[2], "clUpdateMutableCommandsKHR/success")
def change_offset(kit: Updater) -> None:
    """Change the offset of a kernel command, and check that its sizes do not change."""
    kit.begin_mutable()
    kernel = kit.get_range_kernel(ID_KERNEL)
    kit.set_buffer(kit.create_filled_buffer(kit.result_bytes(ID_KERNEL, KernelRange((24,), (6,))), seed=10), kernel)
    get_updatable_bits(kit, "GLOBAL_OFFSET")
    command = kit.record_kernel(kernel, **KernelRange((24,), (6,), (2,)).arguments)
    kit.finalize()
    kit.update_commands(DispatchConfig(command, work_dim=1, global_work_offset=(5,)))
    kit.query_ranges(command)


@cases.declare("clUpdateMutableCommandsKHR/success", "offset, sizes and groups, one after the other", *STRUCTS[1:])
def change_sizes(kit: Updater) -> None:
    """Change a kernel command's offset, global size and local size, and check the reported values and the results."""
    kit.begin_mutable()
    kernel = kit.get_range_kernel(ID_KERNEL)
    size = kit.result_bytes(ID_KERNEL, KernelRange((24,), (6,)))
    buffer = kit.create_filled_buffer(size, seed=9)
    kit.set_buffer(buffer, kernel)
    get_updatable_bits(kit, "GLOBAL_OFFSET", "GLOBAL_SIZE", "LOCAL_SIZE")
    command = kit.record_kernel(kernel, **KernelRange((24,), (6,), (2,)).arguments)
    kit.finalize()
    kit.query_ranges(command)
    for changed in (
        DispatchConfig(command, work_dim=1, local_work_size=(4,)),
        DispatchConfig(command, work_dim=1, global_work_size=(12,)),
        DispatchConfig(command, work_dim=1, global_work_offset=(5,)),
        DispatchConfig(command, work_dim=1, global_work_offset=(0,), global_work_size=(24,), local_work_size=(8,)),
    ):
        kit.update_commands(changed)
        kit.query_ranges(command)
        kit.run()
        kit.read(buffer, 0, size)


@cases.declare(
    ARGUMENTS_BY_UPDATE,
    "arguments set by an update",
    "CL_COMMAND_BUFFER_STATE_KHR/effect/4",
    "CL_COMMAND_BUFFER_STATE_KHR/effect/5",
    "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_RECORDING_KHR/CL_COMMAND_BUFFER_STATE_FINALIZED_KHR/clFinalizeCommandBufferKHR",
    "OpenCL:kernel-command-update-structs/5",
)
def set_argument_by_update(kit: Updater) -> None:
    """Record a kernel with an unset argument, set the argument by an update with work_dim 0, and run the kernel."""
    skip_unless(
        ARGUMENTS_BY_UPDATE in kit.cl.tables.requirements,
        "before 3.1.0 a recorded kernel command has all of its arguments",
    )
    kit.begin_mutable()
    fields = kit.property_list(FIELDS, get_updatable_bits(kit, "ARGUMENTS"))
    buffer = kit.create_filled_buffer(SIZE, seed=1)
    command = kit.record_kernel(kit.kernel("add_index"), properties=fields, **WHOLE)
    kit.finalize()
    kit.cl.query("clGetCommandBufferInfoKHR", kit.recorded_buffer, STATE)
    kit.update_commands(
        DispatchConfig(command, num_args=1, work_dim=0, arg_list=(update_buffer_argument(kit, buffer),))
    )
    kit.cl.query("clGetCommandBufferInfoKHR", kit.recorded_buffer, STATE)
    kit.run()
    kit.read_whole(buffer)
