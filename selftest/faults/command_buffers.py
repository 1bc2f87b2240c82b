"""Faults of command-buffers: recording, execution, updates and queries."""

from __future__ import annotations

import functools
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.call import Output
from clconform.calls.values import Handle
from clconform.oracles.chapters.command_buffers.command_updates import listed_configs
from clconform.oracles.chapters.command_buffers.effects import effect_of
from clconform.oracles.chapters.command_buffers.equivalent_calls import BARRIER, LAUNCH, RECORDING_FUNCTIONS, UPDATE
from clconform.oracles.contents.dependencies import ENQUEUE_COMMAND_BUFFER
from clconform.oracles.contents.storage import whole_places
from clconform.oracles.model.command_buffer_state import CommandBuffer, MutableCommand
from clconform.oracles.model.kernels import Kernel
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.contents.storage import Content, MemoryPlace
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.command_buffer_state import RecordedCommand
    from clconform.simulator.platform import Simulation

    _Undo = Callable[[SimulatedStep, "_Snapshot"], None]

faults = Faults()

FINALIZE, REMAP = "clFinalizeCommandBufferKHR", "clRemapCommandBufferKHR"


@dataclass
class _Snapshot:
    """The state before a call: the bytes of all memory, and the recorded state of mutable commands."""

    contents: list[tuple[MemoryPlace, Content]] = field(default_factory=list)
    commands: dict[str, tuple[Call, dict[str, ClObject]]] = field(default_factory=dict)


_SNAPSHOTS: weakref.WeakKeyDictionary[Simulation, _Snapshot] = weakref.WeakKeyDictionary()


def _plant_with_snapshot(function: str) -> Callable[[_Undo], _Undo]:
    """Return a decorator that declares a fault of successful calls of a function.

    The fault also receives the state before the call. The current state is saved after every call for the next one.
    """

    def declare(undo: _Undo) -> _Undo:
        @faults.plant()
        @functools.wraps(undo)
        def fault(step: SimulatedStep) -> None:
            if step.call.function == function and step.outcome.value == 0:
                undo(step, _SNAPSHOTS.get(step.simulation, _Snapshot()))
            known = [(each, each.recorded) for each in step.model.objects_of_class(MutableCommand)]
            _SNAPSHOTS[step.simulation] = _Snapshot(
                [(place, place.read()) for place in whole_places(step.model.objects.values())],
                {each.name: (held.call, dict(held.objects)) for each, held in known if held is not None},
            )

        return undo

    return declare


def _get_command_buffer(step: SimulatedStep) -> CommandBuffer:
    return step.model.get(CommandBuffer, step.call.command_buffer)


def _restore_contents(before: _Snapshot) -> None:
    for place, content in before.contents:
        place.write(content)


def _rerun(step: SimulatedStep, before: _Snapshot, commands: Iterable[RecordedCommand]) -> None:
    """Undo the effects of the last command-buffer instance, and run these commands in this order instead."""
    _restore_contents(before)
    for recorded in commands:
        effect_of(recorded, step.model).apply(None, None)


# execution count and order


@_plant_with_snapshot(ENQUEUE_COMMAND_BUFFER)
def command_buffer_runs_once(step: SimulatedStep, before: _Snapshot) -> None:
    """A command-buffer that has already run has no effect when it is enqueued again."""
    if _get_command_buffer(step).enqueue_count > 1:
        _restore_contents(before)


@_plant_with_snapshot(ENQUEUE_COMMAND_BUFFER)
def simultaneous_instance_skipped(step: SimulatedStep, before: _Snapshot) -> None:
    """An instance has no effect while another instance of the same command-buffer may be running."""
    if len(_get_command_buffer(step).running_instances) > 1:
        _restore_contents(before)


@_plant_with_snapshot(ENQUEUE_COMMAND_BUFFER)
def sync_points_ignored(step: SimulatedStep, before: _Snapshot) -> None:
    """With out-of-order or several queues, recorded commands run in reverse order and ignore their sync points."""
    buffer = _get_command_buffer(step)
    free = any(each.after and (not each.queue.in_order or len(buffer.queues) > 1) for each in buffer.commands)
    if free and not any(each.barrier for each in buffer.commands):
        _rerun(step, before, reversed(buffer.commands))


@_plant_with_snapshot(ENQUEUE_COMMAND_BUFFER)
def recorded_barriers_ignored(step: SimulatedStep, before: _Snapshot) -> None:
    """In an out-of-order queue, commands recorded after a barrier run before commands recorded before it."""
    commands = _get_command_buffer(step).commands
    if any(each.barrier and not each.queue.in_order for each in commands):
        _rerun(step, before, reversed(commands))


@_plant_with_snapshot(ENQUEUE_COMMAND_BUFFER)
def last_recorded_command_skipped(step: SimulatedStep, before: _Snapshot) -> None:
    """If a command-buffer has several commands, the last one does not run."""
    commands = _get_command_buffer(step).commands
    if len(commands) > 1:
        _rerun(step, before, commands[:-1])


@faults.plant(*RECORDING_FUNCTIONS, succeeded=True)
def recording_executes_command(step: SimulatedStep) -> None:
    """Recording a command also executes it immediately."""
    if step.call.function != BARRIER:
        effect_of(_get_command_buffer(step).commands[-1], step.model).apply(None, None)


# recording


@faults.plant(LAUNCH, succeeded=True)
def recorded_arguments_not_copied(step: SimulatedStep) -> None:
    """A recorded kernel runs with the arguments set at execution, not with those set when it was recorded."""
    recorded, kernel = _get_command_buffer(step).commands[-1], step.model.get(Kernel, step.call.kernel)
    recorded.objects = {**recorded.objects, kernel.name: kernel}


@faults.plant(*RECORDING_FUNCTIONS, output="sync_point")
def sync_points_not_unique(step: SimulatedStep) -> Outcome | None:
    """Every recorded command returns the same sync point."""
    return step.outcome.with_outputs(sync_point=Output([1], 4))


faults.plant(*RECORDING_FUNCTIONS, error="CL_INVALID_OPERATION").add(
    "recording-after-finalize-accepted",
    "A command can be recorded into a finalized command-buffer.",
    SimulatedStep.accept,
)
faults.plant(*RECORDING_FUNCTIONS, error="CL_MEM_COPY_OVERLAP").add(
    "recorded-overlapping-copy-accepted", "A copy between overlapping regions can be recorded.", SimulatedStep.accept
)


# states


@faults.plant(FINALIZE, succeeded=True)
def finalized_stays_recording(step: SimulatedStep) -> None:
    """A finalized command-buffer is still in the recording state."""
    _get_command_buffer(step).recording = True


@faults.plant(ENQUEUE_COMMAND_BUFFER, succeeded=True)
def pending_state_skipped(step: SimulatedStep) -> None:
    """A command-buffer is executable immediately after it is enqueued."""
    _get_command_buffer(step).instances.clear()


faults.plant(ENQUEUE_COMMAND_BUFFER, error="CL_INCOMPATIBLE_COMMAND_QUEUE_KHR").add(
    "incompatible-queue-accepted",
    "A command-buffer can be enqueued on a replacement queue that is not compatible with the recorded queue.",
    SimulatedStep.accept,
)


# updates


@_plant_with_snapshot(UPDATE)
def updates_not_applied(step: SimulatedStep, before: _Snapshot) -> None:
    """A mutable command runs as it was recorded, although its queries return the updated values."""
    _revert_updates(step, before, first=0)


@_plant_with_snapshot(UPDATE)
def only_first_update_applied(step: SimulatedStep, before: _Snapshot) -> None:
    """If one call updates several mutable commands, only the first update takes effect."""
    _revert_updates(step, before, first=1)


def _revert_updates(step: SimulatedStep, before: _Snapshot, first: int) -> None:
    """Revert the updates of a call from index ``first`` on."""
    for config in list(listed_configs(step.call))[first:]:
        command = step.model.find(config.command)
        if isinstance(command, MutableCommand) and command.recorded is not None:
            command.recorded.call, command.recorded.objects = before.commands[command.name]


@faults.plant(UPDATE, succeeded=True)
def update_changes_source_kernel(step: SimulatedStep) -> None:
    """Updating an argument of a mutable command also sets this argument of the recorded kernel object."""
    for config in listed_configs(step.call):
        command = step.model.find(config.command)
        recorded = command.recorded if isinstance(command, MutableCommand) else None
        for thing in recorded.objects.values() if recorded is not None else ():
            kernel = step.model.find(Handle(thing.name))
            if isinstance(thing, Kernel) and isinstance(kernel, Kernel):
                kernel.arguments = dict(thing.arguments)


@faults.plant(UPDATE, succeeded=True)
def update_without_offset_clears_it(step: SimulatedStep) -> None:
    """An update without a global offset sets the offset of the command to zero."""
    for config in listed_configs(step.call):
        command = step.model.find(config.command)
        if isinstance(command, MutableCommand) and config.global_work_offset is None:
            command.offset = (0,) * command.dimensions


faults.plant(UPDATE, error="CL_INVALID_OPERATION").add(
    "non-mutable-field-updated",
    "Fields can be updated although the command was recorded without the flags that permit these updates.",
    SimulatedStep.accept,
)


# remapping


@faults.plant(REMAP)
def remapped_command_buffer_empty(step: SimulatedStep) -> None:
    """A remapped command-buffer is empty, whatever commands the original contains."""
    remapped = step.find_created(CommandBuffer)
    if remapped is not None:
        remapped.commands.clear()
