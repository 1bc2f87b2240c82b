"""Faults that only concurrent calls of several host threads expose."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakSet

from clconform.calls.call import Outcome, Output, Returned
from clconform.oracles.model.kernels import SET_CONCURRENTLY
from clconform.selftest.faults.buffer_reads import BUFFER_READERS, find_last_writer, find_read_storage, with_zeros
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.oracles.model.enqueued_command import Command

faults = Faults()


@faults.plant()
def threads_share_user_events(step: SimulatedStep) -> Outcome | None:
    """Host threads that create user events concurrently get the same event."""
    return _share_outcome(step, "clCreateUserEvent")


@faults.plant()
def concurrent_reads_return_same_bytes(step: SimulatedStep) -> Outcome | None:
    """Host threads that read concurrently all get the bytes of the first read."""
    return _share_outcome(step, BUFFER_READERS[0])


def _share_outcome(step: SimulatedStep, function: str) -> Outcome | None:
    """Return the outcome of the first of several concurrent calls of a function."""
    shared: dict[str, Outcome] = step.state("shared_by_threads", {})
    if step.model.concurrent_count == 1:
        shared.clear()
    elif step.call.function == function:
        return shared.setdefault(function, step.outcome)
    return None


@faults.plant()
def commands_of_other_threads_dropped(step: SimulatedStep) -> Outcome | None:
    """If several host threads enqueue commands concurrently, only the command of the first thread runs."""
    dropped: WeakSet[Command] = step.state("dropped_commands", WeakSet())
    latest = step.model.commands.latest
    if step.simulation.thread and step.call.function.startswith("clEnqueue") and latest is not None:
        dropped.add(latest)
    return with_zeros(step) if find_last_writer(step) in dropped else None


@faults.plant("clSetUserEventStatus")
def event_set_by_two_threads(step: SimulatedStep) -> Outcome | None:
    """Two host threads that set the same user event concurrently both succeed."""
    return Returned(0) if step.model.concurrent_count > 1 else None


@faults.plant(*BUFFER_READERS)
def threads_mix_kernel_arguments(step: SimulatedStep) -> Outcome | None:
    """Reads return zeros after two host threads have concurrently set arguments of different kernels."""
    storage = find_read_storage(step)
    return with_zeros(step) if storage is not None and SET_CONCURRENTLY in storage.used_capabilities else None


@faults.plant("clBuildProgram")
def concurrent_builds_rejected(step: SimulatedStep) -> Outcome | None:
    """A build is rejected while another host thread builds another program."""
    return Returned(step.constant("CL_INVALID_OPERATION")) if step.simulation.thread else None


@faults.plant()
def callback_lost_between_threads(step: SimulatedStep) -> Outcome | None:
    """A callback registered while another host thread sets its event is never called."""
    return step.with_callbacks([]) if step.model.concurrent_count > 1 else None


@faults.plant("clFinish", "clWaitForEvents")
def concurrent_waits_rejected(step: SimulatedStep) -> Outcome | None:
    """If several host threads wait concurrently, only the wait of the first thread succeeds."""
    return Returned(step.constant("CL_INVALID_OPERATION")) if step.simulation.thread else None


@faults.plant("clGetEventInfo")
def event_status_torn(step: SimulatedStep) -> Outcome | None:
    """A user event is reported as running while another host thread sets it."""
    torn = step.model.concurrent_count > 1 and step.is_query("CL_EVENT_COMMAND_EXECUTION_STATUS")
    running = Output([1], 4, (1).to_bytes(4, "little"))
    return step.outcome.with_outputs(param_value=running) if torn else None
