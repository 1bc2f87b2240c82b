"""Formats findings of the gate as annotations of a job, which GitHub shows with its changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.reports.escaping import escape_non_ascii
from clconform.reports.result_verdict import sort_findings

if TYPE_CHECKING:
    from clconform.reports.run_result import GateFinding, GateResult

VARIABLE = "GITHUB_ACTIONS"
"""The environment variable that is ``true`` in a job of GitHub Actions."""
MAX_ANNOTATIONS = 10
"""GitHub shows this number of errors of a step."""


def annotation_lines(gate: GateResult) -> list[str]:
    """Return a line for each finding that affects the exit code, the worst first, as many as GitHub shows."""
    found = [finding for finding in sort_findings(gate.findings) if finding.code]
    return [_annotation(finding, gate.file) for finding in found[:MAX_ANNOTATIONS]]


def _annotation(finding: GateFinding, file: str) -> str:
    properties = {"title": f"clconform: {finding.kind.replace('-', ' ')} {finding.deviation}".strip()}
    if finding.line:
        properties = {"file": file, "line": str(finding.line), **properties}
    listed = ",".join(f"{name}={_escape(value, ':,')}" for name, value in properties.items())
    return f"::error {listed}::{_escape(f'{finding.requirement}: {finding.message}', '')}"


def _escape(text: str, further: str) -> str:
    """Return text in which characters with a meaning are escaped, as GitHub's runner decodes them."""
    shown = escape_non_ascii(text)
    return "".join(f"%{ord(mark):02X}" if mark in f"%\r\n{further}" else mark for mark in shown)
