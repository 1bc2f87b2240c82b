"""The table of alignment rules: its requirements, their order, and the test values that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from clconform.reports.alignment_rules_table import MAX_VALUES_SHOWN, alignment_rules
from clconform.reports.journal_reader import parse_journal
from clconform.reports.result_builder import assemble_result
from clconform.reports.run_result import RequirementResult

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.reports.status_policy import Status


def create_result(
    name: str, status: Status, *, kind: str = "error-clause", test_values: list[str] | None = None
) -> RequirementResult:
    return RequirementResult(name, kind, "d", "5.2.1", status, 3, "5.2", title="Title", test_values=test_values or [])


def test_alignment_rules_are_listed_worst_first() -> None:
    rules = alignment_rules(
        [
            create_result("f/alignment/1", "conforms", kind="alignment-rule"),
            create_result("f/CL_INVALID_VALUE/1", "deviates"),
            create_result("f/CL_MISALIGNED_SUB_BUFFER_OFFSET/1", "deviates"),
            create_result("CL_DEVICE_MEM_BASE_ADDR_ALIGN", "conforms", kind="query"),
            create_result("g/alignment/1", "not-applicable", kind="alignment-rule"),
        ],
        [],
    )
    assert [rule.requirement for rule in rules] == [
        "f/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
        "f/alignment/1",
        "CL_DEVICE_MEM_BASE_ADDR_ALIGN",
    ]
    assert rules[0].where == "5.2.1 Title"


def test_alignment_rule_counts_test_values_beyond_the_limit_of_the_list() -> None:
    alone = [f"origin={number}" for number in range(MAX_VALUES_SHOWN + 3)]
    (rule,) = alignment_rules(
        [create_result("f/alignment/1", "conforms", test_values=["origin=1 and size=0", *alone])], []
    )
    assert rule.test_values == alone[:MAX_VALUES_SHOWN]
    assert rule.more == 4
    (beside,) = alignment_rules([create_result("f/alignment/1", "conforms", test_values=["origin=1 and size=0"])], [])
    assert (beside.test_values, beside.more) == (["origin=1 and size=0"], 0)


def test_observed_outcomes_of_a_rule_start_with_those_of_its_deviations() -> None:
    made = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"),
        fabricated_journals.create_tables(),
    )
    wrong = next(each for each in made.requirements if each.id == fabricated_journals.CRASHED)
    named = msgspec.structs.replace(wrong, id="f/alignment/1", observed=["CL_INVALID_VALUE"])
    (rule,) = alignment_rules([named], made.deviations)
    assert rule.observed == ["CL_SUCCESS", "CL_INVALID_VALUE"]
