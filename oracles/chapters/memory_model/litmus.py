"""Effects of litmus kernels: atomic operations that test the memory order, alone or concurrently with the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.atomics import INSTANCE_BYTES
from clconform.oracles.chapters.execution.nd_range import read_range
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import (
    ConcurrentAtomics,
    Content,
    MemoryPlace,
    PointerTarget,
    concatenate,
    defined_bytes,
    unknown_bytes,
)
from clconform.oracles.contents.transfers import span_of
from clconform.oracles.engine.tolerances import ListedTolerance
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS, OUTCOME, WORDS
from clconform.oracles.model.memory_objects import Buffer

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.kernels import Kernel
    from clconform.oracles.model.litmus_kernels import LitmusKernel

KERNELS_WITH_HOST = {each.host_operations: each for each in LITMUS_KERNELS.values() if each.has_host_side}
"""Maps each name of host operations to the kernel that runs concurrently with these operations."""
INTERPRETATION = "outcomes-of-atomics"
"""The interpretation that defines the permitted outcomes."""


def litmus_effect(call: Call, kernel: Kernel, known: LitmusKernel) -> MemoryEffect:
    """Return the effect of a litmus kernel on atomic objects that are 0.

    Two work-items perform the two parts of a test instance. If the host performs one part, one work-item performs the
    other part. Raises UnknownFactError for an unexpected range of work-items, and for objects that may differ from 0.
    """
    launch, argument = read_range(call), kernel.arguments.get(0)
    if launch.dimensions != 1 or launch.offset != (0,):
        raise UnknownFactError("launch")
    instances, rest = divmod(launch.sizes[0], 1 if known.has_host_side else 2)
    if rest or (not known.has_host_side and (launch.local is None or instances % launch.local[0])):
        raise UnknownFactError("launch")
    data = _instances_in(argument.used_memory if argument is not None else None, instances)
    before = data.read()
    if not all(before.defined) or any(before.bytes_held):
        raise UnknownFactError("objects that are not 0")

    def carry_out(_value: Element, command: Command | None) -> None:
        if known.has_host_side:
            data.write(unknown_bytes(instances * INSTANCE_BYTES))
            data.storage.concurrent_atomics = ConcurrentAtomics(command, known.host_operations, instances)
            data.storage.used_capabilities = frozenset()
            return
        data.write(concatenate([instance_content(known, f"{call.function}/success")] * instances))
        data.storage.used_capabilities = frozenset({known.requirement} if known.requirement else ())

    return MemoryEffect((data,), (data,), apply=carry_out)


def _instances_in(used: object, instances: int) -> MemoryPlace:
    """Return the memory of the test instances in a kernel's argument, a buffer or a pointer.

    Raises UndefinedBehaviourError if this memory is too small.
    """
    spans = span_of(0, instances * INSTANCE_BYTES)
    if isinstance(used, PointerTarget):
        return used.memory_place(spans)
    if not isinstance(used, Buffer) or used.memory is None:
        raise UnknownFactError("argument")
    if instances * INSTANCE_BYTES > used.memory.size:
        raise UndefinedBehaviourError("the kernel goes beyond the buffer")
    return MemoryPlace(used.memory.storage, used.memory.to_storage_spans(spans), used)


def instance_content(known: LitmusKernel, success: str) -> Content:
    """Return the content of a test instance after the run: unknown atomic objects, and one of the permitted outcomes.

    ``success``: the requirement to which unexpected bytes are attributed if ``known`` does not have a requirement.
    """
    permitted = ListedTolerance(ELEMENT_BYTES, (), INTERPRETATION, known.outcome_words)
    requirements = [known.requirement or success] * ELEMENT_BYTES
    outcome = Content(permitted.preferred, bytes(ELEMENT_BYTES), requirements, ((0, permitted),))
    before, after = unknown_bytes(OUTCOME * ELEMENT_BYTES), defined_bytes(bytes((WORDS - OUTCOME - 1) * ELEMENT_BYTES))
    return concatenate([before, outcome, after])
