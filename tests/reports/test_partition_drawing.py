"""The tree of sub-devices: the position of each split, and the compute units of each sub-device."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.partitions import DeviceSplit, PartitionLine, PartitionStep
from clconform.reports.call_formatting import ValueNames
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.partition_drawing import LABEL_WIDTH, MAX_ROWS, UNITS_WIDTH, collect_splits, draw_trees
from clconform.reports.result_builder import assemble_result

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.reports.partition_drawing import PartitionTree
    from clconform.reports.run_result import RunResult

EQUALLY, COUNTS, SUB = 0x1086, 0x1087, "clCreateSubDevices"
HALVES = DeviceSplit("device1", [], SUB, [EQUALLY, 2, 0], "CL_SUCCESS", [2, 2])


def split_below(number: int, *scheme: int, units: list[int]) -> DeviceSplit:
    return DeviceSplit("device1", [PartitionStep(HALVES.scheme, number)], SUB, list(scheme), "CL_SUCCESS", units)


def create_result(*splits: DeviceSplit) -> RunResult:
    lines = fabricated_journals.journal_lines()
    lines.insert(3, PartitionLine("partition.equally::test_room[0]", list(splits)))
    return assemble_result(
        parse_journal(fabricated_journals.encode_journal(lines), "j"), fabricated_journals.create_tables()
    )


def draw_tree(*splits: DeviceSplit) -> PartitionTree:
    tables = fabricated_journals.create_tables()
    (drawn,) = draw_trees(list(splits), create_result().platform, tables, ValueNames(tables))
    return drawn


def test_sub_devices_are_drawn_side_by_side_with_width_of_their_units() -> None:
    drawn = draw_tree(DeviceSplit("device1", [], SUB, [COUNTS, 1, 3, 0, 0], "CL_SUCCESS", [1, 3]))
    (row,) = drawn.rows
    assert (drawn.title, drawn.units) == ("device1 · cpu-haswell-AMD EPYC", 4)
    assert row.label == "BY_COUNTS, 1, 3, 0"
    assert [(box.x, round(box.width) + 2) for box in row.boxes] == [
        (LABEL_WIDTH, UNITS_WIDTH / 4),
        (LABEL_WIDTH + UNITS_WIDTH / 4, UNITS_WIDTH * 3 / 4),
    ]
    assert [box.label for box in row.boxes] == ["1", "3"]


def test_split_of_sub_device_is_drawn_below_the_sub_device() -> None:
    other = DeviceSplit("device1", [], SUB, [EQUALLY, 4, 0], "CL_SUCCESS", [4])
    drawn = draw_tree(split_below(1, EQUALLY, 1, 0, units=[1, 1]), other, HALVES)
    assert [(row.label, row.indent > 0) for row in drawn.rows] == [
        ("EQUALLY, 2", False),
        ("sub-device 2: EQUALLY, 1", True),
        ("EQUALLY, 4", False),
    ]
    halves, quarters = drawn.rows[0].boxes, drawn.rows[1].boxes
    assert quarters[0].x == halves[1].x
    assert quarters[1].x + quarters[1].width <= halves[1].x + halves[1].width


def test_compute_units_that_were_not_queried_are_shown_as_unknown() -> None:
    (row,) = draw_tree(DeviceSplit("device1", [], SUB, [EQUALLY, 2, 0], "CL_SUCCESS", [2, 0])).rows
    assert [box.label for box in row.boxes] == ["2", ""]
    assert row.description == "EQUALLY, 2: units 2, ?"
    assert "not queried" in row.boxes[1].description


def test_split_into_more_units_than_its_parent_has_is_marked() -> None:
    assert [
        row.exceeds_parent
        for row in draw_tree(HALVES, DeviceSplit("device1", [], SUB, [COUNTS, 9, 0], "CL_SUCCESS", [9])).rows
    ] == [
        False,
        True,
    ]


def test_rejected_splits_are_listed_once_and_excess_rows_are_counted() -> None:
    refusal = DeviceSplit("device1", [], SUB, [EQUALLY, 9, 0], "CL_DEVICE_PARTITION_FAILED", [])
    drawn = draw_tree(refusal, refusal)
    assert [(each.scheme, each.observed) for each in drawn.rejected] == [("EQUALLY, 9", "CL_DEVICE_PARTITION_FAILED")]
    many = draw_tree(
        *(DeviceSplit("device1", [], SUB, [EQUALLY, number, 0], "CL_SUCCESS", [1]) for number in range(MAX_ROWS + 3))
    )
    assert (len(many.rows), many.more) == (MAX_ROWS, 3)


def test_unknown_compute_units_are_filled_in_from_another_item() -> None:
    unknown = msgspec.structs.replace(HALVES, units=[0, 0])
    assert collect_splits([PartitionLine("a", [unknown]), PartitionLine("b", [HALVES])]) == [HALVES]


def test_result_and_page_contain_the_splits_of_the_journal() -> None:
    made = create_result(HALVES)
    assert json.loads(encode_document(made))["partitions"][0]["units"] == [2, 2]
    page = render_report(made, fabricated_journals.create_tables())
    assert "EQUALLY, 2: units 2, 2" in page
    assert "1 schemes accepted" in page
