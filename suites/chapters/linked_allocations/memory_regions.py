"""Contexts in which a runtime uses memory objects; each context has a device, a queue, and objects for accesses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.linked_allocations import TraceContext
from clconform.calls.values import Data, ElementList, HandleBytes, OffsetPointer, OutputBuffer
from clconform.suites.helpers import require_handle
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.suites.kit.kit import Kit

SIZE = 256
"""Default size of a memory object in bytes."""
READ_WRITE = "CL_MEM_READ_WRITE"


@dataclass
class DeviceContext:
    """A context of one device with a queue, and the objects for accesses in the context.

    ``unified``: whether the device shares memory with the host. ``scratch``: a buffer for reading through a copy;
    ``source``: a buffer to copy from. ``kernels``: accesses that read and write use a kernel. ``size``: the size of
    memory objects in bytes.
    """

    kit: Kit
    name: str
    unified: bool
    context: Handle
    queue: Handle
    scratch: Handle
    source: Handle
    kernels: bool = False
    size: int = SIZE
    _kernel: list[Handle] = field(default_factory=list)

    @classmethod
    def create_context(
        cls, kit: Kit, name: str, device: Handle, *, unified: bool = True, kernels: bool = False, size: int = SIZE
    ) -> DeviceContext:
        """Create a context of a device, and the objects for accesses in the context."""
        context = kit.new_context(device)
        own = kit.for_context(context)
        queue = own.new_queue(device)
        scratch, source = (own.buffer(READ_WRITE, size=size) for _ in range(2))
        place = cls(kit, name, unified, context, queue, scratch, source, kernels, size)
        if kernels:
            place.get_kernel()
        return place

    @property
    def traced_context(self) -> TraceContext:
        """Return the context in the form that the trace records."""
        return TraceContext(self.name, self.context.name, self.unified)

    def get_kernel(self) -> Handle:
        """Return the kernel that changes memory in this context, built once."""
        if not self._kernel:
            self._kernel.append(self.kit.for_context(self.context).kernel("add_index"))
        return self._kernel[0]

    # commands that access memory on a device

    def read_on_device(self, buffer: Handle) -> None:
        """Read all bytes directly, and also through a copy to ``scratch``."""
        self.kit.read(buffer, 0, self.size, self.queue)
        self._copy(buffer, self.scratch, 0, self.size)
        self.kit.read(self.scratch, 0, self.size, self.queue)

    def write_on_device(self, buffer: Handle, seed: int, offset: int = 0, size: int | None = None) -> None:
        """Write bytes on the device."""
        self.kit.write(self.source, 0, pattern_bytes(self.size, seed), self.queue)
        self._copy(self.source, buffer, offset, self.size if size is None else size)

    def change_on_device(self, buffer: Handle, seed: int) -> None:
        """Read and write all bytes with a kernel, or write some of them with a copy."""
        if not self.kernels:
            self.write_on_device(buffer, seed, self.size // 4, self.size // 2)
            return
        cl, kernel = self.kit.cl, self.get_kernel()
        cl.clSetKernelArg(kernel, 0, cl.model.pointer_bytes, HandleBytes(buffer))
        cl.clEnqueueNDRangeKernel(self.queue, kernel, 1, None, ElementList((self.size // 4,)), None, 0, None, None)
        self.kit.finish(self.queue)

    def _copy(self, source: Handle, target: Handle, offset: int, size: int) -> None:
        places = {"src_offset": offset, "dst_offset": offset, "size": size}
        self.kit.enqueue("clEnqueueCopyBuffer", queue=self.queue, src_buffer=source, dst_buffer=target, **places)

    # commands of a runtime before and after an access

    def map(self, buffer: Handle, *flags: str, waits: bool = True) -> Handle:
        """Map all of an allocation.

        ``waits``: whether the call blocks; if it does not, the queue is finished afterwards.
        """
        part = {"offset": 0, "size": self.size, "blocking_map": int(waits), "map_flags": self.kit.constant(*flags)}
        mapped = require_handle(self.kit.enqueue("clEnqueueMapBuffer", queue=self.queue, buffer=buffer, **part))
        self._finish_unless_blocking(waits=waits)
        return mapped

    def unmap(self, buffer: Handle, pointer: Handle) -> None:
        """Unmap an allocation, and wait for the unmap."""
        self.kit.unmap(buffer, pointer, self.queue)
        self.kit.finish(self.queue)

    def read_to_host(
        self, buffer: Handle, pointer: Handle | OffsetPointer, *, waits: bool = True, size: int | None = None
    ) -> None:
        """Read an allocation into host memory.

        ``waits``: whether the call blocks; if it does not, the queue is finished afterwards.
        """
        part = {"offset": 0, "size": self.size if size is None else size, "blocking_read": int(waits), "ptr": pointer}
        self.kit.enqueue("clEnqueueReadBuffer", queue=self.queue, buffer=buffer, **part)
        self._finish_unless_blocking(waits=waits)

    def write_from_host(self, buffer: Handle, pointer: Handle | OffsetPointer, *, waits: bool = True) -> None:
        """Write an allocation from host memory.

        ``waits``: whether the call blocks; if it does not, the queue is finished afterwards.
        """
        part = {"offset": 0, "size": self.size, "blocking_write": int(waits), "ptr": pointer}
        self.kit.enqueue("clEnqueueWriteBuffer", queue=self.queue, buffer=buffer, **part)
        self._finish_unless_blocking(waits=waits)

    def create_buffer(self, host_memory: Handle | OffsetPointer | None) -> Handle:
        """Create an allocation, which uses ``host_memory`` if this argument is given."""
        flags = self.kit.constant(READ_WRITE, *(("CL_MEM_USE_HOST_PTR",) if host_memory else ()))
        return require_handle(self.kit.cl.clCreateBuffer(self.context, flags, self.size, host_memory, OutputBuffer(1)))

    def _finish_unless_blocking(self, *, waits: bool) -> None:
        if not waits:
            self.kit.finish(self.queue)


def write_on_host(kit: Kit, pointer: Handle | OffsetPointer, seed: int, size: int) -> None:
    """Write bytes on the host."""
    kit.cl.host_write(pointer, size, Data(pattern_bytes(size, seed)))


def add_offset(pointer: Handle | OffsetPointer, offset: int) -> Handle | OffsetPointer:
    """Return the address at an offset in bytes."""
    if isinstance(pointer, OffsetPointer):
        return OffsetPointer(pointer.handle, pointer.offset + offset)
    return OffsetPointer(pointer, offset) if offset else pointer
