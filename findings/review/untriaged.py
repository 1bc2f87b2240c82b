"""Deviations of a result without a finding or without a row in the table of triage, and templates for new rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clconform.findings.chapters import list_named_deviations, list_named_requirements
from clconform.findings.review.tested_driver import find_driver, get_revision, get_tested_driver
from clconform.reports.status_policy import UNPROVED_STATUSES
from clconform.spec_tables.loading import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from clconform.findings.chapters import FindingChapter
    from clconform.findings.deviations import DeviationTable
    from clconform.reports.run_result import DeviationResult, RunResult


def list_unlisted_deviations(chapters: Sequence[FindingChapter], result: RunResult) -> list[DeviationResult]:
    """Return the deviations that the findings do not name for any driver. Withdrawn findings do not count.

    A crash or a hang also counts as named if the findings name one of its requirements.
    """
    return _select_unknown(result, list_named_deviations(chapters), list_named_requirements(chapters))


def list_untriaged_deviations(table: DeviationTable, result: RunResult) -> list[DeviationResult]:
    """Return the deviations without a row for the driver, its version and the tables, except for flaky ones.

    A crash or hang also has a row if one of the driver's rows with such a verdict names one of its requirements. Rows
    about success do not count here: a call may crash for many reasons.
    """
    driver = find_driver(table, result)
    rows, tables = table.rows() if driver is not None else (), get_revision(result)
    own = [row for name, row, cause in rows if driver is not None and name == driver.id and tables in cause.tables]
    crashing = {
        requirement
        for row in own
        if row.verdict != "deviates"
        for requirement in row.requirements
        if not requirement.endswith("/success")
    }
    return _select_unknown(result, {row.id for row in own}, crashing)


def _select_unknown(
    result: RunResult, ids: Collection[str], crashing_requirements: Collection[str]
) -> list[DeviationResult]:
    """Return the deviations without one of the ids, except for flaky ones.

    With corrupted memory, the kind of crash or hang differs between machines, and calls that violate several conditions
    are drawn at random. A crash or hang is therefore also known by one of its requirements.
    """
    return [
        deviation
        for deviation in result.deviations
        if deviation.verdict not in UNPROVED_STATUSES
        and deviation.id not in ids
        and (
            deviation.verdict == "deviates" or not any(each in crashing_requirements for each in deviation.requirements)
        )
    ]


def format_unlisted(chapters: Sequence[FindingChapter], result: RunResult) -> Iterator[str]:
    """Yield a line for each deviation that the findings do not name."""
    for deviation in list_unlisted_deviations(chapters, result):
        yield f"not in the findings: {_describe(deviation)}"


def format_untriaged(table: DeviationTable, result: RunResult) -> Iterator[str]:
    """Yield a line for each deviation without a row."""
    platform, version = get_tested_driver(result)
    by = f", OpenCL {tables}" if (tables := get_revision(result)) != DEFAULT else ""
    for deviation in list_untriaged_deviations(table, result):
        yield f"not triaged for {platform} {version}{by}: {_describe(deviation)}"


def _describe(deviation: DeviationResult) -> str:
    requirements = " + ".join(deviation.requirements)
    return f"{deviation.id} {requirements}: {deviation.observed}, allowed: {', '.join(deviation.allowed)}"


def format_new_rows(table: DeviationTable, result: RunResult) -> Iterator[str]:
    """Yield the table's lines for each deviation without a row, and for its driver if it is new.

    The reason is empty, which the check rejects; a comment has the reasons of the same deviation on other drivers.
    """
    driver, tables = find_driver(table, result), get_revision(result)
    name = driver.id if driver is not None else _create_driver_id(result)
    if driver is None:
        platform, version = get_tested_driver(result)
        families = [each.family for each in table.driver if each.platform == platform]
        yield "[[driver]]"
        yield f"id = {_quote(name)}"
        yield f"family = {_quote(next(iter(families), ''))}"
        yield f"platform = {_quote(platform)}"
        yield f"version = {_quote(version)}"
        yield ""
    for deviation in list_untriaged_deviations(table, result):
        for other, row, cause in table.rows():
            if row.id == deviation.id:
                kind = f"{cause.kind} ({cause.interpretation})" if cause.interpretation else cause.kind
                yield f"# {other}, {', '.join(cause.tables)}: {kind}: {cause.reason}"
        yield "[[cause]]"
        yield f"drivers = [{_quote(name)}]"
        if tables != DEFAULT:
            yield f"tables = [{_quote(tables)}]"
        yield 'kind = "driver bug"'
        yield 'reason = ""'
        yield "deviations = ["
        fields = f"id = {_quote(deviation.id)}, verdict = {_quote(deviation.verdict)}, key = {_quote(deviation.key)}"
        yield f"    {{ {fields} }},"
        yield "]"
        yield ""


def _create_driver_id(result: RunResult) -> str:
    platform, version = get_tested_driver(result)
    return "-".join(f"{platform} {version}".lower().split())


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
