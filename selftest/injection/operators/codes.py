"""Faults of error codes: another code, success in place of an error, or an error in place of success."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Returned
from clconform.selftest.injection.faults import Tampering
from clconform.selftest.injection.operators.registry import Operators
from clconform.selftest.outcomes import as_failed, code_of, objects_given, stem_of, succeeded, with_code
from clconform.spec_tables.records import ErrorClause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Function

operators = Operators()

RESOURCES = ("CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY", "CL_MEM_OBJECT_ALLOCATION_FAILURE")
"""Codes that any call may return."""
FOREIGN = ("CL_INVALID_VALUE", "CL_INVALID_OPERATION")
"""The replacement codes if a function lists only one."""
NULL = "NULL"


def codes(function: Function, tables: Tables) -> list[str]:
    """Return the error codes listed for a function in the list's order, without out-of-resources codes."""
    found = [
        record.code
        for record in tables.records_of(function.name)
        if isinstance(record, ErrorClause) and record.code not in RESOURCES
    ]
    return list(dict.fromkeys(found))


def each_code(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield every error code listed for a function."""
    if function.error_by != "none":
        yield from (("", code) for code in codes(function, tables) if code in tables.enumerants)


def each_failure(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield every error code listed for a function, and NULL if it can fail without a code."""
    yield from (("", code) for code in codes(function, tables) if code in tables.enumerants or code == NULL)


def first_code(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the first error code listed for a function."""
    yield from list(each_failure(function, tables))[:1]


class _OfCode(Tampering):
    @property
    def code(self) -> int:
        """Return the value of the fault's error code."""
        return self.tables.enumerants[self.fault.subject].value


@operators.operator("another-error", each_code)
class AnotherError(_OfCode):
    """An error is replaced by the next error code listed for the function."""

    def start(self) -> None:
        """Determine the other code."""
        there = [code for code in codes(self.function, self.tables) if code in self.tables.enumerants]
        after = there[there.index(self.fault.subject) + 1 :] + there + list(FOREIGN)
        self.instead = self.tables.enumerants[next(code for code in after if code != self.fault.subject)].value

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Replace the code."""
        del call
        if code_of(self.function, outcome) != self.code:
            return outcome
        return with_code(self.function, outcome, self.instead)


@operators.operator("success-for-error", each_failure)
class SuccessForError(_OfCode):
    """A failing call reports success, with an existing object if it returns one."""

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Report success; a failed link may keep its own program."""
        del call
        if self.fault.subject != NULL:
            if code_of(self.function, outcome) != self.code:
                return outcome
            if self.function.error_by == "return" or outcome.value is not None:
                return with_code(self.function, outcome, 0)
        elif succeeded(self.function, outcome):
            return outcome
        base = "void" if self.function.returns.startswith("void") else self.function.returns
        there = self.seen.youngest(stem_of(base))
        if self.fault.subject == NULL:
            return msgspec.structs.replace(outcome, value=there) if there else outcome
        return msgspec.structs.replace(with_code(self.function, outcome, 0), value=there)


@operators.operator("error-for-success", first_code)
class ErrorForSuccess(_OfCode):
    """A valid call fails with the first error code listed for the function; a release then has no effect."""

    def failed(self, outcome: Returned) -> Returned:
        """Return the outcome of a failing call."""
        if self.fault.subject == NULL:
            return msgspec.structs.replace(outcome, value=None, alignment=0)
        return as_failed(self.function, outcome, self.code)

    def before(self, call: Call) -> Call | Outcome:
        """Omit a call that would destroy an object that the session still uses."""
        ends = "Release" in self.fault.function or "Free" in self.fault.function
        if call.function == self.fault.function and ends and objects_given(self.function, call) and self.due():
            return self.failed(Returned(0))
        return call

    def change(self, call: Call, outcome: Returned) -> Returned:
        """Report the error."""
        del call
        return self.failed(outcome) if succeeded(self.function, outcome) else outcome
