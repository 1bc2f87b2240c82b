"""Every requirement of contexts and queues (sections 4.4 and 5.1) is covered on some simulated platform."""

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

PLATFORMS = ("hints", "strict", "single", "flat-4", "oldest")
FUNCTIONS = (
    "clCreateContext",
    "clRetainContext",
    "clReleaseContext",
    "clTerminateContext",
    "clSetContext",
    "clGetContext",
    "CommandQueue",
)
"""Prefixes or parts of the names of these sections' functions."""
SECTIONS = ("4.4", "5.1")
UNSENT_REQUIREMENTS = {"clTerminateContextKHR/effect/13", "clTerminateContextKHR/effect/15"}
"""Requirements about calls on a terminated context, which suites do not make: reports show them as not covered."""
OTHER_DOCUMENTS = ("cl_ext_device_fission",)
"""Extensions whose changes to these sections the partition suite covers."""

pytestmark = ONLY_WITH_ALL


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results, one folder in it for each platform."""
    return tmp_path_factory.mktemp("contexts")


@pytest.fixture(scope="module")
def runs(out: Path) -> dict[str, SuiteRunResult]:
    """Return one run of the error and query suites for the functions of contexts and queues, on each platform."""
    suites = ["suites/errors", "suites/queries", "-k", " or ".join(FUNCTIONS)]
    return run_suites({name: [*suites, "--cl-simulated", name, "--cl-out", str(out / name)] for name in PLATFORMS}, 400)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_conforms_with_suites_of_contexts_and_queues(platform: str, runs: dict[str, SuiteRunResult]) -> None:
    assert runs[platform].code == 0, runs[platform].output[-4000:]


@pytest.mark.usefixtures("runs")
def test_each_requirement_of_contexts_and_queues_is_covered(out: Path) -> None:
    statuses: dict[str, set[str]] = defaultdict(set)
    for name in PLATFORMS:
        for requirement in load_result(out / name / "result.json").requirements:
            if (
                requirement.section.split()[:1] in ([one] for one in SECTIONS)
                and requirement.document not in OTHER_DOCUMENTS
            ):
                statuses[requirement.id].add(requirement.status)
    missed = {name: seen for name, seen in judged_statuses(statuses).items() if not seen & {"conforms", "untestable"}}
    assert len(statuses) > 100
    assert set(missed) == UNSENT_REQUIREMENTS
