"""Coverage points of buffer contents (sections 5.2.1 to 5.2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import READ
from clconform.calls.values import Data
from clconform.oracles.contents.maps import reach
from clconform.oracles.contents.transfers import triple
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Bytes
from clconform.oracles.model.errors import ForbiddenError
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.pointed_memory import HostArea, SvmAllocation
from clconform.oracles.queries.effects import answered
from clconform.oracles.recurring.flags import made_with_any
from clconform.oracles.recurring.reads import left_by, map_read, returns_first, there_at_once, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.model.maps import MappedRegion
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables

rules = Rules()

READ_BYTES, READ_RECT = "clEnqueueReadBuffer", "clEnqueueReadBufferRect"
WRITE, WRITE_RECT = "clEnqueueWriteBuffer", "clEnqueueWriteBufferRect"
COPY, COPY_RECT, FILL, MAP = (
    f"clEnqueue{what}" for what in ("CopyBuffer", "CopyBufferRect", "FillBuffer", "MapBuffer")
)
RUN = "clEnqueueNDRangeKernel/success"
MAKERS = ("clCreateBuffer", "clCreateBufferWithProperties")
REGION = "clCreateSubBuffer"
KERNEL_ACCESS = ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")
HOST_ACCESS = ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")
NOT_WRITTEN = ("CL_MEM_READ_ONLY", "CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS")
USED, COPIED = "CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR"


def _buffer(asked: AnsweredCall) -> Buffer:
    return asked.model.get(Buffer, asked.call.buffer)


# reads


def _rows(call: Call) -> bool:
    return triple(call.region)[1] > 1


def _slices(call: Call) -> bool:
    return triple(call.region)[2] > 1


def _off(side: str) -> Callable[[Call], bool]:
    """Return the test that the rectangle of one side does not begin at the first byte."""
    return lambda call: any(triple(call.arguments[f"{side}_origin"]))


def _tight(side: str, pitch: str) -> Callable[[Call], bool]:
    """Return the test that a pitch is 0, and that the region has several rows or slices for that pitch."""
    several = _rows if pitch == "row" else _slices
    return lambda call: not call.arguments[f"{side}_{pitch}_pitch"] and several(call)


LAYOUT: tuple[tuple[str, Callable[[str], Callable[[Call], bool]]], ...] = (
    ("origin is not (0, 0, 0)", _off),
    ("row pitch is 0, with several rows", lambda side: _tight(side, "row")),
    ("slice pitch is 0, with several slices", lambda side: _tight(side, "slice")),
)
"""Conditions on the rectangle of one side, with the test whether a call meets it."""
BETWEEN = {
    "buffer": (1, 3, 4),
    "host": (2, 5, 6),
    "src": (1, 3, 4),
    "dst": (2, 5, 6),
}
"""Sides of a transfer to the numbers of the requirements about their rectangle, in the order of ``LAYOUT``."""
PITCHES = {
    (side, pitch): 2 * at + above
    for sides in (("buffer", "host"), ("src", "dst"))
    for at, side in enumerate(sides)
    for above, pitch in enumerate(("row", "slice"), 1)
}
"""Sides of a transfer and pitches to the number of the rule for a pitch of 0."""


for _side in ("buffer", "host"):
    for _number, (_words, _of) in zip(BETWEEN[_side], LAYOUT, strict=True):
        _test = _of(_side)
        rules.trigger(
            f"{READ_RECT}/effect/{_number}",
            READ_RECT,
            f"Checked on reads of known bytes whose {_side} {_words}.",
            f"{READ_RECT}/success",
            holds=lambda asked, test=_test: bool(told(asked) and test(asked.call)),  # type: ignore[misc]
        )
rules.trigger(
    f"{READ_RECT}/effect/12",
    READ_RECT,
    "Checked on blocking calls that return known bytes.",
    f"{READ_RECT}/success",
    holds=there_at_once,
)
for _function, _returns, _ends in ((READ_BYTES, 7, 8), (READ_RECT, 13, 14)):
    rules.trigger(
        f"{_function}/effect/{_returns}",
        _function,
        "Checked on non-blocking calls that return while their command waits for a user event.",
        f"{_function}/success",
        holds=returns_first,
    )
    rules.trigger(
        f"{_function}/effect/{_ends}",
        READ,
        "Checked when the host reads the memory at ptr after a non-blocking read.",
        f"{_function}/success",
        holds=left_by(_function),
    )


# writes, copies and fills


def _put(record: str, writer: str, words: str, test: Callable[[AnsweredCall, Call], object]) -> None:
    """Declare a coverage point on reads of bytes that ``writer`` wrote last, in a call that passes a test.

    A plain write leaves no requirement id on the bytes, so it counts only if it was the last command to write to the
    memory.
    """
    signed = "" if writer == WRITE else f"{writer}/success"

    def holds(asked: AnsweredCall) -> bool:
        buffer = _buffer(asked)
        last = buffer.latest.get(writer)
        if last is None or signed not in told(asked):
            return False
        return (bool(signed) or _last_writer(buffer, asked) == writer) and bool(test(asked, last))

    parents = (f"{writer}/success", f"{READ_BYTES}/success")
    rules.trigger(record, READ_BYTES, words, *parents, holds=holds)


def _last_writer(buffer: Buffer, asked: AnsweredCall) -> str:
    writer = asked.model.order.writers.get(buffer.memory.storage) if buffer.memory is not None else None
    return writer.function if writer is not None else ""


for _writer, _sides in ((WRITE_RECT, ("buffer", "host")), (COPY_RECT, ("src", "dst"))):
    for _side in _sides:
        for _number, (_words, _of) in zip(BETWEEN[_side], LAYOUT, strict=True):
            _test = _of(_side)
            _put(
                f"{_writer}/effect/{_number}",
                _writer,
                f"Checked on reads of bytes from a call whose {_side} {_words}.",
                lambda _asked, last, test=_test: test(last),  # type: ignore[misc]
            )
        for _pitch in ("row", "slice"):
            _test = _tight(_side, _pitch)
            _put(
                f"{_writer}/size/{PITCHES[_side, _pitch]}",
                _writer,
                f"If {_side}_{_pitch}_pitch is 0, the tightest pitch is used.",
                lambda _asked, last, test=_test: test(last),  # type: ignore[misc]
            )
for _number, _words, _shows in (
    (12, "Checked on reads of bytes from a rectangular copy.", lambda _asked, _last: True),
    (
        13,
        "Checked on reads of bytes from a copy with rows of several bytes.",
        lambda _asked, last: triple(last.region)[0] > 1,
    ),
    (14, "Checked on reads of bytes from a copy of several rows.", lambda _asked, last: _rows(last)),
    (15, "Checked on reads of bytes from a copy of several slices.", lambda _asked, last: _slices(last)),
):
    _put(f"{COPY_RECT}/effect/{_number}", COPY_RECT, _words, _shows)


def _reused(asked: AnsweredCall, last: Call) -> bool:
    """Return whether the source memory of a non-blocking write now holds other bytes.

    The result is False if that memory is no longer available.
    """
    if last.blocking_write or isinstance(last.ptr, Data):
        return False
    want = asked.judged.effect.gives["ptr"]
    try:
        now = reach(last.ptr, asked.model)
        held = now.view.storage.read(now.view.spans(0, now.view.size)).held
    except ForbiddenError:
        return False
    return isinstance(want, Bytes) and want.content not in held


for _writer, _blocks, _gone, _later, _after in ((WRITE, 0, 7, 8, 9), (WRITE_RECT, 12, 13, 14, 15)):
    if _blocks:
        _words = "Checked on reads of bytes from a blocking write."
        _put(f"{_writer}/effect/{_blocks}", _writer, _words, lambda _asked, last: last.blocking_write)
    _put(
        f"{_writer}/effect/{_gone}",
        _writer,
        "Checked on reads of bytes from a blocking write whose memory at ptr changed after the call.",
        lambda _asked, last: last.blocking_write and isinstance(last.ptr, Data),
    )
    _words = "Checked on reads of bytes from a non-blocking write."
    _put(f"{_writer}/effect/{_later}", _writer, _words, lambda _asked, last: not last.blocking_write)
    _words = "Checked on reads of bytes from a non-blocking write after new bytes were stored at ptr."
    _put(f"{_writer}/effect/{_after}", _writer, _words, _reused)
_put(f"{FILL}/effect/1", FILL, "Checked on reads of bytes from a fill.", lambda _asked, _last: True)
_put(
    f"{FILL}/effect/2",
    FILL,
    "Checked on reads of bytes from a fill whose memory at pattern changed after the call.",
    lambda _asked, last: isinstance(last.pattern, Data),
)
rules.trigger(
    f"{FILL}/effect/8",
    FILL,
    "Checked on fills of a buffer that kernels only read, or that the host only reads or does not access.",
    holds=lambda asked: made_with_any(_buffer(asked), NOT_WRITTEN, asked.model),
    by_success=True,
)


# mapped regions


def _through_a_map(asked: AnsweredCall) -> MappedRegion | None:
    """Return the mapped region through which the host reads known bytes of a buffer."""
    region = map_read(asked)
    return region if region is not None and region.function == MAP else None


def _mapped(number: int, words: str, test: Callable[[AnsweredCall, MappedRegion], object]) -> None:
    """Declare a coverage point on host reads through a mapped region of a buffer."""

    def holds(asked: AnsweredCall) -> bool:
        found = _through_a_map(asked)
        return found is not None and bool(test(asked, found))

    rules.trigger(f"{MAP}/effect/{number}", READ, words, f"{MAP}/success", holds=holds)


def _to_the_end(asked: AnsweredCall, region: MappedRegion) -> bool:
    """Return whether the host reads the first or last byte of a mapped region that does not start at offset 0."""
    spans, whole = asked.judged.effect.reads[0].spans, region.memory.memory
    if not spans or whole is None or region.region.start == whole.start:
        return False
    first, end = region.region.start, region.region.start + region.region.size
    return spans[0][0] == first or sum(spans[-1]) == end


_mapped(
    1,
    "Checked when the host reads known bytes through the pointer after a blocking call.",
    lambda _, map_: map_.blocking,
)
_mapped(
    2,
    "Checked when the host reads known bytes through the pointer after the command of a non-blocking call is complete.",
    lambda _, map_: not map_.blocking,
)
_mapped(10, "Checked when the host reads the first or last byte of a mapped region whose offset is not 0.", _to_the_end)
_mapped(
    11,
    "Checked when the host reads mapped bytes at host_ptr.",
    lambda asked, _: isinstance(asked.judged.effect.reads[0].owner, HostArea),
)
_mapped(
    13,
    "Checked when the host reads known bytes through a region that is mapped only for reading.",
    lambda _, map_: not map_.writes,
)
_mapped(
    14,
    "Checked when the host reads known bytes through a region that is mapped for writing.",
    lambda _, map_: map_.writes,
)
rules.trigger(
    f"{MAP}/effect/9",
    MAP,
    "",
    f"{MAP}/success",
    holds=lambda asked: asked.code not in (SUCCESS, ""),
)
rules.trigger(
    "OpenCL:copy-overlap/1",
    COPY_RECT,
    "Two rectangles in one buffer overlap exactly if the code of Appendix D reports an overlap.",
    f"{COPY_RECT}/CL_MEM_COPY_OVERLAP/1",
    f"{COPY_RECT}/success",
    holds=lambda asked: (
        asked.call.src_buffer == asked.call.dst_buffer and asked.code in (SUCCESS, "CL_MEM_COPY_OVERLAP")
    ),
)


# buffers created with host_ptr


def _made_by(function: str, flag: str, test: Callable[[AnsweredCall, Call], object]) -> Callable[[AnsweredCall], bool]:
    """Return the test that a read returns the bytes that a buffer was created with.

    ``function`` created the buffer, with ``flag``, and no command has written to it since.
    """

    def holds(asked: AnsweredCall) -> bool:
        buffer = _buffer(asked)
        making = buffer.latest.get(function)
        if making is None or isinstance(buffer, SubBuffer) or "" not in told(asked):
            return False
        untouched = not _last_writer(buffer, asked)
        return untouched and made_with_any(buffer, (flag,), asked.model) and bool(test(asked, making))

    return holds


def _on_shared_memory(asked: AnsweredCall) -> SvmAllocation | None:
    """Return the SVM allocation at host_ptr if it is the storage of the new buffer from its first byte on."""
    if not asked.call.flags & asked.model.value(USED):
        return None
    found = asked.model.known(asked.call.host_ptr)
    return found if isinstance(found, SvmAllocation) and asked.call.size <= found.size else None


def _written_by_its_pointer(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the test that a buffer shows bytes that a command wrote to its SVM storage."""

    def holds(asked: AnsweredCall) -> bool:
        buffer = _buffer(asked)
        memory, by_pointer = buffer.memory, any(record.startswith("clEnqueueSVM") for record in told(asked))
        below = (each.memory for each in asked.model.of_kind(SvmAllocation) if each.memory is not None)
        shared = memory is not None and any(each.storage is memory.storage for each in below)
        return function in buffer.latest and by_pointer and shared

    return holds


@rules.completion
def _of_the_host(rules: Rules, _tables: Tables) -> None:
    parent = f"{READ_BYTES}/success"
    for function, (initial, accepted, storage, access, once_more, at_once) in zip(
        MAKERS, ((2, 3, 4, 5, 6, 7), (2, 3, 4, 6, 7, 8)), strict=True
    ):
        words = "Checked on reads of a new buffer that was created with CL_MEM_USE_HOST_PTR."
        for number in (initial, once_more):
            begins = _made_by(function, USED, lambda _asked, _call: True)
            rules.trigger(f"{function}/effect/{number}", READ_BYTES, words, parent, holds=begins)
        rules.trigger(
            f"{function}/effect/{at_once}",
            READ_BYTES,
            "Checked on reads of a new buffer whose memory at host_ptr changed after its creation.",
            parent,
            holds=_made_by(function, COPIED, lambda _asked, call: isinstance(call.host_ptr, Data)),
        )
        rules.trigger(
            f"{function}/effect/{accepted}",
            function,
            "",
            f"{function}/success",
            holds=lambda asked: _on_shared_memory(asked) is not None,
            by_success=True,
        )
        rules.trigger(
            f"{function}/effect/{storage}",
            READ_BYTES,
            "Checked on reads of a buffer after a command wrote to the SVM allocation at its host_ptr.",
            parent,
            holds=_written_by_its_pointer(function),
        )
        rules.trigger(
            f"{function}/effect/{access}",
            READ_BYTES,
            "Checked on reads of bytes that a kernel wrote to a buffer created without a kernel access flag.",
            RUN,
            parent,
            holds=_of_any_access(function),
        )
    rules.trigger(
        f"{MAKERS[1]}/effect/5",
        READ_BYTES,
        "Checked on reads of a buffer, created without a device list, by another device than the first of its context.",
        parent,
        f"{READ_BYTES}/CL_INVALID_CONTEXT/1",
        holds=_used_by_another,
    )


def _of_any_access(function: str) -> Callable[[AnsweredCall], bool]:
    def holds(asked: AnsweredCall) -> bool:
        buffer = _buffer(asked)
        making = buffer.latest.get(function)
        if making is None or isinstance(buffer, SubBuffer) or RUN not in told(asked):
            return False
        return not any(making.flags & asked.model.value(name) for name in KERNEL_ACCESS)

    return holds


def _used_by_another(asked: AnsweredCall) -> bool:
    buffer, devices = _buffer(asked), asked.judged.scope.devices
    every = buffer.context.devices if buffer.context is not None else []
    return MAKERS[1] in buffer.latest and bool(told(asked)) and bool(devices) and devices[0] not in every[:1]


# sub-buffers


def _inherits(names: tuple[str, ...]) -> Callable[[Question], bool]:
    """Return the test that the flags of a sub-buffer are queried that inherits one of some flags."""

    def when(question: Question) -> bool:
        region, value = question.thing, question.model.value
        making = region.latest.get(REGION) if isinstance(region, SubBuffer) else None
        if not isinstance(region, SubBuffer) or making is None or region.told_flags is None:
            return False
        given = any(making.flags & value(name) for name in names)
        return not given and any(region.flags & value(name) for name in names)

    return when


def _by_its_buffer(asked: AnsweredCall, *, before: bool) -> bool:
    """Return whether a sub-buffer shows bytes that a command wrote to its buffer.

    ``before``: the command ran before the creation of the sub-buffer.
    """
    region = _buffer(asked)
    whole = region.buffer if isinstance(region, SubBuffer) else None
    if whole is None:
        return False
    functions = [record.removesuffix("/success") for record in told(asked) if record]
    calls = [(whole.latest.get(each), region.latest.get(each)) for each in functions]
    return any(theirs is not None and (theirs is own) is before for theirs, own in calls)


for _number, _words, _names in (
    (1, "", KERNEL_ACCESS),
    (3, "", HOST_ACCESS),
):
    rules.trigger(
        f"{REGION}/effect/{_number}",
        "clGetMemObjectInfo",
        _words,
        "CL_MEM_FLAGS",
        holds=answered("CL_MEM_FLAGS", when=_inherits(_names)),
    )
rules.trigger(
    f"{REGION}/effect/2",
    READ_BYTES,
    "Checked on reads of a sub-buffer after commands wrote to its buffer, before the creation of the sub-buffer.",
    f"{READ_BYTES}/success",
    holds=lambda asked: made_with_any(_buffer(asked), (COPIED,), asked.model) and _by_its_buffer(asked, before=True),
)
rules.trigger(
    f"{REGION}/effect/4",
    "clGetMemObjectInfo",
    "",
    "CL_MEM_HOST_PTR",
    holds=answered(
        "CL_MEM_HOST_PTR",
        when=lambda question: (
            isinstance(question.thing, SubBuffer) and made_with_any(question.thing, (USED,), question.model)
        ),
    ),
)
rules.trigger(
    f"{REGION}/effect/5",
    READ_BYTES,
    "Checked on reads of a sub-buffer after commands wrote to its buffer, after the creation of the sub-buffer.",
    f"{READ_BYTES}/success",
    holds=lambda asked: _by_its_buffer(asked, before=False),
)
