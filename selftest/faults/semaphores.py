"""Faults of semaphores: property lists, payloads, signals and waits, handles."""

from __future__ import annotations

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
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
from clconform.selftest.faults.registry import VALUE, Faults, SimulatedStep

faults = Faults()

CREATE, INFO, REIMPORT = "clCreateSemaphoreWithPropertiesKHR", "clGetSemaphoreInfoKHR", "clReImportSemaphoreSyncFdKHR"
BINARY, PAYLOAD = "CL_SEMAPHORE_TYPE_BINARY_KHR", "CL_SEMAPHORE_PAYLOAD_KHR"
STATUS = "CL_EVENT_COMMAND_EXECUTION_STATUS"


# property lists


def _create_plain_semaphore(step: SimulatedStep) -> Outcome:
    """Create a binary semaphore without other properties."""
    return step.repeat(sema_props=ElementList((step.constant(TYPE), step.constant(BINARY), 0)))


def _get_property_values(step: SimulatedStep, name: str) -> tuple[object, ...] | None:
    """Return the values of a property in a semaphore's creation call; None if the list does not contain it."""
    try:
        return property_values(parse_properties(step.call.sema_props, step.model) or (), name, step.model)
    except UnknownFactError:
        return None


@faults.plant(CREATE, error="CL_INVALID_VALUE")
def semaphore_without_type_accepted(step: SimulatedStep) -> Outcome | None:
    """A semaphore can be created without a type."""
    without = step.call.sema_props is not None and _get_property_values(step, TYPE) is None
    return _create_plain_semaphore(step) if without else None


@faults.plant(CREATE, error="CL_INVALID_PROPERTY")
def invalid_semaphore_type_accepted(step: SimulatedStep) -> Outcome | None:
    """A semaphore with an invalid type is created as a binary semaphore."""
    wrong = _get_property_values(step, TYPE) not in (None, (step.constant(BINARY),))
    return _create_plain_semaphore(step) if wrong else None


@faults.plant(CREATE, error="CL_INVALID_DEVICE")
def semaphore_devices_unchecked(step: SimulatedStep) -> Outcome | None:
    """A semaphore can be created whatever devices its property list contains."""
    return _create_plain_semaphore(step) if _get_property_values(step, DEVICES) is not None else None


@faults.plant(CREATE, error="CL_INVALID_VALUE")
def several_export_types_accepted(step: SimulatedStep) -> Outcome | None:
    """A semaphore can be created with several export handle types."""
    return _create_plain_semaphore(step) if len(_get_property_values(step, EXPORTS) or ()) > 1 else None


faults.plant(CREATE, error="CL_INVALID_OPERATION").add(
    "exportable-import-accepted",
    "A semaphore that is imported from a handle can be created as exportable.",
    _create_plain_semaphore,
)


# payloads


@faults.plant(INFO, query=PAYLOAD)
def payload_always_zero(step: SimulatedStep) -> Outcome | None:
    """The payload of a semaphore is always 0."""
    return step.with_values(VALUE, [0]) if step.find("sema_object", Semaphore) is not None else None


@faults.plant(INFO, query=PAYLOAD)
def new_semaphore_is_signaled(step: SimulatedStep) -> Outcome | None:
    """The payload of a semaphore is 1 before its first signal."""
    semaphore = step.find("sema_object", Semaphore)
    new = semaphore is not None and semaphore.signaled_by is None and semaphore.awaited_by is None
    return step.with_values(VALUE, [1]) if new else None


@faults.plant(SIGNAL, INFO)
def only_first_semaphore_signaled(step: SimulatedStep) -> Outcome | None:
    """A signal of several semaphores sets only the payload of the first one."""
    left: set[str] = step.state("left_unsignaled", set())
    if step.call.function == SIGNAL:
        left.update(each.name for each in _get_semaphores(step)[1:] if isinstance(each, Handle))
        return None
    semaphore = step.find("sema_object", Semaphore) if step.is_query(PAYLOAD) else None
    return step.with_values(VALUE, [0]) if semaphore is not None and semaphore.name in left else None


# commands


@faults.plant("clGetEventInfo", query=STATUS)
def semaphore_wait_ends_before_signal(step: SimulatedStep) -> Outcome | None:
    """A signal command is reported as running, although the wait for its semaphore is complete."""
    event = step.find("event", Event)
    command = event.command if event is not None else None
    early = command is not None and command.function == SIGNAL and command.has_run and not command.is_complete
    return step.with_values(VALUE, [RUNNING]) if early else None


@faults.plant("clGetEventInfo", query=STATUS)
def semaphore_signal_never_completes(step: SimulatedStep) -> Outcome | None:
    """A signal command is never reported as complete."""
    event = step.find("event", Event)
    signal = event is not None and event.command is not None and event.command.function == SIGNAL
    ended = step.outcome.outputs[VALUE].values == [COMPLETE]
    return step.with_values(VALUE, [RUNNING]) if signal and ended else None


@faults.plant(SIGNAL, WAIT)
def empty_semaphore_list_accepted(step: SimulatedStep) -> Outcome | None:
    """A signal of zero semaphores, and a wait for zero semaphores, succeed."""
    return _enqueue_marker(step) if step.call.num_sema_objects == 0 and _is_otherwise_valid(step) else None


@faults.plant(SIGNAL, WAIT)
def null_semaphore_accepted(step: SimulatedStep) -> Outcome | None:
    """NULL in the semaphore list of a command is ignored."""
    return _enqueue_marker(step) if None in _get_semaphores(step) and _is_otherwise_valid(step) else None


@faults.plant(SIGNAL, WAIT, error="CL_INVALID_COMMAND_QUEUE")
def semaphore_of_other_device_accepted(step: SimulatedStep) -> Outcome | None:
    """Signals and waits are accepted on a queue whose device the semaphore does not support."""
    return _enqueue_marker(step) if step.call.command_queue is not None else None


@faults.plant(SIGNAL, WAIT)
def payload_list_rejected(step: SimulatedStep) -> Outcome | None:
    """A payload list is rejected for binary semaphores."""
    return Returned(step.constant("CL_INVALID_VALUE")) if step.call.sema_payload_list is not None else None


@faults.plant(SIGNAL, succeeded=True)
def semaphore_signaled_only_once(step: SimulatedStep) -> Outcome | None:
    """A semaphore cannot be signaled again after a wait for it."""
    known = step.model.find_all(_get_semaphores(step))
    again = any(isinstance(each, Semaphore) and each.awaited_by is not None for each in known)
    return Returned(step.constant("CL_INVALID_OPERATION")) if again else None


def _get_semaphores(step: SimulatedStep) -> tuple[object, ...]:
    listed = step.argument("sema_objects", ElementList)
    return listed.values if listed is not None else ()


def _is_otherwise_valid(step: SimulatedStep) -> bool:
    call = step.call
    return call.command_queue is not None and call.num_events_in_wait_list == 0 and call.event_wait_list is None


def _enqueue_marker(step: SimulatedStep) -> Outcome:
    """Enqueue a marker instead of a semaphore command, and return the outcome of the marker."""
    names = ("command_queue", "num_events_in_wait_list", "event_wait_list", "event")
    marker = Call("clEnqueueMarkerWithWaitList", {name: step.call.arguments[name] for name in names})
    return step.simulation.make_call(marker)


# handles


faults.plant(EXPORT).add(
    "handle-size-too-small",
    "The returned size of a handle is 2 bytes.",
    lambda step: step.with_values("handle_size_ret", [2]),
)


@faults.plant(EXPORT, error="CL_INVALID_VALUE")
def short_handle_buffer_accepted(step: SimulatedStep) -> Outcome | None:
    """A handle is returned although the output buffer is too small for it."""
    short = step.call.handle_ptr is not None and step.call.handle_size < DESCRIPTOR_BYTES
    return _export(step) if short else None


@faults.plant(EXPORT, error="CL_INVALID_VALUE")
def non_exportable_semaphore_exported(step: SimulatedStep) -> Outcome | None:
    """A handle of a semaphore is returned although the semaphore is not exportable."""
    enough = step.call.handle_ptr is None or step.call.handle_size >= DESCRIPTOR_BYTES
    return _export(step) if enough else None


def _export(step: SimulatedStep) -> Outcome:
    buffers = [name for name, value in step.call.arguments.items() if isinstance(value, OutputBuffer)]
    size = Output([DESCRIPTOR_BYTES], 8)
    return Returned(0, {name: size if name == "handle_size_ret" else Output([], 0) for name in buffers})


@faults.plant(REIMPORT, succeeded=False)
def reimport_into_any_semaphore_accepted(step: SimulatedStep) -> Outcome | None:
    """A sync file can be re-imported into a semaphore that was not created from a sync file."""
    return step.accept() if step.call.sema_object is not None and step.call.fd == -1 else None


@faults.plant(REIMPORT, succeeded=False)
def negative_descriptor_accepted(step: SimulatedStep) -> Outcome | None:
    """Any negative descriptor below -1 is accepted for the re-import of a sync file."""
    return step.accept() if step.call.sema_object is not None and step.call.fd < -1 else None
