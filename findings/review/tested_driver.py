"""Identifies the driver of a result, as the table of triage names it, and the revision of its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.loading import DEFAULT

if TYPE_CHECKING:
    from clconform.findings.deviations import DeviationTable, TriagedDriver
    from clconform.reports.run_result import RunResult


def get_tested_driver(result: RunResult) -> tuple[str, str]:
    """Return the platform's name and the driver version of the device under test. Missing texts are empty."""
    platform = result.platform
    if platform is None:
        return "", ""
    versions = [device.driver_version for device in platform.devices if device.handle == platform.device]
    return platform.name, next(iter(versions), "")


def find_driver(table: DeviationTable, result: RunResult) -> TriagedDriver | None:
    """Return the driver of a result, by platform and driver version, or None if it is not in the table."""
    platform, version = get_tested_driver(result)
    return next((each for each in table.driver if (each.platform, each.version) == (platform, version)), None)


def get_revision(result: RunResult) -> str:
    """Return the revision of the tables by which a result was judged."""
    return result.run.documents.get("OpenCL", DEFAULT)
