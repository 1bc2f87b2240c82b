"""The reasons why a fault affects no call, derived from the calls without faults."""

from __future__ import annotations

from typing import Any

import pytest

from clconform.calls.call import Call, Died, Output, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.selftest.injection import made
from clconform.selftest.injection.faults import Fault
from clconform.selftest.injection.layer import Passed, until_the_end
from clconform.selftest.injection.made import joined, made_in, why_not
from clconform.spec_tables import load

TABLES = load()
ASK, QUERY, OTHER = "clGetProgramInfo", "CL_PROGRAM_NUM_DEVICES", "CL_PROGRAM_REFERENCE_COUNT"
NEW = Passed(None)


def asked(program: str, value: int | None, query: str = QUERY) -> Passed:
    """Return a logged query with its value; the query fails if ``value`` is None."""
    arguments: dict[str, Any] = {"program": Handle(program), "param_name": TABLES.enumerants[query].value}
    outcome = Returned(-30) if value is None else Returned(0, {"param_value": Output([value], 4)})
    return Passed(Call(ASK, {**arguments, "param_value_size": 4, "param_value": OutputBuffer(4)}), outcome)


def why(operator: str, *passed: Passed, subject: str = QUERY, place: str = "param_value", turn: int = 0) -> str:
    calls = made_in(passed, TABLES)
    return why_not(Fault(operator, ASK, place, subject, turn), calls.get(ASK), TABLES)


@pytest.mark.parametrize(
    ("operator", "passed", "reason"),
    [
        ("one-more", [], made.NO_CALL),
        ("one-more", [asked("program1", None)], made.NO_SUCCESS),
        ("one-more", [asked("program1", 1, OTHER)], made.NOT_ANSWERED),
        ("one-less", [asked("program1", 0)], made.ALWAYS_NOTHING),
        ("one-less", [asked("program1", 0), asked("program2", 1)], made.OTHER_FORM),
        ("answer-of-another", [asked("program1", 1), asked("program2", 1)], made.SAME_ANSWER),
        ("answer-of-another", [asked("program1", 1), asked("program2", 2)], made.OTHER_FORM),
        ("answer-of-before", [asked("program1", 1), asked("program2", 2)], made.SAME_ABOUT_OBJECTS),
        ("answer-of-before", [asked("program1", 1), asked("program1", 2)], made.OTHER_FORM),
        ("answer-of-before", [asked("program1", 1), NEW, asked("program1", 2)], made.SAME_ABOUT_OBJECTS),
    ],
)
def test_answers_tell_why_a_query_is_not_changed(operator: str, passed: list[Passed], reason: str) -> None:
    assert why(operator, *passed) == reason


def test_codes_tell_why_an_error_is_not_changed() -> None:
    refused = asked("program1", None)
    assert why("another-error", refused, subject="CL_INVALID_PROGRAM", place="") == made.NO_SUCH_CODE
    assert why("another-error", refused, subject="CL_INVALID_VALUE", place="", turn=2) == made.NOT_TWICE


def test_calls_of_several_items_are_joined() -> None:
    parts = [made_in([asked("program1", number)], TABLES) for number in (0, 2)]
    whole = joined(parts)[ASK]
    (query,) = whole.queries.values()
    assert (whole.succeeded, query.answers, query.changed, query.nothing) == (2, {"[0]", "[2]"}, False, False)


def test_nothing_after_the_end_of_the_driver_counts() -> None:
    first = asked("program1", 1)
    ends = Passed(first.call, Died("signal", "SIGSEGV"))
    assert until_the_end([first, ends, first]) == [first]
    assert until_the_end([first, first]) == [first, first]
