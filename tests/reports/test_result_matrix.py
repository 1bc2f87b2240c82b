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
from clconform.reports.result_consistency import load_result
from clconform.reports.result_matrix import ResultMatrix, agreement_texts, make_matrix, status_difference
from clconform.tools.cli import cli

from . import fabricated_journals, schemas

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.result_matrix import Difference
    from clconform.reports.run_result import RunResult
    from clconform.reports.status_policy import Status

DEVIATION, CRASH = "577c2a37", "039f9388"


def create_result(*, name: str = "", hostile: bool = False) -> RunResult:
    """Return a result with a crash, a deviation and a flaky deviation. ``name``: the name of the platform."""
    made = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines(hostile=hostile)), "j"),
        fabricated_journals.create_tables(),
    )
    assert made.platform is not None
    return msgspec.structs.replace(made, platform=msgspec.structs.replace(made.platform, name=name)) if name else made


def remove_deviations(of: RunResult, *deviations: str, access: str = "loader") -> RunResult:
    """Return the result ``of`` without ``deviations``; their requirements conform."""
    kept = [deviation for deviation in of.deviations if deviation.id not in deviations]
    requirements = [
        msgspec.structs.replace(requirement, status="conforms", deviations=[])
        if set(requirement.deviations) & set(deviations)
        else requirement
        for requirement in of.requirements
    ]
    assert of.platform is not None
    platform = msgspec.structs.replace(of.platform, access=access)
    return msgspec.structs.replace(of, deviations=kept, requirements=requirements, platform=platform)


@pytest.mark.parametrize(
    ("statuses", "difference"),
    [
        (["conforms", "deviates"], "verdicts"),
        (["deviates", "crashes"], "verdicts"),
        (["conforms", "not-applicable", "flaky"], "verdicts"),
        (["deviates", "deviates"], "deviations"),
        (["not-run", "hangs"], "deviations"),
        (["conforms", "not-applicable"], "scope"),
        (["not-covered", "untestable"], "scope"),
        (["conforms", "conforms"], "none"),
        (["not-covered", "not-covered"], "none"),
        (["inconclusive", "conforms"], "verdicts"),
    ],
)
def test_row_has_the_expected_kind_of_difference(statuses: list[Status], difference: Difference) -> None:
    assert status_difference(statuses) == difference


def test_matrix_contains_every_requirement_with_differences_first() -> None:
    one = create_result(name="one")
    matrix = make_matrix([one, remove_deviations(create_result(name="two"), DEVIATION)])
    assert [column.name for column in matrix.platforms] == ["one", "two"]
    assert matrix.requirements[0].id == fabricated_journals.CRASHED
    assert matrix.requirements[0].statuses == ["deviates", "conforms"]
    assert matrix.requirements[0].deviations == [[DEVIATION], []]
    assert {row.id for row in matrix.requirements} == {requirement.id for requirement in one.requirements}
    assert matrix.counts() == {"verdicts": 1, "deviations": 3, "scope": 0, "none": 7}


def test_requirement_missing_in_one_result_has_status_not_run() -> None:
    less = create_result(name="less")
    less = msgspec.structs.replace(less, requirements=less.requirements[:2])
    matrix = make_matrix([less, create_result(name="whole")])
    row = next(row for row in matrix.requirements if row.id == f"{fabricated_journals.SUB}/success")
    assert row.statuses == ["not-run", "conforms"]
    assert row.condition == "The scheme is carried out."


def test_deviation_lists_platforms_that_show_it_and_that_tested_it() -> None:
    matrix = make_matrix([create_result(), remove_deviations(create_result(), DEVIATION), create_result()])
    found = {deviation.id: deviation for deviation in matrix.deviations}
    assert found[DEVIATION].platforms == [0, 2]
    assert found[DEVIATION].tested == [0, 1, 2]
    assert found[DEVIATION].other_deviations == []
    assert found[CRASH].platforms == [0, 1, 2]
    assert matrix.deviations[0].id == CRASH, "the worst first"


def test_agreement_text_exists_only_for_deviations_of_the_platform() -> None:
    matrix = make_matrix([create_result(), remove_deviations(create_result(), DEVIATION), create_result()])
    assert agreement_texts(matrix, 0)[DEVIATION] == "The same on 1 of 2 other platforms"
    assert DEVIATION not in agreement_texts(matrix, 1)
    assert agreement_texts(make_matrix([create_result()]), 0) == {}, "nobody else was asked"


def test_drivers_with_different_deviations_do_not_agree() -> None:
    other = create_result()
    changed = [
        msgspec.structs.replace(deviation, id="aaaaaaaa", observed="CL_INVALID_DEVICE")
        if deviation.id == DEVIATION
        else deviation
        for deviation in other.deviations
    ]
    matrix = make_matrix([create_result(), msgspec.structs.replace(other, deviations=changed)])
    found = {deviation.id: deviation for deviation in matrix.deviations}
    assert (found[DEVIATION].platforms, found[DEVIATION].other_deviations) == ([0], [1])
    assert not found[DEVIATION].to_review


def test_deviation_of_all_tested_drivers_is_marked_for_review() -> None:
    alike = make_matrix([create_result(), create_result()])
    assert fabricated_journals.CRASHED in [row.id for row in alike.requirements_to_review]
    assert "clReleaseDevice/success" not in [row.id for row in alike.requirements_to_review], (
        "a flaky deviation proves nothing"
    )
    assert make_matrix([create_result()]).requirements_to_review == [], "one driver is no consensus"
    assert fabricated_journals.CRASHED not in [
        row.id
        for row in make_matrix([create_result(), remove_deviations(create_result(), DEVIATION)]).requirements_to_review
    ]
    simulated = remove_deviations(create_result(), DEVIATION, CRASH, access="simulated")
    beside = make_matrix([create_result(), create_result(), simulated])
    assert fabricated_journals.CRASHED in [row.id for row in beside.requirements_to_review], (
        "the model itself is no driver"
    )


def test_deviation_with_other_values_or_verdicts_is_not_marked_for_review() -> None:
    for changes in ({"observed": "CL_OUT_OF_RESOURCES"}, {"verdict": "crashes"}):
        other = create_result()
        deviations = [
            msgspec.structs.replace(deviation, **changes) if deviation.id == DEVIATION else deviation
            for deviation in other.deviations
        ]
        matrix = make_matrix([create_result(), msgspec.structs.replace(other, deviations=deviations)])
        (found,) = (deviation for deviation in matrix.deviations if deviation.id == DEVIATION)
        assert found.platforms == [0, 1]
        assert not found.to_review


def test_platforms_with_equal_names_get_unique_labels() -> None:
    labels = platform_labels(
        make_matrix([create_result(), create_result(), create_result(name="3.1"), create_result()]).platforms
    )
    assert labels == [
        "Portable Computing Language 3.1",
        "Portable Computing Language 3.1 (2)",
        "3.1",
        "Portable Computing Language 3.1 (3)",
    ]


def test_terminal_output_of_matrix_shows_differences_and_escapes_text() -> None:
    stream = StringIO()
    matrix = make_matrix([create_result(hostile=True), remove_deviations(create_result(), DEVIATION)])
    print_matrix(matrix, Console(file=stream, width=120, force_terminal=False))
    shown = stream.getvalue()
    assert "11 requirements: the tested platforms differ on 1" in shown
    assert "clCreateSubDevices/CL_INVALID_VALUE/1" in shown
    assert all(character.isprintable() or character == "\n" for character in shown)


def test_matrix_matches_the_published_schema() -> None:
    schemas.validated(encode_document(make_matrix([create_result(hostile=True), create_result()])), "matrix")


def test_report_command_accepts_several_journals_results_and_folders(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    fabricated_journals.write_journal(folder / "journal.jsonl")
    journal = fabricated_journals.write_journal(tmp_path / "other.jsonl")
    (tmp_path / "result.json").write_text(encode_document(create_result(name="third")), encoding="utf-8")
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
    assert load_result(out / "platform-3.json").platform == create_result(name="third").platform
