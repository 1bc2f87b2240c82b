"""Effects of harness actions: host memory areas, host accesses through pointers, host threads inside callbacks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.host import ALLOCATE, IN_CALLBACK, READ, WRITE
from clconform.calls.values import Callback, Data, Pointers
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.maps import mapped, reach, unshown
from clconform.oracles.contents.storage import Storage, View, fill_pattern, plain
from clconform.oracles.contents.transfers import addresses_put, run_of, within
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Bytes, Element, Fresh
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.pointed_memory import POINTED, HostArea

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.effect(ALLOCATE)
def area_made(call: Call, model: Model) -> MemoryEffect:
    """Create a host memory area, filled like an output buffer."""

    def carry_out(value: Element, _command: Command | None) -> None:
        storage = Storage(call.size, host=True)
        view = View(storage, 0, call.size)
        area = HostArea(str(value), size=call.size, memory=view, alignment=call.alignment)
        storage.write(view.spans(0, call.size), fill_pattern(call.size))
        model.add(area)

    return MemoryEffect(value=Fresh(POINTED, 1, 1, (), model.alive(POINTED)), carry_out=carry_out)


@rules.effect(WRITE)
def host_wrote(call: Call, model: Model) -> MemoryEffect:
    """Write bytes of the host to memory."""
    target = reach(call.pointer, model).place(run_of(0, call.size))
    if isinstance(call.content, Pointers):
        return replace(addresses_put(call.content, target), pointed=(target,))
    if not isinstance(call.content, Data):
        raise UnknownError("content")
    within(run_of(0, call.size), len(call.content.content))
    content = plain(call.content.content[: call.size])
    if _beside_its_maps(target, model):
        forget, reading = (lambda _value, _command: target.forget()), May("written-by-host-ptr")
        return MemoryEffect(writes=(target,), pointed=(target,), carry_out=forget, reading=reading)
    return MemoryEffect(writes=(target,), pointed=(target,), carry_out=lambda _value, _command: target.write(content))


def _beside_its_maps(place: Place, model: Model) -> bool:
    """Return whether the host accesses the memory of a buffer by an address that is not from a mapped region."""
    area = place.owner
    if not isinstance(area, HostArea) or not place.storage.lent:
        return False
    through = [each for each in model.maps if each.region.storage is place.storage and each.holds(place.spans)]
    return all(each.pointer != area.name for each in through)


@rules.effect(READ)
def host_read(call: Call, model: Model) -> MemoryEffect:
    """Read memory by the host, including the guard bytes around its own areas."""
    source = reach(call.pointer, model).place(run_of(0, call.size))
    reading = None
    if unshown(source, model):
        source, reading = replace(source, shown=False), May("latest-bytes-without-a-flag")
    content = source.read()
    told = Bytes(content.held, content.defined, tuple(content.records), responsible(source, model), content.loose)
    return MemoryEffect(reads=(source,), pointed=(source,), gives={"content": told}, reading=reading)


@rules.effect(IN_CALLBACK)
def made_in_a_callback(call: Call, model: Model) -> MemoryEffect:
    """Run the calls of a host thread on the thread that invokes a callback."""
    if not isinstance(call.callback, Callback):
        raise UnknownError("callback")
    lane, name = call.lane, call.callback.name

    def carry_out(_value: Element, _command: Command | None) -> None:
        model.in_callbacks[lane] = name

    return MemoryEffect(carry_out=carry_out)


def responsible(place: Place, model: Model) -> str:
    """Return the requirement that the bytes of a host read are attributed to: of the mapping or the last user."""
    through = mapped(place, model, writes=False)
    return f"{through.function}/success" if through is not None else place.storage.last or model.order.latest
