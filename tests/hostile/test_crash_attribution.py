"""Attribution of crashes on drivers that end their process some time after the call that causes it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from clconform.calls.deviation_keys import build_key
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.engine.symptoms import HEAP_CORRUPTED, NO_RETURN
from clconform.runner.deviations import crash_attribution, parallel_confirmation
from clconform.runner.deviations.confirmation_pools import ConfirmationSettings
from clconform.runner.deviations.parallel_confirmation import Confirmers, confirm_all
from clconform.runner.deviations.prior_acceptance import (
    ACCEPTED_EARLIER,
    RETURNS_WITHOUT_ACCEPTED,
)
from clconform.runner.session.outcome_values import returned_handles

from . import building
from .sessions import find_deviations, hostile_target

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.calls.journal import Confirmation, Deviation
    from clconform.runner.session.session import Session

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")

SIZE = 64
DEADLINE_SCALE = 0.3
"""Factor for the deadlines of these drivers' calls."""
CRASH = "signal SIGSEGV"


class QueueObjects:
    """A context with two command-queues, and a buffer for each queue."""

    def __init__(self, session: Session) -> None:
        self.session = session
        (self.context,) = returned_handles(
            session.clCreateContext(None, 1, ElementList((session.device,)), None, None, OutputBuffer(1))
        )
        self.queues = [
            returned_handles(session.clCreateCommandQueue(self.context, session.device, 0, OutputBuffer(1)))[0]
            for _ in range(2)
        ]
        self.buffers = [
            returned_handles(session.clCreateBuffer(self.context, 1, SIZE, None, OutputBuffer(1)))[0] for _ in range(2)
        ]
        (self.memory,) = returned_handles(session.host_allocate(SIZE, 1))

    def enqueue_write(self, number: int) -> None:
        """Enqueue a non-blocking write on queue ``number``, to the buffer of this queue."""
        self.session.clEnqueueWriteBuffer(
            self.queues[number], self.buffers[number], 0, 0, SIZE, self.memory, 0, None, None
        )

    def call_until_death(self) -> None:
        """Make harmless calls and harness actions until the driver dies."""
        for _ in range(100_000):
            self.session.clRetainContext(self.context)
            self.session.clReleaseContext(self.context)
            self.session.host_allocate(SIZE, 1)


def confirm_example(
    library: Path, act: Callable[[QueueObjects], object], seconds: float = 1
) -> tuple[list[Deviation], dict[str, Confirmation]]:
    """Run ``act`` as one example; return its deviations, and a mapping from keys to all confirmations."""

    def one_example(session: Session) -> None:
        with session.example():
            act(QueueObjects(session))

    target = hostile_target(library).with_deadlines(DEADLINE_SCALE)
    seen = find_deviations(target, one_example)
    ends = confirm_all(seen, Confirmers(ConfirmationSettings(target)), seconds=seconds)
    return seen, {end.key: end for end in ends}


def crash_key(function: str) -> str:
    """Return the key of a crash that violates the success requirement of a function."""
    return build_key(function, [f"{function}/success"], CRASH)


def test_late_crash_is_attributed_to_the_enqueued_command(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTILE", "write_crashes_late")

    def act(objects: QueueObjects) -> None:
        objects.enqueue_write(0)
        objects.call_until_death()

    (seen,), ends = confirm_example(library, act)
    assert (seen.key, seen.undecided) == (crash_key("clEnqueueWriteBuffer"), True)
    assert list(ends) == [seen.key]
    end = ends[seen.key]
    assert (end.verdict, end.repeated, end.replaced_by) == ("crashes", 2, "")
    assert [step.call.function for step in end.sequence][-2:] == ["clEnqueueWriteBuffer", "clFinish"]


def test_crash_that_needs_two_commands_is_attributed_to_both(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTILE", "writes_crash_together")

    def act(objects: QueueObjects) -> None:
        objects.enqueue_write(0)
        objects.enqueue_write(1)
        objects.call_until_death()

    (seen,), ends = confirm_example(library, act)
    assert (seen.key, seen.undecided) == (crash_key("clEnqueueWriteBuffer"), True)
    end = ends[seen.key]
    assert (end.verdict, end.repeated, end.attempts) == (
        "crashes",
        crash_attribution.UNCHANGED_ATTEMPTS,
        crash_attribution.UNCHANGED_ATTEMPTS,
    )
    assert (end.note, end.replaced_by) == (crash_attribution.COMMANDS_NOTE, "")


def test_late_crash_caused_by_finish_is_attributed_to_finish(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTILE", "finish_leaves_a_crash")

    def act(objects: QueueObjects) -> None:
        objects.session.clFinish(objects.queues[0])
        for _ in range(100_000):
            objects.session.host_allocate(SIZE, 1)

    (seen,), ends = confirm_example(library, act)
    assert (seen.key, seen.undecided) == (crash_key("clFinish"), True)
    assert ends[seen.key].verdict == "crashes"
    assert ends[seen.key].sequence[-1].call.function == "host_allocate"


def test_late_crash_caused_by_finish_is_not_attributed_to_the_finished_command(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To isolate the crash, a repetition finishes the queue after the write, and this call alone ends the process."""
    monkeypatch.setenv("HOSTILE", "finish_leaves_a_crash")

    def act(objects: QueueObjects) -> None:
        objects.enqueue_write(0)
        objects.session.clFinish(objects.queues[0])
        time.sleep(0.2)  # few calls, so that the repetition pauses for long enough after each
        objects.session.host_allocate(SIZE, 1)

    (seen,), ends = confirm_example(library, act)
    assert (seen.key, seen.undecided) == (crash_key("clFinish"), True)
    assert list(ends) == [seen.key]
    assert (ends[seen.key].verdict, ends[seen.key].replaced_by) == ("crashes", "")


def test_crash_of_a_call_is_not_attributed_to_an_earlier_command(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "segv")
    monkeypatch.setattr(parallel_confirmation, "MAX_OTHERS", 0)  # attributed deviations are confirmed in any case

    def act(objects: QueueObjects) -> None:
        objects.enqueue_write(0)
        objects.session.clRetainContext(objects.context)

    (seen,), ends = confirm_example(library, act)
    assert (seen.key, seen.undecided) == (crash_key("clEnqueueWriteBuffer"), True)
    assert ends[seen.key].replaced_by == crash_key("clRetainContext")
    assert ends[crash_key("clRetainContext")].verdict == "crashes"
    assert [step.call.function for step in ends[crash_key("clRetainContext")].sequence] == [
        "clCreateContext",
        "clRetainContext",
    ]


def test_crash_in_finish_is_attributed_to_finish_if_it_repeats_without_commands(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "segv@clFinish")

    def act(objects: QueueObjects) -> None:
        objects.enqueue_write(0)
        objects.session.clFinish(objects.queues[0])

    (seen,), ends = confirm_example(library, act)
    assert (seen.key, seen.undecided) == (crash_key("clEnqueueWriteBuffer"), False)
    assert (ends[seen.key].replaced_by, ends[seen.key].note) == (
        crash_key("clFinish"),
        crash_attribution.WITHOUT_COMMANDS_NOTE,
    )
    assert ends[crash_key("clFinish")].verdict == "crashes"


@pytest.mark.parametrize(
    ("how", "symptom"), [("accepts_null_and_crashes_later", CRASH), ("accepts_null_and_hangs_later", NO_RETURN.code)]
)
def test_later_crash_or_hang_is_attributed_to_accepted_invalid_call(
    library: Path, monkeypatch: pytest.MonkeyPatch, how: str, symptom: str
) -> None:
    monkeypatch.setenv("HOSTILE", how)

    def act(objects: QueueObjects) -> None:
        objects.session.clRetainContext(None)
        objects.session.clRetainContext(objects.context)

    seen, ends = confirm_example(library, act, 0)
    accepted = build_key("clRetainContext", ["clRetainContext/CL_INVALID_CONTEXT/1"], "CL_SUCCESS")
    end = build_key("clRetainContext", ["clRetainContext/success"], symptom)
    assert [each.key for each in seen] == [accepted, end]
    assert (ends[end].replaced_by, ends[end].note) == (accepted, RETURNS_WITHOUT_ACCEPTED)
    assert (ends[accepted].verdict, ends[accepted].replaced_by) == ("deviates", "")


def test_note_of_unrepeated_crash_lists_earlier_accepted_invalid_calls(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "accepts_null_and_crashes_later")

    def two_examples(session: Session) -> None:
        with session.example():
            session.clRetainContext(None)
        with session.example():
            objects = QueueObjects(session)
            session.clRetainContext(objects.context)

    target = hostile_target(library)
    accepted, crash = find_deviations(target, two_examples)
    assert (accepted.accepted_before, crash.accepted_before) == ([], ["clRetainContext"])
    (end,) = confirm_all([crash], Confirmers(ConfirmationSettings(target)))
    assert (end.verdict, end.note) == ("flaky", ACCEPTED_EARLIER.format("clRetainContext"))


def test_accepted_calls_of_an_earlier_process_are_not_listed_for_a_crash(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "accepts_null_and_crashes_later")

    def crash_in_new_process(session: Session) -> None:
        with session.example():
            session.clRetainContext(None)
        session.process.end()
        with session.example():
            session.clRetainContext(None)
            session.clRetainContext(QueueObjects(session).context)

    _, crash = find_deviations(hostile_target(library), crash_in_new_process)
    assert crash.accepted_before == [], "what the example itself has made accept is in its calls"


def test_invalid_object_that_would_crash_is_not_used(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session refuses to retain the buffer, and to release it: only the creation is a deviation."""
    monkeypatch.setenv("HOSTILE", "makes_an_empty_buffer_that_crashes")

    def act(objects: QueueObjects) -> None:
        (buffer,) = returned_handles(objects.session.clCreateBuffer(objects.context, 1, 0, None, OutputBuffer(1)))
        objects.session.clRetainMemObject(buffer)

    seen, ends = confirm_example(library, act)
    accepted = build_key("clCreateBuffer", ["clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"], "CL_SUCCESS")
    assert [each.key for each in seen] == list(ends) == [accepted]
    assert [step.call.function for step in ends[accepted].sequence] == ["clCreateContext", "clCreateBuffer"]
    assert (ends[accepted].verdict, ends[accepted].replaced_by) == ("deviates", "")


@pytest.mark.parametrize("seconds", [1, 0])
def test_crash_is_attributed_to_the_command_that_corrupted_the_heap(
    library: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setenv("HOSTILE", "write_spoils_the_heap")

    def act(objects: QueueObjects) -> None:
        objects.enqueue_write(0)
        objects.session.clFinish(objects.queues[0])
        objects.session.clReleaseMemObject(objects.buffers[0])
        objects.session.clRetainContext(objects.context)

    (seen,), ends = confirm_example(library, act, seconds)
    assert (seen.key, seen.undecided) == (crash_key("clRetainContext"), False)
    key = build_key("clEnqueueWriteBuffer", ["clEnqueueWriteBuffer/success"], HEAP_CORRUPTED.code)
    assert ends[seen.key].replaced_by == key
    assert ends[key].verdict == "crashes"
    assert "free()" in ends[key].note
    assert ends[key].sequence[-1].call.function == "clRetainContext"
