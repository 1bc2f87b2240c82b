"""Encodes results that a test has changed, so that their lists and counts do not contradict each other."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from clconform.reports.json_documents import encode_document
from clconform.reports.status_policy import DEVIATING_STATUSES, STATUSES

if TYPE_CHECKING:
    from clconform.reports.run_result import RunResult


def encode_consistent(result: RunResult) -> str:
    """Return a result as JSON: its deviations set the statuses of their requirements, and all counts match the lists.

    Deviations of requirements that the result does not contain are left out.
    """
    read = json.loads(encode_document(result))
    make_consistent(read)
    return json.dumps(read)


def make_consistent(read: Any) -> None:
    """Change the statuses and the counts of a decoded result as for ``encode_consistent``."""
    listed = {each["id"] for each in read["requirements"]}
    read["deviations"] = [each for each in read["deviations"] if set(each["requirements"]) <= listed]
    for requirement in read["requirements"]:
        own = [each for each in read["deviations"] if requirement["id"] in each["requirements"]]
        requirement["deviations"] = [each["id"] for each in own]
        if own:
            requirement["status"] = min((each["verdict"] for each in own), key=DEVIATING_STATUSES.index)
        elif requirement["status"] in DEVIATING_STATUSES:
            requirement["status"] = "not-covered"
    recount_all(read)


def recount(read: Any) -> None:
    """Let the counts of a decoded result match its lists, except for those by chapter and kind."""
    statuses = Counter(each["status"] for each in read["requirements"])
    summary = read["summary"]
    summary["statuses"] = {status: statuses[status] for status in STATUSES}
    summary["deviations"], summary["requirements"] = len(read["deviations"]), len(read["requirements"])


def recount_all(read: Any) -> None:
    """Let all counts of a decoded result match its lists."""
    recount(read)
    summary = read["summary"]
    for groups, key in (("chapters", "chapter"), ("kinds", "kind")):
        summary[groups] = [
            _count_group(summary[groups][0], name, [each for each in read["requirements"] if each[key] == name])
            for name in dict.fromkeys(each[key] for each in read["requirements"])
        ]


def _count_group(template: dict[str, Any], name: str, requirements: list[Any]) -> dict[str, Any]:
    statuses = Counter(each["status"] for each in requirements)
    return template | {"name": name, "requirements": len(requirements), "statuses": dict(statuses)}
