"""The kit for updatable kernel commands: it records, updates and queries them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, HandleBytes, Items, OutputBuffer
from clconform.suites.chapters.command_buffers.recording import IN_ORDER, Recorder
from clconform.suites.chapters.command_buffers.updating import HANDLE, LAUNCH, MUTABLE, UPDATE, configs
from clconform.suites.chapters.execution.range_kit import RangeKit
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from clconform.calls.values import DispatchConfig, Handle, Value

QUERY = "clGetMutableCommandInfoKHR"
SIZES = tuple(f"CL_MUTABLE_DISPATCH_GLOBAL_WORK_{name}_KHR" for name in ("OFFSET", "SIZE"))
ASKED = (*SIZES, "CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR")
ITEMS = 64
WHOLE: dict[str, Value] = {"global_work_size": Items((ITEMS,))}


class Updater(Recorder, RangeKit):
    """A recorder of kernel commands that may be updated."""

    def start(self) -> None:
        """Create a command-buffer for updates."""
        needs(promised(self.cl, UPDATE), "cl_khr_command_buffer_mutable_dispatch is not supported")
        self.begin(IN_ORDER, MUTABLE)

    def launch_of(self, kernel: Handle, **sizes: Value) -> Handle:
        """Record a kernel command, and return its handle."""
        given: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
        outcome = self.record(LAUNCH, kernel=kernel, mutable_handle=OutputBuffer(1), **{**given, **sizes})
        return one(outcome, "mutable_handle")

    def on(self, buffer: Handle, kernel: Handle | None = None) -> Handle:
        """Set a buffer as the first argument of ``add_index``, or of another kernel, and return the kernel."""
        known = kernel or self.kernel("add_index")
        self.cl.clSetKernelArg(known, 0, HANDLE, HandleBytes(buffer))
        return known

    def update(self, *listed: DispatchConfig) -> None:
        """Update kernel commands."""
        self.cl.clUpdateMutableCommandsKHR(self.buffer_of_commands, *configs(self, *listed).values())

    def ask(self, command: Handle) -> None:
        """Query the offset and the sizes of a kernel command."""
        for name in ASKED:
            self.cl.query(QUERY, command, name)

    def launch_of_index(self, buffer: Handle) -> None:
        """Record a kernel command of ``add_index`` over a buffer, without a handle."""
        given: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
        self.record(LAUNCH, kernel=self.on(buffer), **given, **WHOLE)

    def fill(self, buffer: Handle) -> None:
        """Record a fill of a buffer."""
        pattern = Data(bytes([7, 8, 9, 10]))
        self.record("clCommandFillBufferKHR", buffer=buffer, pattern=pattern, pattern_size=4, offset=0, size=SIZE)
