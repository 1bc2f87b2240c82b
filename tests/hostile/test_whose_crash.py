"""Attribution of crashes: drivers that end their process some time after the causing call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.deviation_keys import key_of
from clconform.calls.values import Items, OutputBuffer
from clconform.oracles.engine.symptoms import HEAP_SPOILT, NO_ANSWER
from clconform.runner.deviations import attributing, following
from clconform.runner.deviations.accepted import ACCEPTED, EARLIER, MADE
from clconform.runner.deviations.following import confirm_all
from clconform.runner.session.answers import made
from clconform.spec_tables import load

from . import building
from .sessions import seen_in, target_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.calls.journal import Confirmation, Deviation
    from clconform.runner.session.session import Session

pytestmark = pytest.mark.skipif(building.COMPILER is None, reason="needs a C compiler")

SIZE = 64
DEADLINES = 0.3
"""Scale of the deadlines for these drivers."""
CRASH = "signal SIGSEGV"


class Objects:
    """A context with two command-queues, and a buffer for each."""

    def __init__(self, session: Session) -> None:
        self.session = session
        (self.context,) = made(session.clCreateContext(None, 1, Items((session.device,)), None, None, OutputBuffer(1)))
        self.queues = [
            made(session.clCreateCommandQueue(self.context, session.device, 0, OutputBuffer(1)))[0] for _ in range(2)
        ]
        self.buffers = [made(session.clCreateBuffer(self.context, 1, SIZE, None, OutputBuffer(1)))[0] for _ in range(2)]
        (self.memory,) = made(session.host_allocate(SIZE, 1))

    def write(self, number: int) -> None:
        """Enqueue a non-blocking write to the buffer of one of the queues."""
        self.session.clEnqueueWriteBuffer(
            self.queues[number], self.buffers[number], 0, 0, SIZE, self.memory, 0, None, None
        )

    def go_on(self) -> None:
        """Make harmless calls and harness actions until the driver dies."""
        for _ in range(100_000):
            self.session.clRetainContext(self.context)
            self.session.clReleaseContext(self.context)
            self.session.host_allocate(SIZE, 1)


def met(
    library: Path, act: Callable[[Objects], object], seconds: float = 1
) -> tuple[list[Deviation], dict[str, Confirmation]]:
    """Return the deviations of an example, and all confirmations by key."""

    def one_example(session: Session) -> None:
        with session.example():
            act(Objects(session))

    target = target_of(library).with_deadlines(DEADLINES)
    seen = seen_in(target, one_example)
    ends = confirm_all(seen, target, load(), seconds_each=seconds)
    return seen, {end.key: end for end in ends}


def crash_of(function: str) -> str:
    """Return the key of a crash that violates the success requirement of a function."""
    return key_of(function, [f"{function}/success"], CRASH)


def test_a_command_that_crashes_later_is_to_blame(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTILE", "write_crashes_late")

    def act(objects: Objects) -> None:
        objects.write(0)
        objects.go_on()

    (seen,), ends = met(library, act)
    assert (seen.key, seen.undecided) == (crash_of("clEnqueueWriteBuffer"), True)
    assert list(ends) == [seen.key]
    end = ends[seen.key]
    assert (end.verdict, end.repeated, end.instead) == ("crashes", 2, "")
    assert [step.call.function for step in end.sequence][-2:] == ["clEnqueueWriteBuffer", "clFinish"]


def test_commands_that_crash_only_together_are_named_together(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTILE", "writes_crash_together")

    def act(objects: Objects) -> None:
        objects.write(0)
        objects.write(1)
        objects.go_on()

    (seen,), ends = met(library, act)
    assert (seen.key, seen.undecided) == (crash_of("clEnqueueWriteBuffer"), True)
    end = ends[seen.key]
    assert (end.verdict, end.repeated, end.attempts) == ("crashes", attributing.SEVERAL, attributing.SEVERAL)
    assert (end.note, end.instead) == (attributing.TOGETHER, "")


def test_a_crash_long_after_a_call_is_blamed_on_that_call(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTILE", "finish_leaves_a_crash")

    def act(objects: Objects) -> None:
        objects.session.clFinish(objects.queues[0])
        for _ in range(100_000):
            objects.session.host_allocate(SIZE, 1)

    (seen,), ends = met(library, act)
    assert (seen.key, seen.undecided) == (crash_of("clFinish"), True)
    assert ends[seen.key].verdict == "crashes"
    assert ends[seen.key].sequence[-1].call.function == "host_allocate"


def test_a_call_that_crashes_beside_a_command_is_to_blame_itself(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "segv")
    monkeypatch.setattr(following, "MOST_OTHERS", 0)  # attributed deviations are confirmed in any case

    def act(objects: Objects) -> None:
        objects.write(0)
        objects.session.clRetainContext(objects.context)

    (seen,), ends = met(library, act)
    assert (seen.key, seen.undecided) == (crash_of("clEnqueueWriteBuffer"), True)
    assert ends[seen.key].instead == crash_of("clRetainContext")
    assert ends[crash_of("clRetainContext")].verdict == "crashes"
    assert [step.call.function for step in ends[crash_of("clRetainContext")].sequence] == [
        "clCreateContext",
        "clRetainContext",
    ]


def test_a_call_that_waits_is_to_blame_if_it_crashes_without_commands_too(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "segv@clFinish")

    def act(objects: Objects) -> None:
        objects.write(0)
        objects.session.clFinish(objects.queues[0])

    (seen,), ends = met(library, act)
    assert (seen.key, seen.undecided) == (crash_of("clEnqueueWriteBuffer"), False)
    assert (ends[seen.key].instead, ends[seen.key].note) == (crash_of("clFinish"), attributing.BARE)
    assert ends[crash_of("clFinish")].verdict == "crashes"


@pytest.mark.parametrize(
    ("how", "symptom"), [("accepts_null_and_crashes_later", CRASH), ("accepts_null_and_hangs_later", NO_ANSWER.code)]
)
def test_what_an_accepted_call_has_left_is_blamed_on_that_call(
    library: Path, monkeypatch: pytest.MonkeyPatch, how: str, symptom: str
) -> None:
    monkeypatch.setenv("HOSTILE", how)

    def act(objects: Objects) -> None:
        objects.session.clRetainContext(None)
        objects.session.clRetainContext(objects.context)

    seen, ends = met(library, act, 0)
    accepted = key_of("clRetainContext", ["clRetainContext/CL_INVALID_CONTEXT/1"], "CL_SUCCESS")
    end = key_of("clRetainContext", ["clRetainContext/success"], symptom)
    assert [each.key for each in seen] == [accepted, end]
    assert (ends[end].instead, ends[end].note) == (accepted, ACCEPTED)
    assert (ends[accepted].verdict, ends[accepted].instead) == ("deviates", "")


def test_what_does_not_repeat_is_told_with_what_the_process_had_accepted_before(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "accepts_null_and_crashes_later")

    def two_examples(session: Session) -> None:
        with session.example():
            session.clRetainContext(None)
        with session.example():
            objects = Objects(session)
            session.clRetainContext(objects.context)

    target = target_of(library)
    accepted, crash = seen_in(target, two_examples)
    assert (accepted.accepted_before, crash.accepted_before) == ([], ["clRetainContext"])
    (end,) = confirm_all([crash], target, load())
    assert (end.verdict, end.note) == ("flaky", EARLIER.format("clRetainContext"))


def test_a_crash_in_a_new_process_has_nothing_before_it(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTILE", "accepts_null_and_crashes_later")

    def in_a_new_process(session: Session) -> None:
        with session.example():
            session.clRetainContext(None)
        session.restart()
        with session.example():
            session.clRetainContext(None)
            session.clRetainContext(Objects(session).context)

    _, crash = seen_in(target_of(library), in_a_new_process)
    assert crash.accepted_before == [], "what the example itself has made accept is in its calls"


def test_a_crash_with_an_object_that_there_must_not_be_is_blamed_on_what_made_it(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE", "makes_an_empty_buffer_that_crashes")

    def act(objects: Objects) -> None:
        (buffer,) = made(objects.session.clCreateBuffer(objects.context, 1, 0, None, OutputBuffer(1)))
        objects.session.clRetainMemObject(buffer)

    seen, ends = met(library, act)
    accepted = key_of("clCreateBuffer", ["clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"], "CL_SUCCESS")
    crash = crash_of("clRetainMemObject")
    assert [each.key for each in seen] == [accepted, crash]
    assert (ends[crash].instead, ends[crash].note) == (accepted, MADE)
    assert (ends[accepted].verdict, ends[accepted].instead) == ("deviates", "")


@pytest.mark.parametrize("seconds", [1, 0])
def test_the_heap_was_spoilt_by_an_earlier_call(library: Path, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setenv("HOSTILE", "write_spoils_the_heap")

    def act(objects: Objects) -> None:
        objects.write(0)
        objects.session.clFinish(objects.queues[0])
        objects.session.clReleaseMemObject(objects.buffers[0])
        objects.session.clRetainContext(objects.context)

    (seen,), ends = met(library, act, seconds)
    assert (seen.key, seen.undecided) == (crash_of("clRetainContext"), False)
    key = key_of("clEnqueueWriteBuffer", ["clEnqueueWriteBuffer/success"], HEAP_SPOILT.code)
    assert ends[seen.key].instead == key
    assert ends[key].verdict == "crashes"
    assert "free()" in ends[key].note
    assert ends[key].sequence[-1].call.function == "clRetainContext"
