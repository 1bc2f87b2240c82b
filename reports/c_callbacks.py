"""Writes callbacks in C: functions with the prototypes of the tables, which print and record their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.reports.c_values import c_name, c_string

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import CallbackInvocation
    from clconform.reports.c_values import ValueWriter
    from clconform.reports.report_tables import ReportTables
    from clconform.spec_tables.requirements import Parameter

NUMERIC_TYPES = ("cl_int", "cl_uint", "size_t")
"""Types of numeric callback arguments; all other arguments are addresses, which differ from run to run."""


class CallbackFunction(NamedTuple):
    """A callback in C.

    ``name``: its name in the report. ``identifier``: the name of the C function; a callback with several prototypes has
    one C function for each.
    """

    name: str
    identifier: str
    parameters: str
    print_arguments: str
    record_arguments: str


class ProgramCallbacks:
    """The callbacks of one program, each identified by name and prototype."""

    def __init__(self, tables: ReportTables, values: ValueWriter) -> None:
        self._tables = tables
        self._values = values
        self._functions: dict[tuple[str, str], CallbackFunction] = {}
        self._awaited: dict[str, None] = {}

    @property
    def functions(self) -> list[CallbackFunction]:
        """The callbacks as C functions."""
        return list(self._functions.values())

    @property
    def awaited(self) -> list[str]:
        """The callbacks for which a step waits, so that the program counts their calls."""
        return list(self._awaited)

    def callback_expression(self, function: str, parameter: str, name: str) -> str:
        """Return the C expression that passes a callback as an argument."""
        known = self._tables.callbacks.get(f"{function}/{parameter}")
        given = known.parameters if known else ()
        signature = ", ".join(self._parameter(each) for each in given) or "void"
        if (name, signature) not in self._functions:
            others = sum(other == name for other, _ in self._functions)
            identifier = c_name(f"{name}_{others + 1}" if others else name)
            shown = [_print_format(each, each.name or "data") for each in given]
            noted = [_print_format(each, "") for each in given if _is_recorded(each)]
            self._functions[name, signature] = CallbackFunction(
                name,
                identifier,
                signature,
                _printf_arguments(f"    {name} was called back: ", shown, ", ", "\\n"),
                _printf_arguments(f"{name}{' ' if noted else ''}", noted, " "),
            )
        return f"(void *){self._functions[name, signature].identifier}"

    def counter_expression(self, name: str) -> str:
        """Return the C expression for the call counter of a callback for which a step waits."""
        self._awaited[c_name(name)] = None
        return f"&{name}_times"

    def _parameter(self, parameter: Parameter) -> str:
        return f"{self._values.parameter_type(parameter)} {parameter.name or 'data'}"


def recorded_callbacks(called: Iterable[CallbackInvocation], pointer_bytes: int) -> str:
    """Return the text that the program records for these callback calls, as a C string.

    ``pointer_bytes``: the size of a pointer on the machine of the program.
    """
    written = []
    for each in called:
        numbers = [value for name, value in each.arguments.items() if name == "user_data" or isinstance(value, int)]
        signed = (_to_signed(number, 8 * pointer_bytes) if isinstance(number, int) else 0 for number in numbers)
        written.append(" ".join([each.name, *map(str, signed)]) + ";")
    return c_string("".join(written))


def _to_signed(number: int, bits: int) -> int:
    """Return an unsigned number as C prints it after a conversion to the signed type with ``bits`` bits."""
    return number - (1 << bits) if number >= 1 << bits - 1 else number


def _is_recorded(parameter: Parameter) -> bool:
    return parameter.name == "user_data" or (parameter.base in NUMERIC_TYPES and not parameter.pointers)


def _print_format(parameter: Parameter, title: str) -> tuple[str, str]:
    """Return the printf format and the value that print a parameter."""
    name = parameter.name or "data"
    before = f"{title} = " if title else ""
    if _is_recorded(parameter):
        return f"{before}%lld", f"(long long)(intptr_t){name}"
    return f"{before}%p", f"(void *){name}"


def _printf_arguments(opening: str, parts: list[tuple[str, str]], between: str, end: str = "") -> str:
    """Return the arguments of printf for these pairs of a format and a value, as one text."""
    written = f'"{opening}{between.join(part for part, _ in parts)}{end}"'
    return ", ".join([written, *(value for _, value in parts)])
