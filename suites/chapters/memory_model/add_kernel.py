"""The kernel ``add_index``, which changes each element of a buffer, built for selected devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, Handle, HandleBytes, Text
from clconform.suites.helpers import is_success, skip_unless
from clconform.suites.kit.programs import kernel_sources

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit


def create_add_kernel(kit: Kit, buffer: Handle, *devices: Handle) -> Handle:
    """Build the kernel ``add_index`` for these devices, set the buffer as its argument, and return the kernel.

    By default, the kernel is built for the device under test.
    """
    on = devices or (kit.cl.device,)
    if kit.cl.program_binaries is not None and on == (kit.cl.device,):
        program, built = kit.try_program(*kernel_sources("add_index"))
    else:
        program = kit.program("add_index")
        built = is_success(kit.cl.clBuildProgram(program, len(on), ElementList(on), Text(""), None, None))
    skip_unless(built, "the driver does not build the kernels")
    kernel = kit.kernel("add_index", program)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    return kernel
