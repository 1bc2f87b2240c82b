"""Deviations of a result without a row in the triage table, and templates for new rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clconform.spec_tables.loading import DEFAULT

from .table import get_revision, get_tested_driver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.reports.run_result import DeviationResult, RunResult

    from .table import DeviationTable, TriagedDriver


def list_untriaged_deviations(table: DeviationTable, result: RunResult) -> list[DeviationResult]:
    """Return the deviations without a row for the driver, its version and the tables, except for flaky ones.

    With corrupted memory, the kind of crash or hang differs between machines, and calls that violate several conditions
    are drawn at random. A crash or hang therefore also has a row if one of the driver's rows with such a verdict names
    one of its requirements. Rows about success do not count here: a call may crash for many reasons.
    """
    driver = table.find_driver(result)
    rows, tables = table.rows() if driver is not None else (), get_revision(result)
    own = [row for name, row, cause in rows if driver is not None and name == driver.id and tables in cause.tables]
    ids = {row.id for row in own}
    lost = {
        requirement
        for row in own
        if row.verdict != "deviates"
        for requirement in row.records
        if not _is_success(requirement)
    }
    return [
        deviation
        for deviation in result.deviations
        if deviation.verdict != "flaky"
        and deviation.id not in ids
        and (deviation.verdict == "deviates" or not lost.intersection(deviation.requirements))
    ]


def _is_success(requirement: str) -> bool:
    return requirement.endswith("/success")


def format_untriaged(table: DeviationTable, result: RunResult) -> Iterator[str]:
    """Yield a line for each deviation without a row."""
    platform, version = get_tested_driver(result)
    by = f", OpenCL {tables}" if (tables := get_revision(result)) != DEFAULT else ""
    for deviation in list_untriaged_deviations(table, result):
        said = f"{deviation.observed}, allowed: {', '.join(deviation.allowed)}"
        yield f"not triaged for {platform} {version}{by}: {deviation.id} {' + '.join(deviation.requirements)}: {said}"


def format_new_rows(table: DeviationTable, result: RunResult) -> Iterator[str]:
    """Yield the table's lines for each deviation without a row, and for its driver if it is new.

    The reason is empty, which the check rejects; a comment has the reasons of the same deviation on other drivers.
    """
    driver, tables = table.find_driver(result), get_revision(result)
    name = driver.id if driver is not None else _create_driver_id(result)
    if driver is None:
        platform, version = get_tested_driver(result)
        yield "[[driver]]"
        yield f"id = {_quote(name)}"
        yield f"family = {_quote(next(iter(_list_families(table, platform)), ''))}"
        yield f"platform = {_quote(platform)}"
        yield f"version = {_quote(version)}"
        yield ""
    for deviation in list_untriaged_deviations(table, result):
        for other, row, cause in table.rows():
            if row.id == deviation.id:
                rests = f"{cause.kind} ({cause.entry})" if cause.entry else cause.kind
                yield f"# {other}, {', '.join(cause.tables)}: {rests}: {cause.reason}"
        yield "[[cause]]"
        yield f"drivers = [{_quote(name)}]"
        if tables != DEFAULT:
            yield f"tables = [{_quote(tables)}]"
        yield 'kind = "driver bug"'
        yield 'reason = ""'
        yield "deviations = ["
        row_ = f"id = {_quote(deviation.id)}, verdict = {_quote(deviation.verdict)}, key = {_quote(deviation.key)}"
        yield f"    {{ {row_} }},"
        yield "]"
        yield ""


def _list_families(table: DeviationTable, platform: str) -> list[str]:
    known: list[TriagedDriver] = [driver for driver in table.driver if driver.platform == platform]
    return [driver.family for driver in known]


def _create_driver_id(result: RunResult) -> str:
    platform, version = get_tested_driver(result)
    return "-".join(f"{platform} {version}".lower().split())


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
