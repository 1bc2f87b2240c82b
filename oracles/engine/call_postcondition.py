"""The postcondition of any call: by the rule of its function, the value of a query, or the event of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.oracles.engine.commands import add_memory_effect, command_postcondition
from clconform.oracles.engine.matchers import Postcondition
from clconform.oracles.queries.answering import query_postcondition

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import CallContext
    from clconform.spec_tables.requirements import Function


def postcondition_of(judged: CallContext) -> Postcondition | None:
    """Return the postcondition of a call, or None if no rule is declared.

    UnknownFactError if the postcondition depends on an unknown fact; UndefinedBehaviourError if it is undefined.
    """
    call, model = judged.call, judged.model
    if call.function in HOST_ACTIONS:
        return add_memory_effect(Postcondition(), judged)
    own = judged.rulebook.postcondition_rule(call.function)
    function = model.tables.functions.get(call.function)
    if function is not None and own is None and function.queries:
        return query_postcondition(judged)
    if function is not None and is_command(function):
        return command_postcondition(own(call, model) if own is not None else Postcondition(), judged)
    return own(call, model) if own is not None else None


def is_command(function: Function) -> bool:
    """Return whether a function enqueues a command."""
    if not function.name.startswith("clEnqueue"):
        return False
    return any(parameter.base == "cl_command_queue" for parameter in function.parameters)
