"""Effects of atomic operations of the host, alone or concurrently with a kernel that uses the same objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.atomics import INSTANCE_BYTES, OBJECT_BYTES
from clconform.calls.host import ATOMICS
from clconform.calls.values import Inside, Text
from clconform.oracles.chapters.memory_model.litmus import BESIDE_THE_HOST, left
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.storage import in_a_row
from clconform.oracles.contents.transfers import run_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything
from clconform.oracles.model.errors import ForbiddenError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

rules = Rules()

LAUNCH, MADE = "clEnqueueNDRangeKernel", 1


@rules.effect(ATOMICS)
def made_by_the_host(call: Call, model: Model) -> MemoryEffect:
    """The host performs atomic operations; concurrently with a kernel they leave one of the allowed outcomes."""
    if isinstance(call.pointer, Inside) and call.pointer.offset % OBJECT_BYTES:
        raise ForbiddenError("atomic objects would lie where none can")
    target = reach(call.pointer, model).place(run_of(0, call.instances * INSTANCE_BYTES))
    meets = target.storage.meets
    asked = (call.operations, call.instances)
    known = BESIDE_THE_HOST[meets.operations] if meets and (Text(meets.operations), meets.instances) == asked else None

    def carry_out(value: Element, _command: Command | None) -> None:
        target.forget()
        target.storage.ways = frozenset()
        if known is not None and value == MADE:
            target.write(in_a_row([left(known, f"{LAUNCH}/success")] * call.instances))
            target.storage.ways = frozenset({known.shows})

    return MemoryEffect((target,), (target,), (target,), value=Anything((MADE,)), carry_out=carry_out)
