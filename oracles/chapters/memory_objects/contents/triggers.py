"""Coverage points for maps, deletion and queries of memory objects (section 5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import AWAIT, READ
from clconform.calls.values import Handle, Inside
from clconform.oracles.chapters.notifications.kinds import OfDestruction
from clconform.oracles.chapters.notifications.triggers import waited_for
from clconform.oracles.contents.geometry import shared_bytes
from clconform.oracles.contents.maps import maps_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.memory_objects import MemoryObject, SubBuffer
from clconform.oracles.queries.effects import answered
from clconform.oracles.recurring.flags import made_with_any
from clconform.oracles.recurring.reads import map_read, told, written_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.queries.questions import Question

rules = Rules()

INFO, BUFFER_READ, UNMAP = "clGetMemObjectInfo", "clEnqueueReadBuffer", "clEnqueueUnmapMemObject"
MAPS = ("clEnqueueMapBuffer", "clEnqueueMapImage")
MAPPED = "OpenCL:accessing-mapped-regions-of-a-memory-object"
POINTED = (
    "clEnqueueReadBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBufferRect",
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
)
COPIES = ("clEnqueueCopyBuffer", "clEnqueueCopyBufferRect", BUFFER_READ)
STALE = "a returned map count is stale immediately, so any value up to the number of the calls is allowed"
HOST_PTR, MAP_COUNT = "CL_MEM_HOST_PTR", "CL_MEM_MAP_COUNT"


# deletion of objects


def _ends(kind: type[ClObject]) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: a wait for a destructor callback that must be called."""
    return lambda asked: any(
        isinstance(each, OfDestruction) and isinstance(each.thing, kind) for each in waited_for(asked)
    )


for _kind, _title, _records in (
    (MemoryObject, "MemObject", ("clReleaseMemObject/effect/2", "clReleaseMemObject/effect/3")),
    (Context, "Context", ("clReleaseContext/effect/1", "clReleaseContext/effect/2")),
):
    for _record in _records:
        rules.trigger(
            _record,
            AWAIT,
            "Checked on waits for the destructor callback of an object without references: it is called.",
            f"clSet{_title}DestructorCallback/success",
            f"clRelease{_title}/success",
            holds=_ends(_kind),
        )
rules.untestable(
    "clSetMemObjectDestructorCallback/effect/7",
    "",
    "a callback must not use the object, and no other call shows when the driver frees its resources",
)


# maps


def _commands_behind_a_map(asked: AnsweredCall) -> bool:
    """Return whether the host reads bytes through a map that a command wrote."""
    region = map_read(asked) if any(told(asked)) else None
    return region is not None and region.function in MAPS


def _only_for_reading(asked: AnsweredCall) -> bool:
    """Return whether a command reads bytes of an object while they are mapped only for reading."""
    if asked.code != SUCCESS:
        return False
    try:
        places = asked.judged.effect.reads
    except ForbiddenError:
        return False
    beside = [(place, each) for place in places for each in maps_of(place.storage, asked.model)]
    return any(shared_bytes(place.spans, each.spans) and not each.writes for place, each in beside)


def _beside_a_map(asked: AnsweredCall) -> bool:
    """Return whether a region is mapped for reading that overlaps another one mapped only for reading."""
    writing = sum(asked.model.value(name) for name in ("CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"))
    return not asked.call.map_flags & writing and _only_for_reading(asked)


def _through_a_map(asked: AnsweredCall) -> bool:
    """Return whether a call passes a pointer that a map returned."""
    pointer = asked.call.ptr.handle if isinstance(asked.call.ptr, Inside) else asked.call.ptr
    return isinstance(pointer, Handle) and any(each.pointer == pointer.name for each in asked.model.maps)


rules.trigger(
    f"{UNMAP}/effect/6",
    BUFFER_READ,
    "Checked on reads of a buffer with bytes that the host wrote through a map.",
    f"{UNMAP}/success",
    f"{BUFFER_READ}/success",
    holds=written_by(UNMAP),
)
rules.trigger(
    f"{UNMAP}/effect/11",
    READ,
    "Checked on host reads through a map of bytes that a command wrote.",
    *(f"{function}/success" for function in MAPS),
    holds=_commands_behind_a_map,
)
for _function in MAPS:
    rules.trigger(
        f"{MAPPED}/1",
        _function,
        "Checked on maps for reading that overlap another such map: they succeed.",
        f"{_function}/success",
        holds=_beside_a_map,
        by_success=True,
    )
for _function in COPIES:
    rules.trigger(
        f"{MAPPED}/2",
        _function,
        "Checked on commands that read bytes that are mapped for reading: they succeed.",
        f"{_function}/success",
        holds=_only_for_reading,
        by_success=True,
    )
for _function in POINTED:
    rules.trigger(
        f"{MAPPED}/3",
        _function,
        "Checked on calls that pass a pointer that a map returned: they succeed.",
        f"{_function}/success",
        holds=_through_a_map,
        by_success=True,
    )
rules.trigger(
    f"{UNMAP}/effect/8",
    INFO,
    "Checked on queries of CL_MEM_MAP_COUNT of objects that were never mapped.",
    MAP_COUNT,
    holds=answered(
        MAP_COUNT,
        when=lambda question: isinstance(question.thing, MemoryObject) and not question.thing.whole.mappings,
    ),
)
for _number, _words in (
    (7, ""),
    (9, ""),
    (10, ""),
):
    rules.untestable(f"{UNMAP}/effect/{_number}", _words, STALE)
rules.untestable(
    "clEnqueueMigrateMemObjects/effect/8",
    "",
    "no query reports on which device a memory object is",
)


# queries


def _in_the_hosts(question: Question) -> bool:
    return made_with_any(question.thing, ("CL_MEM_USE_HOST_PTR",), question.model)  # type: ignore[arg-type]


rules.trigger(
    f"{HOST_PTR}/effect/1",
    INFO,
    "",
    HOST_PTR,
    holds=answered(HOST_PTR, when=lambda question: isinstance(question.thing, SubBuffer) and _in_the_hosts(question)),
)
rules.trigger(
    f"{HOST_PTR}/effect/2",
    INFO,
    "",
    HOST_PTR,
    holds=answered(
        HOST_PTR, when=lambda question: isinstance(question.thing, MemoryObject) and not _in_the_hosts(question)
    ),
)
