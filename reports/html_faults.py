"""Prepares a fault campaign for a page: operators by chapter, and surviving faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.reports.escaping import escape_unprintable
from clconform.reports.fault_campaign import STATUSES, FaultGroup, group_faults, make_group
from clconform.reports.html_parts import stacked_bar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.reports.fault_campaign import FaultCampaign

SHADES = ((1.0, "all"), (0.9, "most"), (0.5, "some"), (0.0, "few"))
"""The shades of a cell: the minimum share of detected faults for each shade, and its CSS class."""
MAX_EXPANDED = 12
"""Maximum number of surviving faults that are shown expanded."""


def fault_values(campaign: FaultCampaign, titles: Mapping[str, str]) -> dict[str, Any]:
    """Return the template's values for a campaign; ``titles``: maps chapters to their titles."""
    survivors = [fault for fault in campaign.faults if fault.status == "survived"]
    whole = campaign.summary
    found, telling = whole.statuses.get("found", 0), _effective_faults(whole)
    return {
        "description": f"{found:,} of {telling:,} faults found" if telling else "no fault has an effect here",
        "share": _percent_text(whole.share_found),
        "bar": stacked_bar(whole.statuses, STATUSES),
        "statuses": [
            (status, f"{whole.statuses.get(status, 0):,}", _share_of_status(whole, status)) for status in STATUSES
        ],
        "chapters": [
            (escape_unprintable(group.name), escape_unprintable(titles.get(group.name, "")))
            for group in campaign.chapters
        ],
        "rows": _operator_rows(campaign),
        "whole": [_shaded_cell(group) for group in (*campaign.chapters, whole)],
        "survivors": [
            (escape_unprintable(fault.name), escape_unprintable(fault.chapter), escape_unprintable(fault.reason))
            for fault in survivors
        ],
        "open": len(survivors) <= MAX_EXPANDED,
    }


def _operator_rows(campaign: FaultCampaign) -> list[dict[str, Any]]:
    by_place = {
        place: make_group(" ".join(place), faults)
        for place, faults in group_faults(campaign.faults, lambda fault: (fault.operator, fault.chapter)).items()
    }
    return [
        {
            "operator": escape_unprintable(operator.name),
            "description": escape_unprintable(operator.description),
            "cells": [_shaded_cell(by_place.get((operator.name, chapter.name))) for chapter in campaign.chapters],
            "whole": _shaded_cell(operator),
        }
        for operator in campaign.operators
    ]


def _shaded_cell(group: FaultGroup | None) -> dict[str, str]:
    """Return one cell: the detected faults out of the faults with an effect, the shade, and all counts as text."""
    if group is None:
        return {"text": "", "level": "none", "description": "no fault of this kind"}
    description = ", ".join(f"{group.statuses.get(status, 0)} {status.replace('-', ' ')}" for status in STATUSES)
    if group.share_found is None:
        return {"text": "-", "level": "none", "description": description}
    level = next(name for least, name in SHADES if group.share_found >= least)
    return {
        "text": f"{group.statuses.get('found', 0)}/{_effective_faults(group)}",
        "level": level,
        "description": description,
    }


def _effective_faults(group: FaultGroup) -> int:
    return group.statuses.get("found", 0) + group.statuses.get("survived", 0)


def _share_of_status(group: FaultGroup, status: str) -> str:
    return _percent_text(group.statuses.get(status, 0) / group.faults if group.faults else None)


def _percent_text(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
