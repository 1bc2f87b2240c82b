"""Functions that lack resources in one test after another, and processes that create no contexts, are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.journal import FirstObservation, ItemEnd, RunHeader
from clconform.reports.journal_reader import JournalContents
from clconform.reports.lacking_resources import describe_failing_contexts, describe_lack, group_by_function

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CREATE, BUILD, CONTEXT = "clCreateBuffer", "clBuildProgram", "clCreateContext"
CODES = {
    "r": "CL_OUT_OF_RESOURCES",
    "h": "CL_OUT_OF_HOST_MEMORY",
    "m": "CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "d": "CL_DEVICE_NOT_AVAILABLE",
    "i": "CL_INVALID_VALUE",
    ".": "CL_SUCCESS",
}
"""The letters for the outcomes of a function's calls in one item."""
CALLS = 100
"""Number of calls of each item."""


def create_journal(*series: tuple[str, str, str]) -> JournalContents:
    """Return a journal with an item for each word of each series: (function, process, words of letters of CODES)."""
    journal = JournalContents(RunHeader("", 1, "tables", "", [], {}, ""))
    for function, process, words in series:
        for number, word in enumerate(words.split()):
            item = f"{function} {process} {number}"
            journal.first_seen += [
                FirstObservation(item, f"{function}/success", [], CODES[letter], "", Call(function, {}))
                for letter in word
            ]
            target = f"requirement {number}"
            skipped = [] if "." in word else [target]
            journal.items[item] = ItemEnd(item, "passed", 0.1, CALLS, {}, skipped_targets=skipped, process=process)
    return journal


def describe_series_lack(series: Sequence[tuple[str, str, str]], statuses: Mapping[str, str]) -> str:
    return describe_lack(group_by_function(create_journal(*series)), statuses)


def describe_series_contexts(series: Sequence[tuple[str, str, str]], statuses: Mapping[str, str]) -> str:
    processes = len({process for _, process, _ in series})
    return describe_failing_contexts(group_by_function(create_journal(*series)), statuses, processes)


STATUSES = {f"requirement {number}": "not-covered" for number in range(50)}
LACKING = {
    "everything fails after some calls": ([(CREATE, "", ". . . r r r r r r")],
        ("after call 300, every call of clCreateBuffer failed for lack of resources in 6 tests; "
        "6 requirements were not tested")),
    "with several codes": ([(CREATE, "", ". h r m r d")],
        ("after call 100, every call of clCreateBuffer failed for lack of resources in 5 tests; "
        "5 requirements were not tested")),
    "the resources come back": ([(CREATE, "", ". r r r r r . .")],
        ("from call 100 to call 600, every call of clCreateBuffer failed for lack of resources in 5 tests; "
        "5 requirements were not tested")),
    "it never works": ([(BUILD, "", "h h h")],
        "every call of clBuildProgram failed for lack of resources in 3 tests; 3 requirements were not tested"),
    "no context is ever created": ([(CONTEXT, "", "r")],
        "every call of clCreateContext failed for lack of resources in 1 test; 1 requirement was not tested"),
    "each test fails in the middle": ([(CREATE, "", ".r .r .r .r .r")],
        "calls of clCreateBuffer failed for lack of resources in 5 tests in a row"),
    "one of two processes": ([(CREATE, "gw0", ". . . . . ."), (CREATE, "gw1", ". r r r r r")],
        ("after call 100, every call of clCreateBuffer in process gw1 failed for lack of resources in 5 tests; "
        "5 requirements were not tested")),
    "two functions": ([(CREATE, "", ". r r r r r r"), (BUILD, "", ". h h h h h")],
        ("after call 100, every call of clCreateBuffer failed for lack of resources in 6 tests, "
        "as did those of clBuildProgram; 6 requirements were not tested")),
}  # fmt: skip
FINE = {
    "nothing fails": [(CREATE, "", ". . . . . .")],
    "a large allocation": [(CREATE, "", ". . r . .")],
    "four large allocations": [(CREATE, "", ". r r m r . . .")],
    "four large allocations at the end": [(CREATE, "", ". . r r m r")],
    "many large allocations apart": [(CREATE, "", ". r r . r r . r r . r .r . r")],
    "two tests of a function that lacks resources": [(BUILD, "", "h h")],
    "other errors": [(CREATE, "", "i i i i i i i")],
    "another process in between": [(CREATE, "gw0", "r . r . r"), (CREATE, "gw1", "r r . r r")],
}


@pytest.mark.parametrize("name", LACKING)
def test_series_of_tests_without_resources_is_described(name: str) -> None:
    series, words = LACKING[name]
    assert describe_series_lack(series, STATUSES) == words


@pytest.mark.parametrize("name", FINE)
def test_single_calls_without_resources_are_no_gap(name: str) -> None:
    assert describe_series_lack(FINE[name], STATUSES) == ""


def test_tested_requirements_are_not_counted() -> None:
    statuses = {"requirement 1": "conforms", "requirement 2": "inconclusive", "requirement 3": "deviates"}
    words = describe_series_lack([(CREATE, "", ". r r r r r")], statuses)
    assert words.endswith("in 5 tests; 1 requirement was not tested")


@pytest.mark.parametrize(
    ("series", "failing"),
    [
        ([(CONTEXT, "gw0", ". . ."), (CONTEXT, "gw1", "r r r")], "1 of 2"),
        ([(CONTEXT, "gw0", ". . ."), (CONTEXT, "gw1", "r")], "1 of 2"),
        ([(CONTEXT, "gw0", ". . ."), (CONTEXT, "gw1", "h h h . .")], "1 of 2"),
        ([(CONTEXT, "gw0", ". . . r"), (CONTEXT, "gw1", ". r . .")], "2 of 2"),
        ([(CONTEXT, "gw0", ". . ."), (CONTEXT, "gw1", "i i i"), (CONTEXT, "gw2", "d")], "2 of 3"),
        ([(CONTEXT, "gw0", "."), ("clCreateContextFromType", "gw1", "r r")], "1 of 2"),
    ],
)
def test_processes_without_contexts_are_counted(series: list[tuple[str, str, str]], failing: str) -> None:
    words = f"contexts failed in {failing} processes; use -n 1"
    assert describe_series_contexts(series, STATUSES) == words


@pytest.mark.parametrize(
    "series",
    [
        [(CONTEXT, "gw0", ". . ."), (CONTEXT, "gw1", ". .")],
        [(CONTEXT, "gw0", "r r r"), (CONTEXT, "gw1", "r r")],
        [(CONTEXT, "", "r . . . .")],
        [(CONTEXT, "gw0", ". . ."), (CONTEXT, "gw1", "i")],
        [(CONTEXT, "gw0", ". . ."), (CREATE, "gw1", "r r")],
    ],
)
def test_other_failures_are_not_attributed_to_several_processes(series: list[tuple[str, str, str]]) -> None:
    assert describe_series_contexts(series, STATUSES) == ""


def test_single_failure_of_a_context_counts_if_its_test_is_missing() -> None:
    series = [(CONTEXT, "gw0", ". . . ."), (CONTEXT, "gw1", ". r . .")]
    assert describe_series_contexts(series, STATUSES) == "contexts failed in 1 of 2 processes; use -n 1"
    assert describe_series_contexts(series, {"requirement 1": "conforms"}) == ""
