"""Faults of error codes: another code, success in place of an error, or an error in place of success."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Returned
from clconform.selftest.injection.fault import FaultEffect
from clconform.selftest.injection.operators.operator_registry import Operators
from clconform.selftest.outcome_changes import as_failed, get_code, get_stem, has_all_objects, has_succeeded, with_code
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Function

operators = Operators()

RESOURCES = ("CL_OUT_OF_RESOURCES", "CL_OUT_OF_HOST_MEMORY", "CL_MEM_OBJECT_ALLOCATION_FAILURE")
"""Codes that any call may return."""
FOREIGN = ("CL_INVALID_VALUE", "CL_INVALID_OPERATION")
"""The replacement codes for functions that list only one error code."""
NULL = "NULL"


def get_codes(function: Function, tables: Tables) -> list[str]:
    """Return the error codes listed for a function in the list's order, without out-of-resources codes."""
    found = [
        requirement.code
        for requirement in tables.requirements_of(function.name)
        if isinstance(requirement, ErrorCondition) and requirement.code not in RESOURCES
    ]
    return list(dict.fromkeys(found))


def find_codes(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield every error code listed for a function."""
    if function.error_by != "none":
        yield from (("", code) for code in get_codes(function, tables) if code in tables.enumerants)


def find_failures(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield every error code listed for a function, and NULL if the function can fail without a code."""
    yield from (("", code) for code in get_codes(function, tables) if code in tables.enumerants or code == NULL)


def find_first_code(function: Function, tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield the first error code listed for a function."""
    yield from list(find_failures(function, tables))[:1]


class _CodeEffect(FaultEffect):
    @property
    def code(self) -> int:
        """Return the value of the fault's error code."""
        return self.tables.enumerants[self.fault.subject].value


@operators.operator("another-error", find_codes)
class AnotherError(_CodeEffect):
    """An error is replaced by the next error code listed for the function."""

    def start(self) -> None:
        """Determine the error code that replaces the fault's code."""
        there = [code for code in get_codes(self.function, self.tables) if code in self.tables.enumerants]
        after = there[there.index(self.fault.subject) + 1 :] + there + list(FOREIGN)
        self.instead = self.tables.enumerants[next(code for code in after if code != self.fault.subject)].value

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the outcome with the next listed error code, if it contains the fault's error code."""
        del call
        if get_code(self.function, outcome) != self.code:
            return outcome
        return with_code(self.function, outcome, self.instead)


@operators.operator("success-for-error", find_failures)
class SuccessForError(_CodeEffect):
    """A failing call reports success, and returns an existing object if the function returns an object."""

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Report success for a call that failed with the fault's error code.

        If a failed clLinkProgram returned a program, this program stays in the outcome.
        """
        del call
        if self.fault.subject != NULL:
            if get_code(self.function, outcome) != self.code:
                return outcome
            if self.function.error_by == "return" or outcome.value is not None:
                return with_code(self.function, outcome, 0)
        elif has_succeeded(self.function, outcome):
            return outcome
        base = "void" if self.function.returns.startswith("void") else self.function.returns
        there = self.objects.get_youngest(get_stem(base))
        if self.fault.subject == NULL:
            return msgspec.structs.replace(outcome, value=there) if there else outcome
        return msgspec.structs.replace(with_code(self.function, outcome, 0), value=there)


@operators.operator("error-for-success", find_first_code)
class ErrorForSuccess(_CodeEffect):
    """A valid call fails with the first error code listed for the function.

    If the call is a release, it has no effect.
    """

    def make_failure(self, outcome: Returned) -> Returned:
        """Return the outcome of a call that fails with the fault's error code."""
        if self.fault.subject == NULL:
            return msgspec.structs.replace(outcome, value=None, alignment=0)
        return as_failed(self.function, outcome, self.code)

    def before(self, call: Call) -> Call | Outcome:
        """Omit a release in which the fault takes effect, because the session still uses the object."""
        ends = "Release" in self.fault.function or "Free" in self.fault.function
        if call.function == self.fault.function and ends and has_all_objects(self.function, call) and self.is_due():
            return self.make_failure(Returned(0))
        return call

    def change_outcome(self, call: Call, outcome: Returned) -> Returned:
        """Return the fault's error for a call that succeeded."""
        del call
        return self.make_failure(outcome) if has_succeeded(self.function, outcome) else outcome
