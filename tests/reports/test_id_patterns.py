"""The indices of ids and known deviations find the same matches as a comparison of each pattern with each id."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase
from itertools import product

import pytest

from clconform.reports.id_patterns import IdIndex, matches_pattern
from clconform.reports.known_deviations import KnownDeviation, KnownDeviationIndex
from clconform.spec_tables import load

IDS = ["clF/A/1", "clF/A/2", "clF/B/1", "clG/A/1", "cl[F]", "a\nb", "", "clF"]
PATTERNS = [
    "*",
    "clF/*",
    "*/1",
    "cl?/A/*",
    "cl[FG]/A/1",
    "cl[!F]*",
    "clF/A/1",
    "cl[F]",
    "nothing",
    "[",
    "*[*",
    "a*b",
    "**",
    "[c]l*/1",
    "*[]]",
    "cl[!]",
    "cl[F",
    "[!]*]*",
]


def is_match(pattern: str, requirement: str) -> bool:
    return pattern == requirement or fnmatchcase(requirement, pattern)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_id_index_finds_all_ids_that_match_a_pattern(pattern: str) -> None:
    ids = IdIndex(IDS)
    expected = [each for each in IDS if is_match(pattern, each)]
    assert ids.find_matching(pattern) == expected
    assert ids.find_matching(pattern) == expected, "asked again"


@pytest.mark.parametrize("record", IDS)
def test_known_deviations_of_a_requirement_are_found_in_file_order(record: str) -> None:
    entries = [KnownDeviation(pattern, "deviates", "known") for pattern in (*PATTERNS, *reversed(PATTERNS))]
    assert KnownDeviationIndex(entries).entries_for(record) == [
        entry for entry in entries if is_match(entry.requirement, record)
    ]


def test_patterns_are_case_sensitive() -> None:
    assert not any(matches_pattern(*each) for each in product(("clf/*", "CLF/*"), ("clF/A/1",)))


def test_ten_thousand_patterns_are_matched_within_8_seconds() -> None:
    requirements = list(load().requirements)
    patterns = [
        form.format(requirements[number % len(requirements)], number)
        for number in range(2500)
        for form in ("{0}", "*{0}/{1}", "{0}*{1}", "cl*/{1}/*")
    ]
    ids, started = IdIndex(requirements), time.process_time()
    found = sum(len(ids.find_matching(pattern)) for pattern in patterns)
    entries = KnownDeviationIndex(KnownDeviation(pattern, "deviates", "known") for pattern in patterns)
    about = sum(len(entries.entries_for(requirement)) for requirement in requirements)
    assert time.process_time() - started < 8
    assert found >= 2500
    assert about >= 500
