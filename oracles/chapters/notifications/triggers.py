"""Coverage points for callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import AWAIT
from clconform.calls.values import Callback
from clconform.oracles.chapters.notifications.kinds import (
    AFTER_DESTRUCTION,
    NO_HOLD_ON_ARGUMENTS,
    NOT_BEFORE_SUB_BUFFERS,
    OfDestruction,
    OfErrors,
    OfEvent,
    kernels_with,
)
from clconform.oracles.chapters.notifications.notices import PATIENCE_MS, notices_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.memory_objects import MemoryObject, SubBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.chapters.notifications.notices import Notice
    from clconform.oracles.engine.judged_call import AnsweredCall

rules = Rules()


def waited_for(asked: AnsweredCall) -> list[Notice]:
    """Return the registrations of the awaited callback that must be called."""
    callback = asked.call.callback
    name = callback.name if isinstance(callback, Callback) else ""
    return [each for each in notices_of(asked.model) if each.name == name and each.owed(asked.model)]


def _event_let_go(asked: AnsweredCall) -> bool:
    """Return whether the call waits for a callback of an event without application references."""
    return any(isinstance(each, OfEvent) and each.thing.references < 1 for each in waited_for(asked))


def _regions_left(asked: AnsweredCall) -> bool:
    """Return whether the last reference of a buffer with a destructor callback is released while sub-buffers exist."""
    buffer = asked.model.get(MemoryObject, asked.call.memobj)
    if buffer.references != 1:
        return False
    regions = any(
        isinstance(thing, SubBuffer) and thing.buffer is buffer and thing.references > 0
        for thing in asked.model.things.values()
    )
    told = any(isinstance(each, OfDestruction) and each.thing is buffer for each in notices_of(asked.model))
    return regions and told


def _errors_after_the_end(asked: AnsweredCall) -> bool:
    """Return whether the call waits for an error callback of a context whose destruction callback was called."""
    notices, callback = notices_of(asked.model), asked.call.callback
    gone = {id(each.thing) for each in notices if isinstance(each, OfDestruction) and each.times}
    return any(
        isinstance(each, OfErrors) and id(each.thing) in gone
        for each in notices
        if isinstance(callback, Callback) and each.name == callback.name
    )


def _argument_let_go(asked: AnsweredCall) -> bool:
    """Return whether the call waits for the callback of a destroyed object that is a kernel argument."""
    notices = waited_for(asked)
    return any(isinstance(each, OfDestruction) and kernels_with(each.thing, asked.model) for each in notices)


def set_on_its_way(*ways: str, blocking: bool = False) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: a wait for a callback whose command only one of these functions flushed."""

    def holds(asked: AnsweredCall) -> bool:
        if asked.call.milliseconds < PATIENCE_MS:
            return False
        commands = [each.command for each in waited_for(asked) if isinstance(each, OfEvent)]
        by = {command.flushed_by for command in commands if command is not None and not command.over}
        return any(each in ways or (blocking and each.startswith("clEnqueue")) for each in by)

    return holds


for _record, _words, _flushed in (
    (
        "clFlush/effect/1",
        "Checked on waits for an event callback whose command only clFlush flushed.",
        set_on_its_way("clFlush"),
    ),
    (
        "clFlush/effect/2",
        "Checked on waits for an event callback whose command only clFlush flushed, without a further call.",
        set_on_its_way("clFlush"),
    ),
    (
        "clFlush/effect/3",
        (
            "Checked on waits for an event callback whose command only the release of its queue, or a blocking "
            "command, flushed."
        ),
        set_on_its_way("clReleaseCommandQueue", blocking=True),
    ),
    (
        "clFlush/effect/4",
        (
            "Checked on waits for an event callback whose command only a wait for another event, or a blocking "
            "command, flushed."
        ),
        set_on_its_way("clWaitForEvents", blocking=True),
    ),
):
    rules.trigger(_record, AWAIT, _words, "clSetEventCallback/success", "clReleaseCommandQueue/success", holds=_flushed)
rules.trigger(
    "clSetMemObjectDestructorCallback/effect/8",
    AWAIT,
    "Checked on waits for an event callback whose command only a blocking command flushed.",
    "clSetEventCallback/success",
    holds=set_on_its_way(blocking=True),
)
rules.trigger(
    AFTER_DESTRUCTION,
    AWAIT,
    "Checked on waits for the error callback after the destruction callback was called.",
    AFTER_DESTRUCTION,
    holds=_errors_after_the_end,
)
rules.trigger(
    "clSetEventCallback/effect/2",
    AWAIT,
    "An event's callbacks are called even if the application has released the event.",
    "clSetEventCallback/success",
    holds=_event_let_go,
)
rules.trigger(
    NOT_BEFORE_SUB_BUFFERS,
    "clReleaseMemObject",
    "A buffer is not deleted while sub-buffers of it exist.",
    NOT_BEFORE_SUB_BUFFERS,
    holds=_regions_left,
)
rules.trigger(
    NO_HOLD_ON_ARGUMENTS,
    AWAIT,
    "A kernel does not retain the objects that are set as its arguments.",
    NO_HOLD_ON_ARGUMENTS,
    holds=_argument_let_go,
)
rules.untestable(
    "clSetEventCallback/effect/1",
    "The callbacks of an event may be called in any order.",
    PERMISSION,
)
for _function, _number, _words in (
    ("clSetMemObjectDestructorCallback", 6, ""),
    ("clSetProgramReleaseCallback", 4, ""),
):
    rules.untestable(
        f"{_function}/effect/{_number}",
        _words,
        "a callback must not use the object, and no other call shows when the driver frees its resources",
    )
rules.untestable(
    "clSetMemObjectDestructorCallback/effect/1",
    "While the callback runs, the contents of the memory at host_ptr are undefined.",
    "undefined contents can have any value, so nothing can violate it",
)
