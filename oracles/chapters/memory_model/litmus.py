"""What the kernels leave behind that put the order of atomic operations to the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.ranges import range_of
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, Place, in_a_row, plain, unknown
from clconform.oracles.engine.permitted import Listed
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.known_kernels import ELEMENT_BYTES
from clconform.oracles.model.litmus_kernels import OUTCOME, WORDS
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.litmus_kernels import LitmusKernel

ENTRY = "outcomes-of-atomics"
"""The entry of the register by which these outcomes and no others are permitted."""


def instances_tried(call: Call, kernel: Kernel, known: LitmusKernel) -> MemoryEffect:
    """Return the effect of a launch of two work-groups on objects that are 0; UnknownError for any other launch."""
    launch, argument = range_of(call), kernel.arguments.get(0)
    buffer = argument.object if argument is not None else None
    if launch.dimensions != 1 or launch.local is None or launch.sizes != (2 * launch.local[0],):
        raise UnknownError("launch")
    if not isinstance(buffer, Buffer) or buffer.memory is None:
        raise UnknownError("argument")
    instances, each = launch.local[0], WORDS * ELEMENT_BYTES
    if instances * each > buffer.memory.size:
        raise ForbiddenError("the kernel goes beyond the buffer")
    data = Place(buffer.memory.storage, buffer.memory.spans(0, instances * each), buffer)
    before = data.read()
    if not all(before.defined) or any(before.held):
        raise UnknownError("objects that are not 0")

    def carry_out(_value: Element, _command: Command | None) -> None:
        data.write(in_a_row([_left(known, f"{call.function}/success")] * instances))
        data.storage.ways = frozenset({known.shows} if known.shows else ())

    return MemoryEffect((data,), (data,), carry_out=carry_out)


def _left(known: LitmusKernel, success: str) -> Content:
    """Return what an instance leaves: its objects are open, and its outcome is one of those that may be."""
    permitted = Listed(ELEMENT_BYTES, (), ENTRY, known.numbers)
    records = [known.shows or success] * ELEMENT_BYTES
    outcome = Content(permitted.usual, bytes(ELEMENT_BYTES), records, ((0, permitted),))
    before, after = unknown(OUTCOME * ELEMENT_BYTES), plain(bytes((WORDS - OUTCOME - 1) * ELEMENT_BYTES))
    return in_a_row([before, outcome, after])
