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
from clconform.harness.targets import WorkerCommand
from clconform.oracles.engine.judgements import ObservedDeviation
from clconform.oracles.engine.symptoms import NO_RETURN
from clconform.runner.deviations import confirmation_steps
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.confirmation_steps import ATTEMPTS, confirm_sequence
from clconform.runner.deviations.parallel_confirmation import ConfirmationCallbacks, Confirmers, confirm_all
from clconform.runner.deviations.prior_acceptance import RETURNS_WITHOUT_ACCEPTED
from clconform.runner.deviations.replay import KnownBase, ReplayResult, ReplayTarget
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session import fact_queries
from clconform.runner.session.device_discovery import SessionBase, query_facts
from clconform.runner.session.outcome_values import returned_handles
from clconform.spec_tables import load
from clconform.suites.chapters.partition.entries import CORE_ENTRY

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

FAULT = "third-retain-crashes"
SHORT_ARRAYS = "short-device-array-accepted"
SHORT_BUFFER_CLAUSE = "clCreateSubDevices/CL_INVALID_VALUE/2"


def get_only_deviation(start: Starter, fault: str, act: Callable[[Session], object]) -> Deviation:
    """Run ``act`` as an example on a platform with a fault, and return its only deviation."""
    session = start("numa-16", fault=fault)
    with session.example():
        act(session)
    recorder = session.observer
    assert isinstance(recorder, Recorder)
    (deviation,) = recorder.deviations.values()
    return deviation


def crash_after_many_calls(session: Session) -> None:
    """Partition, query, retain and release devices many times before the third retain of one device."""
    first = returned_handles(
        CORE_ENTRY.create(session, session.device, CORE_ENTRY.equally(session, 8), 2), "out_devices"
    )
    session.query("clGetDeviceInfo", first[0], "CL_DEVICE_PARENT_DEVICE")
    second = returned_handles(
        CORE_ENTRY.create(session, session.device, CORE_ENTRY.by_counts(session, [3, 5]), 2), "out_devices"
    )
    for device in (*first, *second):
        session.clRetainDevice(device)
        session.clRetainDevice(device)
        session.clReleaseDevice(device)
    session.clRetainDevice(session.device)
    session.clRetainDevice(second[1])
    session.clReleaseDevice(second[0])
    session.clRetainDevice(second[1])


def test_sequence_of_crash_is_minimised(start: Starter) -> None:
    deviation = get_only_deviation(start, FAULT, crash_after_many_calls)
    assert len(deviation.sequence) > 15
    confirmation, _ = confirm_sequence(
        deviation, ReplayTarget(Target.simulated("numa-16", "--fault", FAULT), load()), seconds=60
    )
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("crashes", ATTEMPTS, ATTEMPTS)
    assert not confirmation.full_history
    assert [step.call.function for step in confirmation.sequence] == ["clCreateSubDevices", *["clRetainDevice"] * 3]
    create, *retains = confirmation.sequence
    assert len({step.call.device for step in retains}) == 1
    assert retains[0].call.device.name in create.new_names
    assert isinstance(confirmation.sequence[-1].outcome, Died)
    assert confirmation.observed == "signal SIGSEGV"


SPLIT_AND_QUERY = ["clCreateSubDevices", "clCreateSubDevices", "clGetDeviceInfo"]
"""The first call returns the number of sub-devices that the second call creates."""


def query_parent(session: Session) -> None:
    (device, *_) = CORE_ENTRY.split(session, session.device, CORE_ENTRY.equally(session, 8))
    session.clRetainDevice(device)
    session.query("clGetDeviceInfo", device, "CL_DEVICE_PARENT_DEVICE")


def test_sequence_of_deviation_without_crash_is_minimised(start: Starter) -> None:
    deviation = get_only_deviation(start, "sub-device-without-parent", query_parent)
    confirmation, _ = confirm_sequence(
        deviation, ReplayTarget(Target.simulated("numa-16", "--fault", "sub-device-without-parent"), load()), seconds=30
    )
    assert confirmation.verdict == "deviates"
    assert [step.call.function for step in confirmation.sequence] == SPLIT_AND_QUERY
    assert confirmation.allowed == ["device1"]


def pass_short_buffer(session: Session) -> None:
    CORE_ENTRY.split(session, session.device, CORE_ENTRY.equally(session, 4))
    CORE_ENTRY.create(session, session.device, CORE_ENTRY.equally(session, 4), 1)


def test_operands_of_confirmation_match_minimised_sequence(start: Starter) -> None:
    deviation = get_only_deviation(start, SHORT_ARRAYS, pass_short_buffer)
    assert deviation.operands == {SHORT_BUFFER_CLAUSE: {"out_devices": OutputBuffer(1), "num_devices": 1}}
    other = msgspec.structs.replace(deviation, operands={SHORT_BUFFER_CLAUSE: {"num_devices": 99}})
    target = Target.simulated("numa-16", "--fault", SHORT_ARRAYS)
    confirmation, _ = confirm_sequence(other, ReplayTarget(target, load()), seconds=30)
    last = confirmation.sequence[-1].call.arguments
    assert confirmation.operands == {SHORT_BUFFER_CLAUSE: {name: last[name] for name in ("out_devices", "num_devices")}}
    flaky, _ = confirm_sequence(other, ReplayTarget(Target.simulated("numa-16"), load()))
    assert (flaky.verdict, flaky.operands) == ("flaky", other.operands)


def test_unreproduced_deviation_is_flaky(start: Starter) -> None:
    deviation = get_only_deviation(start, "sub-device-without-parent", query_parent)
    confirmation, _ = confirm_sequence(deviation, ReplayTarget(Target.simulated("numa-16"), load()))
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("flaky", 0, ATTEMPTS)
    assert confirmation.sequence == deviation.sequence


@dataclass(frozen=True)
class IntermittentTarget(Target):
    """A simulated platform that has its fault only in every third process."""

    started_processes: list[int] = field(default_factory=list)

    def worker_command(self) -> WorkerCommand:
        """Return the command of the next process."""
        self.started_processes.append(1)
        plain = super().worker_command()
        return plain if len(self.started_processes) % 3 == 0 else WorkerCommand(plain.argv[:-2], plain.environment)


def test_intermittent_deviation_is_flaky(start: Starter) -> None:
    deviation = get_only_deviation(start, "sub-device-without-parent", query_parent)
    target = IntermittentTarget(
        "simulated", arguments=("--topology", "numa-16", "--fault", "sub-device-without-parent")
    )
    confirmation, _ = confirm_sequence(deviation, ReplayTarget(target, load()))
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("flaky", 1, ATTEMPTS)


@dataclass(frozen=True)
class CountingTarget(Target):
    """A simulated platform that counts its processes."""

    started_processes: list[int] = field(default_factory=list)

    def worker_command(self) -> WorkerCommand:
        """Return the command of the next process."""
        self.started_processes.append(1)
        return super().worker_command()


def test_deviation_is_repeated_before_and_after_minimising(start: Starter) -> None:
    deviation = get_only_deviation(start, "sub-device-without-parent", query_parent)
    target = CountingTarget("simulated", arguments=("--topology", "numa-16", "--fault", "sub-device-without-parent"))
    confirmation, _ = confirm_sequence(deviation, ReplayTarget(target, load()))
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("deviates", ATTEMPTS, ATTEMPTS)
    assert len(confirmation.sequence) < len(deviation.sequence)
    assert len(target.started_processes) == 2


def test_deviation_without_time_budget_is_repeated_once(start: Starter) -> None:
    deviation = get_only_deviation(start, FAULT, crash_after_many_calls)
    target = Target.simulated("numa-16", "--fault", FAULT)
    confirmation, _ = confirm_sequence(deviation, ReplayTarget(target, load()), seconds=0)
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("crashes", 1, 1)
    assert confirmation.sequence == deviation.sequence, "the call crashes for what was called before"
    deviation = get_only_deviation(start, "sub-device-without-parent", query_parent)
    confirmation, _ = confirm_sequence(
        deviation, ReplayTarget(Target.simulated("numa-16", "--fault", "sub-device-without-parent"), load()), seconds=0
    )
    assert (confirmation.verdict, confirmation.repeated, confirmation.attempts) == ("deviates", 1, 1)
    assert [step.call.function for step in confirmation.sequence] == SPLIT_AND_QUERY


@dataclass
class ConsequentialReplayer:
    """A replayer of a driver that fails in clFlush after a buffer was created, and may reject small buffers."""

    rejects_small_buffers: bool

    def run(self, sequence: list[Step], **_: object) -> ReplayResult:
        """Return the result of a replay on this driver."""
        fine, deviation = (
            ReplayResult(list(sequence)),
            ObservedDeviation(("clFlush/success",), "deviates", "literal", (), "", {}, NO_RETURN),
        )
        sizes = [step.call.arguments["size"] for step in sequence if "size" in step.call.arguments]
        for step in sequence:
            small = self.rejects_small_buffers and cast("int", step.call.arguments.get("size", 64)) < 64
            last = step.call.function == "clFlush" and bool(sizes)
            fine.deviations_by_step.append(
                {"last": deviation} if last else {"of another call": deviation} if small else {}
            )
        return fine

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(("amiss", "size"), [(False, 1), (True, 64)])
def test_minimised_sequence_does_not_contain_an_additional_deviation(
    amiss: bool,  # noqa: FBT001
    size: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(confirmation_steps, "Replayer", lambda *_, **__: ConsequentialReplayer(amiss))
    calls = [Call("clCreateBuffer", {"size": 4096}), Call("clFlush", {"command_queue": None})]
    steps = [Step(call, Returned(0)) for call in calls]
    deviation = Deviation("item", "last", ["clFlush/success"], "deviates", "literal", [], "", {}, steps)
    confirmation, _ = confirm_sequence(deviation, ReplayTarget(Target.simulated("numa-16"), load()))
    assert [step.call.arguments.get("size") for step in confirmation.sequence] == [size, None]


def test_query_results_are_reused_by_later_confirmations(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    deviation = get_only_deviation(start, "sub-device-without-parent", query_parent)
    asked: list[SessionBase] = []
    monkeypatch.setattr(
        fact_queries, "query_facts", lambda base, *given: asked.append(base) or query_facts(base, *given)
    )
    opening = KnownBase()
    for _ in range(2):
        confirmation, _ = confirm_sequence(
            deviation,
            ReplayTarget(
                Target.simulated("numa-16", "--fault", "sub-device-without-parent"), load(), known_base=opening
            ),
            seconds=0,
        )
        assert confirmation.verdict == "deviates"
    assert asked == [opening.base]


def test_each_deviation_is_confirmed_once_with_its_shortest_sequence(start: Starter) -> None:
    deviation = get_only_deviation(start, "sub-device-without-parent", query_parent)
    noise = [step for step in deviation.sequence if step.call.function == "clRetainDevice"]
    steps = [*deviation.sequence[:-1], *noise * 9, deviation.sequence[-1]]
    longer = msgspec.structs.replace(deviation, item="another item", sequence=steps)
    told: list[Confirmation] = []
    target = Target.simulated("numa-16")
    confirmations = confirm_all(
        [longer, deviation, longer],
        Confirmers(ConfirmationSettings(target)),
        callbacks=ConfirmationCallbacks(report=told.append),
    )
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
def test_next_sequence_is_tried_if_an_accepted_invalid_call_is_the_cause(ends: list[str], chosen: int) -> None:
    decided = Confirmation("key", "crashes", 2, 2, [])
    known = {
        "decided": decided,
        "left": msgspec.structs.replace(decided, note=RETURNS_WITHOUT_ACCEPTED, replaced_by="other"),
        "flaky": msgspec.structs.replace(decided, verdict="flaky", repeated=0),
    }
    seen = [Deviation(str(index), "key", [], "crashes", "literal", [], "", {}, []) for index in range(len(ends))]
    found, others = confirmation_steps._confirm_first(seen, lambda each: (known[ends[int(each.item)]], [each]))
    assert found is known[ends[chosen]]
    assert len(others) == (len(ends) if known["decided"] is not found else chosen + 1)


def test_deviation_is_unconfirmed_if_the_driver_is_missing(start: Starter) -> None:
    deviation = get_only_deviation(start, "sub-device-without-parent", query_parent)
    confirmation, _ = confirm_sequence(deviation, ReplayTarget(Target.simulated("no-such-place"), load()))
    assert confirmation.attempts == 0
    assert confirmation.verdict == "unconfirmed"
    assert "not repeated" in confirmation.note
    assert confirmation.sequence == deviation.sequence
    assert all(
        isinstance(step, Step) and not isinstance(step.call.arguments.get("device"), str)
        for step in confirmation.sequence
    )
    assert confirmation.sequence[-1].call.device == Handle("device2")
