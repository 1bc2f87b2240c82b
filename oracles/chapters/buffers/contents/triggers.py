"""Which calls put the sentences about what buffers hold to the test (sections 5.2.1 to 5.2.4)."""

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
    """Return the test that a rectangle does not begin at the first byte of one side."""
    return lambda call: any(triple(call.arguments[f"{side}_origin"]))


def _tight(side: str, pitch: str) -> Callable[[Call], bool]:
    """Return the test that a pitch is left to the implementation, and that more than one row, or slice, goes by it."""
    several = _rows if pitch == "row" else _slices
    return lambda call: not call.arguments[f"{side}_{pitch}_pitch"] and several(call)


LAYOUT: tuple[tuple[str, Callable[[str], Callable[[Call], bool]]], ...] = (
    ("begins where its origin and the pitches say", _off),
    ("has rows without gaps if its row pitch is 0", lambda side: _tight(side, "row")),
    ("has slices without gaps if its slice pitch is 0", lambda side: _tight(side, "slice")),
)
"""What is said of the rectangle of one side, and the test that a call shows it."""
BETWEEN = {
    "buffer": (1, 3, 4),
    "host": (2, 5, 6),
    "src": (1, 3, 4),
    "dst": (2, 5, 6),
}
"""Side of a transfer to the numbers of the sentences about its rectangle, in the order of the layout."""
PITCHES = {
    (side, pitch): 2 * at + above
    for sides in (("buffer", "host"), ("src", "dst"))
    for at, side in enumerate(sides)
    for above, pitch in enumerate(("row", "slice"), 1)
}
"""Side of a transfer and pitch to the number of the rule about the size that it has if it is 0."""


for _side in ("buffer", "host"):
    for _number, (_words, _of) in zip(BETWEEN[_side], LAYOUT, strict=True):
        _test = _of(_side)
        rules.trigger(
            f"{READ_RECT}/effect/{_number}",
            READ_RECT,
            f"Bytes of a rectangle are compared: on the side of the {_side} it {_words}.",
            f"{READ_RECT}/success",
            holds=lambda asked, test=_test: bool(told(asked) and test(asked.call)),  # type: ignore[misc]
        )
rules.trigger(
    f"{READ_RECT}/effect/12",
    READ_RECT,
    "The bytes are at ptr when a blocking call returns.",
    f"{READ_RECT}/success",
    holds=there_at_once,
)
for _function, _returns, _ends in ((READ_BYTES, 7, 8), (READ_RECT, 13, 14)):
    rules.trigger(
        f"{_function}/effect/{_returns}",
        _function,
        "A non-blocking call returns while its command waits for a user event.",
        f"{_function}/success",
        holds=returns_first,
    )
    rules.trigger(
        f"{_function}/effect/{_ends}",
        READ,
        "The bytes are at ptr when a non-blocking read is complete.",
        f"{_function}/success",
        holds=left_by(_function),
    )


# what commands have put there


def _put(record: str, writer: str, words: str, test: Callable[[AnsweredCall, Call], object]) -> None:
    """Declare that bytes which are read test what has put them there, if the last such call passes a test.

    A plain write leaves no record: it has put them there if it was the last command to write to the memory.
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
                f"Bytes of a rectangle are compared: on the side {_side} it {_words}.",
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
    (12, "Bytes of a rectangle that was copied are compared.", lambda _asked, _last: True),
    (13, "Bytes of rows of several bytes are compared.", lambda _asked, last: triple(last.region)[0] > 1),
    (14, "Bytes of several rows are compared.", lambda _asked, last: _rows(last)),
    (15, "Bytes of several slices are compared.", lambda _asked, last: _slices(last)),
):
    _put(f"{COPY_RECT}/effect/{_number}", COPY_RECT, _words, _shows)


def _reused(asked: AnsweredCall, last: Call) -> bool:
    """Return whether the memory that a non-blocking write came from holds other bytes now; False where it is gone."""
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
        _words = "Bytes of a blocking write are compared."
        _put(f"{_writer}/effect/{_blocks}", _writer, _words, lambda _asked, last: last.blocking_write)
    _put(
        f"{_writer}/effect/{_gone}",
        _writer,
        "Bytes of a blocking write are compared, which were changed at ptr after it returned.",
        lambda _asked, last: last.blocking_write and isinstance(last.ptr, Data),
    )
    _words = "Bytes of a non-blocking write are compared."
    _put(f"{_writer}/effect/{_later}", _writer, _words, lambda _asked, last: not last.blocking_write)
    _words = "Bytes of a non-blocking write are compared after the memory at ptr was written anew."
    _put(f"{_writer}/effect/{_after}", _writer, _words, _reused)
_put(f"{FILL}/effect/1", FILL, "Bytes of a buffer that was filled are compared.", lambda _asked, _last: True)
_put(
    f"{FILL}/effect/2",
    FILL,
    "Bytes of a buffer that was filled are compared, whose pattern was changed after the call.",
    lambda _asked, last: isinstance(last.pattern, Data),
)
rules.trigger(
    f"{FILL}/effect/8",
    FILL,
    "A buffer is filled although a kernel or the host may not write it.",
    holds=lambda asked: made_with_any(_buffer(asked), NOT_WRITTEN, asked.model),
    by_success=True,
)


# maps


def _through_a_map(asked: AnsweredCall) -> MappedRegion | None:
    """Return the map of a buffer through which the host reads bytes that are known."""
    region = map_read(asked)
    return region if region is not None and region.function == MAP else None


def _mapped(number: int, words: str, test: Callable[[AnsweredCall, MappedRegion], object]) -> None:
    """Declare that what the host reads through a map of a buffer tests a sentence about maps."""

    def holds(asked: AnsweredCall) -> bool:
        found = _through_a_map(asked)
        return found is not None and bool(test(asked, found))

    rules.trigger(f"{MAP}/effect/{number}", READ, words, f"{MAP}/success", holds=holds)


def _to_the_end(asked: AnsweredCall, region: MappedRegion) -> bool:
    """Return whether the host reads the first or the last byte of a map that does not begin with the buffer."""
    spans, whole = asked.judged.effect.reads[0].spans, region.memory.memory
    if not spans or whole is None or region.region.start == whole.start:
        return False
    first, end = region.region.start, region.region.start + region.region.size
    return spans[0][0] == first or sum(spans[-1]) == end


_mapped(1, "The host reads bytes through the pointer when a blocking call has returned.", lambda _, map_: map_.blocking)
_mapped(
    2,
    "The host reads bytes through the pointer when the command of a non-blocking call is complete.",
    lambda _, map_: not map_.blocking,
)
_mapped(10, "The host reads the first or the last byte of a map that begins behind the buffer's first.", _to_the_end)
_mapped(
    11,
    "The host reads mapped bytes at host_ptr, the buffer's own memory.",
    lambda asked, _: isinstance(asked.judged.effect.reads[0].owner, HostArea),
)
_mapped(13, "The host reads bytes through a map for reading alone.", lambda _, map_: not map_.writes)
_mapped(14, "The host reads bytes through a map for writing.", lambda _, map_: map_.writes)
rules.trigger(
    f"{MAP}/effect/9",
    MAP,
    "A call that fails returns NULL and one of the listed codes.",
    f"{MAP}/success",
    holds=lambda asked: asked.code not in (SUCCESS, ""),
)
rules.trigger(
    "OpenCL:copy-overlap/1",
    COPY_RECT,
    "Two rectangles of one buffer overlap or do not, as the code of the appendix says.",
    f"{COPY_RECT}/CL_MEM_COPY_OVERLAP/1",
    f"{COPY_RECT}/success",
    holds=lambda asked: (
        asked.call.src_buffer == asked.call.dst_buffer and asked.code in (SUCCESS, "CL_MEM_COPY_OVERLAP")
    ),
)


# buffers of the host's bytes


def _made_by(function: str, flag: str, test: Callable[[AnsweredCall, Call], object]) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that bytes are read with which a function has made a buffer, with a flag."""

    def holds(asked: AnsweredCall) -> bool:
        buffer = _buffer(asked)
        making = buffer.latest.get(function)
        if making is None or isinstance(buffer, SubBuffer) or "" not in told(asked):
            return False
        untouched = not _last_writer(buffer, asked)
        return untouched and made_with_any(buffer, (flag,), asked.model) and bool(test(asked, making))

    return holds


def _on_shared_memory(asked: AnsweredCall) -> SvmAllocation | None:
    """Return the shared virtual memory that a call gives as host_ptr for a buffer to lie in, from its first byte on."""
    if not asked.call.flags & asked.model.value(USED):
        return None
    found = asked.model.known(asked.call.host_ptr)
    return found if isinstance(found, SvmAllocation) and asked.call.size <= found.size else None


def _written_by_its_pointer(function: str) -> Callable[[AnsweredCall], bool]:
    """Return the trigger that a buffer shows what a command has written into the shared memory that it lies in."""

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
        words = "A buffer that uses the memory at host_ptr begins with what that holds."
        for number in (initial, once_more):
            begins = _made_by(function, USED, lambda _asked, _call: True)
            rules.trigger(f"{function}/effect/{number}", READ_BYTES, words, parent, holds=begins)
        rules.trigger(
            f"{function}/effect/{at_once}",
            READ_BYTES,
            "A buffer holds copied bytes, which were changed at host_ptr after it was made.",
            parent,
            holds=_made_by(function, COPIED, lambda _asked, call: isinstance(call.host_ptr, Data)),
        )
        rules.trigger(
            f"{function}/effect/{accepted}",
            function,
            "A buffer is made that uses shared virtual memory.",
            f"{function}/success",
            holds=lambda asked: _on_shared_memory(asked) is not None,
            by_success=True,
        )
        rules.trigger(
            f"{function}/effect/{storage}",
            READ_BYTES,
            "A buffer shows what a command has written into the shared memory that it lies in.",
            parent,
            holds=_written_by_its_pointer(function),
        )
        rules.trigger(
            f"{function}/effect/{access}",
            READ_BYTES,
            "A kernel writes to a buffer that was made without a flag for the accesses of kernels.",
            RUN,
            parent,
            holds=_of_any_access(function),
        )
    rules.trigger(
        f"{MAKERS[1]}/effect/5",
        READ_BYTES,
        "A buffer that was made for no devices by name is used by another device than the context's first.",
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


# regions of buffers


def _inherits(names: tuple[str, ...]) -> Callable[[Question], bool]:
    """Return the test that a region is asked for its flags, which was made with none of some, and inherits one."""

    def when(question: Question) -> bool:
        region, value = question.thing, question.model.value
        making = region.latest.get(REGION) if isinstance(region, SubBuffer) else None
        if not isinstance(region, SubBuffer) or making is None or region.told_flags is None:
            return False
        given = any(making.flags & value(name) for name in names)
        return not given and any(region.flags & value(name) for name in names)

    return when


def _by_its_buffer(asked: AnsweredCall, *, before: bool) -> bool:
    """Return whether a region shows bytes that a command has put into its buffer; ``before``: before it was made."""
    region = _buffer(asked)
    whole = region.buffer if isinstance(region, SubBuffer) else None
    if whole is None:
        return False
    functions = [record.removesuffix("/success") for record in told(asked) if record]
    calls = [(whole.latest.get(each), region.latest.get(each)) for each in functions]
    return any(theirs is not None and (theirs is own) is before for theirs, own in calls)


for _number, _words, _names in (
    (1, "A region that was made without a flag for the accesses of kernels has its buffer's.", KERNEL_ACCESS),
    (3, "A region that was made without a flag for the accesses of the host has its buffer's.", HOST_ACCESS),
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
    "A region of a buffer that has copied the host's bytes shows what was put there since, before the region was made.",
    f"{READ_BYTES}/success",
    holds=lambda asked: made_with_any(_buffer(asked), (COPIED,), asked.model) and _by_its_buffer(asked, before=True),
)
rules.trigger(
    f"{REGION}/effect/4",
    "clGetMemObjectInfo",
    "A region of a buffer that uses the memory at host_ptr lies at an address behind that by its origin.",
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
    "A region shows what was put into its buffer after it was made.",
    f"{READ_BYTES}/success",
    holds=lambda asked: _by_its_buffer(asked, before=False),
)
