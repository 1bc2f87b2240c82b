"""Writes a bug report about one deviation in Markdown, ready to paste into the tracker of a driver."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from clconform.reports.c_program import c_program, link_options
from clconform.reports.c_values import CProgramError
from clconform.reports.call_formatting import ValueNames, format_steps
from clconform.reports.consequences import CONSEQUENCE_TITLES
from clconform.reports.driver_messages import last_output_of
from clconform.reports.escaping import escape_non_ascii
from clconform.reports.html_parts import CONFIDENCE_TEXTS
from clconform.reports.markdown import code_span, escape_prose
from clconform.reports.markdown_summary import device_lines, platform_line
from clconform.reports.operand_text import operands_by_requirement
from clconform.reports.specification_links import specification_url

if TYPE_CHECKING:
    from clconform.reports.report_tables import ReportTables
    from clconform.reports.run_result import DeviationResult, RequirementResult, RunResult

Project = Literal["generic", "mesa", "pocl"]
"""The projects whose headings a report can have."""
HEADINGS: dict[Project, tuple[str, str, str]] = {
    "generic": ("Summary", "How to reproduce", "Versions"),
    "mesa": ("Describe the issue", "How to reproduce", "System information"),
    "pocl": ("Describe the bug", "To Reproduce", "Version information"),
}
"""The headings for the description, the program, and the versions."""


def format_bug_report(
    deviation: DeviationResult, result: RunResult, tables: ReportTables, *, project: Project, environment: str
) -> str:
    """Return the report; ``environment``: the settings of the environment before the command that runs the program."""
    summary, reproduce, versions = HEADINGS[project]
    about = [f"## {summary}", "", *_summary_lines(deviation, result, tables)]
    how = ["", f"## {reproduce}", "", *_program_lines(deviation, result, tables, environment)]
    where = ["", f"## {versions}", "", *_version_lines(result)]
    title = f"# {escape_prose(_title_of(deviation))}"
    parts = [*where[1:], "", *about, *how] if project == "mesa" else [*about, *how, *where]
    return "\n".join([title, "", *parts]) + "\n"


def _title_of(deviation: DeviationResult) -> str:
    allowed = f", not {deviation.allowed[0]}" if len(deviation.allowed) == 1 else ""
    verdict = {"crashes": "crashes: ", "hangs": "hangs: "}.get(deviation.verdict, "")
    return f"{deviation.function}: {verdict}{deviation.observed}{allowed}"


def _summary_lines(deviation: DeviationResult, result: RunResult, tables: ReportTables) -> list[str]:
    requirements = {requirement.id: requirement for requirement in result.requirements}
    operands = operands_by_requirement(deviation, tables, ValueNames(tables))
    lines = [
        f"- function: {code_span(deviation.function)}",
        f"- observed: {code_span(deviation.observed)}",
        f"- allowed: {code_span(', '.join(deviation.allowed))}",
    ]
    if deviation.consequence:
        lines.append(f"- consequence: {CONSEQUENCE_TITLES[deviation.consequence].lower()}")
    confidence = CONFIDENCE_TEXTS.get(deviation.confidence, "")
    lines.append(f"- confidence: {escape_prose(': '.join(filter(None, (deviation.confidence, confidence))))}")
    for name in deviation.requirements:
        lines.append(_requirement_line(name, requirements.get(name), deviation.conditions.get(name, "")))
        if name in operands:
            lines.append(f"  - in this call: {code_span(operands[name])}")
    printed = last_output_of(deviation)
    if printed:
        lines += ["", "The driver printed before its process ended:", "", *_block(printed)]
    return lines


def _requirement_line(name: str, requirement: RequirementResult | None, condition: str) -> str:
    words = condition or (requirement.condition if requirement else "")
    text = f"- requirement: {code_span(name)}"
    if words:
        text += f": {escape_prose(words)}"
    if requirement is not None:
        url = specification_url(requirement)
        section = escape_prose(f"section {requirement.section}")
        text += f" ([{section}]({url}))" if url else f" ({section})"
    return text


def _program_lines(deviation: DeviationResult, result: RunResult, tables: ReportTables, environment: str) -> list[str]:
    calls = ["The calls:", "", *_block("\n".join(format_steps(deviation.sequence, tables, ValueNames(tables))))]
    try:
        program = c_program(deviation, result, tables)
    except CProgramError as error:
        return [*calls, "", f"They cannot be written as a C program: {escape_prose(str(error))}"]
    commands = f"cc {deviation.id}.c -o {deviation.id} {link_options(deviation)}\n{environment}./{deviation.id}"
    return [
        *calls,
        "",
        f"The same as a C program, `{deviation.id}.c`. Exit status 1: reproduced; 0: not reproduced.",
        "",
        *_block(program, "c"),
        "",
        *_block(commands, "sh"),
        "",
        f"It was reproduced in {deviation.repeated} of {deviation.attempts} new processes.",
    ]


def _version_lines(result: RunResult) -> list[str]:
    platform, lines = result.platform, []
    if platform is not None:
        lines = [platform_line(platform), *device_lines(platform), f"- access: {escape_prose(platform.access)}"]
    documents = ", ".join(f"{name} {revision}".strip() for name, revision in result.run.documents.items())
    return [*lines, f"- clconform: {code_span(result.run.clconform)}", f"- specifications: {code_span(documents)}"]


def _block(text: str, language: str = "") -> list[str]:
    """Return a code block; its fence is longer than any run of backticks in the text."""
    shown = escape_non_ascii(text, limit=len(text), lines=True)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    return [f"{fence}{language}", shown.rstrip("\n"), fence]
