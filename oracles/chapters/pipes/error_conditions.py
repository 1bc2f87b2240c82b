"""Error conditions of creating pipes: flags and sizes (section 5.4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.capabilities import lacks_capability
from clconform.oracles.common.flags import flags_of
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.call_scope import versions_of
from clconform.spec_tables.versions import UNIFIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

ALLOWED_FLAGS = ("CL_MEM_READ_WRITE", "CL_MEM_HOST_NO_ACCESS")
"""The flags that clCreatePipe accepts."""
ONE_SIDED_FLAGS = ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")
MAX_PACKET_SIZE = "CL_DEVICE_PIPE_MAX_PACKET_SIZE"


@rules.clause("clCreatePipe/CL_INVALID_VALUE/1")
def has_invalid_flags(call: Call, model: Model) -> PredicateResult:
    """flags contains a bit other than those of CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS."""
    others = call.flags & ~sum(model.constant_value(name) for name in ALLOWED_FLAGS)
    if not others:
        return NO
    if (
        others in map(model.constant_value, ONE_SIDED_FLAGS)
        and not call.flags & model.constant_value(ALLOWED_FLAGS[0])
        and is_before_3_0(call, model)
    ):
        return may("pipe-flags-before-3.0")
    for name, flag in flags_of("cl_mem_flags", model).items():
        if flag.document != "OpenCL":
            others &= ~model.constant_value(name)
    return MUST if others else may("flag-defined-elsewhere")


def is_before_3_0(call: Call, model: Model) -> bool:
    """Return whether a device that may use the pipe has a version before 3.0."""
    return any(version < UNIFIED for version in versions_of(call, model))


@rules.clause("clCreatePipe/CL_INVALID_PIPE_SIZE/1")
def has_invalid_size(call: Call, model: Model) -> PredicateResult:
    """pipe_packet_size or pipe_max_packets is 0, or pipe_packet_size is more than CL_DEVICE_PIPE_MAX_PACKET_SIZE.

    The error is required if pipe_packet_size exceeds the limit of all devices in context that support pipes, and
    optional if it exceeds the limit of only some of them.
    """
    if call.pipe_packet_size == 0 or call.pipe_max_packets == 0:
        return MUST
    devices = [each for each in model.context(call.context).devices if not lacks_capability(each, "pipes")]
    if not devices:
        return may("pipe-size-without-pipe-support")
    beyond = {call.pipe_packet_size > each.number(MAX_PACKET_SIZE) for each in devices}
    return must_if(beyond.pop()) if len(beyond) == 1 else may("packet-too-large-for-some-devices")


@rules.alternatives_of("clCreatePipe/CL_INVALID_PIPE_SIZE/1")
def find_size_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each size that is 0, or whether pipe_packet_size is above the limit."""
    del model
    empty = [name for name in ("pipe_packet_size", "pipe_max_packets") if call.arguments[name] == 0]
    yield from (f"{name} is 0" for name in empty)
    if not empty:
        yield f"pipe_packet_size is more than {MAX_PACKET_SIZE} of every device that supports pipes"
