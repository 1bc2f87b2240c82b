"""Confirmation: a deviation is repeated in fresh processes and minimised, or it is flaky."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from clconform.calls.call import Call, Died, Returned, Step
from clconform.calls.journal import Confirmation, Deviation
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import Target
from clconform.harness.targets import Start
from clconform.oracles.engine.judgements import Blame
from clconform.oracles.engine.symptoms import NO_ANSWER
from clconform.runner.deviations import confirming
from clconform.runner.deviations.accepted import ACCEPTED
from clconform.runner.deviations.confirming import ATTEMPTS, find
from clconform.runner.deviations.following import confirm_all
from clconform.runner.deviations.replay import Opening, Replayed
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session import session as session_module
from clconform.runner.session.answers import made
from clconform.runner.session.opening import Base, ask_all
from clconform.spec_tables import load
from clconform.suites.chapters.partition.entries import CORE_ENTRY

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

FAULT = "dies-on-a-third-retain"
SHORT_ARRAYS = "short-arrays-are-accepted"
TOO_LITTLE = "clCreateSubDevices/CL_INVALID_VALUE/2"


def only_deviation(start: Starter, fault: str, act: Callable[[Session], object]) -> Deviation:
    """Return the only deviation of an example on a platform with a fault."""
    session = start("numa-16", fault=fault)
    with session.example():
        act(session)
    recorder = session.observer
    assert isinstance(recorder, Recorder)
    (deviation,) = recorder.deviations.values()
    return deviation


def long_way_to_a_crash(session: Session) -> None:
    """Partition, query, retain and release devices many times before the third retain of one device."""
    first = made(CORE_ENTRY.create(session, session.device, CORE_ENTRY.equally(session, 8), 2), "out_devices")
    session.query("clGetDeviceInfo", first[0], "CL_DEVICE_PARENT_DEVICE")
    second = made(CORE_ENTRY.create(session, session.device, CORE_ENTRY.by_counts(session, [3, 5]), 2), "out_devices")
    for device in (*first, *second):
        session.clRetainDevice(device)
        session.clRetainDevice(device)
        session.clReleaseDevice(device)
    session.clRetainDevice(session.device)
    session.clRetainDevice(second[1])
    session.clReleaseDevice(second[0])
    session.clRetainDevice(second[1])


def test_a_crash_is_reduced_to_the_shortest_sequence(start: Starter) -> None:
    deviation = only_deviation(start, FAULT, long_way_to_a_crash)
    assert len(deviation.sequence) > 15
    confirmation, _ = find(deviation, Target.simulated("numa-16", "--fault", FAULT), load(), seconds=60)
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("crashes", ATTEMPTS, ATTEMPTS)
    assert not confirmation.full_history
    assert [step.call.function for step in confirmation.sequence] == ["clCreateSubDevices", *["clRetainDevice"] * 3]
    create, *retains = confirmation.sequence
    assert len({step.call.device for step in retains}) == 1
    assert retains[0].call.device.name in create.binds
    assert isinstance(confirmation.sequence[-1].outcome, Died)
    assert confirmation.observed == "signal SIGSEGV"


def asks_for_the_parent(session: Session) -> None:
    (device, *_) = CORE_ENTRY.split(session, session.device, CORE_ENTRY.equally(session, 8))
    session.clRetainDevice(device)
    session.query("clGetDeviceInfo", device, "CL_DEVICE_PARENT_DEVICE")


def test_a_deviation_that_kills_nothing_is_made_short_too(start: Starter) -> None:
    deviation = only_deviation(start, "no-parent", asks_for_the_parent)
    confirmation, _ = find(deviation, Target.simulated("numa-16", "--fault", "no-parent"), load(), seconds=30)
    assert confirmation.verdict == "deviates"
    assert [step.call.function for step in confirmation.sequence] == ["clCreateSubDevices", "clGetDeviceInfo"]
    assert confirmation.allowed == ["device1"]


def wants_little_output_buffer(session: Session) -> None:
    CORE_ENTRY.split(session, session.device, CORE_ENTRY.equally(session, 4))
    CORE_ENTRY.create(session, session.device, CORE_ENTRY.equally(session, 4), 1)


def test_the_operands_are_those_of_the_sequence_that_is_shown(start: Starter) -> None:
    deviation = only_deviation(start, SHORT_ARRAYS, wants_little_output_buffer)
    assert deviation.operands == {TOO_LITTLE: {"out_devices": OutputBuffer(1), "num_devices": 1}}
    other = msgspec.structs.replace(deviation, operands={TOO_LITTLE: {"num_devices": 99}})
    target = Target.simulated("numa-16", "--fault", SHORT_ARRAYS)
    confirmation, _ = find(other, target, load(), seconds=30)
    last = confirmation.sequence[-1].call.arguments
    assert confirmation.operands == {TOO_LITTLE: {name: last[name] for name in ("out_devices", "num_devices")}}
    flaky, _ = find(other, Target.simulated("numa-16"), load())
    assert (flaky.verdict, flaky.operands) == ("flaky", other.operands)


def test_a_deviation_that_does_not_come_back_is_flaky(start: Starter) -> None:
    deviation = only_deviation(start, "no-parent", asks_for_the_parent)
    confirmation, _ = find(deviation, Target.simulated("numa-16"), load())
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("flaky", 0, ATTEMPTS)
    assert confirmation.sequence == deviation.sequence


@dataclass(frozen=True)
class Moody(Target):
    """A simulated platform that has its fault only in every third process."""

    started: list[int] = field(default_factory=list)

    def start(self) -> Start:
        """Return the command of the next process."""
        self.started.append(1)
        plain = super().start()
        return plain if len(self.started) % 3 == 0 else Start(plain.argv[:-2], plain.environment)


def test_a_deviation_that_comes_back_only_sometimes_is_flaky(start: Starter) -> None:
    deviation = only_deviation(start, "no-parent", asks_for_the_parent)
    target = Moody("simulated", arguments=("--topology", "numa-16", "--fault", "no-parent"))
    confirmation, _ = find(deviation, target, load())
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("flaky", 1, ATTEMPTS)


@dataclass(frozen=True)
class Counting(Target):
    """A simulated platform that counts its processes."""

    started: list[int] = field(default_factory=list)

    def start(self) -> Start:
        """Return the command of the next process."""
        self.started.append(1)
        return super().start()


def test_what_ends_no_process_is_repeated_in_two_before_and_after_it_is_minimised(start: Starter) -> None:
    deviation = only_deviation(start, "no-parent", asks_for_the_parent)
    target = Counting("simulated", arguments=("--topology", "numa-16", "--fault", "no-parent"))
    confirmation, _ = find(deviation, target, load())
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("deviates", ATTEMPTS, ATTEMPTS)
    assert len(confirmation.sequence) < len(deviation.sequence)
    assert len(target.started) == 2


def test_without_time_to_minimise_it_is_repeated_once_with_what_its_last_call_needs(start: Starter) -> None:
    deviation = only_deviation(start, FAULT, long_way_to_a_crash)
    target = Target.simulated("numa-16", "--fault", FAULT)
    confirmation, _ = find(deviation, target, load(), seconds=0)
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("crashes", 1, 1)
    assert confirmation.sequence == deviation.sequence, "the call crashes for what was called before"
    deviation = only_deviation(start, "no-parent", asks_for_the_parent)
    confirmation, _ = find(deviation, Target.simulated("numa-16", "--fault", "no-parent"), load(), seconds=0)
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("deviates", 1, 1)
    assert [step.call.function for step in confirmation.sequence] == ["clCreateSubDevices", "clGetDeviceInfo"]


@dataclass
class Odd:
    """A replayer of a driver that fails in ``clFlush`` after a buffer, and rejects buffers of less than 64 bytes."""

    amiss: bool

    def run(self, sequence: list[Step], **_: object) -> Replayed:
        """Return the deviations of such a driver."""
        fine, blame = (
            Replayed(list(sequence)),
            Blame(("clFlush/success",), "deviates", "literal", (), "", {}, NO_ANSWER),
        )
        sizes = [step.call.arguments["size"] for step in sequence if "size" in step.call.arguments]
        for step in sequence:
            small = self.amiss and cast("int", step.call.arguments.get("size", 64)) < 64
            last = step.call.function == "clFlush" and bool(sizes)
            fine.keys.append({"last": blame} if last else {"of another call": blame} if small else {})
        return fine

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(("amiss", "size"), [(False, 1), (True, 64)])
def test_no_earlier_call_is_made_to_deviate(amiss: bool, size: int, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    monkeypatch.setattr(confirming, "Replayer", lambda *_, **__: Odd(amiss))
    calls = [Call("clCreateBuffer", {"size": 4096}), Call("clFlush", {"command_queue": None})]
    steps = [Step(call, Returned(0)) for call in calls]
    deviation = Deviation("item", "last", ["clFlush/success"], "deviates", "literal", [], "", {}, steps)
    confirmation, _ = find(deviation, Target.simulated("numa-16"), load())
    assert [step.call.arguments.get("size") for step in confirmation.sequence] == [size, None]


def test_what_one_session_was_told_serves_the_next_ones(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    deviation = only_deviation(start, "no-parent", asks_for_the_parent)
    asked: list[Base] = []
    monkeypatch.setattr(session_module, "ask_all", lambda base, *given: asked.append(base) or ask_all(base, *given))
    opening = Opening()
    for _ in range(2):
        confirmation, _ = find(
            deviation, Target.simulated("numa-16", "--fault", "no-parent"), load(), seconds=0, opening=opening
        )
        assert confirmation.verdict == "deviates"
    assert asked == [opening.base]


def test_each_key_is_looked_into_once_with_its_shortest_sequence(start: Starter) -> None:
    deviation = only_deviation(start, "no-parent", asks_for_the_parent)
    noise = [step for step in deviation.sequence if step.call.function == "clRetainDevice"]
    longer = Deviation(
        deviation.item,
        deviation.key,
        deviation.records,
        deviation.verdict,
        deviation.confidence,
        deviation.allowed,
        deviation.observed,
        deviation.conditions,
        [*deviation.sequence[:-1], *noise * 9, deviation.sequence[-1]],
    )
    told: list[Confirmation] = []
    target = Target.simulated("numa-16")
    confirmations = confirm_all([longer, deviation, longer], target, load(), tell=told.append)
    assert confirmations == told
    assert len(confirmations) == 1
    assert confirmations[0].sequence == deviation.sequence


@pytest.mark.parametrize(
    ("ends", "chosen"),
    [
        (["left", "decided", "flaky"], 1),
        (["flaky", "left", "decided"], 2),
        (["flaky", "left", "flaky"], 1),
        (["decided", "left"], 0),
        (["left", "left"], 0),
    ],
)
def test_a_sequence_that_needs_an_accepted_call_settles_nothing_while_there_are_others(
    ends: list[str], chosen: int
) -> None:
    decided = Confirmation("key", "crashes", 2, 2, [])
    known = {
        "decided": decided,
        "left": msgspec.structs.replace(decided, note=ACCEPTED, instead="other"),
        "flaky": msgspec.structs.replace(decided, verdict="flaky", repeated=0),
    }
    seen = [Deviation(str(index), "key", [], "crashes", "literal", [], "", {}, []) for index in range(len(ends))]
    found, others = confirming._confirm_any(seen, lambda each: (known[ends[int(each.item)]], [each]))
    assert found is known[ends[chosen]]
    assert len(others) == (len(ends) if known["decided"] is not found else chosen + 1)


def test_a_target_that_is_gone_is_said_and_nothing_is_lost(start: Starter) -> None:
    deviation = only_deviation(start, "no-parent", asks_for_the_parent)
    confirmation, _ = find(deviation, Target.simulated("no-such-place"), load())
    assert confirmation.attempts == 0
    assert confirmation.verdict == deviation.verdict
    assert "not reproduced" in confirmation.note
    assert confirmation.sequence == deviation.sequence
    assert all(
        isinstance(step, Step) and not isinstance(step.call.arguments.get("device"), str)
        for step in confirmation.sequence
    )
    assert confirmation.sequence[-1].call.device == Handle("device2")
