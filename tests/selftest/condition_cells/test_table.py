"""The committed tables: each condition has cells, each unnoticed cell has a reason, and sampled faults show again.

Revision 9a89dfee has neither of the tables: no item made a near miss or passed a derived object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.condition_rules import ABOUT_RESOURCES
from clconform.selftest.condition_cells.measuring import PLATFORMS, CellMeasurement
from clconform.selftest.condition_cells.reasons import CellReasons
from clconform.selftest.condition_cells.table import (
    CARRIED,
    NEAR,
    CellKey,
    decode_cells,
    encode_cells,
    load_committed_cells,
)
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition
from tests.case_sampling import one_in

from ..suite_items import collect_suite_items  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = 60
"""A run of the tests repeats one of this many noticed cells; ``.ci/night`` repeats others, drawn by a seed."""
TABLES = load_committed_cells()
CELLS = TABLES.cells
NOTICED = {key: cell for key, cell in CELLS.items() if cell.is_noticed}
CONDITIONS = [each for each in load().requirements.values() if isinstance(each, ErrorCondition)]
WITH_NUMBERS = {
    "clEnqueueReadBuffer/CL_INVALID_VALUE/1": ("offset", "size"),
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/2": ("src_origin[0]", "src_origin[1]", "src_origin[2]"),
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3": ("local_work_size[0]",),
    "clCreateImage/CL_INVALID_IMAGE_SIZE/1": ("image_desc[1]",),
}
"""Error conditions, each with operands whose near misses must be noticed."""
CARRIED_BY = {
    ("clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", "clone"),
    ("clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", "kernel of a linked program"),
    ("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3", "sub-device"),
    ("clEnqueueReadBuffer/CL_INVALID_OPERATION/1", "sub-buffer"),
    ("clEnqueueMapBuffer/CL_INVALID_OPERATION/1", "sub-buffer"),
    ("clEnqueueReadImage/CL_INVALID_OPERATION/2", "image of a buffer"),
    ("clCreateKernel/CL_INVALID_KERNEL_NAME/1", "linked program"),
    ("clEnqueueCopyBuffer/CL_INVALID_CONTEXT/1", "retained handle"),
}
"""Error conditions and carriers that must be noticed."""


@pytest.fixture(scope="module")
def measurement() -> Iterator[CellMeasurement]:
    found = CellMeasurement(load(), collect_suite_items())
    yield found
    found.close()


def test_tables_are_canonical_and_match_the_requirements() -> None:
    assert decode_cells(encode_cells(CELLS, TABLES.header)) == TABLES
    assert set(PLATFORMS) <= set(TOPOLOGIES)
    assert {key.condition for key in CELLS} <= set(load().requirements)


def test_every_error_condition_has_cells() -> None:
    near = {key.condition for key in CELLS if key.table == NEAR}
    assert [each.id for each in CONDITIONS if each.id not in near] == []
    reasons = CellReasons(load(), {})
    carried = {CellKey(CARRIED, each.id, carrier) for each in CONDITIONS for carrier in reasons.carriers_of(each)}
    assert {key for key in CELLS if key.table == CARRIED} == carried


def test_every_cell_is_noticed_or_has_a_reason_with_the_function_and_the_section_of_its_condition() -> None:
    for key, cell in CELLS.items():
        if cell.is_noticed:
            assert not cell.reason
            continue
        section = load().requirements[key.condition].section
        assert key.condition.split("/")[0] in cell.reason, key
        assert cell.reason.endswith(f"(section {section.number or section.title})"), key


def test_no_two_conditions_share_a_reason() -> None:
    """A reason names the function's test or the text of its condition, and so it belongs to one function."""
    users: dict[str, set[str]] = {}
    for key, cell in CELLS.items():
        if cell.reason:
            users.setdefault(cell.reason, set()).add(key.condition.split("/")[0])
    assert {reason: functions for reason, functions in users.items() if len(functions) > 1} == {}


def test_cells_without_a_deciding_argument_are_those_of_conditions_about_resources() -> None:
    resources = {each.id for each in CONDITIONS if each.condition.kind in ABOUT_RESOURCES}
    of_resources = {key for key in CELLS if key.condition in resources}
    assert {key.condition for key in of_resources if key.table == NEAR} == resources
    assert {key for key, cell in CELLS.items() if "no argument of" in cell.reason} == of_resources


def test_numbers_at_the_edge_of_conditions_have_near_misses() -> None:
    keys = {CellKey(NEAR, condition, name) for condition, names in WITH_NUMBERS.items() for name in names}
    assert keys <= set(NOTICED)


def test_conditions_are_carried_by_derived_objects() -> None:
    assert {CellKey(CARRIED, *each) for each in CARRIED_BY} <= set(NOTICED)


def test_sampled_noticed_faults_show_again(measurement: CellMeasurement) -> None:
    assert [key for key, cell in one_in(SHARE, NOTICED.items()) if not measurement.repeat(key, cell)] == []
