"""Writes several results as one HTML file: requirements by platform, and the platforms that share each deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.reports.call_formatting import driver_label
from clconform.reports.escaping import escape_unprintable
from clconform.reports.html_parts import CONFIDENCE_TEXTS, TextTable, render_page, stacked_bar
from clconform.reports.result_matrix import DIFFERENCES
from clconform.reports.status_policy import DEVIATING_STATUSES, STATUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports.result_matrix import PlatformColumn, RequirementRow, ResultMatrix, SharedDeviation

MAX_NAME_LENGTH = 60
"""Maximum number of characters of a platform's name in a column heading."""


def render_matrix(matrix: ResultMatrix) -> str:
    """Return the page of a matrix as HTML."""
    labels = platform_labels(matrix.platforms)
    counts = matrix.counts()
    values = {
        "heading": f"{len(matrix.platforms)} platforms side by side",
        "platforms": [
            _platform_values(column, label, place)
            for place, (column, label) in enumerate(zip(matrix.platforms, labels, strict=True))
        ],
        "deviations": [_deviation_values(deviation, labels) for deviation in matrix.deviations],
        "to_review": [escape_unprintable(row.id) for row in matrix.requirements_to_review],
        "requirements": len(matrix.requirements),
        "differing": counts["verdicts"],
        "alike": counts["deviations"],
        "tables": ", ".join(dict.fromkeys(column.tables for column in matrix.platforms)),
    }
    return render_page("matrix.html", ["report.css", "matrix.css"], ["matrix.js"], _script_data(matrix, labels), values)


def platform_labels(platforms: Sequence[PlatformColumn]) -> list[str]:
    """Return a short unique name for each platform."""
    labels: list[str] = []
    for column in platforms:
        label = escape_unprintable(driver_label(column.name, column.driver_version), limit=MAX_NAME_LENGTH)
        same = sum(other == label or other.startswith(f"{label} (") for other in labels)
        labels.append(f"{label} ({same + 1})" if same else label)
    return labels


def page_name(index: int) -> str:
    """Return the file name of the page of the platform with this index, in the folder of the page of the matrix."""
    return f"platform-{index + 1}.html"


def _platform_values(column: PlatformColumn, label: str, place: int) -> dict[str, Any]:
    under = (escape_unprintable(text, limit=200) for text in (column.version, column.device) if text)
    verdict = escape_unprintable(column.verdict)
    known = {"label": label, "under": " · ".join(under), "access": column.access, "verdict": verdict}
    return known | {"page": page_name(place), **stacked_bar(column.statuses)}


def _deviation_values(deviation: SharedDeviation, labels: Sequence[str]) -> dict[str, Any]:
    whys = dict.fromkeys(filter(None, deviation.conditions.values()))
    return {
        "id": deviation.id,
        "verdict": deviation.verdict,
        "function": escape_unprintable(deviation.function),
        "requirements": [escape_unprintable(requirement) for requirement in deviation.requirements],
        "conditions": escape_unprintable(" / ".join(whys)),
        "allowed": escape_unprintable(", ".join(deviation.allowed)),
        "observed": escape_unprintable(deviation.observed),
        "confidence": escape_unprintable(deviation.confidence),
        "confidence_text": CONFIDENCE_TEXTS.get(deviation.confidence, ""),
        "platforms": [(labels[place], f"{page_name(place)}#{deviation.id}") for place in deviation.platforms],
        "deviates_differently": [labels[place] for place in deviation.other_deviations],
        "conforms": [
            labels[place]
            for place in deviation.tested
            if place not in (*deviation.platforms, *deviation.other_deviations)
        ],
        "tested": len(deviation.tested),
        "to_review": deviation.to_review,
    }


def _script_data(matrix: ResultMatrix, labels: Sequence[str]) -> dict[str, Any]:
    """Return the data of the script: one row per requirement, with the index of its status on each platform."""
    texts = TextTable()
    rows = [_requirement_row(row, texts) for row in matrix.requirements]
    return {
        "statuses": STATUSES,
        "deviating": len(DEVIATING_STATUSES),
        "differences": DIFFERENCES,
        "platforms": labels,
        "requirements": rows,
        "text": texts.all,
    }


def _requirement_row(row: RequirementRow, texts: TextTable) -> list[Any]:
    section = f"{row.section} {row.title}" if row.section != row.title else row.section
    return [
        escape_unprintable(row.id),
        texts.index_of(row.function or section),
        texts.index_of(row.kind),
        texts.index_of(section),
        texts.index_of(row.condition),
        DIFFERENCES.index(row.difference),
        [STATUSES.index(status) for status in row.statuses],
        {place: ids for place, ids in enumerate(row.deviations) if ids},
        int(row.to_review),
    ]
