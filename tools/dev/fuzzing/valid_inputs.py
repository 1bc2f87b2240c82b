"""Create valid inputs of every kind, small and varied: a journal, its calls, its result, and related files.

The inputs come from a short run on a simulated platform. Each item of the run is turned into a deviation, so that the
sequences contain calls of every kind, and end with each possible kind of outcome.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, get_args

import msgspec
from msgspec import inspect

from clconform.calls.call import Absent, Died, Hung, Outcome, Step
from clconform.calls.deviation_keys import build_key
from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.journal import CallLine, Confirmation, Deviation, PlatformLine, RunEnd, Selection
from clconform.calls.line_kinds import ExtraLine, JournalLine
from clconform.harness import Target, query_platforms
from clconform.reports import assemble_result, read_journal
from clconform.reports.fault_campaign import STATUSES, FaultCampaign, FaultResult, make_campaign
from clconform.reports.format_upgrade import NameRewriter
from clconform.reports.journal_reader import parse_journal
from clconform.reports.json_documents import encode_document, format_json
from clconform.reports.known_deviations import format_known_deviations
from clconform.reports.result_builder import recount
from clconform.runner.journal.full_log import CALLS_FILE
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.selftest.fuzzing.exchanges import encode_exchanges, record_exchanges
from clconform.selftest.fuzzing.recording_writer import write_recording
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clconform.calls.values import Operand
    from clconform.reports.run_result import DeviationResult, RunResult

CHAPTERS = ("contexts", "usm", "svm", "linked_allocations")
SUITES = ("partition.create_sub_devices", *(f"suites/chapters/{name}" for name in CHAPTERS), "suites/threads")
SIMULATED = "unified-all"
INTENDED = b'[[change]]\nrequirements = ["clFinish/*", "CL_DEVICE_NAME"]\nreason = "the rule was wrong"\n'
"""Intended verdict changes, as ``clconform dev rejudge`` reads them."""
MAX_DEVIATIONS = 60
"""The number of items that become deviations."""
MAX_CALLS = 8
"""The number of calls in an item's deviation: the last calls of the item.

If a call runs on a host thread, the deviation contains all calls.
"""
LAST_OUTCOMES: tuple[Outcome | None, ...] = (
    *(None, None, None),
    Died("signal", "SIGSEGV", "said", "#0 at"),
    Died("exit", "1"),
    Hung(10.0),
    Absent("no-entry", "neither knows it"),
    Absent("empty-entry", "the entry is empty"),
)
"""The outcomes that replace those of the deviations' last calls, in turn; None keeps the recorded outcome."""
MAX_EXAMPLES = 15
"""The number of a run's examples in the file of calls."""
MAX_REPLAYED = 8
"""The number of deviations in the result, whose sequences are replayed."""
MAX_ENTRIES = 20
"""The number of entries of a table, after it is shortened."""


class ValidInputs(NamedTuple):
    """The contents of the valid input files."""

    journal: bytes
    calls: bytes
    result: bytes
    sequences: bytes
    known: bytes
    intended: bytes
    messages: bytes
    recording: bytes
    faults: bytes
    old_journal: bytes
    old_result: bytes


def make_valid_inputs(folder: Path, suites: Sequence[str] = SUITES) -> ValidInputs:
    """Run these suites in ``folder`` and return the shortened files; CalledProcessError if the run fails."""
    words = ("run", "--simulated", SIMULATED, "--tier", "tables", "--seed", "1")
    more = ("--minimise-seconds", "0", "--journal", "full", "--out", str(folder), *suites)
    done = subprocess.run([sys.executable, "-m", "clconform.tools", *words, *more], capture_output=True, check=False)
    if not (folder / CALLS_FILE).exists():
        raise subprocess.CalledProcessError(done.returncode, done.args, done.stdout, done.stderr)
    calls = (folder / CALLS_FILE).read_bytes().splitlines(keepends=True)
    made = [msgspec.json.decode(line, type=CallLine) for line in calls]
    content = _make_journal(folder / JOURNAL_FILE, made)
    result = assemble_result(parse_journal(content, JOURNAL_FILE), load())
    whole = msgspec.structs.replace(result, capabilities=[], interpretations=result.interpretations[:MAX_ENTRIES])
    short = _select_part(whole, result.deviations)
    lines = _choose_examples(calls)
    names = NameRewriter(1, back=True)
    old_lines = [names.rewrite(json.loads(line), inspect.type_info(JournalLine)) for line in content.splitlines()]
    return ValidInputs(
        content,
        b"".join(lines),
        encode_document(short).encode(),
        encode_document(_reduce_deviations(short)).encode(),
        format_known_deviations(short).encode(),
        INTENDED,
        encode_exchanges(record_exchanges(query_platforms(Target.simulated(SIMULATED)), made)),
        write_recording([msgspec.json.decode(line, type=CallLine) for line in lines], load()),
        format_json(msgspec.to_builtins(_make_campaign(short.run.target))).encode(),
        b"".join(msgspec.json.encode(line) + b"\n" for line in old_lines),
        format_json(names.rewrite(json.loads(encode_document(short)), inspect.type_info(type(short)))).encode(),
    )


def _reduce_deviations(result: RunResult) -> RunResult:
    """Return the result with only a few deviations, those with harness actions first."""
    hosts = [each for each in result.deviations if any(step.call.function in HOST_ACTIONS for step in each.sequence)]
    others = [each for each in result.deviations if each not in hosts]
    some = [*hosts[: MAX_REPLAYED // 2], *others[:: max(1, 2 * len(others) // MAX_REPLAYED)]]
    return _select_part(result, some[:MAX_REPLAYED])


def _select_part(result: RunResult, deviations: Sequence[DeviationResult]) -> RunResult:
    """Return a part of a result without contradictions.

    It has these deviations, their requirements, and all deviations that these requirements list.
    """
    ids = {deviation.id for deviation in deviations}
    while True:
        kept = [each for each in result.deviations if each.id in ids]
        names = {name for each in kept for name in (*each.requirements, *each.also_violated)}
        requirements = [each for each in result.requirements if each.id in names]
        more = {short for each in requirements for short in each.deviations} - ids
        if not more:
            return recount(msgspec.structs.replace(result, requirements=requirements, deviations=kept))
        ids |= more


def _make_campaign(target: list[str]) -> FaultCampaign:
    """Return campaign results for the run's driver, with one fault of each status."""
    results = [
        FaultResult(
            f"{status} clFinish.result",
            status,
            "clFinish",
            "5.13",
            status,
            "why",
            affected_calls=1,
            items=2,
            affected_items=2,
        )
        for status in STATUSES
    ]
    return make_campaign(results, target, dict.fromkeys(STATUSES, "what it does"))


def _choose_examples(calls: list[bytes]) -> list[bytes]:
    """Return all lines of the first example, and all lines of some later examples."""
    examples = [list(group) for _, group in groupby(calls, key=lambda line: line.partition(b',"item"')[0])]
    step = max(1, len(examples) // MAX_EXAMPLES)
    return [line for number, group in enumerate(examples) if not number or number % step == 0 for line in group]


def _make_journal(path: Path, calls: list[CallLine]) -> bytes:
    """Return the content of a journal with a few deviating items, from a run with one driver process and a loader."""
    read = read_journal(path)
    platform = read.platform
    if platform is None:
        raise ValueError(f"{path}: the run has reached no platform")
    deviations = _make_deviations(calls, sorted(load().requirements))
    items = {deviation.item for deviation in deviations}
    lines: list[JournalLine] = [
        msgspec.structs.replace(read.run, paths=["partition.trees"]),
        _shorten_tables(platform),
        Selection(len(items)),
        *read.first_seen[:MAX_ENTRIES],
        *read.notes[:MAX_ENTRIES],
        *(line for kind in get_args(ExtraLine) for line in read.find_lines(kind)[:MAX_ENTRIES]),
    ]
    for item in (each for each in read.items.values() if each.item in items):
        lines += [deviation for deviation in deviations if deviation.item == item.item]
        lines.append(item)
    lines += [Confirmation(deviation.key, deviation.verdict, 2, 2, deviation.sequence) for deviation in deviations[::2]]
    lines.append(RunEnd("2026-01-01T00:00:00+00:00", 1.0))
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def _make_deviations(calls: list[CallLine], requirements: list[str]) -> list[Deviation]:
    """Return a deviation for the first call of each combination of function and argument kinds."""
    found: dict[tuple[str, ...], Deviation] = {}
    made = [line for line in calls if line.item and line.outcome is not None]
    for _, group in groupby(made, key=lambda line: (line.process, line.example)):
        steps: list[Step] = []
        for line in group:
            if line.outcome is None:
                continue
            steps.append(
                Step(line.call, line.outcome, [], line.together, line.host_thread, line.entered, line.returned)
            )
            kinds = (line.call.function, *(type(value).__name__ for value in line.call.arguments.values()))
            if kinds not in found:
                last = steps if any(step.host_thread for step in steps) else steps[-MAX_CALLS:]
                found[kinds] = _make_deviation(line.item, list(last), len(found), requirements)
    step = max(1, len(found) // MAX_DEVIATIONS)
    return list(found.values())[::step][:MAX_DEVIATIONS]


def _make_deviation(item: str, steps: list[Step], number: int, requirements: list[str]) -> Deviation:
    end = LAST_OUTCOMES[number % len(LAST_OUTCOMES)]
    if end is not None:
        steps[-1] = msgspec.structs.replace(steps[-1], outcome=end)
    function = steps[-1].call.function
    about = [requirement for requirement in requirements if requirement.startswith(f"{function}/")][
        : 1 + number % 2
    ] or requirements[:1]
    verdict = "crashes" if isinstance(end, Died) else "hangs" if isinstance(end, Hung) else "deviates"
    key = build_key(function, about, f"symptom {number}")
    shown: dict[str, Operand] = dict(list(steps[-1].call.arguments.items())[:3])
    operands = dict.fromkeys(about, shown)
    conditions = dict.fromkeys(about, "a condition")
    return Deviation(
        *(item, key, about, verdict, "literal", ["CL_INVALID_VALUE"], "CL_SUCCESS", conditions, steps),
        operands=operands,
    )


def _shorten_tables(line: PlatformLine) -> PlatformLine:
    tables = {
        name: dict(list(getattr(line, name).items())[:MAX_ENTRIES])
        for name in ("not_applicable", "untestable", "conditions")
    }
    return msgspec.structs.replace(line, access="loader", libraries=["/usr/lib/libdriver.so"], **tables)
