"""The page of several platforms in a real browser: filters, sorting, unfolding, links, and size."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec
import pytest

from clconform.reports.html_matrix import render_matrix
from clconform.reports.journal_reader import parse_journal
from clconform.reports.result_builder import assemble_result
from clconform.reports.result_matrix import make_matrix

from . import fabricated
from .browser import Browser, needs_chromium, silent_and_offline
from .test_result_matrix import DEVIATION, result, without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from clconform.reports.run_result import RunResult

pytestmark = needs_chromium

SHOWN = "document.getElementById('shown').textContent"
ROWS = "[...document.querySelectorAll('#rows tr[id]')].map(e => e.id)"
CHOOSE = "(s => {{ s.value = '{}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('{}'))"
SUB = fabricated.SUB


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Browser]]:
    """Return a function that opens the page of some results; check afterwards that it was silent and offline."""

    def opened(results: Sequence[RunResult], fragment: str = "") -> Browser:
        path = tmp_path / "matrix.html"
        path.write_text(render_matrix(make_matrix(results)), encoding="utf-8")
        browser.open(path, quote(fragment, safe=""))
        return browser

    with silent_and_offline(browser, tmp_path / "matrix.html"):
        yield opened


def three() -> list[RunResult]:
    return [result(name="one"), without(result(name="two"), DEVIATION), result(name="three")]


def test_differences_come_first_and_can_be_filtered_and_sorted(page: Callable[..., Browser]) -> None:
    browser = page(three())
    assert browser.run(SHOWN) == "4 of 11 requirements"
    assert browser.run(ROWS)[0] == fabricated.CRASHED
    cells = f"[...document.getElementById('{fabricated.CRASHED}').cells].map(e => e.title)"
    assert browser.run(cells) == ["", "deviates", "conforms", "deviates"]
    browser.run(CHOOSE.format("", "which"))
    assert browser.run(SHOWN) == "11 requirements"
    browser.run(CHOOSE.format("name", "sort"))
    assert browser.run(ROWS) == sorted(browser.run(ROWS))
    browser.press("/")
    browser.write("max_sub")
    browser.until(f"{SHOWN} === '1 of 11 requirements'")
    assert browser.run(ROWS) == ["CL_DEVICE_PARTITION_MAX_SUB_DEVICES"]
    browser.press("Escape")
    browser.run(CHOOSE.format("second", "which"))
    assert f"{SUB}/CL_DEVICE_PARTITION_FAILED/1" in browser.run(ROWS)
    assert fabricated.CRASHED not in browser.run(ROWS)


def test_a_record_unfolds_by_the_keyboard_and_leads_to_its_deviation(page: Callable[..., Browser]) -> None:
    browser = page(three())
    browser.run(f"document.getElementById('{fabricated.CRASHED}').querySelector('button').focus()")
    browser.press("Enter")
    told = f"document.getElementById('{fabricated.CRASHED}').nextSibling.textContent"
    assert (
        "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."
        in browser.run(told)
    )
    assert f"one 3.1: {DEVIATION}" in browser.run(told)
    assert browser.run("document.activeElement.ariaExpanded") == "true"
    browser.press("Tab", "Enter")
    browser.until(f"document.getElementById('{DEVIATION}').open")
    said = browser.run(f"document.getElementById('{DEVIATION}').innerText")
    assert "Found on 2 of 3 tested platforms" in said
    assert "one 3.1 · three 3.1" in said
    browser.run(f"document.getElementById('{fabricated.CRASHED}').querySelector('button').click()")
    assert f"{DEVIATION}" not in browser.run(told), "and folds again"


@pytest.mark.parametrize("record", [fabricated.CRASHED, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"])
def test_a_permalink_leads_to_a_record(page: Callable[..., Browser], record: str) -> None:
    browser = page(three(), record)
    browser.until(f"document.activeElement.textContent === '{record}'")
    assert browser.run("document.querySelector('.here').id") == record
    assert browser.run("document.activeElement.ariaExpanded") == "true"


def test_a_screen_reader_hears_rows_and_columns(page: Callable[..., Browser]) -> None:
    spoken = page(three()).spoken()
    named = ("button", "link", "searchbox", "combobox", "image", "region", "navigation", "columnheader", "rowheader")
    assert [role for role, name in spoken if role in named and not name] == []
    assert {("columnheader", "one 3.1"), ("columnheader", "two 3.1"), ("columnheader", "Requirement")} <= set(spoken)
    assert "conforms" in {name for role, name in spoken if role in ("cell", "gridcell", "StaticText")}


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_it_fits_wide_and_narrow_windows(page: Callable[..., Browser], tmp_path: Path, width: int, scheme: str) -> None:
    browser = page(three())
    browser.resize(width, 900)
    browser.media(prefers_color_scheme=scheme)
    assert browser.run("document.documentElement.scrollWidth") <= width
    print(f"screenshot: {browser.screenshot(tmp_path / 'matrix.png', whole=True)}")  # noqa: T201 (for a person)


def test_hostile_names_do_nothing(page: Callable[..., Browser]) -> None:
    browser = page([result(hostile=True), result(hostile=True), result()])
    browser.run("document.querySelectorAll('details').forEach(e => e.open = true)")
    browser.run("document.querySelectorAll('#rows button').forEach(e => e.click())")
    assert browser.run("document.scripts.length") == 2
    assert browser.run("document.querySelectorAll('img, iframe, [onerror], b b').length") == 0
    assert "\\x1b[31mEvil" in browser.run("document.getElementById('columns').textContent")


def test_ten_thousand_records_on_twenty_platforms_are_there_at_once(page: Callable[..., Browser]) -> None:
    lines, tables = fabricated.many(10_000, every=33)
    whole = assemble_result(parse_journal(fabricated.content(lines), "j"), tables)
    assert whole.platform is not None
    results = []
    for number in range(20):
        platform = msgspec.structs.replace(whole.platform, name=f"Platform number {number}")
        left_out = [deviation.id for deviation in islice(cycle(whole.deviations), number, 300 + number, number + 2)]
        results.append(without(msgspec.structs.replace(whole, platform=platform), *left_out))
    browser = page(results)
    size = browser.run("performance.getEntriesByType('navigation')[0].decodedBodySize")
    first, ready = browser.run(
        "[performance.getEntriesByName('first-contentful-paint')[0].startTime,"
        " performance.getEntriesByType('navigation')[0].domComplete]"
    )
    print(f"{size:,} bytes; first screen after {first:.0f} ms, ready after {ready:.0f} ms")  # noqa: T201 (for a person)
    assert size < 5_000_000
    assert ready < 20_000
    shown = browser.run("document.querySelectorAll('#rows tr[id]').length")
    browser.click("#more")
    assert browser.run("document.querySelectorAll('#rows tr[id]').length") > shown
    browser.run(CHOOSE.format("", "which"))
    assert browser.run(SHOWN) == "10011 requirements"
