"""Coverage points of command-buffers, apart from their error conditions, and untestable requirements (section 5.17)."""

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


# by the bytes that recorded commands write


def bytes_showing(record: str, functions: tuple[str, ...]) -> Callable[[AnsweredCall], bool]:
    """Return the test that a read returns bytes of a recorded command that show a requirement."""
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
    """Return the functions to which bytes of recorded commands are attributed; updates also, for kernels."""
    return (*functions, UPDATE) if LAUNCH in functions else functions


def own_success(functions: tuple[str, ...]) -> Iterator[str]:
    """Yield the success requirements to which bytes of recorded commands are attributed."""
    return (f"{name}/success" for name in answering_for(functions))


def _shown(rules: Rules, record: str, words: str, *functions: str) -> None:
    own = functions or RECORDING
    for read in READS:
        rules.trigger(record, read, words, *own_success(own), holds=bytes_showing(record, own))


LIST_WORDS = (
    "Checked on reads of bytes from a recorded command with a synchronization-point wait list, where only that list "
    "orders it."
)
REUSED_WORDS = (
    "Checked on reads of bytes from a recorded command with a synchronization-point wait list, whose memory changed "
    "after the recording."
)
BY_BYTES = {
    "waits-for-sync-points": LIST_WORDS,
    "wait-list-reusable": REUSED_WORDS,
    "usage-flags-ignored": "Checked on reads of an object with CL_MEM_(HOST_)READ_ONLY after a recorded fill.",
    "empty-list-waits-all": "Checked on reads of bytes of an out-of-order command after a barrier without a list.",
    "barrier-waits": "Checked on reads of bytes from an out-of-order command recorded after a barrier.",
    "barrier-blocks-following": "Checked on reads of bytes from an out-of-order command recorded after a barrier.",
}
"""Topics of effects that the bytes of a later command show, with the texts of the coverage points."""
AT_ONCE = {
    "copies-rect-region": "",
    "rect-offset-computation": "",
    "rect-copy-layout": "",
    "fill-region-with-pattern": "Checked on reads of bytes from a recorded fill.",
    "pattern-reusable-on-return": "Checked on reads of bytes from a recorded fill whose pattern later changed.",
}
"""The same for effects that every read of the written bytes shows."""


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
        (
            DEFAULT_QUEUES,
            "Checked on reads of bytes that recorded commands wrote on the queues of their command-buffer.",
            RECORDING,
        ),
        (OTHER_QUEUES, "Checked on reads of bytes that recorded commands wrote on replacement queues.", RECORDING),
        (
            RETAINED,
            "Checked on reads of bytes from commands whose buffer or kernel the application has released.",
            RECORDING,
        ),
        (
            REMAPPED,
            "Checked on reads of bytes from a remapped command-buffer whose queues differ in device or properties.",
            RECORDING,
        ),
        (SAME_COMMANDS, "Checked on reads of bytes from a remapped command-buffer.", RECORDING),
        (
            BY_INDEX,
            (
                "Checked on reads of bytes from a command-buffer that was remapped to queues with other devices or "
                "properties."
            ),
            RECORDING,
        ),
        (CHOSEN, "Checked on reads of bytes from a command-buffer that was remapped automatically.", RECORDING),
        (
            SAFELY_DELETED,
            "Checked on reads of bytes from a recorded kernel after the release of an object that an update replaced.",
            (LAUNCH,),
        ),
        (
            SVM_SIZE_IGNORED,
            "Checked on reads of bytes from a recorded kernel after an update of a pointer with a non-zero arg_size.",
            (LAUNCH,),
        ),
        (
            CAPTURED,
            "Checked on reads of bytes from a recorded kernel whose arguments were set anew after the recording.",
            (LAUNCH,),
        ),
        (
            CAPTURED_LATER,
            "Checked on reads of bytes from a kernel that was recorded earlier with other arguments.",
            (LAUNCH,),
        ),
    ):
        _shown(rules, shown, words, *functions)


# by queries of command-buffers


def state_where(holds: Callable[[CommandBuffer], bool]) -> Answered:
    """Return the coverage point of queries of the state of a command-buffer that meets a condition."""
    return Answered((STATE,), lambda asked: isinstance(asked.subject, CommandBuffer) and holds(asked.subject))


def _executable(buffer: CommandBuffer) -> bool:
    return buffer.recording is False and not buffer.running


for _record, _words, _holds in (
    (f"{STATE}/effect/1", "", lambda each: each.recording is True),
    (f"{STATE}/effect/2", "", _executable),
    (
        f"{STATE}/effect/3",
        "Checked on queries while an instance of the command-buffer waits for a user event.",
        lambda each: each.held,
    ),
    ("OpenCL:command-buffer-lifecycle/1", "", lambda each: each.recording is True),
    (
        "OpenCL:command-buffer-lifecycle/2",
        "Checked on queries while an instance waits for a user event, and after a wait for the instance.",
        lambda each: each.held or (each.times > 0 and not each.running),
    ),
    (
        f"{FINALIZE}/effect/1",
        "Checked on queries of the state of a finalized command-buffer that was never enqueued.",
        lambda each: _executable(each) and not each.times,
    ),
):
    rules.trigger(_record, QUERY, _words, STATE, holds=state_where(_holds))

rules.trigger(
    f"{REMAP}/effect/6",
    QUERY,
    "",
    STATE,
    holds=state_where(lambda each: each.remapped_from is not None and not each.times),
)

KIND, RECORDING_STATE = "cl_command_buffer_khr", "CL_COMMAND_BUFFER_STATE_RECORDING_KHR"
EXECUTABLE, PENDING = "CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR", "CL_COMMAND_BUFFER_STATE_PENDING_KHR"
for _record, _words, _holds in (
    (
        f"new/{RECORDING_STATE}/{CREATE}",
        "A new command-buffer is in the recording state.",
        lambda each: each.recording is True,
    ),
    (
        f"{RECORDING_STATE}/{EXECUTABLE}/{FINALIZE}",
        "A finalized command-buffer is in the executable state.",
        lambda each: _executable(each) and not each.times,
    ),
    (
        f"{EXECUTABLE}/{PENDING}/{ENQUEUE}",
        "A command-buffer is pending while an enqueued instance waits for a user event.",
        lambda each: each.held,
    ),
    (
        f"{PENDING}/{PENDING}/{ENQUEUE}",
        "A command-buffer is pending while two enqueued instances wait for a user event.",
        lambda each: each.held and len(each.running) > 1,
    ),
    (
        f"{PENDING}/{EXECUTABLE}/completion",
        "A command-buffer is executable again after the host has waited for its instances.",
        lambda each: _executable(each) and each.times > 0,
    ),
):
    rules.trigger(f"{KIND}:{_record}", QUERY, _words, STATE, holds=state_where(_holds))

PROPERTIES = "CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR"
rules.trigger(
    f"{PROPERTIES}/effect/2",
    QUERY,
    "",
    PROPERTIES,
    holds=Answered(
        (PROPERTIES,), lambda asked: isinstance(asked.subject, CommandBuffer) and asked.subject.properties is None
    ),
)


# by queries of recorded kernel commands


def _of_a_command(name: str, holds: Callable[[MutableCommand], bool]) -> Answered:
    return Answered((name,), lambda asked: isinstance(asked.subject, MutableCommand) and holds(asked.subject))


SIZES = {
    "GLOBAL_WORK_OFFSET": ("offset", "global offset"),
    "GLOBAL_WORK_SIZE": ("global_size", "global size"),
    "LOCAL_WORK_SIZE": ("local_size", "local size"),
}


OF_COUNTERPARTS = ("CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR", "CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR")
"""Queries that distinguish a remapped command from others."""


@rules.completion
def _of_commands(rules: Rules, _tables: Tables) -> None:
    for name, (field, words) in SIZES.items():
        query = f"CL_MUTABLE_DISPATCH_{name}_KHR"

        def set_(command: MutableCommand, field: str = field) -> bool:
            return any(getattr(command, field))

        def unset(command: MutableCommand, field: str = field) -> bool:
            return not any(getattr(command, field))

        told = f"Checked on queries of a command whose {words} is not 0."
        rules.trigger(f"{query}/effect/2", OF_COMMANDS, told, query, holds=_of_a_command(query, set_))
        many = f"Checked on queries of a command whose {words} is not 0."
        rules.trigger(f"{query}/effect/3", OF_COMMANDS, many, query, holds=_of_a_command(query, set_))
        zeros = ""
        if name == "GLOBAL_WORK_SIZE":
            reason = "a kernel without a global size cannot be recorded, except with sizes of zero"
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
        "",
        *OF_COUNTERPARTS,
        holds=Answered(
            OF_COUNTERPARTS, lambda asked: isinstance(asked.subject, MutableCommand) and asked.subject.counterpart
        ),
    )
    queue, kind = "CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR", "CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR"
    rules.trigger(
        f"{queue}/effect/1",
        OF_COMMANDS,
        "",
        queue,
        holds=_of_a_command(queue, lambda each: each.without_queue),
    )
    rules.trigger(
        f"{kind}/effect/1",
        OF_COMMANDS,
        "Checked on recorded kernels: the type is CL_COMMAND_NDRANGE_KERNEL.",
        kind,
        holds=_of_a_command(kind, lambda _each: True),
    )


NO_OTHER_HANDLES = "only kernel commands have handles: other functions fail if a handle is requested"


# by calls that record or enqueue


def _between_recordings(asked: AnsweredCall) -> bool:
    """Return whether a queue of the command-buffer has an enqueued command that may still run."""
    buffer = asked.subject
    return isinstance(buffer, CommandBuffer) and any(asked.model.order.of_queue(queue) for queue in buffer.queues)


for _function in RECORDING:
    rules.trigger(
        INTERLEAVED,
        _function,
        "Checked on recording calls while an enqueued command on the same queue may still run.",
        f"{_function}/success",
        holds=_between_recordings,
        by_success=True,
    )


def _recorded_only(asked: AnsweredCall) -> bool:
    """Return whether a read returns bytes of a buffer that a recorded command would change, but that has not run."""
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
    "Checked on reads of a buffer that a recorded command uses, before its command-buffer is enqueued.",
    "clEnqueueReadBuffer/success",
    holds=_recorded_only,
)


def _on_several(writer: Command, _queue: Queue, _asked: AnsweredCall) -> bool:
    return bool(writer.also) and writer.ended_by == "clWaitForEvents"


rules.trigger(
    "OpenCL:command-buffers-and-multiple-devices/1",
    READ,
    "Checked on reads of bytes from a command-buffer on several queues after clWaitForEvents on its event.",
    *ALL,
    holds=read_after(_on_several),
)


def _enqueued_although_pending(asked: AnsweredCall) -> bool:
    """Return whether the call enqueues a pending command-buffer that was created without flags."""
    buffer = asked.subject if isinstance(asked.subject, CommandBuffer) else asked.model.known(asked.call.command_buffer)
    named = pairs(buffer.properties) if isinstance(buffer, CommandBuffer) else {}
    return isinstance(buffer, CommandBuffer) and buffer.held and asked.model.value(FLAGS) not in named


for _record in (f"{CREATE}/effect/1", f"{FLAGS}/effect/1"):
    rules.trigger(
        _record,
        ENQUEUE,
        "Checked on calls that enqueue a pending command-buffer that was created without flags; the default does not "
        "include simultaneous use.",
        f"{ENQUEUE}/CL_INVALID_OPERATION/2",
        holds=_enqueued_although_pending,
    )


# updates


def _updates(holds: Callable[[MutableCommand, DispatchConfig, AnsweredCall], bool]) -> Callable[[AnsweredCall], bool]:
    """Return the test that a call updates a command for which a condition holds."""

    def any_of_them(asked: AnsweredCall) -> bool:
        known = [(asked.model.known(each.command), each) for each in configs_in(asked.call)]
        return any(holds(command, each, asked) for command, each in known if isinstance(command, MutableCommand))

    return any_of_them


def _by_default(command: MutableCommand, config: DispatchConfig, asked: AnsweredCall) -> bool:
    """Return whether an update changes a command that was recorded without updatable fields in its properties."""
    sizes = (config.global_work_offset, config.global_work_size, config.local_work_size)
    changes = config.num_args or config.num_svm_args or any(each is not None for each in sizes)
    return bool(changes) and asked.model.value(FIELDS) not in pairs(command.properties)


for _record in (f"{LAUNCH}/effect/1", f"{FIELDS}/effect/1"):
    rules.trigger(
        _record,
        UPDATE,
        "Checked on updates of a command that was recorded without CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR.",
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

    words = "Checked on updates that violate an inherited condition."
    rules.trigger(f"{UPDATE}/effect/1", UPDATE, words, *(each.id for each in borrowed), holds=breaks)


def _kernel_launched_itself(asked: AnsweredCall) -> bool:
    """Return whether a read returns bytes of an enqueued kernel after an update of a recorded command."""
    if asked.code != SUCCESS or not any(each.changed for each in asked.model.of_kind(MutableCommand)):
        return False
    reads = asked.judged.effect.reads
    return any(record.startswith("clEnqueueNDRangeKernel/") for place in reads for record in place.read().records)


rules.trigger(
    "OpenCL:mutable-commands/1",
    READ,
    "Checked on reads of bytes from clEnqueueNDRangeKernel after an update of a recorded command.",
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
        "",
        _query,
        holds=_of_a_command(_query, _kept(_name)),
    )


# properties and their flags


def _listed(name: str, flag: str = "") -> Callable[[AnsweredCall], bool]:
    """Return the test that the property list contains a name, with a bit in its value if ``flag`` is given."""

    def holds(asked: AnsweredCall) -> bool:
        given = pairs(asked.call.properties).get(asked.model.value(name))
        bits = asked.model.value(flag) if flag else 0
        return isinstance(given, int) and given & bits == bits

    return holds


GIVEN_BY = {
    "cl_command_buffer_flags_khr": ((CREATE, FLAGS),),
    "cl_mutable_dispatch_asserts_khr": ((CREATE, BUFFER_ASSERTS), (LAUNCH, ASSERTS)),
}
"""Types of flags to the functions and properties that take them."""


@rules.completion
def _properties(rules: Rules, tables: Tables) -> None:
    for function in (CREATE, LAUNCH):
        for record in tables.records_of(function):
            if isinstance(record, Property):
                words = "The property can be used."
                holds = _listed(record.name)
                rules.trigger(record.id, function, words, f"{function}/success", holds=holds, by_success=True)
    for kind, ways in GIVEN_BY.items():
        for flag in Lookups.of(tables).flags_of(kind):
            for function, name in ways:
                words = "The flag can be used."
                holds = _listed(name, flag.name)
                rules.trigger(flag.id, function, words, f"{function}/success", holds=holds, by_success=True)


# not testable

STALE = "reference counts are stale immediately, so no count shows whether an object was retained or released"
for _record, _words, _reason in (
    (
        f"{REMAP}/effect/1",
        "Remapping may fail with the errors about device support that recording a command returns.",
        PERMISSION,
    ),
    ("OpenCL:command-buffers/7", "", STALE),
    (
        "clReleaseCommandBufferKHR/effect/1",
        "",
        "a deleted command-buffer cannot be queried, and no callback reports its deletion",
    ),
    (
        f"{LAUNCH}/effect/7",
        "",
        "a freed handle cannot be queried",
    ),
):
    rules.untestable(_record, _words, _reason)


rules.by_reading("order-around-a-command-buffer", "OpenCL:command-buffers-and-multiple-devices/1")
rules.by_reading("barrier-of-one-queue", *(f"{BARRIER}/effect/{number}" for number in (3, 5, 6)))


# events of command-buffers on several queues, and the deletion of recorded objects

OF_EVENTS, OWN_QUEUE = "clGetEventInfo", "CL_EVENT_COMMAND_QUEUE"
PAST = "a command may leave a state before any call can query it"
NO_CLOCK = "the documents do not name a host clock to compare the time with"


def _of_several(asked: AnsweredCall) -> bool:
    command = asked.subject.command if isinstance(asked.subject, Event) else None
    return command is not None and bool(command.also)


rules.trigger(
    f"{OWN_QUEUE}/effect/2",
    OF_EVENTS,
    "",
    OWN_QUEUE,
    holds=Answered((OWN_QUEUE,), _of_several),
)
rules.trigger(
    f"{STATUS}/effect/6",
    OF_EVENTS,
    "Checked on a command-buffer on several queues while it waits for a user event, and after a wait for all queues.",
    STATUS,
    holds=asked_about(lambda command: bool(command.also) and (command.waits_for_the_user or command.over)),
)
for _number, _state_name in ((3, "queued"), (4, "submitted"), (5, "running")):
    rules.untestable(f"{STATUS}/effect/{_number}", "", PAST)
for _name in ("QUEUED", "SUBMIT", "START", "END", "COMPLETE"):
    rules.untestable(
        f"CL_PROFILING_COMMAND_{_name}/effect/2",
        "",
        NO_CLOCK,
    )
rules.trigger(
    "OpenCL:command-buffers/6",
    AWAIT,
    "Checked on the destructor callback of a recorded object without references after the deletion of its "
    "command-buffer.",
    "clSetMemObjectDestructorCallback/success",
    "clReleaseCommandBufferKHR/success",
    holds=lambda asked: any(isinstance(each.thing, MemoryObject) and each.thing.recorded for each in waited_for(asked)),
)

rules.trigger(
    RETAINED,
    AWAIT,
    "Checked while a recorded object has no references: its destructor callback must not run before the deletion of "
    "its command-buffer.",
    RETAINED,
    holds=lambda asked: any(
        isinstance(each, OfDestruction) and each.thing.references < 1 and recorded_in(each.thing, asked.model)
        for each in notices_of(asked.model)
    ),
)


def _with_more_properties(asked: AnsweredCall) -> bool:
    """Return whether a command-buffer is created for a queue with more properties than the device requires."""
    listed = asked.call.queues.values if isinstance(asked.call.queues, Items) else ()
    queues = [each for each in map(asked.model.known, listed) if isinstance(each, Queue) and each.device is not None]
    return bool(queues) and all(
        bool((each.bits or 0) & ~each.device.number(REQUIRED_OF_QUEUES)) for each in queues if each.device is not None
    )


REQUIRED_OF_QUEUES = "CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR"
rules.trigger(
    f"{REQUIRED_OF_QUEUES}/effect/1",
    CREATE,
    "",
    f"{CREATE}/success",
    f"{CREATE}/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1",
    holds=_with_more_properties,
    by_success=True,
)
