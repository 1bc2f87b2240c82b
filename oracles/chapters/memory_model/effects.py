"""Effects of atomic operations of the host, alone or concurrently with a kernel that uses the same objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.atomics import INSTANCE_BYTES, OBJECT_BYTES
from clconform.calls.harness_actions import ATOMICS
from clconform.calls.values import OffsetPointer, Text
from clconform.oracles.chapters.memory_model.litmus import KERNELS_WITH_HOST, instance_content
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.storage import concatenate
from clconform.oracles.contents.transfers import span_of
from clconform.oracles.engine.matchers import Anything
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UndefinedBehaviourError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()

LAUNCH, SUCCEEDED = "clEnqueueNDRangeKernel", 1


@rules.memory_effect(ATOMICS)
def perform_host_atomics(call: Call, model: Model) -> MemoryEffect:
    """The host performs atomic operations on the objects at the pointer.

    If a kernel concurrently uses the same objects, the result is one of the permitted outcomes.
    """
    if isinstance(call.pointer, OffsetPointer) and call.pointer.offset % OBJECT_BYTES:
        raise UndefinedBehaviourError("atomic objects would lie where none can")
    target = resolve_pointer(call.pointer, model).memory_place(span_of(0, call.instances * INSTANCE_BYTES))
    meets = target.storage.concurrent_atomics
    asked = (call.operations, call.instances)
    known = (
        KERNELS_WITH_HOST[meets.operations] if meets and (Text(meets.operations), meets.instances) == asked else None
    )

    def carry_out(value: Element, _command: Command | None) -> None:
        target.forget()
        target.storage.used_capabilities = frozenset()
        if known is not None and value == SUCCEEDED:
            target.write(concatenate([instance_content(known, "clEnqueueNDRangeKernel/success")] * call.instances))
            target.storage.used_capabilities = frozenset({known.requirement})

    return MemoryEffect((target,), (target,), (target,), value=Anything((SUCCEEDED,)), apply=carry_out)
