"""An item is an expected failure only if all its deviations are known for the driver's version and the date."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from clconform.calls.call import Call, Died, Step
from clconform.calls.journal import Deviation
from clconform.reports.known_deviations import parse_known_deviations
from clconform.reports.run_result import key_digest
from clconform.runner.gate.known_entries import (
    KnownDeviations,
    find_hanging,
    find_single_entry_requirements,
    turns_of_requirements,
)

A, B = "clF/A/1", "clF/B/1"
FINISH = "clFinish"
ENTRY = '[[known]]\nrequirement = "clF/A/1"\nverdict = "deviates"\nreason = "known"\n'


def create_deviation(*requirements: str, verdict: str = "deviates") -> Deviation:
    key = f"clF | {' + '.join(requirements)} | CL_SUCCESS"
    return Deviation("i", key, list(requirements), verdict, "literal", ["CL_INVALID_VALUE"], "CL_SUCCESS", {}, [])


def create_undecided(function: str, *, verdict: str = "deviates") -> Deviation:
    last = Step(Call(function, {}), Died("signal", "SIGSEGV"))
    return msgspec.structs.replace(create_deviation(A, verdict=verdict), undecided=True, sequence=[last])


def session(version: str = "3.1") -> Any:
    device = SimpleNamespace(handle="device1", driver_version=version)
    reached = SimpleNamespace(platforms=[SimpleNamespace(devices=[device])])
    return SimpleNamespace(reached=reached, base=SimpleNamespace(device="device1"))


@pytest.mark.parametrize(
    ("more", "deviations", "expected"),
    [
        ("", [create_deviation(A)], True),
        ("", [create_deviation(A), create_deviation(B)], False),
        ("", [create_deviation(B)], False),
        ("", [create_deviation(A, verdict="crashes")], False),
        ("until = 2020-02-29\n", [create_deviation(A)], False),
        ('driver = "<3"\n', [create_deviation(A)], False),
        ('driver = ">=3"\n', [create_deviation(A)], True),
        (ENTRY.replace("A", "B"), [create_deviation(A), create_deviation(B), create_deviation(A, B)], True),
    ],
)
def test_item_is_expected_to_fail_if_all_deviations_are_known(
    more: str, deviations: list[Deviation], *, expected: bool
) -> None:
    known = KnownDeviations("k.toml", parse_known_deviations(ENTRY + more, "k.toml"))
    assert known.are_all_known(deviations, session()) is expected


def test_no_deviation_is_known_without_a_file() -> None:
    assert not KnownDeviations().are_all_known([create_deviation(A)], session())
    assert KnownDeviations().find_known_confirmation(create_deviation(A), "3.1") is None


def digest_of_deviation(deviation: Deviation) -> str:
    return f'deviation = "{key_digest(deviation.key)[:8]}"\n'


@pytest.mark.parametrize(
    ("more", "deviation", "verdict"),
    [
        ("", create_deviation(A), "deviates"),
        ("flaky = true\n", create_deviation(A), "flaky"),
        ("", create_deviation(B), None),
        ("", create_deviation(A, verdict="crashes"), None),
        ("", create_deviation(A, verdict="hangs"), None),
        ('symptom = "CL_SUCCESS"\n', create_deviation(A), "deviates"),
        ('symptom = "CL_INVALID_CONTEXT"\n', create_deviation(A), None),
        (digest_of_deviation(create_deviation(A)), create_deviation(A), "deviates"),
        (digest_of_deviation(create_deviation(B)), create_deviation(A), None),
        ("until = 2020-02-29\n", create_deviation(A), None),
        ('driver = "<3"\n', create_deviation(A), None),
        ("", create_undecided(FINISH), None),
        (digest_of_deviation(create_deviation(A)), create_undecided(FINISH), "deviates"),
        (digest_of_deviation(create_deviation(A)), create_undecided("host_await"), "deviates"),
        (digest_of_deviation(create_deviation(A)), create_undecided("clFlush"), None),
    ],
)
def test_only_deviation_that_matches_an_entry_is_not_repeated(
    more: str, deviation: Deviation, verdict: str | None
) -> None:
    known = KnownDeviations("k.toml", parse_known_deviations(ENTRY + more, "k.toml"))
    end = known.find_known_confirmation(deviation, "3.1")
    assert (end.verdict if end else None) == verdict
    if end is not None:
        assert (end.key, end.known, end.attempts, end.sequence) == (deviation.key, True, 0, [])
        assert end.note == "known (entry 1 (line 1) of the known deviations: known), not repeated"


@pytest.mark.parametrize(
    ("record", "function", "known_here"),
    [(A, FINISH, True), (B, FINISH, False), ("clF/*", FINISH, False), (A, "clFlush", False)],
)
def test_undecided_crash_is_known_only_in_a_waiting_call(record: str, function: str, *, known_here: bool) -> None:
    """A call that does not wait may have ended the process itself. This unknown deviation would stay undetected."""
    entry = f'[[known]]\nrequirement = "{record}"\nverdict = "crashes"\nreason = "known"\n'
    known = KnownDeviations("k.toml", parse_known_deviations(entry, "k.toml"))
    assert (
        known.find_known_confirmation(create_undecided(function, verdict="crashes"), "3.1") is not None
    ) is known_here


def test_hang_entry_with_observed_text_does_not_mark_requirements_as_hanging() -> None:
    hangs = '[[known]]\nrequirement = "clF/*"\nverdict = "hangs"\nreason = "known"\n'
    shown = hangs.replace("clF/*", "clG/A/1") + 'observed = "no answer within 5 s"\n'
    entries = parse_known_deviations(hangs + shown + ENTRY.replace("clF/A/1", "clH/A/1"), "k.toml")
    assert find_hanging(entries, [A, B, "clG/A/1", "clH/A/1"]) == {A, B}


def test_requirements_that_match_exactly_one_entry_are_found() -> None:
    entry = '[[known]]\nrequirement = "{}"\nverdict = "{}"\nreason = "known"\n'
    given = [("clF/*", "deviates"), (A, "crashes"), ("clG/A/1", "crashes")]
    entries = parse_known_deviations("".join(entry.format(*each) for each in given), "k.toml")
    assert find_single_entry_requirements(entries, [A, B, "clG/A/1", "clH/A/1"]) == {B, "clG/A/1"}


def test_severity_of_entries_determines_position_of_items() -> None:
    entry = '[[known]]\nrequirement = "{}"\nverdict = "{}"\nreason = "known"\n'
    given = [("clF/*", "deviates"), (A, "hangs"), (A, "crashes"), ("clG/A/1", "crashes")]
    entries = parse_known_deviations("".join(entry.format(*each) for each in given), "k.toml")
    assert turns_of_requirements(entries, [A, B, "clG/A/1", "clH/A/1"]) == {A: 3, B: 1, "clG/A/1": 2}
