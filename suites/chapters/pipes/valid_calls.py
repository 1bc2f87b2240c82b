"""One valid call that creates a pipe (section 5.4.1); a device without pipe support must reject it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreatePipe")
def pipe(kit: Kit) -> Arguments:
    """Create a pipe for a few packets, with both valid flags."""
    flags = kit.constant("CL_MEM_READ_WRITE", "CL_MEM_HOST_NO_ACCESS")
    return {"context": kit.context, "flags": flags, "pipe_packet_size": 8, "pipe_max_packets": 16}
