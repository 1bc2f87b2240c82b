"""Coverage points for the requirement that a command waits for the events in its wait list, and only for those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event, UserEvent
from clconform.spec_tables.requirements import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.enqueued_command import Command
    from clconform.spec_tables import Tables

rules = Rules()

BUFFER_FUNCTIONS = (
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
SVM_FUNCTIONS = (
    "clEnqueueSVMFree",
    "clEnqueueSVMMemcpy",
    "clEnqueueSVMMemFill",
    "clEnqueueSVMMap",
    "clEnqueueSVMUnmap",
    "clEnqueueSVMMigrateMem",
)
USM_FUNCTIONS = (
    "clEnqueueMemFillINTEL",
    "clEnqueueMemcpyINTEL",
    "clEnqueueMigrateMemINTEL",
    "clEnqueueMemAdviseINTEL",
)
COVERED_FUNCTIONS = (
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
    *BUFFER_FUNCTIONS,
    *SVM_FUNCTIONS,
    *USM_FUNCTIONS,
)
"""Functions for which this module declares coverage points."""
STATUS_QUERY, EVENT_QUERY = "CL_EVENT_COMMAND_EXECUTION_STATUS", "clGetEventInfo"


@rules.completion
def _declare_coverage(rules: Rules, tables: Tables) -> None:
    effects = [
        each for function in COVERED_FUNCTIONS for each in tables.requirements_of(function) if isinstance(each, Effect)
    ]
    for requirement in effects:
        if requirement.topic in ("no-event-if-null", "event-may-be-null"):
            words = "Checked on successful commands with NULL as event."
            rules.coverage_point(
                requirement.id, requirement.function, words, holds=_has_null_event, requires_success=True
            )
        elif requirement.topic in _TOPICS:
            words, holds = _TOPICS[requirement.topic]
            rules.coverage_point(
                requirement.id, EVENT_QUERY, words, STATUS_QUERY, holds=_cover_status_query(requirement.function, holds)
            )


def _has_null_event(asked: CompletedCall) -> bool:
    return asked.call.arguments["event"] is None


def _cover_status_query(
    function: str, holds: Callable[[Command, CompletedCall], bool]
) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the status of a command of ``function`` is queried, and ``holds`` is true for it."""

    def is_covered(asked: CompletedCall) -> bool:
        command = asked.subject.command if isinstance(asked.subject, Event) else None
        if (
            command is None
            or command.function != function
            or asked.call.param_name != asked.model.constant_value(STATUS_QUERY)
        ):
            return False
        return holds(command, asked)

    return is_covered


def _is_waiting(command: Command, _asked: CompletedCall) -> bool:
    return command.waits_for_user_event


def _has_waited_for_event(command: Command, _asked: CompletedCall) -> bool:
    return command.is_complete and any(each.queue is None for each in command.predecessors)


def _is_complete_without_list(command: Command, asked: CompletedCall) -> bool:
    unset = any(each.status > 0 for each in asked.model.objects_of_class(UserEvent))
    return command.is_complete and unset and not any(each.queue is None for each in command.predecessors)


_TOPICS = {
    "waits-for-listed-events": (
        "Checked by the status of a command whose user event is not set: it is queued or submitted.",
        _is_waiting,
    ),
    "wait-list-synchronization-point": (
        "Checked by the status of a command whose user event is not set: it is queued or submitted.",
        _is_waiting,
    ),
    "wait-list-reusable": (
        "Checked by the status of a command whose user event was set: it is complete, although its list was changed.",
        _has_waited_for_event,
    ),
    "no-wait-without-list": (
        "Checked by the status of a command without a list, while a user event is not set: it is complete.",
        _is_complete_without_list,
    ),
}
"""Topic of an effect to its text, and to the condition under which a status query covers the effect."""
