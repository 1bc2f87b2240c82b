"""What success of any function means: its own promise, an answer for the query functions, an event for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import HOST_STEPS
from clconform.oracles.objects.events import with_event, with_work
from clconform.oracles.promises import Promise
from clconform.oracles.queries.answering import answer_of_a_query
from clconform.oracles.rules import PROMISERS

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model
    from clconform.oracles.rules import Promiser
    from clconform.spec_tables.records import Function


def promiser_of(function: str, model: Model) -> Promiser | None:
    """Return what success of a function means, or None where nobody has written it down."""
    found = PROMISERS.get(function)
    if function in HOST_STEPS:
        return lambda call, model: with_work(Promise(), call, model)
    known = model.tables.functions.get(function)
    if known is None:
        return found
    if found is None and known.queries:
        return answer_of_a_query
    return in_order(found) if is_command(known) else found


def is_command(function: Function) -> bool:
    """Tell whether a function enqueues a command."""
    queues = (parameter.name for parameter in function.parameters if parameter.base == "cl_command_queue")
    return function.name.startswith("clEnqueue") and any(queues)


def in_order(own: Promiser | None) -> Promiser:
    """Return what success of a command means: what is its own, its event, and its place in the order of commands."""

    def command(call: Call, model: Model) -> Promise:
        return with_work(with_event(own, call, model), call, model)

    return command
