"""Ids do not depend on messages: the same outcomes, judged with other messages, have the same keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import UNTOUCHED, Absent, Died, FunctionLookup, Hung, Output, Returned
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judgements import ObservedDeviation
from clconform.oracles.engine.matchers import Mismatch
from clconform.runner.journal.recorder import deviation_key

from .oracle_setup import EQUALLY, OracleSetup
from .test_notifications import CALLBACK, COMPLETE, FAILED, PATIENCE_MS, CallbackWorld, event_invocation

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome
    from clconform.oracles.engine.judgements import Expectation, Judgement

PARTITION = "clCreateSubDevices"


def build_partition_case(outcome: Outcome) -> Callable[[], list[str]]:
    def keys() -> list[str]:
        world = OracleSetup()
        expectation = world.expect(
            PARTITION, world.device, world.create_list(EQUALLY, 8, 0), 2, OutputBuffer(2), OutputBuffer(1)
        )
        return [deviation_key(PARTITION, each) for each in world.oracle.judge(expectation, outcome).deviations]

    return keys


def build_context_case(value: str | None, *written: int | str) -> Callable[[], list[str]]:
    def keys() -> list[str]:
        world = OracleSetup()
        expectation = world.expect(
            "clCreateContext", None, 1, ElementList((world.device,)), None, None, OutputBuffer(1)
        )
        outcome = Returned(value, {"errcode_ret": Output(list(written), 4)})
        return [deviation_key("clCreateContext", each) for each in world.oracle.judge(expectation, outcome).deviations]

    return keys


def build_callback_case(*came: Any, waits: bool = False) -> Callable[[], list[str]]:
    def keys() -> list[str]:
        told = KeyRecorder()
        event = told.create_user_event()
        told.call("clSetEventCallback", event, COMPLETE, CALLBACK, 7)
        told.call("clSetUserEventStatus", event, FAILED, callbacks=came)
        if waits:
            told.wait_for_callback(PATIENCE_MS)
        return told.keys

    return keys


class KeyRecorder(CallbackWorld):
    """Records the keys of all deviations."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str] = []
        judge = self.oracle.judge

        def judge_and_record(expectation: Expectation, outcome: Outcome) -> Judgement:
            judgement = judge(expectation, outcome)
            self.keys += [deviation_key(expectation.call.function, each) for each in judgement.deviations]
            return judgement

        self.oracle.judge = judge_and_record  # type: ignore[method-assign]


def create_partition_outcome(handles: list[Any], number: int, **more: Any) -> Outcome:
    return Returned(0, {"out_devices": Output(handles, 16), "num_devices_ret": Output([number], 4)}, **more)


JUDGED_OUTCOMES: dict[str, Callable[[], list[str]]] = {
    "a code": build_partition_case(Returned(-30)),
    "a crash": build_partition_case(Died("signal", "SIGSEGV", "said")),
    "a hang": build_partition_case(Hung(5.0)),
    "nothing there": build_partition_case(
        Absent("empty-entry", "in words", FunctionLookup("table", entry=93, library="lacks"))
    ),
    "no handles": build_partition_case(create_partition_outcome([UNTOUCHED, UNTOUCHED], 2)),
    "a handle twice": build_partition_case(create_partition_outcome(["device2", "device2"], 2)),
    "a living handle": build_partition_case(create_partition_outcome(["device1", "device2"], 2)),
    "another number": build_partition_case(create_partition_outcome(["device2", "device3"], 5)),
    "an overrun": build_partition_case(create_partition_outcome(["device2", "device3"], 2, overrun=["out_devices"])),
    "no code": build_context_case("context1", UNTOUCHED),
    "NULL": build_context_case(None, 0),
    "an object with an error": build_context_case("context1", -30),
    "no error where one came": build_callback_case(event_invocation(COMPLETE)),
    "another event": build_callback_case(event_invocation(FAILED, event="event2")),
    "other user data": build_callback_case(event_invocation(FAILED, 8)),
    "called again": build_callback_case(event_invocation(FAILED), event_invocation(FAILED)),
    "never called": build_callback_case(waits=True),
}


@pytest.mark.parametrize("name", JUDGED_OUTCOMES)
def test_deviation_ids_do_not_depend_on_messages(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = JUDGED_OUTCOMES[name]()
    assert before

    def reworded(self: Mismatch | ObservedDeviation) -> None:
        allowed, observed = "as it has to be", "as it ought not to be"
        object.__setattr__(self, "allowed", (allowed,) if isinstance(self, ObservedDeviation) else allowed)
        object.__setattr__(self, "observed", observed)

    monkeypatch.setattr(Mismatch, "__post_init__", reworded)
    monkeypatch.setattr(ObservedDeviation, "__post_init__", reworded)
    monkeypatch.setattr("clconform.oracles.engine.rule_texts.RuleTexts.words_of", lambda _self, _record: "another why")
    assert JUDGED_OUTCOMES[name]() == before


def test_deviation_ids_do_not_depend_on_harness_messages() -> None:
    found = Absent("empty-entry", "some words", FunctionLookup("table", entry=93, library="lacks"))
    others = Absent("empty-entry", "other words", found.lookup)
    assert symptoms.function_absent(PARTITION, found) == symptoms.function_absent(PARTITION, others)
