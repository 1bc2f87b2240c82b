"""Findings that affect the exit code become annotations in a job of GitHub Actions, and nowhere else."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from clconform.reports.github_annotations import MAX_ANNOTATIONS, annotation_lines
from clconform.reports.run_result import GateFinding, GateResult
from clconform.reports.terminal_summary import print_gate

NEW = GateFinding("new", 10, "a new deviation: 100%\nsure", "clA/CL_B/1", "0123abcd")
STALE = GateFinding("fixed", 12, "tested and conforming", "clC/*", entry=2, line=7)
KNOWN = GateFinding("known", 0, "as expected", "clD/success", "0123abce", entry=1, line=3)


def create_gate(*findings: GateFinding) -> GateResult:
    return GateResult("ci/known, all.toml", "2026-01-01", len(findings), 10, list(findings))


def test_each_finding_with_an_exit_code_has_an_annotation() -> None:
    assert annotation_lines(create_gate(STALE, KNOWN, NEW)) == [
        "::error title=clconform%3A new 0123abcd::clA/CL_B/1: a new deviation: 100%25\\x0asure",
        "::error file=ci/known%2C all.toml,line=7,title=clconform%3A fixed::clC/*: tested and conforming",
    ]


def test_number_of_annotations_is_bounded() -> None:
    many = [replace(NEW, deviation=f"{number:08x}") for number in range(3 * MAX_ANNOTATIONS)]
    assert len(annotation_lines(create_gate(*many))) == MAX_ANNOTATIONS


@pytest.mark.parametrize("value", ["true", "", "false"])
def test_annotations_are_printed_only_in_a_job(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", value)
    out = io.StringIO()
    print_gate(create_gate(NEW), Console(file=out, width=40))
    assert ("\n::error title=" in out.getvalue()) == (value == "true")
