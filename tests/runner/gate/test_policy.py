"""The verdict of known deviations on a result: a table of all cases of the policy."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call
from clconform.reports.known_deviations import (
    VERDICTS,
    Entries,
    KnownDeviation,
    known_deviations_of,
    parse_known_deviations,
)
from clconform.reports.result import (
    DeviationResult,
    DeviceTested,
    PlatformTested,
    RecordResult,
    Result,
    Run,
    Summary,
    digest_of,
)
from clconform.reports.status import BAD
from clconform.runner.gate.policy import ANSWERS, CODES, FROM_BEST, answer_to, decide

if TYPE_CHECKING:
    from clconform.reports.result import Bad, Gate, Status

TODAY = dt.date(2026, 11, 21)
LATER, BEFORE = dt.date(2026, 11, 22), dt.date(2026, 11, 20)
CALL = Call("clF", {})


def deviation(
    verdict: Bad, *records: str, observed: str = "CL_SUCCESS", tests: tuple[str, ...] = ("x.y::test_x",)
) -> DeviationResult:
    key = f"clF | {' + '.join(records)} | {observed}"
    return DeviationResult(
        digest_of(key)[:8], key, "clF", list(records), verdict, "literal", ["CL_INVALID_VALUE"], observed, {}, [],
        minimised=True, repeated=2, attempts=2, full_history=False, item="x.y::test_x", items=1, seen=1,
        tests=list(tests),
    )  # fmt: skip


def result(
    statuses: dict[str, Status],
    *deviations: DeviationResult,
    version: str = "3.1",
    items: int = 9,
    cut_short: bool = False,
    interrupted: bool = False,
    unreached: int = 0,
) -> Result:
    """Return a result with these requirements and deviations; nine items are planned."""
    device = DeviceTested("device1", "a CPU", 2, "OpenCL 3.0", version, 4)
    platform = PlatformTested(
        "platform1", "P", "V", "OpenCL 3.0", "FULL_PROFILE", "", "device1", [device], "loader", "", []
    )
    run = Run(
        "0.1.0", 7, "default", "2026-11-21T10:00:00+00:00", "", 1.0, [], {}, "t", cut_short, interrupted, 9, items, [],
        9, [], budget_spent=bool(unreached), unreached=unreached,
    )  # fmt: skip
    records = [
        RecordResult(name, "error-clause", "opencl-api", "4.3", status, 1, "4.3") for name, status in statuses.items()
    ]
    return Result(platform, run, Summary("", len(records), {}, [], [], len(deviations)), records, list(deviations))


def entry(record: str = "clF/A/1", verdict: str = "deviates", **more: object) -> KnownDeviation:
    return msgspec.convert(
        {"record": record, "verdict": verdict, "reason": "known", "number": 1} | more, KnownDeviation
    )


def kinds(gate: Gate) -> list[str]:
    return [finding.kind for finding in gate.findings]


A, B = "clF/A/1", "clF/B/1"
DEVIATES = result({A: "deviates"}, deviation("deviates", A))
CONFORMS = result({A: "conforms"})
IN_TWO = result({A: "deviates"}, deviation("deviates", A, tests=("x.y::test_x", "x.y::test_y")))
EXACT = deviation("deviates", A).id
REWORDED = result({A: "deviates"}, msgspec.structs.replace(deviation("deviates", A), observed="success, where none is"))
OTHER = deviation("deviates", A, observed="CL_OUT_OF_RESOURCES")


def smoke(whole: Result) -> Result:
    """Return the result of a smoke test with the same findings."""
    return msgspec.structs.replace(whole, run=msgspec.structs.replace(whole.run, tier="smoke"))


TABLE: dict[str, tuple[Result, list[KnownDeviation], list[str], int]] = {
    "nothing known, nothing found": (CONFORMS, [], [], 0),
    "new, without a file": (DEVIATES, [], ["new"], 10),
    "a new crash is new too": (result({A: "crashes"}, deviation("crashes", A)), [], ["new"], 10),
    "flaky is not new": (result({A: "flaky"}, deviation("flaky", A)), [], [], 0),
    "expected": (DEVIATES, [entry()], ["known"], 0),
    "expected by a pattern": (DEVIATES, [entry("clF/*")], ["known"], 0),
    "expected by its id": (DEVIATES, [entry(deviation=EXACT)], ["known"], 0),
    "another one than the id": (DEVIATES, [entry(deviation="00000000")], ["new", "not-seen"], 10),
    "expected by what came back": (DEVIATES, [entry(observed="CL_SUCCESS")], ["known"], 0),
    "expected by its symptom": (DEVIATES, [entry(symptom="CL_SUCCESS")], ["known"], 0),
    "expected by its symptom, whatever the words": (REWORDED, [entry(symptom="CL_SUCCESS")], ["known"], 0),
    "expected by the code of what came back": (REWORDED, [entry(observed="CL_SUCCESS")], ["known"], 0),
    "another symptom": (result({A: "deviates"}, OTHER), [entry(symptom="CL_SUCCESS")], ["new", "not-seen"], 10),
    "something else came back": (
        result({A: "deviates"}, OTHER), [entry(observed="CL_SUCCESS")], ["new", "not-seen"], 10,
    ),
    "another record": (
        result({A: "deviates", B: "conforms"}, deviation("deviates", A)), [entry(B)], ["new", "fixed"], 12,
    ),
    "a crash where a deviation was expected": (
        result({A: "crashes"}, deviation("crashes", A)), [entry()], ["worse"], 11,
    ),
    "a hang where a deviation was expected": (result({A: "hangs"}, deviation("hangs", A)), [entry()], ["worse"], 11),
    "a deviation where a crash was expected": (DEVIATES, [entry(verdict="crashes")], ["less-severe"], 12),
    "an entry for each": (
        result({A: "crashes"}, deviation("crashes", A, observed="died"), deviation("deviates", A)),
        [entry(), entry(verdict="crashes", number=2)],
        ["known", "known"],
        0,
    ),
    "two entries for one": (DEVIATES, [entry(), entry("clF/*", number=2)], ["known"], 0),
    "the highest code wins": (
        result({A: "crashes", B: "deviates"}, deviation("crashes", A), deviation("deviates", B)),
        [entry()],
        ["worse", "new"],
        11,
    ),
    "vanished": (CONFORMS, [entry()], ["fixed"], 12),
    "vanished from a smoke test": (smoke(CONFORMS), [entry()], ["not-seen"], 0),
    "vanished from a smoke test, of a pattern": (
        smoke(result({A: "conforms", B: "conforms"})), [entry("clF/*")], ["not-seen"], 0,
    ),
    "less severe in a smoke test": (smoke(DEVIATES), [entry(verdict="crashes")], ["less-severe"], 12),
    "vanished, of a pattern": (result({A: "conforms", B: "not-provoked"}), [entry("clF/*")], ["fixed"], 12),
    "one of a pattern is enough": (
        result({A: "deviates", B: "conforms"}, deviation("deviates", A)), [entry("clF/*")], ["known"], 0,
    ),
    "what is flaky may not show": (CONFORMS, [entry(flaky=True)], ["not-seen"], 0),
    "what is flaky may show": (DEVIATES, [entry(flaky=True)], ["known"], 0),
    "what is expected may be flaky": (result({A: "flaky"}, deviation("flaky", A)), [entry()], ["known"], 0),
    "a flaky deviation that crashes": (
        result({A: "crashes"}, deviation("crashes", A)), [entry(flaky=True)], ["worse"], 11,
    ),
    "deselected": (result({A: "not-run"}), [entry()], ["not-tested"], 0),
    "not provoked": (result({A: "not-provoked"}), [entry()], ["not-tested"], 0),
    "not applicable here": (result({A: "not-applicable"}), [entry()], ["not-tested"], 0),
    "inconclusive": (result({A: "inconclusive"}), [entry()], ["not-tested"], 0),
    "part of a pattern was not run": (result({A: "conforms", B: "not-run"}), [entry("clF/*")], ["not-tested"], 0),
    "the run was killed": (result({A: "conforms"}, cut_short=True), [entry()], ["not-tested"], 8),
    "the run was stopped": (result({A: "conforms"}, interrupted=True), [entry()], ["not-tested"], 8),
    "items were lost": (result({A: "conforms"}, items=8), [entry()], ["not-tested"], 8),
    "items were lost, and something is new": (
        result({A: "deviates"}, deviation("deviates", A), items=8), [], ["new"], 10,
    ),
    "only known ones, and items were lost": (
        result({A: "deviates"}, deviation("deviates", A), items=8), [entry()], ["known"], 8,
    ),
    "no budget was left": (result({A: "conforms"}, items=8, unreached=1), [entry()], ["not-tested"], 0),
    "no budget was left, and items were lost": (
        result({A: "conforms"}, items=7, unreached=1), [entry()], ["not-tested"], 8,
    ),
    "it deviates in another way": (result({A: "deviates"}, OTHER), [entry(), entry(deviation=EXACT)],
                                   ["known", "not-seen"], 0),
    "known in this test": (DEVIATES, [entry(tests=["x.y::test_x"])], ["known"], 0),
    "known in another test": (DEVIATES, [entry(tests=["x.y::test_y"])], ["elsewhere"], 10),
    "known in one of its tests": (IN_TWO, [entry(tests=["x.y::test_x"])], ["elsewhere"], 10),
    "known in each of its tests": (
        IN_TWO, [entry(tests=["x.y::test_x"]), entry(tests=["x.y::test_y"], number=2)], ["known"], 0,
    ),
    "known in any test": (IN_TWO, [entry(tests=["x.y::test_x"]), entry(number=2)], ["known"], 0),
    "known in tests that were not run": (DEVIATES, [entry(tests=["x.y::test_x", "x.y::test_z"])], ["known"], 0),
    "seen in random tests alone": (
        result({A: "deviates"}, deviation("deviates", A, tests=())), [entry(tests=["x.y::test_x"])], ["known"], 0,
    ),
    "not seen again in another test": (
        result({A: "flaky"}, deviation("flaky", A)), [entry(tests=["x.y::test_y"])], ["known"], 0,
    ),
    "a crash in another test": (
        result({A: "crashes"}, deviation("crashes", A)), [entry(tests=["x.y::test_y"])], ["worse"], 11,
    ),
    "valid on its last day": (DEVIATES, [entry(until=TODAY)], ["known"], 0),
    "expired, and it still deviates": (DEVIATES, [entry(until=BEFORE)], ["new", "expired"], 12),
    "expired, and it conforms": (CONFORMS, [entry(until=BEFORE)], ["expired"], 12),
    "not expired yet": (DEVIATES, [entry(until=LATER)], ["known"], 0),
    "no such record": (CONFORMS, [entry("clG/*")], ["matches-nothing"], 12),
    "no such record, and expired": (CONFORMS, [entry("clG/*", until=BEFORE)], ["matches-nothing"], 12),
    "of this version": (DEVIATES, [entry(driver=">=3.0, <4")], ["known"], 0),
    "of an older version": (DEVIATES, [entry(driver="<3.1")], ["new", "other-version"], 10),
    "of an older version, and it conforms": (CONFORMS, [entry(driver="<3.1")], ["other-version"], 0),
    "a driver without a version": (
        result({A: "deviates"}, deviation("deviates", A), version="main"),
        [entry(driver=">0")],
        ["new", "other-version"],
        10,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_the_table(case: str) -> None:
    seen, entries, findings, code = TABLE[case]
    gate = decide(seen, entries, TODAY)
    assert (kinds(gate), gate.exit_code) == (findings, code)
    assert all(finding.message for finding in gate.findings)


def test_each_kind_is_in_the_table_and_each_pair_of_verdicts_has_an_answer() -> None:
    assert {kind for _, _, found, _ in TABLE.values() for kind in found} == set(CODES)
    assert {(expected, seen) for expected in VERDICTS for seen in BAD} == set(ANSWERS)
    assert set(ANSWERS.values()) < set(FROM_BEST)


BOTH = deviation("deviates", A, B)
CRASH = deviation("crashes", A, B, observed="died: SIGSEGV")


@pytest.mark.parametrize(
    ("group", "entries", "kind"),
    [
        (BOTH, [entry(A), entry(B)], "known"),
        (BOTH, [entry("clF/*")], "known"),
        (BOTH, [entry(A)], "new"),
        (BOTH, [entry(A, deviation=BOTH.id)], "known"),
        (BOTH, [entry("clG/*", deviation=BOTH.id)], "new"),
        (BOTH, [entry(A, deviation=EXACT), entry(B, deviation=deviation("deviates", B).id)], "known"),
        (BOTH, [entry(A, deviation=EXACT)], "new"),
        (BOTH, [entry(A, deviation=EXACT), entry(B, deviation=EXACT)], "new"),
        (BOTH, [entry(A, deviation=OTHER.id), entry(B)], "new"),
        (BOTH, [entry(A), entry(B, verdict="crashes")], "less-severe"),
        (CRASH, [entry(A, verdict="crashes")], "known"),
        (CRASH, [entry(A)], "worse"),
        (CRASH, [entry("clG/*", verdict="crashes")], "new"),
    ],
)
def test_what_several_clauses_show_is_expected_where_they_explain_it_alone(
    group: DeviationResult, entries: list[KnownDeviation], kind: str
) -> None:
    assert answer_to(group, Entries(entries)).kind == kind


def test_a_finding_says_which_entry_and_why() -> None:
    worse = decide(result({A: "crashes"}, deviation("crashes", A)), [entry(number=4, line=17)], TODAY, file="k.toml")
    (finding,) = worse.findings
    assert (finding.record, finding.entry, finding.line, finding.reason) == (A, 4, 17, "known")
    assert (worse.file, worse.today, worse.entries) == ("k.toml", "2026-11-21", 1)
    (new, _) = decide(DEVIATES, [entry(until=BEFORE, number=3)], TODAY).findings
    assert "entry 3 would match, but is not valid now" in new.message


def test_the_first_file_lets_its_own_result_pass() -> None:
    found = [deviation("deviates", A), OTHER, deviation("crashes", B), BOTH, deviation("flaky", B, observed="hung")]
    seen = result({A: "deviates", B: "crashes"}, *found)
    entries = parse_known_deviations(known_deviations_of(seen), "first.toml")
    assert len(entries) == 5
    gate = decide(seen, entries, TODAY)
    assert (gate.exit_code, set(kinds(gate))) == (0, {"known"})
