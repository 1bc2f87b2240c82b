"""Writes a result as a badge, in the JSON format of shields.io endpoints: the counts and a colour."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from clconform.reports.call_formatting import count_verdicts
from clconform.reports.run_gaps import find_gaps
from clconform.reports.status_policy import DEVIATING_STATUSES

if TYPE_CHECKING:
    from clconform.reports.run_result import GateResult, RunResult

LABEL = "clconform"
GREEN, GREY = "brightgreen", "lightgrey"
COLORS = {"crashes": "red", "hangs": "red", "deviates": "orange", "unconfirmed": "yellow", "flaky": "yellow"}


def badge_of(result: RunResult) -> str:
    """Return the badge as JSON.

    Its colour is grey if nothing was tested or the run is incomplete. With a file of known deviations, only unknown
    deviations count against the driver.
    """
    color, message = _badge_of_deviations(result) if result.gate is None else _badge_of_gate(result.gate, result)
    if find_gaps(result.run):
        color, message = GREY if color == GREEN else color, f"{message} (incomplete)"
    return json.dumps({"schemaVersion": 1, "label": LABEL, "message": message, "color": color}) + "\n"


def _badge_of_deviations(result: RunResult) -> tuple[str, str]:
    found = [deviation.verdict for deviation in result.deviations]
    if found:
        return next(COLORS[verdict] for verdict in DEVIATING_STATUSES if verdict in found), count_verdicts(found)
    conforming = result.summary.statuses.get("conforms", 0)
    if not conforming:
        return GREY, "nothing was tested"
    return GREEN, f"{conforming} requirement{'s conform' if conforming > 1 else ' conforms'}"


def _badge_of_gate(gate: GateResult, result: RunResult) -> tuple[str, str]:
    wrong = Counter(finding.kind for finding in gate.findings if finding.code)
    if not wrong:
        known = sum(finding.kind == "known" for finding in gate.findings)
        color, message = _badge_of_deviations(result)
        return (GREEN, f"as expected, {known} known") if known else (color, message)
    new = [each.verdict for each in result.deviations if gate.finding_kind(each.id) in ("new", "worse", "elsewhere")]
    color = next((COLORS[verdict] for verdict in DEVIATING_STATUSES if verdict in new), "yellow")
    return color, ", ".join(f"{count} {kind}" for kind, count in wrong.items())
