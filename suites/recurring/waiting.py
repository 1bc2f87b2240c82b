"""Items of commands that wait for events, and of others that wait for none, for any function."""

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
"""Commands that are made once before: some drivers compile a kernel when it is launched for the first time."""
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"
KEPT = ("waits-for-listed-events", "wait-list-synchronization-point", "wait-list-reusable")
FREE = ("no-wait-without-list",)
"""Topics of the effects that the two kinds of cases test."""


def kept_waiting(cl: Session, function: str, **changes: Value) -> None:
    """Let a command wait for a user event, and ask for its status before that is set and after it is complete.

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
    """Enqueue a command that waits for nothing while a user event is not set, and wait for the queue."""
    kit = Kit(cl)
    arguments = kit.arguments(function)
    gate = Gate(kit)
    _watch(kit, function, {**arguments, **_known(NOT_BLOCKING, arguments)}, gate, opens=False)
    gate.open()


def _known(changes: dict[str, Value], arguments: dict[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in changes.items() if name in arguments}


def _watch(kit: Kit, function: str, arguments: dict[str, Value], gate: Gate, *, opens: bool) -> None:
    """Enqueue a command and ask for its status: while the gate is closed if it opens later, then when all is done.

    A command of another queue gives one that does not wait the time to begin. What a command that waits has left is
    read: it must have kept what the application may reuse since the call.
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
    """Yield two cases of each function, with the records of its effects that they test."""
    tables = load()
    for function in functions:
        effects = [each for each in tables.records_of(function) if isinstance(each, Effect)]
        for words, steps, topics in (
            ("waits for a user event", kept_waiting, KEPT),
            ("waits for nothing", free_to_run, FREE),
        ):
            records = tuple(each.id for each in effects if each.topic in topics)
            yield Case(f"{function}/success", words, act(steps, function), records)
