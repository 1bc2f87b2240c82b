"""The layer and a test run find the same deviations in the same calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import forked_runs  # noqa: TID252 (tests are no part of the installed package)
from .agreement import compare_findings
from .conftest import POCL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

SUITES = ("errors.error_conditions", "partition.execution", "buffers.contents")
RECORDS = ("clCreateBuffer/*", "clSetUserEventStatus/*")


def test_layer_and_run_find_same_deviations(
    layer: Path, build_program: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del layer, build_program  # requested only so that the test is skipped without them
    out = tmp_path / "out"
    words = ["run", "--driver", POCL, "--seed", "1", "--tier", "tables", "--journal", "full", "--out", out]
    words += ["--minimise-seconds", "0.1", *(word for each in RECORDS for word in ("--requirement", each)), *SUITES]
    forked_runs.run(tmp_path, *map(str, words))
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    told = compare_findings(out, tmp_path / "calls.clrec")
    assert told.calls > 100
    assert told.in_both
    assert told.only_in_layer == set()
    assert told.only_in_run == set()
    assert sum(each.judged for each in told.validations) >= told.calls * 0.9
    assert told.undefined_findings == []
