"""Release of USM, immediately or after the commands that access it; the commands use every type of access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OutputBuffer
from clconform.oracles.contents.usm import TYPES
from clconform.oracles.model.pointer_memory import UsmAllocation
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.usm.kit import UnifiedKit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

NAME = "usm.freeing"
FREE, WAIT_AND_FREE = "clMemFreeINTEL", "clMemBlockingFreeINTEL"


def use_in_fill(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Enqueue a fill of USM."""
    kit.enqueue_slow_kernel()
    return kit.fill(memory, b"\1\2\3\4", SIZE, event=OutputBuffer(1))


def use_in_copy(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Enqueue a copy from USM."""
    target = kit.usm(*TYPES)
    kit.enqueue_slow_kernel()
    return kit.copy(target, memory, SIZE, wait=False, event=OutputBuffer(1))


def use_as_argument(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Enqueue a kernel whose argument is USM."""
    return _run_after_slow_kernel(kit, kit.kernel("add_index"), memory)


def use_by_declaration(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Enqueue a kernel for which USM is declared in a pointer list; the kernel's argument is another allocation."""
    kernel = kit.kernel("add_index")
    kit.declare_pointers(kernel, memory)
    return _run_after_slow_kernel(kit, kernel, kit.create_filled(*TYPES))


def use_by_type(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Enqueue a kernel that may access all USM of one type; the kernel's argument is another allocation."""
    kernel = kit.kernel("add_index")
    kit.declare_type(kernel, kit.cl.model.get(UsmAllocation, memory).title)
    return _run_after_slow_kernel(kit, kernel, kit.create_filled(*TYPES))


def use_by_long_declaration(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Enqueue a kernel with USM in the middle of its pointer list, and clear the list after the enqueue."""
    kernel = kit.kernel("add_index")
    kit.declare_pointers(kernel, kit.create_filled(*TYPES), memory, kit.create_filled(*TYPES))
    launched = _run_after_slow_kernel(kit, kernel, kit.create_filled(*TYPES))
    kit.declare_pointers(kernel)
    return launched


def use_by_walk(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Enqueue a kernel that walks along other allocations, with USM in its pointer list."""
    kernel, first, second = kit.kernel("walk"), kit.create_filled(*TYPES), kit.create_filled(*TYPES)
    kit.declare_pointers(kernel, memory, second)
    kit.link_nodes(first, second)
    return _run_after_slow_kernel(kit, kernel, first)


def use_by_walk_along_types(kit: UnifiedKit, memory: Handle) -> Outcome:
    """Enqueue a kernel that walks along other allocations and may access all USM of the type of ``memory``."""
    kernel, first, second = kit.kernel("walk"), kit.create_filled(*TYPES), kit.create_filled(*TYPES)
    for each in (second, memory):
        kit.declare_type(kernel, kit.cl.model.get(UsmAllocation, each).title)
    kit.link_nodes(first, second)
    return _run_after_slow_kernel(kit, kernel, first)


def _run_after_slow_kernel(kit: UnifiedKit, kernel: Handle, memory: Handle) -> Outcome:
    """Enqueue a kernel after a slow kernel, so that the kernel has not completed when the call returns."""
    kit.enqueue_slow_kernel()
    return kit.run_kernel(kernel, memory, event=OutputBuffer(1))


USES = {
    "a fill": use_in_fill,
    "a copy": use_in_copy,
    "a kernel": use_as_argument,
    "a kernel with it in a list": use_by_declaration,
    "a kernel that may use all of its type": use_by_type,
    "a kernel with it in a list of several": use_by_long_declaration,
    "a kernel that walks by a list": use_by_walk,
    "a kernel that walks by types": use_by_walk_along_types,
}


def free_in_use(cl: Session, memory_type: str, use: Callable[[UnifiedKit, Handle], Outcome]) -> None:
    """Free USM that an enqueued command may still use, and check that the command is complete.

    ``use``: enqueues the command.
    """
    kit = UnifiedKit(cl)
    memory = kit.create_filled(memory_type)
    events = returned_handles(use(kit, memory), "event")
    cl.clMemBlockingFreeINTEL(kit.context, memory)
    for event in events:
        cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")
    kit.finish()  # if the driver did not wait, other memory of the command must not be freed yet


def free_during_walk(cl: Session, memory_type: str, function: str) -> None:
    """Free an unused allocation while a kernel walks along other allocations of the same type."""
    kit = UnifiedKit(cl)
    gone, first, second = (kit.create_filled(memory_type, seed=seed) for seed in range(3))
    kernel = kit.kernel("walk")
    kit.declare_pointers(kernel, second)
    kit.link_nodes(first, second)
    _run_after_slow_kernel(kit, kernel, first)
    getattr(cl, function)(kit.context, gone)
    again = kit.create_filled(memory_type, seed=3)
    for memory in (first, second, again):
        kit.read_usm(memory)


def free_one_of_two(cl: Session, memory_type: str, function: str) -> None:
    """Free one of two allocations while no command is pending, and read the other allocation."""
    kit = UnifiedKit(cl)
    gone, kept = kit.create_filled(memory_type, seed=1), kit.create_filled(memory_type, seed=2)
    kit.fill(gone, b"\7", SIZE)
    kit.finish()
    getattr(cl, function)(kit.context, gone)
    again = kit.create_filled(memory_type, seed=3)
    for memory in (kept, again):
        kit.read_usm(memory)
    kit.copy(kept, Data(pattern_bytes(SIZE, 4)), SIZE)
    kit.read_usm(kept)


def cases() -> list[TableCase]:
    """Return items for each type of USM, for each use by a command, and for each function that frees USM."""
    in_use = [
        TableCase(
            "clMemBlockingFreeINTEL/success",
            f"{memory_type}, {words} running",
            bind_action(free_in_use, memory_type, use),
        )
        for memory_type in TYPES
        for words, use in USES.items()
    ]
    by_themselves = [
        TableCase(
            f"{function}/success", f"one of two, {memory_type}", bind_action(free_one_of_two, memory_type, function)
        )
        for memory_type in TYPES
        for function in (FREE, WAIT_AND_FREE)
    ]
    beside = [
        TableCase(
            f"{function}/success",
            f"{memory_type}, while a pointer walk is running",
            bind_action(free_during_walk, memory_type, function),
        )
        for memory_type in TYPES
        for function in (FREE, WAIT_AND_FREE)
    ]
    return in_use + by_themselves + beside


test_free_waits_for_commands_that_use_the_memory = TableTest(cases)
