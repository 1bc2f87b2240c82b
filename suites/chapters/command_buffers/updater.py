"""The kit for updatable kernel commands: it records, updates and queries them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Data, ElementList, HandleBytes, OutputBuffer
from clconform.suites.chapters.command_buffers.recorder import IN_ORDER, CommandBufferRecorder
from clconform.suites.chapters.command_buffers.update_lists import MUTABLE, RECORD_KERNEL, UPDATE, list_updates
from clconform.suites.chapters.execution.range_kit import RangeKit
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from clconform.calls.values import DispatchConfig, Handle, Value

QUERY = "clGetMutableCommandInfoKHR"
SIZES = tuple(f"CL_MUTABLE_DISPATCH_GLOBAL_WORK_{name}_KHR" for name in ("OFFSET", "SIZE"))
QUERIED = (*SIZES, "CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR")
ITEMS = 64
WHOLE: dict[str, Value] = {"global_work_size": ElementList((ITEMS,))}


class Updater(CommandBufferRecorder, RangeKit):
    """A recorder of kernel commands that can be updated."""

    def begin_mutable(self) -> None:
        """Create a command-buffer whose commands can be updated."""
        skip_unless(is_available(self.cl, UPDATE), "cl_khr_command_buffer_mutable_dispatch is not supported")
        self.begin(IN_ORDER, MUTABLE)

    def record_kernel(self, kernel: Handle, **sizes: Value) -> Handle:
        """Record an updatable kernel command, and return its handle."""
        given: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
        outcome = self.record(RECORD_KERNEL, kernel=kernel, mutable_handle=OutputBuffer(1), **{**given, **sizes})
        return require_handle(outcome, "mutable_handle")

    def set_buffer(self, buffer: Handle, kernel: Handle | None = None) -> Handle:
        """Set a buffer as the first argument of ``add_index``, or of another kernel, and return the kernel."""
        known = kernel or self.kernel("add_index")
        self.cl.clSetKernelArg(known, 0, self.pointer_bytes, HandleBytes(buffer))
        return known

    def update_commands(self, *listed: DispatchConfig) -> None:
        """Update kernel commands."""
        self.cl.call(Call(UPDATE, {"command_buffer": self.recorded_buffer, **list_updates(self, *listed)}))

    def query_ranges(self, command: Handle) -> None:
        """Query the offset and the sizes of a kernel command."""
        for name in QUERIED:
            self.cl.query(QUERY, command, name)

    def record_add_index(self, buffer: Handle) -> None:
        """Record a kernel command of ``add_index`` over a buffer, without a handle."""
        given: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
        self.record(RECORD_KERNEL, kernel=self.set_buffer(buffer), **given, **WHOLE)

    def record_fill(self, buffer: Handle) -> None:
        """Record a fill of a buffer."""
        pattern = Data(bytes([7, 8, 9, 10]))
        self.record("clCommandFillBufferKHR", buffer=buffer, pattern=pattern, pattern_size=4, offset=0, size=SIZE)
