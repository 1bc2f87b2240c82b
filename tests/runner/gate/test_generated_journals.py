"""Generated journals with one new bad event each: none leads to exit code 0, a green badge or a clean JUnit file.

By default 500 journals are generated, with ``CLCONFORM_TESTS=all`` 10,000.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import msgspec
import pytest

from clconform.calls import exit_codes
from clconform.calls.run_verdict import GREEN
from clconform.reports.badge import badge_of
from clconform.reports.journal_reader import JournalError, parse_journal
from clconform.reports.junit_report import render_junit
from clconform.reports.result_builder import assemble_result
from clconform.reports.result_verdict import verdict_of
from clconform.runner.gate.policy import decide_gate
from clconform.runner.journal.merging import merge_journals
from clconform.runner.journal.resuming import RunMismatchError
from tests.case_sampling import ALL

from .bad_journals import EVENTS, TABLES, TODAY, BadJournal, generate, generate_base

NUMBER = 10_000 if ALL else 500
BATCH = 100


def judge(bad: BadJournal) -> tuple[int, str, int]:
    """Return the exit code of the gate, the colour of the badge, and the failures and errors in the JUnit file.

    A journal that cannot be read leads to exit code 2, without a badge.
    """
    try:
        journal = parse_journal(bad.content, "j")
        if journal.run.shard:
            merge_journals({"j": journal})
            raise AssertionError("a single shard was merged")
        result = assemble_result(journal, TABLES)
    except (JournalError, RunMismatchError):
        return exit_codes.BAD_USAGE, "", 1
    without = verdict_of(result)
    gate = decide_gate(result, bad.entries, TODAY)
    checked = msgspec.structs.replace(result, gate=gate)
    assert (gate.exit_code, gate.incomplete) == (verdict_of(checked).exit_code, list(without.losses))
    suites = ET.fromstring(render_junit(checked, TABLES))  # noqa: S314 (our own output)
    failed = int(suites.get("failures", "0")) + int(suites.get("errors", "0"))
    return gate.exit_code, json.loads(badge_of(checked))["color"], failed


@pytest.mark.parametrize("first", range(0, NUMBER, BATCH))
def test_journal_with_a_bad_event_is_never_green(first: int) -> None:
    for seed in range(first, first + BATCH):
        bad = generate(seed)
        code, color, failed = judge(bad)
        assert code != exit_codes.AS_EXPECTED, (seed, bad.event)
        assert color != GREEN, (seed, bad.event)
        assert failed > 0, (seed, bad.event)


@pytest.mark.parametrize("seed", range(0, NUMBER, BATCH))
def test_journal_without_the_bad_event_is_green(seed: int) -> None:
    assert judge(generate_base(seed)) == (exit_codes.AS_EXPECTED, GREEN, 0)


def test_each_event_occurs_among_the_first_journals() -> None:
    assert {generate(seed).event for seed in range(len(EVENTS))} == set(EVENTS)
    assert len(EVENTS) < BATCH
