"""Results of fault injection: counted, written, read back, and shown in the report of their platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from click.testing import CliRunner
from lxml import html

from clconform.reports import assemble_result
from clconform.reports.fault_campaign import FaultCampaign, FaultResult, FaultStatus, load_campaign, make_campaign
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document
from clconform.runner.gate import exit_codes
from clconform.tools.cli import cli

from . import fabricated, schemas
from .browser import needs_chromium, silent_and_offline
from .colors import contrast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from click.testing import Result as Ran

    from .browser import Browser

TARGET = ["--platform", "Portable Computing Language"]
"""Driver options of the fabricated journal."""
WORDS = {"crash": "The call ends the process.", "slow": "The call takes a second longer.", "evil": fabricated.HOSTILE}
FAULTS: tuple[tuple[str, str, FaultStatus], ...] = (
    *(("crash", "4.3", "found"),) * 19,
    ("crash", "4.3", "survived"),
    ("crash", "4.10", "survived"),
    ("crash", "4.10", "found"),
    ("crash", fabricated.FISSION, "not-applied"),
    ("slow", "4.3", "equivalent"),
    ("slow", "4.10", "found"),
    ("evil", "4.3", "survived"),
)


def campaign(
    faults: Sequence[tuple[str, str, FaultStatus]] = FAULTS, reason: str = "nobody is blamed"
) -> FaultCampaign:
    results = [
        FaultResult(f"{operator} {fabricated.SUB}@{turn}", operator, fabricated.SUB, chapter, status, reason, turn=turn)
        for turn, (operator, chapter, status) in enumerate(faults, 1)
    ]
    return make_campaign(results, TARGET, WORDS)


def page(of: FaultCampaign) -> str:
    result = assemble_result(parse_journal(fabricated.content(fabricated.lines()), "j"), fabricated.tables())
    return render_report(result, fabricated.tables(), campaign=of)


def section(of: FaultCampaign) -> html.HtmlElement:
    return html.fromstring(page(of)).get_element_by_id("faults")


def table(of: FaultCampaign) -> list[list[str]]:
    """Return the heat map as text: operators by chapters."""
    rows = section(of).get_element_by_id("heat").iter("tr")
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
def test_shares_leave_out_what_was_not_applied(
    statuses: Sequence[FaultStatus], found: float | None, equivalent: float | None
) -> None:
    whole = campaign([("crash", "4.3", status) for status in statuses]).summary
    assert (whole.share_found, whole.share_equivalent) == (found, equivalent)
    assert whole.faults == sum(whole.statuses.values()) == len(statuses)


def test_a_campaign_is_counted_by_operator_and_chapter_and_read_back(tmp_path: Path) -> None:
    made = campaign()
    assert [(group.name, group.faults) for group in made.operators] == [("crash", 23), ("slow", 2), ("evil", 1)]
    assert [(group.name, group.faults) for group in made.chapters] == [
        ("4.3", 22),
        ("4.10", 3),
        (fabricated.FISSION, 1),
    ]
    file = tmp_path / "faults.json"
    file.write_text(schemas.valid(encode_document(made), "faults"), encoding="ascii")
    assert load_campaign(file) == made


def test_the_heat_map_has_a_figure_in_each_cell() -> None:
    head, *rows = table(campaign())
    assert head == ["Operator", "4.3", "4.10", fabricated.FISSION, "all"]
    assert rows[0] == ["crashThe call ends the process.", "19/20", "1/2", "-", "20/22"]
    assert rows[1] == ["slowThe call takes a second longer.", "-", "1/1", "", "1/1"]
    assert rows[3] == ["all", "19/21", "2/3", "-", "21/24"]


def test_the_shade_of_a_cell_follows_the_share_found() -> None:
    cells = section(campaign()).get_element_by_id("heat").iter("td")
    shades = {cell.text_content(): cell.get("class").split()[-1] for cell in cells}
    assert shades == {"19/20": "most", "1/2": "some", "1/1": "all", "0/1": "few", "-": "none", "": "none"} | {
        "20/22": "most",
        "19/21": "most",
        "2/3": "some",
        "21/24": "some",
    }


def test_survivors_are_named_with_their_reason() -> None:
    told = section(campaign(reason="it shows in 3 calls")).get_element_by_id("survivors")
    rows = [[cell.text_content() for cell in row] for row in told.iter("tr")][1:]
    assert rows[0] == [f"crash {fabricated.SUB}@20", "4.3", "it shows in 3 calls"]
    assert len(rows) == 3
    assert told.get("open") is not None
    many = section(campaign([("crash", "4.3", "survived")] * 40)).get_element_by_id("survivors")
    assert many.get("open") is None, "many are folded away"
    assert "survivors" not in page(campaign([("crash", "4.3", "found")])).split('id="faults"')[1].split("</section>")[0]


def test_a_page_without_faults_has_no_such_section() -> None:
    result = assemble_result(parse_journal(fabricated.content(fabricated.lines()), "j"), fabricated.tables())
    assert "Sensitivity</a>" not in render_report(result, fabricated.tables())


def test_nothing_that_stands_in_the_file_becomes_markup() -> None:
    assert "<script>alert" not in page(campaign(reason=fabricated.HOSTILE))


# the command


def report(tmp_path: Path, content: str) -> Ran:
    """Run the ``report`` command on the fabricated journal and a file of faults."""
    journal = fabricated.write_journal(tmp_path / "journal.jsonl")
    (tmp_path / "faults.json").write_text(content, encoding="utf-8")
    return CliRunner().invoke(cli, ("report", str(journal), "--faults", str(tmp_path / "faults.json")))


def test_the_command_puts_the_section_into_the_page(tmp_path: Path) -> None:
    done = report(tmp_path, encode_document(campaign()))
    assert done.exit_code == exit_codes.AS_EXPECTED, done.output
    assert "21 of 24 faults found" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a file of faults"),
        ('{"format": 2}', "not a file of faults"),
        ('{"format": 9}', "format 9"),
        (encode_document(campaign()).replace('"survived"', '"forgotten"'), "not a file of faults"),
        (encode_document(msgspec.structs.replace(campaign(), target=["--simulated", "flat-4"])), "--simulated flat-4"),
    ],
)
def test_what_is_no_file_about_this_platform_is_refused(tmp_path: Path, content: str, said: str) -> None:
    done = report(tmp_path, content)
    assert done.exit_code == exit_codes.BAD_USAGE
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "report.html").exists()


def test_faults_belong_to_one_platform(tmp_path: Path) -> None:
    journal = str(fabricated.write_journal(tmp_path / "journal.jsonl"))
    done = CliRunner().invoke(cli, ("report", journal, journal, "--faults", "f.json", "--out", str(tmp_path / "m")))
    assert done.exit_code == exit_codes.BAD_USAGE
    assert "--faults f.json" in done.stderr


# in a browser


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_figures_stand_out_from_every_shade(browser: Browser, tmp_path: Path, scheme: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(page(campaign()), encoding="utf-8")
    with silent_and_offline(browser, path):
        browser.media(prefers_color_scheme=scheme)
        browser.open(path)
        colors = browser.run(
            "[...document.querySelectorAll('#heat td')].filter(e => e.textContent).map(getComputedStyle)"
            ".map(s => [s.color, s.backgroundColor])"
        )
        shades = {ground for _, ground in colors}
        assert len(shades) == 5, "four shades, and none"
        card = browser.run("getComputedStyle(document.querySelector('#heat')).backgroundColor")
        for text, ground in colors:
            assert contrast(text, ground if opaque(ground) else card) >= 4.5, (text, ground)


@needs_chromium
def test_the_section_is_whole_without_a_script_and_in_a_narrow_window(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(page(campaign()), encoding="utf-8")
    with silent_and_offline(browser, path):
        browser.ask("Emulation.setScriptExecutionDisabled", value=True)
        try:
            browser.open(path)
            browser.resize(360, 900)
            spoken = browser.spoken()
        finally:
            browser.ask("Emulation.setScriptExecutionDisabled", value=False)
        assert browser.run("document.documentElement.scrollWidth") <= 360
        assert ("columnheader", "4.10") in spoken
        assert ("cell", "19/20") in spoken or ("gridcell", "19/20") in spoken
        assert any(role == "image" and "21 found" in name for role, name in spoken)


def opaque(color: str) -> bool:
    return not color.startswith("rgba(") or not color.endswith(", 0)")
