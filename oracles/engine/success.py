"""The postcondition of any call: its own rule, an expected value for queries, an event for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import HOST_STEPS
from clconform.oracles.engine.commands import in_order, with_effect
from clconform.oracles.engine.wants import Promise
from clconform.oracles.queries.answering import answer_of_a_query

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import JudgedCall
    from clconform.spec_tables.records import Function


def success_of(judged: JudgedCall) -> Promise | None:
    """Return the postcondition of a call, or None if no rule is declared.

    UnknownError: the model does not know. ForbiddenError: it is undefined.
    """
    call, model = judged.call, judged.model
    if call.function in HOST_STEPS:
        return with_effect(Promise(), judged)
    own = judged.rulebook.promiser_of(call.function)
    function = model.tables.functions.get(call.function)
    if function is not None and own is None and function.queries:
        return answer_of_a_query(judged)
    if function is not None and is_command(function):
        return in_order(own(call, model) if own is not None else Promise(), judged)
    return own(call, model) if own is not None else None


def is_command(function: Function) -> bool:
    """Return whether a function enqueues a command."""
    if not function.name.startswith("clEnqueue"):
        return False
    return any(parameter.base == "cl_command_queue" for parameter in function.parameters)
