"""Any allowed outcome of a simulated platform is accepted, and a judge that forgets one raises an alarm."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Returned
from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.wants import Complaint, Such, Values
from clconform.oracles.model.world import Model
from clconform.runner.pytest_plugin.items import Item, collect
from clconform.selftest.choices.alarms import Alarm, alarms_on
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.tools.errors import CommandError
from clconform.tools.resuming import SUITES
from clconform.tools.targets import Named, stored

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.model.cl_object import ClObject
    from clconform.runner.session.session import Session

SECONDS = float(os.environ.get("CLCONFORM_CHOICES", "0"))
"""Seconds of running items per platform; 0 runs a share of them (clconform.selftest.choices runs all)."""
SHARE = 160
"""Each topology runs one of this many items."""
FEW = {"numa-16": 1, "everything": 5, "full-2.2": 3, "bus-of-one-context": 2}
"""The topologies of a default test run, with their seeds."""


@pytest.fixture(scope="module")
def items() -> list[Item]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.delenv("PYTEST_ADDOPTS", raising=False)
        return collect(SUITES)


@pytest.mark.parametrize("topology", FEW)
def test_no_allowed_answer_is_an_alarm(topology: str, items: list[Item]) -> None:
    some = items if SECONDS else items[list(FEW).index(topology) :: SHARE]
    end = time.monotonic() + SECONDS if SECONDS else math.inf
    tried = alarms_on(topology, FEW[topology], some, load(), end)
    assert tried.items
    assert tried.calls
    assert not [(alarm.key, alarm.item, alarm.observed, alarm.allowed) for alarm in tried.alarms.values()]


def act(session: Session) -> None:
    """Create contexts, query and release them, and list devices without naming the platform."""
    query = session.model.value("CL_CONTEXT_REFERENCE_COUNT")
    every = session.model.value("CL_DEVICE_TYPE_ALL")
    for _ in range(24):
        session.clGetDeviceIDs(None, every, 0, None, OutputBuffer(1))
        made = session.clCreateContext(None, 1, Items((session.device,)), None, None, OutputBuffer(1))
        if isinstance(made, Returned) and isinstance(made.value, str):
            session.clGetContextInfo(Handle(made.value), query, 4, OutputBuffer(4), None)
            session.clReleaseContext(Handle(made.value))


OWN = Item("own", (), act)
SMALL = "flat-4"
RELUCTANT = 2
"""A seed with which calls fail especially often if they may."""


def forget_open_clauses(patch: pytest.MonkeyPatch) -> None:
    whole = Oracle.expect

    def expect(self: Oracle, call: Call, *, elsewhere: bool = False) -> Expectation:
        return msgspec.structs.replace(whole(self, call, elsewhere=elsewhere), mays=())

    patch.setattr(Oracle, "expect", expect)


def accept_one_value_only(patch: pytest.MonkeyPatch) -> None:
    whole = Such.complaints

    def complaints(self: Such, seen: Values) -> list[Complaint]:
        chosen = self.choice is None or tuple(seen) == self.choice
        return (
            whole(self, seen) if chosen else [Complaint(self.records[0], "the first", "another", symptoms.OTHER_SIZE)]
        )

    patch.setattr(Such, "complaints", complaints)


def keep_what_was_destroyed(patch: pytest.MonkeyPatch) -> None:
    alive, drop, kept = Model.alive, Model.drop, set[str]()

    def keep(self: Model, thing: ClObject) -> None:
        kept.add(thing.name)
        drop(self, thing)

    patch.setattr(Model, "drop", keep)
    patch.setattr(Model, "alive", lambda self, kind: alive(self, kind) | kept)


MISTAKES = {
    forget_open_clauses: "clGetDeviceIDs | clGetDeviceIDs/success | CL_INVALID_PLATFORM",
    accept_one_value_only: "clGetContextInfo | CL_CONTEXT_REFERENCE_COUNT | other size",
    keep_what_was_destroyed: "clCreateContext | clCreateContext/success | the handle of a living object again",
}


@pytest.fixture(scope="module")
def alarms_of_a_right_judge() -> dict[str, Alarm]:
    return alarms_on(SMALL, RELUCTANT, [OWN], load()).alarms


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_judge_that_forgets_what_is_allowed_raises_an_alarm(
    mistake: Callable[[pytest.MonkeyPatch], None],
    alarms_of_a_right_judge: dict[str, Alarm],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not alarms_of_a_right_judge
    mistake(monkeypatch)
    assert MISTAKES[mistake] in alarms_on(SMALL, RELUCTANT, [OWN], load()).alarms


def test_an_exception_of_ours_is_an_alarm() -> None:
    def fail(session: Session) -> None:
        raise ValueError(session.device.name)

    assert "ValueError: device1" in alarms_on("flat-4", 0, [Item("own", (), fail)], load()).alarms


def test_a_seed_leads_to_the_same_answers_and_another_to_others() -> None:
    def facts(seed: int | None) -> list[dict[str, object]]:
        simulation = Simulation(load(), "everything", TOPOLOGIES["everything"], seed)
        return [dict(device.facts) for device in simulation.model.root_devices()]

    chosen, first = facts(3), facts(None)
    assert chosen == facts(3)
    assert chosen != facts(4)
    assert first == facts(None) != chosen


def test_a_result_keeps_the_seed_of_the_choices() -> None:
    named = stored(Target.simulated("flat-4", "--choices", "7").describe(), 0)
    assert named == Named(simulated="flat-4", choices=7, device=0)
    assert named.target() == Target.simulated("flat-4", "--choices", "7")
    assert "--cl-choices=7" in named.plugin_options()
    with pytest.raises(CommandError, match="x"):
        stored(["--simulated", "flat-4", "--choices", "x"], 0)
