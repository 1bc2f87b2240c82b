"""Host memory of commands: its use by the program before and after the commands are known to have ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import Changed, Entered, Recording
from clconform.recording.launching import Wanted, launch
from clconform.spec_tables import load
from clconform.validation.judging import validated

from .conftest import HERE, POCL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MISTAKE = re.compile(r"^\s*WRONG\(.*/\* (?P<hashes>HASHES )?(?P<named>.*) \*/$")


def planted(*, hashes: bool) -> set[tuple[int, str]]:
    lines = (HERE / "host_memory.c").read_text(encoding="utf-8").splitlines()
    found = ((number, MISTAKE.match(line)) for number, line in enumerate(lines, start=1))
    return {(number, match["named"]) for number, match in found if match and (hashes or not match["hashes"])}


@pytest.mark.parametrize("hashes", [False, True])
@pytest.mark.parametrize("early", [False, True])
def test_host_memory_is_the_programs_once_it_knows_that_commands_have_ended(
    early: bool,  # noqa: FBT001 (pytest passes it by name)
    hashes: bool,  # noqa: FBT001 (pytest passes it by name)
    build: Callable[..., Path],
    layer: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    program, path = build("host_memory", *(["EARLY"] if early else [])), tmp_path / "calls.clrec"
    assert str(launch([str(program)], layer, path, Wanted(hashes=hashes))) == "exit code 0"
    found = validated(Recording(path, load()), load(), "host_memory")
    named = {
        (int(finding.site.source.rpartition(":")[2]), f"{finding.kind} {finding.function}")
        for finding in found.findings
    }
    assert len(planted(hashes=True)) > len(planted(hashes=False)) > 0
    assert named == (planted(hashes=hashes) if early else set())
    changed = [event for event in Recording(path, load()).events() if isinstance(event, Changed)]
    assert bool(changed) == hashes  # includes changes after a command has already read the memory


def test_a_long_source_is_recorded_once(build: Callable[..., Path], record: Callable[..., tuple[Path, object]]) -> None:
    path, _ = record(build("host_memory"))
    made = [
        event.arguments["strings"].content
        for event in Recording(path, load()).events()
        if isinstance(event, Entered) and event.function == "clCreateProgramWithSource"
    ]
    assert path.read_bytes().count(b"the_only_kernel") == 1
    assert len(made) == 2
    assert made[0] == made[1]
    assert isinstance(made[0], list)
    assert [len(text or b"") for text in made[0]] == [4095]
