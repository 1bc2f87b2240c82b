"""Several results side by side: differences, agreement, and requirements to review."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner
from rich.console import Console

from clconform.reports.html_matrix import platform_labels
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.matrix_text import print_matrix
from clconform.reports.result_builder import assemble_result
from clconform.reports.result_matrix import ResultMatrix, agreement_texts, make_matrix, status_difference
from clconform.reports.run_result import load_result
from clconform.tools.cli import cli

from . import fabricated, schemas

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.result_matrix import Difference
    from clconform.reports.run_result import RunResult, Status

DEVIATION, CRASH = "577c2a37", "039f9388"


def result(*, name: str = "", hostile: bool = False) -> RunResult:
    """Return the result of a driver of that name, with a crash, a deviation and a flaky result."""
    made = assemble_result(
        parse_journal(fabricated.content(fabricated.lines(hostile=hostile)), "j"), fabricated.tables()
    )
    assert made.platform is not None
    return msgspec.structs.replace(made, platform=msgspec.structs.replace(made.platform, name=name)) if name else made


def without(of: RunResult, *deviations: str, access: str = "loader") -> RunResult:
    """Return the result without these deviations; their requirements conform."""
    kept = [deviation for deviation in of.deviations if deviation.id not in deviations]
    records = [
        msgspec.structs.replace(record, status="conforms", deviations=[])
        if set(record.deviations) & set(deviations)
        else record
        for record in of.records
    ]
    assert of.platform is not None
    platform = msgspec.structs.replace(of.platform, access=access)
    return msgspec.structs.replace(of, deviations=kept, records=records, platform=platform)


@pytest.mark.parametrize(
    ("statuses", "difference"),
    [
        (["conforms", "deviates"], "verdicts"),
        (["deviates", "crashes"], "verdicts"),
        (["conforms", "not-applicable", "flaky"], "verdicts"),
        (["deviates", "deviates"], "deviations"),
        (["not-run", "hangs"], "deviations"),
        (["conforms", "not-applicable"], "scope"),
        (["not-provoked", "untestable"], "scope"),
        (["conforms", "conforms"], "none"),
        (["not-provoked", "not-provoked"], "none"),
        (["inconclusive", "conforms"], "verdicts"),
    ],
)
def test_what_a_row_has_to_tell(statuses: list[Status], difference: Difference) -> None:
    assert status_difference(statuses) == difference


def test_differences_come_first_and_every_record_has_its_row() -> None:
    one = result(name="one")
    matrix = make_matrix([one, without(result(name="two"), DEVIATION)])
    assert [column.name for column in matrix.platforms] == ["one", "two"]
    assert matrix.records[0].id == fabricated.CRASHED
    assert matrix.records[0].statuses == ["deviates", "conforms"]
    assert matrix.records[0].deviations == [[DEVIATION], []]
    assert {row.id for row in matrix.records} == {record.id for record in one.records}
    assert matrix.counts() == {"verdicts": 1, "deviations": 3, "scope": 0, "none": 7}


def test_a_record_that_one_result_does_not_have_was_not_run_there() -> None:
    less = result(name="less")
    less = msgspec.structs.replace(less, records=less.records[:2])
    matrix = make_matrix([less, result(name="whole")])
    row = next(row for row in matrix.records if row.id == f"{fabricated.SUB}/success")
    assert row.statuses == ["not-run", "conforms"]
    assert row.condition == "The scheme is carried out."


def test_each_deviation_has_who_agrees() -> None:
    matrix = make_matrix([result(), without(result(), DEVIATION), result()])
    found = {deviation.id: deviation for deviation in matrix.deviations}
    assert found[DEVIATION].platforms == [0, 2]
    assert found[DEVIATION].asked == [0, 1, 2]
    assert found[DEVIATION].other_ways == []
    assert found[CRASH].platforms == [0, 1, 2]
    assert matrix.deviations[0].id == CRASH, "the worst first"


def test_agreement_is_told_of_what_a_platform_shows_itself() -> None:
    matrix = make_matrix([result(), without(result(), DEVIATION), result()])
    assert agreement_texts(matrix, 0)[DEVIATION] == "The same on 1 of 2 other platforms"
    assert DEVIATION not in agreement_texts(matrix, 1)
    assert agreement_texts(make_matrix([result()]), 0) == {}, "nobody else was asked"


def test_another_deviation_on_the_same_record_is_no_agreement() -> None:
    other = result()
    changed = [
        msgspec.structs.replace(deviation, id="aaaaaaaa", observed="CL_INVALID_DEVICE")
        if deviation.id == DEVIATION
        else deviation
        for deviation in other.deviations
    ]
    matrix = make_matrix([result(), msgspec.structs.replace(other, deviations=changed)])
    found = {deviation.id: deviation for deviation in matrix.deviations}
    assert (found[DEVIATION].platforms, found[DEVIATION].other_ways) == ([0], [1])
    assert not found[DEVIATION].second_reading


def test_what_every_driver_does_in_the_same_way_is_for_a_second_reading() -> None:
    alike = make_matrix([result(), result()])
    assert fabricated.CRASHED in [row.id for row in alike.requirements_to_review]
    assert "clReleaseDevice/success" not in [row.id for row in alike.requirements_to_review], (
        "a flaky answer proves nothing"
    )
    assert make_matrix([result()]).requirements_to_review == [], "one driver is no consensus"
    assert fabricated.CRASHED not in [
        row.id for row in make_matrix([result(), without(result(), DEVIATION)]).requirements_to_review
    ]
    simulated = without(result(), DEVIATION, CRASH, access="simulated")
    beside = make_matrix([result(), result(), simulated])
    assert fabricated.CRASHED in [row.id for row in beside.requirements_to_review], "the model itself is no driver"


def test_platforms_have_names_of_their_own() -> None:
    labels = platform_labels(make_matrix([result(), result(), result(name="3.1"), result()]).platforms)
    assert labels == [
        "Portable Computing Language 3.1",
        "Portable Computing Language 3.1 (2)",
        "3.1",
        "Portable Computing Language 3.1 (3)",
    ]


def test_the_terminal_shows_who_agrees_and_nothing_hostile() -> None:
    stream = StringIO()
    matrix = make_matrix([result(hostile=True), without(result(), DEVIATION)])
    print_matrix(matrix, Console(file=stream, width=120, force_terminal=False))
    shown = stream.getvalue()
    assert "11 requirements: the tested platforms differ on 1" in shown
    assert "clCreateSubDevices/CL_INVALID_VALUE/1" in shown
    assert all(character.isprintable() or character == "\n" for character in shown)


def test_what_is_written_keeps_to_the_published_schema() -> None:
    schemas.valid(encode_document(make_matrix([result(hostile=True), result()])), "matrix")


def test_the_command_takes_journals_results_and_folders(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    fabricated.write_journal(folder / "journal.jsonl")
    journal = fabricated.write_journal(tmp_path / "other.jsonl")
    (tmp_path / "result.json").write_text(encode_document(result(name="third")), encoding="utf-8")
    out = tmp_path / "out"
    given = [str(folder), str(journal), str(tmp_path / "result.json")]
    done = CliRunner().invoke(cli, ["report", *given, "--out", str(out)], standalone_mode=False)
    assert done.exception is None, done.output
    matrix = msgspec.json.decode((out / "matrix.json").read_bytes(), type=ResultMatrix)
    assert len(matrix.platforms) == 3
    assert "3 platforms side by side" in (out / "matrix.html").read_text(encoding="utf-8")
    assert str(out / "matrix.html") in done.output.replace("\n", "")
    page = (out / "platform-2.html").read_text(encoding="utf-8")
    assert "The same on 2 of 2 other platforms" in page
    assert f"clconform replay platform-2.json {DEVIATION}" in page
    assert load_result(out / "platform-3.json").platform == result(name="third").platform
