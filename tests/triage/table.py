"""Reads ``docs/triage.toml``: for each deviation of each driver, why the documents make it one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from clconform.calls.deviation_keys import SEPARATOR
from clconform.reports.run_result import key_digest
from clconform.spec_tables.loading import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.reports.run_result import RunResult

TABLE = Path(__file__).resolve().parents[2] / "docs" / "triage.toml"
ID_DIGITS = 8

Severity = Literal["deviates", "crashes", "hangs"]
Judged = Literal["deviation", "no deviation", "open"]


class Driver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A driver that was tested: ``platform`` and ``version`` are its own words, ``family`` those of the findings."""

    id: str
    family: str
    platform: str
    version: str


class Triaged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One deviation: ``key`` is that of a result, and the id its digest."""

    id: str
    verdict: Severity
    key: str

    @property
    def records(self) -> tuple[str, ...]:
        """Return the records that are blamed."""
        return tuple(self.key.split(SEPARATOR, 2)[1].split(" + ")) if self.key.count(SEPARATOR) > 1 else ()

    @property
    def id_of_key(self) -> str:
        """Return the id that the key makes."""
        return key_digest(self.key)[:ID_DIGITS]


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What makes the deviations of some drivers: ``kind`` is ``interpretation`` where it rests on ``entry``.

    ``tables``: the revisions of the documents by whose tables they were judged.
    """

    drivers: list[str]
    kind: Literal["driver bug", "interpretation"]
    reason: str
    deviations: list[Triaged]
    entry: str = ""
    tables: tuple[str, ...] = (DEFAULT,)


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One deviation read again with its verdict hidden: ``judged`` by the documents alone, and why.

    ``settled``: where that is not what the table says, what became of it.
    """

    driver: str
    id: str
    judged: Judged
    why: str
    settled: str = ""


class BlindReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The deviations that a seed drew."""

    seed: int
    date: str
    readings: list[Reading]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table."""

    driver: list[Driver]
    cause: list[Cause]
    blind: list[BlindReading] = []

    def rows(self) -> Iterator[tuple[str, Triaged, Cause]]:
        """Yield each driver's id with a deviation of it and its cause."""
        for cause in self.cause:
            for triaged in cause.deviations:
                for driver in cause.drivers:
                    yield driver, triaged, cause

    def driver_of(self, result: RunResult) -> Driver | None:
        """Return the driver that a result is of, by platform and driver version; None where it is not in the table."""
        platform, version = driver_tested(result)
        return next((each for each in self.driver if (each.platform, each.version) == (platform, version)), None)


def driver_tested(result: RunResult) -> tuple[str, str]:
    """Return the platform's name and the driver version of the device under test; empty where there is none."""
    platform = result.platform
    if platform is None:
        return "", ""
    versions = [device.driver_version for device in platform.devices if device.handle == platform.device]
    return platform.name, next(iter(versions), "")


def revision_of(result: RunResult) -> str:
    """Return the revision of the tables by which a result was judged."""
    return result.run.documents.get("OpenCL", DEFAULT)


def load_table(path: Path = TABLE) -> Table:
    """Read the table; msgspec.ValidationError names the field that is wrong."""
    return msgspec.toml.decode(path.read_bytes(), type=Table)
