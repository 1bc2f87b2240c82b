"""Faults of single calls: a call ends the process, hangs, or takes longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Died, Hung, Outcome, Returned
from clconform.selftest.injection.fault import FaultEffect
from clconform.selftest.injection.operators.operator_registry import Operators

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

operators = Operators()

HANG_SECONDS = 5.0
"""The reported time of a hang in seconds; nothing actually waits."""
EXTRA_SECONDS = 1.0


def find_function(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield one empty place and subject, because the fault affects the whole call."""
    del function, tables
    yield "", ""


class _EndEffect(FaultEffect):
    end: Outcome

    def before(self, call: Call) -> Call | Outcome:
        """Omit the call, and return a crash or a hang as its outcome."""
        return self.end if call.function == self.fault.function and self.is_due() else call


@operators.operator("crash", find_function, (1, 2))
class Crash(_EndEffect):
    """The call ends the process."""

    end = Died("signal", "SIGSEGV")


@operators.operator("hang", find_function, (1, 2))
class Hang(_EndEffect):
    """The call does not return."""

    end = Hung(HANG_SECONDS)


@operators.operator("slow", find_function, (0,))
class Slow(FaultEffect):
    """The call takes a second longer."""

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the outcome with an additional second of call time."""
        del call
        return msgspec.structs.replace(outcome, seconds=outcome.seconds + EXTRA_SECONDS)
