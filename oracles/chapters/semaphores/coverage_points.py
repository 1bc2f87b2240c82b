"""Coverage points for semaphores, and requirements that cannot be tested (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.semaphores.property_lists import (
    SYNC_FD,
    imported_handles,
    parse_properties,
    property_values,
)
from clconform.oracles.common.ordering_evidence import cover_status_query
from clconform.oracles.common.wait_evidence import EVENT_QUERY, STATUS_QUERY
from clconform.oracles.contents.semaphore_payloads import is_signaled, semaphores_in
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.semaphores import Semaphore
from clconform.spec_tables.requirements import Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.enqueued_command import Command
    from clconform.spec_tables import Tables

rules = Rules()

CREATE, INFO = "clCreateSemaphoreWithPropertiesKHR", "clGetSemaphoreInfoKHR"
SIGNAL, WAIT = "clEnqueueSignalSemaphoresKHR", "clEnqueueWaitSemaphoresKHR"
PAYLOAD, COUNT = "CL_SEMAPHORE_PAYLOAD_KHR", "CL_SEMAPHORE_REFERENCE_COUNT_KHR"
DEVICE_LIST, EXPORT_TYPES = "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"
TYPES = "OpenCL:semaphore-types"


# creation


@rules.completion
def _declare_properties(rules: Rules, tables: Tables) -> None:
    def given(name: str) -> Callable[[CompletedCall], bool]:
        return lambda asked: _passed_values(asked, name) is not None

    for requirement in tables.requirements_of(CREATE):
        if isinstance(requirement, Property):
            words = f"A semaphore can be created with the property {requirement.name}."
            holds = given(requirement.name)
            rules.coverage_point(
                requirement.id,
                CREATE,
                words,
                "clCreateSemaphoreWithPropertiesKHR/success",
                holds=holds,
                requires_success=True,
            )


def _passed_values(asked: CompletedCall, name: str) -> object:
    """Return the values of a property in sema_props; None if the list does not contain the property."""
    return property_values(parse_properties(asked.call.sema_props, asked.model) or (), name, asked.model)


def _is_binary(asked: CompletedCall) -> bool:
    return _passed_values(asked, "CL_SEMAPHORE_TYPE_KHR") == (
        asked.model.constant_value("CL_SEMAPHORE_TYPE_BINARY_KHR"),
    )


def _imports_sync_file(asked: CompletedCall) -> bool:
    """Return whether a call creates a semaphore from a sync file, or from the value -1 in place of a sync file."""
    return _passed_values(asked, SYNC_FD) is not None


def _imports_another(asked: CompletedCall) -> bool:
    """Return whether a call creates a semaphore from an external handle while another imported semaphore exists."""
    imports = imported_handles(parse_properties(asked.call.sema_props, asked.model) or (), asked.model)
    return bool(imports) and any(each.import_types for each in asked.model.objects_of_class(Semaphore))


for _record, _words, _made in (
    ("OpenCL:semaphore-types/1", "A semaphore can be created with the type CL_SEMAPHORE_TYPE_BINARY_KHR.", _is_binary),
    ("OpenCL:semaphore-types/3", "", _is_binary),
    ("OpenCL:file-descriptor-handle-types/12", "", _imports_sync_file),
    (
        "OpenCL:descriptions-of-external-semaphore-handle-types/1",
        "A semaphore that is created from an external handle is distinct from all existing semaphores.",
        _imports_another,
    ),
):
    rules.coverage_point(
        _record, CREATE, _words, "clCreateSemaphoreWithPropertiesKHR/success", holds=_made, requires_success=True
    )


# queries


def _queries_semaphore(holds: Callable[[Semaphore], bool]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call queries a semaphore for which ``holds`` is true."""
    return lambda asked: isinstance(asked.subject, Semaphore) and holds(asked.subject)


rules.coverage_point(
    "OpenCL:semaphore-types/2",
    INFO,
    "clGetSemaphoreInfoKHR succeeds for each query that the document lists.",
    "clGetSemaphoreInfoKHR/success",
    holds=lambda asked: asked.query_request is not None,
    requires_success=True,
)
for _record, _words, _query, _of in (
    (
        "clCreateSemaphoreWithPropertiesKHR/effect/1",
        "Checked on queries of CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR of semaphores created without this property.",
        DEVICE_LIST,
        lambda semaphore: not semaphore.has_named_devices,
    ),
    (
        "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR/effect/1",
        "Checked on queries of CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR of semaphores created without this property.",
        EXPORT_TYPES,
        lambda semaphore: not semaphore.export_types,
    ),
    (
        "CL_SEMAPHORE_PAYLOAD_KHR/effect/1",
        "Checked on queries of CL_SEMAPHORE_PAYLOAD_KHR if the state of the semaphore is known.",
        PAYLOAD,
        lambda semaphore: is_signaled(semaphore) is not None,
    ),
    (
        "clEnqueueSignalSemaphoresKHR/effect/6",
        "Checked on queries of CL_SEMAPHORE_PAYLOAD_KHR after a signal of the semaphore is complete.",
        PAYLOAD,
        is_signaled,
    ),
    (
        "clRetainSemaphoreKHR/effect/1",
        "Checked on queries of CL_SEMAPHORE_REFERENCE_COUNT_KHR of a retained semaphore.",
        COUNT,
        lambda semaphore: semaphore.references > 1,
    ),
    (
        "clReImportSemaphoreSyncFdKHR/effect/1",
        "Checked on queries of CL_SEMAPHORE_PROPERTIES_KHR after clReImportSemaphoreSyncFdKHR: the list is unchanged.",
        "CL_SEMAPHORE_PROPERTIES_KHR",
        lambda semaphore: semaphore.was_reimported,
    ),
):
    rules.coverage_point(_record, INFO, _words, _query, holds=QueryCoverage((_query,), _queries_semaphore(_of)))  # type: ignore[arg-type]


# commands


def _lists_binary_semaphores(asked: CompletedCall) -> bool:
    binary = asked.model.constant_value("CL_SEMAPHORE_TYPE_BINARY_KHR")
    listed = semaphores_in(asked.call, asked.model)
    return bool(listed) and all(each.kind == binary for each in listed)


def _follows_pending_wait(asked: CompletedCall) -> bool:
    """Return whether a call uses a semaphore while the last enqueued wait for this semaphore may still run."""
    waits = [each.awaited_by for each in semaphores_in(asked.call, asked.model)]
    return any(each is not None and not each.is_complete for each in waits)


def _follows_pending_signal(asked: CompletedCall) -> bool:
    """Return whether a call uses a semaphore while the last enqueued signal of this semaphore may still run."""
    signals = [each.signaled_by for each in semaphores_in(asked.call, asked.model)]
    return any(each is not None and not each.is_complete for each in signals)


for _function, _number, _newer, _next in ((SIGNAL, 7, 8, _follows_pending_signal), (WAIT, 6, 7, _follows_pending_wait)):
    _other = WAIT if _function == SIGNAL else SIGNAL
    for _effect in (1, _newer):  # the second number is for revisions from 3.1.0 on
        rules.coverage_point(
            f"{_function}/effect/{_effect}",
            _function,
            "Checked on calls with and without a sema_payload_list for binary semaphores: the calls succeed.",
            f"{_function}/success",
            holds=_lists_binary_semaphores,
            requires_success=True,
        )
    rules.coverage_point(
        f"{_function}/effect/{_number}",
        _other,
        "Checked on calls for a semaphore while its last signal or wait may still run: the calls succeed.",
        f"{_other}/success",
        holds=_next,
        requires_success=True,
    )


def _queries_related_status(
    holds: Callable[[Command, Command], bool], function: str
) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a query returns the status of a command while another, related command is complete.

    ``holds``: a check of the queried command and the complete command. ``function``: the function of the complete
    command.
    """

    def is_covered(asked: CompletedCall) -> bool:
        command = asked.subject.command if isinstance(asked.subject, Event) else None
        others = (each.command for each in asked.model.objects_of_class(Event))
        return command is not None and any(
            other is not None and other.function == function and other.is_complete and holds(command, other)
            for other in others
        )

    return is_covered


def _is_awaited(command: Command, by: Command) -> bool:
    return command.queue is not None and command in by.awaits


def _is_signal_of(command: Command, wait: Command) -> bool:
    return command in wait.awaited_semaphore_signals


for _record, _words, _holds in (
    (
        "clEnqueueSignalSemaphoresKHR/effect/2",
        "Checked on queries of the status of an event in the wait list of a complete signal command.",
        _queries_related_status(_is_awaited, SIGNAL),
    ),
    (
        "clEnqueueSignalSemaphoresKHR/effect/4",
        "Checked on queries of the status of an event in the wait list of a complete signal command.",
        _queries_related_status(_is_awaited, SIGNAL),
    ),
    (
        "clEnqueueSignalSemaphoresKHR/effect/5",
        "Checked on queries of the status of an event in the wait list of a complete signal command.",
        _queries_related_status(_is_awaited, SIGNAL),
    ),
    (
        "clEnqueueWaitSemaphoresKHR/effect/2",
        "Checked on queries of the status of an event in the wait list of a complete wait command.",
        _queries_related_status(_is_awaited, WAIT),
    ),
    (
        "clEnqueueWaitSemaphoresKHR/effect/4",
        "Checked on queries of the status of an event in the wait list of a complete wait command.",
        _queries_related_status(_is_awaited, WAIT),
    ),
    (
        "clEnqueueWaitSemaphoresKHR/effect/5",
        "Checked on queries of the status of a signal command after a wait for its signal is complete.",
        _queries_related_status(_is_signal_of, WAIT),
    ),
):
    rules.coverage_point(_record, EVENT_QUERY, _words, STATUS_QUERY, holds=QueryCoverage((STATUS_QUERY,), _holds))


def _queries_status_while_blocked(function: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: while a user event is not set, a query returns the status of a complete command.

    ``function``: the function of the command. The command does not have a wait list.
    """
    of_command = cover_status_query(
        lambda command: command.function == function and command.is_complete and not command.awaits
    )
    return lambda asked: of_command(asked) and any(each.status > 0 for each in asked.model.objects_of_class(UserEvent))


for _function in (SIGNAL, WAIT):
    rules.coverage_point(
        f"{_function}/effect/3",
        EVENT_QUERY,
        "Checked on queries of the status of a command after clFinish, while a user event of the context is not set.",
        STATUS_QUERY,
        holds=QueryCoverage((STATUS_QUERY,), _queries_status_while_blocked(_function)),
    )


# requirements that cannot be tested

TWO_CODES_REASON = "the contexts then differ, so CL_INVALID_CONTEXT is also allowed"
NO_PAYLOADS_REASON = "no semaphore type in the documents needs a payload"
STALE_COUNT_REASON = "a returned count is stale immediately, and a semaphore without references cannot be queried"
SYSTEM_CALLS_REASON = "it needs system calls on a descriptor outside the driver, which this suite does not make"
WINDOWS_REASON = "it needs Windows handles, which this suite does not create"
UNSPECIFIED_STATE_REASON = (
    "the state of a semaphore after an import is unspecified (interpretation: state-after-an-import)"
)
ONE_HANDLE_REASON = (
    "the suites pass only one type of handle, and a repeated property name is a separate error condition"
)
NOT_EXPORTED_REASON = "it needs the import of an exported descriptor, which this suite does not make"
for _record, _words, _reason in (
    (
        "clEnqueueSignalSemaphoresKHR/CL_INVALID_VALUE/2",
        "sema_payload_list is NULL, and an element of sema_objects requires a payload.",
        NO_PAYLOADS_REASON,
    ),
    (
        "clEnqueueWaitSemaphoresKHR/CL_INVALID_VALUE/2",
        "sema_payload_list is NULL, and an element of sema_objects requires a payload.",
        NO_PAYLOADS_REASON,
    ),
    (
        "clEnqueueSignalSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4",
        "The context of an element of sema_objects does not contain the device of command_queue.",
        TWO_CODES_REASON,
    ),
    (
        "clEnqueueWaitSemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4",
        "The context of an element of sema_objects does not contain the device of command_queue.",
        TWO_CODES_REASON,
    ),
    (
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2",
        "sema_props contains more than one external handle.",
        ONE_HANDLE_REASON,
    ),
    ("clReleaseSemaphoreKHR/effect/1", "", STALE_COUNT_REASON),
    ("clReleaseSemaphoreKHR/effect/2", "", STALE_COUNT_REASON),
    (
        "OpenCL:file-descriptor-handle-types/3",
        "The descriptor of a semaphore can be used with dup, dup2, dup3 and close.",
        SYSTEM_CALLS_REASON,
    ),
    (
        "OpenCL:file-descriptor-handle-types/4",
        "The descriptor of a semaphore can be sent through a socket with SCM_RIGHTS.",
        SYSTEM_CALLS_REASON,
    ),
    (
        "OpenCL:file-descriptor-handle-types/5",
        "Every sync file or fence of the system can be imported.",
        SYSTEM_CALLS_REASON,
    ),
    ("OpenCL:file-descriptor-handle-types/8", "", SYSTEM_CALLS_REASON),
    ("OpenCL:file-descriptor-handle-types/9", "", SYSTEM_CALLS_REASON),
    ("OpenCL:file-descriptor-handle-types/10", "", SYSTEM_CALLS_REASON),
    ("OpenCL:file-descriptor-handle-types/13", "", SYSTEM_CALLS_REASON),
    ("OpenCL:file-descriptor-handle-types/11", "", UNSPECIFIED_STATE_REASON),
    *(
        (f"OpenCL:nt-handle-types/{number}", words, WINDOWS_REASON)
        for number, words in (
            (3, "The handle of a semaphore can be used with DuplicateHandle, CloseHandle and similar functions."),
            (4, "The named handle of a semaphore can be used with DuplicateHandle, CloseHandle and similar functions."),
            (8, ""),
            (9, ""),
            (10, ""),
            (11, ""),
        )
    ),
    (
        "OpenCL:importing-semaphore-external-handles/1",
        "The import of an external handle references or copies the payload, depending on the handle type.",
        NOT_EXPORTED_REASON,
    ),
    (
        "OpenCL:importing-semaphore-external-handles/2",
        "Semaphores that share a payload behave like one semaphore.",
        NOT_EXPORTED_REASON,
    ),
    (
        "OpenCL:importing-semaphore-external-handles/3",
        "A semaphore with a copied payload does not affect any other semaphore.",
        NOT_EXPORTED_REASON,
    ),
    ("OpenCL:importing-semaphore-external-handles/4", "", NOT_EXPORTED_REASON),
    ("OpenCL:importing-semaphore-external-handles/5", "", NOT_EXPORTED_REASON),
    ("OpenCL:importing-semaphore-external-handles/6", "", NOT_EXPORTED_REASON),
    ("OpenCL:descriptions-of-external-semaphore-handle-types/2", "", PERMISSION),
    (
        "CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR/transference",
        "An opaque descriptor refers to the payload of the exported semaphore.",
        NOT_EXPORTED_REASON,
    ),
    (
        "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR/transference",
        "A sync file holds a copy of the exported payload.",
        NOT_EXPORTED_REASON,
    ),
    *(
        (
            f"CL_SEMAPHORE_HANDLE_OPAQUE_WIN32{name}_KHR/transference",
            "A Windows handle refers to the payload of the exported semaphore.",
            WINDOWS_REASON,
        )
        for name in ("", "_KMT", "_NAME")
    ),
    (
        "CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR/transference",
        "A fence handle refers to the exported payload.",
        WINDOWS_REASON,
    ),
    ("clGetSemaphoreHandleForTypeKHR/effect/1", "", NOT_EXPORTED_REASON),
    ("clGetSemaphoreHandleForTypeKHR/effect/2", "", NOT_EXPORTED_REASON),
):
    rules.untestable(_record, _words, _reason)
