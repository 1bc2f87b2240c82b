"""Items of commands that wait for events, and of commands without a wait list, for any function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.aims import Case, act
from clconform.runner.session.answers import made
from clconform.spec_tables import load
from clconform.spec_tables.records import Effect
from clconform.suites.kit.contents import read_everything
from clconform.suites.kit.events import NOT_BLOCKING, Gate
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, telling
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session

LAUNCHES = ("clEnqueueNDRangeKernel", "clEnqueueTask")
"""Commands that are enqueued once in advance: some drivers compile a kernel at its first enqueue."""
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
KEPT = ("waits-for-listed-events", "wait-list-synchronization-point", "wait-list-reusable")
FREE = ("no-wait-without-list",)
"""Topics of the effects that the two kinds of cases test: with and without a wait list."""


def kept_waiting(cl: Session, function: str, **changes: Value) -> None:
    """Enqueue a command that waits for a user event, and query its status before and after the event is set.

    ``changes``: to the arguments of the function's valid call.
    """
    kit = Kit(cl)
    arguments = kit.arguments(function, **changes)
    if function in LAUNCHES:
        kit.call(function, **changes)
        kit.finish()
    gate = Gate(kit)
    _watch(kit, function, {**arguments, **_known(gate.arguments, arguments)}, gate, opens=True)


def free_to_run(cl: Session, function: str) -> None:
    """Enqueue a command without a wait list while a user event is not set, and finish the queue."""
    kit = Kit(cl)
    arguments = kit.arguments(function)
    gate = Gate(kit)
    _watch(kit, function, {**arguments, **_known(NOT_BLOCKING, arguments)}, gate, opens=False)
    gate.open()


def _known(changes: dict[str, Value], arguments: dict[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in changes.items() if name in arguments}


def _watch(kit: Kit, function: str, arguments: dict[str, Value], gate: Gate, *, opens: bool) -> None:
    """Enqueue a command and query its status: before the gate opens (if it opens), and after clFinish.

    A command on another queue gives a command that ignores its wait list the time to start. If the command waited, the
    contents are read: the command must not have used memory that the application may reuse after the call.
    """
    events = made(getattr(kit.cl, function)(*arguments.values()), "event")
    needs(events, "the driver gives no event")
    if opens:
        kit.write(kit.buffer(), 0, telling(SIZE), kit.new_queue())
        kit.cl.query("clGetEventInfo", events[0], STATUS)
        gate.open()
    kit.cl.clFinish(kit.queue)
    kit.cl.query("clGetEventInfo", events[0], STATUS)
    if opens and not kit.cl.model.maps:
        read_everything(kit)


def waiting_cases(functions: Iterable[str]) -> Iterator[Case]:
    """Yield two cases of each function, with the requirements of its effects that they test."""
    tables = load()
    for function in functions:
        effects = [each for each in tables.records_of(function) if isinstance(each, Effect)]
        for words, steps, topics in (
            ("waits for a user event", kept_waiting, KEPT),
            ("waits for nothing", free_to_run, FREE),
        ):
            records = tuple(each.id for each in effects if each.topic in topics)
            yield Case(f"{function}/success", words, act(steps, function), records)
