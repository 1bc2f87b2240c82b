"""Simulated platforms with pointers of 32 bits conform, and no suite makes calls that such a machine cannot express."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.reports import load_result

from ..case_sampling import ALL  # noqa: TID252 (tests are no part of the installed package)
from ..suite_runs import run_suites  # noqa: TID252

if TYPE_CHECKING:
    from pathlib import Path

SELECTED = () if ALL else ("-k", "SIZE_MAX or overflows or wraps or CL_INVALID_ARG_SIZE or a_walk or sub-group")
"""Items about the largest size_t, the size of a handle, and addresses in memory."""
SUITES = "suites" if ALL else "suites/errors"


def test_narrow_platform_conforms(tmp_path: Path) -> None:
    options = [SUITES, "--cl-simulated", "narrow-everything", *SELECTED, "--cl-out", str(tmp_path / "out")]
    run = run_suites({"narrow": options}, seconds=900, here=True)["narrow"]
    assert run.code == 0, run.output[-4000:]
    result = load_result(tmp_path / "out" / "result.json")
    assert result.platform is not None
    assert result.platform.pointer_bytes == 4
    assert not result.deviations
