"""The reasons why a fault affects no call, derived from the calls without faults."""

from __future__ import annotations

from typing import Any

import pytest

from clconform.calls.call import Call, Died, Output, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.selftest.injection import baseline
from clconform.selftest.injection.baseline import explain_no_effect, merge_summaries, summarize_calls
from clconform.selftest.injection.fault import Fault
from clconform.selftest.injection.fault_layer import LoggedEvent, get_events_before_end
from clconform.spec_tables import load

TABLES = load()
QUERY_FUNCTION, QUERY, OTHER = "clGetProgramInfo", "CL_PROGRAM_NUM_DEVICES", "CL_PROGRAM_REFERENCE_COUNT"
NEW_EXAMPLE = LoggedEvent(None)


def make_query(program: str, value: int | None, query: str = QUERY) -> LoggedEvent:
    """Return a logged query with its value; the query fails if ``value`` is None."""
    arguments: dict[str, Any] = {"program": Handle(program), "param_name": TABLES.enumerants[query].value}
    outcome = Returned(-30) if value is None else Returned(0, {"param_value": Output([value], 4)})
    return LoggedEvent(
        Call(QUERY_FUNCTION, {**arguments, "param_value_size": 4, "param_value": OutputBuffer(4)}), outcome
    )


def explain(
    operator: str, *passed: LoggedEvent, subject: str = QUERY, place: str = "param_value", turn: int = 0
) -> str:
    calls = summarize_calls(passed, TABLES)
    return explain_no_effect(Fault(operator, QUERY_FUNCTION, place, subject, turn), calls.get(QUERY_FUNCTION), TABLES)


@pytest.mark.parametrize(
    ("operator", "passed", "reason"),
    [
        ("one-more", [], baseline.NO_CALL),
        ("one-more", [make_query("program1", None)], baseline.NO_SUCCESS),
        ("one-more", [make_query("program1", 1, OTHER)], baseline.NOT_ANSWERED),
        ("one-less", [make_query("program1", 0)], baseline.ALWAYS_NOTHING),
        ("one-less", [make_query("program1", 0), make_query("program2", 1)], baseline.OTHER_FORM),
        ("answer-of-another", [make_query("program1", 1), make_query("program2", 1)], baseline.SAME_ANSWER),
        ("answer-of-another", [make_query("program1", 1), make_query("program2", 2)], baseline.OTHER_FORM),
        ("answer-of-before", [make_query("program1", 1), make_query("program2", 2)], baseline.SAME_ABOUT_OBJECTS),
        ("answer-of-before", [make_query("program1", 1), make_query("program1", 2)], baseline.OTHER_FORM),
        (
            "answer-of-before",
            [make_query("program1", 1), NEW_EXAMPLE, make_query("program1", 2)],
            baseline.SAME_ABOUT_OBJECTS,
        ),
    ],
)
def test_reason_for_unaffected_query_follows_from_its_recorded_values(
    operator: str, passed: list[LoggedEvent], reason: str
) -> None:
    assert explain(operator, *passed) == reason


def test_reason_for_unaffected_error_follows_from_its_recorded_codes() -> None:
    refused = make_query("program1", None)
    assert explain("another-error", refused, subject="CL_INVALID_PROGRAM", place="") == baseline.NO_SUCH_CODE
    assert explain("another-error", refused, subject="CL_INVALID_VALUE", place="", turn=2) == baseline.NOT_TWICE


def test_summaries_of_calls_of_several_items_are_merged() -> None:
    parts = [summarize_calls([make_query("program1", number)], TABLES) for number in (0, 2)]
    whole = merge_summaries(parts)[QUERY_FUNCTION]
    (query,) = whole.queries.values()
    assert (whole.succeeded, query.values, query.changed, query.all_zero) == (2, {"[0]", "[2]"}, False, False)


def test_calls_after_the_end_of_the_driver_do_not_count() -> None:
    first = make_query("program1", 1)
    ends = LoggedEvent(first.call, Died("signal", "SIGSEGV"))
    assert get_events_before_end([first, ends, first]) == [first]
    assert get_events_before_end([first, first]) == [first, first]
