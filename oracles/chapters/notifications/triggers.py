"""Which calls put what is said of callbacks to the test."""

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
    """Return the notices of the callback that is waited for which must be called."""
    callback = asked.call.callback
    name = callback.name if isinstance(callback, Callback) else ""
    return [each for each in notices_of(asked.model) if each.name == name and each.owed(asked.model)]


def _event_let_go(asked: AnsweredCall) -> bool:
    """Return whether a callback is waited for whose event the application has released for good."""
    return any(isinstance(each, OfEvent) and each.thing.references < 1 for each in waited_for(asked))


def _regions_left(asked: AnsweredCall) -> bool:
    """Return whether a buffer's last reference goes while regions of it live, and a callback would tell of its end."""
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
    """Return whether a callback for errors is waited for whose context is gone, and has told of that."""
    notices, callback = notices_of(asked.model), asked.call.callback
    gone = {id(each.thing) for each in notices if isinstance(each, OfDestruction) and each.times}
    return any(
        isinstance(each, OfErrors) and id(each.thing) in gone
        for each in notices
        if isinstance(callback, Callback) and each.name == callback.name
    )


def _argument_let_go(asked: AnsweredCall) -> bool:
    """Return whether a callback is waited for whose object is gone, while a kernel has it as an argument."""
    notices = waited_for(asked)
    return any(isinstance(each, OfDestruction) and kernels_with(each.thing, asked.model) for each in notices)


def set_on_its_way(*ways: str, blocking: bool = False) -> Callable[[AnsweredCall], bool]:
    """Return a trigger: a callback is waited for whose command nothing but one of these functions has flushed."""

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
        "A command completes although nothing but clFlush has set it on its way.",
        set_on_its_way("clFlush"),
    ),
    (
        "clFlush/effect/2",
        "A command that was enqueued before clFlush completes after it, without a further call.",
        set_on_its_way("clFlush"),
    ),
    (
        "clFlush/effect/3",
        "A command completes although only the release of its queue, or a blocking command, has set it on its way.",
        set_on_its_way("clReleaseCommandQueue", blocking=True),
    ),
    (
        "clFlush/effect/4",
        "A command completes although only a wait for another one, or a blocking command, has set it on its way.",
        set_on_its_way("clWaitForEvents", blocking=True),
    ),
):
    rules.trigger(_record, AWAIT, _words, "clSetEventCallback/success", "clReleaseCommandQueue/success", holds=_flushed)
rules.trigger(
    "clSetMemObjectDestructorCallback/effect/8",
    AWAIT,
    "A command completes although only a blocking command has set it on its way.",
    "clSetEventCallback/success",
    holds=set_on_its_way(blocking=True),
)
rules.trigger(
    AFTER_DESTRUCTION,
    AWAIT,
    "A context's callback for errors is not called after the one for its destruction.",
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
    ("clSetMemObjectDestructorCallback", 6, "Callbacks run before the memory object is freed and deleted."),
    ("clSetProgramReleaseCallback", 4, "Callbacks run after destructors, and before the program is deleted."),
):
    rules.untestable(
        f"{_function}/effect/{_number}",
        _words,
        "a callback may not use the object, and nothing else tells when the driver frees what belongs to it",
    )
rules.untestable(
    "clSetMemObjectDestructorCallback/effect/1",
    "While the callback runs, the contents of the memory at host_ptr are undefined.",
    "undefined contents can be anything, so nothing can violate it",
)
