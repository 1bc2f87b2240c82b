"""The findings in small programs, each of a kind of mistake, and in their twins without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .cases.case_table import CASES, Case, CaseFinding, CaseOutcome, find_outcome, read_cases
from .cases.installed_drivers import DRIVERS, use_driver

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

POCL_DRIVER = DRIVERS[0]
REPORTS = CASES.with_name("reports.toml")


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_program_has_exactly_the_findings_of_the_table(
    case: Case, build_program: Callable[..., Path], tmp_path: Path
) -> None:
    del build_program  # requested only so that the test is skipped without a compiler and PoCL
    with use_driver(POCL_DRIVER):
        found = find_outcome(case, tmp_path)
    assert case.outcome_on(POCL_DRIVER.name).matches(found), found.describe()


def test_each_mistake_has_a_silent_twin() -> None:
    cases = read_cases()
    silent = {case.program for case in cases if case.is_silent}
    assert {case.program for case in cases} == silent


def test_each_kind_of_the_reported_programs_has_as_many_cases() -> None:
    subjects = [case.subject for case in read_cases()]
    for subject in {case.subject for case in read_cases(REPORTS)}:
        reported = sum(case.subject == subject for case in read_cases(REPORTS))
        assert subjects.count(subject) >= reported, subject


def test_rows_name_known_drivers_and_the_reason_of_a_difference() -> None:
    names = {each.name for each in DRIVERS}
    for case in (*read_cases(), *read_cases(REPORTS)):
        assert case.on.keys() <= names
        assert all(outcome.lacks or outcome.note for outcome in case.on.values()), case.name


@pytest.mark.parametrize(
    ("findings", "exit_code"),
    [
        ([("program", "undefined", "clFinish", "a/usage/1", 1)], 13),
        ([("driver", "undefined", "clFinish", "a/usage/1", 2)], 13),
        ([("program", "undefined", "clFinish", "a/usage/1", 2)], 0),
        ([], 13),
    ],
)
def test_outcome_is_compared_as_a_whole(findings: list[tuple[str, str, str, str, int]], exit_code: int) -> None:
    expected = CaseOutcome([CaseFinding("program", "undefined", "clFinish", "a/usage/1", 2)], 13)
    assert expected.matches(expected)
    assert not expected.matches(CaseOutcome([CaseFinding(*each) for each in findings], exit_code))


def test_process_may_end_after_undefined_behaviour() -> None:
    undefined = CaseFinding("program", "undefined", "clFinish", "a/usage/1")
    ended = CaseFinding("nobody known", "ended", "clFlush", "the process ended in this call")
    assert CaseOutcome([undefined], 13).matches(CaseOutcome([undefined, ended], 13))
    assert not CaseOutcome([], 0).matches(CaseOutcome([ended], 14))
