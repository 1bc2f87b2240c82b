"""Formats the operands of a condition: ``src_slice_pitch = 15, region[1] * src_row_pitch = 16``.

Values with names in the tables are written by name, as in calls: flags, keys of lists, query results. Other numbers are
decimal, because decimal numbers are easy to compare, except for large boundary values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from clconform.calls.values import ElementList
from clconform.reports.call_formatting import MIN_HEXADECIMAL, NUMBER_TYPES, format_argument
from clconform.spec_tables.requirements import Query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.calls.call import Step
    from clconform.calls.values import Operand
    from clconform.reports.call_formatting import ValueNames
    from clconform.reports.report_tables import ReportTables
    from clconform.spec_tables.requirements import Function, Parameter

ELEMENT = re.compile(r"(\w+)\[(\d+)\]")
MEMORY_PROPERTY_TYPES = {"flags": "cl_mem_flags", "CL_MEM_FLAGS": "cl_mem_flags"}
"""Maps properties of memory objects to the C type that names their values."""
PLAIN_TYPES = ("", "void", *NUMBER_TYPES)
"""C types whose values are plain numbers in operands."""
TIMES = str.maketrans("\N{MULTIPLICATION SIGN}", "*")


class HasOperands(Protocol):
    """The part of a deviation that this module uses."""

    @property
    def operands(self) -> Mapping[str, Mapping[str, Operand]]:
        """Maps requirement ids to the operands of their condition, with values."""

    @property
    def sequence(self) -> Sequence[Step]:
        """The calls up to and including the deviating call."""


def operands_by_requirement(deviation: HasOperands, tables: ReportTables, names: ValueNames) -> dict[str, str]:
    """Return the operands of each requirement's condition as text.

    Requirements without operands are omitted.
    """
    words = _OperandFormatter(deviation, tables, names)
    return {
        requirement: ", ".join(map(words.format_operand, values))
        for requirement, values in deviation.operands.items()
        if values
    }


def all_operands(deviation: HasOperands, tables: ReportTables, names: ValueNames) -> str:
    """Return the operands of all conditions as text, each operand once; empty without operands."""
    words = _OperandFormatter(deviation, tables, names)
    return ", ".join(
        dict.fromkeys(words.format_operand(name) for values in deviation.operands.values() for name in values)
    )


def format_number(value: int) -> str:
    """Return a number in decimal, or in hexadecimal if it is large."""
    return str(value) if abs(value) < MIN_HEXADECIMAL else f"{value:#x}"


def ascii_multiplication(words: str) -> str:
    """Return a text with an ASCII character in place of each multiplication sign."""
    return words.translate(TIMES)


class _OperandFormatter:
    def __init__(self, deviation: HasOperands, tables: ReportTables, names: ValueNames) -> None:
        self._call = deviation.sequence[-1].call if deviation.sequence else None
        function = tables.functions.get(self._call.function) if self._call else None
        self._parameters = _parameters(function)
        self._tables, self._names = tables, names
        self._values = {name: value for values in deviation.operands.values() for name, value in values.items()}

    def format_operand(self, name: str) -> str:
        """Return an operand with its value as text."""
        return f"{name} = {self._value(name)}"

    def _value(self, name: str) -> str:
        value, base = self._values[name], self._base(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int):
            return self._element(name) or self._number(value, base) + self._unit(name)
        if isinstance(value, ElementList):
            return f"{{{', '.join(self._listed(value, base))}}}"
        return format_argument(value, self._parameters.get(name), self._names)

    def _element(self, name: str) -> str:
        """Return the text of an operand that is an element of a list; empty for other operands.

        The whole list is formatted, because a key before the element may determine its name.
        """
        match = ELEMENT.fullmatch(name)
        whole = self._call.arguments.get(match[1]) if match and self._call else None
        listed = self._listed(whole, self._base(match[1])) if match and isinstance(whole, ElementList) else []
        return listed[int(match[2])] if match and int(match[2]) < len(listed) else ""

    def _listed(self, value: ElementList, base: str) -> list[str]:
        if base not in PLAIN_TYPES:
            return self._names.listed(value.values, base)
        return [
            format_number(each) if isinstance(each, int) else format_argument(each, None, self._names)
            for each in value.values
        ]

    def _number(self, value: int, base: str) -> str:
        return format_number(value) if base in PLAIN_TYPES else self._names.number(value, base)

    def _base(self, name: str) -> str:
        """Return the C type that names the values of an operand; empty if its values are plain numbers."""
        known = self._tables.requirements.get(name)
        if isinstance(known, Query):
            return known.type
        if name in self._parameters:
            return self._parameters[name].base
        label, _, thing = name.partition(" of ")
        return MEMORY_PROPERTY_TYPES.get(label, "") if thing else self._field(name)

    def _field(self, name: str) -> str:
        """Return the C type of a field of a structure, written as ``parameter->field`` or as the field alone."""
        whole, _, field = name.rpartition("->")
        for parameter in self._parameters.values():
            type_ = self._tables.types.get(parameter.base)
            if type_ is not None and whole in ("", parameter.name):
                found = dict(type_.fields).get(field, "")
                if found:
                    return found
        return ""

    def _unit(self, name: str) -> str:
        """Return the unit of a query's value if the unit is bits; else empty."""
        known = self._tables.requirements.get(name)
        return " bits" if isinstance(known, Query) and known.unit == "bits" else ""


def _parameters(function: Function | None) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in function.parameters} if function else {}
