"""The capabilities that a call uses: its function, the query, flags, and names of properties."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.values import ElementList
from clconform.spec_tables.requirements import Flag, Property, Query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ApplicabilityCondition

ConditionSets: TypeAlias = "tuple[tuple[ApplicabilityCondition, ...], ...]"
"""The applicability conditions of each meaning of a number; the number is valid if all conditions of one set hold."""


class CapabilityIndex:
    """The applicability conditions of the names that calls use, indexed once."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._gates: dict[str, list[tuple[ApplicabilityCondition, ...]]] = {}
        for name, known in tables.enumerants.items():
            self._gates[name] = [known.applicability]
        for requirement in tables.requirements.values():
            if (
                isinstance(requirement, Flag | Property | Query)
                and requirement.name in self._gates
                and requirement.applicability
            ):
                self._gates[requirement.name].append(requirement.applicability)

    def find_uses(self, call: Call) -> Iterator[tuple[str, ConditionSets]]:
        """Yield each name with applicability conditions that a call uses, and the conditions of each meaning."""
        function = self._tables.functions.get(call.function)
        if function is None:
            return
        if function.applicability:
            yield function.name, (function.applicability,)
        asked = call.arguments.get("param_name")
        numbers = self._tables.enumerants
        queries = [
            each for each in self._tables.queries_of(function.name) if each.name in numbers
            and numbers[each.name].value == asked
        ]  # fmt: skip
        if queries:
            yield queries[0].name, tuple(each.applicability for each in queries)
        for parameter in function.parameters:
            if parameter.name != "param_name":
                yield from self._find_names(parameter.base, call.arguments.get(parameter.name))

    def get_conditions(self, name: str) -> ConditionSets:
        """Return the applicability conditions of a function, a query or a flag; empty if it is unknown."""
        if name in self._tables.functions:
            return (self._tables.functions[name].applicability,)
        return tuple(tuple(dict.fromkeys(gates)) for gates in self._gates.get(name, ()))[-1:]

    def _find_names(self, group: str, value: Value) -> Iterator[tuple[str, ConditionSets]]:
        """Yield the names of a group that are bits of a number, or elements of a list."""
        listed = isinstance(value, ElementList)
        given = {
            each for each in (value.values if isinstance(value, ElementList) else (value,)) if isinstance(each, int)
        }
        by_value: dict[int, list[str]] = {}
        for name, number in self._tables.values_of_group(group).items() if given else ():
            single = number > 0 and number & (number - 1) == 0
            if number in given or (not listed and single and any(number & each for each in given)):
                by_value.setdefault(number, []).append(name)
        for names in by_value.values():
            yield names[0], tuple(gates for name in names for gates in self._gates[name][-1:])
