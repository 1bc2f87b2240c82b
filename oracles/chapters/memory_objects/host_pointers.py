"""What a memory object tells of the host's memory that it lies in (section 5.5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Inside
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Each, Such, Want
from clconform.oracles.model.world import Child, Thing
from clconform.oracles.recurring.making import exactly

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Answers, Model

rules = Rules()

WHERE, SHARED = "CL_MEM_HOST_PTR", "CL_MEM_USES_SVM_POINTER"
NOWHERE = exactly(0)


def host_memory_told(call: Call, model: Model) -> dict[str, Answers]:
    """Return what a new object answers of the memory that it was handed to lie in; no such memory where it copies."""
    given = call.arguments.get("host_ptr")
    if not call.flags & model.value("CL_MEM_USE_HOST_PTR"):
        return {WHERE: NOWHERE, SHARED: exactly(0)}
    memory = model.known(given.handle if isinstance(given, Inside) else given)
    told: dict[str, Answers] = {}
    if isinstance(given, Handle):
        told[WHERE] = exactly(given.name)
    if isinstance(memory, Child) and memory.sort in ("svm", "host area"):
        told[SHARED] = exactly(int(memory.sort == "svm"))
    return told


def host_memory_of_a_region(buffer: Child, origin: int) -> dict[str, Answers]:
    """Return what a region of a buffer answers: the same, but for an address that lies further on."""
    told = {name: buffer.echoes.get(name, ()) for name in (WHERE, SHARED)}
    if origin and told[WHERE] != NOWHERE:
        told[WHERE] = ()
    return told


@rules.answer(WHERE)
def behind_the_buffer(thing: Thing, model: Model) -> Want:
    """The address that the object was handed, or that of a region's first byte in it; NULL where it was handed none."""
    del model
    buffer = thing.parent if isinstance(thing, Child) and thing.sort == "sub-buffer" else None
    known = buffer.echoes.get(WHERE) if buffer is not None else None
    if buffer is None or not known or known == NOWHERE or thing.echoes.get(WHERE):
        return Each(())
    others = (0, None, *known[0])
    return Such(
        lambda seen: bool(seen) and seen[0] not in others, f"an address behind {known[0][0]}", (WHERE,), (buffer.size,)
    )
