"""Faults of callbacks: called twice, never, early, out of order, or with incorrect arguments."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import POINTED_OBJECTS, CallbackInvocation, Output, Returned
from clconform.calls.harness_actions import AWAIT
from clconform.calls.values import Handle, HostCallback
from clconform.oracles.chapters.notifications.callback_kinds import DestructionCallback, ErrorCallback, EventCallback
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.chapters.notifications.pending_callbacks import PendingCallback
    from clconform.simulator.platform import Simulation

faults = Faults()


@faults.plant
def callbacks_called_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every callback is called twice."""
    del simulation, call
    return _with_callbacks(outcome, [called for called in _get_callbacks(outcome) for _ in range(2)])


@faults.plant
def event_callbacks_never_called(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Event callbacks are never called."""
    del simulation, call
    return _with_callbacks(outcome, [called for called in _get_callbacks(outcome) if "event" not in called.arguments])


@faults.plant
def released_event_callbacks_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The callbacks of an event are not called if the event was released before its command was complete."""
    del call
    kept = {each.name for each in simulation.model.objects_of_class(Event) if each.references > 0}
    return _with_callbacks(
        outcome,
        [
            called
            for called in _get_callbacks(outcome)
            if "event" not in called.arguments or called.arguments["event"] in kept
        ],
    )


@faults.plant
def callback_user_data_changed(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Callbacks receive user_data with its lowest bit cleared."""
    del simulation, call
    changed = []
    for called in _get_callbacks(outcome):
        data = called.arguments.get("user_data")
        number = data & ~1 or None if isinstance(data, int) else data
        changed.append(CallbackInvocation(called.name, {**called.arguments, "user_data": number}))
    return _with_callbacks(outcome, changed)


@faults.plant
def callback_status_always_complete(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Event callbacks always receive the status CL_COMPLETE, whatever status they were registered for."""
    del simulation, call
    complete = {"event_command_status": 0}
    return _with_callbacks(
        outcome,
        [
            CallbackInvocation(called.name, {**called.arguments, **complete}) if "event" in called.arguments else called
            for called in _get_callbacks(outcome)
        ],
    )


@faults.plant
def calls_in_callbacks_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """OpenCL calls from inside a callback fail with CL_INVALID_OPERATION."""
    inside = any(call is each for each in simulation.model.reentrant_calls.values())
    refused = simulation.model.constant_value("CL_INVALID_OPERATION")
    return Returned(refused, outcome.outputs) if inside and isinstance(outcome, Returned) else outcome


@faults.plant
def callbacks_before_status_change(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """While a callback of an event runs, the event still reports its earlier status."""
    inside = any(call is each for each in simulation.model.reentrant_calls.values())
    if not inside or call.function != "clGetEventInfo" or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    running = Output([1], 4, (1).to_bytes(4, "little"))
    return outcome.with_outputs(param_value=running)


@faults.plant
def event_callback_called_at_registration(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An event callback is called immediately when it is registered."""
    if call.function != "clSetEventCallback" or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    return _with_callbacks(
        outcome, [*outcome.callbacks, *_fire_early(pending_callbacks(simulation.model)[-1:], simulation)]
    )


@faults.plant
def destructor_callbacks_in_registration_order(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Destructor callbacks are called in the order of their registration."""
    del simulation, call
    return _with_callbacks(outcome, _get_callbacks(outcome)[::-1])


@faults.plant
def destructor_callbacks_at_any_release(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Destructor callbacks are called at any release, although references or sub-buffers remain."""
    if not call.function.startswith("clRelease") or not isinstance(outcome, Returned):
        return outcome
    thing = simulation.model.find(next(iter(call.arguments.values())))
    ours = [
        each
        for each in pending_callbacks(simulation.model)
        if isinstance(each, DestructionCallback) and each.subject is thing
    ]
    return _with_callbacks(
        outcome, [*_get_callbacks(outcome), *_fire_early([each for each in ours if not each.call_count], simulation)]
    )


@faults.plant
def kernel_arguments_keep_memory_alive(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A memory object that is a kernel argument is never destroyed, so its destructor callbacks are not called."""
    del call
    arguments = [
        argument for kernel in simulation.model.objects_of_class(Kernel) for argument in kernel.arguments.values()
    ]
    held = [argument.object.name for argument in arguments if argument.object is not None]
    return _with_callbacks(
        outcome, [called for called in _get_callbacks(outcome) if called.arguments.get("memobj") not in held]
    )


@faults.plant
def released_queue_drops_unflushed_commands(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Commands that were not flushed before the release of their queue never run."""
    del call
    lost = {
        each.subject.name: each
        for each in pending_callbacks(simulation.model)
        if isinstance(each, EventCallback) and each.responsible_requirement(simulation.model) != each.requirement
    }
    return _with_callbacks(
        outcome, [called for called in _get_callbacks(outcome) if called.arguments.get("event") not in lost]
    )


@faults.plant
def command_ignores_user_event(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command runs although an event in its wait list is not set."""
    if call.function != "clGetEventInfo" or not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    event = simulation.model.find(call.event)
    asked = call.param_name == simulation.model.constant_value("CL_EVENT_COMMAND_EXECUTION_STATUS")
    if not asked or not isinstance(event, Event) or event.command is None or isinstance(event, UserEvent):
        return outcome
    if not event.command.waits_for_user_event:
        return outcome
    return outcome.with_outputs(param_value=Output([1], 4, b"\1\0\0\0"))


@faults.plant
def context_callback_after_destruction(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The error callback of a context is called after the context was destroyed."""
    name = call.callback.name if call.function == AWAIT and isinstance(call.callback, HostCallback) else ""
    errors = [
        each for each in pending_callbacks(simulation.model) if isinstance(each, ErrorCallback) and each.name == name
    ]
    late = [each for each in errors if each.subject.references < 1]
    return _with_callbacks(outcome, [*_get_callbacks(outcome), *_fire_early(late, simulation)])


@faults.plant
def native_kernel_arguments_not_copied(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A native kernel receives the application's memory for its arguments after that memory was overwritten."""
    del simulation, call
    changed = [
        CallbackInvocation(each.name, {**each.arguments, "": "a5" * (len(block) // 2)})
        if isinstance(block := each.arguments.get(""), str)
        else each
        for each in _get_callbacks(outcome)
    ]
    return _with_callbacks(outcome, changed)


@faults.plant
def native_kernel_gets_null(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A native kernel finds NULL in place of its memory object handles."""
    del simulation, call
    changed = [
        CallbackInvocation(each.name, {**each.arguments, POINTED_OBJECTS: [None] * len(found)})
        if isinstance(found := each.arguments.get(POINTED_OBJECTS), list)
        else each
        for each in _get_callbacks(outcome)
    ]
    return _with_callbacks(outcome, changed)


@faults.plant
def concurrent_retains_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If several host threads retain an object concurrently, only the retains of the first thread count."""
    lost: Counter[str] = simulation.__dict__.setdefault("lost_retains", Counter())
    subject = next(iter(call.arguments.values()), None)
    if not isinstance(outcome, Returned) or not isinstance(subject, Handle):
        return outcome
    if simulation.thread and call.function.startswith("clRetain"):
        lost[subject.name] += 1
    asked = call.arguments.get("param_name")
    query = simulation.model.lookups.query(call.function, asked) if isinstance(asked, int) else None
    if query is None or not is_reference_count(query.name) or "param_value" not in outcome.outputs:
        return outcome
    (count,) = outcome.outputs["param_value"].values
    left = count - lost[subject.name] if isinstance(count, int) else count
    return outcome.with_outputs(param_value=Output([left], 4))


def _get_callbacks(outcome: Outcome) -> list[CallbackInvocation]:
    return list(outcome.callbacks) if isinstance(outcome, Returned) else []


def _with_callbacks(outcome: Outcome, called: list[CallbackInvocation]) -> Outcome:
    """Return the outcome with ``called`` as its callbacks."""
    return msgspec.structs.replace(outcome, callbacks=called) if isinstance(outcome, Returned) else outcome


def _fire_early(notices: Iterable[PendingCallback], simulation: Simulation) -> list[CallbackInvocation]:
    """Return an invocation of each pending callback, although none of them may be invoked yet."""
    return [simulation.invoke_callback(notice) for notice in notices if not notice.call_count]
