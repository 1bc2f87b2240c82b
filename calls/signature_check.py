"""Checks calls against prototypes, so that rules and the binding can rely on the types of arguments.

Calls of suites match their prototype; calls from a file may not. The values themselves are not checked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from clconform.calls.atomics import MAX_INSTANCES, parse_operations
from clconform.calls.harness_actions import ATOMICS, HOST_ACTIONS
from clconform.calls.values import CallbackArgument, ElementList, MemoryArgument, ObjectArgument, PointerArgument, Text
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES, WORD_TYPES

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.spec_tables import Tables
    from clconform.spec_tables.entries import Parameter

ARGUMENT_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "ObjectArgument": get_args(ObjectArgument),
    "CallbackArgument": get_args(CallbackArgument),
    "MemoryArgument": get_args(MemoryArgument),
    "PointerArgument": get_args(PointerArgument),
}
"""The kinds of arguments, by the name of their type, each with its alternatives."""
_MAX_NUMBERS = {
    "size": (1 << 64) - 1,
    "alignment": 1 << 30,
    "host_thread": 1000,
    "times": (1 << 32) - 1,
    "milliseconds": 600_000,
    "instances": MAX_INSTANCES,
}
"""Maps parameter names to the largest numbers in harness actions."""
_MAX_BITS = 64


class ArgumentTypes:
    """The argument types that each function accepts, computed on first use."""

    def __init__(self, tables: Tables, pointer_bytes: int = DEFAULT_POINTER_BYTES) -> None:
        """Start without known functions; ``pointer_bytes``: the size of a pointer on the machine of the driver."""
        self._tables = tables
        self._word_bits = 8 * pointer_bytes
        self._known: dict[str, dict[str, tuple[type, ...]]] = {}
        self._words: dict[str, dict[str, bool]] = {}

    def find_mismatch(self, call: Call) -> str:
        """Return the reason why a call can never be made, in one line; empty if none is known.

        Possible reasons: its function is unknown, its arguments are not those of the prototype, an argument has a type
        that its parameter does not accept, or a number of a harness action or of the width of a pointer is out of
        range.
        """
        forms = self._known.get(call.function) or self._types_of_function(call.function)
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
            if isinstance(value, int) and value.bit_length() > _MAX_BITS:
                return f"{call.function}: {name} has more than {_MAX_BITS} bits"
        if call.function == ATOMICS and _lacks_operations(call):
            return f"{ATOMICS} needs atomic operations, not {call.operations!r}"
        return _find_out_of_range(call) if call.function in HOST_ACTIONS else self._find_invalid_word(call)

    def _find_invalid_word(self, call: Call) -> str:
        """Return why a number does not fit into a type of the width of a pointer; empty if all numbers fit."""
        for name, is_signed in self._words[call.function].items():
            value = call.arguments[name]
            least, end = -(1 << self._word_bits - 1) if is_signed else 0, 1 << self._word_bits
            for number in value.values if isinstance(value, ElementList) else (value,):
                if isinstance(number, int) and not least <= number < end:
                    return f"{call.function}: {name} cannot be {number} where a pointer has {self._word_bits} bits"
        return ""

    def _types_of_function(self, name: str) -> dict[str, tuple[type, ...]] | None:
        """Return the accepted types of each argument of a function; None for an unknown function."""
        function = HOST_ACTIONS.get(name) or self._tables.functions.get(name)
        if function is None:
            return None
        known = self._known[name] = {
            each.name: ARGUMENT_TYPES[argument_type(each, self._tables)] for each in function.parameters
        }
        bases = {each.name: self._basic_type(each) for each in function.parameters if each.pointers <= 1}
        self._words[name] = {parameter: base == "intptr_t" for parameter, base in bases.items() if base in WORD_TYPES}
        return known

    def _basic_type(self, parameter: Parameter) -> str:
        """Return the type of a parameter, or that of its elements, without typedefs of the tables."""
        known = self._tables.types.get(parameter.base)
        return parameter.base if known is None else known.base


def _lacks_operations(call: Call) -> bool:
    """Return whether a harness action lacks valid atomic operations."""
    try:
        return not isinstance(call.operations, Text) or not parse_operations(call.operations.content)
    except ValueError:
        return True


def _find_out_of_range(call: Call) -> str:
    for name, value in call.arguments.items():
        most = _MAX_NUMBERS.get(name)
        if most is not None and (not isinstance(value, int) or not 0 <= value <= most):
            return f"{call.function} needs a number from 0 to {most} for {name}, not {value!r}"
    return ""


def argument_type(parameter: Parameter, tables: Tables) -> str:
    """Return the name of the type of the arguments that a parameter accepts, a key of ``ARGUMENT_TYPES``."""
    if parameter.direction == "callback":
        return "CallbackArgument"
    if parameter.pointers:
        return "PointerArgument" if parameter.base == "void" and parameter.pointers == 1 else "MemoryArgument"
    known = tables.types.get(parameter.base)
    return "ObjectArgument" if known is not None and known.kind == "handle" else "int"
