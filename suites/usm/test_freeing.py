"""Unified shared memory freed: at once, and after the commands that use it, whoever tells that they do."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Room
from clconform.judge.aims import Case, act, parametrize
from clconform.judge.session import made
from clconform.oracles.objects.execution_info import INDIRECT, POINTERS
from clconform.oracles.usm.memory import SORTS
from clconform.suites.data.bench import telling
from clconform.suites.queries.allocations import SIZE, allocate
from clconform.suites.usm.desk import UnifiedDesk

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from clconform.calls.call import Outcome
    from clconform.judge.session import Session

FREE, WAIT_AND_FREE = "clMemFreeINTEL", "clMemBlockingFreeINTEL"
TRUE = Data(struct.pack("I", 1))


def by_a_fill(desk: UnifiedDesk, memory: Handle) -> Outcome:
    """Use memory by filling it."""
    return desk.fill(memory, b"\1\2\3\4", SIZE, event=Room(1))


def by_a_copy(desk: UnifiedDesk, memory: Handle) -> Outcome:
    """Use memory by copying from it."""
    target = allocate(desk.cl, desk.context, *SORTS)
    return desk.copy(target, memory, SIZE, wait=False, event=Room(1))


def by_a_kernel(desk: UnifiedDesk, memory: Handle) -> Outcome:
    """Use memory as a kernel's argument."""
    return desk.launch(desk.kernel("add_index"), memory, event=Room(1))


def by_a_list(desk: UnifiedDesk, memory: Handle) -> Outcome:
    """Use memory by a kernel that was told of it, and that has another argument."""
    kernel = desk.kernel("add_index")
    desk.cl.clSetKernelExecInfo(kernel, desk.value(POINTERS), 8, HandleBytes(memory))
    return desk.launch(kernel, desk.unified(*SORTS), event=Room(1))


def by_its_type(desk: UnifiedDesk, memory: Handle) -> Outcome:
    """Use memory by a kernel that may use all of the type, and that has another argument."""
    kernel = desk.kernel("add_index")
    sort = desk.cl.model.child(memory).sort
    (name,) = (name for name, known in INDIRECT.items() if known == sort)
    desk.cl.clSetKernelExecInfo(kernel, desk.value(name), 4, TRUE)
    return desk.launch(kernel, desk.unified(*SORTS), event=Room(1))


USES = {
    "a fill": by_a_fill,
    "a copy": by_a_copy,
    "a kernel": by_a_kernel,
    "a kernel that was told of it": by_a_list,
    "a kernel that may use all of its type": by_its_type,
}


def freed_in_use(cl: Session, sort: str, use: Callable[[UnifiedDesk, Handle], Outcome]) -> None:
    """Free memory that a command may still use, which has to be over then."""
    desk = UnifiedDesk(cl)
    memory = desk.unified(sort)
    events = made(use(desk, memory), "event")
    cl.clMemBlockingFreeINTEL(desk.context, memory)
    for event in events:
        cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")


def freed_by_itself(cl: Session, sort: str, function: str) -> None:
    """Free one of two allocations whose commands are over, and find the other as it was."""
    desk = UnifiedDesk(cl)
    gone, kept = desk.unified(sort, seed=1), desk.unified(sort, seed=2)
    desk.fill(gone, b"\7", SIZE)
    desk.finish()
    getattr(cl, function)(desk.context, gone)
    again = desk.unified(sort, seed=3)
    for memory in (kept, again):
        desk.fetch(memory)
    desk.copy(kept, Data(telling(SIZE, 4)), SIZE)
    desk.fetch(kept)


def cases() -> list[Case]:
    """Return an item of each type of memory, and of each way to use or free it."""
    in_use = [
        Case(f"{WAIT_AND_FREE}/success", f"{sort}, {words} in flight", act(freed_in_use, sort, use))
        for sort in SORTS
        for words, use in USES.items()
    ]
    by_themselves = [
        Case(f"{function}/success", f"one of two, {sort}", act(freed_by_itself, sort, function))
        for sort in SORTS
        for function in (FREE, WAIT_AND_FREE)
    ]
    return in_use + by_themselves


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one item of each case."""
    parametrize(metafunc, cases())


def test_freeing(cl: Session, case: Case) -> None:
    case.act(cl)
