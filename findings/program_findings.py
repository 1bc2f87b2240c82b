"""Reads ``findings/program_findings.toml``: the verdict on each finding in a real program, with its reason."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

TABLE_PATH = Path(__file__).with_name("program_findings.toml")
TITLE = "Verdicts on findings in real programs (findings/program_findings.toml)"

FindingVerdict = Literal["true", "false", "open"]


class TriageRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A verdict on findings. ``programs``: patterns; ``findings``: rules (or functions and messages) with places.

    ``verdict``: whether the findings are correct; ``reason``: why, by the specification and the program.
    """

    drivers: list[str]
    programs: list[str]
    party: str
    kind: str
    verdict: FindingVerdict
    reason: str
    findings: list[str]


class BlindVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A second verdict on a finding, without knowledge of the table: ``judged`` only by its calls.

    ``finding``: as in a row, so that it can be identified when more programs are judged.
    """

    number: int
    driver: str
    program: str
    party: str
    kind: str
    finding: str
    judged: FindingVerdict
    reason: str


class BlindSample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Second verdicts on findings that were drawn with a seed."""

    seed: int
    date: str
    readings: list[BlindVerdict]


class ProgramFindingTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table of findings in programs: verdicts on findings, and blind verdicts on samples of them."""

    row: list[TriageRow] = []
    blind: list[BlindSample] = []


def load_program_findings(path: Path = TABLE_PATH) -> ProgramFindingTable:
    """Read the table of findings. Raises msgspec.ValidationError, which names the invalid field."""
    return msgspec.toml.decode(path.read_bytes(), type=ProgramFindingTable)
