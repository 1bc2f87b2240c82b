"""Faults of events: an event reports another status or command type, or never completes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Hung, Outcome, Returned
from clconform.calls.harness_actions import AWAIT
from clconform.calls.values import ElementList, Handle, HostCallback
from clconform.selftest.injection.fault import FaultEffect
from clconform.selftest.injection.operators.number_operators import VALUE
from clconform.selftest.injection.operators.operator_registry import Operators
from clconform.selftest.injection.operators.process_ends import HANG_SECONDS
from clconform.selftest.outcome_changes import with_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

operators = Operators()

EVENT_QUERY = "clGetEventInfo"
STATUS, TYPE = "CL_EVENT_COMMAND_EXECUTION_STATUS", "CL_EVENT_COMMAND_TYPE"
COMPLETE, RUNNING, SUBMITTED = 0, 1, 2
WAITS = ("clWaitForEvents", "clFinish")


def find_event_outputs(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the parameters through which a function returns an event."""
    del tables
    yield from ((each.name, "") for each in function.parameters if each.base == "cl_event" and each.direction == "out")


class EventEffect(FaultEffect):
    """Changes the events of one function."""

    sees_all_calls = True

    def start(self) -> None:
        """Forget the events of earlier items."""
        self.events: dict[str, None] = {}

    def begin(self) -> None:
        """Forget the events of the previous example."""
        super().begin()
        self.events = {}

    def after(self, call: Call, outcome: Outcome, again: Callable[[Call], Outcome]) -> Outcome:
        """Record the events that the function returns, and change the outcomes of queries of these events."""
        if isinstance(outcome, Returned):
            outcome = self.change_query(call, outcome)
            if call.function == self.fault.function and self.fault.place in outcome.outputs:
                made = outcome.outputs[self.fault.place].values
                self.events.update((str(name), None) for name in made if isinstance(name, str) and name[-1].isdigit())
        return super().after(call, outcome, again)

    def change_query(self, call: Call, outcome: Returned) -> Returned:
        """Return the changed outcome of an event query; return other outcomes unchanged."""
        raise NotImplementedError

    def get_value(self, call: Call, outcome: Returned, query: str) -> int | None:
        """Return the value of a query of one of the events; None if the call is not such a query."""
        asked = call.arguments.get("event")
        if call.function != EVENT_QUERY or not isinstance(asked, Handle) or asked.name not in self.events:
            return None
        values = outcome.outputs[VALUE].values if VALUE in outcome.outputs else []
        named = self.tables.enumerants[query].value == call.arguments["param_name"]
        return values[0] if named and values and isinstance(values[0], int) else None


@operators.operator("wrong-status", find_event_outputs)
class WrongStatus(EventEffect):
    """The event of a command reports running after completion, and complete before it."""

    def change_query(self, call: Call, outcome: Returned) -> Returned:
        """Return a status query's outcome with running instead of complete, or complete instead of any other status."""
        status = self.get_value(call, outcome, STATUS)
        if status is None or not self.is_due():
            return outcome
        return with_values(outcome, VALUE, [RUNNING if status == COMPLETE else COMPLETE])


@operators.operator("wrong-command-type", find_event_outputs)
class WrongCommandType(EventEffect):
    """The event of a command reports the next command type."""

    def change_query(self, call: Call, outcome: Returned) -> Returned:
        """Return the outcome of a command type query with the next type."""
        number = self.get_value(call, outcome, TYPE)
        return with_values(outcome, VALUE, [number + 1]) if number is not None and self.is_due() else outcome


@operators.operator("never-complete", find_event_outputs, (0,))
class NeverComplete(EventEffect):
    """The command of an event never completes."""

    def start(self) -> None:
        """Forget the events, queues and callbacks of earlier items."""
        super().start()
        self.queues: set[str] = set()
        self.waiting: set[str] = set()

    def begin(self) -> None:
        """Forget the queues and callbacks of the previous example as well."""
        super().begin()
        self.queues, self.waiting = set(), set()

    def before(self, call: Call) -> Call | Outcome:
        """Return a hang if the call waits for one of the events, or for the queue of their commands."""
        if call.function in WAITS and self.events:
            waited = {value.name for value in call.arguments.values() if isinstance(value, Handle)}
            for value in call.arguments.values():
                if isinstance(value, ElementList):
                    waited |= {each.name for each in value.values if isinstance(each, Handle)}
            if waited & (self.queues | set(self.events)):
                self.applied += 1
                return Hung(HANG_SECONDS)
        return call

    def change_query(self, call: Call, outcome: Returned) -> Returned:
        """Report the command's status as submitted, and remove the callbacks of its event."""
        queue = call.arguments.get("command_queue")
        if call.function == self.fault.function and isinstance(queue, Handle) and self.fault.place in outcome.outputs:
            self.queues.add(queue.name)
        event = call.arguments.get("event")
        if isinstance(event, Handle) and event.name in self.events:
            self.waiting |= {value.name for value in call.arguments.values() if isinstance(value, HostCallback)}
        kept = [each for each in outcome.callbacks if each.name not in self.waiting]
        if len(kept) < len(outcome.callbacks):
            self.applied += 1
            outcome = msgspec.structs.replace(outcome, callbacks=kept)
        awaited = call.arguments.get("callback")
        if call.function == AWAIT and isinstance(awaited, HostCallback) and awaited.name in self.waiting:
            outcome = msgspec.structs.replace(outcome, value=0)
        status = self.get_value(call, outcome, STATUS)
        if status is not None and status <= RUNNING:
            self.applied += 1
            return with_values(outcome, VALUE, [SUBMITTED])
        return outcome
