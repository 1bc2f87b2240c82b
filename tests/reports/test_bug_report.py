"""The bug report about a deviation is complete, and driver text cannot break its Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from msgspec.structs import replace

from clconform.reports.bug_report import HEADINGS, Project, format_bug_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.result_builder import assemble_result
from clconform.reports.specification_links import PAGES, specification_url

from . import fabricated_journals
from .rendered_markdown import parse_markdown

if TYPE_CHECKING:
    from clconform.reports.run_result import RunResult

TABLES = fabricated_journals.create_tables()


def create_result(*, hostile: bool = False) -> RunResult:
    lines = fabricated_journals.journal_lines(hostile=hostile)
    return assemble_result(parse_journal(fabricated_journals.encode_journal(lines), "j"), TABLES)


@pytest.mark.parametrize("project", get_args(Project))
def test_report_has_requirement_calls_program_versions_and_commands(project: Project) -> None:
    result = create_result()
    deviation = next(each for each in result.deviations if each.id == "577c2a37")
    text = format_bug_report(deviation, result, TABLES, project=project, environment="OCL_ICD_VENDORS=x ")
    page = parse_markdown(text)
    assert set(HEADINGS[project]) <= set(page.headings)
    assert page.headings[0] == "clCreateSubDevices: CL_SUCCESS, not CL_INVALID_VALUE"
    for part in (
        "num_devices is less than the number of sub-devices",
        "only incorrect programs are affected",
        "clCreateSubDevices(device1",
        "int main(",
        "cc 577c2a37.c -o 577c2a37 -lOpenCL",
        "OCL_ICD_VENDORS=x ./577c2a37",
        "Portable Computing Language",
    ):
        assert part in text, part


def test_hostile_text_of_driver_does_not_become_markup() -> None:
    result = create_result(hostile=True)
    for deviation in result.deviations:
        text = format_bug_report(deviation, result, TABLES, project="generic", environment="")
        page = parse_markdown(text)
        assert page.html == page.links == []
        assert all(character.isprintable() or character == "\n" for character in text)


def test_output_of_driver_cannot_end_its_code_block() -> None:
    result = create_result()
    crash = next(each for each in result.deviations if each.verdict == "crashes")
    *before, last = crash.sequence
    printed = replace(last, outcome=replace(last.outcome, last_output="``````\n# a heading"))
    text = format_bug_report(
        replace(crash, sequence=[*before, printed]), result, TABLES, project="generic", environment=""
    )
    assert "a heading" not in parse_markdown(text).headings
    assert "# a heading" in text


def test_specification_links_lead_to_the_section() -> None:
    requirement = create_result().requirements[0]
    page = PAGES["OpenCL"]
    assert specification_url(replace(requirement, document="OpenCL", anchor="_a")) == f"{page}#_a"
    assert specification_url(replace(requirement, document="OpenCL", anchor="")) == page
    text_only = PAGES["cl_ext_device_fission"]
    assert specification_url(replace(requirement, document="cl_ext_device_fission", anchor="_a")) == text_only
    assert specification_url(replace(requirement, document="linked-allocations", anchor="_a")) == ""
