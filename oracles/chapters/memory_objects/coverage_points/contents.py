"""Coverage points for maps, deletion and queries of memory objects (section 5.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import AWAIT, READ
from clconform.calls.values import Handle, OffsetPointer
from clconform.oracles.chapters.notifications.callback_kinds import DestructionCallback
from clconform.oracles.chapters.notifications.coverage_points import awaited_callbacks
from clconform.oracles.common.flags import has_any_flag
from clconform.oracles.common.readback_evidence import cover_bytes_of, find_read_map, writers_of_known_bytes
from clconform.oracles.contents.geometry import overlaps
from clconform.oracles.contents.mapped_contents import maps_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UndefinedBehaviourError
from clconform.oracles.model.memory_objects import MemoryObject, SubBuffer
from clconform.oracles.queries.prose_rules import cover_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

INFO, BUFFER_READ, UNMAP = "clGetMemObjectInfo", "clEnqueueReadBuffer", "clEnqueueUnmapMemObject"
MAPS = ("clEnqueueMapBuffer", "clEnqueueMapImage")
POINTER_FUNCTIONS = (
    "clEnqueueReadBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueReadBufferRect",
    "clEnqueueWriteBufferRect",
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
)
COPIES = ("clEnqueueCopyBuffer", "clEnqueueCopyBufferRect", BUFFER_READ)
STALE_COUNT_REASON = "a returned map count is stale immediately, so any value up to the number of the calls is allowed"
HOST_PTR, MAP_COUNT = "CL_MEM_HOST_PTR", "CL_MEM_MAP_COUNT"


# deletion of objects


def _awaits_destruction(kind: type[ClObject]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the host waits for a destructor callback that must be called.

    ``kind``: the class of the destroyed object.
    """
    return lambda asked: any(
        isinstance(each, DestructionCallback) and isinstance(each.subject, kind) for each in awaited_callbacks(asked)
    )


for _kind, _title, _records in (
    (MemoryObject, "MemObject", ("clReleaseMemObject/effect/2", "clReleaseMemObject/effect/3")),
    (Context, "Context", ("clReleaseContext/effect/1", "clReleaseContext/effect/2")),
):
    for _record in _records:
        rules.coverage_point(
            _record,
            AWAIT,
            "Checked on waits for the destructor callback after the last release: the callback is called.",
            f"clSet{_title}DestructorCallback/success",
            f"clRelease{_title}/success",
            holds=_awaits_destruction(_kind),
        )
rules.untestable(
    "clSetMemObjectDestructorCallback/effect/7",
    "",
    "a callback must not use the object, and no other call shows when the driver frees the resources of the object",
)


# maps


def _reads_command_output(asked: CompletedCall) -> bool:
    """Return whether the host reads, through a map of a buffer or image, bytes that a command wrote."""
    region = find_read_map(asked) if any(writers_of_known_bytes(asked)) else None
    return region is not None and region.function in MAPS


def _reads_read_only_map(asked: CompletedCall) -> bool:
    """Return whether a command reads bytes that are mapped only for reading."""
    if asked.code != SUCCESS:
        return False
    try:
        places = asked.context.effect.reads
    except UndefinedBehaviourError:
        return False
    beside = [(place, each) for place in places for each in maps_of(place.storage, asked.model)]
    return any(overlaps(place.spans, each.spans) and not each.is_writable for place, each in beside)


def _overlaps_read_only_map(asked: CompletedCall) -> bool:
    """Return whether a call maps, for reading, a region that overlaps another region mapped only for reading."""
    writing = sum(asked.model.constant_value(name) for name in ("CL_MAP_WRITE", "CL_MAP_WRITE_INVALIDATE_REGION"))
    return not asked.call.map_flags & writing and _reads_read_only_map(asked)


def _passes_map_pointer(asked: CompletedCall) -> bool:
    """Return whether a call passes a pointer that a map returned."""
    pointer = asked.call.ptr.handle if isinstance(asked.call.ptr, OffsetPointer) else asked.call.ptr
    return isinstance(pointer, Handle) and any(each.pointer == pointer.name for each in asked.model.mapped_regions)


rules.coverage_point(
    "clEnqueueUnmapMemObject/effect/6",
    BUFFER_READ,
    "Checked on reads of buffer bytes that the host wrote through a map.",
    "clEnqueueUnmapMemObject/success",
    "clEnqueueReadBuffer/success",
    holds=cover_bytes_of(UNMAP),
)
rules.coverage_point(
    "clEnqueueUnmapMemObject/effect/11",
    READ,
    "Checked on host reads, through a map, of bytes that a command wrote.",
    *(f"{function}/success" for function in MAPS),
    holds=_reads_command_output,
)
for _record, _words, _functions, _holds in (
    (
        "OpenCL:accessing-mapped-regions-of-a-memory-object/1",
        "Checked on maps for reading of a region that overlaps another region mapped for reading: the calls succeed.",
        MAPS,
        _overlaps_read_only_map,
    ),
    (
        "OpenCL:accessing-mapped-regions-of-a-memory-object/2",
        "Checked on commands that read a region while it is mapped for reading: the calls succeed.",
        COPIES,
        _reads_read_only_map,
    ),
    (
        "OpenCL:accessing-mapped-regions-of-a-memory-object/3",
        "Checked on calls whose ptr is a pointer that a map returned: the calls succeed.",
        POINTER_FUNCTIONS,
        _passes_map_pointer,
    ),
):
    for _function in _functions:
        rules.coverage_point(_record, _function, _words, f"{_function}/success", holds=_holds, requires_success=True)
rules.coverage_point(
    "clEnqueueUnmapMemObject/effect/8",
    INFO,
    "Checked on queries of CL_MEM_MAP_COUNT of objects that were never mapped: the value is 0.",
    MAP_COUNT,
    holds=cover_query(
        MAP_COUNT,
        when=lambda question: isinstance(question.subject, MemoryObject) and not question.subject.root_object.map_count,
    ),
)
for _record in (
    "clEnqueueUnmapMemObject/effect/7",
    "clEnqueueUnmapMemObject/effect/9",
    "clEnqueueUnmapMemObject/effect/10",
):
    rules.untestable(_record, "", STALE_COUNT_REASON)
rules.untestable("clEnqueueMigrateMemObjects/effect/8", "", "no query reports on which device a memory object is")


# queries


def _uses_host_pointer(question: QueryRequest) -> bool:
    return has_any_flag(question.subject, ("CL_MEM_USE_HOST_PTR",), question.model)  # type: ignore[arg-type]


for _record, _when in (
    (
        "CL_MEM_HOST_PTR/effect/1",
        lambda question: isinstance(question.subject, SubBuffer) and _uses_host_pointer(question),
    ),
    (
        "CL_MEM_HOST_PTR/effect/2",
        lambda question: isinstance(question.subject, MemoryObject) and not _uses_host_pointer(question),
    ),
):
    rules.coverage_point(_record, INFO, "", HOST_PTR, holds=cover_query(HOST_PTR, when=_when))
