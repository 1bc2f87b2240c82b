"""Faults of outputs: writes past the end of an output buffer, and writes by a failing call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.selftest.injection.faults import Tampering
from clconform.selftest.injection.operators.objects import RESULT
from clconform.selftest.injection.operators.registry import Operators
from clconform.selftest.outcomes import ERROR, stem_of, succeeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

operators = Operators()

WRITTEN = 1


def output_buffers(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield all output parameters."""
    del tables
    yield from ((each.name, "") for each in function.parameters if each.direction == "out")


def outputs(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield all outputs except the error code, and the result object of functions with an error code."""
    yield from (place for place in output_buffers(function, tables) if place[0] != ERROR)
    if function.error_by == ERROR:
        yield RESULT, ""


@operators.operator("past-the-end", output_buffers)
class PastTheEnd(Tampering):
    """The bytes after an output buffer are written to."""

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Report overwritten guard bytes."""
        place = self.fault.place
        if not isinstance(call.arguments.get(place), OutputBuffer) or place in outcome.overrun:
            return outcome
        if not succeeded(self.function, outcome):
            return outcome
        return msgspec.structs.replace(outcome, overrun=[*outcome.overrun, place])


@operators.operator("written-on-error", outputs)
class WrittenOnError(Tampering):
    """A failing call writes to an output, or returns an object along with the error."""

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Write a one, or return an existing object."""
        place, function = self.fault.place, self.function
        if succeeded(function, outcome):
            return outcome
        if place == RESULT:
            there = self.seen.youngest(stem_of("void" if function.returns == "void*" else function.returns))
            known = ERROR in outcome.outputs and outcome.outputs[ERROR].values[:1] != [0]
            return msgspec.structs.replace(outcome, value=there) if there and known else outcome
        if not isinstance(call.arguments.get(place), OutputBuffer):
            return outcome
        parameter = next(each for each in function.parameters if each.name == place)
        known_type = self.tables.types.get(parameter.base)
        if known_type is not None and known_type.kind == "handle":
            there = self.seen.youngest(stem_of(parameter.base))
            return outcome.with_outputs(**{place: Output([there], 8)}) if there else outcome
        if parameter.base in ("void", "char"):
            return outcome.with_outputs(**{place: Output([], 1, bytes([WRITTEN]))})
        values = outcome.outputs[place].values
        return outcome.with_outputs(**{place: Output([WRITTEN, *values[1:]], 4)}) if values else outcome
