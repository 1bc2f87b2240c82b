"""Deviations of several clauses at once: which the same clauses explain alone."""

from __future__ import annotations

import pytest

from clconform.calls.journal import Deviation
from clconform.reports.grouping import unexplained

A, B = "f/CL_A/1", "f/CL_B/1"


def deviation(*records: str, verdict: str = "deviates", observed: str = "CL_SUCCESS") -> Deviation:
    key = f"{'+'.join(records)}|{observed}"
    return Deviation(
        item="i",
        key=key,
        records=list(records),
        verdict=verdict,
        sure="literal",
        allowed=[],
        observed=observed,
        why={},
        sequence=[],
    )


CASES = {
    "nothing alone": ([], deviation(A, B), True),
    "success, one alone": ([deviation(A)], deviation(A, B), True),
    "success, both alone": ([deviation(A), deviation(B, observed="CL_C")], deviation(A, B), False),
    "a code that one meets alone": ([deviation(B, observed="CL_C")], deviation(A, B, observed="CL_C"), False),
    "a code that none meets alone": ([deviation(B, observed="CL_D")], deviation(A, B, observed="CL_C"), True),
    "a crash that one meets alone": (
        [deviation(A, verdict="crashes", observed="SIGABRT")],
        deviation(A, B, verdict="crashes", observed="SIGSEGV"),
        False,
    ),
    "a crash where one deviates alone": ([deviation(A)], deviation(A, B, verdict="crashes", observed="SIGSEGV"), True),
}


@pytest.mark.parametrize("name", CASES)
def test_a_group_is_told_where_no_clause_explains_it_alone(name: str) -> None:
    alone, group, told = CASES[name]
    assert unexplained([*alone, group]) == ([*alone, group] if told else alone)
