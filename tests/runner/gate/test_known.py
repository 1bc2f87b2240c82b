"""An item is an expected failure only where everything that it met is expected, on this driver and on this day."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from clconform.calls.journal import Deviation
from clconform.reports.known_deviations import parse_known_deviations
from clconform.runner.gate.known import Known

A, B = "clF/A/1", "clF/B/1"
ENTRY = '[[known]]\nrecord = "clF/A/1"\nverdict = "deviates"\nreason = "known"\n'


def met(*records: str, verdict: str = "deviates") -> Deviation:
    key = f"clF | {' + '.join(records)} | CL_SUCCESS"
    return Deviation("i", key, list(records), verdict, "literal", ["CL_INVALID_VALUE"], "CL_SUCCESS", {}, [])


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
