"""Every query of the tables is covered on simulated platforms of all versions and profiles, and conforms."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from clconform.reports import load_result
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Limit, Query

from ..case_sampling import ONLY_WITH_ALL  # noqa: TID252 (tests are no part of the installed package)
from ..suite_runs import SuiteRunResult, run_suites  # noqa: TID252

if TYPE_CHECKING:
    from pathlib import Path

PLATFORMS = ("everything", "everything-1.2", "everything-embedded", "custom", "oldest", "embedded-3.0", "full-2.2")
OF_OTHER_INTERFACES = ("cl_khr_gl", "cl_khr_dx9", "cl_khr_d3d10", "cl_khr_d3d11")
"""Extensions for objects shared with other APIs, which cannot be created without these APIs."""

pytestmark = ONLY_WITH_ALL


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results, one folder in it for each platform."""
    return tmp_path_factory.mktemp("platforms")


@pytest.fixture(scope="module")
def runs(out: Path) -> dict[str, SuiteRunResult]:
    """Return one run of the query suites on each platform."""
    options = {name: ["suites/queries", "--cl-simulated", name, "--cl-out", str(out / name)] for name in PLATFORMS}
    return run_suites(options, seconds=900)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_conforms_with_query_suites(platform: str, runs: dict[str, SuiteRunResult]) -> None:
    assert runs[platform].code == 0, runs[platform].output[-4000:]


@pytest.mark.usefixtures("runs")
def test_each_query_and_limit_is_covered_on_a_platform(out: Path) -> None:
    statuses: dict[str, set[str]] = defaultdict(set)
    for name in PLATFORMS:
        for requirement in load_result(out / name / "result.json").requirements:
            statuses[requirement.id].add(requirement.status)
    missed = [
        requirement.id
        for requirement in load().requirements.values()
        if isinstance(requirement, (Query, Limit))
        and "conforms" not in statuses[requirement.id]
        and _is_coverable(requirement)
    ]
    assert missed == []


@pytest.mark.usefixtures("runs")
def test_each_query_that_is_not_covered_has_a_reason(out: Path) -> None:
    result = load_result(out / "everything" / "result.json")
    queries = [
        requirement
        for requirement in result.requirements
        if requirement.kind == "query" and requirement.status != "conforms"
    ]
    assert queries
    assert all(requirement.reason for requirement in queries)


def _is_coverable(requirement: Query | Limit) -> bool:
    gates = [*requirement.applicability, *load().functions[requirement.function].applicability]
    return not any(gate.name.startswith(OF_OTHER_INTERFACES) for gate in gates)
