"""The memory for judging does not grow with the number of calls, objects and callbacks."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from clconform.oracles.model import object_table
from clconform.recording import conversion
from clconform.recording.file_format import RecordingFile
from clconform.spec_tables import load
from clconform.validation import call_history, recording_judge, undefined_behaviour
from clconform.validation.recording_judge import RecordingJudge

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SMALL_LIMIT = 32


def _count_remaining(path: Path) -> tuple[int, int]:
    """Return the number of Python objects that judging a recording leaves, and the number of its calls."""
    tables = load()
    gc.collect()
    before = len(gc.get_objects())
    judge = RecordingJudge(tables)
    found = judge.judge(RecordingFile(path, tables), "")
    assert (found.findings, found.not_judged) == ([], {})
    gc.collect()
    return len(gc.get_objects()) - before, found.calls


@pytest.mark.parametrize("name", ["endless", "polled"])
def test_memory_of_judging_does_not_grow_with_the_number_of_calls(
    name: str,
    build_program: Callable[..., Path],
    record_program: Callable[..., tuple[Path, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(call_history, "_MAX_RELEASED", SMALL_LIMIT)
    monkeypatch.setattr(call_history, "_MAX_RECENT", SMALL_LIMIT // 4)
    monkeypatch.setattr(conversion, "MAX_DESTROYED", SMALL_LIMIT)
    monkeypatch.setattr(object_table, "MAX_REMOVED", SMALL_LIMIT)
    monkeypatch.setattr(recording_judge, "MAX_CALLBACKS", SMALL_LIMIT)
    monkeypatch.setattr(undefined_behaviour, "MAX_PENDING", SMALL_LIMIT)
    gc.collect()
    gc.freeze()  # otherwise objects of other tests would be traversed repeatedly
    program = build_program(name)
    _count_remaining(record_program(program, 240)[0])  # caches of rules are filled on first use
    (few, calls), (many, more_calls) = (
        _count_remaining(record_program(program, 1200)[0]),
        _count_remaining(record_program(program, 4800)[0]),
    )
    # the number of polling calls depends on the driver, so the number of calls is only a minimum
    assert calls >= 1200
    assert more_calls >= 4800
    # the objects of unfinished commands vary by some hundred per run; one object kept per call would be 3600 more
    assert many - few < (4800 - 1200) / 4
