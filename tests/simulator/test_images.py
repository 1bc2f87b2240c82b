"""Simulated platforms conform to the suites of images, image formats and pipes.

``.ci/run`` runs the other suites, and the platform with all features.
"""

from __future__ import annotations

import pytest

from ..case_sampling import ALL  # noqa: TID252 (tests are no part of the installed package)
from ..suite_runs import SuiteRunResult, run_suites  # noqa: TID252

PLATFORMS = ("images-of-some", "everything-1.2") if ALL else ("images-of-some",)
KEYWORDS = () if ALL else ("-k", "not (beyond and (image3d or image2d_array))")
"""Reads beyond the edges use two-dimensional images; ``.ci/run`` also runs the others, which take most of the time."""
SUITES = [f"suites/chapters/{name}" for name in ("images", "image_formats", "pipes")]


@pytest.fixture(scope="module")
def runs() -> dict[str, SuiteRunResult]:
    """Return one run of the suites on each platform, with one example of each random test."""
    few = ["--cl-examples", "1", "--cl-seed", "1"]
    return run_suites({name: [*SUITES, "--cl-simulated", name, *few, *KEYWORDS] for name in PLATFORMS}, seconds=900)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_conforms_with_suites_of_images_and_pipes(platform: str, runs: dict[str, SuiteRunResult]) -> None:
    assert runs[platform].code == 0, runs[platform].output[-4000:]
    assert " passed" in runs[platform].output
