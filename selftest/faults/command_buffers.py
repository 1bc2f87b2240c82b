"""Faults of command-buffers: recording, execution, updates and queries."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Output, Returned
from clconform.calls.values import Handle
from clconform.oracles.chapters.command_buffers.command_updates import listed_configs
from clconform.oracles.chapters.command_buffers.effects import effect_of
from clconform.oracles.chapters.command_buffers.equivalent_calls import BARRIER, LAUNCH, RECORDING_FUNCTIONS, UPDATE
from clconform.oracles.contents.dependencies import ENQUEUE_COMMAND_BUFFER
from clconform.oracles.contents.storage import whole_places
from clconform.oracles.model.command_buffer_state import CommandBuffer, MutableCommand
from clconform.oracles.model.kernels import Kernel
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.contents.storage import Content, MemoryPlace
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.command_buffer_state import RecordedCommand
    from clconform.simulator.platform import Simulation

faults = Faults()

FINALIZE, REMAP = "clFinalizeCommandBufferKHR", "clRemapCommandBufferKHR"


@dataclass
class _Snapshot:
    """The state before a call: the bytes of all memory, and the recorded state of mutable commands."""

    contents: list[tuple[MemoryPlace, Content]] = field(default_factory=list)
    commands: dict[str, tuple[Call, dict[str, ClObject]]] = field(default_factory=dict)


_SNAPSHOTS: weakref.WeakKeyDictionary[Simulation, _Snapshot] = weakref.WeakKeyDictionary()


def _has_succeeded(call: Call, outcome: Outcome, *functions: str) -> bool:
    return call.function in functions and isinstance(outcome, Returned) and outcome.value == 0


def _apply_with_snapshot(simulation: Simulation, change: Callable[[_Snapshot], None]) -> None:
    """Call ``change`` with the state before the simulated call, then save the current state for the next call."""
    change(_SNAPSHOTS.get(simulation, _Snapshot()))
    model = simulation.model
    known = {each.name: each for each in model.objects_of_class(MutableCommand) if each.recorded is not None}
    _SNAPSHOTS[simulation] = _Snapshot(
        [(place, place.read()) for place in whole_places(model.objects.values())],
        {name: (each.recorded.call, dict(each.recorded.objects)) for name, each in known.items() if each.recorded},
    )


def _get_command_buffer(simulation: Simulation, call: Call) -> CommandBuffer:
    return simulation.model.get(CommandBuffer, call.command_buffer)


def _restore_contents(before: _Snapshot) -> None:
    for place, content in before.contents:
        place.write(content)


def _rerun(simulation: Simulation, before: _Snapshot, commands: Iterable[RecordedCommand]) -> None:
    """Undo the effects of the last command-buffer instance, and run these commands in this order instead."""
    _restore_contents(before)
    for recorded in commands:
        effect_of(recorded, simulation.model).apply(None, None)


# execution count and order


@faults.plant
def command_buffer_runs_once(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command-buffer that has already run has no effect when it is enqueued again."""

    def change(before: _Snapshot) -> None:
        if (
            _has_succeeded(call, outcome, ENQUEUE_COMMAND_BUFFER)
            and _get_command_buffer(simulation, call).enqueue_count > 1
        ):
            _restore_contents(before)

    _apply_with_snapshot(simulation, change)
    return outcome


@faults.plant
def simultaneous_instance_skipped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An instance has no effect while another instance of the same command-buffer may be running."""

    def change(before: _Snapshot) -> None:
        if (
            _has_succeeded(call, outcome, ENQUEUE_COMMAND_BUFFER)
            and len(_get_command_buffer(simulation, call).running_instances) > 1
        ):
            _restore_contents(before)

    _apply_with_snapshot(simulation, change)
    return outcome


@faults.plant
def sync_points_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """With out-of-order or several queues, recorded commands run in reverse order and ignore their sync points."""

    def change(before: _Snapshot) -> None:
        if _has_succeeded(call, outcome, ENQUEUE_COMMAND_BUFFER):
            buffer = _get_command_buffer(simulation, call)
            free = any(each.after and (not each.queue.in_order or len(buffer.queues) > 1) for each in buffer.commands)
            if free and not any(each.barrier for each in buffer.commands):
                _rerun(simulation, before, reversed(buffer.commands))

    _apply_with_snapshot(simulation, change)
    return outcome


@faults.plant
def recorded_barriers_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an out-of-order queue, commands recorded after a barrier run before commands recorded before it."""

    def change(before: _Snapshot) -> None:
        if _has_succeeded(call, outcome, ENQUEUE_COMMAND_BUFFER):
            commands = _get_command_buffer(simulation, call).commands
            if any(each.barrier and not each.queue.in_order for each in commands):
                _rerun(simulation, before, reversed(commands))

    _apply_with_snapshot(simulation, change)
    return outcome


@faults.plant
def last_recorded_command_skipped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If a command-buffer has several commands, the last one does not run."""

    def change(before: _Snapshot) -> None:
        if (
            _has_succeeded(call, outcome, ENQUEUE_COMMAND_BUFFER)
            and len(_get_command_buffer(simulation, call).commands) > 1
        ):
            _rerun(simulation, before, _get_command_buffer(simulation, call).commands[:-1])

    _apply_with_snapshot(simulation, change)
    return outcome


@faults.plant
def recording_executes_command(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Recording a command also executes it immediately."""
    if _has_succeeded(call, outcome, *RECORDING_FUNCTIONS) and call.function != BARRIER:
        effect_of(_get_command_buffer(simulation, call).commands[-1], simulation.model).apply(None, None)
    return outcome


# recording


@faults.plant
def recorded_arguments_not_copied(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A recorded kernel runs with the arguments set at execution, not with those set when it was recorded."""
    if _has_succeeded(call, outcome, LAUNCH):
        recorded = _get_command_buffer(simulation, call).commands[-1]
        kernel = simulation.model.get(Kernel, call.kernel)
        recorded.objects = {**recorded.objects, kernel.name: kernel}
    return outcome


@faults.plant
def sync_points_not_unique(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every recorded command returns the same sync point."""
    del simulation
    if isinstance(outcome, Returned) and call.function in RECORDING_FUNCTIONS and "sync_point" in outcome.outputs:
        return outcome.with_outputs(sync_point=Output([1], 4))
    return outcome


@faults.plant
def recording_after_finalize_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command can be recorded into a finalized command-buffer."""
    return _accept(simulation, outcome, "CL_INVALID_OPERATION") if call.function in RECORDING_FUNCTIONS else outcome


@faults.plant
def recorded_overlapping_copy_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between overlapping regions can be recorded."""
    return _accept(simulation, outcome, "CL_MEM_COPY_OVERLAP") if call.function in RECORDING_FUNCTIONS else outcome


# states


@faults.plant
def finalized_stays_recording(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A finalized command-buffer is still in the recording state."""
    if _has_succeeded(call, outcome, FINALIZE):
        _get_command_buffer(simulation, call).recording = True
    return outcome


@faults.plant
def pending_state_skipped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command-buffer is executable immediately after it is enqueued."""
    if _has_succeeded(call, outcome, ENQUEUE_COMMAND_BUFFER):
        _get_command_buffer(simulation, call).instances.clear()
    return outcome


@faults.plant
def incompatible_queue_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command-buffer can be enqueued on a replacement queue that is not compatible with the recorded queue."""
    return (
        _accept(simulation, outcome, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR")
        if call.function == ENQUEUE_COMMAND_BUFFER
        else outcome
    )


# updates


@faults.plant
def updates_not_applied(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A mutable command runs as it was recorded, although its queries return the updated values."""
    _revert_updates(simulation, call, outcome, lambda _index: True)
    return outcome


@faults.plant
def only_first_update_applied(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If one call updates several mutable commands, only the first update takes effect."""
    _revert_updates(simulation, call, outcome, lambda index: index > 0)
    return outcome


def _revert_updates(simulation: Simulation, call: Call, outcome: Outcome, chosen: Callable[[int], bool]) -> None:
    def change(before: _Snapshot) -> None:
        if not _has_succeeded(call, outcome, UPDATE):
            return
        for index, config in enumerate(listed_configs(call)):
            command = simulation.model.find(config.command)
            if chosen(index) and isinstance(command, MutableCommand) and command.recorded is not None:
                command.recorded.call, command.recorded.objects = before.commands[command.name]

    _apply_with_snapshot(simulation, change)


@faults.plant
def update_changes_source_kernel(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Updating an argument of a mutable command also sets this argument of the recorded kernel object."""
    if _has_succeeded(call, outcome, UPDATE):
        for config in listed_configs(call):
            command = simulation.model.find(config.command)
            recorded = command.recorded if isinstance(command, MutableCommand) else None
            for thing in recorded.objects.values() if recorded is not None else ():
                kernel = simulation.model.find(Handle(thing.name))
                if isinstance(thing, Kernel) and isinstance(kernel, Kernel):
                    kernel.arguments = dict(thing.arguments)
    return outcome


@faults.plant
def update_without_offset_clears_it(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An update without a global offset sets the offset of the command to zero."""
    if _has_succeeded(call, outcome, UPDATE):
        for config in listed_configs(call):
            command = simulation.model.find(config.command)
            if isinstance(command, MutableCommand) and config.global_work_offset is None:
                command.offset = (0,) * command.dimensions
    return outcome


@faults.plant
def non_mutable_field_updated(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Fields can be updated although the command was recorded without the flags that permit these updates."""
    return _accept(simulation, outcome, "CL_INVALID_OPERATION") if call.function == UPDATE else outcome


# remapping


@faults.plant
def remapped_command_buffer_empty(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A remapped command-buffer is empty, whatever commands the original contains."""
    if call.function == REMAP and isinstance(outcome, Returned) and isinstance(outcome.value, str):
        simulation.model.get(CommandBuffer, Handle(outcome.value)).commands.clear()
    return outcome


def _accept(simulation: Simulation, outcome: Outcome, code: str) -> Outcome:
    """Return success if the outcome is the error ``code``; any other outcome is returned unchanged."""
    if not isinstance(outcome, Returned) or outcome.value != simulation.model.constant_value(code):
        return outcome
    return msgspec.structs.replace(outcome, value=0)
