"""Checks calls against prototypes, so that rules and the binding can rely on the types of arguments.

Calls of suites match their prototype; calls from a file may not. The values themselves are not checked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.atomics import MOST_INSTANCES, operations_in
from clconform.calls.host import ATOMICS, HOST_STEPS
from clconform.calls.values import (
    BusAddresses,
    Callback,
    Data,
    DispatchConfigs,
    Handle,
    HandleBytes,
    Inside,
    Items,
    OutputBuffer,
    OutputBuffers,
    Pointers,
    Text,
    Texts,
)

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.spec_tables import Tables
    from clconform.spec_tables.entries import Parameter

_NOTHING = type(None)
_NUMBER: tuple[type, ...] = (int,)
_HANDLE: tuple[type, ...] = (_NOTHING, Handle)
_CALLBACK: tuple[type, ...] = (_NOTHING, Callback)
_MEMORY: tuple[type, ...] = (
    *(_NOTHING, Items, OutputBuffer, OutputBuffers, Data, HandleBytes, Pointers, Text, Texts, BusAddresses),
    DispatchConfigs,
)
_ANY_MEMORY: tuple[type, ...] = (*_MEMORY, int, Handle, Inside)
_LARGEST = {
    "size": (1 << 64) - 1,
    "alignment": 1 << 30,
    "lane": 1000,
    "times": (1 << 32) - 1,
    "milliseconds": 600_000,
    "instances": MOST_INSTANCES,
}
"""The largest numbers in harness actions, by parameter name."""
_BITS = 64


class ArgumentForms:
    """The argument types that each function accepts, computed on first use."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._known: dict[str, dict[str, tuple[type, ...]]] = {}

    def unfit(self, call: Call) -> str:
        """Return the reason why a call can never be made, in one line; empty if none is known.

        Possible reasons: its function is unknown, its arguments are not those of the prototype, one has a type that its
        parameter does not accept, or a number of a harness action is out of range.
        """
        forms = self._known.get(call.function) or self._of(call.function)
        if forms is None:
            return f"no function {call.function!r} in the tables"
        arguments = call.arguments
        if arguments.keys() != forms.keys():
            odd = next(name for name in (*forms, *arguments) if (name in arguments) != (name in forms))
            return f"{call.function} {'lacks' if odd in forms else 'has no parameter'} {odd!r}"
        for name, form in forms.items():
            value = arguments[name]
            if not isinstance(value, form):
                return f"{call.function}: {name} cannot be {value!r}"
            if isinstance(value, int) and value.bit_length() > _BITS:
                return f"{call.function}: {name} has more than {_BITS} bits"
        if call.function == ATOMICS and _no_operations(call):
            return f"{ATOMICS} needs atomic operations, not {call.operations!r}"
        return _out_of_range(call) if call.function in HOST_STEPS else ""

    def _of(self, name: str) -> dict[str, tuple[type, ...]] | None:
        """Return the accepted types of each argument of a function; None for an unknown function."""
        function = HOST_STEPS.get(name) or self._tables.functions.get(name)
        if function is None:
            return None
        known = self._known[name] = {each.name: _form(each, self._tables) for each in function.parameters}
        return known


def _no_operations(call: Call) -> bool:
    """Return whether a harness action lacks valid atomic operations."""
    try:
        return not isinstance(call.operations, Text) or not operations_in(call.operations.content)
    except ValueError:
        return True


def _out_of_range(call: Call) -> str:
    for name, value in call.arguments.items():
        most = _LARGEST.get(name)
        if most is not None and (not isinstance(value, int) or not 0 <= value <= most):
            return f"{call.function} needs a number from 0 to {most} for {name}, not {value!r}"
    return ""


def _form(parameter: Parameter, tables: Tables) -> tuple[type, ...]:
    if parameter.direction == "callback":
        return _CALLBACK
    if parameter.pointers:
        return _ANY_MEMORY if parameter.base == "void" and parameter.pointers == 1 else _MEMORY
    known = tables.types.get(parameter.base)
    return _HANDLE if known is not None and known.kind == "handle" else _NUMBER
