"""Postconditions of creating pipes (section 5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.memory_objects.creation import host_memory_of
from clconform.oracles.chapters.pipes.error_conditions import is_before_3_0
from clconform.oracles.common.object_creation import create_postcondition
from clconform.oracles.contents.storage import Storage, StorageView, defined_bytes
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.memory_objects import Pipe

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Postcondition
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition("clCreatePipe")
def expect_pipe(call: Call, model: Model) -> Postcondition:
    """The call creates a new pipe with the given packet size and maximum number of packets."""
    known = Storage(1)
    known.write(((0, 1),), defined_bytes(b"\0"))
    default = model.constant_value("CL_MEM_READ_WRITE") | model.constant_value("CL_MEM_HOST_NO_ACCESS")
    among = (0, default, model.constant_value("CL_MEM_READ_WRITE")) if is_before_3_0(call, model) else (0, default)
    pipe = Pipe(
        context=model.context(call.context),
        flags=call.flags or default,
        reportable_flags=tuple(call.flags | more for more in among),
        host=host_memory_of(call, model),
        properties=call.properties,
        packet_size=call.pipe_packet_size,
        max_packets=call.pipe_max_packets,
        memory=StorageView(known, 0, 1),
    )
    return create_postcondition(pipe, call, model)
