"""Entries that suppress findings: what they match, and those that the output and the page contain."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Begun, Call, Step
from clconform.reports.untrusted_files import GivenFileError
from clconform.validation.findings import CallSite, ValidationFinding
from clconform.validation.suppressions import format_suppression, read_suppressions, suppress_findings
from tests import in_process

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FINDING = ValidationFinding(
    party="program",
    kind="advice",
    function="clCreateBuffer",
    requirements=[],
    reason="the program never releases mem1 (cl_mem), which this call creates",
    site=CallSite("/usr/lib/libfoo.so", 64, "/src/a[1]*?.c:7"),
    call_number=4,
    thread=1,
    steps=[Step(Call("clCreateBuffer", {}), Begun())],
    call_numbers=[4],
    rule="leaked-object",
)
OTHERS = (
    msgspec.structs.replace(FINDING, rule="leaked-memory"),
    msgspec.structs.replace(FINDING, kind="undefined"),
    msgspec.structs.replace(FINDING, party="driver"),
    msgspec.structs.replace(FINDING, function="clCreateImage"),
    msgspec.structs.replace(FINDING, site=CallSite("/usr/lib/libfoo.so", 64, "/src/a1.c:7")),
    msgspec.structs.replace(FINDING, site=CallSite("/usr/lib/libfoo.so", 64, "/src/a[1]*?.c:71")),
)
ENTRY = re.compile(r'aria-label="the entry for --suppress FILE">(.*?)</pre>', re.DOTALL)


def test_entry_suppresses_exactly_its_finding(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(format_suppression(FINDING), encoding="utf-8")
    kept, number = suppress_findings([*OTHERS, FINDING], read_suppressions(path))
    assert (kept, number) == (list(OTHERS), 1)


@pytest.mark.parametrize(
    "source", ['/a "b"\\c.c:1', "/tab\there.c:1", "/b\u00e4r/\U0001f600.c:2", "/half\udcff.c:3", "/\x7f.c:4"]
)
def test_entry_is_valid_for_any_path(source: str, tmp_path: Path) -> None:
    finding = msgspec.structs.replace(FINDING, site=CallSite(source=source))
    path = tmp_path / "known.toml"
    path.write_text(format_suppression(finding), encoding="utf-8")
    assert suppress_findings([finding, FINDING], read_suppressions(path)) == ([FINDING], 1)


@pytest.mark.parametrize("line", ['kind = "warning"', 'party = "nobody"', 'rules = "leaked-object"'])
def test_entry_with_an_unknown_name_is_rejected(line: str, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(f'[[suppress]]\nreason = "known"\n{line}\n', encoding="utf-8")
    with pytest.raises(GivenFileError):
        read_suppressions(path)


def test_entries_of_page_and_output_suppress_their_finding(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]], tmp_path: Path
) -> None:
    recording, _ = record_program(build_program("mistakes", "MISTAKES", "SHORT"))
    out = tmp_path / "out"

    def validate(*words: object) -> str:
        return in_process.run_command(tmp_path, "validate", *map(str, words), str(recording)).stdout

    def list_findings(*words: object) -> list[tuple[str, ...]]:
        (found,) = json.loads(validate("--json", *words))["validations"]
        return sorted(
            (each["rule"], each["kind"], each["party"], str(each["call_number"])) for each in found["findings"]
        )

    printed = validate("--notes", "--out", out)
    page = (out / "validation.html").read_text(encoding="utf-8")
    entries = [html.unescape(each) for each in ENTRY.findall(page)]
    every = list_findings()
    assert len(entries) == len(every)
    known = tmp_path / "known.toml"
    for entry in (entries[0], entries[len(entries) // 2], entries[-1]):
        assert "".join(f"    {line}\n" for line in entry.splitlines()) in printed
        known.write_text(entry, encoding="utf-8")
        left = list_findings("--suppress", known)
        (gone,) = set(every) - set(left)
        assert all(f' = "{part}"' in entry for part in gone[:-1])
        assert len(left) == len(every) - 1
    known.write_text("\n".join(entries), encoding="utf-8")
    assert list_findings("--suppress", known) == []
