"""Finds the outputs of a call that contain sizes, counts and other numbers for the arguments of later calls."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import Query

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.spec_tables import Tables

NUMBER_TYPES = ("size_t", "cl_uint", "cl_ulong", "cl_sync_point_khr")
"""The types of sizes, counts and numbers of commands."""
VALUE, VALUE_SIZE = "param_value", "param_value_size_ret"


class NumberOutputs:
    """The parameters of each function whose outputs contain such numbers, and the queries whose values do.

    The size of a scalar is not such a number, because it is the size of a type. ``for_tables`` caches the instances.
    """

    def __init__(self, tables: Tables) -> None:
        self._parameters = {
            function.name: [
                parameter.name
                for parameter in function.parameters
                if parameter.direction == "out" and parameter.pointers == 1 and parameter.base in NUMBER_TYPES
            ]
            for function in tables.functions.values()
        }
        self._queries = {
            (each.function, tables.enumerants[each.name].value): [
                *([VALUE] if each.type in NUMBER_TYPES else []),
                *([VALUE_SIZE] if each.shape != "scalar" else []),
            ]
            for each in tables.requirements.values()
            if isinstance(each, Query) and each.name in tables.enumerants
        }

    @classmethod
    def for_tables(cls, tables: Tables) -> NumberOutputs:
        """Return the outputs of the functions of these tables."""
        return _create_outputs(TableLookups.for_tables(tables))

    def outputs_of(self, call: Call) -> list[str]:
        """Return the parameters of a call whose outputs contain such numbers."""
        name = call.arguments.get("param_name")
        query = self._queries.get((call.function, name)) if isinstance(name, int) else None
        return self._parameters.get(call.function, []) if query is None else query


@functools.cache
def _create_outputs(lookups: TableLookups) -> NumberOutputs:
    return NumberOutputs(lookups.tables)
