"""Every simulated platform conforms to the partition suite, and all requirements of the chapter are covered."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.judge import Oracle
from clconform.reports import load_result
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES, find_platform
from clconform.spec_tables import load

from ..case_sampling import ALL  # noqa: TID252 (tests are no part of the installed package)
from ..suite_runs import SuiteRunResult, run_suites  # noqa: TID252

if TYPE_CHECKING:
    from pathlib import Path


OTHER_PREFIXES = (
    "bus-",
    "unified-",
    "everything-",
    "custom",
    "interfaces",
    "images-",
    "two-alignments",
    "without-compiler",
    "shared-apart",
    "hints",
    "strict",
    "commands-",
)
"""Prefixes of topologies that differ in other features than devices; other tests run on them."""
SAMPLE = ("single", "seven", "numa-16", "l4-24", "names-8", "fission-1.1", "oldest")
TESTED_TOPOLOGIES = [name for name in TOPOLOGIES if name in SAMPLE or (ALL and not name.startswith(OTHER_PREFIXES))]
"""Topologies that together cover all requirements of the chapter, or all topologies with different devices."""
SELECTED_ITEMS = {} if ALL else {"l4-24": ("-k", "DOMAIN"), "names-8": ("-k", "NAMES or DOMAINS_EXT")}
"""Selected items for platforms with one additional feature, such as a cache level; all items run on ``numa-16``."""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results, one folder in it for each topology."""
    return tmp_path_factory.mktemp("topologies")


@pytest.fixture(scope="module")
def runs(out: Path) -> dict[str, SuiteRunResult]:
    """Return one run of the partition suite on each topology."""
    few = ["--cl-examples", "1", "--cl-seed", "1"]
    options = {
        name: ["--cl-simulated", name, *few, "--cl-out", str(out / name), *SELECTED_ITEMS.get(name, ())]
        for name in TESTED_TOPOLOGIES
    }
    return run_suites(options, seconds=900, here=True)


@pytest.mark.parametrize("topology", TESTED_TOPOLOGIES)
def test_topology_conforms_with_partition_suite(topology: str, runs: dict[str, SuiteRunResult]) -> None:
    run = runs[topology]
    assert run.code == 0, run.output[-4000:]
    passed = re.search(r"(\d+) passed", run.output)
    assert passed is not None
    divides = TOPOLOGIES[topology].fission or TOPOLOGIES[topology].version not in ("1.0", "1.1")
    assert int(passed[1]) >= (40 if divides and topology not in SELECTED_ITEMS else 10)


@pytest.mark.usefixtures("runs")
def test_each_requirement_of_partition_is_covered_on_a_topology(out: Path) -> None:
    statuses: dict[str, set[str]] = defaultdict(set)
    for name in TESTED_TOPOLOGIES:
        for requirement in load_result(out / name / "result.json").requirements:
            if requirement.document == "cl_ext_device_fission" or requirement.section.split()[:1] == ["4.3"]:
                statuses[requirement.id].add(requirement.status)
    missed = {name: seen for name, seen in statuses.items() if not seen & {"conforms", "untestable"}}
    assert len(statuses) > 100
    assert not missed


def test_topologies_include_old_and_new_versions_and_every_sharing_level() -> None:
    plans = TOPOLOGIES.values()
    assert len(TOPOLOGIES) >= 6
    assert {"1.1", "1.2", "3.0"} <= {plan.version for plan in plans}
    assert {True, False} == {plan.fission for plan in plans}
    assert {"NUMA", "L4", "L3", "L2", "L1"} <= {
        level for plan in plans for one in plan.devices for level in one.sharing
    }
    assert any(one.units == 1 for plan in plans for one in plan.devices)
    assert any(
        one.max_sub_devices is not None and 0 < one.max_sub_devices < one.units
        for plan in plans
        for one in plan.devices
    )
    assert any(len(plan.devices) > 1 for plan in plans)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_first_message_of_simulator_has_devices_of_its_topology(topology: str) -> None:
    """The first message of a platform's process has the values of its queries."""
    simulation = Simulation(load(), topology, TOPOLOGIES[topology])
    (platform,) = simulation.build_greeting().platforms
    assert [device.handle for device in platform.devices] == [each.name for each in simulation.model.root_devices()]
    for device, plan in zip(platform.devices, TOPOLOGIES[topology].devices, strict=True):
        assert device.compute_units == plan.units
    assert isinstance(simulation.oracle, Oracle)


def test_each_unit_of_a_device_is_in_one_group_per_sharing_level() -> None:
    for plan in TOPOLOGIES.values():
        for device in plan.devices:
            topology = device.topology()
            for groups in topology.domains.values():
                assert sorted(unit for group in groups for unit in group) == list(range(device.units))


def test_topology_name_with_number_repeats_the_devices() -> None:
    plan = find_platform("two-devicesx3")
    assert plan is not None
    assert plan.devices == TOPOLOGIES["two-devices"].devices * 3
    assert find_platform("two-devices") is TOPOLOGIES["two-devices"]
    for name in ("two-devicesx0", "two-devicesx", "nonex2", "hostilex2"):
        assert find_platform(name) is None
