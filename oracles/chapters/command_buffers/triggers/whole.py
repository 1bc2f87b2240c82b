"""Which calls test what is said of command-buffers beside their errors, and what none can (section 5.17)."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from clconform.calls.host import AWAIT
from clconform.calls.values import Items
from clconform.oracles.chapters.command_buffers.clauses.making import FLAGS
from clconform.oracles.chapters.command_buffers.clauses.recording import ASSERTS, FIELDS
from clconform.oracles.chapters.command_buffers.showing import (
    BY_INDEX,
    CAPTURED,
    CAPTURED_LATER,
    CHOSEN,
    DEFAULT_QUEUES,
    INTERLEAVED,
    LEFT_ALONE,
    OTHER_QUEUES,
    REMAPPED,
    RETAINED,
    SAFELY_DELETED,
    SAME_COMMANDS,
)
from clconform.oracles.chapters.command_buffers.standing_for import BARRIER, LAUNCH, RECORDING, UPDATE
from clconform.oracles.chapters.command_buffers.success.updated import SVM_SIZE_IGNORED
from clconform.oracles.chapters.command_buffers.updates import configs_in
from clconform.oracles.chapters.notifications.kinds import OfDestruction, recorded_in
from clconform.oracles.chapters.notifications.notices import notices_of
from clconform.oracles.chapters.notifications.triggers import waited_for
from clconform.oracles.engine.answers import Answer, settle
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.command_buffers import CommandBuffer, MutableCommand
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer, MemoryObject
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.order import READ, asked_about, read_after
from clconform.oracles.recurring.property_lists import pairs
from clconform.oracles.recurring.waiting import STATUS
from clconform.spec_tables.lookups import Lookups
from clconform.spec_tables.records import Effect, Property

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import DispatchConfig
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command
    from clconform.spec_tables import Tables

rules = Rules()

READS = ("clEnqueueReadBuffer", "clEnqueueReadImage", "clEnqueueSVMMemcpy")
CREATE, FINALIZE, ENQUEUE = "clCreateCommandBufferKHR", "clFinalizeCommandBufferKHR", "clEnqueueCommandBufferKHR"
REMAP = "clRemapCommandBufferKHR"
QUERY, STATE = "clGetCommandBufferInfoKHR", "CL_COMMAND_BUFFER_STATE_KHR"
BUFFER_ASSERTS = "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR"
OF_COMMANDS = "clGetMutableCommandInfoKHR"
ALL = tuple(f"{name}/success" for name in RECORDING)


# by the bytes that recorded commands leave


def bytes_showing(record: str, functions: tuple[str, ...]) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that bytes are read which a recorded command of some functions left, and which show this."""
    answering = tuple(f"{name}/" for name in answering_for(functions))

    def holds(asked: AnsweredCall) -> bool:
        if asked.code != SUCCESS:
            return False
        try:
            places = asked.judged.effect.reads
        except (UnknownError, ForbiddenError):
            return False
        for place in places:
            if record in place.storage.ways or not record:
                content = place.read()
                if any(one.startswith(answering) for one in set(compress(content.records, content.defined))):
                    return True
        return False

    return holds


def answering_for(functions: tuple[str, ...]) -> tuple[str, ...]:
    """Return the functions that answer for what recorded commands leave: for launches, that which updates them, too."""
    return (*functions, UPDATE) if LAUNCH in functions else functions


def own_success(functions: tuple[str, ...]) -> Iterator[str]:
    """Yield the records that say what commands leave which these functions have recorded."""
    return (f"{name}/success" for name in answering_for(functions))


def _shown(rules: Rules, record: str, words: str, *functions: str) -> None:
    own = functions or RECORDING
    for read in READS:
        rules.trigger(record, read, words, *own_success(own), holds=bytes_showing(record, own))


LIST_WORDS = "A recorded command finds what those have left whose synchronization-points are in its list."
REUSED_WORDS = "A command waits for the synchronization-points of its list, although that list is changed by then."
BY_BYTES = {
    "waits-for-sync-points": LIST_WORDS,
    "wait-list-reusable": REUSED_WORDS,
    "usage-flags-ignored": "A buffer or image that kernels or the host do not write is filled.",
    "empty-list-waits-all": "Behind a barrier without a list, what commands before it have left is there.",
    "barrier-waits": "Behind a barrier, what commands before it have left is there.",
    "barrier-blocks-following": "A command that is recorded behind a barrier finds what commands before it have left.",
}
"""Topic of an effect to its words, where the bytes show it that a command has left after others."""
AT_ONCE = {
    "copies-rect-region": "A recorded copy of a rectangle leaves its bytes in the other buffer.",
    "rect-offset-computation": "A recorded copy of a rectangle begins where its origins say.",
    "rect-copy-layout": "A recorded copy of a rectangle goes from row to row and from slice to slice by the pitches.",
    "fill-region-with-pattern": "A recorded fill repeats its pattern over the memory.",
    "pattern-reusable-on-return": "A recorded fill has its pattern, although that memory is changed by then.",
}
"""The same where every read of what the function left shows it."""


@rules.completion
def _by_their_bytes(rules: Rules, tables: Tables) -> None:
    for function in RECORDING:
        own = RECORDING if function == BARRIER else (function,)
        for record in tables.records_of(function):
            if not isinstance(record, Effect):
                continue
            if record.topic in BY_BYTES:
                _shown(rules, record.id, BY_BYTES[record.topic], *own)
            elif record.topic in AT_ONCE:
                for read in READS:
                    success = f"{function}/success"
                    rules.trigger(record.id, read, AT_ONCE[record.topic], success, holds=bytes_showing("", (function,)))
    for shown, words, functions in (
        (DEFAULT_QUEUES, "Commands run on the queues of their command-buffer if no others are given.", RECORDING),
        (OTHER_QUEUES, "Commands run on queues that replace those of their command-buffer.", RECORDING),
        (RETAINED, "Commands run although the application has released what they were recorded with.", RECORDING),
        (REMAPPED, "Commands run on queues that are unlike those that they were recorded for.", RECORDING),
        (SAME_COMMANDS, "A remapped command-buffer does what the original does.", RECORDING),
        (BY_INDEX, "A remapped command-buffer does what the original does, on other queues.", RECORDING),
        (CHOSEN, "A command-buffer that was remapped automatically does what the original does.", RECORDING),
        (SAFELY_DELETED, "A launch runs although what its update has replaced is gone.", (LAUNCH,)),
        (SVM_SIZE_IGNORED, "A pointer is updated whatever arg_size says.", (LAUNCH,)),
        (CAPTURED, "A recorded launch has the arguments that its kernel had then.", (LAUNCH,)),
        (CAPTURED_LATER, "A launch has the arguments of its own recording, not those of an earlier one.", (LAUNCH,)),
    ):
        _shown(rules, shown, words, *functions)


# by what is asked of a command-buffer


def state_where(holds: Callable[[CommandBuffer], bool]) -> Answered:
    """Return the trigger that the state of such a command-buffer is asked for."""
    return Answered((STATE,), lambda asked: isinstance(asked.subject, CommandBuffer) and holds(asked.subject))


def _executable(buffer: CommandBuffer) -> bool:
    return buffer.recording is False and not buffer.running


for _record, _words, _holds in (
    (f"{STATE}/effect/1", "A command-buffer is recording until it is finalized.", lambda each: each.recording is True),
    (f"{STATE}/effect/2", "A finalized command-buffer that is not pending is executable.", _executable),
    (f"{STATE}/effect/3", "A command-buffer that waits for a user event is pending.", lambda each: each.held),
    ("OpenCL:command-buffer-lifecycle/1", "A new command-buffer is recording.", lambda each: each.recording is True),
    (
        "OpenCL:command-buffer-lifecycle/2",
        "A command-buffer is pending while its instance is held up, and executable after that.",
        lambda each: each.held or (each.times > 0 and not each.running),
    ),
    (
        f"{FINALIZE}/effect/1",
        "A command-buffer that was finalized is executable.",
        lambda each: _executable(each) and not each.times,
    ),
):
    rules.trigger(_record, QUERY, _words, STATE, holds=state_where(_holds))

rules.trigger(
    f"{REMAP}/effect/6",
    QUERY,
    "A remapped command-buffer is in the state of the original, or executable where that is pending.",
    STATE,
    holds=state_where(lambda each: each.remapped_from is not None and not each.times),
)

KIND, RECORDING_STATE = "cl_command_buffer_khr", "CL_COMMAND_BUFFER_STATE_RECORDING_KHR"
EXECUTABLE, PENDING = "CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR", "CL_COMMAND_BUFFER_STATE_PENDING_KHR"
for _record, _words, _holds in (
    (f"new/{RECORDING_STATE}/{CREATE}", "A new command-buffer is recording.", lambda each: each.recording is True),
    (
        f"{RECORDING_STATE}/{EXECUTABLE}/{FINALIZE}",
        "A command-buffer that was finalized is executable.",
        lambda each: _executable(each) and not each.times,
    ),
    (
        f"{EXECUTABLE}/{PENDING}/{ENQUEUE}",
        "A command-buffer that was enqueued behind a user event is pending.",
        lambda each: each.held,
    ),
    (
        f"{PENDING}/{PENDING}/{ENQUEUE}",
        "A command-buffer that was enqueued twice behind a user event is pending.",
        lambda each: each.held and len(each.running) > 1,
    ),
    (
        f"{PENDING}/{EXECUTABLE}/completion",
        "A command-buffer is executable again once the host has waited for its instances.",
        lambda each: _executable(each) and each.times > 0,
    ),
):
    rules.trigger(f"{KIND}:{_record}", QUERY, _words, STATE, holds=state_where(_holds))

PROPERTIES = "CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR"
rules.trigger(
    f"{PROPERTIES}/effect/2",
    QUERY,
    "Of a command-buffer made without a list, the list is empty or its end alone.",
    PROPERTIES,
    holds=Answered(
        (PROPERTIES,), lambda asked: isinstance(asked.subject, CommandBuffer) and asked.subject.properties is None
    ),
)


# by what is asked of a recorded launch


def _of_a_command(name: str, holds: Callable[[MutableCommand], bool]) -> Answered:
    return Answered((name,), lambda asked: isinstance(asked.subject, MutableCommand) and holds(asked.subject))


SIZES = {
    "GLOBAL_WORK_OFFSET": ("offset", "global offset"),
    "GLOBAL_WORK_SIZE": ("global_size", "global size"),
    "LOCAL_WORK_SIZE": ("local_size", "local size"),
}


OF_COUNTERPARTS = ("CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR", "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR")
"""Queries that tell a remapped command from others."""


@rules.completion
def _of_commands(rules: Rules, _tables: Tables) -> None:
    for name, (field, words) in SIZES.items():
        query = f"CL_MUTABLE_DISPATCH_{name}_KHR"

        def set_(command: MutableCommand, field: str = field) -> bool:
            return any(getattr(command, field))

        def unset(command: MutableCommand, field: str = field) -> bool:
            return not any(getattr(command, field))

        told = f"The {words} is that of the latest update, or of the recording."
        rules.trigger(f"{query}/effect/2", OF_COMMANDS, told, query, holds=_of_a_command(query, set_))
        many = f"As many numbers are returned for the {words} as the launch has dimensions."
        rules.trigger(f"{query}/effect/3", OF_COMMANDS, many, query, holds=_of_a_command(query, set_))
        zeros = f"The {words} is zero in each dimension where none was given."
        if name == "GLOBAL_WORK_SIZE":
            reason = "a launch without a global size cannot be recorded: that is an error, or its size is zero"
            rules.untestable(f"{query}/effect/4", zeros, reason)
        else:
            rules.trigger(f"{query}/effect/4", OF_COMMANDS, zeros, query, holds=_of_a_command(query, unset))
        rules.untestable(
            f"{query}/effect/1",
            "For a command other than a kernel command, param_value_size_ret is 0.",
            NO_OTHER_HANDLES,
        )
    for name in ("KERNEL", "DIMENSIONS"):
        rules.untestable(
            f"CL_MUTABLE_DISPATCH_{name}_KHR/effect/1",
            "For a command other than a kernel command, param_value_size_ret is 0.",
            NO_OTHER_HANDLES,
        )
    rules.trigger(
        f"{REMAP}/effect/4",
        OF_COMMANDS,
        "A handle of a remapped command is that of the command at the same place of the list.",
        *OF_COUNTERPARTS,
        holds=Answered(
            OF_COUNTERPARTS, lambda asked: isinstance(asked.subject, MutableCommand) and asked.subject.counterpart
        ),
    )
    queue, kind = "CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR", "CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR"
    rules.trigger(
        f"{queue}/effect/1",
        OF_COMMANDS,
        "The queue of a command that was recorded with NULL is that of its command-buffer.",
        queue,
        holds=_of_a_command(queue, lambda each: each.without_queue),
    )
    rules.trigger(
        f"{kind}/effect/1",
        OF_COMMANDS,
        "The type of a launch is the one that events of launches have.",
        kind,
        holds=_of_a_command(kind, lambda _each: True),
    )


NO_OTHER_HANDLES = "only kernel commands can have handles: other functions fail if a handle is requested"


# by calls that record or enqueue


def _between_recordings(asked: AnsweredCall) -> bool:
    """Return whether a command was enqueued on a queue of the command-buffer, and may still run."""
    buffer = asked.subject
    return isinstance(buffer, CommandBuffer) and any(asked.model.order.of_queue(queue) for queue in buffer.queues)


for _function in RECORDING:
    rules.trigger(
        INTERLEAVED,
        _function,
        "A command is recorded after one was enqueued on the same queue.",
        f"{_function}/success",
        holds=_between_recordings,
        by_success=True,
    )


def _recorded_only(asked: AnsweredCall) -> bool:
    """Return whether bytes are read that only a command could have changed which was recorded, and has not run."""
    if asked.code != SUCCESS:
        return False
    read = {place.storage for place in asked.judged.effect.reads}
    return any(
        isinstance(thing, Buffer) and thing.memory is not None and thing.memory.storage in read
        for buffer in asked.model.of_kind(CommandBuffer)
        if not buffer.times
        for recorded in buffer.commands
        for thing in recorded.things.values()
    )


rules.trigger(
    LEFT_ALONE,
    "clEnqueueReadBuffer",
    "A command that is recorded does not run before its command-buffer is enqueued.",
    "clEnqueueReadBuffer/success",
    holds=_recorded_only,
)


def _on_several(writer: Command, _queue: Queue, _asked: AnsweredCall) -> bool:
    return bool(writer.also) and writer.ended_by == "clWaitForEvents"


rules.trigger(
    "OpenCL:command-buffers-and-multiple-devices/1",
    READ,
    "After a wait for the event of a command-buffer on several queues, what its commands have left is there.",
    *ALL,
    holds=read_after(_on_several),
)


def _enqueued_although_pending(asked: AnsweredCall) -> bool:
    """Return whether a pending command-buffer is enqueued again whose properties do not say that it may be."""
    buffer = asked.subject if isinstance(asked.subject, CommandBuffer) else asked.model.known(asked.call.command_buffer)
    named = pairs(buffer.properties) if isinstance(buffer, CommandBuffer) else {}
    return isinstance(buffer, CommandBuffer) and buffer.held and asked.model.value(FLAGS) not in named


for _record in (f"{CREATE}/effect/1", f"{FLAGS}/effect/1"):
    rules.trigger(
        _record,
        ENQUEUE,
        "A command-buffer whose properties name no flags is not for simultaneous use.",
        f"{ENQUEUE}/CL_INVALID_OPERATION/2",
        holds=_enqueued_although_pending,
    )


# updates


def _updates(holds: Callable[[MutableCommand, DispatchConfig, AnsweredCall], bool]) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that an update is of a launch of which something is so."""

    def any_of_them(asked: AnsweredCall) -> bool:
        known = [(asked.model.known(each.command), each) for each in configs_in(asked.call)]
        return any(holds(command, each, asked) for command, each in known if isinstance(command, MutableCommand))

    return any_of_them


def _by_default(command: MutableCommand, config: DispatchConfig, asked: AnsweredCall) -> bool:
    """Return whether something is updated of a launch whose properties do not say what may be."""
    sizes = (config.global_work_offset, config.global_work_size, config.local_work_size)
    changes = config.num_args or config.num_svm_args or any(each is not None for each in sizes)
    return bool(changes) and asked.model.value(FIELDS) not in pairs(command.properties)


for _record in (f"{LAUNCH}/effect/1", f"{FIELDS}/effect/1"):
    rules.trigger(
        _record,
        UPDATE,
        "A launch whose properties do not say what may be updated allows what the device can.",
        f"{UPDATE}/success",
        holds=_updates(_by_default),
        by_success=True,
    )


@rules.completion
def _errors_of_others(rules: Rules, tables: Tables) -> None:
    borrowed = [each for each in tables.clauses_of(UPDATE) if each.same_as]

    def breaks(asked: AnsweredCall) -> bool:
        for clause in borrowed:
            predicate = asked.rulebook.predicate_of(clause)
            if predicate is not None and settle(predicate, asked.call, asked.model) is Answer.MUST:
                return True
        return False

    words = "An invalid value of an update is the error that it is in the call for it."
    rules.trigger(f"{UPDATE}/effect/1", UPDATE, words, *(each.id for each in borrowed), holds=breaks)


def _kernel_launched_itself(asked: AnsweredCall) -> bool:
    """Return whether bytes are read that a kernel has left, launched at once after a launch of it was updated."""
    if asked.code != SUCCESS or not any(each.changed for each in asked.model.of_kind(MutableCommand)):
        return False
    reads = asked.judged.effect.reads
    return any(record.startswith("clEnqueueNDRangeKernel/") for place in reads for record in place.read().records)


rules.trigger(
    "OpenCL:mutable-commands/1",
    READ,
    "A kernel that is launched has the arguments that were set, although those of a recorded launch were updated.",
    "clEnqueueNDRangeKernel/success",
    holds=_kernel_launched_itself,
)


def _kept(name: str) -> Callable[[MutableCommand], bool]:
    return lambda command: bool(command.changed) and name not in command.changed


for _number, _name, _query in (
    (2, "global_work_offset", "CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR"),
    (3, "global_work_size", "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR"),
    (4, "local_work_size", "CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR"),
):
    rules.trigger(
        f"OpenCL:kernel-command-update-structs/{_number}",
        OF_COMMANDS,
        f"After an update with NULL for {_name}, the launch has the one that it had.",
        _query,
        holds=_of_a_command(_query, _kept(_name)),
    )


# properties and their flags


def _listed(name: str, flag: str = "") -> Callable[[AnsweredCall], bool]:
    """Return the trigger that the properties hold a name, and if asked for with this bit."""

    def holds(asked: AnsweredCall) -> bool:
        given = pairs(asked.call.properties).get(asked.model.value(name))
        bits = asked.model.value(flag) if flag else 0
        return isinstance(given, int) and given & bits == bits

    return holds


GIVEN_BY = {
    "cl_command_buffer_flags_khr": ((CREATE, FLAGS),),
    "cl_mutable_dispatch_asserts_khr": ((CREATE, BUFFER_ASSERTS), (LAUNCH, ASSERTS)),
}
"""Type of a flag to the functions and properties that give it."""


@rules.completion
def _properties(rules: Rules, tables: Tables) -> None:
    for function in (CREATE, LAUNCH):
        for record in tables.records_of(function):
            if isinstance(record, Property):
                words = "The property can be given."
                holds = _listed(record.name)
                rules.trigger(record.id, function, words, f"{function}/success", holds=holds, by_success=True)
    for kind, ways in GIVEN_BY.items():
        for flag in Lookups.of(tables).flags_of(kind):
            for function, name in ways:
                words = "The flag can be given."
                holds = _listed(name, flag.name)
                rules.trigger(flag.id, function, words, f"{function}/success", holds=holds, by_success=True)


# what no call can show

STALE = "counts are said to be stale at once, so that no count tells whether an object was retained or released"
for _record, _words, _reason in (
    (
        f"{REMAP}/effect/1",
        "Remapping may fail with errors about what a device supports that recording a command returns.",
        PERMISSION,
    ),
    ("OpenCL:command-buffers/7", "A recorded launch does not retain the arguments of its kernel.", STALE),
    (
        "clReleaseCommandBufferKHR/effect/1",
        "A command-buffer is deleted once it has no references and has run.",
        "a command-buffer that is deleted can be asked nothing, and nothing tells of its end",
    ),
    (
        f"{LAUNCH}/effect/7",
        "The handle of a command is freed together with its command-buffer.",
        "a handle that is freed can be asked nothing",
    ),
):
    rules.untestable(_record, _words, _reason)


rules.by_reading("order-around-a-command-buffer", "OpenCL:command-buffers-and-multiple-devices/1")
rules.by_reading("barrier-of-one-queue", *(f"{BARRIER}/effect/{number}" for number in (3, 5, 6)))


# events of command-buffers on several queues, and the end of what was recorded

OF_EVENTS, OWN_QUEUE = "clGetEventInfo", "CL_EVENT_COMMAND_QUEUE"
PAST = "a command may be past a state before any call can ask for it"
NO_CLOCK = "no clock of the host is named, with which the time could be compared"


def _of_several(asked: AnsweredCall) -> bool:
    command = asked.subject.command if isinstance(asked.subject, Event) else None
    return command is not None and bool(command.also)


rules.trigger(
    f"{OWN_QUEUE}/effect/2",
    OF_EVENTS,
    "The event of a command-buffer on several queues has none.",
    OWN_QUEUE,
    holds=Answered((OWN_QUEUE,), _of_several),
)
rules.trigger(
    f"{STATUS}/effect/6",
    OF_EVENTS,
    "A command-buffer on several queues is not complete while it waits for the user, and is after a wait for all.",
    STATUS,
    holds=asked_about(lambda command: bool(command.also) and (command.waits_for_the_user or command.over)),
)
for _number, _state_name in ((3, "queued"), (4, "submitted"), (5, "running")):
    rules.untestable(
        f"{STATUS}/effect/{_number}", f"A command-buffer on several queues is {_state_name} for all of them.", PAST
    )
for _name in ("QUEUED", "SUBMIT", "START", "END", "COMPLETE"):
    rules.untestable(
        f"CL_PROFILING_COMMAND_{_name}/effect/2",
        "The time of a command-buffer on several queues is one of the host.",
        NO_CLOCK,
    )
rules.trigger(
    "OpenCL:command-buffers/6",
    AWAIT,
    "An object that was recorded, and has no references, is deleted with its command-buffer: its callback tells of it.",
    "clSetMemObjectDestructorCallback/success",
    "clReleaseCommandBufferKHR/success",
    holds=lambda asked: any(isinstance(each.thing, MemoryObject) and each.thing.recorded for each in waited_for(asked)),
)

rules.trigger(
    RETAINED,
    AWAIT,
    "An object that was recorded, and has no references, is not deleted before its command-buffer.",
    RETAINED,
    holds=lambda asked: any(
        isinstance(each, OfDestruction) and each.thing.references < 1 and recorded_in(each.thing, asked.model)
        for each in notices_of(asked.model)
    ),
)


def _with_more_properties(asked: AnsweredCall) -> bool:
    """Return whether a command-buffer is made for a queue with more properties than the device requires."""
    listed = asked.call.queues.values if isinstance(asked.call.queues, Items) else ()
    queues = [each for each in map(asked.model.known, listed) if isinstance(each, Queue) and each.device is not None]
    return bool(queues) and all(
        bool((each.bits or 0) & ~each.device.number(REQUIRED_OF_QUEUES)) for each in queues if each.device is not None
    )


REQUIRED_OF_QUEUES = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
rules.trigger(
    f"{REQUIRED_OF_QUEUES}/effect/1",
    CREATE,
    "A command-buffer is made for a queue with more properties than the device requires.",
    f"{CREATE}/success",
    f"{CREATE}/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1",
    holds=_with_more_properties,
    by_success=True,
)
