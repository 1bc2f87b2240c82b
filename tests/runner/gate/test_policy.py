"""The gate: findings and exit codes for results and files of known deviations, as a table of all cases."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING
from unittest.mock import Mock

import msgspec
import pytest

from clconform.calls.call import Call
from clconform.reports import id_patterns, known_deviations
from clconform.reports.known_deviations import (
    VERDICTS,
    KnownDeviation,
    KnownDeviationIndex,
    format_known_deviations,
    parse_known_deviations,
)
from clconform.reports.run_result import (
    DeviationResult,
    DeviceTested,
    PlatformTested,
    RequirementResult,
    ResultSummaryCounts,
    RunFacts,
    RunResult,
    key_digest,
)
from clconform.reports.status_policy import DEVIATING_STATUSES
from clconform.runner.gate.policy import CODES, KINDS_BY_SEVERITY, KINDS_BY_VERDICTS, decide_gate, match_entries
from tests.runner.gate.bad_journals import create_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.reports.run_result import GateResult
    from clconform.reports.status_policy import DeviatingStatus, Status

TODAY = dt.date(2026, 11, 21)
LATER, BEFORE = dt.date(2026, 11, 22), dt.date(2026, 11, 20)
CALL = Call("clF", {})


def create_deviation(
    verdict: DeviatingStatus,
    *requirements: str,
    observed: str = "CL_SUCCESS",
    tests: tuple[str, ...] = ("x.y::test_x",),
    test_values: tuple[str, ...] = (),
) -> DeviationResult:
    key = f"clF | {' + '.join(requirements)} | {observed}"
    return DeviationResult(
        key_digest(key)[:8],
        key,
        "clF",
        list(requirements),
        verdict,
        "literal",
        ["CL_INVALID_VALUE"],
        observed,
        {},
        [],
        minimised=True,
        repeated=2,
        attempts=2,
        full_history=False,
        item="x.y::test_x",
        items=1,
        seen=1,
        tests=list(tests),
        test_values=list(test_values),
    )


def create_result(
    statuses: dict[str, Status],
    *deviations: DeviationResult,
    version: str = "3.1",
    items: int = 9,
    planned: int = 9,
    cut_short: bool = False,
    interrupted: bool = False,
    unreached: int = 0,
) -> RunResult:
    """Return a result with the given statuses of requirements and deviations."""
    device = DeviceTested("device1", "a CPU", 2, "OpenCL 3.0", version, 4)
    platform = PlatformTested(
        "platform1", "P", "V", "OpenCL 3.0", "FULL_PROFILE", "", "device1", [device], "loader", "", []
    )
    run = RunFacts(
        "0.1.0",
        7,
        "default",
        "2026-11-21T10:00:00+00:00",
        "",
        1.0,
        [],
        {},
        "t",
        cut_short,
        interrupted,
        planned,
        items,
        [],
        9,
        [],
        budget_spent=bool(unreached),
        not_started=unreached,
    )
    requirements = [
        RequirementResult(name, "error-clause", "opencl-api", "4.3", status, 1, "4.3")
        for name, status in statuses.items()
    ]
    return RunResult(
        platform,
        run,
        ResultSummaryCounts("", len(requirements), {}, [], [], len(deviations)),
        requirements,
        list(deviations),
    )


def finding_kinds(gate: GateResult) -> list[str]:
    return [finding.kind for finding in gate.findings]


A, B = "clF/A/1", "clF/B/1"
DEVIATES = create_result({A: "deviates"}, create_deviation("deviates", A))
CONFORMS = create_result({A: "conforms"})
IN_TWO = create_result({A: "deviates"}, create_deviation("deviates", A, tests=("x.y::test_x", "x.y::test_y")))
AT_TWO = create_result({A: "deviates"}, create_deviation("deviates", A, test_values=("size=0", "size=3")))
EXACT = create_deviation("deviates", A).id
REWORDED = create_result(
    {A: "deviates"}, msgspec.structs.replace(create_deviation("deviates", A), observed="success, where none is")
)
OTHER = create_deviation("deviates", A, observed="CL_OUT_OF_RESOURCES")


def as_smoke_test(whole: RunResult) -> RunResult:
    """Return the result of a smoke test with the same findings."""
    return msgspec.structs.replace(whole, run=msgspec.structs.replace(whole.run, tier="smoke"))


TABLE: dict[str, tuple[RunResult, list[KnownDeviation], list[str], int]] = {
    "nothing known, nothing found": (CONFORMS, [], [], 0),
    "new, without a file": (DEVIATES, [], ["new"], 10),
    "a new crash is new too": (create_result({A: "crashes"}, create_deviation("crashes", A)), [], ["new"], 10),
    "unconfirmed is not new": (create_result({A: "unconfirmed"}, create_deviation("unconfirmed", A)), [], [], 8),
    "a known one is unconfirmed": (
        create_result({A: "unconfirmed"}, create_deviation("unconfirmed", A)),
        [create_entry(A)],
        ["known"],
        8,
    ),
    "flaky, without a file": (create_result({A: "flaky"}, create_deviation("flaky", A)), [], ["flaky"], 9),
    "flaky beside a known one": (
        create_result({A: "flaky", B: "deviates"}, create_deviation("deviates", B), create_deviation("flaky", A)),
        [create_entry(B)],
        ["known", "flaky"],
        9,
    ),
    "a repeated one beside a flaky one": (
        create_result({A: "flaky", B: "deviates"}, create_deviation("deviates", B), create_deviation("flaky", A)),
        [],
        ["new", "flaky"],
        10,
    ),
    "expected": (DEVIATES, [create_entry(A)], ["known"], 0),
    "expected by a pattern": (DEVIATES, [create_entry("clF/*")], ["known"], 0),
    "expected by its id": (DEVIATES, [create_entry(deviation=EXACT)], ["known"], 0),
    "another one than the id": (DEVIATES, [create_entry(deviation="00000000")], ["new", "not-seen"], 10),
    "expected by what came back": (DEVIATES, [create_entry(observed="CL_SUCCESS")], ["known"], 0),
    "expected by its symptom": (DEVIATES, [create_entry(symptom="CL_SUCCESS")], ["known"], 0),
    "expected by its symptom, whatever the words": (REWORDED, [create_entry(symptom="CL_SUCCESS")], ["known"], 0),
    "expected by the code of what came back": (REWORDED, [create_entry(observed="CL_SUCCESS")], ["known"], 0),
    "another symptom": (
        create_result({A: "deviates"}, OTHER),
        [create_entry(symptom="CL_SUCCESS")],
        ["new", "not-seen"],
        10,
    ),
    "something else came back": (
        create_result({A: "deviates"}, OTHER),
        [create_entry(observed="CL_SUCCESS")],
        ["new", "not-seen"],
        10,
    ),
    "a pattern does not accept another symptom": (
        create_result({A: "deviates"}, OTHER),
        [create_entry("clF/*")],
        ["new", "not-seen"],
        10,
    ),
    "a pattern accepts the symptom that it names": (
        create_result({A: "deviates"}, OTHER),
        [create_entry("clF/*", symptom="CL_OUT_OF_RESOURCES")],
        ["known"],
        0,
    ),
    "a pattern accepts every symptom if it says so": (
        create_result({A: "deviates"}, OTHER),
        [create_entry("clF/*", symptom="*")],
        ["known"],
        0,
    ),
    "a flaky crash is worse than a known deviation": (
        create_result({A: "flaky"}, create_deviation("flaky", A, observed="signal SIGSEGV")),
        [create_entry(A)],
        ["flaky", "not-seen"],
        9,
    ),
    "a flaky hang is worse than a known deviation": (
        create_result({A: "flaky"}, create_deviation("flaky", A, observed="no answer")),
        [create_entry("clF/*", symptom="*")],
        ["flaky", "not-seen"],
        9,
    ),
    "a flaky crash is known as a crash": (
        create_result({A: "flaky"}, create_deviation("flaky", A, observed="signal SIGSEGV")),
        [create_entry(verdict="crashes")],
        ["known"],
        0,
    ),
    "another record": (
        create_result({A: "deviates", B: "conforms"}, create_deviation("deviates", A)),
        [create_entry(B)],
        ["new", "fixed"],
        10,
    ),
    "a crash where a deviation was expected": (
        create_result({A: "crashes"}, create_deviation("crashes", A)),
        [create_entry(A)],
        ["worse"],
        11,
    ),
    "a hang where a deviation was expected": (
        create_result({A: "hangs"}, create_deviation("hangs", A)),
        [create_entry(A)],
        ["worse"],
        11,
    ),
    "a deviation where a crash was expected": (DEVIATES, [create_entry(verdict="crashes")], ["less-severe"], 12),
    "an entry for each": (
        create_result({A: "crashes"}, create_deviation("crashes", A, observed="died"), create_deviation("deviates", A)),
        [create_entry(A), create_entry(verdict="crashes", number=2)],
        ["known", "known"],
        0,
    ),
    "two entries for one": (DEVIATES, [create_entry(A), create_entry("clF/*", number=2)], ["known"], 0),
    "the highest code wins": (
        create_result({A: "crashes", B: "deviates"}, create_deviation("crashes", A), create_deviation("deviates", B)),
        [create_entry(A)],
        ["worse", "new"],
        11,
    ),
    "vanished": (CONFORMS, [create_entry(A)], ["fixed"], 12),
    "vanished from a smoke test": (as_smoke_test(CONFORMS), [create_entry(A)], ["not-seen"], 0),
    "vanished from a smoke test, of a pattern": (
        as_smoke_test(create_result({A: "conforms", B: "conforms"})),
        [create_entry("clF/*")],
        ["not-seen"],
        0,
    ),
    "less severe in a smoke test": (as_smoke_test(DEVIATES), [create_entry(verdict="crashes")], ["less-severe"], 12),
    "vanished, of a pattern": (
        create_result({A: "conforms", B: "not-covered"}),
        [create_entry("clF/*")],
        ["fixed"],
        12,
    ),
    "one of a pattern is enough": (
        create_result({A: "deviates", B: "conforms"}, create_deviation("deviates", A)),
        [create_entry("clF/*")],
        ["known"],
        0,
    ),
    "what is flaky may not show": (CONFORMS, [create_entry(flaky=True)], ["not-seen"], 0),
    "what is flaky may show": (DEVIATES, [create_entry(flaky=True)], ["known"], 0),
    "what is expected may be flaky": (
        create_result({A: "flaky"}, create_deviation("flaky", A)),
        [create_entry(A)],
        ["known"],
        0,
    ),
    "a flaky deviation that crashes": (
        create_result({A: "crashes"}, create_deviation("crashes", A)),
        [create_entry(flaky=True)],
        ["worse"],
        11,
    ),
    "deselected": (create_result({A: "not-run", B: "conforms"}), [create_entry(A)], ["not-tested"], 0),
    "not provoked": (create_result({A: "not-covered", B: "conforms"}), [create_entry(A)], ["not-tested"], 0),
    "not applicable here": (create_result({A: "not-applicable", B: "conforms"}), [create_entry(A)], ["not-tested"], 0),
    "inconclusive": (create_result({A: "inconclusive", B: "conforms"}), [create_entry(A)], ["not-tested"], 0),
    "nothing was covered": (create_result({A: "not-covered"}), [create_entry(A)], ["not-tested"], 8),
    "nothing was covered, without a file": (create_result({A: "inconclusive", B: "not-run"}), [], [], 8),
    "nothing was selected": (create_result({A: "not-run"}, items=0, planned=0), [], [], 5),
    "part of a pattern was not run": (
        create_result({A: "conforms", B: "not-run"}),
        [create_entry("clF/*")],
        ["not-tested"],
        0,
    ),
    "the run was killed": (create_result({A: "conforms"}, cut_short=True), [create_entry(A)], ["not-tested"], 8),
    "the run was stopped": (create_result({A: "conforms"}, interrupted=True), [create_entry(A)], ["not-tested"], 8),
    "items were lost": (create_result({A: "conforms"}, items=8), [create_entry(A)], ["not-tested"], 8),
    "items were lost, and something is new": (
        create_result({A: "deviates"}, create_deviation("deviates", A), items=8),
        [],
        ["new"],
        10,
    ),
    "only known ones, and items were lost": (
        create_result({A: "deviates"}, create_deviation("deviates", A), items=8),
        [create_entry(A)],
        ["known"],
        8,
    ),
    "no budget was left": (create_result({A: "conforms"}, items=8, unreached=1), [create_entry(A)], ["not-tested"], 0),
    "no budget was left, and items were lost": (
        create_result({A: "conforms"}, items=7, unreached=1),
        [create_entry(A)],
        ["not-tested"],
        8,
    ),
    "it deviates in another way": (
        create_result({A: "deviates"}, OTHER),
        [create_entry(A), create_entry(deviation=EXACT)],
        ["known", "not-seen"],
        0,
    ),
    "known in this test": (DEVIATES, [create_entry(tests=["x.y::test_x"])], ["known"], 0),
    "known in another test": (DEVIATES, [create_entry(tests=["x.y::test_y"])], ["elsewhere"], 10),
    "known in one of its tests": (IN_TWO, [create_entry(tests=["x.y::test_x"])], ["elsewhere"], 10),
    "known in each of its tests": (
        IN_TWO,
        [create_entry(tests=["x.y::test_x"]), create_entry(tests=["x.y::test_y"], number=2)],
        ["known"],
        0,
    ),
    "known in any test": (IN_TWO, [create_entry(tests=["x.y::test_x"]), create_entry(number=2)], ["known"], 0),
    "known in tests that were not run": (DEVIATES, [create_entry(tests=["x.y::test_x", "x.y::test_z"])], ["known"], 0),
    "seen in random tests alone": (
        create_result({A: ("deviates")}, create_deviation("deviates", A, tests=())),
        [create_entry(tests=["x.y::test_x"])],
        ["known"],
        0,
    ),
    "not seen again in another test": (
        create_result({A: "flaky"}, create_deviation("flaky", A)),
        [create_entry(tests=["x.y::test_y"])],
        ["known"],
        0,
    ),
    "a crash in another test": (
        create_result({A: ("crashes")}, create_deviation("crashes", A)),
        [create_entry(tests=["x.y::test_y"])],
        ["worse"],
        11,
    ),
    "known at its test values": (AT_TWO, [create_entry(test_values=["size=3", "size=0"])], ["known"], 0),
    "known at any test value": (AT_TWO, [create_entry(A)], ["known"], 0),
    "known at one of its test values": (AT_TWO, [create_entry(test_values=["size=0"])], ["elsewhere"], 10),
    "known at each of its test values": (
        AT_TWO,
        [create_entry(test_values=["size=0"]), create_entry(test_values=["size=3"], number=2)],
        ["known"],
        0,
    ),
    "known at test values, and at any": (AT_TWO, [create_entry(test_values=["size=0"]), create_entry(A)], ["known"], 0),
    "unknown test values": (DEVIATES, [create_entry(test_values=["size=0"])], ["known"], 0),
    "not seen again at another test value": (
        create_result({A: "flaky"}, create_deviation("flaky", A, test_values=("size=3",))),
        [create_entry(test_values=["size=0"])],
        ["known"],
        0,
    ),
    "a crash at another test value": (
        create_result({A: "crashes"}, create_deviation("crashes", A, test_values=("size=3",))),
        [create_entry(verdict="crashes", test_values=["size=0"])],
        ["elsewhere"],
        10,
    ),
    "a deviation at another test value than the crash": (
        AT_TWO,
        [create_entry(verdict="crashes", test_values=["size=0"])],
        ["elsewhere"],
        10,
    ),
    "a deviation where a crash was, and where it was": (
        AT_TWO,
        [create_entry(test_values=["size=0"]), create_entry(verdict="crashes", test_values=["size=3"], number=2)],
        ["less-severe"],
        12,
    ),
    "valid on its last day": (DEVIATES, [create_entry(until=TODAY)], ["known"], 0),
    "expired, and it still deviates": (DEVIATES, [create_entry(until=BEFORE)], ["new", "expired"], 10),
    "expired, and it conforms": (CONFORMS, [create_entry(until=BEFORE)], ["expired"], 12),
    "not expired yet": (DEVIATES, [create_entry(until=LATER)], ["known"], 0),
    "no such record": (CONFORMS, [create_entry("clG/*")], ["matches-nothing"], 12),
    "no such record, and expired": (CONFORMS, [create_entry("clG/*", until=BEFORE)], ["matches-nothing"], 12),
    "of this version": (DEVIATES, [create_entry(driver=">=3.0, <4")], ["known"], 0),
    "of an older version": (DEVIATES, [create_entry(driver="<3.1")], ["new", "other-version"], 10),
    "of an older version, and it conforms": (CONFORMS, [create_entry(driver="<3.1")], ["other-version"], 0),
    "a driver without a version": (
        create_result({A: "deviates"}, create_deviation("deviates", A), version="main"),
        [create_entry(driver=">0")],
        ["new", "other-version"],
        10,
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_gate_has_the_expected_findings_and_exit_code(case: str) -> None:
    seen, entries, findings, code = TABLE[case]
    gate = decide_gate(seen, entries, TODAY)
    assert (finding_kinds(gate), gate.exit_code) == (findings, code)
    assert all(finding.message for finding in gate.findings)


def test_table_of_cases_covers_all_finding_kinds_and_verdicts() -> None:
    assert {kind for _, _, found, _ in TABLE.values() for kind in found} == set(CODES)
    assert {(expected, seen) for expected in VERDICTS for seen in DEVIATING_STATUSES} == set(KINDS_BY_VERDICTS)
    assert set(KINDS_BY_VERDICTS.values()) < set(KINDS_BY_SEVERITY)


BOTH = create_deviation("deviates", A, B)
AT_BOTH = create_deviation("deviates", A, B, test_values=("a=0 and b and c",))
CRASH = create_deviation("crashes", A, B, observed="died: SIGSEGV")


@pytest.mark.parametrize(
    ("group", "entries", "kind"),
    [
        (BOTH, [create_entry(A), create_entry(B)], "known"),
        (BOTH, [create_entry("clF/*")], "known"),
        (BOTH, [create_entry(A)], "new"),
        (AT_BOTH, [create_entry(A, test_values=["a=0"]), create_entry(B, test_values=["q: b and c"])], "known"),
        (AT_BOTH, [create_entry(A, test_values=["a=0"]), create_entry(B, test_values=["b=0"])], "elsewhere"),
        (BOTH, [create_entry(A, deviation=BOTH.id)], "known"),
        (BOTH, [create_entry("clG/*", deviation=BOTH.id)], "new"),
        (
            BOTH,
            [create_entry(A, deviation=EXACT), create_entry(B, deviation=create_deviation("deviates", B).id)],
            "known",
        ),
        (BOTH, [create_entry(A, deviation=EXACT)], "new"),
        (BOTH, [create_entry(A, deviation=EXACT), create_entry(B, deviation=EXACT)], "new"),
        (BOTH, [create_entry(A, deviation=OTHER.id), create_entry(B)], "new"),
        (BOTH, [create_entry(A), create_entry(B, verdict="crashes")], "less-severe"),
        (CRASH, [create_entry(A, verdict="crashes")], "known"),
        (CRASH, [create_entry(A)], "worse"),
        (CRASH, [create_entry("clG/*", verdict="crashes")], "new"),
    ],
)
def test_joint_deviation_is_matched_by_entries_of_its_requirements(
    group: DeviationResult, entries: list[KnownDeviation], kind: str
) -> None:
    assert match_entries(group, KnownDeviationIndex(entries)).kind == kind


@pytest.mark.parametrize(
    "entry_for",
    [
        lambda deviation: create_entry(deviation.requirements[0].replace("cl", "*", 1)),
        lambda deviation: create_entry(deviation.requirements[0].replace("cl", "[c]*", 1)),
        lambda deviation: create_entry("*", deviation=deviation.id),
    ],
    ids=["leading wildcard", "leading bracket", "one deviation of any requirement"],
)
def test_patterns_are_not_matched_with_every_deviation(
    entry_for: Callable[[DeviationResult], KnownDeviation], monkeypatch: pytest.MonkeyPatch
) -> None:
    match, count = id_patterns.matches_pattern, Mock()

    def count_match(pattern: str, requirement: str) -> bool:
        count()
        return match(pattern, requirement)

    for module in (id_patterns, known_deviations):
        monkeypatch.setattr(module, "matches_pattern", count_match)
    deviations = [create_deviation("deviates", f"clFunction{number:03}/A/1") for number in range(200)]
    found = create_result({each.requirements[0]: "deviates" for each in deviations}, *deviations)
    gate = decide_gate(found, [entry_for(each) for each in deviations], TODAY)
    assert set(finding_kinds(gate)) == {"known"}
    assert 0 < count.call_count <= 3 * len(deviations)


def test_gate_finding_names_entry_line_and_reason() -> None:
    worse = decide_gate(
        create_result({A: "crashes"}, create_deviation("crashes", A)),
        [create_entry(number=4, line=17)],
        TODAY,
        file="k.toml",
    )
    (finding,) = worse.findings
    assert (finding.requirement, finding.entry, finding.line, finding.reason) == (A, 4, 17, "known")
    assert (worse.file, worse.today, worse.entries) == ("k.toml", "2026-11-21", 1)
    (new, _) = decide_gate(DEVIATES, [create_entry(until=BEFORE, number=3)], TODAY).findings
    assert "entry 3 would match, but is not valid now" in new.message


def test_generated_entries_match_all_deviations_of_their_result() -> None:
    found = [
        create_deviation("deviates", A),
        OTHER,
        create_deviation("crashes", B),
        BOTH,
        create_deviation("flaky", B, observed="hung"),
    ]
    seen = create_result({A: "deviates", B: "crashes"}, *found)
    entries = parse_known_deviations(format_known_deviations(seen), "first.toml")
    assert len(entries) == 5
    gate = decide_gate(seen, entries, TODAY)
    assert (gate.exit_code, set(finding_kinds(gate))) == (0, {"known"})
