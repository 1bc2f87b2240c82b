"""Writes callbacks in C: functions with the tables' prototypes that print and record their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.reports.c_values import c_name, c_string

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import CalledBack
    from clconform.reports.c_values import Values
    from clconform.reports.facts import Facts
    from clconform.spec_tables.records import Parameter

NUMBERED = ("cl_int", "cl_uint", "size_t")
"""Types of numeric callback arguments; the others are addresses, which differ from run to run."""


class CFunction(NamedTuple):
    """A callback in C: ``name`` as in the report, ``identifier`` of the C function, which has only one prototype."""

    name: str
    identifier: str
    parameters: str
    shown: str
    noted: str


class Callbacks:
    """The callbacks of one program, by name and prototype."""

    def __init__(self, tables: Facts, values: Values) -> None:
        self._tables = tables
        self._values = values
        self._functions: dict[tuple[str, str], CFunction] = {}
        self._awaited: dict[str, None] = {}

    @property
    def functions(self) -> list[CFunction]:
        """The callbacks as C functions."""
        return list(self._functions.values())

    @property
    def awaited(self) -> list[str]:
        """The callbacks whose calls are counted, because a step waits for them."""
        return list(self._awaited)

    def use(self, function: str, parameter: str, name: str) -> str:
        """Return the expression for a callback as an argument."""
        known = self._tables.callbacks.get(f"{function}/{parameter}")
        given = known.parameters if known else ()
        signature = ", ".join(self._parameter(each) for each in given) or "void"
        if (name, signature) not in self._functions:
            others = sum(other == name for other, _ in self._functions)
            identifier = c_name(f"{name}_{others + 1}" if others else name)
            shown = [_printed(each, each.name or "data") for each in given]
            noted = [_printed(each, "") for each in given if _is_noted(each)]
            self._functions[name, signature] = CFunction(
                name,
                identifier,
                signature,
                _printing(f"    {name} was called back: ", shown, ", ", "\\n"),
                _printing(f"{name}{' ' if noted else ''}", noted, " "),
            )
        return f"(void *){self._functions[name, signature].identifier}"

    def counter(self, name: str) -> str:
        """Return the expression for the call counter that a step waits for."""
        self._awaited[c_name(name)] = None
        return f"&{name}_times"

    def _parameter(self, parameter: Parameter) -> str:
        return f"{self._values.spelled(parameter)} {parameter.name or 'data'}"


def noted(called: Iterable[CalledBack]) -> str:
    """Return, as a C string, the program's record of these callback calls."""
    written = []
    for each in called:
        numbers = [value for name, value in each.arguments.items() if name == "user_data" or isinstance(value, int)]
        signed = (_signed(number) if isinstance(number, int) else 0 for number in numbers)
        written.append(" ".join([each.name, *map(str, signed)]) + ";")
    return c_string("".join(written))


def _signed(number: int) -> int:
    """Return an unsigned number as C prints it in the signed type of the same width."""
    return number - (1 << 64) if number >= 1 << 63 else number


def _is_noted(parameter: Parameter) -> bool:
    return parameter.name == "user_data" or (parameter.base in NUMBERED and not parameter.pointers)


def _printed(parameter: Parameter, title: str) -> tuple[str, str]:
    """Return format and value for printing a parameter."""
    name = parameter.name or "data"
    before = f"{title} = " if title else ""
    if _is_noted(parameter):
        return f"{before}%lld", f"(long long)(intptr_t){name}"
    return f"{before}%p", f"(void *){name}"


def _printing(opening: str, parts: list[tuple[str, str]], between: str, end: str = "") -> str:
    """Return format and values as arguments of printf."""
    written = f'"{opening}{between.join(part for part, _ in parts)}{end}"'
    return ", ".join([written, *(value for _, value in parts)])
