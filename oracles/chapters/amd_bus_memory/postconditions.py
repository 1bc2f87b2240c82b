"""Postconditions of making bus-addressable buffers resident, and of writing and awaiting signals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.oracles.chapters.amd_bus_memory.effects import listed_buffers
from clconform.oracles.chapters.amd_bus_memory.error_conditions import PAGE_BYTES, RESIDENT
from clconform.oracles.common.alignment import expect_alignment
from clconform.oracles.contents.bus_memory import WAIT, WRITE, find_locations
from clconform.oracles.engine.matchers import Element, Postcondition, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Buffer, BusLocation
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition(RESIDENT)
def expect_resident(call: Call, model: Model) -> Postcondition:
    """A blocking call writes the address of each buffer and the address of its signal to bus_addresses.

    All addresses are nonzero and aligned to pages. The address of a buffer differs from all other addresses.
    """
    queue = model.get(CommandQueue, call.command_queue)
    buffers = listed_buffers(call, model)
    if not call.blocking_make_resident:
        return Postcondition()
    others = [each for each in find_locations(model) if each.memory not in buffers]

    def right(seen: Values) -> bool:
        told = seen[: 2 * len(buffers)]
        places = {buffer.name: at for buffer, at in zip(buffers, told[::2], strict=True)}
        apart = len(set(places.values())) == len(places) and not set(places.values()) & set(told[1::2])
        free = not set(places.values()) & {each.address for each in others}
        return all(map(_address_name, told)) and apart and free

    def apply(_value: Element, seen: dict[str, Values]) -> None:
        if "bus_addresses" not in seen:
            return
        told = seen["bus_addresses"][: 2 * len(buffers)]
        for buffer, address, signal in zip(buffers, told[::2], told[1::2], strict=True):
            known = buffer.bus
            if known is None or (known.address, known.signal) != (address, signal):
                buffer.bus = BusLocation(buffer, queue.device, _address_name(address), _address_name(signal))

    words = "for each buffer a unique address, and one for its signals"
    want = Satisfies(right, words, ("clEnqueueMakeBuffersResidentAMD/success",), _possible_addresses(buffers, model))
    return Postcondition(
        outputs={"bus_addresses": want},
        apply=apply,
        alignment=expect_alignment(PAGE_BYTES, "clEnqueueMakeBuffersResidentAMD/success"),
    )


def _address_name(told: Element) -> str:
    """Return the name of an address that the driver wrote; an empty string if the driver did not write an address."""
    return told if isinstance(told, str) and told != UNTOUCHED else ""


def _possible_addresses(buffers: list[Buffer], model: Model) -> tuple[str, ...]:
    """Return the names of addresses that a driver may return: the known addresses of a buffer, or new names."""
    known = {each.memory.name: (each.address, each.signal) for each in find_locations(model)}
    taken = {name for pair in known.values() for name in pair}
    numbers = (number for number in range(1, 2 * len(buffers) + len(taken) + 1))
    fresh = (name for name in (f"bus{number}" for number in numbers) if name not in taken)
    for buffer in buffers:
        known.setdefault(buffer.name, (next(fresh), next(fresh)))
    return tuple(name for buffer in buffers for name in known[buffer.name])


rules.inferred("clEnqueueMakeBuffersResidentAMD/success")


@rules.postcondition(WAIT)
def expect_signal_awaited(call: Call, model: Model) -> Postcondition:
    """The command completes after value is written to the signal address of buffer.

    Later commands in the queue see all earlier writes of the device that wrote value.
    """
    del call, model
    return Postcondition()


@rules.postcondition(WRITE)
def expect_signal_written(call: Call, model: Model) -> Postcondition:
    """value is written to the signal address of buffer, and a clEnqueueWaitSignalAMD command for value completes."""
    del call, model
    return Postcondition()
