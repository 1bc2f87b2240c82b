"""Kernels that write values to a buffer; the build of the program determines the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.suites.helpers import require_handle, skip_unless

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit


def build_and_read(kit: Kit, program: Handle, name: str, words: int, options: str | None = "") -> None:
    """Build a program, run its kernel ``name``, which writes ``words`` words to a buffer, and read the buffer."""
    done = kit.try_build(program, options)
    skip_unless(done, f"the driver does not build the kernel{'' if done else kit.first_log_line(program)}")
    kernel = require_handle(kit.cl.clCreateKernel(program, Text(name), OutputBuffer(1)))
    data = kit.create_filled_buffer(WORD_BYTES * words)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(data))
    one_item = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    kit.enqueue("clEnqueueNDRangeKernel", kernel=kernel, global_work_size=ElementList((1,)), **one_item)
    kit.read(data, 0, WORD_BYTES * words)
    kit.cl.clReleaseKernel(kernel)
