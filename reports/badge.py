"""Writes a result as a badge, in the JSON format of shields.io endpoints: the counts and a colour."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clconform.reports.result_verdict import verdict_of

if TYPE_CHECKING:
    from clconform.reports.run_result import RunResult

LABEL = "clconform"


def badge_of(result: RunResult) -> str:
    """Return the badge as JSON.

    Its colour and its message are those of the verdict on the result.
    """
    verdict = verdict_of(result)
    badge = {"schemaVersion": 1, "label": LABEL, "message": verdict.message, "color": verdict.color}
    return json.dumps(badge) + "\n"
