"""Prints the results of a run on a terminal (deviations, counts, verdict), and formats tables of capabilities."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from clconform.reports.call_formatting import ValueNames, count_verdicts, format_steps
from clconform.reports.capability_rows import capability_rows, device_titles
from clconform.reports.consequences import CONSEQUENCE_TITLES, order_of
from clconform.reports.count_text import count_text
from clconform.reports.deviation_causes import DeviationCause, group_causes
from clconform.reports.deviation_values import list_values
from clconform.reports.driver_messages import message_of
from clconform.reports.escaping import escape_unprintable
from clconform.reports.github_annotations import VARIABLE, annotation_lines
from clconform.reports.operand_text import all_operands
from clconform.reports.result_verdict import count_findings, sort_by_finding, sort_findings, verdict_of
from clconform.reports.status_policy import STATUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from clconform.calls.journal import OwnerCapabilities
    from clconform.reports.capability_rows import CapabilityCell
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviationResult, GateResult, PlatformTested, RunResult

STYLES = {
    "crashes": "bold red",
    "hangs": "bold red",
    "deviates": "yellow",
    "unconfirmed": "magenta",
    "flaky": "magenta",
    "conforms": "green",
    "inconclusive": "cyan",
}
MARKS = {"below": "bold red", "outside": "yellow", "meets": "green"}
MAX_CAUSES_SHOWN = 20
"""Maximum number of causes in a summary that fits on one screen; the reports contain all of them."""
MAX_DEVIATIONS_WITH_CALLS = 2
"""Maximum number of deviations that are printed with their calls in such a summary."""
MAX_UNCONFIRMED_SHOWN = 20
MAX_STEPS_SHOWN = 12
"""Number of calls at the end of a sequence that are printed."""


def print_summary(
    result: RunResult, tables: ReportTables, console: Console, *, result_path: str = "RESULT", verbose: bool = False
) -> None:
    """Print the summary of ``result``: its deviations, those that affect correct programs first, and then the counts.

    ``result_path``: the path of the result, for commands about deviations. ``verbose``: print all deviations, and each
    with its calls. Otherwise, the summary fits on one screen.
    """
    console.rule("clconform")
    console.print(_platform_text(result.platform))
    _print_deviations(result, tables, console, verbose=verbose)
    _print_unconfirmed([each for each in result.deviations if each.verdict == "unconfirmed"], console)
    for note in result.notes if verbose else ():
        words = f"note (not a deviation): {escape_unprintable(note.requirement)}: {escape_unprintable(note.observed)}"
        console.print(Text(words, style="dim"), soft_wrap=True)
    if result.gate:
        print_gate(result.gate, console)
    console.print()
    console.print(_status_text(result))
    if result.summary.error_codes is not None:
        console.print(Text(result.summary.error_codes.summary_line, style="dim"), soft_wrap=True)
    if result.run.throttled:
        reason = escape_unprintable(result.run.throttled)
        slow = f"The device was slowed down at the end, so a slow call may be reported as a hang: {reason}"
        console.print(Text(slow, style="yellow"), soft_wrap=True)
    console.print(Text(escape_unprintable(verdict_of(result).headline), style="bold"))
    if result.deviations:
        result_path = escape_unprintable(result_path)
        last = f"clconform replay {result_path} ID · clconform reproduce {result_path} ID"
        console.print(Text(f"To replay an ID, or write it as a C program: {last}", style="dim"), soft_wrap=True)


def _print_deviations(result: RunResult, tables: ReportTables, console: Console, *, verbose: bool) -> None:
    """Print the deviations by consequence, and then by cause; with a gate, then those with the worst findings first."""
    names = ValueNames(tables)
    confirmed = [each for each in sort_by_finding(result) if each.verdict != "unconfirmed"]
    causes = (
        [DeviationCause("", [each], message_of(each)) for each in sorted(confirmed, key=lambda each: order_of(each)[0])]
        if result.gate
        else group_causes(confirmed, tables.requirements)
    )
    with_calls = verbose or len(confirmed) <= MAX_DEVIATIONS_WITH_CALLS
    left = len(causes) if with_calls else MAX_CAUSES_SHOWN
    for consequence, group in groupby(causes, key=lambda cause: cause.consequence):
        members = list(group)
        counts = count_verdicts(each.verdict for each in confirmed if each.consequence == consequence)
        console.print(Text(f"\n{CONSEQUENCE_TITLES[consequence]}: {counts}", style="bold"))
        for cause in members[:left]:
            if with_calls:
                for deviation in cause.deviations:
                    console.print(format_deviation(deviation, tables, names), soft_wrap=True)
            else:
                console.print(_cause_text(cause), no_wrap=True, overflow="ellipsis")
        if left < len(members):
            more = count_text(sum(len(cause.deviations) for cause in members[left:]), "more deviation")
            console.print(f"... and {more}: see the report, or clconform report --verbose")
        left = max(0, left - len(members))


def _cause_text(cause: DeviationCause) -> Text:
    """Return one line about the deviations with one cause."""
    first = cause.deviations[0]
    text = Text(f"{first.id}  ", style="bold")
    text.append(f"{first.verdict:<9} ", style=STYLES[first.verdict])
    if len(cause.deviations) > 1:
        text.append(f"{len(cause.deviations)} times: ")
    text.append(f"{' | '.join(escape_unprintable(requirement) for requirement in first.requirements)}: ")
    text.append(escape_unprintable(cause.message or first.observed))
    return text


def _print_unconfirmed(deviations: Sequence[DeviationResult], console: Console) -> None:
    """Print the deviations with inconclusive repetitions, and after those with the same reason, the reason."""
    if not deviations:
        return
    console.print(Text(f"\nUnconfirmed, and not attributed to the driver: {len(deviations)}", style="bold"))
    by_reason: dict[str, list[DeviationResult]] = {}
    for deviation in deviations[:MAX_UNCONFIRMED_SHOWN]:
        by_reason.setdefault(deviation.note, []).append(deviation)
    for reason, unconfirmed in by_reason.items():
        text = Text()
        for deviation in unconfirmed:
            requirements = " | ".join(escape_unprintable(requirement) for requirement in deviation.requirements)
            text.append(f"{deviation.id}  ", style="bold")
            text.append(f"{requirements}: {escape_unprintable(deviation.observed)}\n")
        text.append(f"  {'reason':<12}", style="dim")
        text.append(escape_unprintable(reason))
        console.print(text, soft_wrap=True)
    if len(deviations) > MAX_UNCONFIRMED_SHOWN:
        console.print(f"... and {len(deviations) - MAX_UNCONFIRMED_SHOWN} more: see the report")


def _platform_text(platform: PlatformTested | None) -> Text:
    if platform is None:
        return Text("The run ended before a platform was found.")
    said = (platform.name, platform.version, platform.device_name)
    return Text(
        " · ".join(escape_unprintable(text, limit=200) for text in said) + f" · {escape_unprintable(platform.access)}"
    )


def _status_text(result: RunResult) -> Text:
    counts = [(result.summary.statuses.get(status, 0), status) for status in STATUSES]
    parts = [Text(f"{status} {count:,}", style=STYLES.get(status, "dim")) for count, status in counts if count]
    return Text("Requirements: ") + Text(" · ").join(parts)


def format_deviation(deviation: DeviationResult, tables: ReportTables, names: ValueNames) -> Text:
    """Return a deviation with its facts and its last calls."""
    style = STYLES[deviation.verdict]
    text = Text()
    text.append(f"\n{deviation.id}  ", style="bold")
    text.append(deviation.verdict, style=style)
    text.append(f"  {' | '.join(escape_unprintable(requirement) for requirement in deviation.requirements)}\n")
    for name, value in _deviation_facts(deviation, all_operands(deviation, tables, names)):
        text.append(f"  {name:<12}", style="dim")
        text.append(f"{escape_unprintable(value)}\n")
    steps = format_steps(deviation.sequence, tables, names)
    if len(steps) > MAX_STEPS_SHOWN:
        text.append(f"  ... {len(steps) - MAX_STEPS_SHOWN} earlier calls\n", style="dim")
    text.append("\n".join(f"    {step}" for step in steps[-MAX_STEPS_SHOWN:]))
    return text


def print_gate(gate: GateResult, console: Console) -> None:
    """Print the verdict of the gate: expected findings in one line, others on separate lines, the worst first.

    In a job of GitHub Actions, also print annotations.
    """
    text, head = Text(), f"\nknown deviations {escape_unprintable(gate.file)} on {gate.today}: "
    text.append(f"{head}{count_findings(gate)} -> exit code {gate.exit_code}", style="bold")
    for finding in sort_findings(gate.findings):
        if finding.kind != "known":
            text.append(f"\n{finding.kind:<16}", style="bold red" if finding.code else "dim")
            where = f"entry {finding.entry} (line {finding.line}): " if finding.entry else ""
            text.append(
                f"{finding.deviation + '  ' if finding.deviation else ''}{escape_unprintable(finding.requirement)}\n"
            )
            text.append(f"{'':16}{where}{escape_unprintable(finding.message)}", style="dim")
    if gate.incomplete:
        text.append("\nincomplete", style="bold red")
        text.append(f"\n{'':16}{escape_unprintable('; '.join(gate.incomplete))}", style="dim")
    console.print(text, soft_wrap=True)
    if os.environ.get(VARIABLE) == "true":
        for line in annotation_lines(gate):
            console.print(Text(line), soft_wrap=True)


def _deviation_facts(deviation: DeviationResult, operands: str) -> list[tuple[str, str]]:
    conditions = dict.fromkeys(deviation.conditions.values())
    facts = [
        ("because", " / ".join(conditions)),
        ("where", operands),
        ("allowed", ", ".join(deviation.allowed)),
        ("observed", deviation.observed),
        ("printed", message_of(deviation)),
        ("test values", list_values(deviation.test_values)),
        ("confidence", deviation.confidence),
        ("repeated", f"{deviation.repeated} of {deviation.attempts}" if deviation.attempts else deviation.note),
        ("note", deviation.attribution_note),
    ]
    return [(name, value) for name, value in facts if value]


def capability_tables(found: Sequence[OwnerCapabilities]) -> list[Table]:
    """Return two tables: the query results of a platform, and those of its devices side by side."""
    rows = capability_rows(found)
    tables = []
    for of_platform, titles in ((True, ["value"]), (False, device_titles(found))):
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
        table.add_column("query", overflow="fold")
        table.add_column("section", overflow="ellipsis", no_wrap=True, max_width=8)
        for title in ("minimum", *titles):
            table.add_column(Text(title), overflow="fold")
        for row in rows:
            if row.of_platform is of_platform:
                words = [Text(word) for word in (row.query, row.section, row.minimum)]
                table.add_row(*words, *(_cell_text(cell) for cell in row.cells))
        tables.append(table)
    return tables


def _cell_text(cell: CapabilityCell) -> Text:
    text = Text(cell.text, style="" if cell.kind == "answer" else "dim italic")
    if cell.mark:
        text.append(f"  {cell.mark}", style=MARKS[cell.mark])
    return text
