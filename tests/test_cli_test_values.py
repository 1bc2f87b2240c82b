"""A known deviation at a further test value: the gate, comparisons, quick runs and all reports present it as new.

The deviation id is that of the known deviation, and the test is the same. On revision 9a89dfee, deviations had no test
values: the gate and the comparison returned 0.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from clconform.calls import exit_codes
from clconform.reports.known_deviations import read_known_deviations
from clconform.selftest.faults.further_values import FILL, PAIRS, QUERY, SAMPLER, SET, FaultPair
from clconform.tools.cli import cli

from . import in_process
from .case_sampling import one_in

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from click.testing import Result

REQUIREMENTS = {
    SET: "clSetKernelArg/CL_INVALID_ARG_SIZE/1",
    SAMPLER: "clCreateSampler/CL_INVALID_VALUE/1",
    FILL: "clEnqueueFillBuffer/CL_INVALID_VALUE/2",
    QUERY: "clGetPlatformInfo/CL_INVALID_VALUE/1",
}
SELECTED = {QUERY: ("clGetPlatformInfo/success", "queries.values")}
"""The requirement and the suite of the tests, where they are not the violated requirement and its usual suite."""
SEEDS = (1, 2, 3)
VALUES = {
    "wrong-argument-size-accepted": "local uint*, 0 bytes",
    "undefined-sampler-mode-accepted": "filter_mode=0x0",
    "undefined-sampler-mode-crashes": "filter_mode=0x0",
    "wrong-pattern-size-accepted": "pattern_size=5",
    "short-output-buffer-accepted": "CL_PLATFORM_VERSION: param_value_size=size-1",
}
"""The further test value of each pair of faults."""


def run_fault(
    folder: Path, pair: FaultPair, fault: str, *words: str, seed: int = 1
) -> subprocess.CompletedProcess[str]:
    """Run tests that violate the requirement on a platform with a fault of the pair."""
    requirement, suite = SELECTED.get(pair.function, (REQUIREMENTS[pair.function], "errors.error_conditions"))
    options = ("--simulated", "everything", "--fault", fault, "--requirement", requirement)
    more = (suite, "--", "-k", "not together")
    tier = () if "--quick" in words else ("--tier", "tables", "--seed", str(seed), "--minimise-seconds", "0")
    return in_process.run_command(folder, "run", *options, *tier, *words, *more)


def invoke(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def read_result(folder: Path) -> Any:
    return json.loads((folder / "result.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("pair", "seed"),
    one_in(len(SEEDS) + 1, [(pair, seed) for pair in PAIRS for seed in SEEDS]),
    ids=lambda value: value.name if isinstance(value, FaultPair) else str(value),
)
def test_known_deviation_at_a_further_test_value_is_new(pair: FaultPair, seed: int, tmp_path: Path) -> None:
    one, two = pair.names
    run_fault(tmp_path, pair, one, "--out", "old", seed=seed)
    old, known = read_result(tmp_path / "old")["deviations"], tmp_path / "known.toml"
    assert invoke("known", "--from", str(tmp_path / "old"), "--out", str(known)).exit_code == exit_codes.AS_EXPECTED
    assert [list(entry.test_values) for entry in read_known_deviations(known)] == [each["test_values"] for each in old]
    assert invoke("gate", str(tmp_path / "old"), "--known", str(known)).exit_code == exit_codes.AS_EXPECTED
    done = run_fault(tmp_path, pair, two, "--out", "new", "--known", str(known), seed=seed)
    assert done.returncode == exit_codes.DEVIATIONS, done.stdout + done.stderr
    new = read_result(tmp_path / "new")
    assert [each["id"] for each in new["deviations"]] == [each["id"] for each in old]
    assert [each["kind"] for each in new["gate"]["findings"]] == ["elsewhere"] * len(old)
    assert all(VALUES[pair.name] in each["message"] for each in new["gate"]["findings"])
    compared = invoke("compare", str(tmp_path / "old"), str(tmp_path / "new"), "--json")
    assert compared.exit_code == exit_codes.DEVIATIONS, compared.output
    changes = [each for each in json.loads(compared.stdout)["requirements"] if each["kind"] == "regression"]
    assert REQUIREMENTS[pair.function] in {each["id"] for each in changes}
    assert all(VALUES[pair.name] in each["new_test_values"] for each in changes)
    back = invoke("compare", str(tmp_path / "new"), str(tmp_path / "old"))
    assert back.exit_code == exit_codes.AS_EXPECTED, back.output


def test_reports_present_a_known_deviation_at_a_further_test_value_as_new(tmp_path: Path) -> None:
    pair = PAIRS[0]
    one, two = pair.names
    value = VALUES[pair.name]
    run_fault(tmp_path, pair, one)
    out, known = tmp_path / "clconform-out", tmp_path / "known.toml"
    invoke("known", "--from", str(out), "--out", str(known))
    again = run_fault(tmp_path, pair, one, "--quick")
    assert "  still failing " in again.stdout
    assert "  also failing " not in again.stdout
    quick = run_fault(tmp_path, pair, two, "--quick", "--known", str(known))
    assert quick.returncode == exit_codes.DEVIATIONS, quick.stdout + quick.stderr
    (line,) = (line for line in quick.stdout.splitlines() if line.startswith("  also failing "))
    assert value in line
    assert "1 also failing" in quick.stdout
    assert f"at other test values: {value}" in quick.stdout
    assert all(value in (out / "quick" / name).read_text("utf-8") for name in ("report.html", "junit.xml"))
    junit = (out / "quick" / "junit.xml").read_text("utf-8")
    assert '<failure type="deviates"' in junit
    badge = json.loads((out / "quick" / "badge.json").read_text("utf-8"))
    assert (badge["message"], badge["color"]) == ("1 elsewhere", "orange")
    added = invoke("known", "--from", str(out / "quick"), "--add-to", str(known))
    assert "1 known deviations added" in added.output
    assert invoke("gate", str(out / "quick"), "--known", str(known)).exit_code == exit_codes.AS_EXPECTED


def test_test_values_of_shards_are_united(tmp_path: Path) -> None:
    pair = PAIRS[1]
    for shard in ("1/2", "2/2"):
        run_fault(tmp_path, pair, pair.names[1], "--shard", shard, "--out", shard[0])
    run_fault(tmp_path, pair, pair.names[1], "--out", "whole")
    invoke("merge", str(tmp_path / "1"), str(tmp_path / "2"), "--out", str(tmp_path / "merged"))
    merged, whole = (read_result(tmp_path / name)["deviations"] for name in ("merged", "whole"))
    assert {each["id"]: each["test_values"] for each in merged} == {each["id"]: each["test_values"] for each in whole}
