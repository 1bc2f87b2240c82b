"""Calls that are right: for each function one, with all of its arguments; what is then made wrong is changed in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

from clconform.calls.values import Room
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.bench import Bench

    Arguments: TypeAlias = "dict[str, Value]"
    Control: TypeAlias = "Callable[[Bench], Arguments]"

CONTROLS: dict[str, Control] = {}
"""Function to what makes the arguments of a call of it that must succeed."""

_F = TypeVar("_F", bound="Callable[[Bench], Arguments]")
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


def control(*functions: str) -> Callable[[_F], _F]:
    """Declare what makes the arguments of a right call of these functions; the usual ones may be left out."""

    def declare(maker: _F) -> _F:
        for function in functions:
            if function in CONTROLS:
                raise ValueError(f"{function} has two controls")
            CONTROLS[function] = maker
        return maker

    return declare


def arguments_of(function: str, bench: Bench) -> Arguments:
    """Return the arguments of a right call, in the prototype's order; the item is skipped where none applies here."""
    needs(promised(bench.cl, function), f"{function} does not apply here")
    given = CONTROLS[function](bench)
    names = [parameter.name for parameter in bench.cl.tables.functions[function].parameters]
    return {name: given[name] if name in given else USUAL[name] for name in names}
