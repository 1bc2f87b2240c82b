"""Effects of harness actions: host memory areas, host accesses through pointers, host threads inside callbacks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.harness_actions import ALLOCATE, IN_CALLBACK, READ, WRITE
from clconform.calls.values import Data, HostCallback, Pointers
from clconform.oracles.contents.effects import MemoryEffect, ShownBytes
from clconform.oracles.contents.mapped_contents import find_map, may_be_stale, needs_map, resolve_pointer
from clconform.oracles.contents.storage import Storage, StorageView, defined_bytes, fill_pattern
from clconform.oracles.contents.transfers import address_effect, require_within, span_of
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import Element, ExpectedBytes, NewHandles
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.pointer_memory import POINTER_TYPE, HostArea

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.memory_effect(ALLOCATE)
def allocate_area(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of allocating a host memory area. The area is filled with the pattern of output buffers."""

    def carry_out(value: Element, _command: Command | None) -> None:
        storage = Storage(call.size, host=True)
        view = StorageView(storage, 0, call.size)
        area = HostArea(str(value), size=call.size, memory=view, known_alignment=call.alignment)
        storage.write(view.spans(0, call.size), fill_pattern(call.size))
        model.add(area)

    return MemoryEffect(value=NewHandles(POINTER_TYPE, 1, 1, (), model.live_names(POINTER_TYPE)), apply=carry_out)


@rules.memory_effect(WRITE)
def write_by_host(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of a host write of ``content`` through ``pointer``.

    Host writes to a buffer at host_ptr, without the pointer of a mapped region, make the bytes unknown.
    """
    target = resolve_pointer(call.pointer, model).memory_place(span_of(0, call.size))
    if isinstance(call.content, Pointers):
        return replace(address_effect(call.content, target, model), host_accesses=(target,))
    if not isinstance(call.content, Data):
        raise UnknownFactError("content")
    require_within(span_of(0, call.size), len(call.content.content))
    content = defined_bytes(call.content.content[: call.size])
    if _bypasses_mapping(target, model):
        forget, reading = (lambda _value, _command: target.forget()), InterpretationId("host-writes-through-host-ptr")
        return MemoryEffect(writes=(target,), host_accesses=(target,), apply=forget, interpretation=reading)
    return MemoryEffect(writes=(target,), host_accesses=(target,), apply=lambda _value, _command: target.write(content))


def _bypasses_mapping(place: MemoryPlace, model: Model) -> bool:
    """Return whether the host accesses the host_ptr memory of a buffer without the pointer of a mapped region."""
    area = place.owner
    if not isinstance(area, HostArea) or not place.storage.is_lent:
        return False
    through = [
        each for each in model.mapped_regions if each.region.storage is place.storage and each.contains(place.spans)
    ]
    return all(each.pointer != area.name for each in through)


@rules.memory_effect(READ)
def read_by_host(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of a host read of memory through ``pointer``.

    In host memory areas, the read includes the guard bytes.
    """
    source = resolve_pointer(call.pointer, model).memory_place(span_of(0, call.size))
    reading = None
    if may_be_stale(source, model):
        source, reading = replace(source, shows_contents=False), InterpretationId("map-without-flags")
    content = source.read()
    told = ExpectedBytes(
        content.bytes_held,
        content.defined,
        tuple(content.writers),
        responsible_requirement(source, model),
        content.tolerances,
    )
    shown = ShownBytes("content", source, span_of(0, call.size), is_exact=not needs_map(source))
    return MemoryEffect((source,), (), (source,), outputs={"content": told}, interpretation=reading, shown=shown)


@rules.memory_effect(IN_CALLBACK)
def enter_callback(call: Call, model: Model) -> MemoryEffect:
    """Return the effect of ``host_in_callback``: a host thread makes its next calls from inside a callback."""
    if not isinstance(call.callback, HostCallback):
        raise UnknownFactError("callback")
    host_thread, name = call.host_thread, call.callback.name

    def carry_out(_value: Element, _command: Command | None) -> None:
        model.callback_threads[host_thread] = name

    return MemoryEffect(apply=carry_out)


def responsible_requirement(place: MemoryPlace, model: Model) -> str:
    """Return the requirement to which unexpected bytes of a host read are attributed.

    The requirement belongs to the mapping through which the host reads, or otherwise to the last command that used the
    memory.
    """
    through = find_map(place, model, writes=False)
    return (
        f"{through.function}/success"
        if through is not None
        else place.storage.last_requirement or model.commands.latest_requirement
    )
