"""Error conditions of programs from binaries, and recognition of known binaries (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.cutting import LONGEST_BYTES
from clconform.calls.values import Data, Items, Pointers, Texts
from clconform.oracles.chapters.programs.clauses.devices import devices_listed
from clconform.oracles.contents.pointers import base_and_offset, memory_at
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.pointed_memory import HostArea
from clconform.oracles.model.programs import Program

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clCreateProgramWithBinary/CL_INVALID_VALUE/2")
def no_binaries(call: Call, model: Model) -> Reply:
    """lengths or binaries is NULL, or an element of lengths is 0, or an element of binaries is NULL."""
    if call.lengths is None or call.binaries is None:
        return Answer.MUST
    if not call.num_devices:
        return Answer.NO
    lengths = call.lengths.values if isinstance(call.lengths, Items) else ()
    if len(lengths) < call.num_devices:
        return Answer.UNDEFINED
    sizes = _sizes(call.binaries, model)
    if len(sizes) < call.num_devices:
        return Answer.UNDEFINED
    given = list(zip(lengths, sizes, strict=False))[: call.num_devices]
    if any(size is not None and isinstance(told, int) and told > size for told, size in given):
        return Answer.UNDEFINED
    return any(told == 0 or size is None for told, size in given)


def _sizes(binaries: object, model: Model) -> list[int | None]:
    """Return the number of readable bytes of each binary, None for NULL."""
    if isinstance(binaries, Data):
        return [len(binaries.content)]
    if isinstance(binaries, Pointers):
        return [None if each is None else _room(each, model) for each in binaries.values]
    texts = binaries.contents if isinstance(binaries, Texts) else ()
    return [len(text.encode("utf-8", "surrogateescape")) + 1 for text in texts]


def _room(pointer: object, model: Model) -> int:
    """Return the number of bytes of known host memory from an address on, 0 outside of it."""
    area = memory_at(pointer, model, HostArea)
    return max(0, area.size - base_and_offset(pointer)[1]) if area is not None else 0


def is_empty_at(call: Call, at: int, model: Model) -> bool:
    """Return whether the binary at an index is known to be NULL or to have a length of 0."""
    lengths = call.lengths.values if isinstance(call.lengths, Items) else ()
    sizes = _sizes(call.binaries, model)
    return at < len(lengths) and (lengths[at] == 0 or (at < len(sizes) and sizes[at] is None))


@rules.clause("clCreateProgramWithBinary/CL_INVALID_BINARY/1")
def not_a_binary(call: Call, model: Model) -> Reply:
    """An element of binaries is not a binary for the device in device_list at the same place."""
    return Answer.NO if origins_of(call, model) else May("bytes-of-a-binary")


def origins_of(call: Call, model: Model) -> list[Program]:
    """Return the existing programs that reported the given binaries; empty if any binary is unknown.

    Each program reported it for its only device, which is the device at the same index of the call or an ancestor of
    it. Of a stored result only the beginning may be known; with the reported size it identifies the whole.
    """
    found = [origins_at(call, at, model) for at in range(call.num_devices)]
    return [program for each in found for program in each] if all(found) else []


def origins_at(call: Call, at: int, model: Model) -> list[Program]:
    """Return the existing programs that reported the binary given for the device at an index."""
    binary, given = _binary(call, at, model), devices_listed(call, model)
    if binary is None or at >= len(given):
        return []
    content, size = binary.hex(), (len(binary),)
    family = (given[at], *(given[at].ancestors if given[at].shares_binaries else []))
    return [
        program
        for program in model.of_kind(Program)
        if len(program.binaries) == 1
        and _begins(content, program.binaries[0])
        and program.devices[0] in family
        and program.facts.get("CL_PROGRAM_BINARY_SIZES") == size
    ]


def _binary(call: Call, at: int, model: Model) -> bytes | None:
    """Return the binary at an index; None if its bytes are unknown."""
    lengths = call.lengths.values if isinstance(call.lengths, Items) else ()
    size = lengths[at] if at < len(lengths) else None
    if not isinstance(size, int):
        return None
    if isinstance(call.binaries, Data):
        return call.binaries.content if (at, size) == (0, len(call.binaries.content)) else None
    pointers = call.binaries.values if isinstance(call.binaries, Pointers) else ()
    area = memory_at(pointers[at], model, HostArea) if at < len(pointers) else None
    if area is None or area.memory is None:
        return None
    try:
        spans = area.memory.spans(base_and_offset(pointers[at])[1], size)
    except UnknownError:
        return None
    content = area.memory.storage.read(spans)
    return content.held if all(content.defined) else None


def _begins(content: str, told: str) -> bool:
    """Return whether a binary, in hexadecimal digits, equals the reported one or begins with its stored part."""
    return content == told or (len(told) >= LONGEST_BYTES and content.startswith(told))
