"""Command-buffers remapped to other queues: their effects, the handles of their commands, and their state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.pytest_plugin.covers import TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.command_buffers.negative_cases import create_queues_on_two_devices, has_capability
from clconform.suites.chapters.command_buffers.updater import ITEMS, QUERY, SIZES, WHOLE, Updater
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.memory import SIZE
from clconform.suites.kit.queues import PROFILING

if TYPE_CHECKING:
    from clconform.calls.values import Handle

NAME = "command_buffers.remapping"
REMAP = "clRemapCommandBufferKHR"
REMAPPING = tuple(f"OpenCL:remapping-command-buffers/{number}" for number in (1, 2))
STATE = "CL_COMMAND_BUFFER_STATE_KHR"
OF_COMMAND = ("CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR", SIZES[1])

cases = CaseRegistry(Updater)
test_remapped_command_buffers_run_the_same_commands = TableTest(cases)


def _remap(kit: Updater, *queues: Handle, automatic: bool = False) -> Handle:
    """Remap the command-buffer, and return the new command-buffer."""
    skip_unless(is_available(kit.cl, REMAP), "cl_khr_command_buffer_multi_device is not supported")
    given = (int(automatic), len(queues), ElementList(queues), 0, None, None, OutputBuffer(1))
    return require_handle(kit.cl.clRemapCommandBufferKHR(kit.recorded_buffer, *given))


def _run_remapped(kit: Updater, *queues: Handle, automatic: bool = False) -> None:
    """Remap a recorded kernel, run the original and the new command-buffer alternately, and read each result."""
    buffer = kit.create_filled_buffer(SIZE, seed=30)
    kit.begin()
    kit.record_add_index(buffer)
    kit.finalize()
    original, own = kit.recorded_buffer, kit.queues
    copied = _remap(kit, *queues, automatic=automatic)
    for kit.recorded_buffer, kit.queues in ((copied, queues), (original, own), (copied, queues)):
        kit.run()
        kit.read_whole(buffer)


@cases.declare(REMAPPING[0], "to a queue with profiling", REMAPPING[1], "clRemapCommandBufferKHR/effect/2")
def remap_to_profiling_queue(kit: Updater) -> None:
    """Remap to a queue with an additional property."""
    _run_remapped(kit, kit.command_buffer_queue(extra_properties=kit.constant(PROFILING)))


@cases.declare("clRemapCommandBufferKHR/effect/3", "automatic", REMAPPING[1])
def remap_automatically(kit: Updater) -> None:
    """Remap to two queues, where the implementation may choose the queue of each command."""
    skip_unless(has_capability(kit, "MULTIPLE_QUEUE"), "the device does not support several queues")
    _run_remapped(kit, kit.command_buffer_queue(), kit.command_buffer_queue(), automatic=True)


@cases.declare(REMAPPING[0], "to another device", REMAPPING[1], "clRemapCommandBufferKHR/effect/2")
def remap_to_another_device(kit: Updater) -> None:
    """Remap a fill to a queue on another device."""
    both, (first, other) = create_queues_on_two_devices(kit)
    kit.context, kit.queue = both.context, first
    buffer = kit.create_filled_buffer(SIZE, seed=31)
    kit.begin()
    kit.record_fill(buffer)
    kit.finalize()
    kit.recorded_buffer = _remap(kit, other)
    kit.run(other)
    kit.read_whole(buffer)


@cases.declare("clRemapCommandBufferKHR/effect/4", "two handles", "clRemapCommandBufferKHR/success")
def remap_handles(kit: Updater) -> None:
    """Remap two kernel commands, list their handles in reverse order, and query the returned handles."""
    kit.begin_mutable()
    kernel = kit.set_buffer(kit.create_filled_buffer(SIZE, seed=32))
    commands = [
        kit.record_kernel(kernel, **{**WHOLE, "global_work_size": ElementList((ITEMS // part,))}) for part in (1, 2)
    ]
    kit.finalize()
    listed, into = ElementList(tuple(reversed(commands))), OutputBuffer(2)
    given = (0, 1, ElementList((kit.command_buffer_queue(),)), 2, listed, into, OutputBuffer(1))
    found = returned_handles(kit.cl.clRemapCommandBufferKHR(kit.recorded_buffer, *given), "handles_ret")
    for command in found:
        for name in OF_COMMAND:
            kit.cl.query(QUERY, command, name)


@cases.declare("clRemapCommandBufferKHR/effect/6", "in each state", "clRemapCommandBufferKHR/effect/7", STATE)
def remap_in_each_state(kit: Updater) -> None:
    """Remap a command-buffer in the recording, executable and pending states."""
    kit.begin()
    other = kit.command_buffer_queue()
    for step in (None, kit.finalize):
        if step is not None:
            step()
        kit.cl.query("clGetCommandBufferInfoKHR", _remap(kit, other), STATE)
    gate = kit.gate()
    count, events = gate.wait_list
    kit.cl.clEnqueueCommandBufferKHR(0, None, kit.recorded_buffer, count, events, None)
    kit.cl.query("clGetCommandBufferInfoKHR", _remap(kit, other), STATE)
    gate.open()
    kit.finish_queues()
