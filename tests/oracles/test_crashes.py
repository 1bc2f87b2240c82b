"""Attribution of crashes by the model state: to the call or to running commands, never to a harness action."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Died, Returned
from clconform.calls.values import Data, Handle
from clconform.oracles.engine.host_threads import HostThreads
from clconform.oracles.model.command_state import Command
from clconform.oracles.model.queues import HostQueue

from .worlds import World

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import ObservedDeviation

LAUNCH, FILL, RETAIN = "clEnqueueNDRangeKernel", "clEnqueueFillBuffer", "clRetainDevice"
CRASH = Died("signal", "SIGSEGV")
ALLOCATE = Call("host_allocate", {"size": 1, "alignment": 1})


class Running:
    """A model with two queues and commands on them; ``blocked``: the commands wait for a user event that is not set."""

    def __init__(self, *functions: str, blocked: bool = False) -> None:
        self.world = World()
        self.oracle, self.model = self.world.oracle, self.world.oracle.model
        self.queues = [HostQueue(f"queue{number}") for number in (1, 2)]
        for queue in self.queues:
            self.model.add(queue)
        before = frozenset({Command("clCreateUserEvent")} if blocked else ())
        for number, function in enumerate(functions):
            self.model.commands.add(Command(function, self.queues[number % 2], before))

    def blamed(self, call: Call, outcome: Died = CRASH) -> ObservedDeviation | None:
        """Return the deviation for a crash in a call, or None."""
        judgement = self.oracle.judge(self.oracle.expect(call), outcome)
        (blame,) = [*judgement.deviations, *judgement.suspected_deviations] or [None]
        return blame

    def finish(self, number: int = 0) -> Call:
        """Return the ``clFinish`` call for a queue."""
        return Call("clFinish", {"command_queue": Handle(self.queues[number].name)})

    @property
    def retain(self) -> Call:
        """Return a call that is unrelated to the commands."""
        return Call(RETAIN, {"device": Handle(self.world.device.name)})


def test_a_call_is_to_blame_where_nothing_runs() -> None:
    running = Running()
    blame = running.blamed(running.retain)
    assert blame is not None
    assert (blame.requirements, blame.function, blame.undecided) == ((f"{RETAIN}/success",), "", False)


def test_commands_that_may_run_are_named_together() -> None:
    running = Running(LAUNCH, FILL)
    blame = running.blamed(running.retain)
    assert blame is not None
    assert blame.requirements == (f"{FILL}/success", f"{LAUNCH}/success")
    assert (blame.function, blame.undecided, blame.confidence) == (FILL, True, "inferred")
    assert blame.call_deviation is not None
    assert blame.call_deviation.requirements == (f"{RETAIN}/success",)


def test_a_call_on_a_lane_is_named_with_the_commands_beside_it() -> None:
    running = Running(LAUNCH)
    lanes = HostThreads(running.oracle)
    lanes.begin(1, lanes.expect(running.finish()), 1)
    blame = running.blamed(running.finish())
    assert blame is not None
    assert (blame.function, blame.undecided) == ("clFinish", True)
    assert blame.requirements == ("clFinish/success", f"{LAUNCH}/success")
    _, judgement = lanes.judge_lost(1, CRASH)
    (blame,) = judgement.deviations
    assert (blame.requirements, blame.undecided) == (("clFinish/success", f"{LAUNCH}/success"), True)
    assert not running.model.concurrent_calls


def test_commands_that_cannot_have_begun_are_not_named() -> None:
    running = Running(LAUNCH, blocked=True)
    blame = running.blamed(running.retain)
    assert blame is not None
    assert blame.requirements == (f"{RETAIN}/success",)


def test_what_waits_for_one_command_only_shows_that_it_crashes() -> None:
    running = Running(LAUNCH)
    blame = running.blamed(running.finish())
    assert blame is not None
    assert (blame.requirements, blame.undecided) == ((f"{LAUNCH}/success",), False)


@pytest.mark.parametrize("functions", [(LAUNCH, LAUNCH), (LAUNCH, FILL)])
def test_what_waits_for_a_part_of_the_commands_decides_nothing(functions: tuple[str, ...]) -> None:
    running = Running(*functions)
    blame = running.blamed(running.finish())
    assert blame is not None
    assert blame.undecided
    assert blame.call_deviation is None  # a crash during a wait is not attributed to the waiting call


@pytest.mark.parametrize("outcome", [CRASH, Died("killed", "SIGKILL")], ids=["crash", "kill"])
def test_a_step_of_ours_is_never_to_blame(outcome: Died) -> None:
    running = Running(LAUNCH)
    blame = running.blamed(ALLOCATE, outcome)
    assert blame is not None
    assert (blame.requirements, blame.function, blame.undecided) == ((f"{LAUNCH}/success",), LAUNCH, True)


def test_between_calls_the_last_one_is_to_blame_or_none() -> None:
    running = Running()
    assert running.blamed(ALLOCATE) is None
    running.oracle.judge(running.oracle.expect(running.retain), Returned(0))
    running.oracle.judge(running.oracle.expect(ALLOCATE), Returned("pointer1"))
    blame = running.blamed(ALLOCATE)
    assert blame is not None
    assert (blame.requirements, blame.function, blame.undecided) == ((f"{RETAIN}/success",), RETAIN, True)


@pytest.mark.parametrize("running", [(), (LAUNCH,)], ids=["nothing runs", "a command may be running"])
@pytest.mark.parametrize("call", ["a step", "a call"])
def test_after_a_command_that_had_to_be_refused_that_is_to_blame(running: tuple[str, ...], call: str) -> None:
    """A driver that enqueues an invalid command may corrupt anything, so other commands are not named."""
    world = Running(*running)
    no_buffer = Call(
        FILL,
        {
            "command_queue": Handle("queue1"),
            "buffer": None,
            "pattern": Data(b"1"),
            "pattern_size": 1,
            "offset": 0,
            "size": 4,
            "num_events_in_wait_list": 0,
            "event_wait_list": None,
            "event": None,
        },
    )
    expectation = world.oracle.expect(no_buffer)
    assert expectation.musts
    world.oracle.judge(expectation, Returned(0))
    world.oracle.judge(world.oracle.expect(ALLOCATE), Returned("pointer1"))
    blame = world.blamed(ALLOCATE if call == "a step" else world.retain)
    assert blame is not None
    assert blame.requirements == tuple(held.clause.id for held in expectation.musts)
    assert set(blame.allowed) == {held.clause.code for held in expectation.musts}
    assert (blame.function, blame.undecided, blame.call_deviation is None) == (FILL, True, call == "a step")
