"""Attribution of crashes by the model state: to the call or to running commands, never to a harness action."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Died, Returned
from clconform.calls.values import Data, Handle
from clconform.oracles.engine.host_threads import HostThreads
from clconform.oracles.model.enqueued_command import Command
from clconform.oracles.model.queues import HostQueue

from .oracle_setup import OracleSetup

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import ObservedDeviation

ENQUEUE_KERNEL, FILL, RETAIN = "clEnqueueNDRangeKernel", "clEnqueueFillBuffer", "clRetainDevice"
CRASH = Died("signal", "SIGSEGV")
ALLOCATE = Call("host_allocate", {"size": 1, "alignment": 1})


class CommandsInFlight:
    """A model with two queues and commands on them. ``blocked``: the commands wait for a user event that is not set."""

    def __init__(self, *functions: str, blocked: bool = False) -> None:
        self.world = OracleSetup()
        self.oracle, self.model = self.world.oracle, self.world.oracle.model
        self.queues = [HostQueue(f"queue{number}") for number in (1, 2)]
        for queue in self.queues:
            self.model.add(queue)
        before = (Command("clCreateUserEvent"),) if blocked else ()
        for number, function in enumerate(functions):
            self.model.commands.add(Command(function, self.queues[number % 2], before))

    def judge_crash(self, call: Call, outcome: Died = CRASH) -> ObservedDeviation | None:
        """Return the deviation for a crash in a call, or None."""
        judgement = self.oracle.judge(self.oracle.expect(call), outcome)
        (deviation,) = [*judgement.deviations, *judgement.suspected_deviations] or [None]
        return deviation

    def build_finish_call(self, number: int = 0) -> Call:
        """Return the ``clFinish`` call for a queue."""
        return Call("clFinish", {"command_queue": Handle(self.queues[number].name)})

    @property
    def retain_call(self) -> Call:
        """Return a call that is unrelated to the commands."""
        return Call(RETAIN, {"device": Handle(self.world.device.name)})


def test_crash_without_commands_is_attributed_to_call() -> None:
    running = CommandsInFlight()
    deviation = running.judge_crash(running.retain_call)
    assert deviation is not None
    assert (deviation.requirements, deviation.function, deviation.undecided) == ((f"{RETAIN}/success",), "", False)


def test_crash_is_attributed_to_all_running_commands() -> None:
    running = CommandsInFlight(ENQUEUE_KERNEL, FILL)
    deviation = running.judge_crash(running.retain_call)
    assert deviation is not None
    assert deviation.requirements == (f"{FILL}/success", f"{ENQUEUE_KERNEL}/success")
    assert (deviation.function, deviation.undecided, deviation.confidence) == (FILL, True, "inferred")
    assert deviation.call_deviation is not None
    assert deviation.call_deviation.requirements == (f"{RETAIN}/success",)


def test_crash_on_host_thread_names_call_and_commands() -> None:
    running = CommandsInFlight(ENQUEUE_KERNEL)
    host_threads = HostThreads(running.oracle)
    host_threads.begin(1, host_threads.expect(running.build_finish_call()), 1)
    deviation = running.judge_crash(running.build_finish_call())
    assert deviation is not None
    assert (deviation.function, deviation.undecided) == ("clFinish", True)
    assert deviation.requirements == ("clFinish/success", f"{ENQUEUE_KERNEL}/success")
    _, judgement = host_threads.judge_lost(1, CRASH)
    (deviation,) = judgement.deviations
    assert (deviation.requirements, deviation.undecided) == (("clFinish/success", f"{ENQUEUE_KERNEL}/success"), True)
    assert not running.model.concurrent_calls


def test_crash_is_not_attributed_to_blocked_commands() -> None:
    running = CommandsInFlight(ENQUEUE_KERNEL, blocked=True)
    deviation = running.judge_crash(running.retain_call)
    assert deviation is not None
    assert deviation.requirements == (f"{RETAIN}/success",)


def test_crash_in_wait_is_attributed_to_the_only_running_command() -> None:
    running = CommandsInFlight(ENQUEUE_KERNEL)
    deviation = running.judge_crash(running.build_finish_call())
    assert deviation is not None
    assert (deviation.requirements, deviation.undecided) == ((f"{ENQUEUE_KERNEL}/success",), False)


@pytest.mark.parametrize("functions", [(ENQUEUE_KERNEL, ENQUEUE_KERNEL), (ENQUEUE_KERNEL, FILL)])
def test_crash_in_wait_for_several_commands_is_undecided(functions: tuple[str, ...]) -> None:
    running = CommandsInFlight(*functions)
    deviation = running.judge_crash(running.build_finish_call())
    assert deviation is not None
    assert deviation.undecided
    assert deviation.call_deviation is None  # a crash during a wait is not attributed to the waiting call


@pytest.mark.parametrize("outcome", [CRASH, Died("killed", "SIGKILL")], ids=["crash", "kill"])
def test_crash_is_not_attributed_to_harness_action(outcome: Died) -> None:
    running = CommandsInFlight(ENQUEUE_KERNEL)
    deviation = running.judge_crash(ALLOCATE, outcome)
    assert deviation is not None
    assert (deviation.requirements, deviation.function, deviation.undecided) == (
        (f"{ENQUEUE_KERNEL}/success",),
        ENQUEUE_KERNEL,
        True,
    )


def test_crash_between_calls_is_attributed_to_last_call() -> None:
    running = CommandsInFlight()
    assert running.judge_crash(ALLOCATE) is None
    running.oracle.judge(running.oracle.expect(running.retain_call), Returned(0))
    running.oracle.judge(running.oracle.expect(ALLOCATE), Returned("pointer1"))
    deviation = running.judge_crash(ALLOCATE)
    assert deviation is not None
    assert (deviation.requirements, deviation.function, deviation.undecided) == ((f"{RETAIN}/success",), RETAIN, True)


@pytest.mark.parametrize("running", [(), (ENQUEUE_KERNEL,)], ids=["nothing runs", "a command may be running"])
@pytest.mark.parametrize("call", ["a step", "a call"])
def test_crash_after_accepted_invalid_command_names_only_this_command(running: tuple[str, ...], call: str) -> None:
    """A driver that enqueues an invalid command may corrupt anything, so other commands are not named."""
    world = CommandsInFlight(*running)
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
    assert expectation.required_errors
    world.oracle.judge(expectation, Returned(0))
    world.oracle.judge(world.oracle.expect(ALLOCATE), Returned("pointer1"))
    deviation = world.judge_crash(ALLOCATE if call == "a step" else world.retain_call)
    assert deviation is not None
    assert deviation.requirements == tuple(held.clause.id for held in expectation.required_errors)
    assert set(deviation.allowed) == {held.clause.code for held in expectation.required_errors}
    assert (deviation.function, deviation.undecided, deviation.call_deviation is None) == (FILL, True, call == "a step")
