"""Postconditions of creating pipes (section 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.memory_objects.making import host_memory_of
from clconform.oracles.chapters.pipes.clauses import older
from clconform.oracles.contents.storage import Storage, View, plain
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Pipe
from clconform.oracles.recurring.making import made

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Promise
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clCreatePipe")
def pipe_made(call: Call, model: Model) -> Promise:
    """The call creates a new pipe with the given packet size and maximum number of packets."""
    known = Storage(1)
    known.write(((0, 1),), plain(b"\0"))
    default = model.value("CL_MEM_READ_WRITE") | model.value("CL_MEM_HOST_NO_ACCESS")
    among = (0, default, model.value("CL_MEM_READ_WRITE")) if older(call, model) else (0, default)
    pipe = Pipe(
        context=model.context(call.context),
        flags=call.flags or default,
        told_flags=tuple(call.flags | more for more in among),
        host=host_memory_of(call, model),
        properties=call.properties,
        packet_size=call.pipe_packet_size,
        max_packets=call.pipe_max_packets,
        memory=View(known, 0, 1),
    )
    return made(pipe, call, model)
