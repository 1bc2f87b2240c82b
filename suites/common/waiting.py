"""Items for any enqueue function: a command that waits for an event, and a command without a wait list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import TableCase, bind_action
from clconform.runner.session.outcome_values import returned_handles
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Effect
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.contents import read_all_contents
from clconform.suites.kit.events import NON_BLOCKING, UserEventGate
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

KERNEL_ENQUEUES = ("clEnqueueNDRangeKernel", "clEnqueueTask")
"""Commands that are enqueued once in advance, because some drivers compile a kernel at its first enqueue."""
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
WAIT_TOPICS = ("waits-for-listed-events", "wait-list-synchronization-point", "wait-list-reusable")
NO_WAIT_TOPICS = ("no-wait-without-list",)
"""Topics of the effects that these items exercise: with a wait list, and without one."""


def check_waiting_command(cl: Session, function: str, **changes: Value) -> None:
    """Enqueue a command that waits for a user event, and query its status before and after the event is set.

    ``changes``: changed arguments of the function's valid call.
    """
    kit = Kit(cl)
    arguments = kit.valid_arguments(function, **changes)
    if function in KERNEL_ENQUEUES:
        kit.call(function, **changes)
        kit.finish()
    gate = UserEventGate(kit)
    _check_status(kit, function, {**arguments, **_select_known(gate.arguments, arguments)}, gate, opens=True)


def check_free_command(cl: Session, function: str) -> None:
    """Enqueue a command without a wait list while a user event is not set, and finish the queue."""
    kit = Kit(cl)
    arguments = kit.valid_arguments(function)
    gate = UserEventGate(kit)
    _check_status(kit, function, {**arguments, **_select_known(NON_BLOCKING, arguments)}, gate, opens=False)
    gate.open()


def _select_known(changes: dict[str, Value], arguments: dict[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in changes.items() if name in arguments}


def _check_status(kit: Kit, function: str, arguments: dict[str, Value], gate: UserEventGate, *, opens: bool) -> None:
    """Enqueue a command, and query its status after clFinish.

    ``opens``: the status is also queried before clFinish, and then the user event of ``gate`` is set. Before the first
    query, a command on another queue takes some time, in which a command that ignores its wait list would start. After
    a wait, all contents are read, because the command must not have used memory that the application may reuse after
    the call.
    """
    events = returned_handles(getattr(kit.cl, function)(*arguments.values()), "event")
    skip_unless(events, "the driver gives no event")
    if opens:
        kit.write(kit.buffer(), 0, pattern_bytes(SIZE), kit.new_queue())
        kit.cl.query("clGetEventInfo", events[0], STATUS)
        gate.open()
    kit.cl.clFinish(kit.queue)
    kit.cl.query("clGetEventInfo", events[0], STATUS)
    if opens and not kit.cl.model.mapped_regions:
        read_all_contents(kit)


def waiting_cases(functions: Iterable[str]) -> Iterator[TableCase]:
    """Yield two items for each function: a command that waits, and a command without a wait list."""
    tables = load()
    for function in functions:
        effects = [each for each in tables.requirements_of(function) if isinstance(each, Effect)]
        for words, steps, topics in (
            ("waits for a user event", check_waiting_command, WAIT_TOPICS),
            ("waits for nothing", check_free_command, NO_WAIT_TOPICS),
        ):
            requirements = tuple(each.id for each in effects if each.topic in topics)
            yield TableCase(f"{function}/success", words, bind_action(steps, function), requirements)
