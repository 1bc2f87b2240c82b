"""Error conditions of programs from binaries, and recognition of known binaries (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.truncation import MAX_BYTES
from clconform.calls.values import Data, ElementList, Pointers, Texts
from clconform.oracles.chapters.programs.error_conditions.devices import listed_devices
from clconform.oracles.common.parameters import find_null
from clconform.oracles.contents.pointers import memory_at, split_address
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.pointer_memory import HostArea
from clconform.oracles.model.programs import Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clCreateProgramWithBinary/CL_INVALID_VALUE/2")
def is_binary_missing(call: Call, model: Model) -> PredicateResult:
    """lengths or binaries is NULL, or an element of lengths is 0, or an element of binaries is NULL."""
    if call.lengths is None or call.binaries is None:
        return MUST
    if not call.num_devices:
        return NO
    lengths = call.lengths.values if isinstance(call.lengths, ElementList) else ()
    if len(lengths) < call.num_devices:
        return UNDEFINED
    sizes = _readable_sizes(call.binaries, model)
    if len(sizes) < call.num_devices:
        return UNDEFINED
    given = list(zip(lengths, sizes, strict=False))[: call.num_devices]
    if any(size is not None and isinstance(length, int) and length > size for length, size in given):
        return UNDEFINED
    return must_if(any(length == 0 or size is None for length, size in given))


@rules.alternatives_of("clCreateProgramWithBinary/CL_INVALID_VALUE/2")
def find_missing_binaries(call: Call, model: Model) -> Iterator[str]:
    """Yield each list that is NULL, each length that is 0, and each binary that is NULL."""
    missing = list(find_null(call, "lengths", "binaries"))
    yield from missing
    for at in range(call.num_devices if not missing else 0):
        if call.lengths.values[at] == 0:
            yield f"lengths[{at}] is 0"
        if _readable_sizes(call.binaries, model)[at] is None:
            yield f"binaries[{at}] is NULL"


def _readable_sizes(binaries: object, model: Model) -> list[int | None]:
    """Return the number of readable bytes of each binary, None for NULL."""
    if isinstance(binaries, Data):
        return [len(binaries.content)]
    if isinstance(binaries, Pointers):
        return [None if each is None else _readable_bytes(each, model) for each in binaries.values]
    texts = binaries.contents if isinstance(binaries, Texts) else ()
    return [len(text.encode("utf-8", "surrogateescape")) + 1 for text in texts]


def _readable_bytes(pointer: object, model: Model) -> int:
    """Return the number of known bytes of host memory that start at an address; 0 outside known memory."""
    area = memory_at(pointer, model, HostArea)
    return max(0, area.size - split_address(pointer)[1]) if area is not None else 0


def is_empty_at(call: Call, at: int, model: Model) -> bool:
    """Return whether the binary at an index is known to be NULL or to have a length of 0."""
    lengths = call.lengths.values if isinstance(call.lengths, ElementList) else ()
    sizes = _readable_sizes(call.binaries, model)
    return at < len(lengths) and (lengths[at] == 0 or (at < len(sizes) and sizes[at] is None))


@rules.clause("clCreateProgramWithBinary/CL_INVALID_BINARY/1")
def is_binary_invalid(call: Call, model: Model) -> PredicateResult:
    """An element of binaries is not a valid binary for the device at the same index of device_list."""
    return NO if programs_with_binaries(call, model) else may("unknown-binary")


def programs_with_binaries(call: Call, model: Model) -> list[Program]:
    """Return the existing programs that reported the given binaries; empty if any binary is unknown.

    Each of these programs has a single device, which is the device at the same index of device_list or one of its
    ancestors. Only the beginning of a reported binary may be stored; together with the reported size, it identifies the
    binary.
    """
    found = [programs_with_binary_at(call, at, model) for at in range(call.num_devices)]
    return [program for each in found for program in each] if all(found) else []


def programs_with_binary_at(call: Call, at: int, model: Model) -> list[Program]:
    """Return the existing programs that reported the binary at index ``at`` for the device at this index."""
    binary, given = _binary_at(call, at, model), listed_devices(call, model)
    if binary is None or at >= len(given):
        return []
    content, size = binary.hex(), (len(binary),)
    family = (given[at], *(given[at].ancestors if given[at].shares_binaries else []))
    return [
        program
        for program in model.objects_of_class(Program)
        if len(program.binaries) == 1
        and _matches_reported(content, program.binaries[0])
        and program.devices[0] in family
        and program.facts.get("CL_PROGRAM_BINARY_SIZES") == size
    ]


def _binary_at(call: Call, at: int, model: Model) -> bytes | None:
    """Return the binary at an index; None if its bytes are unknown."""
    lengths = call.lengths.values if isinstance(call.lengths, ElementList) else ()
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
        spans = area.memory.spans(split_address(pointers[at])[1], size)
    except UnknownFactError:
        return None
    content = area.memory.storage.read(spans)
    return content.bytes_held if all(content.defined) else None


def _matches_reported(content: str, told: str) -> bool:
    """Return whether a binary, in hexadecimal digits, equals a reported binary or begins with its stored part."""
    return content == told or (len(told) >= MAX_BYTES and content.startswith(told))
