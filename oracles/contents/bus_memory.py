"""Memory on the bus: bytes that other devices write to a buffer, and the signals after these writes.

Bytes from another device may be read after a wait for the signal is complete. The wait is complete once the awaited
value was written. Other cases, such as an earlier value or a signal at another offset, are unspecified, so verdicts and
waiting calls do not depend on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import BusAddresses, Handle
from clconform.oracles.model.errors import UnspecifiedBehaviourError
from clconform.oracles.model.memory_objects import Buffer, BusLocation, RemoteWrite
from clconform.oracles.model.queues import CommandQueue, DeviceQueue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

WAIT, WRITE = "clEnqueueWaitSignalAMD", "clEnqueueWriteSignalAMD"
MOVING_FUNCTIONS = ("clEnqueueMapBuffer", "clEnqueueMigrateMemObjects")
"""Commands that move the memory of another device to the device of the queue, in addition to their other effects."""


def is_external(memory: object) -> bool:
    """Return whether a buffer represents a location on the bus in the memory of another device."""
    return isinstance(memory, Buffer) and memory.bus is not None and memory.bus.memory is not memory


def find_locations(model: Model) -> list[BusLocation]:
    """Return the locations on the bus that live buffers own."""
    return [each.bus for each in model.objects_of_class(Buffer) if each.bus is not None and each.bus.memory is each]


def find_location(value: object, model: Model) -> BusLocation | None:
    """Return the location on the bus with this pair of addresses, or None if they do not belong to one live buffer."""
    if not isinstance(value, BusAddresses):
        return None
    pair = (value.surface, value.signal)
    return next((each for each in find_locations(model) if pair == (Handle(each.address), Handle(each.signal))), None)


def external_buffers(surface: BusLocation, model: Model) -> list[Buffer]:
    """Return the live buffers of other devices that represent a location on the bus."""
    return [each for each in model.objects_of_class(Buffer) if each.bus is surface and is_external(each)]


def find_signal_path(surface: BusLocation, model: Model) -> tuple[CommandQueue, Buffer] | None:
    """Return a queue and a buffer of another device that can write the signal of a location, or None."""
    return next(
        (
            (queue, view)
            for view in external_buffers(surface, model)
            for queue in model.objects_of_class(CommandQueue)
            if view.references > 0 and queue.references > 0 and queue.context is view.context
            if not isinstance(queue, DeviceQueue) and queue.device is not surface.device
            if not any(each.waits_indefinitely for each in model.commands.of_queue(queue))
        ),
        None,
    )


def is_used_remotely(memory: object, model: Model) -> bool:
    """Return whether commands of another device that may not be complete use the memory of a buffer."""
    if not isinstance(memory, Buffer) or memory.bus is None or is_external(memory):
        return False
    places = (place for each in model.commands.pending for place in (*each.reads, *each.writes))
    owners = (place.owner for place in places)
    return any(isinstance(each, Buffer) and each is not memory and each.bus is memory.bus for each in owners)


def find_bus_conflict(command: Command) -> str:
    """Return why a command must not use its memory on the bus, or an empty string.

    UnspecifiedBehaviourError if the command reads or moves memory of another device.
    """
    for place in (*command.reads, *command.writes):
        surface = place.owner.bus if isinstance(place.owner, Buffer) else None
        if surface is None or command.queue is None:
            continue
        if is_external(place.owner):
            if command.function != WRITE and (place in command.reads or command.function in MOVING_FUNCTIONS):
                raise UnspecifiedBehaviourError("external-memory-read")
            reason = find_remote_use_obstacle(surface, command.queue.device)
        else:
            reason = _find_local_use_obstacle(surface, command)
        if reason:
            return reason
    return ""


def find_remote_use_obstacle(surface: BusLocation, device: Device | None) -> str:
    """Return why a device must not access a location on the bus that is the memory of another device, or ''."""
    if surface.memory.references < 1 or surface.memory.bus is not surface:
        return "the memory on the other device is gone"
    return "the memory belongs to the device itself" if device is surface.device else ""


def _find_local_use_obstacle(surface: BusLocation, command: Command) -> str:
    """Return why a command must not use the memory of a location on the bus through its own buffer, or ''.

    The command may run on another device, or the data that another device wrote may not have arrived yet.
    """
    if command.queue is None or command.queue.device is not surface.device:
        return "the memory is kept on another device"
    surface.remote_writes = [
        each for each in surface.remote_writes if each.wait_command is None or not each.wait_command.is_complete
    ]
    unseen = [
        each for each in surface.remote_writes if each.wait_command is None or not command.follows(each.wait_command)
    ]
    return "data written by another device may not have arrived yet" if unseen else ""


def record_remote_writes(command: Command) -> None:
    """Record that a command writes to the memory of another device."""
    for place in command.writes:
        if isinstance(place.owner, Buffer) and place.owner.bus is not None and is_external(place.owner):
            place.owner.bus.remote_writes.append(RemoteWrite(command))


def record_wait(surface: BusLocation, value: int, command: Command) -> None:
    """Record that a command waits for a signal value, whether this value was already written or not."""
    surface.last_wait, surface.awaited_value = command, value
    if value == surface.value:
        _complete_wait(surface, [])
    else:
        command.awaited_signal = surface


def record_signal(surface: BusLocation, value: int, command: Command, model: Model) -> None:
    """Record that a command writes a signal value, after all earlier writes to the memory."""
    surface.value, surface.writer = value, command
    for each in surface.remote_writes:
        each.is_signaled = True
    if surface.awaits_signal:
        _complete_wait(surface, model.commands.pending)


def _complete_wait(surface: BusLocation, others: Iterable[Command]) -> None:
    """Order the waiting command and its successors after the signal: after them, the data may be read.

    ``others``: the pending commands, among which successors are found.
    """
    waiting, writer = surface.last_wait, surface.writer
    if waiting is None or writer is None:
        return
    waiting.awaited_signal = None
    if not writer.is_complete:
        for each in (waiting, *(other for other in others if other.follows(waiting))):
            each.order_after(writer)
    for arrival in surface.remote_writes:
        if arrival.is_signaled and arrival.wait_command is None:
            arrival.wait_command = waiting
            for place in arrival.command.writes:
                place.storage.attribute_to(place.spans, "clEnqueueWaitSignalAMD/success")
