"""Faults that only concurrent calls of several host threads expose."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakSet

import msgspec

from clconform.calls.call import Output, Returned
from clconform.oracles.model.kernels import SET_CONCURRENTLY
from clconform.oracles.model.memory_objects import Buffer
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome
    from clconform.oracles.contents.storage import Storage
    from clconform.oracles.model.command_state import Command
    from clconform.simulator.platform import Simulation

faults = Faults()

READ = "clEnqueueReadBuffer"


@faults.plant
def threads_share_user_events(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Host threads that create user events concurrently get the same event."""
    shared: dict[str, Outcome] = simulation.__dict__.setdefault("shared_by_threads", {})
    if simulation.model.concurrent_count == 1:
        shared.clear()
    if simulation.model.concurrent_count == 1 or call.function != "clCreateUserEvent":
        return outcome
    return shared.setdefault(call.function, outcome)


@faults.plant
def commands_of_other_threads_dropped(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If several host threads enqueue commands concurrently, only the command of the first thread runs."""
    dropped: WeakSet[Command] = simulation.__dict__.setdefault("dropped_commands", WeakSet())
    if simulation.thread and call.function.startswith("clEnqueue") and simulation.model.commands.pending:
        dropped.add(simulation.model.commands.pending[-1])
    storage = _get_read_storage(simulation, call)
    lost = storage is not None and simulation.model.commands.writers.get(storage) in dropped
    return _zero_read_bytes(outcome) if lost else outcome


@faults.plant
def event_set_by_two_threads(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Two host threads that set the same user event concurrently both succeed."""
    set_twice = simulation.model.concurrent_count > 1 and call.function == "clSetUserEventStatus"
    return Returned(0) if set_twice else outcome


@faults.plant
def threads_mix_kernel_arguments(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Reads return zeros after two host threads have concurrently set arguments of different kernels."""
    storage = _get_read_storage(simulation, call)
    return (
        _zero_read_bytes(outcome) if storage is not None and SET_CONCURRENTLY in storage.used_capabilities else outcome
    )


@faults.plant
def concurrent_reads_return_same_bytes(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Host threads that read concurrently all get the bytes of the first read."""
    shared: dict[str, Outcome] = simulation.__dict__.setdefault("bytes_of_threads", {})
    if simulation.model.concurrent_count == 1:
        shared.clear()
    if simulation.model.concurrent_count == 1 or call.function != READ:
        return outcome
    return shared.setdefault(READ, outcome)


@faults.plant
def concurrent_builds_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A build is rejected while another host thread builds another program."""
    if simulation.thread and call.function == "clBuildProgram":
        return Returned(simulation.model.constant_value("CL_INVALID_OPERATION"))
    return outcome


@faults.plant
def callback_lost_between_threads(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A callback registered while another host thread sets its event is never called."""
    del call
    beside_others = simulation.model.concurrent_count > 1 and isinstance(outcome, Returned)
    return msgspec.structs.replace(outcome, callbacks=[]) if beside_others else outcome


@faults.plant
def concurrent_waits_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If several host threads wait concurrently, only the wait of the first thread succeeds."""
    waits = call.function in ("clFinish", "clWaitForEvents")
    return Returned(simulation.model.constant_value("CL_INVALID_OPERATION")) if simulation.thread and waits else outcome


@faults.plant
def event_status_torn(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A user event is reported as running while another host thread sets it."""
    beside_others = (
        simulation.model.concurrent_count > 1 and call.function == "clGetEventInfo" and isinstance(outcome, Returned)
    )
    if not beside_others or call.param_name != simulation.model.constant_value("CL_EVENT_COMMAND_EXECUTION_STATUS"):
        return outcome
    told = {**outcome.outputs, "param_value": Output([1], 4, (1).to_bytes(4, "little"))}  # type: ignore[union-attr]
    return msgspec.structs.replace(outcome, outputs=told)


def _get_read_storage(simulation: Simulation, call: Call) -> Storage | None:
    """Return the memory of the buffer that a call reads."""
    buffer = simulation.model.find(call.arguments.get("buffer")) if call.function == READ else None
    return buffer.memory.storage if isinstance(buffer, Buffer) and buffer.memory is not None else None


def _zero_read_bytes(outcome: Outcome) -> Outcome:
    if not isinstance(outcome, Returned) or "ptr" not in outcome.outputs:
        return outcome
    size = len(outcome.outputs["ptr"].raw)
    return msgspec.structs.replace(outcome, outputs={**outcome.outputs, "ptr": Output([], size, bytes(size))})
