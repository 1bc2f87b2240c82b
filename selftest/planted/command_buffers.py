"""Faults of command-buffers: recording, execution, updates and queries."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Output, Returned
from clconform.calls.values import Handle
from clconform.oracles.chapters.command_buffers.effects import effect_of
from clconform.oracles.chapters.command_buffers.standing_for import BARRIER, LAUNCH, RECORDING, UPDATE
from clconform.oracles.chapters.command_buffers.updates import configs_in
from clconform.oracles.contents.storage import wholes
from clconform.oracles.contents.waiting import WHOLE
from clconform.oracles.model.command_buffers import CommandBuffer, MutableCommand
from clconform.oracles.model.kernels import Kernel
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.contents.storage import Content, Place
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.command_buffers import Recorded
    from clconform.simulator.platform import Simulation

faults = Faults()

FINALIZE, REMAP = "clFinalizeCommandBufferKHR", "clRemapCommandBufferKHR"


@dataclass
class _Before:
    """The state before a call: the bytes of all memory, and the recorded state of mutable commands."""

    contents: list[tuple[Place, Content]] = field(default_factory=list)
    commands: dict[str, tuple[Call, dict[str, ClObject]]] = field(default_factory=dict)


_KEPT: weakref.WeakKeyDictionary[Simulation, _Before] = weakref.WeakKeyDictionary()


def _worked(call: Call, outcome: Outcome, *functions: str) -> bool:
    return call.function in functions and isinstance(outcome, Returned) and outcome.value == 0


def _with_the_past(simulation: Simulation, change: Callable[[_Before], None]) -> None:
    """Call ``change`` with the state before the call, and save the state after it for the next call."""
    change(_KEPT.get(simulation, _Before()))
    model = simulation.model
    known = {each.name: each for each in model.of_kind(MutableCommand) if each.recorded is not None}
    _KEPT[simulation] = _Before(
        [(place, place.read()) for place in wholes(model.things.values())],
        {name: (each.recorded.call, dict(each.recorded.things)) for name, each in known.items() if each.recorded},
    )


def _buffer(simulation: Simulation, call: Call) -> CommandBuffer:
    return simulation.model.get(CommandBuffer, call.command_buffer)


def _undone(before: _Before) -> None:
    for place, content in before.contents:
        place.write(content)


def _run_again(simulation: Simulation, before: _Before, commands: Iterable[Recorded]) -> None:
    """Undo the instance that has just run, and run these commands in this order instead."""
    _undone(before)
    for recorded in commands:
        effect_of(recorded, simulation.model).carry_out(None, None)


# execution count and order


@faults.plant
def command_buffers_run_once(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command-buffer that has already run has no effect when it is enqueued again."""

    def change(before: _Before) -> None:
        if _worked(call, outcome, WHOLE) and _buffer(simulation, call).times > 1:
            _undone(before)

    _with_the_past(simulation, change)
    return outcome


@faults.plant
def simultaneous_instances_run_once(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An instance has no effect while another instance of the same command-buffer may be running."""

    def change(before: _Before) -> None:
        if _worked(call, outcome, WHOLE) and len(_buffer(simulation, call).running) > 1:
            _undone(before)

    _with_the_past(simulation, change)
    return outcome


@faults.plant
def sync_points_are_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """With out-of-order or several queues, recorded commands run in reverse order and ignore their sync points."""

    def change(before: _Before) -> None:
        if _worked(call, outcome, WHOLE):
            buffer = _buffer(simulation, call)
            free = any(each.after and (not each.queue.in_order or len(buffer.queues) > 1) for each in buffer.commands)
            if free and not any(each.barrier for each in buffer.commands):
                _run_again(simulation, before, reversed(buffer.commands))

    _with_the_past(simulation, change)
    return outcome


@faults.plant
def recorded_barriers_hold_nothing_up(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """In an out-of-order queue, commands recorded after a barrier run before commands recorded before it."""

    def change(before: _Before) -> None:
        if _worked(call, outcome, WHOLE):
            commands = _buffer(simulation, call).commands
            if any(each.barrier and not each.queue.in_order for each in commands):
                _run_again(simulation, before, reversed(commands))

    _with_the_past(simulation, change)
    return outcome


@faults.plant
def the_last_command_is_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If a command-buffer has several commands, the last one does not run."""

    def change(before: _Before) -> None:
        if _worked(call, outcome, WHOLE) and len(_buffer(simulation, call).commands) > 1:
            _run_again(simulation, before, _buffer(simulation, call).commands[:-1])

    _with_the_past(simulation, change)
    return outcome


@faults.plant
def commands_run_when_they_are_recorded(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Recording a command also executes it immediately."""
    if _worked(call, outcome, *RECORDING) and call.function != BARRIER:
        effect_of(_buffer(simulation, call).commands[-1], simulation.model).carry_out(None, None)
    return outcome


# recording


@faults.plant
def recorded_arguments_by_reference(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A recorded kernel runs with the arguments set at execution, not with those set when it was recorded."""
    if _worked(call, outcome, LAUNCH):
        recorded = _buffer(simulation, call).commands[-1]
        kernel = simulation.model.get(Kernel, call.kernel)
        recorded.things = {**recorded.things, kernel.name: kernel}
    return outcome


@faults.plant
def sync_points_repeat(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every recorded command returns the same sync point."""
    del simulation
    if isinstance(outcome, Returned) and call.function in RECORDING and "sync_point" in outcome.outputs:
        return outcome.with_outputs(sync_point=Output([1], 4))
    return outcome


@faults.plant
def finalized_command_buffers_record(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command can be recorded into a finalized command-buffer."""
    return _accepted(simulation, outcome, "CL_INVALID_OPERATION") if call.function in RECORDING else outcome


@faults.plant
def recorded_copies_may_overlap(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A copy between overlapping regions can be recorded."""
    return _accepted(simulation, outcome, "CL_MEM_COPY_OVERLAP") if call.function in RECORDING else outcome


# states


@faults.plant
def finalize_leaves_recording(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A finalized command-buffer is still in the recording state."""
    if _worked(call, outcome, FINALIZE):
        _buffer(simulation, call).recording = True
    return outcome


@faults.plant
def nothing_is_ever_pending(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command-buffer is executable immediately after it is enqueued."""
    if _worked(call, outcome, WHOLE):
        _buffer(simulation, call).instances.clear()
    return outcome


@faults.plant
def incompatible_queues_are_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command-buffer can be enqueued on a replacement queue that is not compatible with the recorded queue."""
    return _accepted(simulation, outcome, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR") if call.function == WHOLE else outcome


# updates


@faults.plant
def updates_are_not_applied(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A mutable command runs as it was recorded, although its queries return the updated values."""
    _reverted(simulation, call, outcome, lambda _index: True)
    return outcome


@faults.plant
def updates_are_applied_to_the_first_command(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If one call updates several mutable commands, only the first update takes effect."""
    _reverted(simulation, call, outcome, lambda index: index > 0)
    return outcome


def _reverted(simulation: Simulation, call: Call, outcome: Outcome, chosen: Callable[[int], bool]) -> None:
    def change(before: _Before) -> None:
        if not _worked(call, outcome, UPDATE):
            return
        for index, config in enumerate(configs_in(call)):
            command = simulation.model.known(config.command)
            if chosen(index) and isinstance(command, MutableCommand) and command.recorded is not None:
                command.recorded.call, command.recorded.things = before.commands[command.name]

    _with_the_past(simulation, change)


@faults.plant
def updates_change_the_kernel(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Updating an argument of a mutable command also sets that argument of the kernel that was recorded."""
    if _worked(call, outcome, UPDATE):
        for config in configs_in(call):
            command = simulation.model.known(config.command)
            recorded = command.recorded if isinstance(command, MutableCommand) else None
            for thing in recorded.things.values() if recorded is not None else ():
                kernel = simulation.model.known(Handle(thing.name))
                if isinstance(thing, Kernel) and isinstance(kernel, Kernel):
                    kernel.arguments = dict(thing.arguments)
    return outcome


@faults.plant
def offsets_that_are_not_given_become_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An update without a global offset sets the offset of the command to zero."""
    if _worked(call, outcome, UPDATE):
        for config in configs_in(call):
            command = simulation.model.known(config.command)
            if isinstance(command, MutableCommand) and config.global_work_offset is None:
                command.offset = (0,) * command.dimensions
    return outcome


@faults.plant
def any_field_can_be_updated(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Fields can be updated although the command was not recorded with the flags that permit it."""
    return _accepted(simulation, outcome, "CL_INVALID_OPERATION") if call.function == UPDATE else outcome


# remapping


@faults.plant
def remapped_command_buffers_are_empty(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A remapped command-buffer contains no commands."""
    if call.function == REMAP and isinstance(outcome, Returned) and isinstance(outcome.value, str):
        simulation.model.get(CommandBuffer, Handle(outcome.value)).commands.clear()
    return outcome


def _accepted(simulation: Simulation, outcome: Outcome, code: str) -> Outcome:
    """Return success if the outcome is the error ``code``; any other outcome is returned unchanged."""
    if not isinstance(outcome, Returned) or outcome.value != simulation.model.value(code):
        return outcome
    return msgspec.structs.replace(outcome, value=0)
