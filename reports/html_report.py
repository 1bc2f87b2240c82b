"""Writes a result as one small HTML file that opens quickly and needs no network.

The first screen, the deviations and the tables are plain HTML. The functions with their requirements are one compact
JSON block, which a small script renders on demand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.calls.run_verdict import COLORS, GREEN, RED
from clconform.reports.alignment_rules_table import alignment_rules
from clconform.reports.call_formatting import ACCESS_TEXTS, format_call
from clconform.reports.capability_rows import capability_rows, device_titles
from clconform.reports.escaping import escape_unprintable
from clconform.reports.html_deviations import deviation_values, gate_values, write_programs
from clconform.reports.html_faults import fault_values
from clconform.reports.html_parts import TextTable, format_duration, labelled_bar, render_page
from clconform.reports.report_sections import STYLES, draw_sections
from clconform.reports.result_verdict import verdict_of
from clconform.reports.specification_links import specification_url
from clconform.reports.status_policy import STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.reports.fault_campaign import FaultCampaign
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import RequirementResult, RunResult

MOODS = {color: "good" if color == GREEN else "bad" if color == RED else "warn" for color in COLORS}
"""Maps the colours of the badge to the style of the first screen."""


def render_report(
    result: RunResult,
    tables: ReportTables,
    *,
    result_name: str = "result.json",
    agreement: Mapping[str, str] | None = None,
    campaign: FaultCampaign | None = None,
) -> str:
    """Return the report as HTML; ``result_name``: the file name of the result, for the commands in the report.

    ``agreement``: maps deviations to their comparison with other platforms. ``campaign``: fault injection on the same
    platform.
    """
    titles = {group.name: group.title for group in result.summary.chapters}
    programs = write_programs(result, tables)
    documents = {key: f"{document.title} {document.revision}".strip() for key, document in tables.documents.items()}
    values = {
        **_first_screen_values(result),
        "run": result.run,
        "chapters": [labelled_bar(group) for group in result.summary.chapters],
        "kinds": [labelled_bar(group) for group in result.summary.kinds],
        **deviation_values(result, tables, programs, agreement or {}),
        "gate": gate_values(result.gate) if result.gate else None,
        "notes": [
            (
                escape_unprintable(note.requirement),
                escape_unprintable(note.observed),
                format_call(note.call, None, tables),
            )
            for note in result.notes
        ],
        "interpretations": [
            (entry, ", ".join(f"{escape_unprintable(code)} ({count})" for code, count in entry.observed.items()))
            for entry in result.interpretations
        ],
        "alignments": alignment_rules(result.requirements, result.deviations),
        "capabilities": capability_rows(result.capabilities),
        "devices": device_titles(result.capabilities),
        "sections": draw_sections(result, tables),
        "faults": fault_values(campaign, titles) if campaign else None,
        "result_name": escape_unprintable(result_name),
    }
    data = _script_data(result, programs, documents)
    return render_page("report.html", ["report.css", *STYLES], ["report.js"], data, values)


def _first_screen_values(result: RunResult) -> dict[str, Any]:
    run, platform, summary = result.run, result.platform, result.summary
    judged = verdict_of(result)
    verdict, _, more = judged.headline.partition(" · ")
    more = " · ".join(part for part in (more, summary.error_codes.summary_line if summary.error_codes else "") if part)
    heading = escape_unprintable(platform.name, limit=200) if platform else "No platform found"
    under = (
        " · ".join(escape_unprintable(text, limit=200) for text in (platform.version, platform.device_name) if text)
        if platform
        else ""
    )
    statuses = summary.statuses
    facts = [
        *_platform_facts(result),
        ("Seed and tier", f"{run.seed} · {run.tier}"),
        ("Started", run.started),
        ("Duration", format_duration(run.seconds) + (" (incomplete)" if judged.losses else "")),
        ("Tested", f"{run.calls:,} calls in {run.items:,} items"),
        *((f"Document {key}", revision) for key, revision in run.documents.items()),
        ("Slowed down at the end", run.throttled),
        ("The run is incomplete", "; ".join(judged.losses)),
        ("Unfinished items", ", ".join(run.unfinished)),
        ("Requirements missing from these tables", ", ".join(run.unknown_requirements)),
    ]
    return {
        "heading": heading,
        "under": under,
        "mood": MOODS[judged.color],
        "verdict": verdict,
        "verdict_more": more,
        "tiles": [{"status": status, "count": statuses.get(status, 0)} for status in STATUSES],
        "facts": [(escape_unprintable(name), escape_unprintable(value)) for name, value in facts if value],
    }


def _platform_facts(result: RunResult) -> list[tuple[str, str]]:
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
        ("Access", " ".join((ACCESS_TEXTS.get(platform.access, platform.access), platform.loader))),
        ("Libraries", ", ".join(platform.libraries)),
        ("Offered by the loader but missing in the driver", ", ".join(platform.missing)),
    ]


def _script_data(result: RunResult, programs: Mapping[str, str], documents: Mapping[str, str]) -> dict[str, Any]:
    """Return the data of the script, with a row for each requirement.

    Repeated texts are stored once.
    """
    texts = TextTable()
    rows = [_requirement_row(requirement, texts, documents) for requirement in result.requirements]
    met = {
        deviation.id: [STATUSES.index(deviation.verdict), texts.index_of(deviation.observed)]
        for deviation in result.deviations
    }
    return {"statuses": STATUSES, "requirements": rows, "deviations": met, "programs": programs, "text": texts.all}


def _requirement_row(requirement: RequirementResult, texts: TextTable, documents: Mapping[str, str]) -> list[Any]:
    section = (
        f"{requirement.section} {requirement.title}"
        if requirement.section != requirement.title
        else requirement.section
    )
    return [
        escape_unprintable(requirement.id),
        texts.index_of(requirement.function or requirement.section),
        texts.index_of(requirement.kind),
        texts.index_of(requirement.chapter),
        texts.index_of(section),
        texts.index_of(documents.get(requirement.document, requirement.document)),
        STATUSES.index(requirement.status),
        requirement.calls,
        texts.index_of(requirement.condition),
        texts.index_of(requirement.reason),
        requirement.evidence.get("weak", 0),
        [texts.index_of(test_value) for test_value in requirement.test_values],
        [texts.index_of(observed) for observed in requirement.observed],
        [texts.index_of(deviation) for deviation in requirement.deviations],
        texts.index_of(", ".join(requirement.machines)),
        texts.index_of(specification_url(requirement)),
    ]
