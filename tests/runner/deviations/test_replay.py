"""Replay of a stored sequence: objects are renamed, and an impossible call ends the replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Died, Returned, Step
from clconform.calls.values import (
    ArgumentUpdate,
    BusAddresses,
    Data,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    InfoUpdate,
    OffsetPointer,
    OutputBuffer,
    Pointers,
)
from clconform.harness import Target
from clconform.runner.deviations.replay import Replayer, ReplayTarget, rename_handles
from clconform.spec_tables import load
from clconform.suites.chapters.partition.entries import CORE_ENTRY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

DEVICE = Handle("device1")


@pytest.fixture
def replayer() -> Iterator[Replayer]:
    made = Replayer(ReplayTarget(Target.simulated("numa-16", "--fault", "third-retain-crashes"), load()))
    yield made
    made.close()


def create_update(first: str, second: str) -> DispatchConfig:
    return DispatchConfig(
        Handle(first),
        arg_list=(ArgumentUpdate(0, 8, HandleBytes(Handle(second))), ArgumentUpdate(1, 2, Data(b"xy"))),
        arg_svm_list=(ArgumentUpdate(2, 0, OffsetPointer(Handle(first), 4)),),
        exec_info_list=(InfoUpdate(3, 8, Pointers((Handle(second), None))),),
        local_work_size=(4,),
    )


def test_handles_are_renamed_in_all_values() -> None:
    call = Call(
        "f",
        {
            "device": Handle("device2"),
            "other": Handle("device1"),
            "list": ElementList((Handle("device2"), 7, None, Handle("device3"))),
            "argument": HandleBytes(Handle("device2")),
            "address": OffsetPointer(Handle("device2"), 8),
            "pointers": Pointers((Handle("device2"), None, OffsetPointer(Handle("device3"), 4))),
            "bus": BusAddresses(Handle("device2"), OffsetPointer(Handle("device3"), 8)),
            "no bus": BusAddresses(0, Handle("device1")),
            "updates": DispatchConfigs((None, create_update("device2", "device3"))),
            "number": 2,
            "output_buffer": OutputBuffer(2),
            "nothing": None,
            "bytes": Data(b"device2"),
        },
    )
    assert rename_handles(call, {"device2": "device9", "device3": "device2"}) == Call(
        "f",
        {
            "device": Handle("device9"),
            "other": Handle("device1"),
            "list": ElementList((Handle("device9"), 7, None, Handle("device2"))),
            "argument": HandleBytes(Handle("device9")),
            "address": OffsetPointer(Handle("device9"), 8),
            "pointers": Pointers((Handle("device9"), None, OffsetPointer(Handle("device2"), 4))),
            "bus": BusAddresses(Handle("device9"), OffsetPointer(Handle("device2"), 8)),
            "no bus": BusAddresses(0, Handle("device1")),
            "updates": DispatchConfigs((None, create_update("device9", "device2"))),
            "number": 2,
            "output_buffer": OutputBuffer(2),
            "nothing": None,
            "bytes": Data(b"device2"),
        },
    )


def record_sequence(start: Starter) -> list[Step]:
    """Return a sequence that partitions a device twice and retains a sub-device of the second partitioning."""
    session = start("numa-16")
    with session.example():
        CORE_ENTRY.create(session, session.device, CORE_ENTRY.equally(session, 4), 4)
        second = CORE_ENTRY.create(session, session.device, CORE_ENTRY.equally(session, 8), 2)
        assert isinstance(second, Returned)
        session.clRetainDevice(Handle("device6"))
        steps = list(session.sequence.steps)
    assert steps[-1].call.device == Handle("device6")
    return steps


def test_replay_uses_the_new_names_of_objects(start: Starter, replayer: Replayer) -> None:
    steps = record_sequence(start)
    replayed = replayer.run(steps[1:])
    assert replayed.obstacle == ""
    assert [step.call.function for step in replayed.steps] == ["clCreateSubDevices", "clRetainDevice"]
    assert replayed.steps[-1].call.device == Handle("device2")
    assert not any(replayed.deviations_by_step)


def test_call_on_missing_object_ends_replay(start: Starter, replayer: Replayer) -> None:
    steps = record_sequence(start)
    replayed = replayer.run([steps[2]])
    assert replayed.steps == []
    assert "clRetainDevice" in replayed.obstacle


def test_replay_finds_deviation_at_its_call(start: Starter, replayer: Replayer) -> None:
    steps = record_sequence(start)
    replayed = replayer.run([*steps, steps[-1], steps[-1], steps[-1]], fresh=True)
    key = "clRetainDevice | clRetainDevice/success | signal SIGSEGV"
    assert replayed.shows(key)
    assert not replayed.shows("another")
    assert len(replayed.steps_up_to(key)) == 5
    assert isinstance(replayed.steps_up_to(key)[-1].outcome, Died)
    deviation = replayed.first_deviation(key)
    assert deviation is not None
    assert deviation.verdict == "crashes"


def test_replay_after_crash_uses_new_process(start: Starter, replayer: Replayer) -> None:
    steps = record_sequence(start)
    for _ in range(2):
        replayed = replayer.run([*steps, steps[-1], steps[-1]])
        assert isinstance(replayed.steps[-1].outcome, Died)
    healthy = replayer.run(steps)
    assert len(healthy.steps) == 3
    assert not any(healthy.deviations_by_step)
