"""Any allowed outcome of a simulated platform is accepted; a judge that rejects such an outcome raises an alarm."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.calls.call import Call, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.matchers import Mismatch, Satisfies, Values
from clconform.oracles.model.object_table import ObjectTable
from clconform.oracles.model.state import Model
from clconform.runner.pytest_plugin.item_collection import SuiteItem
from clconform.selftest.false_alarms.alarms import FalseAlarm, find_alarms
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.tools.driver_options import DriverOptions, parse_stored_target
from clconform.tools.errors import CommandError

from .suite_items import collect_suite_items

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.model.cl_object import ClObject
    from clconform.runner.session.session import Session

SECONDS = float(os.environ.get("CLCONFORM_CHOICES", "0"))
"""Seconds for the items of each platform; 0: a share of the items (`clconform dev false-alarms` runs all)."""
SHARE = 160
"""Each topology runs one of this many items."""
TOPOLOGY_SEEDS = {"numa-16": 1, "everything": 5, "full-2.2": 3, "bus-of-one-context": 2}
"""The topologies of a default test run, with their seeds."""


@pytest.fixture(scope="module")
def suite_items() -> list[SuiteItem]:
    return collect_suite_items()


@pytest.mark.parametrize("topology", TOPOLOGY_SEEDS)
def test_allowed_outcome_raises_no_alarm(topology: str, suite_items: list[SuiteItem]) -> None:
    some = suite_items if SECONDS else suite_items[list(TOPOLOGY_SEEDS).index(topology) :: SHARE]
    end = time.monotonic() + SECONDS if SECONDS else math.inf
    tried = find_alarms(topology, TOPOLOGY_SEEDS[topology], some, load(), end)
    assert tried.items
    assert tried.calls
    assert not [(alarm.key, alarm.item, alarm.observed, alarm.allowed) for alarm in tried.alarms.values()]


def use_contexts(session: Session) -> None:
    """Create contexts, query and release them, and list devices without naming the platform."""
    query = session.model.constant_value("CL_CONTEXT_REFERENCE_COUNT")
    every = session.model.constant_value("CL_DEVICE_TYPE_ALL")
    for _ in range(24):
        session.clGetDeviceIDs(None, every, 0, None, OutputBuffer(1))
        made = session.clCreateContext(None, 1, ElementList((session.device,)), None, None, OutputBuffer(1))
        if isinstance(made, Returned) and isinstance(made.value, str):
            session.clGetContextInfo(Handle(made.value), query, 4, OutputBuffer(4), None)
            session.clReleaseContext(Handle(made.value))


OWN_ITEM = SuiteItem("own", (), use_contexts)
SMALL = "flat-4"
RELUCTANT_SEED = 2
"""A seed with which calls fail especially often if they are allowed to fail."""


def forget_may_conditions(patch: pytest.MonkeyPatch) -> None:
    whole = Oracle.expect

    def expect(self: Oracle, call: Call, *, elsewhere: bool = False) -> Expectation:
        return msgspec.structs.replace(whole(self, call, on_host_thread=elsewhere), optional_errors=())

    patch.setattr(Oracle, "expect", expect)


def accept_first_value_only(patch: pytest.MonkeyPatch) -> None:
    whole = Satisfies.mismatches

    def mismatches_of_first(self: Satisfies, seen: Values) -> list[Mismatch]:
        chosen = self.example is None or tuple(seen) == self.example
        return (
            whole(self, seen)
            if chosen
            else [Mismatch(self.requirements[0], "the first", "another", symptoms.OTHER_SIZE)]
        )

    patch.setattr(Satisfies, "mismatches", mismatches_of_first)


def keep_destroyed_objects(patch: pytest.MonkeyPatch) -> None:
    present, drop, kept = ObjectTable.was_present, Model.remove, set[str]()

    def remove_but_keep(self: Model, thing: ClObject) -> None:
        kept.add(thing.name)
        drop(self, thing)

    patch.setattr(Model, "remove", remove_but_keep)
    patch.setattr(ObjectTable, "was_present", lambda self, name, *rest: name in kept or present(self, name, *rest))


JUDGE_ERRORS = {
    forget_may_conditions: "clGetDeviceIDs | clGetDeviceIDs/success | CL_INVALID_PLATFORM",
    accept_first_value_only: "clGetContextInfo | CL_CONTEXT_REFERENCE_COUNT | other size",
    keep_destroyed_objects: "clCreateContext | clCreateContext/success | the handle of a living object again",
}


@pytest.fixture(scope="module")
def alarms_of_correct_judge() -> dict[str, FalseAlarm]:
    return find_alarms(SMALL, RELUCTANT_SEED, [OWN_ITEM], load()).alarms


@pytest.mark.parametrize("mistake", JUDGE_ERRORS)
def test_judge_that_forgets_allowed_outcomes_raises_an_alarm(
    mistake: Callable[[pytest.MonkeyPatch], None],
    alarms_of_correct_judge: dict[str, FalseAlarm],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not alarms_of_correct_judge
    mistake(monkeypatch)
    assert JUDGE_ERRORS[mistake] in find_alarms(SMALL, RELUCTANT_SEED, [OWN_ITEM], load()).alarms


def test_exception_in_an_item_is_an_alarm() -> None:
    def fail(session: Session) -> None:
        raise ValueError(session.device.name)

    assert "ValueError: device1" in find_alarms("flat-4", 0, [SuiteItem("own", (), fail)], load()).alarms


def test_simulated_device_values_depend_only_on_the_seed() -> None:
    def facts(seed: int | None) -> list[dict[str, object]]:
        simulation = Simulation(load(), "everything", TOPOLOGIES["everything"], seed)
        return [dict(device.facts) for device in simulation.model.root_devices()]

    chosen, first = facts(3), facts(None)
    assert chosen == facts(3)
    assert chosen != facts(4)
    assert first == facts(None) != chosen


def test_stored_driver_options_contain_the_result_seed() -> None:
    named = parse_stored_target(Target.simulated("flat-4", "--result-seed", "7").to_options(), 0)
    assert named == DriverOptions(simulated="flat-4", result_seed=7, device_index=0)
    assert named.target() == Target.simulated("flat-4", "--result-seed", "7")
    assert "--cl-result-seed=7" in named.plugin_options()
    with pytest.raises(CommandError, match="x"):
        parse_stored_target(["--simulated", "flat-4", "--result-seed", "x"], 0)
