"""The ``attribution`` command: searches for follow-up deviations after an error of a simulated platform."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.runner.pytest_plugin.item_collection import collect_table_items
from clconform.selftest.attribution.accepted_uses import find_uses_of_accepted_calls
from clconform.selftest.attribution.follow_up_deviations import find_follow_up_deviations
from clconform.spec_tables import load
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.selftest.attribution.follow_up_deviations import FaultKind


def search_follow_up_deviations(topology: str, patterns: Sequence[str], way: FaultKind) -> int:
    """Let one function of a platform at a time return unexpected results, and print the follow-up deviations.

    ``patterns``: the functions; all if it is empty. Return the exit code; HarnessError for an unknown topology.
    """
    prepare_environment()
    tables = load()
    names = [name for name in tables.functions if not patterns or any(fnmatchcase(name, one) for one in patterns)]
    tried = find_follow_up_deviations(topology, names, collect_table_items(SUITES), tables, way)
    done = "accepted that must fail" if way == "accepts" else "failed after they were performed"
    print_text(
        f"{topology}: {tried.items} items, {tried.faulty_results} calls {done}, {tried.failed_items} items "
        f"without an outcome,"
        f" {len(tried.follow_ups)} follow-up deviations"
    )
    for deviation in tried.follow_ups:
        print_text(
            f"  after {deviation.function}: {deviation.key}\n"
            f"    observed {deviation.observed}; first in {deviation.item}"
        )
    return exit_codes.DEVIATIONS if tried.follow_ups else exit_codes.AS_EXPECTED


def search_accepted_uses(topology: str, patterns: Sequence[str]) -> int:
    """Let a platform accept every invalid call, and print the later calls that use objects or states of such calls.

    Parameters, result and errors as for ``search_follow_up_deviations``.
    """
    prepare_environment()
    items = [
        item
        for item in collect_table_items(SUITES)
        if not patterns or any(fnmatchcase(name, one) for name in item.target_functions for one in patterns)
    ]
    tried = find_uses_of_accepted_calls(topology, items, load())
    print_text(
        f"{topology}: {tried.items} items, {tried.accepted_calls} accepted calls, {tried.failed_items} items without "
        f"an outcome, {len(tried.uses)} uses of accepted calls"
    )
    for use in tried.uses:
        print_text(f"  {use.function} uses {use.name}, from an accepted call of {use.accepted}; first in {use.item}")
    return exit_codes.DEVIATIONS if tried.uses else exit_codes.AS_EXPECTED
