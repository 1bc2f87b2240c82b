"""Each fault of partitions causes a deviation of the violated requirement, with the expected value."""

from __future__ import annotations

import inspect
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Deadlines, Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.session.session import Session
from clconform.selftest.faults import partition
from clconform.selftest.faults.every_fault import get_every_fault
from clconform.spec_tables import load
from clconform.suites.chapters.partition.entries import CORE_ENTRY, UNKNOWN_KEY

from ...suite_runs import SuiteRunResult, run_suites  # noqa: TID252 (tests are not part of the installed package)
from ..suite_items import collect_suite_items  # noqa: TID252 (tests are not part of the installed package)
from .attribution import get_messages

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.item_collection import SuiteItem

# For each fault, the topology, the pattern of the requirements whose items run, the requirement that deviates, and the
# observed value.
EXPECTED = {
    "partition-count-off-by-one": (
        "seven",
        "CL_DEVICE_PARTITION_EQUALLY",
        "CL_DEVICE_PARTITION_EQUALLY",
        "",
    ),
    "release-decrements-twice": ("flat-4", "clReleaseDevice/*", "CL_DEVICE_REFERENCE_COUNT", ""),
    "sub-device-without-parent": ("numa-16", "CL_DEVICE_PARENT_DEVICE", "CL_DEVICE_PARENT_DEVICE", "NULL"),
    "nested-sub-device-reports-root-parent": (
        "flat-4",
        "clReleaseDevice/success",
        "CL_DEVICE_PARENT_DEVICE",
        "device1",
    ),
    "affinity-domain-not-resolved": (
        "l4-24",
        "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN",
        "CL_DEVICE_PARTITION_TYPE",
        "",
    ),
    "sub-device-reports-parent-compute-units": (
        "flat-4",
        "CL_DEVICE_PARTITION_EQUALLY",
        "CL_DEVICE_PARTITION_EQUALLY",
        "4",
    ),
    "short-device-array-accepted": (
        "numa-16",
        "clCreateSubDevices/CL_INVALID_VALUE/2",
        "clCreateSubDevices/CL_INVALID_VALUE/2",
        "CL_SUCCESS",
    ),
    "first-sub-device-returned-twice": (
        "flat-4",
        "CL_DEVICE_PARTITION_BY_COUNTS",
        "CL_DEVICE_PARTITION_BY_COUNTS",
        "{device2, device2",
    ),
    "context-lists-sub-devices": ("flat-4", "CL_CONTEXT_DEVICES", "CL_CONTEXT_DEVICES", "{device1, device2"),
    "partition-count-error-is-invalid-device": (
        "flat-4",
        "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1",
        "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1",
        "CL_INVALID_DEVICE",
    ),
    "extension-requires-full-array": (
        "fission-1.1",
        "clCreateSubDevicesEXT/success",
        "clCreateSubDevicesEXT/success",
        "CL_INVALID_VALUE",
    ),
    "device-array-overrun": (
        "flat-4",
        "CL_DEVICE_PARTITION_EQUALLY",
        "clCreateSubDevices/success",
        "out_devices overrun",
    ),
    "blocking-read-loses-last-byte": ("flat-4", "clEnqueueReadBuffer/*", "clEnqueueReadBuffer/success", "byte "),
    "null-device-crashes": (
        "flat-4",
        "clCreateSubDevices/CL_INVALID_DEVICE/1",
        "clCreateSubDevices/CL_INVALID_DEVICE/1",
        "signal SIGSEGV",
    ),
    "third-retain-crashes": ("flat-4", "clRetainDevice/*", "clRetainDevice/success", "signal SIGSEGV"),
    "unknown-property-exits": (
        "flat-4",
        "clCreateSubDevices/CL_INVALID_VALUE/1",
        "clCreateSubDevices/CL_INVALID_VALUE/1",
        "exit 3",
    ),
}
PROCESS_END_FAULT = "unknown-property-exits"
HANGING_FAULTS = {"unknown-property-hangs"}


def test_every_partition_fault_has_an_expected_result() -> None:
    assert set(partition.faults.entries) == set(EXPECTED) | HANGING_FAULTS


def test_every_fault_of_the_simulator_has_a_description() -> None:
    assert all((inspect.getdoc(fault) or "").endswith(".") for fault in get_every_fault().values())


@pytest.fixture(scope="module")
def suite_items() -> list[SuiteItem]:
    """Return the items of the suite that are not random."""
    return collect_suite_items(SUITES / "chapters" / "partition")


@pytest.fixture(scope="module")
def suite_runs() -> dict[str, SuiteRunResult]:
    """Run items with a fault that ends the driver's process, without it, and with unknown names."""
    topology, pattern, *_ = EXPECTED[PROCESS_END_FAULT]
    options = ["--cl-simulated", topology, "--cl-requirement", pattern, "--cl-tier", "tables"]
    return run_suites(
        {
            PROCESS_END_FAULT: [*options, "--cl-fault", PROCESS_END_FAULT],
            "without a fault": options,
            "an unknown fault": ["--cl-simulated", "flat-4", "--cl-fault", "no-such-fault"],
            "an unknown topology": ["--cl-simulated", "no-such-place"],
        }
    )


@pytest.mark.parametrize("fault", EXPECTED)
def test_partition_fault_causes_the_expected_deviation(fault: str, suite_items: list[SuiteItem]) -> None:
    topology, pattern, requirement, observed = EXPECTED[fault]
    own = [item for item in suite_items if any(fnmatchcase(each, pattern) for each in item.requirements)]
    told = f"\n{requirement}: {observed}"
    assert told in get_messages(topology, fault, own, told)


def count_results(run: SuiteRunResult) -> dict[str, int]:
    """Map outcomes of items to their numbers in a run's summary line: passed, failed, skipped and error."""
    return {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|failed|skipped|error)", run.output)}


def test_end_of_driver_process_fails_only_the_causing_items(suite_runs: dict[str, SuiteRunResult]) -> None:
    sound, faulty = count_results(suite_runs["without a fault"]), count_results(suite_runs[PROCESS_END_FAULT])
    assert faulty["failed"] >= 1
    assert "failed" not in sound
    assert faulty["passed"] + faulty["failed"] == sound["passed"]
    assert faulty["passed"] > faulty["failed"]
    assert "error" not in faulty


@pytest.mark.parametrize("name", ["an unknown fault", "an unknown topology"])
def test_unknown_fault_or_topology_is_rejected(name: str, suite_runs: dict[str, SuiteRunResult]) -> None:
    assert suite_runs[name].code == 6
    assert " 'no-such-" in suite_runs[name].output


def test_hang_is_a_deviation_and_the_driver_process_is_replaced() -> None:
    recorder = Recorder(None)
    session = Session(
        Target.simulated("flat-4", "--fault", "unknown-property-hangs"),
        load(),
        recorder,
        deadlines=Deadlines(others=0.5),
    )
    try:
        first = session.process.worker.pid
        with session.example():
            CORE_ENTRY.create(session, session.device, CORE_ENTRY.create_list(session, UNKNOWN_KEY, 1, 0), None)
        (deviation,) = recorder.deviations.values()
        assert deviation.verdict == "hangs"
        assert deviation.requirements == ["clCreateSubDevices/CL_INVALID_VALUE/1"]
        with session.example():
            session.clRetainDevice(session.device)
        assert session.process.worker.pid != first
        assert len(recorder.deviations) == 1
    finally:
        session.close()
