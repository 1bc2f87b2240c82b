"""Bytes into and out of buffers, as far as running a kernel needs them (section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Room
from clconform.oracles.promises import Element, OneOf, Promise, Values
from clconform.oracles.rules import promise

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model


@promise("clEnqueueWriteBuffer")
def buffer_written(call: Call, model: Model) -> Promise:
    """The buffer holds the host's bytes where they were written."""
    memory = model.child(call.buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(call.ptr, Data):
            if memory.content is None and call.offset == 0 and call.size == memory.size:
                memory.content = bytearray(memory.size)
            if memory.content is not None:
                memory.content[call.offset : call.offset + call.size] = call.ptr.content[: call.size]

    return Promise(apply=apply)


@promise("clEnqueueReadBuffer")
def buffer_read(call: Call, model: Model) -> Promise:
    """A blocking read gives the bytes that the commands before it left in the buffer."""
    memory = model.child(call.buffer)
    if memory.content is None or not call.blocking_read or not isinstance(call.ptr, Room):
        return Promise()
    content = bytes(memory.content[call.offset : call.offset + call.size])
    return Promise(outputs={"ptr": OneOf(((content.hex(),),), ("clEnqueueReadBuffer/success",))})
