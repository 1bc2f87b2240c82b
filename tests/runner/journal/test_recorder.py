"""The recorder of items: evidence is counted, each deviation is written once, and equal deviations share a key."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.call import Call, Returned, Step
from clconform.calls.journal import Deviation, FirstObservation, ItemEnd
from clconform.calls.values import Handle
from clconform.oracles.engine.call_context import CallContext
from clconform.oracles.engine.judgements import Expectation, Judgement, ObservedDeviation
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.symptoms import unexpected_result
from clconform.oracles.model.state import Model
from clconform.reports.journal_reader import read_journal
from clconform.runner.journal.recorder import MAX_FURTHER_STEPS, MAX_TEST_VALUES, Recorder, deviation_key
from clconform.runner.journal.writer import JournalWriter
from clconform.spec_tables import load

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from clconform.calls.values import Operand

CALL = Call("clRetainDevice", {"device": None})
CONTEXT = CallContext(CALL, Model(load()), rulebook_of(load()))
STEP = Step(CALL, Returned(0))
EXPECTATION = Expectation(CONTEXT, (), (), ())
RECORD = "clRetainDevice/CL_INVALID_DEVICE/1"
OPERANDS: dict[str, dict[str, Operand]] = {RECORD: {"device": None}}


def create_deviation(observed: str = "CL_SUCCESS", *requirements: str) -> ObservedDeviation:
    why = {RECORD: "it is NULL"}
    symptom = unexpected_result(observed)
    return ObservedDeviation(
        requirements or (RECORD,), "deviates", "literal", ("CL_INVALID_DEVICE",), observed, why, symptom, OPERANDS
    )


def record_call(
    recorder: Recorder, *deviations: ObservedDeviation, evidence: str = "deviates", test_value: str = "", steps: int = 1
) -> None:
    judgement = Judgement("CL_SUCCESS", [(RECORD, evidence)], list(deviations))
    recorder.on_judged_call(EXPECTATION, STEP.outcome, judgement, [STEP] * steps, test_value)


def test_evidence_and_calls_are_counted_per_item() -> None:
    recorder = Recorder(None)
    recorder.begin_item("one")
    record_call(recorder, evidence="conforms")
    record_call(recorder, evidence="conforms")
    record_call(recorder, evidence="weak")
    assert recorder.evidence[RECORD] == {"conforms": 2, "weak": 1}
    assert recorder.calls == 3
    recorder.begin_item("two")
    assert not recorder.evidence
    assert recorder.calls == 0


def test_crash_before_any_item_is_recorded_for_the_first_item() -> None:
    recorder = Recorder(None)
    record_call(recorder, create_deviation(), replace(create_deviation("signal SIGSEGV"), verdict="crashes"))
    recorder.begin_item("one")
    assert [(line.item, line.observed) for line in recorder.deviations.values()] == [("one", "signal SIGSEGV")]
    recorder.begin_item("two")
    assert not recorder.deviations


def test_interpretations_of_deviations_are_counted() -> None:
    recorder = Recorder(None)
    recorder.begin_item("one")
    judgement = Judgement(
        "no answer within 5 s", [(RECORD, "hangs")], [create_deviation()], interpretations=[("an-entry", "no answer")]
    )
    recorder.on_judged_call(EXPECTATION, STEP.outcome, judgement, [STEP], "")
    assert recorder.interpretation_counts == {"an-entry": {"no answer": 1}}


def test_test_values_are_stored_once_and_limited_in_number() -> None:
    recorder = Recorder(None)
    for number in (*range(MAX_TEST_VALUES + 5), 0, 1):
        record_call(recorder, test_value=f"n={number}")
    assert recorder.test_values[RECORD] == [f"n={number}" for number in range(MAX_TEST_VALUES)]


def test_deviations_with_equal_requirements_and_symptom_share_a_key() -> None:
    keys = {
        deviation_key("f", create_deviation()),
        deviation_key("f", create_deviation("CL_SUCCESS", RECORD)),
        deviation_key("g", create_deviation()),
        deviation_key("f", create_deviation("CL_INVALID_VALUE")),
        deviation_key("f", create_deviation("CL_SUCCESS", RECORD, "another")),
    }
    assert len(keys) == 4
    assert deviation_key("f", create_deviation("x", "a", "b")) == deviation_key("f", create_deviation("x", "b", "a"))


def test_deviation_is_stored_with_calls_of_its_first_observation() -> None:
    recorder = Recorder(None)
    recorder.begin_item("item")
    record_call(recorder, create_deviation(), steps=3)
    record_call(recorder, create_deviation(), steps=9)
    (deviation,) = recorder.deviations.values()
    assert len(deviation.sequence) == 3
    assert deviation.item == "item"
    assert deviation.requirements == [RECORD]
    assert deviation.operands == {RECORD: {"device": None}}


def test_deviation_that_violates_further_requirements_is_written_again(tmp_path: Path) -> None:
    recorder = Recorder(JournalWriter(tmp_path / "journal.jsonl"))
    recorder.begin_item("item")
    for also in ((), ("a",), ("a",), ("b", "a"), ("b",)):
        record_call(recorder, replace(create_deviation(), also_violated=also))
    lines = [json.loads(line) for line in (tmp_path / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    written = [line for line in lines if line["line"] == "deviation"]
    assert [line.get("also_violated") for line in written] == [[], ["a"], ["b", "a"]]
    assert len({line["key"] for line in written}) == 1


def test_equal_deviations_and_observations_are_written_once(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path / "journal.jsonl")
    recorder = Recorder(writer)
    recorder.begin_item("item")
    for test_value in ("a", "a", "b", "b"):
        record_call(recorder, create_deviation(), test_value=test_value)
    recorder.end_item("failed", 0.5, "why")
    writer.close()
    assert (tmp_path / "journal.jsonl").read_text(encoding="utf-8").count("\n") == 5
    kinds = [line.split('"line":"')[1].split('"')[0] for line in (tmp_path / "journal.jsonl").read_text().splitlines()]
    assert kinds == ["first-seen", "deviation", "first-seen", "deviation", "item"], "a line for each test value"
    assert all(kind.__struct_config__.tag in kinds for kind in (FirstObservation, Deviation, ItemEnd))
    assert callable(read_journal)


def test_deviation_has_a_line_for_each_test_value_of_an_item_that_is_not_random() -> None:
    recorder = Recorder(None)
    recorder.begin_item("item")
    for test_value in ("", "a", "b", "", "a"):
        record_call(recorder, create_deviation(), test_value=test_value)
    assert [line.test_value for line in recorder.deviation_lines] == ["", "a", "b"]
    assert list(recorder.deviation_values.values()) == [["a", "b"]]
    recorder.begin_item("random", is_random=True)
    for test_value in ("a", "b"):
        record_call(recorder, create_deviation(), test_value=test_value)
    assert [line.test_values for line in recorder.deviation_lines] == [[]], "a random item may draw other values"


def test_query_is_a_part_of_the_test_value_of_a_deviation() -> None:
    recorder = Recorder(None)
    recorder.begin_item("item")
    names = {name: load().enumerants[name].value for name in ("CL_DEVICE_NAME", "CL_DEVICE_VERSION")}
    for name, test_value in (*((name, "size-1") for name in names), ("CL_DEVICE_NAME", "")):
        call = Call("clGetDeviceInfo", {"device": Handle("device1"), "param_name": names[name]})
        context = CallContext(call, Model(load()), rulebook_of(load()))
        judgement = Judgement("CL_SUCCESS", [], [create_deviation()])
        recorder.on_judged_call(Expectation(context, (), (), ()), STEP.outcome, judgement, [STEP], test_value)
    assert [line.test_value for line in recorder.deviation_lines] == [
        "CL_DEVICE_NAME: size-1",
        "CL_DEVICE_VERSION: size-1",
        "CL_DEVICE_NAME",
    ]


def test_number_of_test_values_and_length_of_further_sequences_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clconform.runner.journal.recorder.MAX_DEVIATION_TEST_VALUES", 3)
    recorder = Recorder(None)
    recorder.begin_item("item")
    lengths = (MAX_FURTHER_STEPS + 1, MAX_FURTHER_STEPS + 1, MAX_FURTHER_STEPS, 1, 1)
    for number, length in enumerate(lengths):
        record_call(recorder, create_deviation(), test_value=str(number), steps=length)
    assert [line.test_value for line in recorder.deviation_lines] == ["0", "1", "2"]
    assert [len(line.sequence) for line in recorder.deviation_lines] == [MAX_FURTHER_STEPS + 1, 1, MAX_FURTHER_STEPS]
