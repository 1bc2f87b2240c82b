"""Calls that end their process, hang, or are slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Died, Hung, Outcome, Returned
from clconform.selftest.injection.faults import Tampering
from clconform.selftest.injection.operators.registry import Operators

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

operators = Operators()

PATIENCE = 5.0
"""The reported time of a hang in seconds; nothing actually waits."""
SLOWER = 1.0


def itself(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the function as a whole."""
    del function, tables
    yield "", ""


class _Fate(Tampering):
    fate: Outcome

    def before(self, call: Call) -> Call | Outcome:
        """Omit the call, and report its end."""
        return self.fate if call.function == self.fault.function and self.due() else call


@operators.operator("crash", itself, (1, 2))
class Crash(_Fate):
    """The call ends the process."""

    fate = Died("signal", "SIGSEGV")


@operators.operator("hang", itself, (1, 2))
class Hang(_Fate):
    """The call does not return."""

    fate = Hung(PATIENCE)


@operators.operator("slow", itself, (0,))
class Slow(Tampering):
    """The call takes a second longer."""

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Report a longer time."""
        del call
        return msgspec.structs.replace(outcome, seconds=outcome.seconds + SLOWER)
