"""Compares the results of several platforms: the status of each requirement, and the platforms of each deviation.

A requirement on which every tested driver deviates with the same verdict and value is marked for review, because the
drivers may share a reading of the document that the oracle lacks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Literal

import msgspec

from clconform.reports.status_policy import (
    DEVIATING_STATUSES,
    TESTED_STATUSES,
    UNPROVED_STATUSES,
    DeviatingStatus,
    Status,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clconform.reports.run_result import DeviationResult, RequirementResult, RunResult

FORMAT = 3
TITLE = "Comparison matrix of several clconform results"
MISSING_STATUS: Status = "not-run"
"""The status of a requirement on a platform whose result does not contain it."""
Difference = Literal["verdicts", "deviations", "scope", "none"]
DIFFERENCES: tuple[Difference, ...] = ("verdicts", "deviations", "scope", "none")
"""The differences between the statuses in a row, the most significant first.

``verdicts``: the statuses of tested platforms differ. ``deviations``: all tested platforms deviate with the same
status. ``scope``: the tested platforms agree, but another platform has another status. ``none``: all statuses are
equal."""
MIN_CONSENSUS = 2
"""Minimum number of deviating drivers for a consensus."""


class PlatformColumn(msgspec.Struct, frozen=True):
    """One platform: its name and version, its access, and the results of its run in numbers."""

    name: str
    version: str
    device: str
    driver_version: str
    access: str
    verdict: str
    requirements: int
    statuses: dict[str, int]
    tables: str


class RequirementRow(msgspec.Struct, frozen=True):
    """One requirement on all platforms.

    ``statuses`` and ``deviations``: one element for each platform; ``deviations`` contains ids. ``to_review``: every
    tested driver deviates with the same verdict and value.
    """

    id: str
    kind: str
    section: str
    title: str
    function: str
    condition: str
    difference: Difference
    statuses: list[Status]
    deviations: list[list[str]]
    to_review: bool = False


class SharedDeviation(msgspec.Struct, frozen=True):
    """One deviation on all platforms, which are identified by their index.

    ``platforms``: platforms that show the deviation. ``other_deviations``: platforms with another deviation of one of
    its requirements. ``tested``: platforms on which one of its requirements was tested. ``to_review``: every tested
    driver shows the deviation.
    """

    id: str
    function: str
    requirements: list[str]
    verdict: DeviatingStatus
    confidence: str
    allowed: list[str]
    observed: str
    conditions: dict[str, str]
    platforms: list[int]
    other_deviations: list[int]
    tested: list[int]
    to_review: bool


class ResultMatrix(msgspec.Struct, frozen=True):
    """The results of several platforms.

    ``requirements``: requirements with differences come first. ``deviations``: the worst come first, then the most
    frequent.
    """

    platforms: list[PlatformColumn]
    requirements: list[RequirementRow]
    deviations: list[SharedDeviation]
    format: int = FORMAT

    @property
    def requirements_to_review(self) -> list[RequirementRow]:
        """The requirements on which every tested driver deviates with the same verdict and value."""
        return [row for row in self.requirements if row.to_review]

    def counts(self) -> dict[Difference, int]:
        """Return the number of requirements for each kind of difference."""
        found = Counter(row.difference for row in self.requirements)
        return {difference: found[difference] for difference in DIFFERENCES}


def make_matrix(results: Sequence[RunResult]) -> ResultMatrix:
    """Return the matrix of the results, with the platforms in the order of the results."""
    columns = [_platform_column(result) for result in results]
    by_id = [{requirement.id: requirement for requirement in result.requirements} for result in results]
    deviations = _shared_deviations(results, columns, by_id)
    blamed = {requirement for deviation in deviations if deviation.to_review for requirement in deviation.requirements}
    ids = dict.fromkeys(requirement.id for result in results for requirement in result.requirements)
    rows = [_requirement_row([known.get(name) for known in by_id], second_reading=name in blamed) for name in ids]
    rows.sort(key=lambda row: (DIFFERENCES.index(row.difference), not row.to_review))
    return ResultMatrix(columns, rows, deviations)


def agreement_texts(matrix: ResultMatrix, index: int) -> dict[str, str]:
    """Map each deviation of the platform with this index to a text: how many other platforms share it."""
    told = {}
    for deviation in matrix.deviations:
        others = [other for other in deviation.tested if other != index]
        if index in deviation.platforms and others:
            shown = len(deviation.platforms) - 1
            told[deviation.id] = f"The same on {shown} of {len(others)} other platform{'s' if len(others) != 1 else ''}"
    return told


def status_difference(statuses: Sequence[Status]) -> Difference:
    """Return the kind of difference between the statuses of a requirement on several platforms."""
    asked = [status for status in statuses if status in TESTED_STATUSES]
    if len(set(asked)) > 1:
        return "verdicts"
    if asked and asked[0] in DEVIATING_STATUSES:
        return "deviations"
    return "scope" if len(set(statuses)) > 1 else "none"


def _platform_column(result: RunResult) -> PlatformColumn:
    platform, summary = result.platform, result.summary
    known = (summary.verdict, summary.requirements, summary.statuses, result.run.tables)
    if platform is None:
        return PlatformColumn("no platform found", "", "", "", "", *known)
    versions = ", ".join(dict.fromkeys(device.driver_version for device in platform.devices))
    return PlatformColumn(platform.name, platform.version, platform.device_name, versions, platform.access, *known)


def _requirement_row(found: Sequence[RequirementResult | None], *, second_reading: bool) -> RequirementRow:
    statuses = [requirement.status if requirement else MISSING_STATUS for requirement in found]
    first = next(requirement for requirement in found if requirement)
    return RequirementRow(
        id=first.id,
        kind=first.kind,
        section=first.section,
        title=first.title,
        function=first.function,
        condition=next((requirement.condition for requirement in found if requirement and requirement.condition), ""),
        difference=status_difference(statuses),
        statuses=statuses,
        deviations=[list(requirement.deviations) if requirement else [] for requirement in found],
        to_review=second_reading,
    )


def _shared_deviations(
    results: Sequence[RunResult], columns: Sequence[PlatformColumn], by_id: Sequence[Mapping[str, RequirementResult]]
) -> list[SharedDeviation]:
    seen: dict[str, dict[int, DeviationResult]] = defaultdict(dict)
    for place, result in enumerate(results):
        for deviation in result.deviations:
            seen[deviation.id][place] = deviation
    found = [_shared_deviation(of, columns, by_id) for of in seen.values()]
    return sorted(
        found, key=lambda each: (DEVIATING_STATUSES.index(each.verdict), -len(each.platforms), each.function, each.id)
    )


def _shared_deviation(
    seen: Mapping[int, DeviationResult],
    columns: Sequence[PlatformColumn],
    by_id: Sequence[Mapping[str, RequirementResult]],
) -> SharedDeviation:
    first = min(seen.values(), key=lambda deviation: DEVIATING_STATUSES.index(deviation.verdict))
    statuses = [
        {known[requirement].status for requirement in first.requirements if requirement in known} for known in by_id
    ]  # requirements of the deviation, by platform
    asked = [place for place, found in enumerate(statuses) if found & set(TESTED_STATUSES) or place in seen]
    drivers = [place for place in asked if columns[place].access != "simulated"]
    return SharedDeviation(
        id=first.id,
        function=first.function,
        requirements=first.requirements,
        verdict=first.verdict,
        confidence=first.confidence,
        allowed=first.allowed,
        observed=first.observed,
        conditions=first.conditions,
        platforms=list(seen),
        other_deviations=[place for place in asked if place not in seen and statuses[place] & set(DEVIATING_STATUSES)],
        tested=asked,
        to_review=len(drivers) >= MIN_CONSENSUS
        and first.verdict not in UNPROVED_STATUSES
        and all(place in seen for place in drivers)
        and len({(seen[place].verdict, seen[place].observed) for place in drivers}) == 1,
    )
