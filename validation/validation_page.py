"""Writes the validations of a program's processes as one HTML page, in the design of the report on a run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from clconform.reports.call_formatting import ValueNames
from clconform.reports.count_text import count_text
from clconform.reports.escaping import escape_unprintable
from clconform.reports.html_parts import CONFIDENCE_TEXTS, render_page
from clconform.validation.finding_text import as_sentence, describe_finding, find_section, rule_title
from clconform.validation.findings import (
    ADVICE,
    DEVIATION,
    DRIVER,
    ERROR,
    FAILED,
    KINDS,
    LEAK_RULES,
    PARTIES,
    PORTABILITY,
    PROBE,
    PROCESS_ENDED,
    PROGRAM,
    SERIOUS_KINDS,
    UNCLEAR,
    UNDEFINED,
)
from clconform.validation.printer import validation_headline
from clconform.validation.suppressions import format_suppression

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.spec_tables import Tables
    from clconform.validation.findings import Validation, ValidationFinding

PARTY_TITLES = {PROGRAM: "The program", DRIVER: "The driver", UNCLEAR: "Cause unclear"}
KIND_TITLES = {
    ERROR: "Calls that must fail",
    UNDEFINED: "Undefined behaviour",
    DEVIATION: "Outcomes that no requirement allows",
    FAILED: "Failed calls",
    PROCESS_ENDED: "The end of the process",
    ADVICE: "Advice",
    PORTABILITY: "Portability",
    PROBE: "Probes: queries that may fail",
}
"""Maps the kinds of findings to the titles of their groups, in their order on the page."""
LEAKS = "Leaks, by the place that creates the objects"
MAX_EXPANDED = 4
"""If a page has more findings that count against a party, only the first is expanded when the page opens."""
MAX_PLACE = 60
"""Maximum number of characters of a place in the first line of a finding."""
MAX_LINE = 1000
"""Maximum number of characters of a call."""


def render_validations(validations: Sequence[Validation], tables: Tables) -> str:
    """Return the page as HTML, in one file that needs no other files; each process has a section."""
    every = [finding for each in validations for finding in each.findings]
    counts = Counter(each.kind for each in every)
    calls, judged = sum(each.calls for each in validations), sum(each.judged for each in validations)
    is_bad = any(each.kind in SERIOUS_KINDS for each in every) or any(each.program_end for each in validations)
    is_lossy = any(each.damage or each.pending_calls for each in validations) or counts[FAILED]
    writer = _PageWriter(tables, sum(each.kind in SERIOUS_KINDS for each in every))
    processes = [writer.process_values(each, number, len(validations)) for number, each in enumerate(validations)]
    values = {
        "heading": escape_unprintable(validations[0].recording, limit=200),
        "under": " · ".join(
            dict.fromkeys(escape_unprintable(text, limit=200) for each in validations for text in each.platforms)
        ),
        "mood": "bad" if is_bad else "warn" if is_lossy else "good",
        "verdict": escape_unprintable(validation_headline(every)),
        "verdict_more": f"{count_text(calls, 'call')}, {judged:,} of them judged"
        + (f" · {len(validations)} processes" if len(validations) > 1 else ""),
        "tiles": _tiles(every),
        "kinds": [(kind, counts[kind]) for kind in KINDS if counts[kind]],
        "processes": processes,
        "not_visible": list(dict.fromkeys(as_sentence(text) for each in validations for text in each.not_visible)),
        "tables": tables.documents["OpenCL"].revision,
    }
    return render_page("validation.html", ["report.css", "validation.css"], ["validation.js"], {"statuses": []}, values)


def _tiles(findings: Iterable[ValidationFinding]) -> list[tuple[str, str, int]]:
    """Return the numbers on the first screen: label, kind for the colour, and number."""
    counts = Counter((each.party, each.kind in SERIOUS_KINDS, each.kind) for each in findings)

    def count(party: str, *kinds: str) -> int:
        return sum(number for (whose, _, kind), number in counts.items() if kind in kinds and party in ("", whose))

    return [
        ("program violations", ERROR, count(PROGRAM, ERROR, UNDEFINED)),
        ("driver deviations", DEVIATION, count(DRIVER, DEVIATION)),
        ("failed, cause unclear", FAILED, count("", FAILED, PROCESS_ENDED)),
        ("advice", ADVICE, count("", ADVICE)),
        ("portability and probes", PROBE, count("", PORTABILITY, PROBE)),
    ]


class _PageWriter:
    """Prepares the values of the template; ``serious``: the number of findings that count against a party."""

    def __init__(self, tables: Tables, serious: int) -> None:
        self._tables, self._names = tables, ValueNames(tables)
        self._expanded = serious if serious <= MAX_EXPANDED else 1
        self._numbers = Counter[str]()

    def process_values(self, validation: Validation, number: int, processes: int) -> dict[str, Any]:
        """Return the values of one process."""
        parties = []
        for party in PARTIES:
            own = [finding for finding in validation.findings if finding.party == party]
            if own:
                title = PARTY_TITLES.get(party, f"The {party}")
                parties.append({"title": title, "count": len(own), "groups": self._groups(own)})
        name = escape_unprintable(validation.recording, limit=200)
        return {
            "anchor": f"process-{number + 1}" if processes > 1 else "findings",
            "link": f"Process {number + 1}" if processes > 1 else "Findings",
            "title": f"Process {number + 1}: {name}" if processes > 1 else "Findings",
            "headline": validation_headline(validation.findings) if processes > 1 else "",
            "facts": [(label, escape_unprintable(text)) for label, text in _facts(validation, processes) if text],
            "unjudged": sum(validation.not_judged.values()),
            "not_judged": [
                (as_sentence(escape_unprintable(reason)), count)
                for reason, count in sorted(validation.not_judged.items(), key=lambda pair: -pair[1])
            ],
            "parties": parties,
        }

    def _groups(self, findings: Sequence[ValidationFinding]) -> list[dict[str, Any]]:
        """Return the findings of a party by kind, with a group for leaks before the notes on portability."""
        found: dict[str, list[ValidationFinding]] = {}
        for kind, title in KIND_TITLES.items():
            own = [each for each in findings if each.kind == kind]
            found[title] = [each for each in own if each.rule not in LEAK_RULES]
            if kind == ADVICE:
                found[LEAKS] = [each for each in own if each.rule in LEAK_RULES]
        return [
            {"title": title, "count": len(listed), "findings": [self._finding_values(each) for each in listed]}
            for title, listed in found.items()
            if listed
        ]

    def _finding_values(self, finding: ValidationFinding) -> dict[str, Any]:
        text = describe_finding(finding, self._tables, self._names)
        self._numbers["findings"] += 1
        opened = finding.kind in SERIOUS_KINDS and self._numbers["opened"] < self._expanded
        self._numbers["opened"] += opened
        return {
            "id": f"finding-{self._numbers['findings']}",
            "open": opened,
            "kind": finding.kind,
            "function": escape_unprintable(finding.function),
            "count": finding.count,
            "title": escape_unprintable(text.title),
            "rule_title": rule_title(finding),
            "section": find_section(finding, self._tables),
            "place": escape_unprintable(text.place),
            "short_place": _shorten_place(escape_unprintable(str(finding.site))),
            "reason": escape_unprintable(text.reason),
            "condition": escape_unprintable(text.condition),
            "operands": escape_unprintable(text.operands),
            "consequence": text.consequence,
            "remedy": escape_unprintable(finding.remedy),
            "allowed": escape_unprintable(", ".join(finding.allowed)),
            "observed": escape_unprintable(finding.observed),
            "is_allowed": finding.observed in finding.allowed,
            "stack": "\n".join(escape_unprintable(line, limit=MAX_LINE) for line in text.stack),
            "calls": [escape_unprintable(line, limit=MAX_LINE) for line in text.calls],
            "suppression": format_suppression(finding),
            "confidence": escape_unprintable(text.confidence),
            "confidence_text": CONFIDENCE_TEXTS.get(text.confidence, ""),
        }


def _shorten_place(place: str) -> str:
    """Return the end of a place, which has the name of the file and the line."""
    return place if len(place) <= MAX_PLACE else f"...{place[-MAX_PLACE:]}"


def _facts(validation: Validation, processes: int) -> list[tuple[str, str]]:
    """Return facts with labels; with several processes, also those that otherwise stand on the first screen."""
    own = [
        ("Calls", f"{validation.calls:,}, {validation.judged:,} of them judged"),
        ("Platforms", "; ".join(validation.platforms)),
    ]
    return [
        *(own if processes > 1 else ()),
        ("End of the program", validation.program_end),
        ("Recording", validation.damage),
        ("Calls that had not returned", "; ".join(dict.fromkeys(validation.pending_calls))),
        ("Commands that may have been running", "; ".join(validation.running_commands)),
        ("Suppressed findings", f"{validation.suppressed:,}" if validation.suppressed else ""),
    ]
