"""cl_amd_bus_addressable_memory on simulated platforms: every requirement is covered, or has a reason why not."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.oracles.model.devices import Device, Platform
from clconform.reports import load_result
from clconform.runner.journal.recorder import Recorder
from clconform.spec_tables import load
from clconform.suites.chapters.amd_bus_memory.kit import BusKit

from ..case_sampling import ALL  # noqa: TID252
from ..sessions import InProcessSession  # noqa: TID252
from ..suite_runs import SuiteRunResult, run_suites  # noqa: TID252
from ..unjudged_effects import judged_statuses  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = "cl_amd_bus_addressable_memory"
PLATFORMS = ("bus-shared", "bus-of-one-context", "bus-alone")
"""Two devices on a bus; two that reject memory of another context; one that rejects everything it may reject."""
KEYWORDS = "AMD or bus or HOST_PTR/3 or FAILURE/2 or RESOURCES/2"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results, one folder in it for each platform."""
    return tmp_path_factory.mktemp("bus")


@pytest.fixture(scope="module")
def runs(out: Path) -> dict[str, SuiteRunResult]:
    """Return one run of the extension's items on each platform, with a few examples of each random test."""
    asked = ["suites/chapters/amd_bus_memory", "suites/errors", "-k", KEYWORDS]
    asked += [] if ALL else ["--cl-examples", "3", "--cl-seed", "1"]
    wanted = {name: [*asked, "--cl-simulated", name, "--cl-out", str(out / name)] for name in PLATFORMS}
    return run_suites(wanted, seconds=900, here=True)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_platform_conforms_with_suites_of_bus_memory(platform: str, runs: dict[str, SuiteRunResult]) -> None:
    assert runs[platform].code == 0, runs[platform].output[-4000:]


@pytest.mark.usefixtures("runs")
def test_each_requirement_of_bus_memory_is_covered_or_has_reason(out: Path) -> None:
    statuses: dict[str, set[str]] = defaultdict(set)
    for name in PLATFORMS:
        for requirement in load_result(out / name / "result.json").requirements:
            if requirement.document == DOCUMENT:
                statuses[requirement.id].add(requirement.status)
    ours = judged_statuses(statuses)
    assert len(ours) == 39
    assert not {name for name, seen in ours.items() if not seen & {"conforms", "untestable"}}
    assert sum("conforms" in seen for seen in ours.values()) == 23


def test_requirements_do_not_apply_on_platform_without_bus_memory(tmp_path: Path) -> None:
    options = [
        *("suites/chapters/amd_bus_memory", "suites/errors", "-k", "AMD"),
        *("--cl-simulated", "flat-4", "--cl-examples", "1", "--cl-out", str(tmp_path)),
    ]
    (run,) = run_suites({"flat-4": options}, seconds=100, here=True).values()
    assert run.code == 0, run.output[-4000:]
    requirements = [each for each in load_result(tmp_path / "result.json").requirements if each.document == DOCUMENT]
    assert {each.status for each in requirements} == {"not-applicable"}


def test_repeated_calls_use_the_bus_addresses_of_the_new_process(tmp_path: Path) -> None:
    asked = ["suites/errors", "-k", "test_invalid_call_is_rejected and HOST_PTR/3", "--cl-simulated", "bus-shared"]
    options = [
        *asked,
        "--cl-fault",
        "unaligned-bus-address-accepted",
        "--cl-minimise-seconds",
        "60",
        "--cl-out",
        str(tmp_path),
    ]
    (run,) = run_suites({"fault": options}, seconds=100).values()
    assert run.code == 10, run.output[-4000:]
    assert re.search(r"repeated +2 of 2", run.output)
    assert re.search(r"clCreateBuffer\(.*, \{bus\d+( \+ 1, bus\d+|, bus\d+ \+ 1)\}, \w+.*\) -> mem\d+", run.output)


def test_cleanup_writes_the_signal_that_a_pending_wait_needs() -> None:
    session = InProcessSession(Target.simulated("bus-shared"), load(), Recorder(None))
    try:
        with session.example():
            kit = BusKit(session)
            buffer, _ = kit.bus.create_pair()
            kit.await_signal(buffer, 1, kit.here)
        made = [step.call.function for step in session.sequence.steps]
        assert made.index("clEnqueueWriteSignalAMD") < made.index("clFlush") < made.index("clFinish")
        assert not session.model.commands.pending
        assert all(isinstance(thing, Device | Platform) for thing in session.model.objects.values())
    finally:
        session.close()
