"""cl_intel_unified_shared_memory on simulated platforms: every requirement is covered, or has a reason why not."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from clconform.reports import load_result

from ..case_sampling import ALL  # noqa: TID252
from ..suite_runs import SuiteRunResult, run_suites  # noqa: TID252
from ..unjudged_effects import judged_statuses  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = "cl_intel_unified_shared_memory"
MEMORY_TYPE_PLATFORMS = (
    "unified-all",
    "unified-least",
    "unified-between",
    "unified-host",
    "unified-shared",
    "unified-apart",
)
"""Combinations of memory types: all, the minimum, devices that share memory, single types, and separate devices."""
PLATFORMS = MEMORY_TYPE_PLATFORMS if ALL else MEMORY_TYPE_PLATFORMS[:2]
DEVICE_ONLY_PLATFORMS = ("unified-by-devices", "unified-by-one") if ALL else ()
"""Platforms on which all devices, or one of two, report the extension, but the platform does not."""
CLAUSES = ("suites/errors", "-k")
LACKING, STRICT = "unified-none", "unified-strict"
"""A device without any memory type, which the extension forbids; one that rejects everything it may reject."""
KEYWORDS = "(INTEL or ExecInfo or usm or shared-system or access) and not NO_ACCESS"
ALL_QUERIES = "clGetDeviceInfo and root"
"""Run on one platform by default; ``test_answers.py`` makes all queries on each platform."""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results, one folder in it for each platform."""
    return tmp_path_factory.mktemp("unified")


@pytest.fixture(scope="module")
def runs(out: Path) -> dict[str, SuiteRunResult]:
    """Return one run of the extension's items on each platform, with one example of each random test.

    On the platform without memory types, only error conditions run, by default those about allocations. On the strict
    platform, by default also only error conditions run, because its other items equal those of the first platform.
    """
    whole = ["suites/chapters/usm", "suites/errors", "suites/queries", "-k"]
    options = {
        name: [
            *whole,
            f"({KEYWORDS}) or ({ALL_QUERIES})" if ALL or name == MEMORY_TYPE_PLATFORMS[0] else KEYWORDS,
            "--cl-simulated",
            name,
        ]
        for name in (*PLATFORMS, *DEVICE_ONLY_PLATFORMS)
    }
    options[STRICT] = [*(whole if ALL else CLAUSES), KEYWORDS, "--cl-simulated", STRICT]
    # a sub-device is queried for the capabilities that this platform lacks by design
    lacking = f"{KEYWORDS} and not sub-device" if ALL else f"{KEYWORDS} and MemAlloc and not sub-device"
    options[LACKING] = [*CLAUSES, lacking, "--cl-simulated", LACKING]
    few = ["--cl-examples", "1", "--cl-seed", "1"]
    wanted = {name: [*each, *few, "--cl-out", str(out / name)] for name, each in options.items()}
    return run_suites(wanted, seconds=900, here=True)


@pytest.mark.parametrize("platform", [*PLATFORMS, *DEVICE_ONLY_PLATFORMS, STRICT, LACKING])
def test_platform_conforms_with_suites_of_unified_shared_memory(platform: str, runs: dict[str, SuiteRunResult]) -> None:
    assert runs[platform].code == 0, runs[platform].output[-4000:]


@pytest.mark.usefixtures("runs")
def test_each_requirement_of_unified_memory_is_covered_or_has_reason(out: Path) -> None:
    statuses: dict[str, set[str]] = defaultdict(set)
    for name in (*PLATFORMS, STRICT, LACKING):
        for requirement in load_result(out / name / "result.json").requirements:
            if requirement.document == DOCUMENT:
                statuses[requirement.id].add(requirement.status)
    missed = {name for name, seen in judged_statuses(statuses).items() if not seen & {"conforms", "untestable"}}
    assert len(statuses) > 140
    assert missed == set()
