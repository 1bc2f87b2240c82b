"""Runs of the command on hostile drivers: each ends by itself, with an allowed result, and leaves no process or file.

A driver is a behaviour of one library that is compiled from ``tests/hostile/*.c``; ``cases.py`` contains the allowed
results. By default a sample of the drivers is run, without drivers that hang while they are loaded. CLCONFORM_HOSTILE=N
runs a sample of N, and CLCONFORM_HOSTILE=all runs all, best with ``-n auto``.
"""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.calls.run_verdict import GREEN
from clconform.reports import load_result, read_journal
from clconform.reports.status_policy import UNPROVED_STATUSES
from clconform.reports.writer import BADGE, HTML, JUNIT, RESULT, SUMMARY
from clconform.runner.journal.writer import JOURNAL_FILE

from .. import forked_runs  # noqa: TID252 (tests are no part of the installed package)
from . import building
from .cases import (
    CASES,
    FAMILIES,
    FILE_ATTACKS,
    HOST_THREADS,
    INCOMPLETE,
    INCONCLUSIVE,
    JOINT_TESTS,
    LOADING_SECONDS,
    NONE,
    QUICK_SECONDS,
    TRANSFERS,
    UNUSABLE,
    HostileCase,
)
from .runs import RunOutcome, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMON_OPTIONS = ("--tier", "tables", "--seed", "1", "--minimise-seconds", "0")
SAMPLE = len(FAMILIES)
INTERNAL_ERROR_WORDS = ("Traceback", "internal error", "INTERNALERROR")


pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")


def _select_cases() -> list[HostileCase]:
    """Return the cases to run: all, or a sample with at least one of each family.

    ``CLCONFORM_HOSTILE`` is the size of the sample, or ``all``; ``CLCONFORM_HOSTILE_SEED`` is the seed of the sample.
    """
    asked = os.environ.get("CLCONFORM_HOSTILE", str(SAMPLE))
    if asked == "all":
        return CASES
    drawn = random.Random(os.environ.get("CLCONFORM_HOSTILE_SEED", ""))  # noqa: S311 (no secret)
    short = [case for case in CASES if case.time_limit < LOADING_SECONDS]
    kept = {drawn.choice([case for case in family if case in short]).name for family in FAMILIES.values()}
    others = [case.name for case in short if case.name not in kept]
    kept |= set(drawn.sample(others, max(0, min(len(others), int(asked) - len(kept)))))
    return [case for case in CASES if case.name in kept]


def test_case_table_contains_every_behaviour_of_the_c_sources() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names) >= 70
    tested = {case.behaviour.partition("@")[0] for case in CASES} | set(FILE_ATTACKS)
    assert tested == building.declared_behaviours()


@pytest.mark.parametrize("asked", [JOINT_TESTS, (TRANSFERS,), (HOST_THREADS,)], ids=["most", "transfers", "lanes"])
def test_driver_without_hostile_behaviour_conforms(
    asked: tuple[tuple[str, ...], ...], library: Path, tmp_path: Path
) -> None:
    words = dict.fromkeys(word for each in asked for word in each)
    ended = run_command(tmp_path, [f"--driver={library}", "--direct", *COMMON_OPTIONS, *words], {}, 2 * QUICK_SECONDS)
    assert list(_end_errors(HostileCase("", (NONE,)), ended)) == [], ended.output[-3000:]


@pytest.mark.parametrize("case", _select_cases(), ids=lambda case: case.name)
def test_run_on_hostile_driver_ends_as_the_case_allows(case: HostileCase, library: Path, tmp_path: Path) -> None:
    words = [f"--driver={library}", *(["--direct"] if case.direct else []), *COMMON_OPTIONS]
    words += [f"--deadline-scale={case.deadline_scale:g}", *case.tests]
    forked_runs.start_server(os.environ)  # the fork server keeps a descriptor open
    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 (to count them, without opening one)
    ended = run_command(tmp_path, words, {"HOSTILE": case.behaviour, **case.variables}, case.time_limit)
    assert list(_end_errors(case, ended)) == [], ended.output[-3000:]
    assert len(os.listdir("/proc/self/fd")) == descriptors  # noqa: PTH208


def _end_errors(case: HostileCase, ended: RunOutcome) -> Iterator[str]:
    """Yield, as texts, the differences between the end of a run and the expectations of the case."""
    if ended.code is None:
        yield f"it did not end within {case.time_limit:g} s"
    if ended.processes:
        yield f"it left processes: {ended.processes}"
    if ended.files:
        yield f"it left files: {ended.files}"
    if any(word in ended.output for word in INTERNAL_ERROR_WORDS):
        yield "it blames itself"
    if set(ended.output) - {"\n"} and any(ord(letter) < 0x20 and letter != "\n" for letter in ended.output):
        yield "it prints control characters"
    if ended.code is not None:
        yield from _verdict_errors(case, ended)


def _verdict_errors(case: HostileCase, ended: RunOutcome) -> Iterator[str]:
    if ended.code == exit_codes.NO_SUCH_PLATFORM:
        if UNUSABLE not in case.ends:
            yield f"it says that there is no driver: {ended.output.strip().splitlines()[-1][:300]}"
        return
    missing = [name for name in (HTML, JUNIT, RESULT, BADGE, SUMMARY) if not (ended.out / name).is_file()]
    if missing:
        yield f"exit code {ended.code}, and no {', '.join(missing)}"
        return
    result = load_result(ended.out / RESULT)
    read_journal(ended.out / JOURNAL_FILE)
    verdicts = {deviation.verdict for deviation in result.deviations}
    blamed = {f"{deviation.function} ({deviation.verdict})" for deviation in result.deviations}
    unproved = {"unconfirmed"} if {"flaky", INCOMPLETE} & set(case.ends) else set()
    if verdicts - set(case.ends) - unproved:
        yield f"{sorted(blamed)}, not {case.ends}"
    if case.functions and {deviation.function for deviation in result.deviations} - set(case.functions):
        yield f"it blames {sorted(blamed)}, not only {case.functions}"
    confirmed = {deviation.function for deviation in result.deviations if deviation.verdict not in UNPROVED_STATUSES}
    if case.confirmed_functions and confirmed - set(case.confirmed_functions):
        yield f"it blames {sorted(blamed)}, and only {case.confirmed_functions} can be confirmed"
    if ended.code == exit_codes.AS_EXPECTED and not verdicts:
        lost = result.run.planned - result.run.items
        if lost or result.run.cut_short:
            yield f"exit code 0, and {lost} items did not end"
        if result.summary.statuses.get("inconclusive") and INCONCLUSIVE not in case.ends:
            yield "exit code 0, and a record is inconclusive"
    yield from _exit_code_errors(case, ended, {str(verdict) for verdict in verdicts})


def _exit_code_errors(case: HostileCase, ended: RunOutcome, verdicts: set[str]) -> Iterator[str]:
    """Yield the inconsistencies between exit code, badge and verdicts."""
    badge = json.loads((ended.out / BADGE).read_text(encoding="utf-8"))
    allowed: set[int]
    if verdicts - {"flaky", "unconfirmed"}:
        allowed = {exit_codes.DEVIATIONS}
    elif "flaky" in verdicts:
        allowed = {exit_codes.FLAKY}
    elif verdicts:
        allowed = {exit_codes.INCOMPLETE}
    else:
        allowed = {exit_codes.AS_EXPECTED} if {NONE, INCONCLUSIVE} & set(case.ends) else set()
        allowed |= {exit_codes.INCOMPLETE} if INCOMPLETE in case.ends else set()
    if ended.code not in allowed:
        yield f"exit code {ended.code} with {sorted(verdicts) or 'no deviation'}, and {case.ends} expected"
    if (badge["color"] == GREEN) != (ended.code == exit_codes.AS_EXPECTED and not verdicts):
        yield f"the badge is {badge['color']}: {badge['message']}, with exit code {ended.code}"
    if verdicts and not any(verdict in ended.output for verdict in verdicts):
        yield "the verdict is not printed"
