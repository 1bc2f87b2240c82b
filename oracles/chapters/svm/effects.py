"""Memory effects of functions that free shared memory (section 5.6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import whole_places
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.memory_effect("clSVMFree", "clEnqueueSVMFree", "clMemFreeINTEL", "clMemBlockingFreeINTEL")
def free_shared_memory(call: Call, model: Model) -> MemoryEffect:
    """The call uses all bytes of each allocation until it frees the allocation."""
    return MemoryEffect(writes=whole_places(map(model.find, freed_pointers(call))))


def freed_pointers(call: Call) -> tuple[Value, ...]:
    """Return the pointers that a call frees."""
    given = next(call.arguments[name] for name in ("svm_pointer", "ptr", "svm_pointers") if name in call.arguments)
    return given.values if isinstance(given, ElementList) else (given,)
