"""Faults of semaphores: property lists, payloads, signals and waits, handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.chapters.events.query_results import COMPLETE, RUNNING
from clconform.oracles.chapters.semaphores.error_conditions.handles import DESCRIPTOR_BYTES
from clconform.oracles.chapters.semaphores.property_lists import (
    DEVICES,
    EXPORTS,
    TYPE,
    parse_properties,
    property_values,
)
from clconform.oracles.contents.semaphore_payloads import EXPORT, SIGNAL, WAIT
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.events import Event
from clconform.oracles.model.semaphores import Semaphore
from clconform.selftest.faults.outcomes import with_values
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.simulator.platform import Simulation

faults = Faults()

CREATE, INFO, REIMPORT = "clCreateSemaphoreWithPropertiesKHR", "clGetSemaphoreInfoKHR", "clReImportSemaphoreSyncFdKHR"
PAYLOAD = "CL_SEMAPHORE_PAYLOAD_KHR"


# property lists


def _has_failed_with(simulation: Simulation, outcome: Outcome, code: str) -> bool:
    """Return whether a function that creates objects has returned this error."""
    output = outcome.outputs.get("errcode_ret") if isinstance(outcome, Returned) else None
    return output is not None and output.values == [simulation.model.constant_value(code)]


def _create_plain_semaphore(simulation: Simulation, call: Call) -> Outcome:
    """Create a binary semaphore without other properties."""
    model = simulation.model
    values = (model.constant_value(TYPE), model.constant_value("CL_SEMAPHORE_TYPE_BINARY_KHR"), 0)
    return simulation.make_call(Call(call.function, {**call.arguments, "sema_props": ElementList(values)}))


def _get_property_values(simulation: Simulation, call: Call, name: str) -> tuple[object, ...] | None:
    """Return the values of a property in a semaphore's creation call; None if the list does not contain it."""
    if call.function != CREATE:
        return None
    try:
        return property_values(parse_properties(call.sema_props, simulation.model) or (), name, simulation.model)
    except UnknownFactError:
        return None


@faults.plant
def semaphore_without_type_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A semaphore can be created without a type."""
    if call.function != CREATE or call.sema_props is None or _get_property_values(simulation, call, TYPE) is not None:
        return outcome
    return (
        _create_plain_semaphore(simulation, call)
        if _has_failed_with(simulation, outcome, "CL_INVALID_VALUE")
        else outcome
    )


@faults.plant
def invalid_semaphore_type_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A semaphore with an invalid type is created as a binary semaphore."""
    wrong = _get_property_values(simulation, call, TYPE) not in (
        None,
        (simulation.model.constant_value("CL_SEMAPHORE_TYPE_BINARY_KHR"),),
    )
    return (
        _create_plain_semaphore(simulation, call)
        if wrong and _has_failed_with(simulation, outcome, "CL_INVALID_PROPERTY")
        else outcome
    )


@faults.plant
def semaphore_devices_unchecked(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A semaphore can be created whatever devices its property list contains."""
    listed = _get_property_values(simulation, call, DEVICES) is not None
    return (
        _create_plain_semaphore(simulation, call)
        if listed and _has_failed_with(simulation, outcome, "CL_INVALID_DEVICE")
        else outcome
    )


@faults.plant
def several_export_types_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A semaphore can be created with several export handle types."""
    several = len(_get_property_values(simulation, call, EXPORTS) or ()) > 1
    return (
        _create_plain_semaphore(simulation, call)
        if several and _has_failed_with(simulation, outcome, "CL_INVALID_VALUE")
        else outcome
    )


@faults.plant
def exportable_import_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A semaphore that is imported from a handle can be created as exportable."""
    refused = call.function == CREATE and _has_failed_with(simulation, outcome, "CL_INVALID_OPERATION")
    return _create_plain_semaphore(simulation, call) if refused else outcome


# payloads


def _get_payload_subject(simulation: Simulation, call: Call) -> Semaphore | None:
    """Return the semaphore of a payload query; None for other calls."""
    if call.function != INFO or call.param_name != simulation.model.constant_value(PAYLOAD):
        return None
    subject = simulation.model.find(call.sema_object)
    return subject if isinstance(subject, Semaphore) else None


@faults.plant
def payload_always_zero(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The payload of a semaphore is always 0."""
    asked = _get_payload_subject(simulation, call) is not None and call.param_value is not None
    return with_values(outcome, "param_value", [0]) if asked else outcome


@faults.plant
def new_semaphore_is_signaled(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The payload of a semaphore is 1 before its first signal."""
    semaphore = _get_payload_subject(simulation, call)
    new = semaphore is not None and semaphore.signaled_by is None and semaphore.awaited_by is None
    return with_values(outcome, "param_value", [1]) if new and call.param_value is not None else outcome


@faults.plant
def only_first_semaphore_signaled(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A signal of several semaphores sets only the payload of the first one."""
    left: set[str] = simulation.__dict__.setdefault("left_unsignaled", set())
    if call.function == SIGNAL and isinstance(call.sema_objects, ElementList):
        left.update(str(getattr(each, "name", "")) for each in call.sema_objects.values[1:])
    semaphore = _get_payload_subject(simulation, call)
    lost = semaphore is not None and semaphore.name in left and call.param_value is not None
    return with_values(outcome, "param_value", [0]) if lost else outcome


# commands


def _get_status_subject(simulation: Simulation, call: Call) -> Event | None:
    """Return the event of a status query; None for other calls."""
    status = simulation.model.constant_value("CL_EVENT_COMMAND_EXECUTION_STATUS")
    if call.function != "clGetEventInfo" or call.param_name != status or call.param_value is None:
        return None
    event = simulation.model.find(call.event)
    return event if isinstance(event, Event) else None


@faults.plant
def semaphore_wait_ends_before_signal(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A signal command is reported as running, although the wait for its semaphore is complete."""
    event = _get_status_subject(simulation, call)
    command = event.command if event is not None else None
    early = command is not None and command.function == SIGNAL and command.has_run and not command.is_complete
    return with_values(outcome, "param_value", [RUNNING]) if early else outcome


@faults.plant
def semaphore_signal_never_completes(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A signal command is never reported as complete."""
    event = _get_status_subject(simulation, call)
    command = event.command if event is not None else None
    ended = isinstance(outcome, Returned) and outcome.outputs["param_value"].values == [COMPLETE] if command else False
    signal = command is not None and command.function == SIGNAL and ended
    return with_values(outcome, "param_value", [RUNNING]) if signal else outcome


@faults.plant
def empty_semaphore_list_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A signal of zero semaphores, and a wait for zero semaphores, succeed."""
    none = call.function in (SIGNAL, WAIT) and call.num_sema_objects == 0 and _is_otherwise_valid(call)
    return _enqueue_marker(simulation, call) if none and isinstance(outcome, Returned) else outcome


@faults.plant
def null_semaphore_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """NULL in the semaphore list of a command is ignored."""
    listed = call.sema_objects.values if call.function in (SIGNAL, WAIT) and call.sema_objects is not None else ()
    taken = None in listed and _is_otherwise_valid(call)
    return _enqueue_marker(simulation, call) if taken and isinstance(outcome, Returned) else outcome


@faults.plant
def semaphore_of_other_device_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Signals and waits are accepted on a queue whose device the semaphore does not support."""
    refused = isinstance(outcome, Returned) and outcome.value == simulation.model.constant_value(
        "CL_INVALID_COMMAND_QUEUE"
    )
    taken = refused and call.function in (SIGNAL, WAIT) and call.command_queue is not None
    return _enqueue_marker(simulation, call) if taken else outcome


@faults.plant
def payload_list_rejected(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A payload list is rejected for binary semaphores."""
    given = call.function in (SIGNAL, WAIT) and call.sema_payload_list is not None
    return (
        Returned(simulation.model.constant_value("CL_INVALID_VALUE"))
        if given and isinstance(outcome, Returned)
        else outcome
    )


@faults.plant
def semaphore_signaled_only_once(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A semaphore cannot be signaled again after a wait for it."""
    listed = call.sema_objects.values if call.function == SIGNAL and call.sema_objects is not None else ()
    known = [simulation.model.find(each) for each in listed]
    again = any(isinstance(each, Semaphore) and each.awaited_by is not None for each in known)
    return (
        Returned(simulation.model.constant_value("CL_INVALID_OPERATION"))
        if again and _has_succeeded(outcome)
        else outcome
    )


def _has_succeeded(outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and outcome.value == 0


def _is_otherwise_valid(call: Call) -> bool:
    return call.command_queue is not None and call.num_events_in_wait_list == 0 and call.event_wait_list is None


def _enqueue_marker(simulation: Simulation, call: Call) -> Outcome:
    """Enqueue a marker instead of a semaphore command, and return the outcome of the marker."""
    arguments: dict[str, Value] = {
        name: call.arguments[name] for name in ("command_queue", "num_events_in_wait_list", "event_wait_list", "event")
    }
    return simulation.make_call(Call("clEnqueueMarkerWithWaitList", arguments))


# handles


@faults.plant
def handle_size_too_small(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The returned size of a handle is 2 bytes."""
    del simulation
    return with_values(outcome, "handle_size_ret", [2]) if call.function == EXPORT else outcome


@faults.plant
def short_handle_buffer_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A handle is returned although the output buffer is too small for it."""
    short = call.function == EXPORT and call.handle_ptr is not None and call.handle_size < DESCRIPTOR_BYTES
    refused = isinstance(outcome, Returned) and outcome.value == simulation.model.constant_value("CL_INVALID_VALUE")
    return _export(simulation, call) if short and refused else outcome


@faults.plant
def non_exportable_semaphore_exported(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A handle of a semaphore is returned although the semaphore is not exportable."""
    enough = call.function == EXPORT and (call.handle_ptr is None or call.handle_size >= DESCRIPTOR_BYTES)
    refused = isinstance(outcome, Returned) and outcome.value == simulation.model.constant_value("CL_INVALID_VALUE")
    return _export(simulation, call) if enough and refused else outcome


def _export(simulation: Simulation, call: Call) -> Outcome:
    del simulation
    outputs = {
        name: Output([DESCRIPTOR_BYTES], 8) if name == "handle_size_ret" else Output([], 0)
        for name, value in call.arguments.items()
        if isinstance(value, OutputBuffer)
    }
    return Returned(0, outputs)


@faults.plant
def reimport_into_any_semaphore_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A sync file can be re-imported into a semaphore that was not created from a sync file."""
    del simulation
    known = call.function == REIMPORT and call.sema_object is not None and call.fd == -1
    return Returned(0) if known and isinstance(outcome, Returned) and outcome.value != 0 else outcome


@faults.plant
def negative_descriptor_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Any negative descriptor below -1 is accepted for the re-import of a sync file."""
    del simulation
    known = call.function == REIMPORT and call.sema_object is not None and call.fd < -1
    return Returned(0) if known and isinstance(outcome, Returned) and outcome.value != 0 else outcome
