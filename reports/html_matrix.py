"""Writes several results as one HTML file: requirements by platform, and which platforms share each deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.reports.escaping import visible
from clconform.reports.html_parts import CONFIDENCE, Texts, bar, render
from clconform.reports.matrix import DIFFERENCES
from clconform.reports.status import STATUSES
from clconform.reports.wording import driver_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports.matrix import Matrix, PlatformColumn, RecordRow, SharedDeviation

NAME = 60
"""Maximum number of characters of a platform's name in a column heading."""


def html_of_matrix(matrix: Matrix) -> str:
    """Return the page."""
    labels = labels_of(matrix.platforms)
    counts = matrix.counts()
    values = {
        "heading": f"{len(matrix.platforms)} platforms side by side",
        "platforms": [
            _platform(column, label, place)
            for place, (column, label) in enumerate(zip(matrix.platforms, labels, strict=True))
        ],
        "deviations": [_deviation(deviation, labels) for deviation in matrix.deviations],
        "second": [visible(row.id) for row in matrix.second_readings],
        "records": len(matrix.records),
        "differing": counts["verdicts"],
        "alike": counts["deviations"],
        "tables": ", ".join(dict.fromkeys(column.tables for column in matrix.platforms)),
    }
    return render("matrix.html", ["report.css", "matrix.css"], ["matrix.js"], _compact(matrix, labels), values)


def labels_of(platforms: Sequence[PlatformColumn]) -> list[str]:
    """Return a short unique name for each platform."""
    labels: list[str] = []
    for column in platforms:
        label = visible(driver_label(column.name, column.driver_version), limit=NAME)
        same = sum(other == label or other.startswith(f"{label} (") for other in labels)
        labels.append(f"{label} ({same + 1})" if same else label)
    return labels


def own_page(place: int) -> str:
    """Return the file name of the page, next to the matrix, of the platform at ``place``."""
    return f"platform-{place + 1}.html"


def _platform(column: PlatformColumn, label: str, place: int) -> dict[str, Any]:
    under = (visible(text, limit=200) for text in (column.version, column.device) if text)
    verdict = visible(column.verdict)
    known = {"label": label, "under": " · ".join(under), "access": column.access, "verdict": verdict}
    return known | {"page": own_page(place), **bar(column.statuses)}


def _deviation(deviation: SharedDeviation, labels: Sequence[str]) -> dict[str, Any]:
    whys = dict.fromkeys(filter(None, deviation.conditions.values()))
    return {
        "id": deviation.id,
        "verdict": deviation.verdict,
        "function": visible(deviation.function),
        "records": [visible(record) for record in deviation.records],
        "words": visible(" / ".join(whys)),
        "allowed": visible(", ".join(deviation.allowed)),
        "observed": visible(deviation.observed),
        "confidence": visible(deviation.confidence),
        "confidence_words": CONFIDENCE.get(deviation.confidence, ""),
        "platforms": [(labels[place], f"{own_page(place)}#{deviation.id}") for place in deviation.platforms],
        "other_ways": [labels[place] for place in deviation.other_ways],
        "right": [
            labels[place] for place in deviation.asked if place not in (*deviation.platforms, *deviation.other_ways)
        ],
        "asked": len(deviation.asked),
        "second": deviation.second_reading,
    }


def _compact(matrix: Matrix, labels: Sequence[str]) -> dict[str, Any]:
    """Return the requirements as rows; a row's statuses are one digit per platform."""
    texts = Texts()
    rows = [_row(row, texts) for row in matrix.records]
    return {"statuses": STATUSES, "differences": DIFFERENCES, "platforms": labels, "records": rows, "text": texts.all}


def _row(row: RecordRow, texts: Texts) -> list[Any]:
    section = f"{row.section} {row.title}" if row.section != row.title else row.section
    return [
        visible(row.id),
        texts.place(row.function or section),
        texts.place(row.kind),
        texts.place(section),
        texts.place(row.condition),
        DIFFERENCES.index(row.difference),
        "".join(str(STATUSES.index(status)) for status in row.statuses),
        {place: ids for place, ids in enumerate(row.deviations) if ids},
        int(row.second_reading),
    ]
