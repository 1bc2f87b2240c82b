"""The committed table: each unnoticed wrong answer has a reason, and each noticed one shows again in its item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.selftest.wrong_answers.answer_classes import ANSWER_CLASSES
from clconform.selftest.wrong_answers.measuring import PLATFORMS, TableMeasurement
from clconform.selftest.wrong_answers.reasons import find_reason, load_reasons
from clconform.selftest.wrong_answers.table import decode_table, encode_table, load_committed_table
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Query
from tests.case_sampling import one_in

from ..suite_items import collect_suite_items  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = 150
"""A run of the tests repeats one of this many noticed cells; ``.ci/night`` repeats others, drawn by a seed."""
UNANSWERED = ("CL_PROGRAM_BINARIES", "_GL_", "_D3D1", "_DX9_")
"""Parts of the names of queries without a row: a list of pointers, and objects of other interfaces."""
TABLE = load_committed_table()
CELLS = [(subject, wrong) for subject, cells in TABLE.subjects.items() for wrong in cells]


@pytest.fixture(scope="module")
def measurement() -> Iterator[TableMeasurement]:
    found = TableMeasurement(load(), collect_suite_items())
    yield found
    found.close()


def test_table_is_canonical_and_matches_the_tables() -> None:
    assert decode_table(encode_table(TABLE.subjects, TABLE.header)) == TABLE
    assert set(PLATFORMS) <= set(TOPOLOGIES)
    known = TableMeasurement(load(), []).list_subjects(())
    assert set(TABLE.subjects) <= set(known)
    assert {wrong for _, wrong in CELLS} == set(ANSWER_CLASSES)


def test_table_has_a_row_for_each_query_that_a_platform_answers(measurement: TableMeasurement) -> None:
    queries = [each for each in load().requirements.values() if isinstance(each, Query)]
    answered = [each.name for each in queries if measurement.is_applicable(each.id)]
    missing = [name for name in answered if name not in TABLE.subjects]
    assert [name for name in missing if not any(part in name for part in UNANSWERED)] == []


def test_every_unnoticed_wrong_answer_has_a_reason() -> None:
    """On revision 9a89dfee, CL_PROGRAM_SOURCE of a program from a binary was unnoticed, and no reason left it open."""
    unexplained = [
        f"{subject}, {wrong}, {kind}"
        for subject, wrong in CELLS
        for kind in TABLE.subjects[subject][wrong].unnoticed
        if find_reason(subject, wrong, kind) is None
    ]
    assert unexplained == []


def test_every_cell_is_noticed_or_explained() -> None:
    empty = [
        f"{subject}, {wrong}"
        for subject, wrong in CELLS
        if not (cell := TABLE.subjects[subject][wrong]).noticed and not cell.unnoticed and not cell.without
    ]
    assert empty == []


def test_reasons_cite_sections_of_the_documents() -> None:
    cited = [requirement.section for requirement in load().requirements.values()]
    sections = {section.number or section.title for section in cited}
    reasons = load_reasons()
    assert [reason.text for reason in reasons if reason.section not in sections] == []
    assert {reason.interpretation for reason in reasons if reason.interpretation} <= set(INTERPRETATIONS)


def test_every_reason_explains_a_cell() -> None:
    used = {
        find_reason(subject, wrong, kind)
        for subject, wrong in CELLS
        for kind in TABLE.subjects[subject][wrong].unnoticed
    }
    assert [reason.text for reason in load_reasons() if reason not in used] == []


def test_sampled_noticed_cells_show_again(measurement: TableMeasurement) -> None:
    noticed = [(subject, wrong) for subject, wrong in CELLS if TABLE.subjects[subject][wrong].noticed]
    missed = [
        f"{subject}, {wrong}"
        for subject, wrong in one_in(SHARE, noticed)
        if not measurement.repeat(subject, wrong, TABLE.subjects[subject][wrong])
    ]
    assert missed == []
