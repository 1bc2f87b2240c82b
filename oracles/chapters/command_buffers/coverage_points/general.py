"""Coverage points of the prose about command-buffers, and untestable requirements (section 5.17)."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from clconform.calls.harness_actions import AWAIT
from clconform.calls.values import ElementList
from clconform.oracles.chapters.command_buffers.command_updates import listed_configs
from clconform.oracles.chapters.command_buffers.equivalent_calls import BARRIER, LAUNCH, RECORDING_FUNCTIONS, UPDATE
from clconform.oracles.chapters.command_buffers.error_conditions.creation import FLAGS
from clconform.oracles.chapters.command_buffers.error_conditions.recording import DISPATCH_ASSERTS, UPDATABLE_FIELDS
from clconform.oracles.chapters.command_buffers.evidence import (
    AUTOMATICALLY_REMAPPED,
    BY_INDEX,
    CAPTURED,
    CAPTURED_LATER,
    DEFAULT_QUEUES,
    INTERLEAVED,
    OTHER_QUEUES,
    QUEUE_UNCHANGED,
    REMAPPED,
    RETAINED,
    SAFELY_DELETED,
    SAME_COMMANDS,
)
from clconform.oracles.chapters.command_buffers.postconditions.mutable_commands import SVM_SIZE_IGNORED
from clconform.oracles.chapters.notifications.callback_kinds import DestructionCallback, is_recorded
from clconform.oracles.chapters.notifications.coverage_points import awaited_callbacks
from clconform.oracles.chapters.notifications.pending_callbacks import pending_callbacks
from clconform.oracles.common.ordering_evidence import READ_BUFFER, cover_read, cover_status_query
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.common.wait_evidence import STATUS_QUERY
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.predicate_result import MUST, evaluate
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.command_buffer_state import CommandBuffer, MutableCommand
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.queues import CommandQueue
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import Effect, Property

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import DispatchConfig
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.enqueued_command import Command
    from clconform.spec_tables import Tables

rules = Rules()

READ_FUNCTIONS = ("clEnqueueReadBuffer", "clEnqueueReadImage", "clEnqueueSVMMemcpy")
CREATE = "clCreateCommandBufferKHR"
ENQUEUE = "clEnqueueCommandBufferKHR"
QUERY, STATE = "clGetCommandBufferInfoKHR", "CL_COMMAND_BUFFER_STATE_KHR"
BUFFER_ASSERTS = "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR"
COMMAND_QUERY = "clGetMutableCommandInfoKHR"
RECORDING_SUCCESS = tuple(f"{name}/success" for name in RECORDING_FUNCTIONS)


# requirements that reads of bytes of recorded commands cover


def shows_recorded_bytes(requirement: str, functions: tuple[str, ...]) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether a read returns bytes that cover requirement ``requirement``.

    A recorded command of one of ``functions`` must have written the bytes. If ``requirement`` is empty, all bytes of
    such a command are accepted.
    """
    answering = tuple(f"{name}/" for name in attributed_functions(functions))

    def holds(asked: CompletedCall) -> bool:
        return any(
            (not requirement or requirement in capabilities) and any(one.startswith(answering) for one in writers)
            for capabilities, writers in asked.cached(_find_writers_of_reads)
        )

    return holds


def _find_writers_of_reads(asked: CompletedCall) -> list[tuple[frozenset[str], set[str]]]:
    """Return, for each memory that a call reads, its used capabilities and the requirements that wrote its bytes.

    Only bytes that the model knows count.
    """
    if asked.code != SUCCESS:
        return []
    try:
        places = asked.context.effect.reads
    except (UnknownFactError, UndefinedBehaviourError):
        return []
    contents = [(place.storage.used_capabilities, place.read()) for place in places]
    return [(capabilities, set(compress(content.writers, content.defined))) for capabilities, content in contents]


def attributed_functions(functions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the functions to which the bytes of recorded commands are attributed.

    The bytes of an updated kernel are attributed to clUpdateMutableCommandsKHR.
    """
    return (*functions, UPDATE) if LAUNCH in functions else functions


def success_requirements(functions: tuple[str, ...]) -> Iterator[str]:
    """Yield the success requirements to which the bytes of recorded commands are attributed."""
    return (f"{name}/success" for name in attributed_functions(functions))


def _declare_shown(rules: Rules, requirement: str, words: str, *functions: str) -> None:
    own = functions or RECORDING_FUNCTIONS
    for read in READ_FUNCTIONS:
        rules.coverage_point(
            requirement, read, words, *success_requirements(own), holds=shows_recorded_bytes(requirement, own)
        )


WAIT_LIST_TEXT = (
    "Checked on reads of bytes from a recorded command. Only its sync_point_wait_list orders this command after an "
    "earlier command."
)
REUSED_LIST_TEXT = (
    "Checked on reads of bytes from a recorded command, if the memory at sync_point_wait_list changed after the "
    "recording."
)
LATER_BYTES_TEXTS = {
    "waits-for-sync-points": WAIT_LIST_TEXT,
    "wait-list-reusable": REUSED_LIST_TEXT,
    "usage-flags-ignored": (
        "Checked on reads of a CL_MEM_READ_ONLY or CL_MEM_HOST_READ_ONLY object after a recorded fill."
    ),
    "empty-list-waits-all": (
        "Checked on reads of bytes from an out-of-order command after a barrier without a wait list."
    ),
    "barrier-waits": "Checked on reads of bytes from an out-of-order command recorded after a barrier.",
    "barrier-blocks-following": "Checked on reads of bytes from an out-of-order command recorded after a barrier.",
}
"""Maps the topics of effects to texts. Reads of bytes from a later command cover these effects."""
OWN_BYTES_TEXTS = {
    "copies-rect-region": "",
    "rect-offset-computation": "",
    "rect-copy-layout": "",
    "fill-region-with-pattern": "Checked on reads of bytes from a recorded fill.",
    "pattern-reusable-on-return": (
        "Checked on reads of bytes from a recorded fill whose memory at pattern later changed."
    ),
}
"""Maps the topics of effects to texts. All reads of bytes from the recorded command cover these effects."""


@rules.completion
def _declare_by_bytes(rules: Rules, tables: Tables) -> None:
    for function in RECORDING_FUNCTIONS:
        own = RECORDING_FUNCTIONS if function == BARRIER else (function,)
        for requirement in tables.requirements_of(function):
            if not isinstance(requirement, Effect):
                continue
            if requirement.topic in LATER_BYTES_TEXTS:
                _declare_shown(rules, requirement.id, LATER_BYTES_TEXTS[requirement.topic], *own)
            elif requirement.topic in OWN_BYTES_TEXTS:
                for read in READ_FUNCTIONS:
                    success = f"{function}/success"
                    rules.coverage_point(
                        requirement.id,
                        read,
                        OWN_BYTES_TEXTS[requirement.topic],
                        success,
                        holds=shows_recorded_bytes("", (function,)),
                    )
    for shown, words, *functions in (
        (
            DEFAULT_QUEUES,
            "Checked on reads of bytes that recorded commands wrote on the queues of their command-buffer.",
        ),
        (OTHER_QUEUES, "Checked on reads of bytes that recorded commands wrote on replacement queues."),
        (
            RETAINED,
            "Checked on reads of bytes from recorded commands whose buffer or kernel the application has released.",
        ),
        (
            REMAPPED,
            "Checked on reads of bytes from a command-buffer remapped to queues with different devices or properties.",
        ),
        (SAME_COMMANDS, "Checked on reads of bytes from a remapped command-buffer."),
        (BY_INDEX, "Checked on reads of bytes from a command-buffer that was remapped with automatic CL_FALSE."),
        (
            AUTOMATICALLY_REMAPPED,
            "Checked on reads of bytes from a command-buffer that was remapped automatically.",
        ),
        (
            SAFELY_DELETED,
            "Checked on reads of bytes from a recorded kernel after the release of an object that an update replaced.",
            LAUNCH,
        ),
        (
            SVM_SIZE_IGNORED,
            "Checked on reads of bytes from a recorded kernel after an update of a pointer with a non-zero arg_size.",
            LAUNCH,
        ),
        (
            CAPTURED,
            "Checked on reads of bytes from a recorded kernel, after calls changed arguments of the kernel object.",
            LAUNCH,
        ),
        (
            CAPTURED_LATER,
            "Checked on reads of bytes from a kernel that was also recorded earlier, with different arguments.",
            LAUNCH,
        ),
    ):
        _declare_shown(rules, shown, words, *functions)


# requirements that queries of command-buffers cover


def state_query_of(holds: Callable[[CommandBuffer], bool]) -> QueryCoverage:
    """Return a coverage condition: the state of a command-buffer is queried, and ``holds`` is true for the buffer."""
    return QueryCoverage((STATE,), lambda asked: isinstance(asked.subject, CommandBuffer) and holds(asked.subject))


def _is_executable(buffer: CommandBuffer) -> bool:
    return buffer.recording is False and not buffer.running_instances


for _record, _words, _holds in (
    ("CL_COMMAND_BUFFER_STATE_KHR/effect/1", "", lambda each: each.recording is True),
    ("CL_COMMAND_BUFFER_STATE_KHR/effect/2", "", _is_executable),
    (
        "CL_COMMAND_BUFFER_STATE_KHR/effect/3",
        "Checked on queries of the state while an instance of the command-buffer waits for a user event.",
        lambda each: each.is_certainly_pending,
    ),
    ("OpenCL:command-buffer-lifecycle/1", "", lambda each: each.recording is True),
    (
        "OpenCL:command-buffer-lifecycle/2",
        "Checked on queries of the state while an instance waits for a user event, and after a wait for it.",
        lambda each: each.is_certainly_pending or (each.enqueue_count > 0 and not each.running_instances),
    ),
    (
        "clFinalizeCommandBufferKHR/effect/1",
        "Checked on queries of the state of a finalized command-buffer that was never enqueued.",
        lambda each: _is_executable(each) and not each.enqueue_count,
    ),
    (
        "clRemapCommandBufferKHR/effect/6",
        "",
        lambda each: each.remapped_from is not None and not each.enqueue_count,
    ),
    (
        "cl_command_buffer_khr:new/CL_COMMAND_BUFFER_STATE_RECORDING_KHR/clCreateCommandBufferKHR",
        "A new command-buffer is in the recording state.",
        lambda each: each.recording is True,
    ),
    (
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_RECORDING_KHR/CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR/clFinalizeCommandBufferKHR",
        "A finalized command-buffer is in the executable state.",
        lambda each: _is_executable(each) and not each.enqueue_count,
    ),
    (
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR/CL_COMMAND_BUFFER_STATE_PENDING_KHR/clEnqueueCommandBufferKHR",
        "A command-buffer is pending while an enqueued instance waits for a user event.",
        lambda each: each.is_certainly_pending,
    ),
    (
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_PENDING_KHR/CL_COMMAND_BUFFER_STATE_PENDING_KHR/clEnqueueCommandBufferKHR",
        "A command-buffer is pending while two enqueued instances wait for a user event.",
        lambda each: each.is_certainly_pending and len(each.running_instances) > 1,
    ),
    (
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_PENDING_KHR/CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR/completion",
        "A command-buffer is executable again after the host has waited for its instances.",
        lambda each: _is_executable(each) and each.enqueue_count > 0,
    ),
):
    rules.coverage_point(_record, QUERY, _words, STATE, holds=state_query_of(_holds))

PROPERTIES = "CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR"
rules.coverage_point(
    "CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR/effect/2",
    QUERY,
    "",
    PROPERTIES,
    holds=QueryCoverage(
        (PROPERTIES,), lambda asked: isinstance(asked.subject, CommandBuffer) and asked.subject.properties is None
    ),
)


# requirements that queries of recorded kernels cover


def _command_query(name: str, holds: Callable[[MutableCommand], bool]) -> QueryCoverage:
    return QueryCoverage((name,), lambda asked: isinstance(asked.subject, MutableCommand) and holds(asked.subject))


def _has_nonzero(field: str) -> Callable[[MutableCommand], bool]:
    return lambda command: any(getattr(command, field))


def _has_zeros(field: str) -> Callable[[MutableCommand], bool]:
    return lambda command: not any(getattr(command, field))


_OFFSET_TEXT, _GLOBAL_TEXT, _LOCAL_TEXT = (
    f"Checked on queries of a command whose {what} is nonzero in a dimension."
    for what in ("global offset", "global size", "local size")
)
for _requirement, _words, _holds in (
    ("CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR/effect/2", _OFFSET_TEXT, _has_nonzero("offset")),
    ("CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR/effect/3", _OFFSET_TEXT, _has_nonzero("offset")),
    ("CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR/effect/4", "", _has_zeros("offset")),
    ("CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR/effect/2", _GLOBAL_TEXT, _has_nonzero("global_size")),
    ("CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR/effect/3", _GLOBAL_TEXT, _has_nonzero("global_size")),
    ("CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR/effect/2", _LOCAL_TEXT, _has_nonzero("local_size")),
    ("CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR/effect/3", _LOCAL_TEXT, _has_nonzero("local_size")),
    ("CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR/effect/4", "", _has_zeros("local_size")),
    ("CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR/effect/1", "", lambda each: each.without_queue),
    (
        "CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR/effect/1",
        "Checked on queries of recorded kernels: the type is CL_COMMAND_NDRANGE_KERNEL.",
        lambda _each: True,
    ),
):
    _query = _requirement.partition("/")[0]
    rules.coverage_point(_requirement, COMMAND_QUERY, _words, _query, holds=_command_query(_query, _holds))
rules.untestable(
    "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR/effect/4",
    "",
    "a kernel without a global size cannot be recorded, except with sizes of zero",
)
for _requirement in (
    "CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR/effect/1",
    "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR/effect/1",
    "CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR/effect/1",
    "CL_MUTABLE_DISPATCH_KERNEL_KHR/effect/1",
    "CL_MUTABLE_DISPATCH_DIMENSIONS_KHR/effect/1",
):
    rules.untestable(
        _requirement,
        "For a command other than a kernel command, param_value_size_ret is 0.",
        "only kernel commands have handles: other functions fail if a handle is requested",
    )
COUNTERPART_QUERIES = ("CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR", "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR")
"""Queries whose results identify the copy of a command in a remapped command-buffer."""
rules.coverage_point(
    "clRemapCommandBufferKHR/effect/4",
    COMMAND_QUERY,
    "",
    *COUNTERPART_QUERIES,
    holds=QueryCoverage(
        COUNTERPART_QUERIES, lambda asked: isinstance(asked.subject, MutableCommand) and asked.subject.is_remapped_copy
    ),
)


# requirements that calls cover, or reads of enqueued commands


def _has_interleaved_command(asked: CompletedCall) -> bool:
    """Return whether a queue of the command-buffer contains an enqueued command that may still run."""
    buffer = asked.subject
    return isinstance(buffer, CommandBuffer) and any(asked.model.commands.of_queue(queue) for queue in buffer.queues)


for _function in RECORDING_FUNCTIONS:
    rules.coverage_point(
        INTERLEAVED,
        _function,
        "Checked on recording calls while an enqueued command on the same queue may still run.",
        f"{_function}/success",
        holds=_has_interleaved_command,
        requires_success=True,
    )


def _reads_before_enqueue(asked: CompletedCall) -> bool:
    """Return whether a call reads a buffer that a recorded command uses, before the command-buffer is enqueued."""
    if asked.code != SUCCESS:
        return False
    read = {place.storage for place in asked.context.effect.reads}
    return any(
        isinstance(thing, Buffer) and thing.memory is not None and thing.memory.storage in read
        for buffer in asked.model.objects_of_class(CommandBuffer)
        if not buffer.enqueue_count
        for recorded in buffer.commands
        for thing in recorded.objects.values()
    )


rules.coverage_point(
    QUEUE_UNCHANGED,
    "clEnqueueReadBuffer",
    "Checked on reads of a buffer that a recorded command uses, before the command-buffer is enqueued.",
    "clEnqueueReadBuffer/success",
    holds=_reads_before_enqueue,
)


def _is_on_several_queues(writer: Command, _queue: CommandQueue, _asked: CompletedCall) -> bool:
    return bool(writer.other_queues) and writer.ended_by == "clWaitForEvents"


rules.coverage_point(
    "OpenCL:command-buffers-and-multiple-devices/1",
    READ_BUFFER,
    "Checked on reads of bytes from an enqueued command-buffer on several queues after clWaitForEvents on its event.",
    *RECORDING_SUCCESS,
    holds=cover_read(_is_on_several_queues),
)


def _enqueues_pending(asked: CompletedCall) -> bool:
    """Return whether a call enqueues a pending command-buffer created without CL_COMMAND_BUFFER_FLAGS_KHR."""
    buffer = asked.subject if isinstance(asked.subject, CommandBuffer) else asked.model.find(asked.call.command_buffer)
    named = list_values(buffer.properties) if isinstance(buffer, CommandBuffer) else {}
    return (
        isinstance(buffer, CommandBuffer)
        and buffer.is_certainly_pending
        and asked.model.constant_value(FLAGS) not in named
    )


for _record in ("clCreateCommandBufferKHR/effect/1", "CL_COMMAND_BUFFER_FLAGS_KHR/effect/1"):
    rules.coverage_point(
        _record,
        ENQUEUE,
        "Checked on calls that enqueue a pending command-buffer created without CL_COMMAND_BUFFER_FLAGS_KHR. By "
        "default, simultaneous use is not allowed.",
        "clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2",
        holds=_enqueues_pending,
    )


# updates


def _updates_command(
    holds: Callable[[MutableCommand, DispatchConfig, CompletedCall], bool],
) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether a call updates a command for which ``holds`` is true."""

    def any_of_them(asked: CompletedCall) -> bool:
        known = [(asked.model.find(each.command), each) for each in listed_configs(asked.call)]
        return any(holds(command, each, asked) for command, each in known if isinstance(command, MutableCommand))

    return any_of_them


def _updates_default_fields(command: MutableCommand, config: DispatchConfig, asked: CompletedCall) -> bool:
    """Return whether an update changes a command recorded without CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR."""
    sizes = (config.global_work_offset, config.global_work_size, config.local_work_size)
    changes = config.num_args or config.num_svm_args or any(each is not None for each in sizes)
    return bool(changes) and asked.model.constant_value(UPDATABLE_FIELDS) not in list_values(command.properties)


for _record in ("clCommandNDRangeKernelKHR/effect/1", "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR/effect/1"):
    rules.coverage_point(
        _record,
        UPDATE,
        "Checked on updates of a command that was recorded without CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR.",
        "clUpdateMutableCommandsKHR/success",
        holds=_updates_command(_updates_default_fields),
        requires_success=True,
    )


@rules.completion
def _declare_inherited_errors(rules: Rules, tables: Tables) -> None:
    borrowed = [each for each in tables.error_conditions_of(UPDATE) if each.inherited_from]

    def breaks(asked: CompletedCall) -> bool:
        for clause in borrowed:
            predicate = asked.rulebook.predicates.predicate_of(clause)
            if predicate is not None and evaluate(predicate, asked.call, asked.model) is MUST:
                return True
        return False

    words = "Checked on updates that violate an inherited error condition."
    rules.coverage_point(
        "clUpdateMutableCommandsKHR/effect/1", UPDATE, words, *(each.id for each in borrowed), holds=breaks
    )


def _reads_after_direct_enqueue(asked: CompletedCall) -> bool:
    """Return whether a read returns bytes from clEnqueueNDRangeKernel after an update of a recorded command."""
    if asked.code != SUCCESS or not any(
        each.changed_parameters for each in asked.model.objects_of_class(MutableCommand)
    ):
        return False
    reads = asked.context.effect.reads
    return any(
        requirement.startswith("clEnqueueNDRangeKernel/") for place in reads for requirement in place.read().writers
    )


rules.coverage_point(
    "OpenCL:mutable-commands/1",
    READ_BUFFER,
    "Checked on reads of bytes from clEnqueueNDRangeKernel after an update of a recorded command.",
    "clEnqueueNDRangeKernel/success",
    holds=_reads_after_direct_enqueue,
)


def _is_unchanged(name: str) -> Callable[[MutableCommand], bool]:
    return lambda command: bool(command.changed_parameters) and name not in command.changed_parameters


for _requirement, _name, _query in (
    (
        "OpenCL:kernel-command-update-structs/2",
        "global_work_offset",
        "CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR",
    ),
    ("OpenCL:kernel-command-update-structs/3", "global_work_size", "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR"),
    ("OpenCL:kernel-command-update-structs/4", "local_work_size", "CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR"),
):
    rules.coverage_point(
        _requirement,
        COMMAND_QUERY,
        "",
        _query,
        holds=_command_query(_query, _is_unchanged(_name)),
    )


# properties and their flags


def _has_property(name: str, flag: str = "") -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether properties contains ``name``, with ``flag`` in its value.

    If ``flag`` is empty, any value is accepted.
    """

    def holds(asked: CompletedCall) -> bool:
        given = list_values(asked.call.properties).get(asked.model.constant_value(name))
        bits = asked.model.constant_value(flag) if flag else 0
        return isinstance(given, int) and given & bits == bits

    return holds


FLAG_PROPERTIES = {
    "cl_command_buffer_flags_khr": ((CREATE, FLAGS),),
    "cl_mutable_dispatch_asserts_khr": ((CREATE, BUFFER_ASSERTS), (LAUNCH, DISPATCH_ASSERTS)),
}
"""Maps a type of flags to the functions and properties that take these flags."""


@rules.completion
def _declare_properties(rules: Rules, tables: Tables) -> None:
    for function in (CREATE, LAUNCH):
        for requirement in tables.requirements_of(function):
            if isinstance(requirement, Property):
                words = f"properties can contain {requirement.name}."
                holds = _has_property(requirement.name)
                rules.coverage_point(
                    requirement.id, function, words, f"{function}/success", holds=holds, requires_success=True
                )
    for kind, ways in FLAG_PROPERTIES.items():
        for flag in TableLookups.for_tables(tables).flags_of(kind):
            for function, name in ways:
                words = f"The value of {name} in properties can contain {flag.name}."
                holds = _has_property(name, flag.name)
                rules.coverage_point(
                    flag.id, function, words, f"{function}/success", holds=holds, requires_success=True
                )


# not testable

STALE_COUNTS = "reference counts are stale immediately, so no count shows whether an object was retained or released"
for _record, _words, _reason in (
    (
        "clRemapCommandBufferKHR/effect/1",
        "clRemapCommandBufferKHR may return the errors about device support that recording functions return.",
        PERMISSION,
    ),
    ("OpenCL:command-buffers/7", "", STALE_COUNTS),
    (
        "clReleaseCommandBufferKHR/effect/1",
        "",
        "a deleted command-buffer cannot be queried, and no callback reports its deletion",
    ),
    ("clCommandNDRangeKernelKHR/effect/7", "", "a freed handle cannot be queried"),
):
    rules.untestable(_record, _words, _reason)


rules.uses_interpretation("command-buffer-order", "OpenCL:command-buffers-and-multiple-devices/1")
rules.uses_interpretation("barrier-of-one-queue", *(f"{BARRIER}/effect/{number}" for number in (3, 5, 6)))


# events of command-buffers on several queues, and the deletion of recorded objects

EVENT_QUERY, EVENT_QUEUE = "clGetEventInfo", "CL_EVENT_COMMAND_QUEUE"
STATE_NOT_OBSERVABLE = "a command may leave a state before any call can query it"
NO_HOST_CLOCK = "the documents do not name a host clock to compare the time with"


def _has_event_of_several_queues(asked: CompletedCall) -> bool:
    command = asked.subject.command if isinstance(asked.subject, Event) else None
    return command is not None and bool(command.other_queues)


rules.coverage_point(
    "CL_EVENT_COMMAND_QUEUE/effect/2",
    EVENT_QUERY,
    "",
    EVENT_QUEUE,
    holds=QueryCoverage((EVENT_QUEUE,), _has_event_of_several_queues),
)
rules.coverage_point(
    "CL_EVENT_COMMAND_EXECUTION_STATUS/effect/6",
    EVENT_QUERY,
    "Checked on queries of the status of a command-buffer on several queues. The command-buffer waits for a user "
    "event, or the host has waited for all of these queues.",
    STATUS_QUERY,
    holds=cover_status_query(
        lambda command: bool(command.other_queues) and (command.waits_for_user_event or command.is_complete)
    ),
)
for _requirement, _reason in (
    ("CL_EVENT_COMMAND_EXECUTION_STATUS/effect/3", STATE_NOT_OBSERVABLE),
    ("CL_EVENT_COMMAND_EXECUTION_STATUS/effect/4", STATE_NOT_OBSERVABLE),
    ("CL_EVENT_COMMAND_EXECUTION_STATUS/effect/5", STATE_NOT_OBSERVABLE),
    ("CL_PROFILING_COMMAND_QUEUED/effect/2", NO_HOST_CLOCK),
    ("CL_PROFILING_COMMAND_SUBMIT/effect/2", NO_HOST_CLOCK),
    ("CL_PROFILING_COMMAND_START/effect/2", NO_HOST_CLOCK),
    ("CL_PROFILING_COMMAND_END/effect/2", NO_HOST_CLOCK),
    ("CL_PROFILING_COMMAND_COMPLETE/effect/2", NO_HOST_CLOCK),
):
    rules.untestable(_requirement, "", _reason)
rules.coverage_point(
    "OpenCL:command-buffers/6",
    AWAIT,
    "Checked when the destructor callback of a released, recorded memory object runs after the deletion of the "
    "command-buffer.",
    "clSetMemObjectDestructorCallback/success",
    "clReleaseCommandBufferKHR/success",
    holds=lambda asked: any(
        isinstance(each.subject, MemoryObject) and each.subject.was_recorded for each in awaited_callbacks(asked)
    ),
)

rules.coverage_point(
    RETAINED,
    AWAIT,
    "Checked after the release of a recorded memory object: the destructor callback must not run before the deletion "
    "of the command-buffer.",
    RETAINED,
    holds=lambda asked: any(
        isinstance(each, DestructionCallback) and each.subject.references < 1 and is_recorded(each.subject, asked.model)
        for each in pending_callbacks(asked.model)
    ),
)


def _has_queue_with_more_properties(asked: CompletedCall) -> bool:
    """Return whether all queues of a new command-buffer have more properties than their devices require."""
    listed = asked.call.queues.values if isinstance(asked.call.queues, ElementList) else ()
    queues = [
        each for each in map(asked.model.find, listed) if isinstance(each, CommandQueue) and each.device is not None
    ]
    return bool(queues) and all(
        bool((each.bits or 0) & ~each.device.number(REQUIRED_QUEUE_PROPERTIES))
        for each in queues
        if each.device is not None
    )


REQUIRED_QUEUE_PROPERTIES = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
rules.coverage_point(
    "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR/effect/1",
    CREATE,
    "",
    "clCreateCommandBufferKHR/success",
    "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1",
    holds=_has_queue_with_more_properties,
    requires_success=True,
)
