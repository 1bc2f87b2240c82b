"""Identifies the driver of a result, as the table of triage names it, and the revision of its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.loading import DEFAULT

if TYPE_CHECKING:
    from clconform.findings.deviations import DeviationTable, TriagedDriver
    from clconform.reports.run_result import DeviceTested, RunResult


def get_tested_driver(result: RunResult) -> tuple[str, str]:
    """Return the platform's name and the driver version of the device under test. Missing texts are empty."""
    device = _find_device(result)
    return result.platform.name if result.platform else "", device.driver_version if device else ""


def find_driver(table: DeviationTable, result: RunResult) -> TriagedDriver | None:
    """Return the driver of a result, or None if it is not in the table.

    The platform and the driver version identify it. An entry for the kind of the device comes before one for all kinds.
    """
    device = _find_device(result)
    version = device.version if device else ""
    identity = get_tested_driver(result)
    entries = [each for each in table.driver if (each.platform, each.version) == identity and each.device in version]
    return max(entries, key=lambda each: len(each.device), default=None)


def _find_device(result: RunResult) -> DeviceTested | None:
    """Return the device under test, or None if the result has none."""
    platform = result.platform
    if platform is None:
        return None
    return next((device for device in platform.devices if device.handle == platform.device), None)


def get_revision(result: RunResult) -> str:
    """Return the revision of the tables by which a result was judged."""
    return result.run.documents.get("OpenCL", DEFAULT)
