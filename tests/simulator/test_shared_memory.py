"""Sections 5.5 and 5.6 on simulated platforms: every requirement is covered, or has a reason why not."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from clconform.reports import load_result

from ..case_sampling import ONLY_WITH_ALL  # noqa: TID252
from ..suite_runs import SuiteRunResult, run_suites  # noqa: TID252
from ..unjudged_effects import judged_statuses  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

PLATFORMS = ("full-2.2", "shared-apart", "single", "interfaces")
"""All sharing features, devices with different features, no sharing, and objects of other APIs."""
SECTIONS = ("5.5.1", "5.5.2", "5.5.3", "5.5.4", "5.5.5", "5.5.10", "5.5.11", "5.5.12", "5.5.13", "5.6")
"""The covered sections, without the sections on queries of objects, which the query suites cover."""
KEYWORDS = "SVM or MemObj or External or DX9 or D3D or EGL or GLObjects"
DESTRUCTOR_EFFECT = "clReleaseMemObject/effect/1"
"""Covered by the notification suite."""

pytestmark = ONLY_WITH_ALL


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results, one folder in it for each platform."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def runs(out: Path) -> dict[str, SuiteRunResult]:
    """Return one run of the sections' error conditions on each platform."""
    asked = ["suites/errors", "-k", KEYWORDS]
    options = {name: [*asked, "--cl-simulated", name, "--cl-out", str(out / name)] for name in PLATFORMS}
    return run_suites(options, seconds=600)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_conforms_with_error_conditions_of_shared_memory(
    platform: str, runs: dict[str, SuiteRunResult]
) -> None:
    assert runs[platform].code == 0, runs[platform].output[-4000:]


@pytest.mark.usefixtures("runs")
def test_each_requirement_of_shared_memory_is_covered_or_has_reason(out: Path) -> None:
    statuses: dict[str, set[str]] = defaultdict(set)
    for name in PLATFORMS:
        for requirement in load_result(out / name / "result.json").requirements:
            number = next(iter(requirement.section.split()), "")
            if requirement.document == "OpenCL" and f"{number}.".startswith(tuple(f"{each}." for each in SECTIONS)):
                statuses[requirement.id].add(requirement.status)
    missed = {name for name, seen in judged_statuses(statuses).items() if not seen & {"conforms", "untestable"}}
    assert len(statuses) > 200
    assert missed == {DESTRUCTOR_EFFECT}
