"""Which calls put what is said of semaphores to the test, and which of it none can (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.semaphores.lists import SYNC_FD, imports_in, read_properties, values_of
from clconform.oracles.contents.semaphores import is_signaled, semaphores_in
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.semaphores import Semaphore
from clconform.oracles.recurring.order import asked_about
from clconform.oracles.recurring.waiting import QUERY, STATUS
from clconform.spec_tables.records import Property

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command
    from clconform.spec_tables import Tables

rules = Rules()

MAKE, INFO = "clCreateSemaphoreWithPropertiesKHR", "clGetSemaphoreInfoKHR"
SIGNAL, WAIT = "clEnqueueSignalSemaphoresKHR", "clEnqueueWaitSemaphoresKHR"
PAYLOAD, COUNT = "CL_SEMAPHORE_PAYLOAD_KHR", "CL_SEMAPHORE_REFERENCE_COUNT_KHR"
LISTED, EXPORTED = "CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR", "CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR"
TYPES, FILES, IMPORTING = (
    f"OpenCL:{name}"
    for name in ("semaphore-types", "file-descriptor-handle-types", "importing-semaphore-external-handles")
)


# what is made


@rules.completion
def _properties(rules: Rules, tables: Tables) -> None:
    def given(name: str) -> Callable[[AnsweredCall], bool]:
        return lambda asked: _value(asked, name) is not None

    for record in tables.records_of(MAKE):
        if isinstance(record, Property):
            words = "A semaphore can be created with this property."
            holds = given(record.name)
            rules.trigger(record.id, MAKE, words, f"{MAKE}/success", holds=holds, by_success=True)


def _value(asked: AnsweredCall, name: str) -> object:
    """Return the values of a property of the list given, or None."""
    return values_of(read_properties(asked.call.sema_props, asked.model) or (), name, asked.model)


def _binary(asked: AnsweredCall) -> bool:
    return _value(asked, "CL_SEMAPHORE_TYPE_KHR") == (asked.model.value("CL_SEMAPHORE_TYPE_BINARY_KHR"),)


def _from_a_file(asked: AnsweredCall) -> bool:
    """Return whether a semaphore is made from what stands for an object that has signaled."""
    return _value(asked, SYNC_FD) is not None


def _imported_beside_another(asked: AnsweredCall) -> bool:
    """Return whether a semaphore is made from a handle while another one that was lives."""
    imports = imports_in(read_properties(asked.call.sema_props, asked.model) or (), asked.model)
    return bool(imports) and any(each.imports for each in asked.model.of_kind(Semaphore))


for _record, _words, _made in (
    (f"{TYPES}/1", "A binary semaphore can be created.", _binary),
    (f"{TYPES}/3", "A binary semaphore can be created.", _binary),
    (f"{FILES}/12", "A semaphore can be created from -1 in place of a sync file.", _from_a_file),
    (
        "OpenCL:descriptions-of-external-semaphore-handle-types/1",
        "A semaphore that is created from a handle is another one than all before it.",
        _imported_beside_another,
    ),
):
    rules.trigger(_record, MAKE, _words, f"{MAKE}/success", holds=_made, by_success=True)


# what is asked


def _on(holds: Callable[[Semaphore], bool]) -> Callable[[AnsweredCall], bool]:
    """Return the test that a semaphore is asked about of which something is so."""
    return lambda asked: isinstance(asked.subject, Semaphore) and holds(asked.subject)


rules.trigger(
    f"{TYPES}/2",
    INFO,
    "Each name that the table of queries lists is answered.",
    f"{INFO}/success",
    holds=lambda asked: asked.question is not None,
    by_success=True,
)
for _record, _words, _query, _of in (
    (
        f"{MAKE}/effect/1",
        "A semaphore for which no device was named is for all devices of its context.",
        LISTED,
        lambda semaphore: not semaphore.named,
    ),
    (
        f"{EXPORTED}/effect/1",
        "The list of types is empty for a semaphore that cannot be exported.",
        EXPORTED,
        lambda semaphore: not semaphore.exports,
    ),
    (
        f"{PAYLOAD}/effect/1",
        "The payload of a binary semaphore is 1 while it is signaled, and 0 while it is not.",
        PAYLOAD,
        lambda semaphore: is_signaled(semaphore) is not None,
    ),
    (f"{SIGNAL}/effect/6", "A semaphore is signaled once its signal is complete.", PAYLOAD, is_signaled),
    (
        "clRetainSemaphoreKHR/effect/1",
        "A semaphore that was retained counts at least the references taken.",
        COUNT,
        lambda semaphore: semaphore.references > 1,
    ),
    (
        "clReImportSemaphoreSyncFdKHR/effect/1",
        "A semaphore into which a handle was imported again tells what it was created with.",
        "CL_SEMAPHORE_PROPERTIES_KHR",
        lambda semaphore: semaphore.imported_again,
    ),
):
    rules.trigger(_record, INFO, _words, _query, holds=Answered((_query,), _on(_of)))  # type: ignore[arg-type]


# what is enqueued


def _beside_payloads(asked: AnsweredCall) -> bool:
    binary = asked.model.value("CL_SEMAPHORE_TYPE_BINARY_KHR")
    listed = semaphores_in(asked.call, asked.model)
    return bool(listed) and all(each.kind == binary for each in listed)


def _behind_a_wait(asked: AnsweredCall) -> bool:
    """Return whether a semaphore is signaled again while the wait for the last signal may not be over."""
    waits = [each.awaited_by for each in semaphores_in(asked.call, asked.model)]
    return any(each is not None and not each.over for each in waits)


def _behind_a_signal(asked: AnsweredCall) -> bool:
    """Return whether a semaphore is waited for while its signal may not be over."""
    signals = [each.signaled_by for each in semaphores_in(asked.call, asked.model)]
    return any(each is not None and not each.over for each in signals)


for _function, _number, _newer, _next in ((SIGNAL, 7, 8, _behind_a_signal), (WAIT, 6, 7, _behind_a_wait)):
    _other = WAIT if _function == SIGNAL else SIGNAL
    for _effect in (1, _newer):  # of revisions from 3.1.0 on, the other one
        rules.trigger(
            f"{_function}/effect/{_effect}",
            _function,
            "The command is enqueued with and without a list of payloads.",
            f"{_function}/success",
            holds=_beside_payloads,
            by_success=True,
        )
    rules.trigger(
        f"{_function}/effect/{_number}",
        _other,
        "The semaphores can be used by the next command at once.",
        f"{_other}/success",
        holds=_next,
        by_success=True,
    )


def _asked_of(holds: Callable[[Command, Command], bool], function: str) -> Callable[[AnsweredCall], bool]:
    """Return whether the status of a command is asked for that stands so to a complete one of a function."""

    def asks(asked: AnsweredCall) -> bool:
        command = asked.subject.command if isinstance(asked.subject, Event) else None
        others = (each.command for each in asked.model.of_kind(Event))
        return command is not None and any(
            other is not None and other.function == function and other.over and holds(command, other)
            for other in others
        )

    return asks


def _awaited(command: Command, by: Command) -> bool:
    return command.queue is not None and command in by.awaits


def _signal_of(command: Command, wait: Command) -> bool:
    return command in wait.follows


for _record, _words, _holds in (
    (f"{SIGNAL}/effect/2", "An event that a signal waits for is complete once that is.", _asked_of(_awaited, SIGNAL)),
    (f"{SIGNAL}/effect/4", "An event that a signal waits for is complete once that is.", _asked_of(_awaited, SIGNAL)),
    (f"{SIGNAL}/effect/5", "An event that a signal waits for is complete once that is.", _asked_of(_awaited, SIGNAL)),
    (f"{WAIT}/effect/2", "An event that a wait lists is complete once that is.", _asked_of(_awaited, WAIT)),
    (f"{WAIT}/effect/4", "An event that a wait lists is complete once that is.", _asked_of(_awaited, WAIT)),
    (f"{WAIT}/effect/5", "A signal is complete once the wait for it is.", _asked_of(_signal_of, WAIT)),
):
    rules.trigger(_record, QUERY, _words, STATUS, holds=Answered((STATUS,), _holds))


def _beside_a_gate(function: str) -> Callable[[AnsweredCall], bool]:
    """Return whether the status of a complete command without a list is asked for while a user event is not set."""
    of_command = asked_about(lambda command: command.function == function and command.over and not command.awaits)
    return lambda asked: of_command(asked) and any(each.status > 0 for each in asked.model.of_kind(UserEvent))


for _function in (SIGNAL, WAIT):
    rules.trigger(
        f"{_function}/effect/3",
        QUERY,
        "A command without a list is complete after clFinish while a user event of the context is not set.",
        STATUS,
        holds=Answered((STATUS,), _beside_a_gate(_function)),
    )


# what no call can show

TWO_CODES = "the contexts differ then, so that CL_INVALID_CONTEXT is right, too"
NO_PAYLOADS = "no type of semaphores in the documents needs a payload"
STALE = "counts are said to be stale at once, and a semaphore without references can be asked nothing"
SYSTEM_CALLS = "it needs system calls on a descriptor beside the driver, which this suite does not make"
WINDOWS = "it needs handles of Windows, which this suite does not create"
OPEN_STATE = "the state of a semaphore after an import is left open (register: state-after-an-import)"
ONE_HANDLE = "only one sort of handle is ever sent, and the same name twice is an error of its own"
NOT_EXPORTED = "it needs a descriptor that was exported and is imported, which this suite does not send"
for _record, _words, _reason in (
    (f"{SIGNAL}/CL_INVALID_VALUE/2", "A semaphore needs a payload, and there is no list of them.", NO_PAYLOADS),
    (f"{WAIT}/CL_INVALID_VALUE/2", "A semaphore needs a payload, and there is no list of them.", NO_PAYLOADS),
    (f"{SIGNAL}/CL_INVALID_COMMAND_QUEUE/4", "A semaphore's context does not contain the queue's device.", TWO_CODES),
    (f"{WAIT}/CL_INVALID_COMMAND_QUEUE/4", "A semaphore's context does not contain the queue's device.", TWO_CODES),
    (f"{MAKE}/CL_INVALID_PROPERTY/2", "sema_props contains more than one external handle.", ONE_HANDLE),
    ("clReleaseSemaphoreKHR/effect/1", "Releasing a semaphore decreases its reference count by one.", STALE),
    ("clReleaseSemaphoreKHR/effect/2", "A semaphore is deleted when nothing needs it any more.", STALE),
    (f"{FILES}/3", "The descriptor of a semaphore can be used with dup, dup2, dup3 and close.", SYSTEM_CALLS),
    (f"{FILES}/4", "The descriptor of a semaphore can be sent through a socket with SCM_RIGHTS.", SYSTEM_CALLS),
    (f"{FILES}/5", "Every sync file or fence of the system can be imported.", SYSTEM_CALLS),
    (f"{FILES}/8", "The handle keeps the primitive behind its semaphore alive.", SYSTEM_CALLS),
    (f"{FILES}/9", "The descriptor can be given to whatever takes a sync file.", SYSTEM_CALLS),
    (f"{FILES}/10", "The handle keeps the primitive behind its descriptor alive.", SYSTEM_CALLS),
    (f"{FILES}/13", "A descriptor belongs to the driver once it was imported.", SYSTEM_CALLS),
    (f"{FILES}/11", "A semaphore that was created from -1 is signaled.", OPEN_STATE),
    *(
        (f"OpenCL:nt-handle-types/{number}", words, WINDOWS)
        for number, words in (
            (3, "The handle of a semaphore can be used with DuplicateHandle, CloseHandle and similar functions."),
            (4, "The named handle can be used with DuplicateHandle, CloseHandle and similar functions."),
            (8, "The handle keeps the primitive behind its semaphore alive."),
            (9, "A KMT handle keeps nothing alive."),
            (10, "The named handle keeps the primitive behind its semaphore alive."),
            (11, "A handle of Windows still belongs to the application after it was imported."),
        )
    ),
    (f"{IMPORTING}/1", "An import references or copies the payload, as its type of handles says.", NOT_EXPORTED),
    (f"{IMPORTING}/2", "Semaphores with one payload behave like one semaphore.", NOT_EXPORTED),
    (f"{IMPORTING}/3", "A semaphore with a copied payload does not affect any other.", NOT_EXPORTED),
    (f"{IMPORTING}/4", "An imported semaphore shares the payload of its handle.", NOT_EXPORTED),
    (
        f"{IMPORTING}/5",
        "The semaphore that was exported shares its payload with those that were imported.",
        NOT_EXPORTED,
    ),
    (f"{IMPORTING}/6", "A copied payload is that of the time of the import.", NOT_EXPORTED),
    (
        "OpenCL:descriptions-of-external-semaphore-handle-types/2",
        "A payload can be imported several times.",
        PERMISSION,
    ),
    ("CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR/transference", "An opaque descriptor refers to the payload.", NOT_EXPORTED),
    ("CL_SEMAPHORE_HANDLE_SYNC_FD_KHR/transference", "A sync file holds a copy of the payload.", NOT_EXPORTED),
    *(
        (f"CL_SEMAPHORE_HANDLE_OPAQUE_WIN32{name}_KHR/transference", "A handle refers to the payload.", WINDOWS)
        for name in ("", "_KMT", "_NAME")
    ),
    ("CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR/transference", "A handle of a fence refers to the payload.", WINDOWS),
    ("clGetSemaphoreHandleForTypeKHR/effect/1", "An export references or copies as an import does.", NOT_EXPORTED),
    ("clGetSemaphoreHandleForTypeKHR/effect/2", "An export that copies acts on the payload as a wait.", NOT_EXPORTED),
):
    rules.untestable(_record, _words, _reason)
