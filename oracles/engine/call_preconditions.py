"""Preconditions of every call: enough memory for the stated sizes, and a terminator in every property list.

A driver may read or write as many bytes as the call states, and reads a list up to its terminator. A call with less
memory, or with a list that has no terminator, is undefined and never sent.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from clconform.calls.call import Call
from clconform.calls.values import (
    Data,
    DispatchConfigs,
    ElementList,
    HandleBytes,
    OffsetPointer,
    OutputBuffer,
    OutputBuffers,
    Pointers,
    Texts,
)
from clconform.oracles.contents.transfers import rectangle_of
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointer_memory import PointerMemory
from clconform.spec_tables.length_parameters import COUNTED_BY, TRIPLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.values import Value
    from clconform.oracles.model.state import Model

POINTER_PARAMETERS = ("svm_ptr", "dst_ptr", "src_ptr")
"""Parameters that must point to ``size`` bytes of memory."""


def find_short_argument(call: Call, model: Model) -> str:
    """Return the first parameter whose list or memory is shorter than another argument states, or an empty string."""
    arguments = call.arguments
    for name, counters in counted_parameters(tuple(arguments)):
        length = _argument_length(arguments[name], model.pointer_bytes)
        if length is None:
            continue
        for counter in counters:
            said = arguments[counter]
            if isinstance(said, int) and said > length:
                return name
        if name.endswith(TRIPLES) and length < len("xyz"):
            return name
    return "ptr" if "host_origin" in arguments and _exceeds_host_memory(call, model) else ""


def trim_to_counts(call: Call) -> Call:
    """Return the call with every list cut to its count argument, because the function reads no further elements."""
    arguments = call.arguments
    seen: dict[str, Value] = {}
    for name, counters in counted_parameters(tuple(arguments)):
        value = arguments[name]
        counts = [each for counter in counters if isinstance(each := arguments[counter], int) and each >= 0]
        if counts and isinstance(value, ElementList) and len(value.values) > min(counts):
            seen[name] = ElementList(value.values[: min(counts)])
        elif counts and isinstance(value, Texts) and len(value.contents) > min(counts):
            seen[name] = Texts(value.contents[: min(counts)])
    return Call(call.function, {**arguments, **seen}, call.references) if seen else call


@functools.cache
def counted_parameters(parameters: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the parameters that need a minimum length, each with the parameters that state this length."""
    told = ((name, tuple(each for each in COUNTED_BY.get(name, ()) if each in parameters)) for name in parameters)
    return tuple((name, counters) for name, counters in told if counters or name.endswith(TRIPLES))


def _exceeds_host_memory(call: Call, model: Model) -> bool:
    """Return whether a call's rectangle in host memory extends past the end of that memory."""
    length = _argument_length(call.arguments.get("ptr"), model.pointer_bytes)
    if length is None:
        return False
    try:
        return rectangle_of(call, "host").end > length
    except UnknownFactError:  # an array is NULL, which drivers do not dereference
        return False


def find_unterminated_list(call: Call, model: Model) -> str:
    """Return the name of the first property list without a terminator, or an empty string.

    A list ends with 0 at the position of a name. A partition list, whose form depends on its scheme, has 0 as its last
    element.
    """
    for name, base in model.lookups.property_lists(call.function):
        value = call.arguments.get(name)
        if not isinstance(value, ElementList):
            continue
        ends = value.values[-1:] if "partition" in base else value.values[::2]
        if not any(each in (0, None) for each in ends):
            return name
    return ""


def find_short_memory(call: Call, model: Model) -> str:
    """Return the first pointer parameter whose memory is smaller than the argument ``size``, or an empty string."""
    size = call.arguments.get("size")
    if not isinstance(size, int):
        return ""
    for name in POINTER_PARAMETERS:
        value = call.arguments.get(name)
        handle, offset = (value.handle, value.offset) if isinstance(value, OffsetPointer) else (value, 0)
        memory = model.find(handle)
        if isinstance(memory, PointerMemory | MemoryObject) and offset + size > memory.size:
            return name
    return ""


def _argument_length(value: object, pointer_bytes: int) -> int | None:
    if isinstance(value, HandleBytes):
        return pointer_bytes
    count = POINTER_COUNTS.get(type(value))
    if count is not None:
        return count(value) * pointer_bytes
    measure = LENGTHS.get(type(value))
    return measure(value) if measure else None


LENGTHS: dict[type, Callable[[Any], int]] = {
    OutputBuffer: lambda output_buffer: output_buffer.count,
    ElementList: lambda items: len(items.values),
    DispatchConfigs: lambda configs: len(configs.values),
    Data: lambda data: data.size,
    Texts: lambda texts: len(texts.contents),
}
"""Argument type to the function that returns its length, in elements or bytes, on any machine."""
POINTER_COUNTS: dict[type, Callable[[Any], int]] = {
    OutputBuffers: lambda output_buffers: len(output_buffers.counts),
    Pointers: lambda pointers: len(pointers.values),
}
"""Argument type to the function that returns the number of its pointers."""
