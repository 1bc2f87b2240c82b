"""Marks the contents of memory as unknown where a program, a kernel or another object may change them unrecorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import call_handles
from clconform.oracles.contents.access_rules import MAP_FUNCTIONS
from clconform.oracles.contents.storage import whole_places
from clconform.oracles.engine.commands import forget_written_memory
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointer_memory import PointerMemory, UsmAllocation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.engine.judgements import Expectation

NATIVE_KERNEL = "clEnqueueNativeKernel"


class UnknownContents:
    """Forgets the bytes of one program's memory after each judged call."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle

    def forget_after(self, expectation: Expectation, *, in_doubt: bool) -> None:
        """Forget what is unknown after a call; ``in_doubt``: it is unknown which memory the call has written."""
        call, model = expectation.call, self._oracle.model
        has_effect = self._oracle.rulebook.has_effect(call.function)
        if has_effect and (in_doubt or has_unknown_effect(expectation)):
            forget_written_memory(expectation.context)
        used = model.find_all(call_handles(call))
        if call.function in MAP_FUNCTIONS:  # the host writes before or after such a call, without a recorded call
            _forget([*used, model.find(call.arguments.get("mapped_ptr"))])
        if call.function == NATIVE_KERNEL:
            _forget(used)
        elif has_effect:
            self._forget_shared_writes(expectation)

    def forget_used(self, call: Call) -> None:
        """Forget the contents of all memory that a call of which the model knows no effect may have changed."""
        if not call.function.startswith("clEnqueue"):
            return
        model = self._oracle.model
        kernel = model.find(call.arguments.get("kernel"))
        used = kernel.used_objects if isinstance(kernel, Kernel) else []
        _forget([*model.find_all(call_handles(call)), *used])

    def forget_created(self, names: list[str]) -> None:
        """Forget the contents of new memory objects that use memory of the host, which the program may change."""
        _forget(filter(self._uses_host_memory, map(self._oracle.model.objects.get, names)))

    def _uses_host_memory(self, thing: object) -> bool:
        use = self._oracle.model.constant_value("CL_MEM_USE_HOST_PTR")
        return isinstance(thing, MemoryObject) and bool(thing.root_object.flags & use)

    def _forget_shared_writes(self, expectation: Expectation) -> None:
        """Forget the written bytes that the program may also write without a recorded call."""
        model = self._oracle.model
        try:
            places: tuple[MemoryPlace, ...] = expectation.context.effect.writes
        except (UnknownFactError, UndefinedBehaviourError):
            return
        mapped = {id(each.region.storage) for each in model.mapped_regions if each.is_writable}
        for place in places:
            if (
                id(place.storage) in mapped
                or self._uses_host_memory(place.owner)
                or isinstance(place.owner, UsmAllocation)
                or (isinstance(place.owner, PointerMemory) and place.owner.is_fine_grained)
            ):
                place.storage.forget()


def _forget(things: Iterable[object]) -> None:
    """Forget the contents of all memory of these objects."""
    for place in whole_places(things):
        place.storage.forget()


def has_unknown_effect(expectation: Expectation) -> bool:
    """Return whether the effect of a call on memory is unknown to the model."""
    try:
        return expectation.context.effect is None
    except (UnknownFactError, UndefinedBehaviourError):
        return True
