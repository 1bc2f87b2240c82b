"""Coverage points of buffer contents (sections 5.2.1 to 5.2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import READ
from clconform.calls.values import Data
from clconform.oracles.common.flags import has_any_flag
from clconform.oracles.common.readback_evidence import (
    cover_host_bytes_of,
    find_read_map,
    is_blocking_read,
    returns_before_command,
    writers_of_known_bytes,
)
from clconform.oracles.contents.mapped_contents import resolve_pointer
from clconform.oracles.contents.transfers import triple_of
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import ExpectedBytes
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UndefinedBehaviourError
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.pointer_memory import HostArea, SvmAllocation
from clconform.oracles.queries.prose_rules import cover_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.mapped_regions import MappedRegion
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables

rules = Rules()

READ_BYTES, READ_RECT = "clEnqueueReadBuffer", "clEnqueueReadBufferRect"
WRITE, WRITE_RECT = "clEnqueueWriteBuffer", "clEnqueueWriteBufferRect"
COPY, COPY_RECT, FILL, MAP = (
    f"clEnqueue{what}" for what in ("CopyBuffer", "CopyBufferRect", "FillBuffer", "MapBuffer")
)
KERNEL_SUCCESS = "clEnqueueNDRangeKernel/success"
CREATORS = ("clCreateBuffer", "clCreateBufferWithProperties")
CREATE_SUB_BUFFER = "clCreateSubBuffer"
KERNEL_ACCESS = ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")
HOST_ACCESS = ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")
NOT_WRITABLE_FLAGS = ("CL_MEM_READ_ONLY", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")
USE_HOST_PTR, COPY_HOST_PTR = "CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR"


def _read_buffer(asked: CompletedCall) -> Buffer:
    return asked.model.get(Buffer, asked.call.buffer)


# reads


def _has_several_rows(call: Call) -> bool:
    return triple_of(call.region)[1] > 1


def _has_several_slices(call: Call) -> bool:
    return triple_of(call.region)[2] > 1


def _has_origin(side: str) -> Callable[[Call], bool]:
    """Return a function that checks whether the origin with the parameter prefix ``side`` is not (0, 0, 0).

    ``side``: buffer, host, src or dst.
    """
    return lambda call: any(triple_of(call.arguments[f"{side}_origin"]))


def _has_tight_pitch(side: str, pitch: str) -> Callable[[Call], bool]:
    """Return a function that checks whether a pitch of 0 has an effect: region has several rows or slices.

    ``side``: the prefix of the parameters of a rectangle. ``pitch``: ``row`` or ``slice``.
    """
    several = _has_several_rows if pitch == "row" else _has_several_slices
    return lambda call: not call.arguments[f"{side}_{pitch}_pitch"] and several(call)


LAYOUT: tuple[tuple[str, Callable[[str], Callable[[Call], bool]]], ...] = (
    ("origin is not (0, 0, 0)", _has_origin),
    ("row_pitch is 0 and region has several rows", lambda side: _has_tight_pitch(side, "row")),
    ("slice_pitch is 0 and region has several slices", lambda side: _has_tight_pitch(side, "slice")),
)
"""Properties of a rectangle: a text, and a function that returns the check of the property for a parameter prefix."""
LAYOUT_EFFECTS = {"buffer": (1, 3, 4), "host": (2, 5, 6), "src": (1, 3, 4), "dst": (2, 5, 6)}
"""Maps the parameter prefix of a rectangle to the numbers of its effect requirements, in the order of ``LAYOUT``."""
PITCH_RULES = {
    (side, pitch): 2 * at + above
    for sides in (("buffer", "host"), ("src", "dst"))
    for at, side in enumerate(sides)
    for above, pitch in enumerate(("row", "slice"), 1)
}
"""Maps a parameter prefix and ``row`` or ``slice`` to the number of the size rule for a pitch of 0."""


for _side in ("buffer", "host"):
    for _number, (_words, _of) in zip(LAYOUT_EFFECTS[_side], LAYOUT, strict=True):
        _test = _of(_side)
        rules.coverage_point(
            f"{READ_RECT}/effect/{_number}",
            READ_RECT,
            f"Checked on calls that return bytes with known values, if {_side}_{_words}.",
            "clEnqueueReadBufferRect/success",
            holds=lambda asked, test=_test: bool(writers_of_known_bytes(asked) and test(asked.call)),  # type: ignore[misc]
        )
rules.coverage_point(
    "clEnqueueReadBufferRect/effect/12",
    READ_RECT,
    "Checked on blocking calls that return bytes with known values.",
    "clEnqueueReadBufferRect/success",
    holds=is_blocking_read,
)
for _function, _returns, _ends in (
    (READ_BYTES, "clEnqueueReadBuffer/effect/7", "clEnqueueReadBuffer/effect/8"),
    (READ_RECT, "clEnqueueReadBufferRect/effect/13", "clEnqueueReadBufferRect/effect/14"),
):
    rules.coverage_point(
        _returns,
        _function,
        "Checked on non-blocking calls that return while their command waits for a user event.",
        f"{_function}/success",
        holds=returns_before_command,
    )
    rules.coverage_point(
        _ends,
        READ,
        "Checked when the host reads the memory at ptr after a non-blocking read.",
        f"{_function}/success",
        holds=cover_host_bytes_of(_function),
    )


# writes, copies and fills


def _declare_written(requirement: str, writer: str, words: str, test: Callable[[CompletedCall, Call], object]) -> None:
    """Declare a coverage point: reads of bytes that the last call of ``writer`` wrote, if ``test`` accepts this call.

    Bytes from clEnqueueWriteBuffer are not attributed to a requirement. Reads of such bytes count only if
    clEnqueueWriteBuffer was the last command that wrote to the memory.
    """
    signed = "" if writer == WRITE else f"{writer}/success"

    def holds(asked: CompletedCall) -> bool:
        buffer = _read_buffer(asked)
        last = buffer.latest_calls.get(writer)
        if last is None or signed not in writers_of_known_bytes(asked):
            return False
        return (bool(signed) or _last_writer(buffer, asked) == writer) and bool(test(asked, last))

    parents = (f"{writer}/success", "clEnqueueReadBuffer/success")
    rules.coverage_point(requirement, READ_BYTES, words, *parents, holds=holds)


def _last_writer(buffer: Buffer, asked: CompletedCall) -> str:
    writer = asked.model.commands.writers.get(buffer.memory.storage) if buffer.memory is not None else None
    return writer.function if writer is not None else ""


for _writer, _sides in ((WRITE_RECT, ("buffer", "host")), (COPY_RECT, ("src", "dst"))):
    for _side in _sides:
        for _number, (_words, _of) in zip(LAYOUT_EFFECTS[_side], LAYOUT, strict=True):
            _test = _of(_side)
            _declare_written(
                f"{_writer}/effect/{_number}",
                _writer,
                f"Checked on reads of bytes that {_writer} wrote, if {_side}_{_words}.",
                lambda _asked, last, test=_test: test(last),  # type: ignore[misc]
            )
        for _pitch in ("row", "slice"):
            _test = _has_tight_pitch(_side, _pitch)
            _declare_written(
                f"{_writer}/size/{PITCH_RULES[_side, _pitch]}",
                _writer,
                f"If {_side}_{_pitch}_pitch is 0, the {_pitch}s of the rectangle are not padded.",
                lambda _asked, last, test=_test: test(last),  # type: ignore[misc]
            )
for _requirement, _words, _shows in (
    (
        "clEnqueueCopyBufferRect/effect/12",
        "Checked on reads of bytes that clEnqueueCopyBufferRect wrote.",
        lambda _asked, _last: True,
    ),
    (
        "clEnqueueCopyBufferRect/effect/13",
        "Checked on reads of bytes that clEnqueueCopyBufferRect wrote, if region[0] is more than 1.",
        lambda _asked, last: triple_of(last.region)[0] > 1,
    ),
    (
        "clEnqueueCopyBufferRect/effect/14",
        "Checked on reads of bytes that clEnqueueCopyBufferRect wrote, if region[1] is more than 1.",
        lambda _asked, last: _has_several_rows(last),
    ),
    (
        "clEnqueueCopyBufferRect/effect/15",
        "Checked on reads of bytes that clEnqueueCopyBufferRect wrote, if region[2] is more than 1.",
        lambda _asked, last: _has_several_slices(last),
    ),
):
    _declare_written(_requirement, COPY_RECT, _words, _shows)


def _is_source_overwritten(asked: CompletedCall, last: Call) -> bool:
    """Return whether the memory at ptr of a non-blocking write no longer contains the bytes that were written.

    The result is False if this memory is no longer available.
    """
    if last.blocking_write or isinstance(last.ptr, Data):
        return False
    want = asked.context.effect.outputs["ptr"]
    try:
        now = resolve_pointer(last.ptr, asked.model)
        held = now.view.storage.read(now.view.spans(0, now.view.size)).bytes_held
    except UndefinedBehaviourError:
        return False
    return isinstance(want, ExpectedBytes) and want.content not in held


_declare_written(
    "clEnqueueWriteBufferRect/effect/12",
    WRITE_RECT,
    "Checked on reads of bytes from a blocking write.",
    lambda _asked, last: last.blocking_write,
)
for _writer, _gone, _later, _after in (
    (WRITE, "clEnqueueWriteBuffer/effect/7", "clEnqueueWriteBuffer/effect/8", "clEnqueueWriteBuffer/effect/9"),
    (
        WRITE_RECT,
        "clEnqueueWriteBufferRect/effect/13",
        "clEnqueueWriteBufferRect/effect/14",
        "clEnqueueWriteBufferRect/effect/15",
    ),
):
    _declare_written(
        _gone,
        _writer,
        "Checked on reads of bytes from a blocking write whose memory at ptr changed after the call.",
        lambda _asked, last: last.blocking_write and isinstance(last.ptr, Data),
    )
    _words = "Checked on reads of bytes from a non-blocking write."
    _declare_written(_later, _writer, _words, lambda _asked, last: not last.blocking_write)
    _words = "Checked on reads of bytes from a non-blocking write after new bytes were stored at ptr."
    _declare_written(_after, _writer, _words, _is_source_overwritten)
_declare_written(
    "clEnqueueFillBuffer/effect/1", FILL, "Checked on reads of bytes from a fill.", lambda _asked, _last: True
)
_declare_written(
    "clEnqueueFillBuffer/effect/2",
    FILL,
    "Checked on reads of bytes from a fill whose memory at pattern changed after the call.",
    lambda _asked, last: isinstance(last.pattern, Data),
)
rules.coverage_point(
    "clEnqueueFillBuffer/effect/8",
    FILL,
    "Checked on fills of a buffer with CL_MEM_READ_ONLY, CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS.",
    holds=lambda asked: has_any_flag(_read_buffer(asked), NOT_WRITABLE_FLAGS, asked.model),
    requires_success=True,
)


# mapped regions


def _mapped_region_read(asked: CompletedCall) -> MappedRegion | None:
    """Return the mapped region of a buffer through which the host reads known bytes; None if there is no such read."""
    region = find_read_map(asked)
    return region if region is not None and region.function == MAP else None


def _declare_mapped(requirement: str, words: str, test: Callable[[CompletedCall, MappedRegion], object]) -> None:
    """Declare a coverage point: the host reads through a mapped region of a buffer, and ``test`` is true.

    ``test`` receives the read and the mapped region.
    """

    def holds(asked: CompletedCall) -> bool:
        found = _mapped_region_read(asked)
        return found is not None and bool(test(asked, found))

    rules.coverage_point(requirement, READ, words, "clEnqueueMapBuffer/success", holds=holds)


def _reads_end_of_region(asked: CompletedCall, region: MappedRegion) -> bool:
    """Return whether the host reads the first or last byte of a mapped region that does not start at offset 0."""
    spans, whole = asked.context.effect.reads[0].spans, region.memory.memory
    if not spans or whole is None or region.region.start == whole.start:
        return False
    first, end = region.region.start, region.region.start + region.region.size
    return spans[0][0] == first or sum(spans[-1]) == end


_declare_mapped(
    "clEnqueueMapBuffer/effect/1",
    "Checked when the host reads bytes with known values through the returned pointer after a blocking call.",
    lambda _, map_: map_.is_blocking,
)
_declare_mapped(
    "clEnqueueMapBuffer/effect/2",
    "Checked when the host reads bytes with known values through the pointer that a non-blocking call returned, after "
    "its command is complete.",
    lambda _, map_: not map_.is_blocking,
)
_declare_mapped(
    "clEnqueueMapBuffer/effect/10",
    "Checked when the host reads the first or last byte of a mapped region whose offset is not 0.",
    _reads_end_of_region,
)
_declare_mapped(
    "clEnqueueMapBuffer/effect/11",
    "Checked when the host reads bytes of a mapped region in the memory at host_ptr.",
    lambda asked, _: isinstance(asked.context.effect.reads[0].owner, HostArea),
)
_declare_mapped(
    "clEnqueueMapBuffer/effect/13",
    "Checked when the host reads bytes with known values through a region that is mapped only for reading.",
    lambda _, map_: not map_.is_writable,
)
_declare_mapped(
    "clEnqueueMapBuffer/effect/14",
    "Checked when the host reads bytes with known values through a region that is mapped for writing.",
    lambda _, map_: map_.is_writable,
)
rules.coverage_point(
    "clEnqueueMapBuffer/effect/9",
    MAP,
    "",
    "clEnqueueMapBuffer/success",
    holds=lambda asked: asked.code not in (SUCCESS, ""),
)
rules.coverage_point(
    "OpenCL:copy-overlap/1",
    COPY_RECT,
    "If src_buffer is dst_buffer, CL_MEM_COPY_OVERLAP is returned exactly if the code of Appendix D finds an overlap.",
    "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1",
    "clEnqueueCopyBufferRect/success",
    holds=lambda asked: (
        asked.call.src_buffer == asked.call.dst_buffer and asked.code in (SUCCESS, "CL_MEM_COPY_OVERLAP")
    ),
)


# buffers created with host_ptr


def _shows_initial_bytes(
    function: str, flag: str, test: Callable[[CompletedCall, Call], object]
) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether a read returns the bytes with which a buffer was created.

    ``function`` created the buffer with ``flag``, and no command has written to the buffer. The creating call passes
    ``test``.
    """

    def holds(asked: CompletedCall) -> bool:
        buffer = _read_buffer(asked)
        making = buffer.latest_calls.get(function)
        if making is None or isinstance(buffer, SubBuffer) or "" not in writers_of_known_bytes(asked):
            return False
        untouched = not _last_writer(buffer, asked)
        return untouched and has_any_flag(buffer, (flag,), asked.model) and bool(test(asked, making))

    return holds


def _svm_storage(asked: CompletedCall) -> SvmAllocation | None:
    """Return the SVM allocation at host_ptr if the new buffer uses it as storage; otherwise None."""
    if not asked.call.flags & asked.model.constant_value(USE_HOST_PTR):
        return None
    found = asked.model.find(asked.call.host_ptr)
    return found if isinstance(found, SvmAllocation) and asked.call.size <= found.size else None


def _shows_svm_write(function: str) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether a read returns bytes that an SVM command wrote to a buffer.

    ``function`` created the buffer, with an SVM allocation as its storage.
    """

    def holds(asked: CompletedCall) -> bool:
        buffer = _read_buffer(asked)
        memory, by_pointer = (
            buffer.memory,
            any(requirement.startswith("clEnqueueSVM") for requirement in writers_of_known_bytes(asked)),
        )
        below = (each.memory for each in asked.model.objects_of_class(SvmAllocation) if each.memory is not None)
        shared = memory is not None and any(each.storage is memory.storage for each in below)
        return function in buffer.latest_calls and by_pointer and shared

    return holds


@rules.completion
def _host_pointer_effects(rules: Rules, _tables: Tables) -> None:
    parent = "clEnqueueReadBuffer/success"
    for function, (initial, accepted, storage, access, once_more, at_once) in zip(
        CREATORS, ((2, 3, 4, 5, 6, 7), (2, 3, 4, 6, 7, 8)), strict=True
    ):
        words = "Checked on reads of a new buffer that was created with CL_MEM_USE_HOST_PTR."
        for number in (initial, once_more):
            begins = _shows_initial_bytes(function, USE_HOST_PTR, lambda _asked, _call: True)
            rules.coverage_point(f"{function}/effect/{number}", READ_BYTES, words, parent, holds=begins)
        rules.coverage_point(
            f"{function}/effect/{at_once}",
            READ_BYTES,
            "Checked on reads of a new CL_MEM_COPY_HOST_PTR buffer after the memory at host_ptr changed.",
            parent,
            holds=_shows_initial_bytes(function, COPY_HOST_PTR, lambda _asked, call: isinstance(call.host_ptr, Data)),
        )
        rules.coverage_point(
            f"{function}/effect/{accepted}",
            function,
            "",
            f"{function}/success",
            holds=lambda asked: _svm_storage(asked) is not None,
            requires_success=True,
        )
        rules.coverage_point(
            f"{function}/effect/{storage}",
            READ_BYTES,
            "Checked on reads of a buffer after a command wrote to the SVM allocation at its host_ptr.",
            parent,
            holds=_shows_svm_write(function),
        )
        rules.coverage_point(
            f"{function}/effect/{access}",
            READ_BYTES,
            "Checked on reads of bytes that a kernel wrote to a buffer created without a kernel access flag.",
            KERNEL_SUCCESS,
            parent,
            holds=_shows_kernel_write_without_access_flag(function),
        )
    rules.coverage_point(
        "clCreateBufferWithProperties/effect/5",
        READ_BYTES,
        "Checked on reads, on a device of the context other than the first, of a buffer created without a device list.",
        parent,
        "clEnqueueReadBuffer/CL_INVALID_CONTEXT/1",
        holds=_is_used_by_another_device,
    )


def _shows_kernel_write_without_access_flag(function: str) -> Callable[[CompletedCall], bool]:
    def holds(asked: CompletedCall) -> bool:
        buffer = _read_buffer(asked)
        making = buffer.latest_calls.get(function)
        if making is None or isinstance(buffer, SubBuffer) or KERNEL_SUCCESS not in writers_of_known_bytes(asked):
            return False
        return not any(making.flags & asked.model.constant_value(name) for name in KERNEL_ACCESS)

    return holds


def _is_used_by_another_device(asked: CompletedCall) -> bool:
    buffer, devices = _read_buffer(asked), asked.context.scope.devices
    every = buffer.context.devices if buffer.context is not None else []
    return (
        CREATORS[1] in buffer.latest_calls
        and bool(writers_of_known_bytes(asked))
        and bool(devices)
        and devices[0] not in every[:1]
    )


# sub-buffers


def _inherits_flag(names: tuple[str, ...]) -> Callable[[QueryRequest], bool]:
    """Return a function that checks whether a query concerns a sub-buffer that inherits a flag in ``names``."""

    def when(question: QueryRequest) -> bool:
        region, value = question.subject, question.model.constant_value
        making = region.latest_calls.get(CREATE_SUB_BUFFER) if isinstance(region, SubBuffer) else None
        if not isinstance(region, SubBuffer) or making is None or region.reportable_flags is None:
            return False
        given = any(making.flags & value(name) for name in names)
        return not given and any(region.flags & value(name) for name in names)

    return when


def _shows_write_to_buffer(asked: CompletedCall, *, before: bool) -> bool:
    """Return whether a read of a sub-buffer returns bytes that a command wrote to its parent buffer.

    ``before``: True for a command enqueued before the creation of the sub-buffer, False for a later command.
    """
    region = _read_buffer(asked)
    whole = region.buffer if isinstance(region, SubBuffer) else None
    if whole is None:
        return False
    functions = [requirement.removesuffix("/success") for requirement in writers_of_known_bytes(asked) if requirement]
    calls = [(whole.latest_calls.get(each), region.latest_calls.get(each)) for each in functions]
    return any(theirs is not None and (theirs is own) is before for theirs, own in calls)


for _requirement, _names in (
    ("clCreateSubBuffer/effect/1", KERNEL_ACCESS),
    ("clCreateSubBuffer/effect/3", HOST_ACCESS),
):
    rules.coverage_point(
        _requirement,
        "clGetMemObjectInfo",
        "",
        "CL_MEM_FLAGS",
        holds=cover_query("CL_MEM_FLAGS", when=_inherits_flag(_names)),
    )
rules.coverage_point(
    "clCreateSubBuffer/effect/2",
    READ_BYTES,
    "Checked on reads of a sub-buffer that return bytes written to its parent buffer before clCreateSubBuffer.",
    "clEnqueueReadBuffer/success",
    holds=lambda asked: (
        has_any_flag(_read_buffer(asked), (COPY_HOST_PTR,), asked.model) and _shows_write_to_buffer(asked, before=True)
    ),
)
rules.coverage_point(
    "clCreateSubBuffer/effect/4",
    "clGetMemObjectInfo",
    "",
    "CL_MEM_HOST_PTR",
    holds=cover_query(
        "CL_MEM_HOST_PTR",
        when=lambda question: (
            isinstance(question.subject, SubBuffer) and has_any_flag(question.subject, (USE_HOST_PTR,), question.model)
        ),
    ),
)
rules.coverage_point(
    "clCreateSubBuffer/effect/5",
    READ_BYTES,
    "Checked on reads of a sub-buffer that return bytes written to its parent buffer after clCreateSubBuffer.",
    "clEnqueueReadBuffer/success",
    holds=lambda asked: _shows_write_to_buffer(asked, before=False),
)
