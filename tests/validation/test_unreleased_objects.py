"""Advice about objects that are never released: only for a process that exits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import RecordingFile
from clconform.spec_tables import load
from clconform.validation.recording_judge import validate_recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    ("defined", "leaked"), [((), ["clCreateContext", "clCreateBuffer"]), (("ABORTS",), [])], ids=["exits", "aborts"]
)
def test_objects_are_leaked_only_by_a_process_that_exits(
    defined: tuple[str, ...],
    leaked: list[str],
    build_program: Callable[..., Path],
    record_program: Callable[..., tuple[Path, object]],
) -> None:
    recording, _ = record_program(build_program("unreleased", *defined))
    found = validate_recording(RecordingFile(recording, load()), load(), "")
    assert [finding.function for finding in found.findings] == leaked
