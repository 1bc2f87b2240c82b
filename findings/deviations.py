"""Reads ``findings/deviations.toml``: the justification by the documents for each deviation of each driver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from clconform.calls.deviation_keys import SEPARATOR
from clconform.spec_tables.loading import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE_PATH = Path(__file__).with_name("deviations.toml")
TITLE = "Deviations of drivers, and the reasons for their verdicts (findings/deviations.toml)"

DeviationId = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{8}$")]
DeviationVerdict = Literal["deviates", "crashes", "hangs"]
BlindJudgement = Literal["deviation", "no deviation", "open"]


class TriagedDriver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tested driver: ``platform`` and ``version`` as it reports them, ``family`` as the findings name it.

    ``device``: a part of the device's version, if the driver's devices of this kind have an entry of their own.
    """

    id: str
    family: str
    platform: str
    version: str
    device: str = ""


class TriagedDeviation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One deviation: ``key`` is its key in a result, and ``id`` is the digest of the key."""

    id: DeviationId
    verdict: DeviationVerdict
    key: str

    @property
    def requirements(self) -> tuple[str, ...]:
        """Return the requirements that the deviation violates."""
        return tuple(self.key.split(SEPARATOR, 2)[1].split(" + ")) if self.key.count(SEPARATOR) > 1 else ()


class TriagedCause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cause of deviations of some drivers. The kind is ``interpretation`` if it depends on ``interpretation``.

    ``tables``: the revisions of the documents by whose tables the deviations were judged.
    """

    drivers: list[str]
    kind: Literal["driver bug", "interpretation"]
    reason: str
    deviations: list[TriagedDeviation]
    interpretation: str = ""
    tables: tuple[str, ...] = (DEFAULT,)


class DeviationReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One deviation read again with a hidden verdict: ``judged`` by the documents alone, with the reason.

    ``resolution``: the conclusion if the judgement differs from the table.
    """

    driver: str
    id: DeviationId
    judged: BlindJudgement
    reason: str
    resolution: str = ""


class BlindReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The readings of the deviations that a seed drew."""

    seed: int
    date: str
    readings: list[DeviationReading]


class DeviationTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of triage: tested drivers, causes of their deviations, and blind readings."""

    driver: list[TriagedDriver]
    cause: list[TriagedCause]
    blind: list[BlindReading] = []

    def rows(self) -> Iterator[tuple[str, TriagedDeviation, TriagedCause]]:
        """Yield each driver's id with a deviation of it and its cause."""
        for cause in self.cause:
            for triaged in cause.deviations:
                for driver in cause.drivers:
                    yield driver, triaged, cause


def load_deviations(path: Path = TABLE_PATH) -> DeviationTable:
    """Read the table of triage. Raises msgspec.ValidationError, which names the invalid field."""
    return msgspec.toml.decode(path.read_bytes(), type=DeviationTable)
