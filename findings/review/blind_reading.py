"""Draw deviations to be read again with hidden verdicts, and compare the judgements with the table.

Some of the drawn calls show an allowed result instead of the returned one, so that "no deviation" is a possible
judgement of each.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.findings.review.tested_driver import find_driver, get_tested_driver
from clconform.reports.call_formatting import ValueNames, format_call, format_steps
from clconform.reports.status_policy import UNPROVED_STATUSES
from clconform.spec_tables import load
from clconform.spec_tables.requirements import ErrorCondition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.findings.deviations import BlindJudgement, BlindReading, DeviationTable
    from clconform.reports.run_result import DeviationResult, RunResult


EXCHANGE_PROBABILITY = 0.25
"""Probability that a result is exchanged for an allowed one."""
MAX_STEPS = 30
"""Maximum number of printed calls before the last one; further calls in the middle are left out."""


@dataclass(frozen=True)
class DrawnDeviation:
    """One drawn deviation. ``shown_result``: the printed result. ``is_exchanged``: it is an allowed result instead."""

    driver: str
    result: RunResult
    deviation: DeviationResult
    shown_result: str
    is_exchanged: bool


def draw_deviations(
    table: DeviationTable, results: Iterable[RunResult], seed: int, number: int
) -> list[DrawnDeviation]:
    """Return ``number`` deviations of drivers in the table. The same seed and results give the same deviations.

    Flaky deviations are left out.
    """
    rng = random.Random(seed)  # noqa: S311 (no secret)
    known = [(driver.id, result) for result in results if (driver := find_driver(table, result)) is not None]
    pool = [
        (driver, result, deviation)
        for driver, result in sorted(known, key=lambda each: each[0])
        for deviation in sorted(result.deviations, key=lambda each: each.id)
        if deviation.verdict not in UNPROVED_STATUSES
    ]
    chosen = rng.sample(pool, min(number, len(pool)))
    return [_prepare_deviation(*each, exchange=rng.random() < EXCHANGE_PROBABILITY) for each in chosen]


def _prepare_deviation(driver: str, result: RunResult, deviation: DeviationResult, *, exchange: bool) -> DrawnDeviation:
    codes = {
        requirement.code for requirement in load().requirements.values() if isinstance(requirement, ErrorCondition)
    }
    allowed = [each for each in deviation.allowed if each == "CL_SUCCESS" or each in codes]
    exchanged = exchange and len(allowed) == len(deviation.allowed) > 0
    return DrawnDeviation(driver, result, deviation, allowed[0] if exchanged else deviation.observed, exchanged)


def format_page(every: Sequence[DrawnDeviation]) -> Iterator[str]:
    """Yield the lines to judge: calls, result, requirement and section, without verdict and allowed results."""
    tables = load()
    names = ValueNames(tables)
    for number, each in enumerate(every, 1):
        platform = each.result.platform
        yield f"## {number}: {each.driver}, {each.deviation.id}"
        yield f"platform: {platform.version if platform else ''}; driver {get_tested_driver(each.result)[1]}"
        for requirement in each.deviation.requirements:
            known = tables.requirements.get(requirement)
            section = f"{known.document} {known.section.number} {known.section.title}".strip() if known else "unknown"
            yield f"requirement: {requirement} ({section})"
        steps = format_steps(each.deviation.sequence, tables, names)[:-1]
        if len(steps) > MAX_STEPS:
            steps[MAX_STEPS // 2 : -MAX_STEPS // 2] = ["..."]
        last = format_call(each.deviation.sequence[-1].call, None, tables, names)
        yield from (f"    {line}" for line in (*steps, last))
        yield f"result: {each.shown_result}"
        yield ""


def get_expected_judgement(table: DeviationTable, each: DrawnDeviation) -> BlindJudgement:
    """Return the judgement of the shown result that follows from the table."""
    recorded = any((driver, row.id) == (each.driver, each.deviation.id) for driver, row, _ in table.rows())
    return "deviation" if recorded and not each.is_exchanged else "no deviation"


def find_differences(table: DeviationTable, reading: BlindReading, every: Sequence[DrawnDeviation]) -> list[str]:
    """Return a line for each drawn deviation that was not read, or whose judgement differs from the table.

    An open judgement agrees with the absence of a deviation.
    """
    judged = {(one.driver, one.id): one for one in reading.readings}
    found = []
    for number, each in enumerate(every, 1):
        one = judged.get((each.driver, each.deviation.id))
        name, expected = f"{number}: {each.driver}, {each.deviation.id}", get_expected_judgement(table, each)
        if one is None:
            found.append(f"{name}: not read")
        elif one.judged != expected and not (one.judged == "open" and expected == "no deviation"):
            found.append(f"{name}: judged {one.judged!r}, the table has {expected!r}: {one.resolution or one.reason}")
    return found
