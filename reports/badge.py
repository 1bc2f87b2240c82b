"""Writes a result as a badge, in the form that shields.io reads from an address: counts and a colour, nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from clconform.reports.status import BAD
from clconform.reports.wording import counted

if TYPE_CHECKING:
    from clconform.reports.result import Result

LABEL = "clconform"
COLORS = {"crashes": "red", "hangs": "red", "deviates": "orange", "flaky": "yellow"}


def badge_of(result: Result) -> str:
    """Return the badge as JSON; grey where nothing was put to the test or the run did not go to its end."""
    found = [deviation.verdict for deviation in result.deviations]
    conforming = result.summary.statuses.get("conforms", 0)
    unfinished = result.run.cut_short or result.run.interrupted
    color = next((COLORS[verdict] for verdict in BAD if verdict in found), "brightgreen" if conforming else "lightgrey")
    message = counted(found) or (f"{conforming} records conform" if conforming else "nothing was tested")
    if unfinished:
        color, message = "lightgrey" if color == "brightgreen" else color, f"{message} (unfinished)"
    return json.dumps({"schemaVersion": 1, "label": LABEL, "message": message, "color": color}) + "\n"
