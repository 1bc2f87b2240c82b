"""Updates of recorded kernels: they change arguments, pointers, offsets and sizes, and nothing else (5.17.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ArgumentUpdate, Data, DispatchConfig
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.cases import Cases
from clconform.suites.chapters.command_buffers.updater import WHOLE, Updater
from clconform.suites.chapters.command_buffers.updating import (
    FIELDS,
    LAUNCH,
    UPDATE,
    buffer_argument,
    updatable,
)
from clconform.suites.chapters.execution.range_kit import Launch
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import needs

if TYPE_CHECKING:
    import pytest

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

NAME = "command_buffers.updates"
STRUCTS = tuple(f"OpenCL:kernel-command-update-structs/{number}" for number in (1, 2, 3, 4))
DEFAULT = (f"{LAUNCH}/effect/1", f"{FIELDS}/effect/1")
IDS = "tell_ids"
SET_LATER, STATE = f"{UPDATE}/effect/2", "CL_COMMAND_BUFFER_STATE_KHR"
KIND = "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE"


cases = Cases(Updater)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_updates(cl: Session, case: Case) -> None:
    case.act(cl)


@cases.of(f"{UPDATE}/success", "another buffer", "OpenCL:mutable-commands/1", *DEFAULT)
def another_buffer(kit: Updater) -> None:
    """Replace a kernel command's buffer between two runs, then enqueue the kernel directly."""
    kit.start()
    first, second = kit.filled(SIZE, seed=1), kit.filled(SIZE, seed=2)
    kernel = kit.on(first)
    updatable(kit, "ARGUMENTS")
    command = kit.launch_of(kernel, **WHOLE)
    kit.end()
    kit.run()
    kit.update(DispatchConfig(command, num_args=1, work_dim=1, arg_list=(buffer_argument(second),)))
    kit.run(times=2)
    launched: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None, **WHOLE}
    kit.enqueue("clEnqueueNDRangeKernel", kernel=kernel, **launched)
    kit.whole(first)
    kit.whole(second)


@cases.of(f"{UPDATE}/success", "two launches in one call")
def two_launches(kit: Updater) -> None:
    """Replace the buffers of two kernel commands with one call."""
    kit.start()
    buffers = [kit.filled(SIZE, seed=seed) for seed in (3, 4, 5, 6)]
    kernel = kit.on(buffers[0])
    updatable(kit, "ARGUMENTS")
    commands = []
    for buffer in buffers[:2]:
        kit.on(buffer, kernel)
        commands.append(kit.launch_of(kernel, **WHOLE))
    kit.end()
    kit.update(
        *(
            DispatchConfig(command, num_args=1, work_dim=1, arg_list=(buffer_argument(buffer),))
            for command, buffer in zip(commands, buffers[2:], strict=True)
        )
    )
    kit.run()
    for buffer in buffers:
        kit.whole(buffer)


@cases.of("OpenCL:mutable-commands/2", "the replaced buffer is released", f"{UPDATE}/success")
def released(kit: Updater) -> None:
    """Replace a kernel command's buffer, release the old buffer, and run the command-buffer."""
    kit.start()
    first, second = kit.filled(SIZE, seed=7), kit.filled(SIZE, seed=8)
    kernel = kit.on(first)
    updatable(kit, "ARGUMENTS")
    command = kit.launch_of(kernel, **WHOLE)
    kit.end()
    kit.update(DispatchConfig(command, num_args=1, work_dim=1, arg_list=(buffer_argument(second),)))
    kit.on(second, kernel)
    kit.cl.clReleaseMemObject(first)
    kit.run()
    kit.whole(second)


@cases.of(STRUCTS[0], "a size beside the pointer", f"{UPDATE}/success")
def another_pointer(kit: Updater) -> None:
    """Replace a kernel command's SVM pointer; the update's size field is meaningless."""
    kit.start()
    needs(kit.has_svm(), "the device has no shared virtual memory")
    first, second = kit.svm(size=SIZE), kit.svm(size=SIZE)
    kernel = kit.kernel("add_index")
    for memory in (first, second):
        kit.cl.clEnqueueSVMMemFill(kit.queues[0], memory, *_pattern(), SIZE, 0, None, None)
    kit.wait()
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, first)
    updatable(kit, "ARGUMENTS")
    command = kit.launch_of(kernel, **WHOLE)
    kit.end()
    listed = (ArgumentUpdate(0, 3, second),)
    kit.update(DispatchConfig(command, num_svm_args=1, work_dim=1, arg_svm_list=listed))
    kit.run()
    for memory in (first, second):
        kit.read_shared(memory)


def _pattern() -> tuple[Value, int]:
    return Data(bytes([1, 2, 3, 4])), 4


@cases.of(STRUCTS[3], "an offset alone", STRUCTS[2], f"{UPDATE}/success")
def an_offset(kit: Updater) -> None:
    """Change a kernel command's offset, and check that its sizes do not change."""
    kit.start()
    kernel = kit.kernel_over(IDS)
    kit.on(kit.filled(kit.room_for(IDS, Launch((24,), (6,))), seed=10), kernel)
    updatable(kit, "GLOBAL_OFFSET")
    command = kit.launch_of(kernel, **Launch((24,), (6,), (2,)).arguments)
    kit.end()
    kit.update(DispatchConfig(command, work_dim=1, global_work_offset=(5,)))
    kit.ask(command)


@cases.of(f"{UPDATE}/success", "offset, sizes and groups, one after the other", *STRUCTS[1:])
def sizes(kit: Updater) -> None:
    """Change a kernel command's offset, global size and local size, and check the reported values and the results."""
    kit.start()
    kernel = kit.kernel_over(IDS)
    size = kit.room_for(IDS, Launch((24,), (6,)))
    buffer = kit.filled(size, seed=9)
    kit.on(buffer, kernel)
    updatable(kit, "GLOBAL_OFFSET", "GLOBAL_SIZE", "LOCAL_SIZE")
    command = kit.launch_of(kernel, **Launch((24,), (6,), (2,)).arguments)
    kit.end()
    kit.ask(command)
    for changed in (
        DispatchConfig(command, work_dim=1, local_work_size=(4,)),
        DispatchConfig(command, work_dim=1, global_work_size=(12,)),
        DispatchConfig(command, work_dim=1, global_work_offset=(5,)),
        DispatchConfig(command, work_dim=1, global_work_offset=(0,), global_work_size=(24,), local_work_size=(8,)),
    ):
        kit.update(changed)
        kit.ask(command)
        kit.run()
        kit.read(buffer, 0, size)


@cases.of(
    SET_LATER,
    "arguments set by an update",
    f"{STATE}/effect/4",
    f"{STATE}/effect/5",
    f"{KIND}_RECORDING_KHR/CL_COMMAND_BUFFER_STATE_FINALIZED_KHR/clFinalizeCommandBufferKHR",
    "OpenCL:kernel-command-update-structs/5",
)
def set_by_an_update(kit: Updater) -> None:
    """Record a kernel without its argument, finalize, set the argument by an update with work_dim 0, and run."""
    needs(SET_LATER in kit.cl.tables.records, "before 3.1.0 a recorded launch has all of its arguments")
    kit.start()
    fields = kit.listed(FIELDS, updatable(kit, "ARGUMENTS"))
    buffer = kit.filled(SIZE, seed=1)
    command = kit.launch_of(kit.kernel("add_index"), properties=fields, **WHOLE)
    kit.end()
    kit.cl.query("clGetCommandBufferInfoKHR", kit.buffer_of_commands, STATE)
    kit.update(DispatchConfig(command, num_args=1, work_dim=0, arg_list=(buffer_argument(buffer),)))
    kit.cl.query("clGetCommandBufferInfoKHR", kit.buffer_of_commands, STATE)
    kit.run()
    kit.whole(buffer)
