"""Faults of outputs: writes past the end of an output buffer, and writes by a failing call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.selftest.injection.fault import FaultEffect
from clconform.selftest.injection.operators.object_operators import RESULT
from clconform.selftest.injection.operators.operator_registry import Operators
from clconform.selftest.outcome_changes import ERROR_PARAMETER, get_stem, has_succeeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

operators = Operators()

WRITTEN = 1


def find_output_buffers(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield all output parameters."""
    del tables
    yield from ((each.name, "") for each in function.parameters if each.direction == "out")


def find_outputs(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield all outputs except the error code, and the result object of functions with an error code."""
    yield from (place for place in find_output_buffers(function, tables) if place[0] != ERROR_PARAMETER)
    if function.error_by == ERROR_PARAMETER:
        yield RESULT, ""


@operators.operator("past-the-end", find_output_buffers)
class PastTheEnd(FaultEffect):
    """The bytes after an output buffer are written to."""

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the outcome with overwritten guard bytes after the output buffer."""
        place = self.fault.place
        if not isinstance(call.arguments.get(place), OutputBuffer) or place in outcome.overrun:
            return outcome
        if not has_succeeded(self.function, outcome):
            return outcome
        return msgspec.structs.replace(outcome, overrun=[*outcome.overrun, place])


@operators.operator("written-on-error", find_outputs)
class WrittenOnError(FaultEffect):
    """A failing call writes to an output, or returns an object along with the error."""

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the failed outcome with a 1, or an existing object, in the fault's output."""
        place, function = self.fault.place, self.function
        if has_succeeded(function, outcome):
            return outcome
        if place == RESULT:
            there = self.objects.get_youngest(get_stem("void" if function.returns == "void*" else function.returns))
            known = ERROR_PARAMETER in outcome.outputs and outcome.outputs[ERROR_PARAMETER].values[:1] != [0]
            return msgspec.structs.replace(outcome, value=there) if there and known else outcome
        if not isinstance(call.arguments.get(place), OutputBuffer):
            return outcome
        parameter = next(each for each in function.parameters if each.name == place)
        known_type = self.tables.types.get(parameter.base)
        if known_type is not None and known_type.kind == "handle":
            there = self.objects.get_youngest(get_stem(parameter.base))
            return outcome.with_outputs(**{place: Output([there], 8)}) if there else outcome
        if parameter.base in ("void", "char"):
            return outcome.with_outputs(**{place: Output([], 1, bytes([WRITTEN]))})
        values = outcome.outputs[place].values
        return outcome.with_outputs(**{place: Output([WRITTEN, *values[1:]], 4)}) if values else outcome
