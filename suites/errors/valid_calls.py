"""Valid calls: for each function one, with all of its arguments; a variation changes some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.values import Room
from clconform.oracles.engine.registry import Registry
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.calls.values import Value
    from clconform.suites.bench import Bench

    Arguments: TypeAlias = "dict[str, Value]"
    ValidCall: TypeAlias = "Callable[[Bench], Arguments]"

USUAL: Mapping[str, Value] = {
    "num_events_in_wait_list": 0,
    "event_wait_list": None,
    "event": Room(1),
    "errcode_ret": Room(1),
    "pfn_notify": None,
    "user_data": None,
    "properties": None,
    "blocking_read": 1,
    "blocking_write": 1,
    "blocking_map": 1,
    "blocking_copy": 1,
}
"""Arguments that need not be given: nothing to wait for, an event and a code asked for, no callback, blocking."""


class ValidCalls(Registry[str, "ValidCall"]):
    """Function to what makes the arguments of a call that must succeed; a module keeps its own as ``valid_calls``.

    The usual arguments may be left out.
    """

    def __init__(self) -> None:
        super().__init__("valid calls")


def arguments_of(function: str, valid_call: ValidCall, bench: Bench) -> Arguments:
    """Return the arguments of a function's valid call, in the prototype's order; skipped where it does not apply."""
    needs(promised(bench.cl, function), f"{function} does not apply here")
    given = valid_call(bench)
    names = [parameter.name for parameter in bench.cl.tables.functions[function].parameters]
    return {name: given[name] if name in given else USUAL[name] for name in names}
