"""Determines the memory that a C program overwrites after a call has read it.

A test run overwrites the same memory, to detect drivers that read it too late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.deviation_keys import UNEXPECTED_BYTES
from clconform.calls.reusable_memory import find_reusable_parameters, is_reusable
from clconform.calls.values import HandleBytes

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviationResult
    from clconform.spec_tables.requirements import Function


class MemoryReuse:
    """Determines the memory that one program overwrites.

    The program does not overwrite any memory if a late read by the driver cannot cause the deviation.
    """

    def __init__(self, deviation: DeviationResult, tables: ReportTables) -> None:
        self._tables = tables
        end = deviation.sequence[-1].outcome
        called_back = isinstance(end, Returned) and bool(end.callbacks)
        self._any = deviation.verdict != "deviates" or deviation.symptom == UNEXPECTED_BYTES or called_back
        self._parameters: dict[str, frozenset[str]] = {}

    def is_reused(self, function: Function, parameter: str, call: Call) -> bool:
        """Return whether the program overwrites, after the call, the memory to which a parameter points."""
        if not self._any or isinstance(call.arguments[parameter], HandleBytes):
            return False
        name = function.name
        if name not in self._parameters:
            requirements = (
                each for each in self._tables.requirements.values() if getattr(each, "function", "") == name
            )
            self._parameters[name] = find_reusable_parameters(function, requirements)
        return parameter in self._parameters[name] and is_reusable(parameter, call, self._tables.enumerants)
