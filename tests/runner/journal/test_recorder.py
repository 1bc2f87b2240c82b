"""The record of an item: evidence is counted, observations and deviations are written once, equal ones share a key."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.call import Call, Returned, Step
from clconform.calls.journal import Deviation, FirstSeen, ItemEnd
from clconform.oracles.engine.judged_call import JudgedCall
from clconform.oracles.engine.judgements import Blame, Expectation, Judgement
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.symptoms import returned
from clconform.oracles.model.world import Model
from clconform.reports.reading import read_journal
from clconform.runner.journal.recorder import SEEN_AT_MOST, Recorder, deviation_key
from clconform.runner.journal.writer import JournalWriter
from clconform.spec_tables import load

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.values import Operand

CALL = Call("clRetainDevice", {"device": None})
JUDGED = JudgedCall(CALL, Model(load()), rulebook_of(load()))
STEP = Step(CALL, Returned(0))
EXPECTATION = Expectation(JUDGED, (), (), ())
RECORD = "clRetainDevice/CL_INVALID_DEVICE/1"
OPERANDS: dict[str, dict[str, Operand]] = {RECORD: {"device": None}}


def blame(observed: str = "CL_SUCCESS", *records: str) -> Blame:
    why = {RECORD: "it is NULL"}
    symptom = returned(observed)
    return Blame(records or (RECORD,), "deviates", "literal", ("CL_INVALID_DEVICE",), observed, why, symptom, OPERANDS)


def judged(recorder: Recorder, *blames: Blame, evidence: str = "deviates", boundary: str = "", steps: int = 1) -> None:
    judgement = Judgement("CL_SUCCESS", [(RECORD, evidence)], list(blames))
    recorder.judged(EXPECTATION, STEP.outcome, judgement, [STEP] * steps, boundary)


def test_evidence_and_calls_are_counted_for_one_item_at_a_time() -> None:
    recorder = Recorder(None)
    recorder.begin("one")
    judged(recorder, evidence="conforms")
    judged(recorder, evidence="conforms")
    judged(recorder, evidence="weak")
    assert recorder.evidence[RECORD] == {"conforms": 2, "weak": 1}
    assert recorder.calls == 3
    recorder.begin("two")
    assert not recorder.evidence
    assert recorder.calls == 0


def test_what_ended_the_process_before_the_first_item_counts_for_that() -> None:
    recorder = Recorder(None)
    judged(recorder, blame(), replace(blame("signal SIGSEGV"), verdict="crashes"))
    recorder.begin("one")
    assert [(line.item, line.observed) for line in recorder.deviations.values()] == [("one", "signal SIGSEGV")]
    recorder.begin("two")
    assert not recorder.deviations


def test_the_entries_of_the_register_by_which_something_is_to_blame_are_counted() -> None:
    recorder = Recorder(None)
    recorder.begin("one")
    judgement = Judgement("no answer within 5 s", [(RECORD, "hangs")], [blame()], readings=[("an-entry", "no answer")])
    recorder.judged(EXPECTATION, STEP.outcome, judgement, [STEP], "")
    assert recorder.left_open == {"an-entry": {"no answer": 1}}


def test_boundaries_are_kept_once_each_and_not_without_end() -> None:
    recorder = Recorder(None)
    for number in (*range(SEEN_AT_MOST + 5), 0, 1):
        judged(recorder, boundary=f"n={number}")
    assert recorder.boundaries[RECORD] == [f"n={number}" for number in range(SEEN_AT_MOST)]


def test_equal_deviations_share_a_key_and_different_ones_do_not() -> None:
    keys = {
        deviation_key("f", blame()),
        deviation_key("f", blame("CL_SUCCESS", RECORD)),
        deviation_key("g", blame()),
        deviation_key("f", blame("CL_INVALID_VALUE")),
        deviation_key("f", blame("CL_SUCCESS", RECORD, "another")),
    }
    assert len(keys) == 4
    assert deviation_key("f", blame("x", "a", "b")) == deviation_key("f", blame("x", "b", "a"))


def test_a_deviation_is_kept_with_the_calls_that_led_there() -> None:
    recorder = Recorder(None)
    recorder.begin("item")
    judged(recorder, blame(), steps=3)
    judged(recorder, blame(), steps=9)
    (deviation,) = recorder.deviations.values()
    assert len(deviation.sequence) == 3
    assert deviation.item == "item"
    assert deviation.records == [RECORD]
    assert deviation.operands == {RECORD: {"device": None}}


def test_a_deviation_is_written_again_where_it_violates_further_records(tmp_path: Path) -> None:
    recorder = Recorder(JournalWriter(tmp_path / "journal.jsonl"))
    recorder.begin("item")
    for also in ((), ("a",), ("a",), ("b", "a"), ("b",)):
        judged(recorder, replace(blame(), also=also))
    lines = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    written = [line for line in lines if line["line"] == "deviation"]
    assert [line.get("also") for line in written] == [[], ["a"], ["b", "a"]]
    assert len({line["key"] for line in written}) == 1


def test_the_journal_gets_each_first_seen_and_deviation_once_and_the_items_end(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path / "journal.jsonl")
    recorder = Recorder(writer)
    recorder.begin("item")
    for boundary in ("a", "a", "b"):
        judged(recorder, blame(), boundary=boundary)
    recorder.end("failed", 0.5, "why")
    writer.close()
    assert (tmp_path / "journal.jsonl").read_text(encoding="utf-8").count("\n") == 4
    kinds = [line.split('"line":"')[1].split('"')[0] for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert kinds == ["first-seen", "deviation", "first-seen", "item"]
    assert all(kind.__struct_config__.tag in kinds for kind in (FirstSeen, Deviation, ItemEnd))
    assert callable(read_journal)
