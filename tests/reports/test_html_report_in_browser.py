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

from . import fabricated_journals
from .browser import Browser, check_silent_and_offline, needs_chromium
from .colors import contrast_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clconform.calls.line_kinds import JournalLine

pytestmark = needs_chromium

CRASH, DEVIATION, FLAKY = "039f9388", "577c2a37", "c5f2014c"
OPEN_GROUPS = "[...document.querySelectorAll('details.group[open] > summary .mono')].map(e => e.textContent)"
GROUPS = "[...document.querySelectorAll('details.group > summary .mono')].map(e => e.textContent)"
SHOWN = "document.getElementById('shown').textContent"
FOCUSED = "document.activeElement.id || document.activeElement.textContent"
NAMED_ROLES = ("button", "link", "searchbox", "combobox", "image", "region", "navigation", "DisclosureTriangle")
"""Accessibility roles that are meaningless without a name."""


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Browser]]:
    """Return a function that opens a report. Check after the test that the page was silent and offline."""

    def opened(lines: list[JournalLine] | None = None, tables: Any = None, fragment: str = "") -> Browser:
        tables = tables or fabricated_journals.create_tables()
        content = fabricated_journals.encode_journal(fabricated_journals.journal_lines() if lines is None else lines)
        path = tmp_path / "report.html"
        path.write_text(render_report(assemble_result(parse_journal(content, "j"), tables), tables), encoding="utf-8")
        browser.open(path, quote(fragment, safe=""))
        return browser

    with check_silent_and_offline(browser, tmp_path / "report.html"):
        yield opened


def test_requirements_are_filtered_by_text_status_and_chapter(open_page: Callable[..., Browser]) -> None:
    browser = open_page()
    assert browser.evaluate(SHOWN) == "11 requirements"
    browser.evaluate("document.getElementById('text').focus()")
    browser.type_text("less scheme")
    browser.wait_until(f"{SHOWN} === '1 of 11 requirements'")
    assert browser.evaluate(OPEN_GROUPS) == [fabricated_journals.SUB], "what is left is unfolded"
    assert fabricated_journals.CRASHED in browser.evaluate("document.getElementById('groups').textContent")
    browser.press_keys("Escape")
    assert browser.evaluate(SHOWN) == "11 requirements"
    browser.click("#statuses button")
    assert browser.evaluate(f"[{SHOWN}, document.querySelector('#statuses button').ariaPressed]") == [
        "2 of 11 requirements",
        "true",
    ]
    browser.click("#statuses button")
    browser.evaluate(
        "(s => { s.value = '4.2'; s.dispatchEvent(new Event('change')); })(document.getElementById('chapter'))"
    )
    assert browser.evaluate(GROUPS) == ["clGetDeviceInfo"]
    browser.evaluate("document.getElementById('text').focus()")
    browser.type_text("no such thing")
    browser.wait_until(f"{SHOWN} === '0 of 11 requirements'")
    assert "No matching requirements." in browser.evaluate("document.getElementById('groups').textContent")


def test_functions_are_sorted_by_the_selected_order(open_page: Callable[..., Browser]) -> None:
    browser = open_page()
    sort = "(s => {{ s.value = '{}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('sort'))"
    sorted_by = {}
    for order in ("document", "name", "worst", "calls"):
        browser.evaluate(sort.format(order))
        sorted_by[order] = browser.evaluate(GROUPS)
    assert sorted_by["document"][0] == fabricated_journals.SUB
    assert sorted_by["name"] == sorted(sorted_by["name"])
    assert sorted_by["worst"][:2] == [fabricated_journals.SUB, "clReleaseDevice"]
    assert sorted_by["calls"][0] == fabricated_journals.SUB
    assert len({tuple(sorted(groups)) for groups in sorted_by.values()}) == 1


def test_section_of_function_shows_all_its_conditions(open_page: Callable[..., Browser]) -> None:
    browser = open_page(fragment=fabricated_journals.SUB)
    assert browser.evaluate(OPEN_GROUPS) == [fabricated_journals.SUB]
    section = browser.evaluate("document.querySelector('details.group[open]').innerText")
    for part in (
        "section 4.3 Partitioning a Device of The OpenCL Specification 3.0.17",
        "error clause",
        fabricated_journals.CRASHED,
        "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme.",
        "tested by 4 calls",
        "Test values: num_devices=1, num_devices=0",
        "Observed: CL_SUCCESS",
        DEVIATION,
    ):
        assert part in section, part
    assert browser.evaluate("document.querySelectorAll('article').length") == 7, "others wait until they are wanted"


def test_groups_of_requirements_fold_and_unfold(open_page: Callable[..., Browser]) -> None:
    browser = open_page()
    browser.click("#fold")
    assert len(browser.evaluate(OPEN_GROUPS)) == len(browser.evaluate(GROUPS)) > 3
    assert browser.evaluate("document.querySelectorAll('article').length") == 11
    assert browser.evaluate("document.getElementById('fold').textContent") == "Collapse all"
    browser.click("#fold")
    assert browser.evaluate(OPEN_GROUPS) == []
    browser.click("details.group > summary")
    assert browser.evaluate(OPEN_GROUPS) == [fabricated_journals.SUB]


@pytest.mark.parametrize("fragment", [fabricated_journals.CRASHED, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"])
def test_permalink_scrolls_to_requirement_and_focuses_it(open_page: Callable[..., Browser], fragment: str) -> None:
    browser = open_page(fragment=fragment)
    assert browser.evaluate("document.querySelector('.here').id") == fragment
    browser.wait_until(f"({FOCUSED}) === {json.dumps(fragment)}")
    top = browser.evaluate("document.querySelector('.here').getBoundingClientRect().top")
    assert 0 <= top < 900


def test_permalink_unfolds_a_deviation(open_page: Callable[..., Browser]) -> None:
    browser = open_page(fragment=FLAKY)
    assert browser.evaluate(f"document.getElementById('{FLAKY}').open")
    browser.click(f"[id='{FLAKY}'] .violated a")
    browser.wait_until("document.querySelector('.here') !== null")
    assert browser.evaluate("document.querySelector('.here').id") == "clReleaseDevice/success"
    assert browser.evaluate("decodeURIComponent(location.hash)") == "#clReleaseDevice/success"


def test_link_shows_a_requirement_hidden_by_a_filter(open_page: Callable[..., Browser]) -> None:
    browser = open_page()
    browser.evaluate("document.getElementById('text').focus()")
    browser.type_text("nothing is like this")
    browser.wait_until(f"{SHOWN} === '0 of 11 requirements'")
    browser.evaluate(f"location.hash = '{fabricated_journals.CRASHED}'")
    browser.wait_until("document.querySelector('.here') !== null")
    assert browser.evaluate(SHOWN) == "11 requirements"


def test_each_copy_button_copies_the_text_of_its_label(open_page: Callable[..., Browser]) -> None:
    browser = open_page(fragment=DEVIATION)
    browser.send_command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    inside = f"[id='{DEVIATION}']"
    browser.evaluate(f"document.querySelectorAll(`{inside} .program`).forEach(e => e.open = true)")
    browser.wait_until(f"document.querySelector(`{inside} .program pre`).textContent.includes('int main(')")
    copied = {}
    for number in range(browser.evaluate(f"document.querySelectorAll(`{inside} button.copy`).length")):
        button = f"document.querySelectorAll(`{inside} button.copy`)[{number}]"
        browser.evaluate(f"{button}.id = 'to-press'")
        browser.click("#to-press")
        browser.wait_until("document.getElementById('announcement').textContent.startsWith('Copied')")
        copied[browser.evaluate(f"{button}.ariaLabel")] = browser.evaluate("navigator.clipboard.readText()")
        browser.evaluate(f"{button}.removeAttribute('id'); document.getElementById('announcement').textContent = ''")
    assert copied["Copy: the replay command"] == f"clconform replay result.json {DEVIATION}"
    assert copied["Copy: the sequence of calls"].startswith("clCreateSubDevices(device1, {CL_DEVICE_PARTITION_EQUALLY")
    assert "int main(" in copied["Copy: the C program"]
    assert f'deviation = "{DEVIATION}"' in copied["Copy: the entry for the file of known deviations"]
    assert len(copied) == 5


def test_keyboard_reaches_deviations_search_and_status_filters(open_page: Callable[..., Browser]) -> None:
    browser = open_page()
    browser.press_keys("Tab")
    assert browser.evaluate(FOCUSED) == "Skip to the deviations"
    assert browser.evaluate("document.activeElement.getBoundingClientRect().left") >= 0, (
        "it is seen while it has the focus"
    )
    browser.press_keys("Enter")
    filters = browser.evaluate("document.querySelectorAll('#deviation-tools input, #deviation-tools select').length")
    browser.press_keys(*["Tab"] * (filters + 1))
    assert browser.evaluate(f"document.activeElement.closest('details').id === '{CRASH}'"), "after their filters"
    was = browser.evaluate(f"document.getElementById('{CRASH}').open")
    browser.press_keys("Enter")
    assert browser.evaluate(f"document.getElementById('{CRASH}').open") is not was
    browser.press_keys("/")
    assert browser.evaluate(FOCUSED) == "text"
    browser.press_keys("Tab", "Tab", "Tab")
    assert browser.evaluate(FOCUSED) == "fold"
    browser.press_keys("Tab", " ")
    assert browser.evaluate("document.activeElement.ariaPressed") == "true", "a status is pressed by the space bar"
    assert browser.evaluate(SHOWN) == "2 of 11 requirements"
    browser.press_keys("Tab", shift=True)
    assert browser.evaluate(FOCUSED) == "fold"
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", "the focus is seen"


VISIBLE = "[...document.querySelectorAll('.dev')].filter(e => e.checkVisibility()).map(e => e.id)"


def choose(browser: Browser, name: str, value: str) -> None:
    """Choose a value of a filter of deviations."""
    browser.evaluate(
        f"(e => {{ e.value = '{value}'; e.dispatchEvent(new Event('change')); }})"
        f"(document.querySelector('[data-filter={name}]'))"
    )


def test_deviations_are_filtered_by_each_property_and_by_text(open_page: Callable[..., Browser]) -> None:
    browser = open_page()
    every = browser.evaluate(VISIBLE)
    assert len(every) == 3
    for name, value, left in (
        ("verdict", "crashes", [CRASH]),
        ("verdict", "flaky", [FLAKY]),
        ("consequence", "None", [FLAKY]),
    ):
        choose(browser, name, value)
        assert browser.evaluate(VISIBLE) == left
        assert browser.evaluate("document.getElementById('deviations-shown').textContent") == "1 of 3 deviations"
        choose(browser, name, "")
        assert browser.evaluate(VISIBLE) == every
    choices = "[...document.querySelectorAll('[data-filter]')].map(e => e.options.length)"
    assert all(number > 1 for number in browser.evaluate(choices)), "each filter has choices"
    browser.evaluate(
        "(e => { e.value = 'no such text'; e.dispatchEvent(new Event('input')); })"
        "(document.getElementById('deviation-text'))"
    )
    browser.wait_until(f"{VISIBLE}.length === 0")
    assert browser.evaluate("[...document.querySelectorAll('.consequence')].every(e => e.hidden)")
    browser.evaluate(f"location.hash = '{FLAKY}'")
    browser.wait_until(f"{VISIBLE}.length === 3")  # a link to a hidden deviation shows it


def test_accessibility_tree_has_named_controls_and_ordered_headings(open_page: Callable[..., Browser]) -> None:
    browser = open_page()
    browser.click("#fold")
    spoken = browser.accessible_nodes()
    assert [role for role, name in spoken if role in NAMED_ROLES and not name] == []
    roles = {role for role, _ in spoken}
    assert {"main", "navigation", "search", "region", "heading", "status"} <= roles
    named = dict(spoken)
    assert named["heading"], "headings have names"
    assert ("image", "2 crashes, 1 deviates, 1 flaky, 1 conforms, 2 not-covered") in [
        (role, name) for role, name in spoken
    ] or any(role == "image" and "2 crashes" in name for role, name in spoken)
    levels = browser.evaluate("[...document.querySelectorAll('h1, h2, h3, h4, h5')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 2 for before, after in pairwise(levels))
    ids = browser.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_of_page_contrasts_with_its_background(open_page: Callable[..., Browser], scheme: str) -> None:
    browser = open_page()
    browser.emulate_media(prefers_color_scheme=scheme)
    colors = ["ink", "soft", "faint", "link", "paper", "card", "sunk", "good", "crashes", "bad-back"]
    script = f"{json.dumps(colors)}.map(n => getComputedStyle(document.documentElement).getPropertyValue('--' + n))"
    values = dict(zip(colors, browser.evaluate(script), strict=True))
    for text in ("ink", "soft", "faint", "link"):
        for ground in ("paper", "card", "sunk"):
            assert contrast_ratio(values[text], values[ground]) >= 4.5, (scheme, text, ground)
    for text, ground in (("good", "card"), ("crashes", "card"), ("crashes", "bad-back")):
        assert contrast_ratio(values[text], values[ground]) >= 4.5, (scheme, text, ground)


def test_printed_page_shows_folded_content_without_navigation(open_page: Callable[..., Browser]) -> None:
    browser = open_page()
    seen = f"document.querySelector(\"[id='{FLAKY}'] .versus\").checkVisibility()"
    assert not browser.evaluate(seen)
    browser.emulate_media("print")
    assert browser.evaluate(seen), "the style alone unfolds"
    assert browser.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    browser.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert browser.evaluate("document.querySelectorAll('article').length") == 11
    browser.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert browser.evaluate(OPEN_GROUPS) == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_page_fits_wide_and_narrow_windows(
    open_page: Callable[..., Browser], tmp_path: Path, width: int, scheme: str
) -> None:
    browser = open_page()
    browser.resize(width, 900)
    browser.emulate_media(prefers_color_scheme=scheme)
    browser.click("#fold")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width, "nothing is cut off at the right"
    kept = browser.screenshot(tmp_path / f"report-{width}-{scheme}.png", whole=True)
    assert kept.stat().st_size > 10_000
    print(f"screenshot: {kept}")  # noqa: T201 (for visual inspection)


def test_hostile_text_is_not_interpreted_as_html(open_page: Callable[..., Browser]) -> None:
    browser = open_page(fabricated_journals.journal_lines(hostile=True))
    browser.click("#fold")
    browser.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert browser.evaluate("document.scripts.length") == 2
    assert browser.evaluate("document.querySelectorAll('img, iframe, [onmouseover], [onerror], b > b').length") == 0
    assert "<script>alert(1)</script>" in browser.evaluate("document.querySelector('h1').textContent")
    assert "\\x1b[31mEvil" in browser.evaluate("document.querySelector('h1').textContent")


def test_page_of_ten_thousand_requirements_loads_in_time(open_page: Callable[..., Browser]) -> None:
    browser = open_page(*fabricated_journals.create_large_journal(10_000, every=33))
    first, ready = browser.evaluate(
        "[performance.getEntriesByName('first-contentful-paint')[0].startTime,"
        " performance.getEntriesByType('navigation')[0].domComplete]"
    )
    size = browser.evaluate("performance.getEntriesByType('navigation')[0].decodedBodySize")
    print(f"{size:,} bytes; first screen after {first:.0f} ms, ready after {ready:.0f} ms")  # noqa: T201 (for a reader)
    assert browser.evaluate(SHOWN) == "10011 requirements"
    assert size < 5_000_000
    assert ready < 20_000
