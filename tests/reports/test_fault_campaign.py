"""Results of fault injection: counted, written, read back, and shown in the report of their platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner
from lxml import html

from clconform.calls import exit_codes
from clconform.reports import assemble_result
from clconform.reports.fault_campaign import FaultCampaign, FaultResult, FaultStatus, load_campaign, make_campaign
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.tools.cli import cli

from . import fabricated_journals, schemas
from .browser import check_silent_and_offline, needs_chromium
from .colors import contrast_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from click.testing import Result as Ran

    from .browser import Browser

TARGET = ["--platform", "Portable Computing Language"]
"""Driver options of the fabricated journal."""
OPERATOR_TEXTS = {
    "crash": "The call ends the process.",
    "slow": "The call takes a second longer.",
    "evil": fabricated_journals.HOSTILE,
}
FAULTS: tuple[tuple[str, str, FaultStatus], ...] = (
    *(("crash", "4.3", "found"),) * 19,
    ("crash", "4.3", "survived"),
    ("crash", "4.10", "survived"),
    ("crash", "4.10", "found"),
    ("crash", fabricated_journals.FISSION, "not-applied"),
    ("slow", "4.3", "equivalent"),
    ("slow", "4.10", "found"),
    ("evil", "4.3", "survived"),
)


def create_campaign(
    faults: Sequence[tuple[str, str, FaultStatus]] = FAULTS, reason: str = "nobody is blamed"
) -> FaultCampaign:
    results = [
        FaultResult(
            f"{operator} {fabricated_journals.SUB}@{turn}",
            operator,
            fabricated_journals.SUB,
            chapter,
            status,
            reason,
            occurrence=turn,
        )
        for turn, (operator, chapter, status) in enumerate(faults, 1)
    ]
    return make_campaign(results, TARGET, OPERATOR_TEXTS)


def create_page(of: FaultCampaign) -> str:
    result = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"),
        fabricated_journals.create_tables(),
    )
    return render_report(result, fabricated_journals.create_tables(), campaign=of)


def faults_section(of: FaultCampaign) -> html.HtmlElement:
    return html.fromstring(create_page(of)).get_element_by_id("faults")


def heat_map(of: FaultCampaign) -> list[list[str]]:
    """Return the texts of the heat map's cells: a row for each operator, a column for each chapter."""
    rows = faults_section(of).get_element_by_id("heat").iter("tr")
    return [["".join(cell.text_content().splitlines()) for cell in row] for row in rows]


@pytest.mark.parametrize(
    ("statuses", "found", "equivalent"),
    [
        (("found", "found", "found", "survived", "equivalent", "not-applied"), 0.75, 0.2),
        (("equivalent", "not-applied"), None, 1.0),
        (("not-applied",), None, None),
        ((), None, None),
    ],
)
def test_shares_of_found_and_equivalent_faults_exclude_unapplied_faults(
    statuses: Sequence[FaultStatus], found: float | None, equivalent: float | None
) -> None:
    whole = create_campaign([("crash", "4.3", status) for status in statuses]).summary
    assert (whole.share_found, whole.share_equivalent) == (found, equivalent)
    assert whole.faults == sum(whole.statuses.values()) == len(statuses)


def test_faults_are_counted_by_operator_and_chapter(tmp_path: Path) -> None:
    made = create_campaign()
    assert [(group.name, group.faults) for group in made.operators] == [("crash", 23), ("slow", 2), ("evil", 1)]
    assert [(group.name, group.faults) for group in made.chapters] == [
        ("4.3", 22),
        ("4.10", 3),
        (fabricated_journals.FISSION, 1),
    ]
    file = tmp_path / "faults.json"
    file.write_text(schemas.validated(encode_document(made), "faults"), encoding="ascii")
    assert load_campaign(file) == made


def test_heat_map_cell_shows_numbers_of_found_and_applied_faults() -> None:
    head, *rows = heat_map(create_campaign())
    assert head == ["Operator", "4.3", "4.10", fabricated_journals.FISSION, "all"]
    assert rows[0] == ["crashThe call ends the process.", "19/20", "1/2", "-", "20/22"]
    assert rows[1] == ["slowThe call takes a second longer.", "-", "1/1", "", "1/1"]
    assert rows[3] == ["all", "19/21", "2/3", "-", "21/24"]


def test_heat_map_cell_shade_shows_share_of_found_faults() -> None:
    cells = faults_section(create_campaign()).get_element_by_id("heat").iter("td")
    shades = {cell.text_content(): cell.get("class").split()[-1] for cell in cells}
    assert shades == {"19/20": "most", "1/2": "some", "1/1": "all", "0/1": "few", "-": "none", "": "none"} | {
        "20/22": "most",
        "19/21": "most",
        "2/3": "some",
        "21/24": "some",
    }


def test_surviving_faults_are_listed_with_reason() -> None:
    told = faults_section(create_campaign(reason="it shows in 3 calls")).get_element_by_id("survivors")
    rows = [[cell.text_content() for cell in row] for row in told.iter("tr")][1:]
    assert rows[0] == [f"crash {fabricated_journals.SUB}@20", "4.3", "it shows in 3 calls"]
    assert len(rows) == 3
    assert told.get("open") is not None
    many = faults_section(create_campaign([("crash", "4.3", "survived")] * 40)).get_element_by_id("survivors")
    assert many.get("open") is None, "many are folded away"
    assert (
        "survivors"
        not in create_page(create_campaign([("crash", "4.3", "found")])).split('id="faults"')[1].split("</section>")[0]
    )


def test_page_without_faults_omits_their_section() -> None:
    result = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"),
        fabricated_journals.create_tables(),
    )
    assert "Sensitivity</a>" not in render_report(result, fabricated_journals.create_tables())


def test_texts_of_faults_file_are_escaped_on_page() -> None:
    assert "<script>alert" not in create_page(create_campaign(reason=fabricated_journals.HOSTILE))


# the ``report`` command


def run_report(tmp_path: Path, content: str) -> Ran:
    """Run the ``report`` command on the fabricated journal and a faults file; return its outcome."""
    journal = fabricated_journals.write_journal(tmp_path / "journal.jsonl")
    (tmp_path / "faults.json").write_text(content, encoding="utf-8")
    return CliRunner().invoke(cli, ("report", str(journal), "--faults", str(tmp_path / "faults.json")))


def test_report_command_adds_faults_section_to_page(tmp_path: Path) -> None:
    done = run_report(tmp_path, encode_document(create_campaign()))
    assert done.exit_code == exit_codes.AS_EXPECTED, done.output
    assert "21 of 24 faults found" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a file of faults"),
        ('{"format": 3}', "not a file of faults"),
        ('{"format": 9}', "format 9"),
        (encode_document(create_campaign()).replace('"survived"', '"forgotten"'), "not a file of faults"),
        (
            encode_document(msgspec.structs.replace(create_campaign(), target=["--simulated", "flat-4"])),
            "--simulated flat-4",
        ),
    ],
)
def test_invalid_faults_file_or_file_of_another_driver_is_refused(tmp_path: Path, content: str, said: str) -> None:
    done = run_report(tmp_path, content)
    assert done.exit_code == exit_codes.BAD_USAGE
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "report.html").exists()


def test_report_command_refuses_faults_file_for_two_journals(tmp_path: Path) -> None:
    journal = str(fabricated_journals.write_journal(tmp_path / "journal.jsonl"))
    done = CliRunner().invoke(cli, ("report", journal, journal, "--faults", "f.json", "--out", str(tmp_path / "m")))
    assert done.exit_code == exit_codes.BAD_USAGE
    assert "--faults f.json" in done.stderr


# tests in a browser


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_heat_map_numbers_contrast_with_every_shade(browser: Browser, tmp_path: Path, scheme: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(create_page(create_campaign()), encoding="utf-8")
    with check_silent_and_offline(browser, path):
        browser.emulate_media(prefers_color_scheme=scheme)
        browser.open(path)
        colors = browser.evaluate(
            "[...document.querySelectorAll('#heat td')].filter(e => e.textContent).map(getComputedStyle)"
            ".map(s => [s.color, s.backgroundColor])"
        )
        shades = {ground for _, ground in colors}
        assert len(shades) == 5, "four shades, and none"
        card = browser.evaluate("getComputedStyle(document.querySelector('#heat')).backgroundColor")
        for text, ground in colors:
            assert contrast_ratio(text, ground if is_opaque(ground) else card) >= 4.5, (text, ground)


@needs_chromium
def test_faults_section_is_complete_without_script_in_narrow_window(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(create_page(create_campaign()), encoding="utf-8")
    with check_silent_and_offline(browser, path):
        browser.send_command("Emulation.setScriptExecutionDisabled", value=True)
        try:
            browser.open(path, runs_script=False)
            browser.resize(360, 900)
            spoken = browser.accessible_nodes()
        finally:
            browser.send_command("Emulation.setScriptExecutionDisabled", value=False)
        assert browser.evaluate("document.documentElement.scrollWidth") <= 360
        assert ("columnheader", "4.10") in spoken
        assert ("cell", "19/20") in spoken or ("gridcell", "19/20") in spoken
        assert any(role == "image" and "21 found" in name for role, name in spoken)


def is_opaque(color: str) -> bool:
    return not color.startswith("rgba(") or not color.endswith(", 0)")
