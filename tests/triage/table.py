"""Read ``docs/triage.toml``: the justification by the documents for each deviation of each driver."""

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

TABLE_PATH = Path(__file__).resolve().parents[2] / "docs" / "triage.toml"
ID_DIGITS = 8

DeviationVerdict = Literal["deviates", "crashes", "hangs"]
BlindJudgement = Literal["deviation", "no deviation", "open"]


class TriagedDriver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tested driver: ``platform`` and ``version`` as it reports them, ``family`` as the findings name it."""

    id: str
    family: str
    platform: str
    version: str


class TriagedDeviation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One deviation: ``key`` is its key in a result, and ``id`` is the digest of the key."""

    id: str
    verdict: DeviationVerdict
    key: str

    @property
    def records(self) -> tuple[str, ...]:
        """Return the requirements that the deviation violates."""
        return tuple(self.key.split(SEPARATOR, 2)[1].split(" + ")) if self.key.count(SEPARATOR) > 1 else ()

    @property
    def computed_id(self) -> str:
        """Return the id that is computed from the key."""
        return key_digest(self.key)[:ID_DIGITS]


class TriagedCause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cause of deviations of some drivers: ``kind`` is ``interpretation`` if it depends on ``entry``.

    ``tables``: the revisions of the documents by whose tables the deviations were judged.
    """

    drivers: list[str]
    kind: Literal["driver bug", "interpretation"]
    reason: str
    deviations: list[TriagedDeviation]
    entry: str = ""
    tables: tuple[str, ...] = (DEFAULT,)


class DeviationReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One deviation read again with a hidden verdict: ``judged`` by the documents alone, with the reason.

    ``settled``: the resolution if the judgement differs from the table.
    """

    driver: str
    id: str
    judged: BlindJudgement
    why: str
    settled: str = ""


class BlindReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The readings of the deviations that a seed drew."""

    seed: int
    date: str
    readings: list[DeviationReading]


class DeviationTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The triage table: tested drivers, causes of their deviations, and blind readings."""

    driver: list[TriagedDriver]
    cause: list[TriagedCause]
    blind: list[BlindReading] = []

    def rows(self) -> Iterator[tuple[str, TriagedDeviation, TriagedCause]]:
        """Yield each driver's id with a deviation of it and its cause."""
        for cause in self.cause:
            for triaged in cause.deviations:
                for driver in cause.drivers:
                    yield driver, triaged, cause

    def find_driver(self, result: RunResult) -> TriagedDriver | None:
        """Return the driver of a result, by platform and driver version, or None if it is not in the table."""
        platform, version = get_tested_driver(result)
        return next((each for each in self.driver if (each.platform, each.version) == (platform, version)), None)


def get_tested_driver(result: RunResult) -> tuple[str, str]:
    """Return the platform's name and the driver version of the device under test. Missing texts are empty."""
    platform = result.platform
    if platform is None:
        return "", ""
    versions = [device.driver_version for device in platform.devices if device.handle == platform.device]
    return platform.name, next(iter(versions), "")


def get_revision(result: RunResult) -> str:
    """Return the revision of the tables by which a result was judged."""
    return result.run.documents.get("OpenCL", DEFAULT)


def load_table(path: Path = TABLE_PATH) -> DeviationTable:
    """Read the triage table. Raises msgspec.ValidationError, which names the invalid field."""
    return msgspec.toml.decode(path.read_bytes(), type=DeviationTable)
