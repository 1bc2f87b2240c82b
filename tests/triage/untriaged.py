"""Deviations of a result without a row in the triage table, and templates for new rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clconform.spec_tables.loading import DEFAULT

from .table import driver_tested, revision_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.reports.run_result import DeviationResult, RunResult

    from .table import Driver, Table


def without_a_row(table: Table, result: RunResult) -> list[DeviationResult]:
    """Return the deviations without a row for the driver, its version and the tables, except for flaky ones.

    With corrupted memory, the kind of crash or hang differs between machines, and calls that violate several conditions
    are drawn at random. A crash or hang therefore also has a row if one of the driver's rows with such a verdict names
    one of its requirements. Rows about success do not count here: a call may crash for many reasons.
    """
    driver = table.driver_of(result)
    rows, tables = table.rows() if driver is not None else (), revision_of(result)
    own = [row for name, row, cause in rows if driver is not None and name == driver.id and tables in cause.tables]
    ids = {row.id for row in own}
    lost = {record for row in own if row.verdict != "deviates" for record in row.records if not _is_success(record)}
    return [
        deviation
        for deviation in result.deviations
        if deviation.verdict != "flaky"
        and deviation.id not in ids
        and (deviation.verdict == "deviates" or not lost.intersection(deviation.records))
    ]


def _is_success(record: str) -> bool:
    return record.endswith("/success")


def untriaged(table: Table, result: RunResult) -> Iterator[str]:
    """Yield a line for each deviation without a row."""
    platform, version = driver_tested(result)
    by = f", OpenCL {tables}" if (tables := revision_of(result)) != DEFAULT else ""
    for deviation in without_a_row(table, result):
        said = f"{deviation.observed}, allowed: {', '.join(deviation.allowed)}"
        yield f"not triaged for {platform} {version}{by}: {deviation.id} {' + '.join(deviation.records)}: {said}"


def new_rows(table: Table, result: RunResult) -> Iterator[str]:
    """Yield the table's lines for each deviation without a row, and for its driver if it is new.

    The reason is empty, which the check rejects; a comment has the reasons of the same deviation on other drivers.
    """
    driver, tables = table.driver_of(result), revision_of(result)
    name = driver.id if driver is not None else _id_of(result)
    if driver is None:
        platform, version = driver_tested(result)
        yield "[[driver]]"
        yield f"id = {_quoted(name)}"
        yield f"family = {_quoted(next(iter(_families(table, platform)), ''))}"
        yield f"platform = {_quoted(platform)}"
        yield f"version = {_quoted(version)}"
        yield ""
    for deviation in without_a_row(table, result):
        for other, row, cause in table.rows():
            if row.id == deviation.id:
                rests = f"{cause.kind} ({cause.entry})" if cause.entry else cause.kind
                yield f"# {other}, {', '.join(cause.tables)}: {rests}: {cause.reason}"
        yield "[[cause]]"
        yield f"drivers = [{_quoted(name)}]"
        if tables != DEFAULT:
            yield f"tables = [{_quoted(tables)}]"
        yield 'kind = "driver bug"'
        yield 'reason = ""'
        yield "deviations = ["
        row_ = f"id = {_quoted(deviation.id)}, verdict = {_quoted(deviation.verdict)}, key = {_quoted(deviation.key)}"
        yield f"    {{ {row_} }},"
        yield "]"
        yield ""


def _families(table: Table, platform: str) -> list[str]:
    known: list[Driver] = [driver for driver in table.driver if driver.platform == platform]
    return [driver.family for driver in known]


def _id_of(result: RunResult) -> str:
    platform, version = driver_tested(result)
    return "-".join(f"{platform} {version}".lower().split())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
