"""Release of USM: immediately, and after the commands that use it, with every kind of access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OutputBuffer
from clconform.oracles.contents.unified import TYPES
from clconform.oracles.model.pointed_memory import UsmAllocation
from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.runner.session.answers import made
from clconform.suites.chapters.usm.kit import UnifiedKit
from clconform.suites.kit.memory import SIZE, telling

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

NAME = "usm.freeing"
FREE, WAIT_AND_FREE = "clMemFreeINTEL", "clMemBlockingFreeINTEL"


def by_a_fill(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Use USM in a fill."""
    kit.keep_busy()
    return kit.fill(memory, b"\1\2\3\4", SIZE, event=OutputBuffer(1))


def by_a_copy(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Use USM as the source of a copy."""
    target = kit.unified(*TYPES)
    kit.keep_busy()
    return kit.copy(target, memory, SIZE, wait=False, event=OutputBuffer(1))


def by_a_kernel(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Use USM as a kernel's argument."""
    return _run(kit, kit.kernel("add_index"), memory)


def by_a_list(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Use USM that is declared to a kernel with another argument."""
    kernel = kit.kernel("add_index")
    kit.tell(kernel, memory)
    return _run(kit, kernel, kit.filled_unified(*TYPES))


def by_its_type(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Use USM in a kernel that may access all USM of this type, with another argument."""
    kernel = kit.kernel("add_index")
    kit.allow(kernel, kit.cl.model.get(UsmAllocation, memory).title)
    return _run(kit, kernel, kit.filled_unified(*TYPES))


def by_a_long_list(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Use USM that is declared to a kernel among others; the list is replaced after the kernel enqueue."""
    kernel = kit.kernel("add_index")
    kit.tell(kernel, kit.filled_unified(*TYPES), memory, kit.filled_unified(*TYPES))
    launched = _run(kit, kernel, kit.filled_unified(*TYPES))
    kit.tell(kernel)
    return launched


def by_a_walk(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Use USM that is declared to a kernel which walks along other memory but might access it."""
    kernel, first, second = kit.kernel("walk"), kit.filled_unified(*TYPES), kit.filled_unified(*TYPES)
    kit.tell(kernel, memory, second)
    kit.link(first, second)
    return _run(kit, kernel, first)


def by_a_walk_along_types(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Use USM in a kernel that may access all USM of this type and walks along other memory."""
    kernel, first, second = kit.kernel("walk"), kit.filled_unified(*TYPES), kit.filled_unified(*TYPES)
    for each in (second, memory):
        kit.allow(kernel, kit.cl.model.get(UsmAllocation, each).title)
    kit.link(first, second)
    return _run(kit, kernel, first)


def _run(kit: UnifiedKit, kernel: Handle, memory: Handle) -> Outcome:
    """Enqueue a kernel after a slow one."""
    kit.keep_busy()
    return kit.launch(kernel, memory, event=OutputBuffer(1))


USES = {
    "a fill": by_a_fill,
    "a copy": by_a_copy,
    "a kernel": by_a_kernel,
    "a kernel with it in a list": by_a_list,
    "a kernel that may use all of its type": by_its_type,
    "a kernel with it in a list of several": by_a_long_list,
    "a kernel that walks by a list": by_a_walk,
    "a kernel that walks by types": by_a_walk_along_types,
}


def freed_in_use(cl: Session, memory_type: str, use: Callable[[UnifiedKit, Handle], Outcome]) -> None:
    """Free USM that a command may still use, and check that the command is complete."""
    kit = UnifiedKit(cl)
    memory = kit.filled_unified(memory_type)
    events = made(use(kit, memory), "event")
    cl.clMemBlockingFreeINTEL(kit.context, memory)
    for event in events:
        cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")
    kit.finish()  # if the driver did not wait, the other memory of the command must not be freed yet


def freed_beside(cl: Session, memory_type: str, function: str) -> None:
    """Free an unused allocation while a kernel walks along others of the same type."""
    kit = UnifiedKit(cl)
    gone, first, second = (kit.filled_unified(memory_type, seed=seed) for seed in range(3))
    kernel = kit.kernel("walk")
    kit.tell(kernel, second)
    kit.link(first, second)
    _run(kit, kernel, first)
    getattr(cl, function)(kit.context, gone)
    again = kit.filled_unified(memory_type, seed=3)
    for memory in (first, second, again):
        kit.fetch(memory)


def freed_by_itself(cl: Session, memory_type: str, function: str) -> None:
    """Free one of two allocations without pending commands, and check that the other is unchanged."""
    kit = UnifiedKit(cl)
    gone, kept = kit.filled_unified(memory_type, seed=1), kit.filled_unified(memory_type, seed=2)
    kit.fill(gone, b"\7", SIZE)
    kit.finish()
    getattr(cl, function)(kit.context, gone)
    again = kit.filled_unified(memory_type, seed=3)
    for memory in (kept, again):
        kit.fetch(memory)
    kit.copy(kept, Data(telling(SIZE, 4)), SIZE)
    kit.fetch(kept)


def cases() -> list[Case]:
    """Return an item for each type of USM, and each way to use or free it."""
    in_use = [
        Case(f"{WAIT_AND_FREE}/success", f"{memory_type}, {words} running", act(freed_in_use, memory_type, use))
        for memory_type in TYPES
        for words, use in USES.items()
    ]
    by_themselves = [
        Case(f"{function}/success", f"one of two, {memory_type}", act(freed_by_itself, memory_type, function))
        for memory_type in TYPES
        for function in (FREE, WAIT_AND_FREE)
    ]
    beside = [
        Case(
            f"{function}/success",
            f"{memory_type}, while a pointer walk is running",
            act(freed_beside, memory_type, function),
        )
        for memory_type in TYPES
        for function in (FREE, WAIT_AND_FREE)
    ]
    return in_use + by_themselves + beside


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_freeing(cl: Session, case: Case) -> None:
    case.act(cl)
