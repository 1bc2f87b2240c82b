"""Effects of kernels that write packets to a pipe and read them, in order (sections 3.3.2 and 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, Place, by
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.memory_objects import Pipe
from clconform.oracles.model.pipe_kernels import PACKET_BYTES, PACKETS

if TYPE_CHECKING:
    from clconform.oracles.engine.wants import Element
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.pipe_kernels import PipeKernel

THROUGH_A_PIPE = "packets of a pipe"
"""Tag of memory whose bytes were the packets of a pipe."""


def through_a_pipe(kernel: PipeKernel, used: object, data: Place, record: str) -> MemoryEffect:
    """Return the effect of one run of a kernel on a pipe and on as many bytes as its packets have.

    ``used``: its first argument. The result for packets that do not fit, or are missing, is unknown, since OpenCL C
    specifies it. Packets of another size are undefined there.
    """
    if not isinstance(used, Pipe) or used.memory is None:
        raise UnknownError("pipe")
    if used.packet_size != PACKET_BYTES:
        raise ForbiddenError("the packets of the pipe are not of the kernel's size")
    pipe, inside = used, Place(used.memory.storage, used.memory.spans(0, 1), used)

    def pour(_value: Element, _command: Command | None) -> None:
        content = data.read()
        pipe.packets += [_packet(content, index) for index in range(PACKETS)]
        if len(pipe.packets) > pipe.max_packets:
            inside.forget()

    def drain(_value: Element, _command: Command | None) -> None:
        known = all(inside.read().defined)
        taken, pipe.packets = pipe.packets[:PACKETS], pipe.packets[PACKETS:]
        if not known or len(taken) < PACKETS:
            data.forget()
            return
        joined = Content(
            b"".join(each.held for each in taken), b"".join(each.defined for each in taken), [""] * data.spans[0][1]
        )
        data.write(by(joined, record))
        data.storage.ways = frozenset({THROUGH_A_PIPE})

    if kernel.writes:
        return MemoryEffect((data,), (inside,), carry_out=pour)
    return MemoryEffect((), (data, inside), carry_out=drain)


def _packet(content: Content, index: int) -> Content:
    cut = slice(index * PACKET_BYTES, (index + 1) * PACKET_BYTES)
    return Content(content.held[cut], content.defined[cut], content.records[cut])
