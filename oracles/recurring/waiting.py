"""Coverage points: a command waits for the events of its list, and for no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event, UserEvent
from clconform.spec_tables.records import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.commands import Command
    from clconform.spec_tables import Tables

rules = Rules()

ON_BUFFERS = (
    "clEnqueueReadBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBufferRect",
    "clEnqueueCopyBuffer",
    "clEnqueueCopyBufferRect",
    "clEnqueueFillBuffer",
    "clEnqueueMapBuffer",
    "clEnqueueUnmapMemObject",
    "clEnqueueMigrateMemObjects",
)
ON_SHARED = (
    "clEnqueueSVMFree",
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMemFill",
    "clEnqueueSVMMap",
    "clEnqueueSVMUnmap",
    "clEnqueueSVMMigrateMem",
)
ON_UNIFIED = (
    "clEnqueueMemFillINTEL",
    "clEnqueueMemcpyINTEL",
    "clEnqueueMigrateMemINTEL",
    "clEnqueueMemAdviseINTEL",
)
FUNCTIONS = (
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueFillImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
    "clEnqueueMapImage",
    "clEnqueueNDRangeKernel",
    "clEnqueueTask",
    "clEnqueueMarkerWithWaitList",
    "clEnqueueMarker",
    "clEnqueueBarrierWithWaitList",
    "clEnqueueCommandBufferKHR",
    "clEnqueueAcquireExternalMemObjectsKHR",
    "clEnqueueReleaseExternalMemObjectsKHR",
    *ON_BUFFERS,
    *ON_SHARED,
    *ON_UNIFIED,
)
"""Functions with coverage points for these requirements."""
STATUS, QUERY = "CL_EVENT_COMMAND_EXECUTION_STATUS", "clGetEventInfo"


@rules.completion
def _waiting(rules: Rules, tables: Tables) -> None:
    effects = [each for function in FUNCTIONS for each in tables.records_of(function) if isinstance(each, Effect)]
    for record in effects:
        if record.topic in ("no-event-if-null", "event-may-be-null"):
            words = "Checked on successful commands with NULL as event."
            rules.trigger(record.id, record.function, words, holds=_without_event, by_success=True)
        elif record.topic in _LISTS:
            words, holds = _LISTS[record.topic]
            rules.trigger(record.id, QUERY, words, STATUS, holds=_asking(record.function, holds))


def _without_event(asked: AnsweredCall) -> bool:
    return asked.call.arguments["event"] is None


def _asking(function: str, holds: Callable[[Command, AnsweredCall], bool]) -> Callable[[AnsweredCall], bool]:
    """Return the coverage point that the status of a function's command is queried, under a condition."""

    def asks(asked: AnsweredCall) -> bool:
        command = asked.subject.command if isinstance(asked.subject, Event) else None
        if command is None or command.function != function or asked.call.param_name != asked.model.value(STATUS):
            return False
        return holds(command, asked)

    return asks


def _kept_waiting(command: Command, _asked: AnsweredCall) -> bool:
    return command.waits_for_the_user


def _has_waited(command: Command, _asked: AnsweredCall) -> bool:
    return command.over and any(each.queue is None for each in command.before)


def _had_no_list(command: Command, asked: AnsweredCall) -> bool:
    unset = any(each.status > 0 for each in asked.model.of_kind(UserEvent))
    return command.over and unset and not any(each.queue is None for each in command.before)


_LISTS = {
    "waits-for-listed-events": (
        "Checked by the status of a command whose user event is not set: it is queued or submitted.",
        _kept_waiting,
    ),
    "wait-list-synchronization-point": (
        "Checked by the status of a command whose user event is not set: it is queued or submitted.",
        _kept_waiting,
    ),
    "wait-list-reusable": (
        "Checked by the status of a command whose user event was set: it is complete, although its list was changed.",
        _has_waited,
    ),
    "no-wait-without-list": (
        "Checked by the status of a command without a list, while a user event is not set: it is complete.",
        _had_no_list,
    ),
}
"""Topic of an effect to its text, and to the condition under which a status query covers it."""
