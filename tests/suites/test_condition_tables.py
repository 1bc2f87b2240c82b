"""No error condition is without near misses and without calls through derived objects, unless there is a reason.

Revision 9a89dfee has neither of the tables: no item made a near miss or passed a derived object.
"""

from __future__ import annotations

import pytest

from ..condition_tables import (  # noqa: TID252 (tests are no part of the installed package)
    MAX_SHOWN,
    Row,
    carried_rows,
    error_conditions,
    near_miss_rows,
    unnoticed,
    write_page,
)

WITH_NUMBERS = {
    "clEnqueueReadBuffer/CL_INVALID_VALUE/1": ("offset", "size"),
    "clEnqueueCopyBufferRect/CL_INVALID_VALUE/2": ("src_origin[0]", "src_origin[1]", "src_origin[2]"),
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3": ("local_work_size[0]",),
    "clCreateImage/CL_INVALID_IMAGE_SIZE/1": ("image_desc[1]",),
}
"""Error conditions, each with operands that must have near misses other than the valid call."""
CARRIED = {
    ("clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", "clone"),
    ("clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", "kernel of a linked program"),
    ("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3", "sub-device"),
    ("clEnqueueReadBuffer/CL_INVALID_OPERATION/1", "sub-buffer"),
    ("clEnqueueMapBuffer/CL_INVALID_OPERATION/1", "sub-buffer"),
    ("clEnqueueReadImage/CL_INVALID_OPERATION/2", "image of a buffer"),
    ("clCreateKernel/CL_INVALID_KERNEL_NAME/1", "linked program"),
    ("clEnqueueCopyBuffer/CL_INVALID_CONTEXT/1", "retained handle"),
}
"""Error conditions and carriers that must have a call."""


@pytest.fixture(scope="module")
def near_misses() -> list[Row]:
    return near_miss_rows()


@pytest.fixture(scope="module")
def carried() -> list[Row]:
    return carried_rows()


def test_every_error_condition_has_a_near_miss_or_a_reason(near_misses: list[Row]) -> None:
    assert not unnoticed(near_misses)
    assert {row.clause for row in near_misses} == {clause.id for clause in error_conditions()}


def test_numbers_at_the_edge_of_conditions_have_near_misses(near_misses: list[Row]) -> None:
    found = {(row.clause, row.subject) for row in near_misses if set(row.calls) - {"the valid call"}}
    missing = {(clause, name) for clause, names in WITH_NUMBERS.items() for name in names} - found
    assert not missing


def test_every_carried_condition_has_a_call_or_a_reason(carried: list[Row]) -> None:
    assert not unnoticed(carried)


def test_conditions_are_carried_by_derived_objects(carried: list[Row]) -> None:
    assert {(row.clause, row.subject) for row in carried if row.calls} >= CARRIED


def test_page_shows_a_limited_number_of_calls() -> None:
    page = write_page("Title", "operand", [Row("f/CODE/1", "size", ("a", "b", "c", "d"))])
    assert f"| f/CODE/1 | size | a; b; c (of {MAX_SHOWN + 1}) |" in page
