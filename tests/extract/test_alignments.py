"""Extraction of alignment rules and their units from error conditions."""

from __future__ import annotations

from typing import Any

import pytest

from clconform.spec_tables.requirements import AlignmentRule, Section
from clconform.tools.extract.alignments import extract_alignments, unit_in
from clconform.tools.extract.error_conditions import FoundCondition
from clconform.tools.extract.prototypes import function_from_prototype, parse_prototypes

PROTOTYPE = """cl_int clUse(cl_mem buffer, size_t offset, size_t size, size_t row_pitch, size_t slice_pitch,
    const void* pattern, size_t pattern_size, cl_uint alignment);"""
FUNCTIONS = {"clUse": function_from_prototype(parse_prototypes(PROTOTYPE)[0], "T", Section("", ""))}
UNITS = {"CL_DEVICE_BASE_ALIGN": "bits"}


def read_rules(text: str) -> list[Any]:
    clause = FoundCondition(("clUse",), "CL_INVALID_VALUE", text, Section("", ""), ())
    return [draft.requirement for draft in extract_alignments(clause, FUNCTIONS, "T", UNITS)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "CL_INVALID_VALUE if offset is not a multiple of pattern_size.",
            [("offset", "multiple-of", "pattern_size", "bytes", (), False)],
        ),
        (
            "CL_INVALID_VALUE if offset and size are not a multiple of pattern_size.",
            [
                ("offset", "multiple-of", "pattern_size", "bytes", (), False),
                ("size", "multiple-of", "pattern_size", "bytes", (), False),
            ],
        ),
        (
            "CL_INVALID_VALUE if slice_pitch is not 0 and is less than x or not a multiple of row_pitch.",
            [("slice_pitch", "multiple-of", "row_pitch", "bytes", (), True)],
        ),
        (
            "CL_MISALIGNED if the sub-buffer's origin is not aligned to CL_DEVICE_BASE_ALIGN value.",
            [("origin", "multiple-of", "CL_DEVICE_BASE_ALIGN", "bits", (), False)],
        ),
        (
            "CL_INVALID_VALUE if alignment is not zero or a power of two.",
            [("alignment", "power-of-two", "", "bytes", (), True)],
        ),
        (
            "CL_INVALID_VALUE if pattern is NULL or if pattern_size is not one of {1, 2, 4}.",
            [("pattern_size", "one-of", "", "bytes", (1, 2, 4), False)],
        ),
        ("CL_INVALID_VALUE if the moon is not a multiple of cheese.", []),
        ("CL_INVALID_VALUE if pattern is NULL.", []),
    ],
)
def test_condition_on_multiples_yields_alignment_rules(text: str, facts: list[tuple[Any, ...]]) -> None:
    assert [(r.subject, r.relation, r.of, r.unit, r.values, r.zero) for r in read_rules(text)] == facts


def test_alignment_rule_allows_zero_if_zero_stands_for_a_default() -> None:
    clause = FoundCondition(("clUse",), "NULL", "alignment is not a power of two.", Section("", ""), ())
    for defaults, zero in ((frozenset({("clUse", "alignment")}), True), (frozenset({("clOther", "alignment")}), False)):
        (draft,) = extract_alignments(clause, FUNCTIONS, "T", {}, defaults)
        assert isinstance(draft.requirement, AlignmentRule)
        assert draft.requirement.zero == zero


def test_alignment_rule_joined_to_smaller_size_by_and_applies_only_below_this_size() -> None:
    less = "slice_pitch is not 0 and is less than size[1] \N{MULTIPLICATION SIGN} row_pitch"
    for word, below in (("and", ("size[1]", "row_pitch")), ("or", ())):
        (rule,) = read_rules(f"CL_INVALID_VALUE if {less} {word} not a multiple of row_pitch.")
        assert rule.below == below


def test_units_of_alignments_are_read_from_query_descriptions() -> None:
    assert unit_in(("Alignment requirement (in bits) for offsets.",)) == "bits"
    assert unit_in(("The pitch in pixels.",)) == "pixels"
    assert unit_in(("How many there are.",)) == ""
