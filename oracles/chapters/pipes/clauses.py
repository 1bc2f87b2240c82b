"""Error conditions of creating pipes: flags and sizes (section 5.4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.scope import versions_behind
from clconform.oracles.model.versions import UNIFIED
from clconform.oracles.recurring.capabilities import lacks
from clconform.oracles.recurring.flags import flags_of

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

ALLOWED = ("CL_MEM_READ_WRITE", "CL_MEM_HOST_NO_ACCESS")
"""The only flags of a pipe."""
OF_ONE_SIDE = ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")
MOST_BYTES = "CL_DEVICE_PIPE_MAX_PACKET_SIZE"


@rules.clause("clCreatePipe/CL_INVALID_VALUE/1")
def flags_of_no_pipe(call: Call, model: Model) -> Reply:
    """flags contains a bit other than those of CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS."""
    others = call.flags & ~sum(model.value(name) for name in ALLOWED)
    if not others:
        return Answer.NO
    if others in map(model.value, OF_ONE_SIDE) and not call.flags & model.value(ALLOWED[0]) and older(call, model):
        return May("flags-of-a-pipe-before-3.0")
    for name, flag in flags_of("cl_mem_flags", model).items():
        if flag.document != "OpenCL":
            others &= ~model.value(name)
    return Answer.MUST if others else May("flag-of-elsewhere")


def older(call: Call, model: Model) -> bool:
    """Return whether a pipe may be for a device of a version before 3.0."""
    return any(version < UNIFIED for version in versions_behind(call, model))


@rules.clause("clCreatePipe/CL_INVALID_PIPE_SIZE/1")
def no_size_of_a_pipe(call: Call, model: Model) -> Reply:
    """pipe_packet_size is 0 or larger than CL_DEVICE_PIPE_MAX_PACKET_SIZE of all devices, or pipe_max_packets is 0."""
    if call.pipe_packet_size == 0 or call.pipe_max_packets == 0:
        return Answer.MUST
    devices = [each for each in model.context(call.context).devices if not lacks(each, "pipes")]
    if not devices:
        return May("size-of-a-pipe-of-nobody")
    beyond = {call.pipe_packet_size > each.number(MOST_BYTES) for each in devices}
    return beyond.pop() if len(beyond) == 1 else May("packet-too-large-for-some")
