"""The page of a validation: its content, hostile texts, and its appearance in a browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Begun, Call, Step
from clconform.calls.values import Handle, Text
from clconform.spec_tables import load
from clconform.validation.findings import (
    ADVICE,
    DRIVER,
    ERROR,
    PROBE,
    PROGRAM,
    UNCLEAR,
    CallSite,
    Validation,
    ValidationFinding,
)
from clconform.validation.validation_page import render_validations
from tests.reports.browser import Browser, check_silent_and_offline, needs_chromium, start_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOSTILE = "</script><img src=x onerror=alert(1)>&\"'\x1b[31m\u202e\ud800"
VISIBLE = "getComputedStyle(e).display !== 'none' && e.checkVisibility()"
SHOWN = f"[...document.querySelectorAll('details.finding')].filter(e => {VISIBLE}).length"


def make_finding(number: int = 1, **changes: object) -> ValidationFinding:
    call = Call("clCreateKernel", {"program": Handle("program1"), "kernel_name": Text("scale"), "errcode_ret": None})
    finding = ValidationFinding(
        party=PROGRAM,
        kind=ERROR,
        function="clCreateKernel",
        requirements=["clCreateKernel/CL_INVALID_KERNEL_NAME/1"],
        reason="program does not have a kernel with the name kernel_name.",
        site=CallSite("/bin/program", 64, f"/src/program.c:{number}"),
        call_number=number,
        thread=1,
        steps=[Step(call, Begun())],
        call_numbers=[number],
        allowed=["CL_INVALID_KERNEL_NAME"],
        observed="CL_SUCCESS",
        rule="clCreateKernel/CL_INVALID_KERNEL_NAME/1",
        remedy="Pass another name.",
    )
    return msgspec.structs.replace(finding, **changes)


def make_validation(*findings: ValidationFinding, **changes: object) -> Validation:
    validation = Validation("program", 12, 10, {"it is unknown": 2}, list(findings), not_visible=["the data"])
    return msgspec.structs.replace(validation, **changes)


MIXED = (
    make_finding(1),
    make_finding(
        2, kind=ADVICE, rule="leaked-object", requirements=[], count=1234, reason="the program never releases it"
    ),
    make_finding(3, kind=PROBE),
    make_finding(4, party=DRIVER, kind="deviation", remedy=""),
    make_finding(5, party=UNCLEAR, kind="failed", rule="insufficient-resources", requirements=[], reason="it fails"),
)


def test_page_groups_findings_by_party_and_kind() -> None:
    page = render_validations([make_validation(*MIXED)], load())
    titles = re.findall(r"<h[34]>(.*?) <small>(\d+)</small>", page)
    assert titles == [
        ("The program", "3"),
        ("Calls that must fail", "1"),
        ("Leaks, by the place that creates the objects", "1"),
        ("Probes: queries that may fail", "1"),
        ("The driver", "1"),
        ("Outcomes that no requirement allows", "1"),
        ("Cause unclear", "1"),
        ("Failed calls", "1"),
    ]
    for text in (
        "Pass another name.",
        "1,234 times",
        "/src/program.c:1",
        "It is unknown.",
        "The data.",
        "section 5.9.1",
    ):
        assert text in page
    assert page.count("Write a suppression for this") == len(MIXED)


def test_page_has_a_section_for_each_process() -> None:
    page = render_validations([make_validation(make_finding()), make_validation(recording="child 17")], load())
    assert re.findall(r'<section id="(process-\d)"', page) == ["process-1", "process-2"]
    assert "Process 2: child 17" in page
    assert "No findings." in page
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_hostile_texts_are_escaped() -> None:
    call = Call(HOSTILE, {"kernel_name": Text(HOSTILE)})
    finding = make_finding(
        function=HOSTILE,
        reason=HOSTILE,
        site=CallSite(HOSTILE, 1, HOSTILE),
        steps=[Step(call, Begun())],
        remedy=HOSTILE,
        observed=HOSTILE,
        allowed=[HOSTILE],
        rule=HOSTILE,
        requirements=[HOSTILE],
    )
    validation = make_validation(
        finding, recording=HOSTILE, platforms=[HOSTILE], not_judged={HOSTILE: 1}, damage=HOSTILE, program_end=HOSTILE
    )
    page = render_validations([validation, validation], load())
    page.encode("utf-8")
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert "\x1b" not in page
    assert "\u202e" not in page


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser that the tests of the module share."""
    with start_chromium(tmp_path_factory.mktemp("chromium") / "profile") as started:
        yield started


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """Return a browser that has opened a page; check after the test that the page was silent and offline."""
    path = tmp_path / "validation.html"
    path.write_text(render_validations([make_validation(*MIXED)], load()), encoding="utf-8")
    with check_silent_and_offline(browser, path):
        browser.open(path)
        yield browser


@needs_chromium
def test_findings_are_filtered_by_text_and_kind(page: Browser) -> None:
    assert page.evaluate(SHOWN) == len(MIXED)
    page.evaluate("document.getElementById('text').focus()")
    page.type_text("program.c:4")
    page.wait_until(f"{SHOWN} === 1")
    assert page.evaluate("document.getElementById('shown').textContent") == "1 of 5 findings"
    page.press_keys("Escape")
    assert page.evaluate(SHOWN) == len(MIXED)
    page.evaluate(
        "(s => { s.value = 'advice'; s.dispatchEvent(new Event('change')); })(document.getElementById('kind'))"
    )
    assert page.evaluate(SHOWN) == 1


@needs_chromium
def test_suppression_is_copied(page: Browser) -> None:
    page.evaluate("document.querySelector('.suppression').open = true")
    page.click(".suppression .copy")
    page.wait_until("document.querySelector('.suppression .copy').textContent === 'Copied'")


@needs_chromium
@pytest.mark.parametrize("width", [1280, 360])
def test_page_fits_the_window(width: int, browser: Browser, tmp_path: Path) -> None:
    long = "x" * 3000
    findings = [make_finding(number, reason=long, remedy=long, observed=long) for number in range(20)]
    path = tmp_path / "long.html"
    validation = make_validation(*findings, recording=long, platforms=[long], not_judged={long: 3}, damage=long)
    path.write_text(render_validations([validation, validation], load()), encoding="utf-8")
    with check_silent_and_offline(browser, path):
        browser.resize(width, 800)
        browser.open(path)
        browser.evaluate("document.querySelectorAll('details').forEach(e => { e.open = true; })")
        assert browser.evaluate("document.documentElement.scrollWidth") <= width


@needs_chromium
def test_page_with_many_findings_opens(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    path.write_text(render_validations([make_validation(*map(make_finding, range(1000)))], load()), encoding="utf-8")
    with check_silent_and_offline(browser, path):
        browser.open(path)
        assert browser.evaluate("document.querySelectorAll('details.finding').length") == 1000
        assert browser.evaluate("document.querySelectorAll('details.finding[open]').length") == 1
