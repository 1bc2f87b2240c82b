"""Comparison of two mutation runs: the differences of each requirement, and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.reports.measurement import MeasurementMonitor
from clconform.selftest.mutation.mutant_results import KILLED, SURVIVED, MutantRow, MutationReport
from clconform.selftest.mutation.mutants import DROPPED, NEGATED
from clconform.selftest.mutation.mutation_operators import NUMBER
from clconform.selftest.mutation.run_comparison import GONE, compare_runs
from clconform.tools.dev.mutate import print_changes, read_earlier
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from pathlib import Path

RECORD = "clF/CL_X/1"


def make_report(*rows: tuple[str, str], requirement: str = RECORD) -> MutationReport:
    return MutationReport(
        MeasurementMonitor(["dev", "mutate"]).create_header(),
        [MutantRow(requirement, operator, "module", "place", 7, 0, "", status, "why") for operator, status in rows],
    )


BASELINE = make_report((DROPPED, KILLED), (NEGATED, KILLED), (NUMBER, SURVIVED))


def test_predicate_mutant_that_is_no_longer_killed_is_reported_as_lost() -> None:
    change, whole = compare_runs(
        BASELINE, make_report((DROPPED, SURVIVED), (NEGATED, KILLED), (NUMBER, SURVIVED)), [RECORD]
    )
    assert change.lost == {DROPPED: SURVIVED}
    assert (whole.before[KILLED], whole.now[KILLED]) == (2, 1)


def test_predicate_mutants_missing_in_the_new_run_are_reported_as_lost() -> None:
    assert compare_runs(BASELINE, make_report(), [RECORD])[0].lost == {DROPPED: GONE, NEGATED: GONE}


def test_status_changes_without_lost_predicate_mutants_are_only_counted() -> None:
    change, _ = compare_runs(
        BASELINE, make_report((DROPPED, KILLED), (NEGATED, KILLED), (NUMBER, KILLED), (NUMBER, KILLED)), [RECORD]
    )
    assert not change.lost
    assert change.format_counts() == "clF/CL_X/1: killed 2 -> 4, survived 1 -> 0"
    assert [each.requirement for each in compare_runs(BASELINE, BASELINE, [RECORD])] == ["all"]


def test_mutants_of_unselected_requirements_are_not_compared() -> None:
    assert [each.requirement for each in compare_runs(BASELINE, make_report(), ["clG/CL_X/1"])] == ["all"]


@pytest.mark.parametrize(
    ("now", "code"),
    [
        (BASELINE, exit_codes.AS_EXPECTED),
        (
            make_report((DROPPED, KILLED), (NEGATED, KILLED), (NUMBER, SURVIVED), (NUMBER, SURVIVED)),
            exit_codes.AS_EXPECTED,
        ),
        (make_report((DROPPED, KILLED), (NEGATED, SURVIVED)), exit_codes.DEVIATIONS),
    ],
)
def test_exit_code_fails_only_if_a_removed_or_negated_predicate_now_survives(
    now: MutationReport, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_changes(BASELINE, now, [RECORD]) == code
    assert ("negated: was killed, now: survived" in capsys.readouterr().out) == (code != exit_codes.AS_EXPECTED)


def test_missing_or_invalid_file_of_earlier_run_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "mutants.json"
    with pytest.raises(CommandError, match="there is no such file"):
        read_earlier(str(file))
    file.write_text('{"mutants": [{"requirement": 1}]}')
    with pytest.raises(CommandError, match="not a file of mutants of clconform dev mutate"):
        read_earlier(str(file))
