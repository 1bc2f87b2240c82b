"""The committed file of violations: its requirements are those of the tables, and its violations are reproducible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.selftest.outcome_mutation.results import (
    KINDS,
    decode_results,
    encode_results,
    get_kind,
    load_committed_results,
)
from clconform.selftest.outcome_mutation.unviolable_requirements import NEVER_VIOLATED, USED_INTERPRETATIONS
from clconform.selftest.outcome_mutation.violation_search import PlatformSearch
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from tests.case_sampling import one_in

from ..suite_items import collect_suite_items  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.item_collection import SuiteItem

SHARE = 240
"""A run of the tests repeats one of this many violations; ``.ci/night`` repeats others, drawn by a seed."""
FOUND = {record: found for record, found in load_committed_results().requirements.items() if found is not None}


@pytest.fixture(scope="module")
def suite_items() -> dict[str, SuiteItem]:
    return {item.name: item for item in collect_suite_items()}


def choose_violations() -> list[str]:
    """Return the requirements whose violations are repeated, ordered by platform."""
    simulated = sorted(requirement for requirement, found in FOUND.items() if found.platform in TOPOLOGIES)
    return sorted(one_in(SHARE, simulated), key=lambda requirement: FOUND[requirement].platform)


def test_sampled_violations_of_results_file_are_found_in_real_runs(suite_items: dict[str, SuiteItem]) -> None:
    searches: dict[str, PlatformSearch] = {}
    missed = []
    for requirement in choose_violations():
        found = FOUND[requirement]
        if found.platform not in searches:
            for each in searches.values():
                each.close()
            searches[found.platform] = PlatformSearch(found.platform, Target.simulated(found.platform), load())
        named = searches[found.platform].run_altered(suite_items[found.item], found.altered)
        if (found.instead or requirement) not in named:
            missed.append(f"{requirement}: {found.item}, {found.answer}: {found.wrong}: {sorted(named)}")
    for each in searches.values():
        each.close()
    assert missed == []


def test_results_file_is_canonical_and_matches_the_tables() -> None:
    written = load_committed_results()
    assert decode_results(encode_results(written)) == written
    assert set(written.requirements) <= set(load().requirements)
    assert written.errors == []
    assert written.unfinished == ""


def test_every_kind_of_result_has_a_description() -> None:
    assert {
        get_kind(requirement, found) for requirement, found in load_committed_results().requirements.items()
    } <= set(KINDS)


def test_requirements_listed_as_unviolable_have_no_violation() -> None:
    assert set(NEVER_VIOLATED) <= set(load().requirements)
    assert not set(NEVER_VIOLATED) & set(FOUND)
    assert set(INTERPRETATIONS) >= USED_INTERPRETATIONS
