"""Buffers made resident: which can be, and the addresses that other devices then know them by (new section 5.4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import Items
from clconform.oracles.chapters.bus.creating import PAGE
from clconform.oracles.contents.bus import surfaces
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import wholes
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, Promise, Such, Values
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.memory_objects import Buffer, BusPlace
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.alignment import aligned_to
from clconform.oracles.recurring.contexts import contexts_of
from clconform.oracles.recurring.flags import ADDRESSABLE
from clconform.oracles.recurring.objects import gravest, valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

RESIDENT = "clEnqueueMakeBuffersResidentAMD"


@rules.clause(f"{RESIDENT}/CL_INVALID_OPERATION/1")
def nothing_given_for_a_pointer(call: Call, model: Model) -> Reply:
    """Buffers are counted, but the list of them, or the room for their addresses, is NULL."""
    if call.num_mem_objects == 0 or not is_said(call, model):
        return Answer.UNDEFINED
    if call.mem_objects is None or call.bus_addresses is None:
        return Answer.MUST
    return May("every-pointer") if call.event is None else Answer.NO


@rules.clause(f"{RESIDENT}/CL_INVALID_OPERATION/2")
def not_all_addressable(call: Call, model: Model) -> Reply:
    """What is listed is not in each place a buffer that other devices may write."""
    listed = call.mem_objects.values if isinstance(call.mem_objects, Items) else ()
    return gravest(made_otherwise(value, ADDRESSABLE, model) for value in listed)


def made_otherwise(value: object, flag: str, model: Model) -> Reply:
    """Tell whether a value is no buffer that was made with a flag."""
    reply = valid_object(value, "cl_mem", model)
    if reply is not Answer.NO:
        return reply
    memory = model.get(Buffer, value)
    if memory.tainted:
        raise UnknownError("flags")
    return not memory.flags & model.value(flag)


def is_said(call: Call, model: Model) -> bool:
    """Tell whether the document has a word on a call: on lists of events and other contexts it has none."""
    *_, count, listed, _ = call.arguments
    queue = model.known(call.command_queue)
    if queue is None:
        return "CL_INVALID_COMMAND_QUEUE" in {clause.code for clause in model.tables.clauses_of(call.function)}
    events = call.arguments[listed]
    given = (call.arguments.get("buffer"), call.arguments.get("mem_objects"), events)
    contexts = [each for value in given for each in contexts_of(value, model)]
    apart = isinstance(queue, Queue) and any(each is not queue.context for each in contexts)
    return not apart and (call.arguments[count] == 0) == (events is None)


@rules.success(RESIDENT)
def made_resident(call: Call, model: Model) -> Promise:
    """Each buffer stays at an address of its own, and has one for its signals; a page begins at each of them."""
    queue = model.get(Queue, call.command_queue)
    buffers = _listed(call, model)
    if not call.blocking_make_resident:
        return Promise()
    others = [each for each in surfaces(model) if each.memory not in buffers]

    def right(seen: Values) -> bool:
        told = seen[: 2 * len(buffers)]
        places = {buffer.name: at for buffer, at in zip(buffers, told[::2], strict=True)}
        apart = len(set(places.values())) == len(places) and not set(places.values()) & set(told[1::2])
        free = not set(places.values()) & {each.address for each in others}
        return all(map(_name, told)) and apart and free

    def apply(_value: Element, seen: dict[str, Values]) -> None:
        told = seen["bus_addresses"][: 2 * len(buffers)]
        for buffer, address, signal in zip(buffers, told[::2], told[1::2], strict=True):
            known = buffer.bus
            if known is None or (known.address, known.signal) != (address, signal):
                buffer.bus = BusPlace(buffer, queue.device, _name(address), _name(signal))

    words = "for each buffer an address that no other has, and one for its signals"
    want = Such(right, words, (f"{RESIDENT}/success",), _addresses(buffers, model))
    return Promise(outputs={"bus_addresses": want}, apply=apply, alignment=aligned_to(PAGE, f"{RESIDENT}/success"))


def _name(told: Element) -> str:
    """Return an address that was told by its name; an empty string for none."""
    return told if isinstance(told, str) and told != UNTOUCHED else ""


def _addresses(buffers: list[Buffer], model: Model) -> tuple[str, ...]:
    """Return addresses that may be told: those that a buffer has, or new ones."""
    known = {each.memory.name: (each.address, each.signal) for each in surfaces(model)}
    taken = {name for pair in known.values() for name in pair}
    numbers = (number for number in range(1, 2 * len(buffers) + len(taken) + 1))
    fresh = (name for name in (f"bus{number}" for number in numbers) if name not in taken)
    for buffer in buffers:
        known.setdefault(buffer.name, (next(fresh), next(fresh)))
    return tuple(name for buffer in buffers for name in known[buffer.name])


@rules.effect(RESIDENT)
def kept_in_place(call: Call, model: Model) -> MemoryEffect:
    """The buffers keep what they hold."""
    return MemoryEffect(reads=wholes(_listed(call, model)))


def _listed(call: Call, model: Model) -> list[Buffer]:
    if not isinstance(call.mem_objects, Items):
        raise UnknownError("buffers")
    return [model.get(Buffer, value) for value in call.mem_objects.values]


rules.inferred(f"{RESIDENT}/success")
