"""Coverage points of the states, types, queues and references of events, and untestable requirements (section 5.11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.events.query_results import TERMINATES_WAITING_COMMANDS
from clconform.oracles.common.interop import takes_foreign_objects
from clconform.oracles.common.wait_evidence import EVENT_QUERY, STATUS_QUERY
from clconform.oracles.contents.dependencies import listed_events
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.events import Event, UserEvent
from clconform.spec_tables.requirements import CommandType

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

TYPE, COUNT, QUEUE = "CL_EVENT_COMMAND_TYPE", "CL_EVENT_REFERENCE_COUNT", "CL_EVENT_COMMAND_QUEUE"


def _waits_for_user(asked: CompletedCall) -> bool:
    command = asked.subject.command if isinstance(asked.subject, Event) else None
    return command is not None and command.queue is not None and command.waits_for_user_event


def _is_terminated(asked: CompletedCall) -> bool:
    command = asked.subject.command if isinstance(asked.subject, Event) else None
    return command is not None and command.queue is not None and command.terminated and command.is_complete


def _is_unset(asked: CompletedCall) -> bool:
    return isinstance(asked.subject, UserEvent) and asked.subject.status > 0


def _is_counted(*, once: bool) -> Callable[[CompletedCall], bool]:
    def holds(asked: CompletedCall) -> bool:
        event = asked.subject
        if not isinstance(event, Event) or isinstance(event, UserEvent):
            return False
        return event.references == 1 if once else event.references > 1

    return holds


for _record, _words, _query, _holds in (
    (
        "OpenCL:event-objects/1",
        "A command that waits for a user event does not have the status CL_RUNNING.",
        STATUS_QUERY,
        _waits_for_user,
    ),
    (
        "clCreateUserEvent/effect/2",
        "Checked on queries of the status of a command that waits for a user event.",
        STATUS_QUERY,
        _waits_for_user,
    ),
    ("clCreateUserEvent/effect/3", "", STATUS_QUERY, _is_unset),
    ("CL_EVENT_COMMAND_QUEUE/effect/1", "", QUEUE, lambda asked: isinstance(asked.subject, UserEvent)),
    (
        "clRetainEvent/effect/1",
        "Checked on queries of the reference count of a retained event: it is at least the number of owned references.",
        COUNT,
        _is_counted(once=False),
    ),
    (
        "clRetainEvent/effect/2",
        "Checked on queries of the reference count of an event that was never retained: it is at least 1.",
        COUNT,
        _is_counted(once=True),
    ),
):
    rules.coverage_point(_record, EVENT_QUERY, _words, _query, holds=QueryCoverage((_query,), _holds))


for _record, _words in (
    (
        TERMINATES_WAITING_COMMANDS,
        "Checked on queries of the status of a command that waited for a user event with an error status.",
    ),
    (
        "CL_EVENT_COMMAND_EXECUTION_STATUS/effect/1",
        "Checked on queries of the status of a command that waited for a user event with an error status.",
    ),
):
    rules.coverage_point(
        _record, EVENT_QUERY, _words, TERMINATES_WAITING_COMMANDS, holds=QueryCoverage((STATUS_QUERY,), _is_terminated)
    )


@rules.completion
def _declare_types(rules: Rules, tables: Tables) -> None:
    def typed(requirement: CommandType) -> Callable[[CompletedCall], bool]:
        def holds(asked: CompletedCall) -> bool:
            event = asked.subject
            if not isinstance(event, Event) or event.command is None:
                return False
            return event.command.function == requirement.function and requirement.name in event.command_types

        return holds

    for requirement in tables.requirements.values():
        if not isinstance(requirement, CommandType) or takes_foreign_objects(tables.functions[requirement.function]):
            continue
        words = f"CL_EVENT_COMMAND_TYPE of an event of {requirement.function} is {requirement.name}."
        function = tables.functions[requirement.function]
        given = any(each.base == "cl_event" and each.direction == "out" for each in function.parameters)
        if given or function.returns == "cl_event":
            rules.coverage_point(
                requirement.id, EVENT_QUERY, words, TYPE, holds=QueryCoverage((TYPE,), typed(requirement))
            )
        else:
            rules.untestable(requirement.id, words, "the function does not return an event that can be queried")


def _waits_for_failed(asked: CompletedCall) -> bool:
    known = [asked.model.find(each) for each in listed_events(asked.call, "event_list")]
    commands = [each.command for each in known if isinstance(each, Event)]
    return any(each is not None and each.terminated for each in commands)


rules.coverage_point(
    "clWaitForEvents/effect/2",
    "clWaitForEvents",
    "Checked on waits for an event whose status is negative: the call returns.",
    holds=_waits_for_failed,
)

for _record, _words, _reason in (
    ("OpenCL:event-objects/2", "After the abnormal termination of a command, the context may be unusable.", PERMISSION),
    ("OpenCL:event-objects/4", "", "a command may leave its first state before any call can query it"),
    (
        "CL_EVENT_COMMAND_EXECUTION_STATUS/effect/2",
        "",
        "extensions of a driver may define their own error codes, so any negative number may be an error code",
    ),
    (
        "clGetEventInfo/effect/1",
        "Before version 3.0, clEnqueueSVMMigrateMem may have a different command type.",
        PERMISSION,
    ),
    (
        "clGetEventInfo/CL_INVALID_VALUE/2",
        "param_name cannot be queried for event.",
        "every param_name can be queried for every event; the documents do not define an exception",
    ),
    (
        "clReleaseEvent/effect/1",
        "",
        "reference counts are stale immediately, and an event without references cannot be queried",
    ),
    ("clReleaseEvent/effect/2", "", "a deleted event cannot be queried, and no callback reports its deletion"),
    (
        "clReleaseEvent/effect/3",
        "",
        "the status of a released event cannot be set, so the waiting commands would never end",
    ),
):
    rules.untestable(_record, _words, _reason)
