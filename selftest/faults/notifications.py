"""Faults of callbacks: called twice, never, early, out of order, or with incorrect arguments."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from clconform.calls.call import POINTED_OBJECTS, CallbackInvocation, Outcome, Output
from clconform.calls.harness_actions import AWAIT
from clconform.calls.values import Handle, HostCallback
from clconform.oracles.chapters.notifications.callback_kinds import DestructionCallback, ErrorCallback, EventCallback
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.selftest.faults.lifetimes import is_count_query
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.oracles.chapters.notifications.pending_callbacks import PendingCallback

faults = Faults()

INFO, STATUS = "clGetEventInfo", "CL_EVENT_COMMAND_EXECUTION_STATUS"


@faults.plant()
def callbacks_called_twice(step: SimulatedStep) -> Outcome:
    """Every callback is called twice."""
    return step.with_callbacks(called for called in step.outcome.callbacks for _ in range(2))


@faults.plant()
def event_callbacks_never_called(step: SimulatedStep) -> Outcome:
    """Event callbacks are never called."""
    return step.with_callbacks(called for called in step.outcome.callbacks if "event" not in called.arguments)


@faults.plant()
def released_event_callbacks_lost(step: SimulatedStep) -> Outcome:
    """The callbacks of an event are not called if the event was released before its command was complete."""
    kept = {each.name for each in step.model.objects_of_class(Event) if each.references > 0}
    called = step.outcome.callbacks
    return step.with_callbacks(
        each for each in called if "event" not in each.arguments or each.arguments["event"] in kept
    )


@faults.plant()
def callback_user_data_changed(step: SimulatedStep) -> Outcome:
    """Callbacks receive user_data with its lowest bit cleared."""
    given = [(called, called.arguments.get("user_data")) for called in step.outcome.callbacks]
    return step.with_callbacks(
        _with_argument(called, "user_data", data & ~1 or None if isinstance(data, int) else data)
        for called, data in given
    )


@faults.plant()
def callback_status_always_complete(step: SimulatedStep) -> Outcome:
    """Event callbacks always receive the status CL_COMPLETE, whatever status they were registered for."""
    return step.with_callbacks(
        _with_argument(called, "event_command_status", 0) if "event" in called.arguments else called
        for called in step.outcome.callbacks
    )


@faults.plant()
def calls_in_callbacks_rejected(step: SimulatedStep) -> Outcome | None:
    """OpenCL calls from inside a callback fail with CL_INVALID_OPERATION."""
    return step.fail("CL_INVALID_OPERATION") if _is_inside_callback(step) else None


@faults.plant(INFO, succeeded=True)
def callbacks_before_status_change(step: SimulatedStep) -> Outcome | None:
    """While a callback of an event runs, the event still reports its earlier status."""
    running = Output([1], 4, (1).to_bytes(4, "little"))
    return step.outcome.with_outputs(param_value=running) if _is_inside_callback(step) else None


@faults.plant("clSetEventCallback", succeeded=True)
def event_callback_called_at_registration(step: SimulatedStep) -> Outcome:
    """An event callback is called immediately when it is registered."""
    return _with_early_callbacks(step, pending_callbacks(step.model)[-1:])


@faults.plant()
def destructor_callbacks_in_registration_order(step: SimulatedStep) -> Outcome:
    """Destructor callbacks are called in the order of their registration."""
    return step.with_callbacks(step.outcome.callbacks[::-1])


@faults.plant()
def destructor_callbacks_at_any_release(step: SimulatedStep) -> Outcome | None:
    """Destructor callbacks are called at any release, although references or sub-buffers remain."""
    if not step.call.function.startswith("clRelease"):
        return None
    thing = step.model.find(next(iter(step.call.arguments.values())))
    known = [each for each in pending_callbacks(step.model) if isinstance(each, DestructionCallback)]
    return _with_early_callbacks(step, [each for each in known if each.subject is thing])


@faults.plant()
def kernel_arguments_keep_memory_alive(step: SimulatedStep) -> Outcome:
    """A memory object that is a kernel argument is never destroyed, so its destructor callbacks are not called."""
    arguments = [each for kernel in step.model.objects_of_class(Kernel) for each in kernel.arguments.values()]
    held = [each.object.name for each in arguments if each.object is not None]
    return step.with_callbacks(each for each in step.outcome.callbacks if each.arguments.get("memobj") not in held)


@faults.plant()
def released_queue_drops_unflushed_commands(step: SimulatedStep) -> Outcome:
    """Commands that were not flushed before the release of their queue never run."""
    known = [each for each in pending_callbacks(step.model) if isinstance(each, EventCallback)]
    lost = [each.subject.name for each in known if each.responsible_requirement(step.model) != each.requirement]
    return step.with_callbacks(each for each in step.outcome.callbacks if each.arguments.get("event") not in lost)


@faults.plant(INFO, query=STATUS)
def command_ignores_user_event(step: SimulatedStep) -> Outcome | None:
    """A command runs although an event in its wait list is not set."""
    event = step.find("event", Event)
    if event is None or event.command is None or isinstance(event, UserEvent):
        return None
    running = Output([1], 4, b"\1\0\0\0")
    return step.outcome.with_outputs(param_value=running) if event.command.waits_for_user_event else None


@faults.plant(AWAIT)
def context_callback_after_destruction(step: SimulatedStep) -> Outcome:
    """The error callback of a context is called after the context was destroyed."""
    callback = step.argument("callback", HostCallback)
    errors = [each for each in pending_callbacks(step.model) if isinstance(each, ErrorCallback)]
    mine = [each for each in errors if callback is not None and each.name == callback.name]
    return _with_early_callbacks(step, [each for each in mine if each.subject.references < 1])


@faults.plant()
def native_kernel_arguments_not_copied(step: SimulatedStep) -> Outcome:
    """A native kernel receives the application's memory for its arguments after that memory was overwritten."""
    given = [(called, called.arguments.get("")) for called in step.outcome.callbacks]
    return step.with_callbacks(
        _with_argument(called, "", "a5" * (len(block) // 2)) if isinstance(block, str) else called
        for called, block in given
    )


@faults.plant()
def native_kernel_gets_null(step: SimulatedStep) -> Outcome:
    """A native kernel finds NULL in place of its memory object handles."""
    given = [(called, called.arguments.get(POINTED_OBJECTS)) for called in step.outcome.callbacks]
    return step.with_callbacks(
        _with_argument(called, POINTED_OBJECTS, [None] * len(found)) if isinstance(found, list) else called
        for called, found in given
    )


@faults.plant()
def concurrent_retains_lost(step: SimulatedStep) -> Outcome | None:
    """If several host threads retain an object concurrently, only the retains of the first thread count."""
    lost: Counter[str] = step.state("lost_retains", Counter())
    subject = next(iter(step.call.arguments.values()), None)
    if not isinstance(subject, Handle):
        return None
    if step.simulation.thread and step.call.function.startswith("clRetain"):
        lost[subject.name] += 1
    if not is_count_query(step) or VALUE not in step.outcome.outputs:
        return None
    (count,) = step.outcome.outputs[VALUE].values
    left = count - lost[subject.name] if isinstance(count, int) else count
    return step.outcome.with_outputs(param_value=Output([left], 4))


def _is_inside_callback(step: SimulatedStep) -> bool:
    return any(step.call is each for each in step.model.reentrant_calls.values())


def _with_argument(called: CallbackInvocation, name: str, value: Any) -> CallbackInvocation:
    """Return an invocation with another value of an argument."""
    return CallbackInvocation(called.name, {**called.arguments, name: value})


def _with_early_callbacks(step: SimulatedStep, notices: Iterable[PendingCallback]) -> Outcome:
    """Return the outcome with an invocation of each pending callback, although none of them may be invoked yet."""
    early = [step.simulation.invoke_callback(each) for each in notices if not each.call_count]
    return step.with_callbacks([*step.outcome.callbacks, *early])
