"""The findings in small programs, each of a kind of mistake, and in their twins without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .cases.case_table import Case, find_case, read_cases
from .conftest import POCL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_program_has_exactly_the_findings_of_the_table(
    case: Case, build_program: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del build_program  # requested only so that the test is skipped without a compiler
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    found = find_case(case, tmp_path)
    if found is None:
        pytest.skip("the driver lacks what the program needs")
    assert found == case.findings_on(str(POCL))


def test_each_mistake_has_a_silent_twin() -> None:
    cases = read_cases()
    silent = {case.program for case in cases if not case.findings}
    assert {case.program for case in cases} == silent
