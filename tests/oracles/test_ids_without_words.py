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

from .test_notifications import COMPLETE, FAILED, PATIENCE_MS, TOLD, Told, event_told
from .worlds import EQUALLY, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome
    from clconform.oracles.engine.judgements import Expectation, Judgement

PARTS = "clCreateSubDevices"


def of_a_partition(outcome: Outcome) -> Callable[[], list[str]]:
    def keys() -> list[str]:
        world = World()
        expectation = world.expect(PARTS, world.device, world.items(EQUALLY, 8, 0), 2, OutputBuffer(2), OutputBuffer(1))
        return [deviation_key(PARTS, each) for each in world.oracle.judge(expectation, outcome).deviations]

    return keys


def of_a_context(value: str | None, *written: int | str) -> Callable[[], list[str]]:
    def keys() -> list[str]:
        world = World()
        expectation = world.expect(
            "clCreateContext", None, 1, ElementList((world.device,)), None, None, OutputBuffer(1)
        )
        outcome = Returned(value, {"errcode_ret": Output(list(written), 4)})
        return [deviation_key("clCreateContext", each) for each in world.oracle.judge(expectation, outcome).deviations]

    return keys


def of_a_callback(*came: Any, waits: bool = False) -> Callable[[], list[str]]:
    def keys() -> list[str]:
        told = Recalling()
        event = told.user_event()
        told.did("clSetEventCallback", event, COMPLETE, TOLD, 7)
        told.did("clSetUserEventStatus", event, FAILED, told=came)
        if waits:
            told.waited(PATIENCE_MS)
        return told.keys

    return keys


class Recalling(Told):
    """Records the keys of all deviations."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str] = []
        judge = self.oracle.judge

        def noting(expectation: Expectation, outcome: Outcome) -> Judgement:
            judgement = judge(expectation, outcome)
            self.keys += [deviation_key(expectation.call.function, each) for each in judgement.deviations]
            return judgement

        self.oracle.judge = noting  # type: ignore[method-assign]


def parts(handles: list[Any], number: int, **more: Any) -> Outcome:
    return Returned(0, {"out_devices": Output(handles, 16), "num_devices_ret": Output([number], 4)}, **more)


JUDGED: dict[str, Callable[[], list[str]]] = {
    "a code": of_a_partition(Returned(-30)),
    "a crash": of_a_partition(Died("signal", "SIGSEGV", "said")),
    "a hang": of_a_partition(Hung(5.0)),
    "nothing there": of_a_partition(
        Absent("empty-entry", "in words", FunctionLookup("table", entry=93, library="lacks"))
    ),
    "no handles": of_a_partition(parts([UNTOUCHED, UNTOUCHED], 2)),
    "a handle twice": of_a_partition(parts(["device2", "device2"], 2)),
    "a living handle": of_a_partition(parts(["device1", "device2"], 2)),
    "another number": of_a_partition(parts(["device2", "device3"], 5)),
    "an overrun": of_a_partition(parts(["device2", "device3"], 2, overrun=["out_devices"])),
    "no code": of_a_context("context1", UNTOUCHED),
    "NULL": of_a_context(None, 0),
    "an object with an error": of_a_context("context1", -30),
    "no error where one came": of_a_callback(event_told(COMPLETE)),
    "another event": of_a_callback(event_told(FAILED, event="event2")),
    "other user data": of_a_callback(event_told(FAILED, 8)),
    "called again": of_a_callback(event_told(FAILED), event_told(FAILED)),
    "never called": of_a_callback(waits=True),
}


@pytest.mark.parametrize("name", JUDGED)
def test_other_words_leave_ids_as_they_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = JUDGED[name]()
    assert before

    def reworded(self: Mismatch | ObservedDeviation) -> None:
        allowed, observed = "as it has to be", "as it ought not to be"
        object.__setattr__(self, "allowed", (allowed,) if isinstance(self, ObservedDeviation) else allowed)
        object.__setattr__(self, "observed", observed)

    monkeypatch.setattr(Mismatch, "__post_init__", reworded)
    monkeypatch.setattr(ObservedDeviation, "__post_init__", reworded)
    monkeypatch.setattr("clconform.oracles.engine.rulebook.Rulebook.words_of", lambda _self, _record: "another why")
    assert JUDGED[name]() == before


def test_the_harness_words_are_no_part_of_an_id() -> None:
    found = Absent("empty-entry", "some words", FunctionLookup("table", entry=93, library="lacks"))
    others = Absent("empty-entry", "other words", found.lookup)
    assert symptoms.function_absent(PARTS, found) == symptoms.function_absent(PARTS, others)
