"""The table of alignment rules: its requirements, their order, and the test values that it names."""

from __future__ import annotations

import msgspec

from clconform.reports.alignment_rules_table import MAX_VALUES_SHOWN, alignment_rules
from clconform.reports.journal_reader import parse_journal
from clconform.reports.result_builder import assemble_result
from clconform.reports.run_result import RequirementResult, Status

from . import fabricated


def record(
    name: str, status: Status, *, kind: str = "error-clause", boundaries: list[str] | None = None
) -> RequirementResult:
    return RequirementResult(name, kind, "d", "5.2.1", status, 3, "5.2", title="Title", boundaries=boundaries or [])


def test_rules_of_that_kind_and_what_is_named_after_it_the_worst_first() -> None:
    rules = alignment_rules(
        [
            record("f/alignment/1", "conforms", kind="alignment-rule"),
            record("f/CL_INVALID_VALUE/1", "deviates"),
            record("f/CL_MISALIGNED_SUB_BUFFER_OFFSET/1", "deviates"),
            record("CL_DEVICE_MEM_BASE_ADDR_ALIGN", "conforms", kind="query"),
            record("g/alignment/1", "not-applicable", kind="alignment-rule"),
        ],
        [],
    )
    assert [rule.requirement for rule in rules] == [
        "f/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
        "f/alignment/1",
        "CL_DEVICE_MEM_BASE_ADDR_ALIGN",
    ]
    assert rules[0].where == "5.2.1 Title"


def test_boundaries_tried_alone_are_named_and_the_others_counted() -> None:
    alone = [f"origin={number}" for number in range(MAX_VALUES_SHOWN + 3)]
    (rule,) = alignment_rules([record("f/alignment/1", "conforms", boundaries=["origin=1 and size=0", *alone])], [])
    assert rule.test_values == alone[:MAX_VALUES_SHOWN]
    assert rule.more == 4
    (beside,) = alignment_rules([record("f/alignment/1", "conforms", boundaries=["origin=1 and size=0"])], [])
    assert (beside.test_values, beside.more) == (["origin=1 and size=0"], 0)


def test_what_was_wrong_comes_first_of_what_was_seen() -> None:
    made = assemble_result(parse_journal(fabricated.content(fabricated.lines()), "j"), fabricated.tables())
    wrong = next(each for each in made.records if each.id == fabricated.CRASHED)
    named = msgspec.structs.replace(wrong, id="f/alignment/1", observed=["CL_INVALID_VALUE"])
    (rule,) = alignment_rules([named], made.deviations)
    assert rule.observed == ["CL_SUCCESS", "CL_INVALID_VALUE"]
