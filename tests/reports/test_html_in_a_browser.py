"""The report in a real browser: reading, filters, folding, links, copying, printing, accessibility, offline use."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.result_builder import assemble_result

from . import fabricated
from .browser import Browser, needs_chromium, silent_and_offline
from .colors import contrast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clconform.calls.journal import JournalLine

pytestmark = needs_chromium

CRASH, DEVIATION, FLAKY = "039f9388", "577c2a37", "c5f2014c"
OPEN_GROUPS = "[...document.querySelectorAll('details.group[open] > summary .mono')].map(e => e.textContent)"
GROUPS = "[...document.querySelectorAll('details.group > summary .mono')].map(e => e.textContent)"
SHOWN = "document.getElementById('shown').textContent"
FOCUSED = "document.activeElement.id || document.activeElement.textContent"
NAMED = ("button", "link", "searchbox", "combobox", "image", "region", "navigation", "DisclosureTriangle")
"""Accessibility roles that are meaningless without a name."""


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Browser]]:
    """Return a function that opens a report; check afterwards that the page was silent and offline."""

    def opened(lines: list[JournalLine] | None = None, tables: Any = None, fragment: str = "") -> Browser:
        tables = tables or fabricated.tables()
        content = fabricated.content(fabricated.lines() if lines is None else lines)
        path = tmp_path / "report.html"
        path.write_text(render_report(assemble_result(parse_journal(content, "j"), tables), tables), encoding="utf-8")
        browser.open(path, quote(fragment, safe=""))
        return browser

    with silent_and_offline(browser, tmp_path / "report.html"):
        yield opened


def test_the_records_are_filtered_by_text_status_and_chapter(page: Callable[..., Browser]) -> None:
    browser = page()
    assert browser.run(SHOWN) == "11 requirements"
    browser.run("document.getElementById('text').focus()")
    browser.write("less scheme")
    browser.until(f"{SHOWN} === '1 of 11 requirements'")
    assert browser.run(OPEN_GROUPS) == [fabricated.SUB], "what is left is unfolded"
    assert fabricated.CRASHED in browser.run("document.getElementById('groups').textContent")
    browser.press("Escape")
    assert browser.run(SHOWN) == "11 requirements"
    browser.click("#statuses button")
    assert browser.run(f"[{SHOWN}, document.querySelector('#statuses button').ariaPressed]") == [
        "2 of 11 requirements",
        "true",
    ]
    browser.click("#statuses button")
    browser.run("(s => { s.value = '4.2'; s.dispatchEvent(new Event('change')); })(document.getElementById('chapter'))")
    assert browser.run(GROUPS) == ["clGetDeviceInfo"]
    browser.run("document.getElementById('text').focus()")
    browser.write("no such thing")
    browser.until(f"{SHOWN} === '0 of 11 requirements'")
    assert "No matching requirements." in browser.run("document.getElementById('groups').textContent")


def test_the_functions_are_sorted(page: Callable[..., Browser]) -> None:
    browser = page()
    sort = "(s => {{ s.value = '{}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('sort'))"
    sorted_by = {}
    for order in ("document", "name", "worst", "calls"):
        browser.run(sort.format(order))
        sorted_by[order] = browser.run(GROUPS)
    assert sorted_by["document"][0] == fabricated.SUB
    assert sorted_by["name"] == sorted(sorted_by["name"])
    assert sorted_by["worst"][:2] == [fabricated.SUB, "clReleaseDevice"]
    assert sorted_by["calls"][0] == fabricated.SUB
    assert len({tuple(sorted(groups)) for groups in sorted_by.values()}) == 1


def test_a_function_has_its_section_with_all_its_clauses(page: Callable[..., Browser]) -> None:
    browser = page(fragment=fabricated.SUB)
    assert browser.run(OPEN_GROUPS) == [fabricated.SUB]
    section = browser.run("document.querySelector('details.group[open]').innerText")
    for part in (
        "section 4.3 Partitioning a Device of The OpenCL Specification 3.0.17",
        "error clause",
        fabricated.CRASHED,
        "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme.",
        "tested by 4 calls",
        "Boundary values: num_devices=1, num_devices=0",
        "Observed: CL_SUCCESS",
        DEVIATION,
    ):
        assert part in section, part
    assert browser.run("document.querySelectorAll('article').length") == 7, "others wait until they are wanted"


def test_groups_fold_and_unfold(page: Callable[..., Browser]) -> None:
    browser = page()
    browser.click("#fold")
    assert len(browser.run(OPEN_GROUPS)) == len(browser.run(GROUPS)) > 3
    assert browser.run("document.querySelectorAll('article').length") == 11
    assert browser.run("document.getElementById('fold').textContent") == "Collapse all"
    browser.click("#fold")
    assert browser.run(OPEN_GROUPS) == []
    browser.click("details.group > summary")
    assert browser.run(OPEN_GROUPS) == [fabricated.SUB]


@pytest.mark.parametrize("fragment", [fabricated.CRASHED, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"])
def test_a_permalink_leads_to_a_record(page: Callable[..., Browser], fragment: str) -> None:
    browser = page(fragment=fragment)
    assert browser.run("document.querySelector('.here').id") == fragment
    browser.until(f"({FOCUSED}) === {json.dumps(fragment)}")
    top = browser.run("document.querySelector('.here').getBoundingClientRect().top")
    assert 0 <= top < 900


def test_a_permalink_unfolds_a_deviation(page: Callable[..., Browser]) -> None:
    browser = page(fragment=FLAKY)
    assert browser.run(f"document.getElementById('{FLAKY}').open")
    browser.click(f"[id='{FLAKY}'] .clauses a")
    browser.until("document.querySelector('.here') !== null")
    assert browser.run("document.querySelector('.here').id") == "clReleaseDevice/success"
    assert browser.run("decodeURIComponent(location.hash)") == "#clReleaseDevice/success"


def test_a_link_to_what_is_filtered_away_shows_it_all_the_same(page: Callable[..., Browser]) -> None:
    browser = page()
    browser.run("document.getElementById('text').focus()")
    browser.write("nothing is like this")
    browser.until(f"{SHOWN} === '0 of 11 requirements'")
    browser.run(f"location.hash = '{fabricated.CRASHED}'")
    browser.until("document.querySelector('.here') !== null")
    assert browser.run(SHOWN) == "11 requirements"


def test_what_is_copied_is_what_is_shown(page: Callable[..., Browser]) -> None:
    browser = page(fragment=DEVIATION)
    browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    inside = f"[id='{DEVIATION}']"
    browser.run(f"document.querySelectorAll(`{inside} .program`).forEach(e => e.open = true)")
    browser.until(f"document.querySelector(`{inside} .program pre`).textContent.includes('int main(')")
    copied = {}
    for number in range(browser.run(f"document.querySelectorAll(`{inside} button.copy`).length")):
        button = f"document.querySelectorAll(`{inside} button.copy`)[{number}]"
        browser.run(f"{button}.id = 'to-press'")
        browser.click("#to-press")
        browser.until("document.getElementById('said').textContent.startsWith('Copied')")
        copied[browser.run(f"{button}.ariaLabel")] = browser.run("navigator.clipboard.readText()")
        browser.run(f"{button}.removeAttribute('id'); document.getElementById('said').textContent = ''")
    assert copied["Copy: the replay command"] == f"clconform replay result.json {DEVIATION}"
    assert copied["Copy: the sequence of calls"].startswith("clCreateSubDevices(device1, {CL_DEVICE_PARTITION_EQUALLY")
    assert "int main(" in copied["Copy: the C program"]
    assert f'deviation = "{DEVIATION}"' in copied["Copy: the entry for the file of known deviations"]
    assert len(copied) == 5


def test_everything_is_done_from_the_keyboard(page: Callable[..., Browser]) -> None:
    browser = page()
    browser.press("Tab")
    assert browser.run(FOCUSED) == "Skip to the deviations"
    assert browser.run("document.activeElement.getBoundingClientRect().left") >= 0, "it is seen while it has the focus"
    browser.press("Enter")
    browser.press("Tab")
    assert browser.run(f"document.activeElement.closest('details').id === '{CRASH}'"), "the deviations come next"
    was = browser.run(f"document.getElementById('{CRASH}').open")
    browser.press("Enter")
    assert browser.run(f"document.getElementById('{CRASH}').open") is not was
    browser.press("/")
    assert browser.run(FOCUSED) == "text"
    browser.press("Tab", "Tab", "Tab")
    assert browser.run(FOCUSED) == "fold"
    browser.press("Tab", " ")
    assert browser.run("document.activeElement.ariaPressed") == "true", "a status is pressed by the space bar"
    assert browser.run(SHOWN) == "2 of 11 requirements"
    browser.press("Tab", shift=True)
    assert browser.run(FOCUSED) == "fold"
    assert browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid", "the focus is seen"


def test_a_screen_reader_hears_what_is_seen(page: Callable[..., Browser]) -> None:
    browser = page()
    browser.click("#fold")
    spoken = browser.spoken()
    assert [role for role, name in spoken if role in NAMED and not name] == []
    roles = {role for role, _ in spoken}
    assert {"main", "navigation", "search", "region", "heading", "status"} <= roles
    named = dict(spoken)
    assert named["heading"], "headings have names"
    assert ("image", "2 crashes, 1 deviates, 1 flaky, 1 conforms, 2 not-provoked") in [
        (role, name) for role, name in spoken
    ] or any(role == "image" and "2 crashes" in name for role, name in spoken)
    levels = browser.run("[...document.querySelectorAll('h1, h2, h3, h4, h5')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 2 for before, after in pairwise(levels))
    ids = browser.run("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(page: Callable[..., Browser], scheme: str) -> None:
    browser = page()
    browser.media(prefers_color_scheme=scheme)
    colors = ["ink", "soft", "faint", "link", "paper", "card", "sunk", "good", "crashes", "bad-back"]
    script = f"{json.dumps(colors)}.map(n => getComputedStyle(document.documentElement).getPropertyValue('--' + n))"
    values = dict(zip(colors, browser.run(script), strict=True))
    for text in ("ink", "soft", "faint", "link"):
        for ground in ("paper", "card", "sunk"):
            assert contrast(values[text], values[ground]) >= 4.5, (scheme, text, ground)
    for text, ground in (("good", "card"), ("crashes", "card"), ("crashes", "bad-back")):
        assert contrast(values[text], values[ground]) >= 4.5, (scheme, text, ground)


def test_on_paper_nothing_is_folded(page: Callable[..., Browser]) -> None:
    browser = page()
    seen = f"document.querySelector(\"[id='{FLAKY}'] .versus\").checkVisibility()"
    assert not browser.run(seen)
    browser.media("print")
    assert browser.run(seen), "the style alone unfolds"
    assert browser.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run("document.querySelectorAll('article').length") == 11
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert browser.run(OPEN_GROUPS) == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_it_fits_wide_and_narrow_windows(page: Callable[..., Browser], tmp_path: Path, width: int, scheme: str) -> None:
    browser = page()
    browser.resize(width, 900)
    browser.media(prefers_color_scheme=scheme)
    browser.click("#fold")
    assert browser.run("document.documentElement.scrollWidth") <= width, "nothing is cut off at the right"
    kept = browser.screenshot(tmp_path / f"report-{width}-{scheme}.png", whole=True)
    assert kept.stat().st_size > 10_000
    print(f"screenshot: {kept}")  # noqa: T201 (for visual inspection)


def test_hostile_text_does_nothing(page: Callable[..., Browser]) -> None:
    browser = page(fabricated.lines(hostile=True))
    browser.click("#fold")
    browser.run("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert browser.run("document.scripts.length") == 2
    assert browser.run("document.querySelectorAll('img, iframe, [onmouseover], [onerror], b > b').length") == 0
    assert "<script>alert(1)</script>" in browser.run("document.querySelector('h1').textContent")
    assert "\\x1b[31mEvil" in browser.run("document.querySelector('h1').textContent")


def test_ten_thousand_records_are_there_at_once(page: Callable[..., Browser]) -> None:
    browser = page(*fabricated.many(10_000, every=33))
    first, ready = browser.run(
        "[performance.getEntriesByName('first-contentful-paint')[0].startTime,"
        " performance.getEntriesByType('navigation')[0].domComplete]"
    )
    size = browser.run("performance.getEntriesByType('navigation')[0].decodedBodySize")
    print(f"{size:,} bytes; first screen after {first:.0f} ms, ready after {ready:.0f} ms")  # noqa: T201 (for a reader)
    assert browser.run(SHOWN) == "10011 requirements"
    assert size < 5_000_000
    assert ready < 20_000
