"""Effects of litmus kernels, whose atomic operations test memory order, alone or concurrently with the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.atomics import INSTANCE_BYTES
from clconform.oracles.chapters.execution.ranges import range_of
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, Meeting, Place, Reach, in_a_row, plain, unknown
from clconform.oracles.contents.transfers import run_of
from clconform.oracles.engine.permitted import Listed
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.known_kernels import ELEMENT_BYTES
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS, OUTCOME, WORDS
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.litmus_kernels import LitmusKernel

BESIDE_THE_HOST = {each.of_the_host: each for each in LITMUS_KERNELS.values() if each.meets_the_host}
"""Operations of the host to the kernel that runs concurrently with them."""
ENTRY = "outcomes-of-atomics"
"""The interpretation that defines the permitted outcomes."""


def instances_tried(call: Call, kernel: Kernel, known: LitmusKernel) -> MemoryEffect:
    """Return the effect of a litmus kernel on zeroed objects; it runs both halves, or one if the host runs the other.

    Raises UnknownError for any other enqueue.
    """
    launch, argument = range_of(call), kernel.arguments.get(0)
    if launch.dimensions != 1 or launch.offset != (0,):
        raise UnknownError("launch")
    instances, rest = divmod(launch.sizes[0], 1 if known.meets_the_host else 2)
    if rest or (not known.meets_the_host and (launch.local is None or instances % launch.local[0])):
        raise UnknownError("launch")
    data = _shared(argument.used if argument is not None else None, instances)
    before = data.read()
    if not all(before.defined) or any(before.held):
        raise UnknownError("objects that are not 0")

    def carry_out(_value: Element, command: Command | None) -> None:
        if known.meets_the_host:
            data.write(unknown(instances * INSTANCE_BYTES))
            data.storage.meets = Meeting(command, known.of_the_host, instances)
            data.storage.ways = frozenset()
            return
        data.write(in_a_row([left(known, f"{call.function}/success")] * instances))
        data.storage.ways = frozenset({known.shows} if known.shows else ())

    return MemoryEffect((data,), (data,), carry_out=carry_out)


def _shared(used: object, instances: int) -> Place:
    """Return the instances in a kernel's argument; ForbiddenError if the argument is too small."""
    spans = run_of(0, instances * INSTANCE_BYTES)
    if isinstance(used, Reach):
        return used.place(spans)
    if not isinstance(used, Buffer) or used.memory is None:
        raise UnknownError("argument")
    if instances * INSTANCE_BYTES > used.memory.size:
        raise ForbiddenError("the kernel goes beyond the buffer")
    return Place(used.memory.storage, used.memory.moved(spans), used)


def left(known: LitmusKernel, success: str) -> Content:
    """Return the content of an instance after the run: unknown objects, and one of the permitted outcomes."""
    permitted = Listed(ELEMENT_BYTES, (), ENTRY, known.numbers)
    records = [known.shows or success] * ELEMENT_BYTES
    outcome = Content(permitted.usual, bytes(ELEMENT_BYTES), records, ((0, permitted),))
    before, after = unknown(OUTCOME * ELEMENT_BYTES), plain(bytes((WORDS - OUTCOME - 1) * ELEMENT_BYTES))
    return in_a_row([before, outcome, after])
