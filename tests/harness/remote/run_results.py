"""The command of a run on devices, and the verdicts of its result."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

RUN = (sys.executable, "-m", "clconform.tools", "run")
SECONDS = 300.0
"""The time limit of a run."""


def read_result(out: Path) -> dict[str, Any]:
    """Return the result in a folder."""
    found: dict[str, Any] = json.loads((out / "result.json").read_text(encoding="utf-8"))
    return found


class Verdicts(NamedTuple):
    """The statuses of requirements, and the ids of deviations."""

    statuses: dict[str, str]
    deviations: set[str]


def verdicts(result: dict[str, Any]) -> Verdicts:
    """Return the verdicts of a result."""
    statuses = {each["id"]: each["status"] for each in result["requirements"]}
    return Verdicts(statuses, {each["id"] for each in result["deviations"]})
