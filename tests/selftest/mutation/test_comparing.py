"""Comparison of two mutation runs: the differences of each requirement, and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.runner.gate import exit_codes
from clconform.selftest.mutation.comparing import GONE, compared
from clconform.selftest.mutation.mutants import DROPPED, NEGATED
from clconform.selftest.mutation.operators import NUMBER
from clconform.selftest.mutation.verdicts import KILLED, SURVIVED, Row, Written
from clconform.tools.errors import CommandError
from clconform.tools.mutating import read, told_against

if TYPE_CHECKING:
    from pathlib import Path

RECORD = "clF/CL_X/1"


def run(*rows: tuple[str, str], record: str = RECORD) -> Written:
    return Written([Row(record, operator, "module", "place", 7, "", status, "why") for operator, status in rows])


SOUND = run((DROPPED, KILLED), (NEGATED, KILLED), (NUMBER, SURVIVED))


def test_a_predicate_that_nobody_would_miss_any_more_is_lost() -> None:
    change, whole = compared(SOUND, run((DROPPED, SURVIVED), (NEGATED, KILLED), (NUMBER, SURVIVED)), [RECORD])
    assert change.lost == {DROPPED: SURVIVED}
    assert (whole.before[KILLED], whole.now[KILLED]) == (2, 1)


def test_a_predicate_that_is_gone_is_lost() -> None:
    assert compared(SOUND, run(), [RECORD])[0].lost == {DROPPED: GONE, NEGATED: GONE}


def test_other_changes_are_counted_only_and_records_without_a_difference_left_out() -> None:
    change, _ = compared(SOUND, run((DROPPED, KILLED), (NEGATED, KILLED), (NUMBER, KILLED), (NUMBER, KILLED)), [RECORD])
    assert not change.lost
    assert change.words() == "clF/CL_X/1: killed 2 -> 4, survived 1 -> 0"
    assert [each.record for each in compared(SOUND, SOUND, [RECORD])] == ["all"]


def test_records_that_are_not_asked_for_do_not_count() -> None:
    assert [each.record for each in compared(SOUND, run(), ["clG/CL_X/1"])] == ["all"]


@pytest.mark.parametrize(
    ("now", "code"),
    [
        (SOUND, exit_codes.AS_EXPECTED),
        (run((DROPPED, KILLED), (NEGATED, KILLED), (NUMBER, SURVIVED), (NUMBER, SURVIVED)), exit_codes.AS_EXPECTED),
        (run((DROPPED, KILLED), (NEGATED, SURVIVED)), exit_codes.DEVIATIONS),
    ],
)
def test_the_exit_code_hangs_on_whole_predicates_alone(
    now: Written, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told_against(SOUND, now, [RECORD]) == code
    assert ("negated: was killed, now: survived" in capsys.readouterr().out) == (code != exit_codes.AS_EXPECTED)


def test_what_is_no_earlier_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mutants.json"
    with pytest.raises(CommandError, match="there is no such file"):
        read(str(file))
    file.write_text('{"mutants": [{"record": 1}]}')
    with pytest.raises(CommandError, match="not an output of clconform mutate"):
        read(str(file))
