"""Memory effects of kernels that write packets to a pipe, or read packets from it (sections 3.3.2 and 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.storage import Content, MemoryPlace, attribute_to
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.memory_objects import Pipe
from clconform.oracles.model.pipe_kernels import PACKET_BYTES, PACKETS

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.pipe_kernels import PipeKernel

PACKET_TAG = "packets of a pipe"
"""Tag of memory to which a kernel copied packets from a pipe."""


def pipe_effect(kernel: PipeKernel, used: object, data: MemoryPlace, requirement: str) -> MemoryEffect:
    """Return the memory effect of a kernel that moves packets between a pipe and other memory.

    ``used``: the first argument of the kernel, a pipe. ``data``: the memory that provides or receives the packets.
    ``requirement``: the requirement to which unexpected bytes are attributed. The result is unknown if the pipe lacks
    space or packets, because only the OpenCL C specification describes this case. If the packet size of the pipe
    differs from that of the kernel, the call is undefined.
    """
    if not isinstance(used, Pipe) or used.memory is None:
        raise UnknownFactError("pipe")
    if used.packet_size != PACKET_BYTES:
        raise UndefinedBehaviourError("the packets of the pipe are not of the kernel's size")
    pipe, inside = used, MemoryPlace(used.memory.storage, used.memory.spans(0, 1), used)

    def pour(_value: Element, _command: Command | None) -> None:
        content = data.read()
        pipe.packets += [_packet_at(content, index) for index in range(PACKETS)]
        if len(pipe.packets) > pipe.max_packets:
            inside.forget()

    def drain(_value: Element, _command: Command | None) -> None:
        known = all(inside.read().defined)
        taken, pipe.packets = pipe.packets[:PACKETS], pipe.packets[PACKETS:]
        if not known or len(taken) < PACKETS:
            data.forget()
            return
        joined = Content(
            b"".join(each.bytes_held for each in taken),
            b"".join(each.defined for each in taken),
            [""] * data.spans[0][1],
        )
        data.write(attribute_to(joined, requirement))
        data.storage.used_capabilities = frozenset({PACKET_TAG})

    if kernel.writes:
        return MemoryEffect((data,), (inside,), apply=pour)
    return MemoryEffect((), (data, inside), apply=drain)


def _packet_at(content: Content, index: int) -> Content:
    cut = slice(index * PACKET_BYTES, (index + 1) * PACKET_BYTES)
    return Content(content.bytes_held[cut], content.defined[cut], content.writers[cut])
