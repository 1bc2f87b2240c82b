"""Reported capabilities in journal, result and page: devices side by side, low values marked, and text escaped."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
import pytest
from rich.console import Console

from clconform.calls.journal import Capability, CapabilityLine, OwnerCapabilities
from clconform.harness import Target
from clconform.oracles.queries.capability_text import describe_capabilities
from clconform.reports.capability_rows import MAX_SHOWN, capability_rows
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.reports.result_builder import assemble_result, result_of
from clconform.reports.result_consistency import load_result
from clconform.reports.terminal_summary import capability_tables
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.spec_tables import load

from ..suite_runs import run_suites  # noqa: TID252 (tests are no part of the installed package)
from . import fabricated_journals

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.reports.run_result import RunResult

EVIL = "<script>alert(1)</script>\x1b[31m\u202e"


def create_capabilities(name: str = "plain", shown: str = "4096") -> list[OwnerCapabilities]:
    """Return the capabilities of a platform and two devices; the second device reports too few samplers."""
    platform = OwnerCapabilities("platform1", name, [Capability("CL_PLATFORM_NAME", "4.1", name)])
    limit = "at least 16"
    first = [
        Capability("CL_DEVICE_NAME", "4.2", name),
        Capability("CL_DEVICE_MAX_SAMPLERS", "4.2", shown, limit, "meets"),
        Capability("CL_DEVICE_SPIR_VERSIONS", "4.2", reason="cl_khr_spir is not supported"),
        Capability("CL_DEVICE_BUILT_IN_KERNELS", "4.2"),
    ]
    second = [*first]
    second[1] = Capability("CL_DEVICE_MAX_SAMPLERS", "4.2", "8", limit, "below")
    return [platform, OwnerCapabilities("device1", name, first), OwnerCapabilities("device2", name, second)]


def create_result(devices: list[OwnerCapabilities] | None) -> RunResult:
    """Return the result of a journal with these capabilities, or without a line of capabilities if None."""
    lines = fabricated_journals.journal_lines()
    if devices is not None:
        lines.insert(2, CapabilityLine(devices))
    return assemble_result(
        parse_journal(fabricated_journals.encode_journal(lines), "j"), fabricated_journals.create_tables()
    )


def create_page(devices: list[OwnerCapabilities] | None) -> str:
    return render_report(create_result(devices), fabricated_journals.create_tables())


def print_capabilities(devices: list[OwnerCapabilities]) -> str:
    text = io.StringIO()
    console = Console(file=text, width=160)
    for table in capability_tables(devices):
        console.print(table)
    return text.getvalue()


def test_page_without_capabilities_omits_their_section() -> None:
    assert create_result(None).capabilities == []
    assert 'id="capabilities"' not in create_page(None)


def test_result_file_contains_the_capabilities(tmp_path: Path) -> None:
    result = create_result(create_capabilities(EVIL))
    path = tmp_path / "result.json"
    path.write_text(encode_document(result), encoding="utf-8")
    assert load_result(path).capabilities == create_capabilities(EVIL)


def test_page_compares_devices_and_marks_values_below_the_minimum() -> None:
    page = create_page(create_capabilities())
    row = page[page.index("<code>CL_DEVICE_MAX_SAMPLERS</code>") :].partition("</tr>")[0]
    assert "<td>at least 16</td>" in row
    assert row.index('<td class="answer meets">4096') < row.index('<td class="answer below">8 <b>below</b></td>')
    assert "1 not as required" in page
    assert '<tr data-is="answered missed differing">' in page
    assert 'class="absent ">cl_khr_spir is not supported</td>' in page
    assert 'class="empty ">empty</td>' in page
    assert page.count('<td colspan="2" class="answer ">plain</td>') == 1


def test_hostile_capability_values_are_escaped() -> None:
    page = create_page(create_capabilities(EVIL, EVIL))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[31m\\u202e" in page
    for text in (page, print_capabilities(create_capabilities(EVIL, EVIL))):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_long_value_scrolls_and_extremely_long_value_is_cut() -> None:
    page = create_page(create_capabilities(shown="x" * 500))
    assert f'<div class="long" tabindex="0">{"x" * 500}</div>' in page
    (cell, _) = capability_rows(create_capabilities(shown="y" * 1_000_000))[2].cells
    assert len(cell.text) < MAX_SHOWN + 100


def test_row_shows_minimum_of_each_device_if_they_differ() -> None:
    devices = create_capabilities()
    devices[2].values[1] = Capability("CL_DEVICE_MAX_SAMPLERS", "4.2", "8", "at least 8", "meets")
    row = capability_rows(devices)[2]
    assert row.minimum == "device1: at least 16; device2: at least 8"
    assert not row.is_missed


def test_capability_with_unknown_mark_is_shown_without_mark() -> None:
    devices = create_capabilities()
    devices[1].values[1] = Capability("CL_DEVICE_MAX_SAMPLERS", "4.2", "8", "", '"><b>')
    assert capability_rows(devices)[2].cells[0].mark == ""


@pytest.fixture(scope="module")
def low_values_result(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    """Return the result of a short run on two devices that report less than the minimum."""
    out = tmp_path_factory.mktemp("undercut")
    options = ["--cl-simulated=two-devices", "--cl-fault=value-below-minimum", "--cl-tier=tables", f"--cl-out={out}"]
    run_suites({"undercut": [*options, "--cl-requirement=clReleaseDevice/CL_INVALID_DEVICE/1"]})
    return result_of(out / "journal.jsonl")


def test_run_records_capabilities_of_platform_and_both_devices(low_values_result: RunResult) -> None:
    assert [each.handle for each in low_values_result.capabilities] == ["platform1", "device1", "device2"]
    rows = {row.query: row for row in capability_rows(low_values_result.capabilities)}
    assert [cell.text for cell in rows["CL_DEVICE_NUMERIC_VERSION"].cells] == ["3.0.0", "3.0.0"]
    assert [cell.text.split()[-2] for cell in rows["CL_DEVICE_NAME"].cells] == ["16", "4"]
    assert "CL_DEVICE_TYPE_CPU" in rows["CL_DEVICE_TYPE"].cells[0].text
    assert [cell.mark for cell in rows["CL_DEVICE_MAX_WORK_GROUP_SIZE"].cells] == ["below", "below"]
    page = render_report(low_values_result, load())
    assert 'class="answer below"' in page


def test_conforming_platform_has_no_values_marked_as_below_minimum() -> None:
    session = Session(Target.simulated("two-devices"), load(), Recorder(None))
    devices = describe_capabilities(session.model)
    session.close()
    assert not [row.query for row in capability_rows(devices) if row.is_missed]
    assert "below" not in print_capabilities(devices)
    assert (
        msgspec.json.decode(msgspec.json.encode(CapabilityLine(devices)), type=CapabilityLine).capabilities == devices
    )
