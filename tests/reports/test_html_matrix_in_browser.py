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
from clconform.reports.status_policy import DEVIATING_STATUSES, STATUSES

from . import fabricated_journals
from .browser import Browser, check_silent_and_offline, needs_chromium
from .test_result_matrix import DEVIATION, create_result, remove_deviations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from clconform.reports.run_result import RunResult

pytestmark = needs_chromium

SHOWN = "document.getElementById('shown').textContent"
ROWS = "[...document.querySelectorAll('#rows tr[id]')].map(e => e.id)"
SELECT_SCRIPT = "(s => {{ s.value = '{}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('{}'))"
SUB = fabricated_journals.SUB


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Browser]]:
    """Return a function that opens the page of several results; check the page for messages and requests at the end."""

    def opened(results: Sequence[RunResult], fragment: str = "") -> Browser:
        path = tmp_path / "matrix.html"
        path.write_text(render_matrix(make_matrix(results)), encoding="utf-8")
        browser.open(path, quote(fragment, safe=""))
        return browser

    with check_silent_and_offline(browser, tmp_path / "matrix.html"):
        yield opened


def create_three_results() -> list[RunResult]:
    return [
        create_result(name="one"),
        remove_deviations(create_result(name="two"), DEVIATION),
        create_result(name="three"),
    ]


def test_matrix_rows_start_with_differences_and_can_be_filtered_and_sorted(open_page: Callable[..., Browser]) -> None:
    browser = open_page(create_three_results())
    assert browser.evaluate(SHOWN) == "4 of 11 requirements"
    assert browser.evaluate(ROWS)[0] == fabricated_journals.CRASHED
    cells = f"[...document.getElementById('{fabricated_journals.CRASHED}').cells].map(e => e.title)"
    assert browser.evaluate(cells) == ["", "deviates", "conforms", "deviates"]
    browser.evaluate(SELECT_SCRIPT.format("", "which"))
    assert browser.evaluate(SHOWN) == "11 requirements"
    browser.evaluate(SELECT_SCRIPT.format("name", "sort"))
    assert browser.evaluate(ROWS) == sorted(browser.evaluate(ROWS))
    browser.press_keys("/")
    browser.type_text("max_sub")
    browser.wait_until(f"{SHOWN} === '1 of 11 requirements'")
    assert browser.evaluate(ROWS) == ["CL_DEVICE_PARTITION_MAX_SUB_DEVICES"]
    browser.press_keys("Escape")
    browser.evaluate(SELECT_SCRIPT.format("to-review", "which"))
    assert f"{SUB}/CL_DEVICE_PARTITION_FAILED/1" in browser.evaluate(ROWS)
    assert fabricated_journals.CRASHED not in browser.evaluate(ROWS)


def test_each_status_stands_in_the_column_of_its_platform(open_page: Callable[..., Browser]) -> None:
    first = create_result()
    changed = first.requirements[0].id
    results = [
        msgspec.structs.replace(
            first,
            requirements=[
                msgspec.structs.replace(each, status=status if each.id == changed else "conforms")
                for each in first.requirements
            ],
        )
        for status in reversed(STATUSES)
    ]
    browser = open_page(results)
    cells = f"[...document.getElementById('{changed}').cells].map(e => e.title).slice(1)"
    assert browser.evaluate(cells) == list(reversed(STATUSES))


@pytest.mark.parametrize("status", DEVIATING_STATUSES)
def test_filter_of_deviations_keeps_each_status_of_a_deviation(open_page: Callable[..., Browser], status: str) -> None:
    first = create_result()
    changed, *rest = first.requirements
    requirements = [
        msgspec.structs.replace(changed, status=status),
        *(msgspec.structs.replace(each, status="conforms") for each in rest),
    ]
    browser = open_page([msgspec.structs.replace(first, requirements=requirements), first])
    browser.evaluate(SELECT_SCRIPT.format("deviating", "which"))
    assert changed.id in browser.evaluate(ROWS)


def test_keyboard_unfolds_requirement_and_reaches_deviation(open_page: Callable[..., Browser]) -> None:
    browser = open_page(create_three_results())
    browser.evaluate(f"document.getElementById('{fabricated_journals.CRASHED}').querySelector('button').focus()")
    browser.press_keys("Enter")
    told = f"document.getElementById('{fabricated_journals.CRASHED}').nextSibling.textContent"
    assert (
        "out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."
        in browser.evaluate(told)
    )
    assert f"one 3.1: {DEVIATION}" in browser.evaluate(told)
    assert browser.evaluate("document.activeElement.ariaExpanded") == "true"
    browser.press_keys("Tab", "Enter")
    browser.wait_until(f"document.getElementById('{DEVIATION}').open")
    said = browser.evaluate(f"document.getElementById('{DEVIATION}').innerText")
    assert "Found on 2 of 3 tested platforms" in said
    assert "one 3.1 · three 3.1" in said
    browser.evaluate(f"document.getElementById('{fabricated_journals.CRASHED}').querySelector('button').click()")
    assert f"{DEVIATION}" not in browser.evaluate(told), "and folds again"


@pytest.mark.parametrize("record", [fabricated_journals.CRASHED, "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"])
def test_permalink_unfolds_and_focuses_requirement(open_page: Callable[..., Browser], record: str) -> None:
    browser = open_page(create_three_results(), record)
    browser.wait_until(f"document.activeElement.textContent === '{record}'")
    assert browser.evaluate("document.querySelector('.here').id") == record
    assert browser.evaluate("document.activeElement.ariaExpanded") == "true"


def test_accessibility_tree_names_controls_columns_and_statuses(open_page: Callable[..., Browser]) -> None:
    spoken = open_page(create_three_results()).accessible_nodes()
    named = ("button", "link", "searchbox", "combobox", "image", "region", "navigation", "columnheader", "rowheader")
    assert [role for role, name in spoken if role in named and not name] == []
    assert {("columnheader", "one 3.1"), ("columnheader", "two 3.1"), ("columnheader", "Requirement")} <= set(spoken)
    assert "conforms" in {name for role, name in spoken if role in ("cell", "gridcell", "StaticText")}


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light")])
def test_page_fits_wide_and_narrow_windows(
    open_page: Callable[..., Browser], tmp_path: Path, width: int, scheme: str
) -> None:
    browser = open_page(create_three_results())
    browser.resize(width, 900)
    browser.emulate_media(prefers_color_scheme=scheme)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    print(f"screenshot: {browser.screenshot(tmp_path / 'matrix.png', whole=True)}")  # noqa: T201 (for a person)


def test_hostile_platform_names_are_not_interpreted_as_html(open_page: Callable[..., Browser]) -> None:
    browser = open_page([create_result(hostile=True), create_result(hostile=True), create_result()])
    browser.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    browser.evaluate("document.querySelectorAll('#rows button').forEach(e => e.click())")
    assert browser.evaluate("document.scripts.length") == 2
    assert browser.evaluate("document.querySelectorAll('img, iframe, [onerror], b b').length") == 0
    assert "\\x1b[31mEvil" in browser.evaluate("document.getElementById('columns').textContent")


def test_page_of_ten_thousand_requirements_and_twenty_platforms_loads_in_time(
    open_page: Callable[..., Browser],
) -> None:
    lines, tables = fabricated_journals.create_large_journal(10_000, every=33)
    whole = assemble_result(parse_journal(fabricated_journals.encode_journal(lines), "j"), tables)
    assert whole.platform is not None
    results = []
    for number in range(20):
        platform = msgspec.structs.replace(whole.platform, name=f"Platform number {number}")
        left_out = [deviation.id for deviation in islice(cycle(whole.deviations), number, 300 + number, number + 2)]
        results.append(remove_deviations(msgspec.structs.replace(whole, platform=platform), *left_out))
    browser = open_page(results)
    size = browser.evaluate("performance.getEntriesByType('navigation')[0].decodedBodySize")
    first, ready = browser.evaluate(
        "[performance.getEntriesByName('first-contentful-paint')[0].startTime,"
        " performance.getEntriesByType('navigation')[0].domComplete]"
    )
    print(f"{size:,} bytes; first screen after {first:.0f} ms, ready after {ready:.0f} ms")  # noqa: T201 (for a person)
    assert size < 5_000_000
    assert ready < 20_000
    shown = browser.evaluate("document.querySelectorAll('#rows tr[id]').length")
    browser.click("#more")
    assert browser.evaluate("document.querySelectorAll('#rows tr[id]').length") > shown
    browser.evaluate(SELECT_SCRIPT.format("", "which"))
    assert browser.evaluate(SHOWN) == "10011 requirements"
