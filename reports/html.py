"""Writes a result as one HTML file that needs no network, opens at once and stays small.

The first screen and the deviations are plain HTML. The records stand in one compact JSON block, which a small script
draws on demand. Nothing in the page can run but that script: it is named by its digest in the page's policy, the
template escapes, and every text passes ``escaping`` first.
"""

from __future__ import annotations

import base64
import hashlib
import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from clconform.reports.c_program import c_program
from clconform.reports.c_values import CProgramError
from clconform.reports.capabilities import side_by_side, titles_of
from clconform.reports.escaping import visible
from clconform.reports.status import BAD, STATUSES
from clconform.reports.timelines import timelines
from clconform.reports.wording import Names, format_call, format_outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from clconform.reports.facts import Facts
    from clconform.reports.result import DeviationResult, Group, RecordResult, Result

OPENED = 8
"""Deviations that are unfolded when the page opens."""
PROGRAMS = 1_000_000
"""Characters of C programs that a page carries."""
ASKED = {*BAD, "conforms", "inconclusive"}
SURE = {
    "literal": "The document says so literally.",
    "inferred": "It follows from what the document says.",
    "register": "It rests on an interpretation that stands in our register.",
}


def html_of(result: Result, tables: Facts, *, result_name: str = "result.json") -> str:
    """Return the report; ``result_name`` stands in the commands that it shows."""
    environment = Environment(
        loader=PackageLoader("clconform.reports"), autoescape=True, undefined=StrictUndefined, trim_blocks=False
    )
    environment.filters["visible"] = visible
    style, script = (_source(environment, name) for name in ("report.css", "report.js"))
    programs = _programs(result, tables)
    values = {
        **_first_screen(result),
        "run": result.run,
        "style": Markup(style),  # noqa: S704 (our own file)
        "style_hash": _digest(style),
        "script": Markup(script),  # noqa: S704 (our own file)
        "script_hash": _digest(script),
        "chapters": [_group(group) for group in result.summary.chapters],
        "kinds": [_group(group) for group in result.summary.kinds],
        "functions": _functions(result, tables, programs),
        "notes": [
            (visible(note.record), visible(note.observed), format_call(note.call, None, tables))
            for note in result.notes
        ],
        "left_open": [
            (entry, ", ".join(f"{visible(code)} ({count})" for code, count in entry.seen.items()))
            for entry in result.left_open
        ],
        "capabilities": side_by_side(result.capabilities),
        "devices": titles_of(result.capabilities),
        "stories": result.stories,
        "timelines": timelines(result.stories),
        "result_name": visible(result_name),
        "data": Markup(_json(_compact(result.records, programs))),  # noqa: S704 (escaped by _json)
    }
    return environment.get_template("report.html").render(values)


def _source(environment: Environment, name: str) -> str:
    loader = environment.loader
    assert loader is not None  # noqa: S101 (given above)
    return loader.get_source(environment, name)[0]


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def _json(value: object) -> str:
    """Return JSON that may stand inside a script element: nothing in it can end that element."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("\x7f", "\\u007f")


def _first_screen(result: Result) -> dict[str, Any]:
    run, platform, summary = result.run, result.platform, result.summary
    verdict, _, more = summary.verdict.partition(" · ")
    heading = visible(platform.name, limit=200) if platform else "No platform was reached"
    under = (
        " · ".join(visible(text, limit=200) for text in (platform.version, platform.device_name) if text)
        if platform
        else ""
    )
    statuses = summary.statuses
    mood = "bad" if statuses["crashes"] or statuses["hangs"] else "warn" if summary.deviations else "good"
    if mood == "good" and not statuses["conforms"]:
        mood = "warn"
    facts = [
        *_platform_facts(result),
        ("Seed and tier", f"{run.seed} · {run.tier}"),
        ("Started", run.started),
        ("Duration", _duration(run.seconds) + (" until it was cut short" if run.cut_short else "")),
        ("Asked", f"{run.calls:,} calls in {run.items:,} items"),
        *((f"Document {key}", revision) for key, revision in run.documents.items()),
        ("Unfinished items", ", ".join(run.unfinished)),
        ("Records that these tables lack", ", ".join(run.unknown_records)),
    ]
    return {
        "heading": heading,
        "under": under,
        "mood": mood,
        "verdict": verdict,
        "verdict_more": more,
        "tiles": [{"status": status, "count": statuses[status]} for status in STATUSES],
        "facts": [(visible(name), visible(value)) for name, value in facts if value],
    }


def _platform_facts(result: Result) -> list[tuple[str, str]]:
    platform = result.platform
    if platform is None:
        return []
    ways = {"loader": "through the loader", "direct": "past the loader", "simulated": "the simulated platform"}
    drivers = dict.fromkeys(device.driver_version for device in platform.devices)
    devices = [f"{device.name} ({device.compute_units} compute units)" for device in platform.devices]
    return [
        ("Vendor", platform.vendor),
        ("Driver version", ", ".join(drivers)),
        ("Devices", ", ".join(devices)),
        ("Profile", platform.profile),
        ("Reached", " ".join((ways.get(platform.way, platform.way), platform.loader))),
        ("Libraries", ", ".join(platform.libraries)),
        ("Offered by the loader, but missing in the driver", ", ".join(platform.empty)),
    ]


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _group(group: Group) -> dict[str, Any]:
    parts = []
    x = 0.0
    for status in STATUSES:
        count = group.statuses[status]
        if count:
            width = 100 * count / group.records
            parts.append({"status": status, "x": f"{x:.3f}", "width": f"{width:.3f}"})
            x += width
    told = ", ".join(f"{count} {status}" for status, count in group.statuses.items() if count)
    asked = sum(count for status, count in group.statuses.items() if status in ASKED)
    name, title = visible(group.name), visible(group.title)
    return {"name": name, "title": title, "records": group.records, "asked": asked, "parts": parts, "told": told}


def _programs(result: Result, tables: Facts) -> dict[str, str]:
    programs: dict[str, str] = {}
    size = 0
    for deviation in result.deviations:
        try:
            program = c_program(deviation, result, tables)
        except CProgramError:
            continue
        size += len(program)
        if size > PROGRAMS:
            break
        programs[deviation.id] = program
    return programs


def _functions(result: Result, tables: Facts, programs: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the deviations by function, the function with the worst of them first."""
    worst: dict[str, tuple[int, int]] = {}
    for position, deviation in enumerate(result.deviations):
        worst.setdefault(deviation.function, (BAD.index(deviation.verdict), position))
    ordered = sorted(result.deviations, key=lambda deviation: worst[deviation.function])
    opened = {deviation.id for deviation in ordered[:OPENED]}
    names = Names(tables)
    records = {record.id: record for record in result.records}
    shown = _Shown(tables, names, records)
    return [
        {
            "name": visible(function),
            "deviations": [
                shown.deviation(deviation) | {"open": deviation.id in opened, "program": deviation.id in programs}
                for deviation in members
            ],
        }
        for function, members in groupby(ordered, key=lambda deviation: deviation.function)
    ]


class _Shown:
    """Puts a deviation into the words that the page shows."""

    def __init__(self, tables: Facts, names: Names, records: Mapping[str, RecordResult]) -> None:
        self._tables = tables
        self._names = names
        self._records = records

    def deviation(self, deviation: DeviationResult) -> dict[str, Any]:
        """Return what the template needs of one deviation."""
        steps = []
        for step in deviation.sequence:
            call = format_call(step.call, None, self._tables, self._names)
            answer = format_outcome(step.call, step.outcome, self._tables, self._names)
            steps.append({"call": visible(call), "answer": f" -> {visible(answer)}"})
        repeated = f"Reproduced {deviation.reproduced} of {deviation.attempts} times"
        length = "The shortest sequence" if deviation.shortest else "The sequence that met it"
        return {
            "id": deviation.id,
            "verdict": deviation.verdict,
            "observed": visible(deviation.observed),
            "allowed": visible(", ".join(deviation.allowed)),
            "clauses": [self._clause(record, deviation) for record in deviation.records],
            "sequence_label": length + (", with its whole history" if deviation.history else ""),
            "steps": steps,
            "sure": visible(deviation.sure),
            "sure_words": SURE.get(deviation.sure, ""),
            "reproduced": repeated if deviation.attempts else "Not yet repeated",
            "seen": f"Met by {deviation.items} item{'' if deviation.items == 1 else 's'}",
            "item": visible(deviation.item),
            "note": visible(deviation.note) if deviation.attempts else "",
        }

    def _clause(self, record: str, deviation: DeviationResult) -> dict[str, str]:
        known = self._records.get(record)
        where = f"section {known.section} {known.title}" if known and known.section != known.title else ""
        why = deviation.why.get(record, "") or (known.words if known else "")
        shown = visible(record)
        return {"id": shown, "link": shown, "where": visible(where), "why": visible(why)}


def _compact(records: Iterable[RecordResult], programs: Mapping[str, str]) -> dict[str, Any]:
    """Return the records as rows; texts that come again stand once in a list."""
    places: dict[str, int] = {}

    def place(text: str) -> int:
        return places.setdefault(visible(text), len(places))

    rows = [_row(record, place) for record in records]
    return {"statuses": STATUSES, "text": list(places), "records": rows, "programs": programs}


def _row(record: RecordResult, place: Callable[[str], int]) -> list[Any]:
    section = f"{record.section} {record.title}" if record.section != record.title else record.section
    return [
        visible(record.id),
        place(record.function or record.section),
        place(record.kind),
        place(record.chapter),
        place(section),
        STATUSES.index(record.status),
        record.calls,
        place(record.words),
        place(record.reason),
        record.evidence.get("weak", 0),
        [place(boundary) for boundary in record.boundaries],
        [place(observed) for observed in record.observed],
        [place(deviation) for deviation in record.deviations],
    ]
