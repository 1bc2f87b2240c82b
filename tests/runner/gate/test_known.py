"""An item is an expected failure only if all its deviations are known, for this driver version and date."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from clconform.calls.call import Call, Died, Step
from clconform.calls.journal import Deviation
from clconform.reports.known_deviations import parse_known_deviations
from clconform.reports.result import digest_of
from clconform.runner.gate.known import Known, hanging_of, named_once, turns_of

A, B = "clF/A/1", "clF/B/1"
FINISH = "clFinish"
ENTRY = '[[known]]\nrecord = "clF/A/1"\nverdict = "deviates"\nreason = "known"\n'


def met(*records: str, verdict: str = "deviates") -> Deviation:
    key = f"clF | {' + '.join(records)} | CL_SUCCESS"
    return Deviation("i", key, list(records), verdict, "literal", ["CL_INVALID_VALUE"], "CL_SUCCESS", {}, [])


def undecided_in(function: str, *, verdict: str = "deviates") -> Deviation:
    last = Step(Call(function, {}), Died("signal", "SIGSEGV"))
    return msgspec.structs.replace(met(A, verdict=verdict), undecided=True, sequence=[last])


def session(version: str = "3.1") -> Any:
    device = SimpleNamespace(handle="device1", driver_version=version)
    reached = SimpleNamespace(platforms=[SimpleNamespace(devices=[device])])
    return SimpleNamespace(reached=reached, base=SimpleNamespace(device="device1"))


@pytest.mark.parametrize(
    ("more", "deviations", "expected"),
    [
        ("", [met(A)], True),
        ("", [met(A), met(B)], False),
        ("", [met(B)], False),
        ("", [met(A, verdict="crashes")], False),
        ("until = 2020-02-29\n", [met(A)], False),
        ('driver = "<3"\n', [met(A)], False),
        ('driver = ">=3"\n', [met(A)], True),
        (ENTRY.replace("A", "B"), [met(A), met(B), met(A, B)], True),
    ],
)
def test_all_or_nothing(more: str, deviations: list[Deviation], *, expected: bool) -> None:
    known = Known("k.toml", parse_known_deviations(ENTRY + more, "k.toml"))
    assert known.expect_all(deviations, session()) is expected


def test_without_a_file_nothing_is_expected() -> None:
    assert not Known().expect_all([met(A)], session())
    assert Known().not_repeated(met(A), "3.1") is None


def exact(deviation: Deviation) -> str:
    return f'deviation = "{digest_of(deviation.key)[:8]}"\n'


@pytest.mark.parametrize(
    ("more", "deviation", "verdict"),
    [
        ("", met(A), "deviates"),
        ("flaky = true\n", met(A), "flaky"),
        ("", met(B), None),
        ("", met(A, verdict="crashes"), None),
        ("", met(A, verdict="hangs"), None),
        ('symptom = "CL_SUCCESS"\n', met(A), "deviates"),
        ('symptom = "CL_INVALID_CONTEXT"\n', met(A), None),
        (exact(met(A)), met(A), "deviates"),
        (exact(met(B)), met(A), None),
        ("until = 2020-02-29\n", met(A), None),
        ('driver = "<3"\n', met(A), None),
        ("", undecided_in(FINISH), None),
        (exact(met(A)), undecided_in(FINISH), "deviates"),
        (exact(met(A)), undecided_in("host_await"), "deviates"),
        (exact(met(A)), undecided_in("clFlush"), None),
    ],
)
def test_only_what_looks_as_an_entry_says_is_not_repeated(more: str, deviation: Deviation, verdict: str | None) -> None:
    known = Known("k.toml", parse_known_deviations(ENTRY + more, "k.toml"))
    end = known.not_repeated(deviation, "3.1")
    assert (end.verdict if end else None) == verdict
    if end is not None:
        assert (end.key, end.known, end.attempts, end.sequence) == (deviation.key, True, 0, [])
        assert end.note == "known (entry 1 (line 1) of the known deviations: known), not repeated"


@pytest.mark.parametrize(
    ("record", "function", "known_here"),
    [(A, FINISH, True), (B, FINISH, False), ("clF/*", FINISH, False), (A, "clFlush", False)],
)
def test_an_undecided_crash_is_known_by_its_record_where_a_call_waited(
    record: str, function: str, *, known_here: bool
) -> None:
    """Any other call may have ended the process itself, which would be an unknown deviation and stay undetected."""
    entry = f'[[known]]\nrecord = "{record}"\nverdict = "crashes"\nreason = "known"\n'
    known = Known("k.toml", parse_known_deviations(entry, "k.toml"))
    assert (known.not_repeated(undecided_in(function, verdict="crashes"), "3.1") is not None) is known_here


def test_hangs_are_known_by_record_and_not_where_an_entry_says_what_reports_show() -> None:
    hangs = '[[known]]\nrecord = "clF/*"\nverdict = "hangs"\nreason = "known"\n'
    shown = hangs.replace("clF/*", "clG/A/1") + 'observed = "no answer within 5 s"\n'
    entries = parse_known_deviations(hangs + shown + ENTRY.replace("clF/A/1", "clH/A/1"), "k.toml")
    assert hanging_of(entries, [A, B, "clG/A/1", "clH/A/1"]) == {A, B}


def test_a_record_that_one_entry_names_need_be_met_once() -> None:
    entry = '[[known]]\nrecord = "{}"\nverdict = "{}"\nreason = "known"\n'
    given = [("clF/*", "deviates"), (A, "crashes"), ("clG/A/1", "crashes")]
    entries = parse_known_deviations("".join(entry.format(*each) for each in given), "k.toml")
    assert named_once(entries, [A, B, "clG/A/1", "clH/A/1"]) == {B, "clG/A/1"}


def test_what_is_known_of_a_record_decides_its_turn() -> None:
    entry = '[[known]]\nrecord = "{}"\nverdict = "{}"\nreason = "known"\n'
    given = [("clF/*", "deviates"), (A, "hangs"), (A, "crashes"), ("clG/A/1", "crashes")]
    entries = parse_known_deviations("".join(entry.format(*each) for each in given), "k.toml")
    assert turns_of(entries, [A, B, "clG/A/1", "clH/A/1"]) == {A: 3, B: 1, "clG/A/1": 2}
