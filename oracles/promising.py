"""What success of any function means: its own promise, an answer for the query functions, an event for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.objects.events import with_event
from clconform.oracles.queries.answering import answer_of_a_query
from clconform.oracles.rules import PROMISERS

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model
    from clconform.oracles.promises import Promise
    from clconform.oracles.rules import Promiser


def promiser_of(function: str, model: Model) -> Promiser | None:
    """Return what success of a function means, or None where nobody has written it down."""
    found = PROMISERS.get(function)
    known = model.tables.functions.get(function)
    if known is None:
        return found
    if found is None and known.queries:
        return answer_of_a_query
    names = {parameter.name for parameter in known.parameters}
    if {"command_queue", "event"} <= names:
        own = found

        def command(call: Call, model: Model) -> Promise:
            return with_event(own, call, model)

        return command
    return found
