"""Writes a result as one small HTML file that needs no network and opens quickly.

The first screen, the deviations and the tables are plain HTML. The functions with their requirements are one compact
JSON block that a small script renders on demand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.reports.alignments import alignment_rules
from clconform.reports.capabilities import side_by_side, titles_of
from clconform.reports.completeness import gaps_of
from clconform.reports.escaping import visible
from clconform.reports.html_deviations import programs_of, shown_causes, shown_gate
from clconform.reports.html_faults import shown_faults
from clconform.reports.html_parts import Texts, duration, group_bar, render
from clconform.reports.image_formats import rows_of
from clconform.reports.partitions import trees
from clconform.reports.status import STATUSES
from clconform.reports.timelines import timelines
from clconform.reports.wording import WAYS, Names, format_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.reports.campaign import Campaign
    from clconform.reports.facts import Facts
    from clconform.reports.result import RecordResult, Result


def html_of(
    result: Result,
    tables: Facts,
    *,
    result_name: str = "result.json",
    agreement: Mapping[str, str] | None = None,
    campaign: Campaign | None = None,
) -> str:
    """Return the report; ``result_name`` is used in the commands that it shows.

    ``agreement``: by deviation, the comparison with other platforms. ``campaign``: fault injection on the same
    platform.
    """
    titles = {group.name: group.title for group in result.summary.chapters}
    programs = programs_of(result, tables)
    documents = {key: f"{document.title} {document.revision}".strip() for key, document in tables.documents.items()}
    values = {
        **_first_screen(result),
        "run": result.run,
        "chapters": [group_bar(group) for group in result.summary.chapters],
        "kinds": [group_bar(group) for group in result.summary.kinds],
        "causes": shown_causes(result, tables, programs, agreement or {}),
        "gate": shown_gate(result.gate) if result.gate else None,
        "notes": [
            (visible(note.record), visible(note.observed), format_call(note.call, None, tables))
            for note in result.notes
        ],
        "left_open": [
            (entry, ", ".join(f"{visible(code)} ({count})" for code, count in entry.seen.items()))
            for entry in result.left_open
        ],
        "alignments": alignment_rules(result.records, result.deviations),
        "capabilities": side_by_side(result.capabilities),
        "devices": titles_of(result.capabilities),
        "trees": trees(result.partitions, result.platform, tables, Names(tables)),
        "image_formats": rows_of(result.image_formats),
        "traces": result.traces,
        "faults": shown_faults(campaign, titles) if campaign else None,
        "timelines": timelines(result.traces),
        "result_name": visible(result_name),
    }
    return render("report.html", ["report.css"], ["report.js"], _compact(result, programs, documents), values)


def _first_screen(result: Result) -> dict[str, Any]:
    run, platform, summary = result.run, result.platform, result.summary
    verdict, _, more = summary.verdict.partition(" · ")
    more = " · ".join(part for part in (more, summary.error_codes.in_words if summary.error_codes else "") if part)
    heading = visible(platform.name, limit=200) if platform else "No platform found"
    under = (
        " · ".join(visible(text, limit=200) for text in (platform.version, platform.device_name) if text)
        if platform
        else ""
    )
    statuses = summary.statuses
    gaps = gaps_of(run)
    mood = "bad" if statuses.get("crashes", 0) or statuses.get("hangs", 0) else "warn" if summary.deviations else "good"
    if mood == "good" and (gaps or not statuses.get("conforms", 0)):
        mood = "warn"
    facts = [
        *_platform_facts(result),
        ("Seed and tier", f"{run.seed} · {run.tier}"),
        ("Started", run.started),
        ("Duration", duration(run.seconds) + (" (incomplete)" if gaps else "")),
        ("Tested", f"{run.calls:,} calls in {run.items:,} items"),
        *((f"Document {key}", revision) for key, revision in run.documents.items()),
        ("The run is incomplete", "; ".join(gaps)),
        ("Unfinished items", ", ".join(run.unfinished)),
        ("Requirements missing from these tables", ", ".join(run.unknown_records)),
    ]
    return {
        "heading": heading,
        "under": under,
        "mood": mood,
        "verdict": verdict,
        "verdict_more": more,
        "tiles": [{"status": status, "count": statuses.get(status, 0)} for status in STATUSES],
        "facts": [(visible(name), visible(value)) for name, value in facts if value],
    }


def _platform_facts(result: Result) -> list[tuple[str, str]]:
    platform = result.platform
    if platform is None:
        return []
    drivers = dict.fromkeys(device.driver_version for device in platform.devices)
    devices = [f"{device.name} ({device.compute_units} compute units)" for device in platform.devices]
    return [
        ("Vendor", platform.vendor),
        ("Driver version", ", ".join(drivers)),
        ("Devices", ", ".join(devices)),
        ("Profile", platform.profile),
        ("Access", " ".join((WAYS.get(platform.access, platform.access), platform.loader))),
        ("Libraries", ", ".join(platform.libraries)),
        ("Offered by the loader but missing in the driver", ", ".join(platform.missing)),
    ]


def _compact(result: Result, programs: Mapping[str, str], documents: Mapping[str, str]) -> dict[str, Any]:
    """Return the requirements as rows, and the other data of the script; repeated texts are stored once."""
    texts = Texts()
    rows = [_row(record, texts, documents) for record in result.records]
    met = {
        deviation.id: [STATUSES.index(deviation.verdict), texts.place(deviation.observed)]
        for deviation in result.deviations
    }
    return {"statuses": STATUSES, "records": rows, "deviations": met, "programs": programs, "text": texts.all}


def _row(record: RecordResult, texts: Texts, documents: Mapping[str, str]) -> list[Any]:
    section = f"{record.section} {record.title}" if record.section != record.title else record.section
    return [
        visible(record.id),
        texts.place(record.function or record.section),
        texts.place(record.kind),
        texts.place(record.chapter),
        texts.place(section),
        texts.place(documents.get(record.document, record.document)),
        STATUSES.index(record.status),
        record.calls,
        texts.place(record.condition),
        texts.place(record.reason),
        record.evidence.get("weak", 0),
        [texts.place(boundary) for boundary in record.boundaries],
        [texts.place(observed) for observed in record.observed],
        [texts.place(deviation) for deviation in record.deviations],
    ]
