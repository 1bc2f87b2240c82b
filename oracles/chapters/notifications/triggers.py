"""Which calls put what is said of callbacks to the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import AWAIT
from clconform.calls.values import Callback
from clconform.oracles.chapters.notifications.kinds import (
    NO_HOLD_ON_ARGUMENTS,
    NOT_BEFORE_SUB_BUFFERS,
    OfDestruction,
    OfEvent,
    kernels_with,
)
from clconform.oracles.chapters.notifications.notices import notices_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.memory_objects import MemoryObject, SubBuffer

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall

rules = Rules()


def _event_let_go(asked: AnsweredCall) -> bool:
    """Return whether a callback is waited for whose event the application has released for good."""
    return any(
        isinstance(notice, OfEvent) and notice.thing.references < 1 and notice.owed(asked.model)
        for notice in notices_of(asked.model)
        if isinstance(asked.call.callback, Callback) and notice.name == asked.call.callback.name
    )


def _regions_left(asked: AnsweredCall) -> bool:
    """Return whether a buffer's last reference goes while regions of it live, and a callback would tell of its end."""
    buffer = asked.model.get(MemoryObject, asked.call.memobj)
    regions = any(
        isinstance(thing, SubBuffer) and thing.buffer is buffer and thing.references > 0
        for thing in asked.model.things.values()
    )
    told = any(isinstance(each, OfDestruction) and each.thing is buffer for each in notices_of(asked.model))
    return buffer.references == 1 and regions and told


def _argument_let_go(asked: AnsweredCall) -> bool:
    """Return whether a callback is waited for whose object is gone, while a kernel has it as an argument."""
    return any(
        isinstance(notice, OfDestruction) and notice.owed(asked.model) and kernels_with(notice.thing, asked.model)
        for notice in notices_of(asked.model)
        if isinstance(asked.call.callback, Callback) and notice.name == asked.call.callback.name
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
rules.untestable(
    "clSetMemObjectDestructorCallback/effect/1",
    "While the callback runs, the contents of the memory at host_ptr are undefined.",
    "undefined contents can be anything, so nothing can violate it",
)
