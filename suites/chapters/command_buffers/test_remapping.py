"""Command-buffers remapped to other queues: their effects, the handles of their commands, and their state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import made
from clconform.suites.cases import Cases
from clconform.suites.chapters.command_buffers.updater import ITEMS, QUERY, SIZES, WHOLE, Updater
from clconform.suites.chapters.command_buffers.variations import can, on_two_devices
from clconform.suites.kit.memory import SIZE
from clconform.suites.kit.queues import PROFILING
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "command_buffers.remapping"
REMAP = "clRemapCommandBufferKHR"
REMAPPING = tuple(f"OpenCL:remapping-command-buffers/{number}" for number in (1, 2))
STATE = "CL_COMMAND_BUFFER_STATE_KHR"
OF_COMMAND = ("CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR", SIZES[1])

cases = Cases(Updater)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_remapping(cl: Session, case: Case) -> None:
    case.act(cl)


def _remapped(kit: Updater, *queues: Handle, automatic: bool = False) -> Handle:
    """Remap the command-buffer, and return the new one."""
    needs(promised(kit.cl, REMAP), "cl_khr_command_buffer_multi_device is not supported")
    given = (int(automatic), len(queues), Items(queues), 0, None, None, OutputBuffer(1))
    return one(kit.cl.clRemapCommandBufferKHR(kit.buffer_of_commands, *given))


def _see(kit: Updater, *queues: Handle, automatic: bool = False) -> None:
    """Record a kernel, remap it to queues, run both command-buffers in turns, and read the buffer after each run."""
    buffer = kit.filled(SIZE, seed=30)
    kit.begin()
    kit.launch_of_index(buffer)
    kit.end()
    original, own = kit.buffer_of_commands, kit.queues
    copied = _remapped(kit, *queues, automatic=automatic)
    for kit.buffer_of_commands, kit.queues in ((copied, queues), (original, own), (copied, queues)):
        kit.run()
        kit.whole(buffer)


@cases.of(REMAPPING[0], "to a queue with profiling", REMAPPING[1], f"{REMAP}/effect/2")
def to_a_queue_with_profiling(kit: Updater) -> None:
    """Remap to a queue with an additional property."""
    _see(kit, kit.plain_queue(more=kit.value(PROFILING)))


@cases.of(f"{REMAP}/effect/3", "automatic", REMAPPING[1])
def automatically(kit: Updater) -> None:
    """Let the implementation choose one of two queues."""
    needs(can(kit, "MULTIPLE_QUEUE"), "the device does not support several queues")
    _see(kit, kit.plain_queue(), kit.plain_queue(), automatic=True)


@cases.of(REMAPPING[0], "to another device", REMAPPING[1], f"{REMAP}/effect/2")
def to_another_device(kit: Updater) -> None:
    """Remap a fill to a queue on another device."""
    both, (first, other) = on_two_devices(kit)
    kit.context, kit.queue = both.context, first
    buffer = kit.filled(SIZE, seed=31)
    kit.begin()
    kit.fill(buffer)
    kit.end()
    kit.buffer_of_commands = _remapped(kit, other)
    kit.run(other)
    kit.whole(buffer)


@cases.of(f"{REMAP}/effect/4", "two handles", f"{REMAP}/success")
def handles(kit: Updater) -> None:
    """Remap two kernel commands, list their handles in reverse order, and query the returned handles."""
    kit.start()
    kernel = kit.on(kit.filled(SIZE, seed=32))
    commands = [kit.launch_of(kernel, **{**WHOLE, "global_work_size": Items((ITEMS // part,))}) for part in (1, 2)]
    kit.end()
    listed, into = Items(tuple(reversed(commands))), OutputBuffer(2)
    given = (0, 1, Items((kit.plain_queue(),)), 2, listed, into, OutputBuffer(1))
    found = made(kit.cl.clRemapCommandBufferKHR(kit.buffer_of_commands, *given), "handles_ret")
    for command in found:
        for name in OF_COMMAND:
            kit.cl.query(QUERY, command, name)


@cases.of(f"{REMAP}/effect/6", "in each state", f"{REMAP}/effect/7", STATE)
def states(kit: Updater) -> None:
    """Remap a command-buffer in the recording, executable and pending states."""
    kit.begin()
    other = kit.plain_queue()
    for step in (None, kit.end):
        if step is not None:
            step()
        kit.cl.query("clGetCommandBufferInfoKHR", _remapped(kit, other), STATE)
    gate = kit.gate()
    count, events = gate.wait
    kit.cl.clEnqueueCommandBufferKHR(0, None, kit.buffer_of_commands, count, events, None)
    kit.cl.query("clGetCommandBufferInfoKHR", _remapped(kit, other), STATE)
    gate.open()
    kit.wait()
