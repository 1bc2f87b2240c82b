"""Faults of callbacks: called twice, never, early, out of order, or with incorrect arguments."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import OBJECTS, CalledBack, Output, Returned
from clconform.calls.host import AWAIT
from clconform.calls.values import Callback, Handle
from clconform.oracles.chapters.notifications.kinds import OfDestruction, OfErrors, OfEvent
from clconform.oracles.chapters.notifications.notices import notices_of
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.recurring.making import counts_references
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.chapters.notifications.notices import Notice
    from clconform.simulator.platform import Simulation

faults = Faults()


@faults.plant
def callbacks_come_twice(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Every callback is called twice."""
    del simulation, call
    return _calling(outcome, [called for called in _called(outcome) for _ in range(2)])


@faults.plant
def events_call_nobody(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Event callbacks are never called."""
    del simulation, call
    return _calling(outcome, [called for called in _called(outcome) if "event" not in called.arguments])


@faults.plant
def events_let_go_call_nobody(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The callbacks of an event are not called if the event was released before its command was complete."""
    del call
    kept = {each.name for each in simulation.model.of_kind(Event) if each.references > 0}
    return _calling(
        outcome,
        [called for called in _called(outcome) if "event" not in called.arguments or called.arguments["event"] in kept],
    )


@faults.plant
def callbacks_get_other_data(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Callbacks receive user_data with its lowest bit cleared."""
    del simulation, call
    changed = []
    for called in _called(outcome):
        data = called.arguments.get("user_data")
        number = data & ~1 or None if isinstance(data, int) else data
        changed.append(CalledBack(called.name, {**called.arguments, "user_data": number}))
    return _calling(outcome, changed)


@faults.plant
def callbacks_always_tell_of_an_end(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Event callbacks always receive the status CL_COMPLETE, whatever status they were registered for."""
    del simulation, call
    complete = {"event_command_status": 0}
    return _calling(
        outcome,
        [
            CalledBack(called.name, {**called.arguments, **complete}) if "event" in called.arguments else called
            for called in _called(outcome)
        ],
    )


@faults.plant
def calls_in_callbacks_are_refused(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """OpenCL calls from inside a callback fail with CL_INVALID_OPERATION."""
    inside = any(call is each for each in simulation.model.inside.values())
    refused = simulation.model.value("CL_INVALID_OPERATION")
    return Returned(refused, outcome.outputs) if inside and isinstance(outcome, Returned) else outcome


@faults.plant
def callbacks_come_before_the_status(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """While a callback of an event runs, the event still reports its earlier status."""
    inside = any(call is each for each in simulation.model.inside.values())
    if not inside or call.function != "clGetEventInfo" or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    running = Output([1], 4, (1).to_bytes(4, "little"))
    return outcome.with_outputs(param_value=running)


@faults.plant
def events_call_back_at_once(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An event callback is called immediately when it is registered."""
    if call.function != "clSetEventCallback" or not isinstance(outcome, Returned) or outcome.value != 0:
        return outcome
    return _calling(outcome, [*outcome.called_back, *_fired(notices_of(simulation.model)[-1:], simulation)])


@faults.plant
def destructors_first_to_last(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Destructor callbacks are called in the order of their registration."""
    del simulation, call
    return _calling(outcome, _called(outcome)[::-1])


@faults.plant
def destructors_at_any_release(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Destructor callbacks are called at any release, although references or sub-buffers remain."""
    if not call.function.startswith("clRelease") or not isinstance(outcome, Returned):
        return outcome
    thing = simulation.model.known(next(iter(call.arguments.values())))
    ours = [each for each in notices_of(simulation.model) if isinstance(each, OfDestruction) and each.thing is thing]
    return _calling(outcome, [*_called(outcome), *_fired([each for each in ours if not each.times], simulation)])


@faults.plant
def kernels_hold_their_arguments(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A memory object that is a kernel argument is never destroyed, so its destructor callbacks are not called."""
    del call
    arguments = [argument for kernel in simulation.model.of_kind(Kernel) for argument in kernel.arguments.values()]
    held = [argument.object.name for argument in arguments if argument.object is not None]
    return _calling(outcome, [called for called in _called(outcome) if called.arguments.get("memobj") not in held])


@faults.plant
def queues_lose_commands_with_their_release(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Commands that were not flushed before the release of their queue never run."""
    del call
    lost = {
        each.thing.name: each
        for each in notices_of(simulation.model)
        if isinstance(each, OfEvent) and each.blamed(simulation.model) != each.record
    }
    return _calling(outcome, [called for called in _called(outcome) if called.arguments.get("event") not in lost])


@faults.plant
def commands_do_not_wait_for_the_user(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A command runs although an event in its wait list is not set."""
    if call.function != "clGetEventInfo" or not isinstance(outcome, Returned) or "param_value" not in outcome.outputs:
        return outcome
    event = simulation.model.known(call.event)
    asked = call.param_name == simulation.model.value("CL_EVENT_COMMAND_EXECUTION_STATUS")
    if not asked or not isinstance(event, Event) or event.command is None or isinstance(event, UserEvent):
        return outcome
    if not event.command.waits_for_the_user:
        return outcome
    return outcome.with_outputs(param_value=Output([1], 4, b"\1\0\0\0"))


@faults.plant
def errors_come_after_the_end(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The error callback of a context is called after the context was destroyed."""
    name = call.callback.name if call.function == AWAIT and isinstance(call.callback, Callback) else ""
    errors = [each for each in notices_of(simulation.model) if isinstance(each, OfErrors) and each.name == name]
    late = [each for each in errors if each.thing.references < 1]
    return _calling(outcome, [*_called(outcome), *_fired(late, simulation)])


@faults.plant
def native_kernels_read_their_arguments_late(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A native kernel receives the application's memory for its arguments after that memory was overwritten."""
    del simulation, call
    changed = [
        CalledBack(each.name, {**each.arguments, "": "a5" * (len(block) // 2)})
        if isinstance(block := each.arguments.get(""), str)
        else each
        for each in _called(outcome)
    ]
    return _calling(outcome, changed)


@faults.plant
def native_kernels_get_null(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A native kernel finds NULL in place of its memory object handles."""
    del simulation, call
    changed = [
        CalledBack(each.name, {**each.arguments, OBJECTS: [None] * len(found)})
        if isinstance(found := each.arguments.get(OBJECTS), list)
        else each
        for each in _called(outcome)
    ]
    return _calling(outcome, changed)


@faults.plant
def retains_of_other_threads_are_lost(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """If several host threads retain an object concurrently, only the retains of the first thread count."""
    lost: Counter[str] = simulation.__dict__.setdefault("lost_retains", Counter())
    subject = next(iter(call.arguments.values()), None)
    if not isinstance(outcome, Returned) or not isinstance(subject, Handle):
        return outcome
    if simulation.thread and call.function.startswith("clRetain"):
        lost[subject.name] += 1
    asked = call.arguments.get("param_name")
    query = simulation.model.lookups.query(call.function, asked) if isinstance(asked, int) else None
    if query is None or not counts_references(query.name) or "param_value" not in outcome.outputs:
        return outcome
    (count,) = outcome.outputs["param_value"].values
    left = count - lost[subject.name] if isinstance(count, int) else count
    return outcome.with_outputs(param_value=Output([left], 4))


def _called(outcome: Outcome) -> list[CalledBack]:
    return list(outcome.called_back) if isinstance(outcome, Returned) else []


def _calling(outcome: Outcome, called: list[CalledBack]) -> Outcome:
    """Return the outcome with other callbacks."""
    return msgspec.structs.replace(outcome, called_back=called) if isinstance(outcome, Returned) else outcome


def _fired(notices: Iterable[Notice], simulation: Simulation) -> list[CalledBack]:
    """Return calls of pending callbacks before they are due."""
    return [simulation.called_back(notice) for notice in notices if not notice.times]
