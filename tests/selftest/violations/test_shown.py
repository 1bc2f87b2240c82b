"""The committed file of violations: its requirements are those of the tables, and its violations are reproducible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.oracles.engine.register import REGISTER
from clconform.runner.pytest_plugin.items import collect
from clconform.selftest.violations.never_violated import ENTRIES, NEVER_VIOLATED
from clconform.selftest.violations.searching import Search
from clconform.selftest.violations.shown import KINDS, committed, encoded, kind_of, read
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.tools.resuming import SUITES
from tests.sampling import one_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.pytest_plugin.items import Item

SHARE = 240
"""One in so many violations is repeated in a run of the tests; ``.ci/night`` repeats others, drawn by a seed."""
FOUND = {record: found for record, found in committed().records.items() if found is not None}


@pytest.fixture(scope="module")
def items() -> Iterator[dict[str, Item]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        yield {item.name: item for item in collect(SUITES)}


def drawn() -> list[str]:
    """Return the requirements whose violations are repeated, ordered by platform."""
    simulated = sorted(record for record, found in FOUND.items() if found.platform in TOPOLOGIES)
    return sorted(one_in(SHARE, simulated), key=lambda record: FOUND[record].platform)


def test_the_violations_of_a_few_records_are_found_again_in_truth(items: dict[str, Item]) -> None:
    searches: dict[str, Search] = {}
    missed = []
    for record in drawn():
        found = FOUND[record]
        if found.platform not in searches:
            for each in searches.values():
                each.close()
            searches[found.platform] = Search(found.platform, Target.simulated(found.platform), load())
        named = searches[found.platform].named_by(items[found.item], found.altered)
        if (found.instead or record) not in named:
            missed.append(f"{record}: {found.item}, {found.answer}: {found.wrong}: {sorted(named)}")
    for each in searches.values():
        each.close()
    assert missed == []


def test_the_file_is_written_by_the_command_and_has_records_of_the_tables_alone() -> None:
    written = committed()
    assert read(encoded(written)) == written
    assert set(written.records) <= set(load().records)
    assert written.errors == []
    assert written.unfinished == ""


def test_every_kind_of_finding_is_one_that_the_page_explains() -> None:
    assert {kind_of(record, found) for record, found in committed().records.items()} <= set(KINDS)


def test_what_nothing_violates_is_a_record_of_which_nothing_is_found_and_its_reason_is_in_the_register() -> None:
    assert set(NEVER_VIOLATED) <= set(load().records)
    assert not set(NEVER_VIOLATED) & set(FOUND)
    assert set(REGISTER) >= ENTRIES
