"""Prepares a fault campaign for a page: operators by chapter, and survivors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.reports.campaign import STATUSES, FaultGroup, group_of, groups
from clconform.reports.escaping import visible
from clconform.reports.html_parts import bar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.reports.campaign import Campaign

LEVELS = ((1.0, "all"), (0.9, "most"), (0.5, "some"), (0.0, "few"))
"""The shades of a cell: the minimum share found, and its class."""
OPENED = 12
"""Maximum number of survivors that are shown expanded."""


def shown_faults(campaign: Campaign, titles: Mapping[str, str]) -> dict[str, Any]:
    """Return the values for the template; ``titles``: of the chapters."""
    survivors = [fault for fault in campaign.faults if fault.status == "survived"]
    whole = campaign.summary
    found, telling = whole.statuses.get("found", 0), _telling(whole)
    return {
        "told": f"{found:,} of {telling:,} faults found" if telling else "no fault has an effect here",
        "share": _percent(whole.share_found),
        "bar": bar(whole.statuses, STATUSES),
        "statuses": [(status, f"{whole.statuses.get(status, 0):,}", _part(whole, status)) for status in STATUSES],
        "chapters": [(visible(group.name), visible(titles.get(group.name, ""))) for group in campaign.chapters],
        "rows": _rows(campaign),
        "whole": [_cell(group) for group in (*campaign.chapters, whole)],
        "survivors": [(visible(fault.name), visible(fault.chapter), visible(fault.reason)) for fault in survivors],
        "open": len(survivors) <= OPENED,
    }


def _rows(campaign: Campaign) -> list[dict[str, Any]]:
    by_place = {
        place: group_of(" ".join(place), faults)
        for place, faults in groups(campaign.faults, lambda fault: (fault.operator, fault.chapter)).items()
    }
    return [
        {
            "operator": visible(operator.name),
            "words": visible(operator.description),
            "cells": [_cell(by_place.get((operator.name, chapter.name))) for chapter in campaign.chapters],
            "whole": _cell(operator),
        }
        for operator in campaign.operators
    ]


def _cell(group: FaultGroup | None) -> dict[str, str]:
    """Return one cell: the number found of those with an effect, its shade, and all counts as text."""
    if group is None:
        return {"text": "", "level": "none", "told": "no fault of this kind"}
    told = ", ".join(f"{group.statuses.get(status, 0)} {status.replace('-', ' ')}" for status in STATUSES)
    if group.share_found is None:
        return {"text": "-", "level": "none", "told": told}
    level = next(name for least, name in LEVELS if group.share_found >= least)
    return {"text": f"{group.statuses.get('found', 0)}/{_telling(group)}", "level": level, "told": told}


def _telling(group: FaultGroup) -> int:
    return group.statuses.get("found", 0) + group.statuses.get("survived", 0)


def _part(group: FaultGroup, status: str) -> str:
    return _percent(group.statuses.get(status, 0) / group.faults if group.faults else None)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
