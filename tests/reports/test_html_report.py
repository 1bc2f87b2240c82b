"""The HTML report is offline, safe and small, and readable without its script."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from clconform.calls.journal import Confirmation
from clconform.reports.html_report import render_report
from clconform.reports.journal_reader import parse_journal
from clconform.reports.result_builder import assemble_result
from clconform.spec_tables.requirements import Query

from . import fabricated_journals

if TYPE_CHECKING:
    from clconform.calls.line_kinds import JournalLine


class HtmlPage(HTMLParser):
    """Collects the elements and scripts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element, and whether its content is a script."""
        self.tags.append((tag, dict(attrs)))
        self._in_script = tag == "script"

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a script."""
        if tag == "script":
            self._in_script = False

    def handle_data(self, data: str) -> None:
        """Collect the text of a script."""
        if self._in_script:
            self.scripts.append(data)


def create_page(lines: list[JournalLine], tables: fabricated_journals.FakeTables | None = None) -> str:
    tables = tables or fabricated_journals.create_tables()
    return render_report(assemble_result(parse_journal(fabricated_journals.encode_journal(lines), "j"), tables), tables)


def page_data(page: str) -> dict[str, Any]:
    value = json.loads(zlib.decompress(base64.b64decode(HtmlPage(page).scripts[0])))
    assert isinstance(value, dict)
    return value


def test_first_screen_is_complete_without_script() -> None:
    page = re.sub(r"<script.*?</script>", "", create_page(fabricated_journals.journal_lines()), flags=re.DOTALL)
    for part in (
        "Portable Computing Language",
        "The pocl project",
        "OpenCL 3.0 PoCL 3.1",
        "3 distinct deviations (1 crash, 1 wrong result, 1 flaky deviation) affecting 4 requirements",
        "3.0.17",
        "42 · default",
        "2025-11-20T23:40:00Z",
        "1 min 30 s",
        "through the loader",
        "2 crashes, 1 deviates, 1 flaky, 1 conforms",
        "clconform replay result.json 577c2a37",
        "clconform reproduce result.json 577c2a37",
        "num_devices is less than the number of sub-devices",
        "where <code>out_devices = &lt;1-element output buffer&gt;, num_devices = 1</code>",
        "section 4.3 Partitioning a Device",
        "Reproduced 3 of 3 times",
        "{CL_DEVICE_PARTITION_EQUALLY, 1, 0}",
    ):
        assert part in page, part


def test_deviation_lists_requirements_that_its_outcome_also_violates() -> None:
    further = f"{fabricated_journals.SUB}/success"
    lines = [
        msgspec.structs.replace(line, also_violated=[further])
        if getattr(line, "key", "") == fabricated_journals.HUNG_KEY
        else line
        for line in fabricated_journals.journal_lines()
        if not isinstance(line, Confirmation)
    ]
    page = create_page(lines)
    assert f'The same outcome also violates <a href="#{further}"><code>{further}</code></a>.' in page
    assert page.count("The same outcome also violates") == 1


def test_hostile_text_is_escaped_in_html_report() -> None:
    plain, hostile = (
        create_page(fabricated_journals.journal_lines()),
        create_page(fabricated_journals.journal_lines(hostile=True)),
    )
    tags = [tag for tag, _ in HtmlPage(plain).tags]
    hostile_tags = [tag for tag, _ in HtmlPage(hostile).tags]
    for tag in ("script", "style", "b", "img", "link", "meta", "a"):
        assert hostile_tags.count(tag) <= tags.count(tag) or tag == "b", tag
    assert len(HtmlPage(hostile).scripts) == 2
    assert all(character.isprintable() or character in "\n\t" for character in hostile)
    assert "&lt;script&gt;alert(1)" in hostile
    assert "<script>alert" not in hostile
    assert "\\x1b[31mEvil" in hostile
    assert any("\\x1b[31mEvil" in text for text in page_data(hostile)["text"])


def test_page_fetches_nothing_and_runs_only_its_own_script() -> None:
    page = create_page(fabricated_journals.journal_lines(hostile=True))
    for tag, attributes in HtmlPage(page).tags:
        assert "src" not in attributes
        assert not any(name.startswith("on") or name == "style" for name in attributes), (tag, attributes)
        if tag == "a":
            assert (attributes["href"] or "").startswith("#")
    policy = next(attributes["content"] for tag, attributes in HtmlPage(page).tags if "http-equiv" in attributes)
    assert "default-src 'none'" in (policy or "")
    assert "unsafe" not in (policy or "")


def test_every_link_of_the_page_has_a_target() -> None:
    page = create_page(fabricated_journals.journal_lines())
    data = page_data(page)
    targets = {attributes["id"] for _, attributes in HtmlPage(page).tags if "id" in attributes}
    targets |= {row[0] for row in data["requirements"]}
    links = {(attributes["href"] or "")[1:] for tag, attributes in HtmlPage(page).tags if tag == "a"}
    assert links <= targets
    assert len(targets) > 15


def test_page_of_ten_thousand_requirements_is_below_2_megabytes() -> None:
    lines, tables = fabricated_journals.create_large_journal(10_000, every=33)
    page = create_page(lines, tables)
    assert len(page.encode()) < 2_000_000
    assert len(page_data(page)["requirements"]) == 10_011


def test_page_of_run_without_platform_states_that_none_was_found() -> None:
    page = create_page(fabricated_journals.journal_lines()[:1])
    assert "No platform found" in page
    assert "None found." in page


def test_page_shows_gate_findings_about_known_deviations() -> None:
    tables = fabricated_journals.create_tables()
    result = assemble_result(
        parse_journal(fabricated_journals.encode_journal(fabricated_journals.journal_lines()), "j"), tables
    )
    page = render_report(fabricated_journals.add_gate(result, "new"), tables)
    assert "Known deviations <code>known.toml</code>: 1 new, 1 fixed, 2 known, 1 not tested, exit code 12." in page
    assert 'class="known new">new</span><code class="seen">577c2a37' in page
    assert page.count('class="known known"') == 2
    assert "fixed, line 11: <code>clSomething/*</code>" in page
    assert "clOther" not in page, "an entry that asks for nothing is not told"
    assert 'class="known' not in render_report(result, tables)


def test_row_of_a_query_has_the_name_of_the_query() -> None:
    tables = fabricated_journals.create_tables()
    query = next(each.id for each in tables.requirements.values() if isinstance(each, Query))
    lines = fabricated_journals.encode_journal(fabricated_journals.journal_lines())
    result = assemble_result(parse_journal(lines, "j"), tables)
    changed = [replace(each, requirements=[query]) if each.id == "577c2a37" else each for each in result.deviations]
    page = render_report(replace(result, deviations=changed), tables)
    assert f'<code class="where">clCreateSubDevices {query}</code>' in page
    assert f'<code class="where">clCreateSubDevices {query}</code>' not in render_report(result, tables)
