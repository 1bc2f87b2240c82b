"""One object of each type in one context. Tests release some of these objects and use the remaining ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.programs import kernel_sources

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

ELEMENTS = 64
SIZE = ELEMENTS * ELEMENT_BYTES
KERNEL = "add_index"
CONTENT = bytes(range(SIZE))
OTHER_SETS = 3
RELEASES = {
    "context": "clReleaseContext",
    "queue": "clReleaseCommandQueue",
    "buffer": "clReleaseMemObject",
    "region": "clReleaseMemObject",
    "sampler": "clReleaseSampler",
    "program": "clReleaseProgram",
    "kernel": "clReleaseKernel",
    "user event": "clReleaseEvent",
    "command's event": "clReleaseEvent",
}
"""Maps object types, in the order of creation, to the functions that release objects."""
QUERIES = {
    "context": ("clGetContextInfo", "CL_CONTEXT_DEVICES", "CL_CONTEXT_REFERENCE_COUNT"),
    "queue": ("clGetCommandQueueInfo", "CL_QUEUE_CONTEXT", "CL_QUEUE_DEVICE", "CL_QUEUE_REFERENCE_COUNT"),
    "buffer": ("clGetMemObjectInfo", "CL_MEM_CONTEXT", "CL_MEM_SIZE", "CL_MEM_REFERENCE_COUNT"),
    "region": ("clGetMemObjectInfo", "CL_MEM_CONTEXT", "CL_MEM_ASSOCIATED_MEMOBJECT", "CL_MEM_REFERENCE_COUNT"),
    "sampler": ("clGetSamplerInfo", "CL_SAMPLER_CONTEXT", "CL_SAMPLER_FILTER_MODE", "CL_SAMPLER_REFERENCE_COUNT"),
    "program": ("clGetProgramInfo", "CL_PROGRAM_CONTEXT", "CL_PROGRAM_SOURCE", "CL_PROGRAM_REFERENCE_COUNT"),
    "kernel": ("clGetKernelInfo", "CL_KERNEL_CONTEXT", "CL_KERNEL_PROGRAM", "CL_KERNEL_REFERENCE_COUNT"),
    "user event": ("clGetEventInfo", "CL_EVENT_CONTEXT", "CL_EVENT_REFERENCE_COUNT"),
    "command's event": ("clGetEventInfo", "CL_EVENT_CONTEXT", "CL_EVENT_REFERENCE_COUNT"),
}
"""Maps object types to the query function and the queries that are made after other objects are released."""


class ObjectSet:
    """One object of each type. The application holds one reference to each object until it releases the object.

    The set contains a sampler only if the device supports images, and a kernel only if the driver builds it.
    """

    def __init__(self, cl: Session) -> None:
        """Create one object of each type: the kernel uses the buffer, and a write command initialises the buffer."""
        self.cl, self.kit = cl, Kit(cl)
        kit = self.kit
        skip_unless(is_available(cl, "clCreateUserEvent"), "requires OpenCL 1.1 (sub-buffers and user events)")
        self.context, self.queue = kit.context, kit.queue
        self.buffer = kit.buffer(size=SIZE)
        region = kit.sub_buffer(self.buffer, 0, SIZE // 2)
        sampler = kit.sampler() if cl.fact("CL_DEVICE_IMAGE_SUPPORT") else None
        program, built = kit.try_program(*kernel_sources(KERNEL))
        kernel = self._create_kernel(program) if built else None
        event = kit.event()
        written = cl.clEnqueueWriteBuffer(self.queue, self.buffer, 1, 0, SIZE, Data(CONTENT), 0, None, OutputBuffer(1))
        things = (self.context, self.queue, self.buffer, region, sampler, program, kernel, event)
        self.remaining: dict[str, Handle | None] = dict(
            zip(RELEASES, (*things, kit.require_event(written)), strict=True)
        )

    def create_other_objects(self) -> None:
        """Create additional objects of each type, which may reuse the freed memory of released objects."""
        for _ in range(OTHER_SETS):
            other = Kit(self.cl)
            other.new_queue()
            for size in (SIZE, SIZE // 2):
                other.buffer(size=size)
            other.user_event()
            other.program(KERNEL)

    def _create_kernel(self, program: Handle) -> Handle:
        """Create the kernel of the program, with the buffer as argument."""
        kernel = self.kit.kernel(KERNEL, program)
        self.cl.clSetKernelArg(kernel, 0, self.cl.model.pointer_bytes, HandleBytes(self.buffer))
        return kernel

    @property
    def kernel(self) -> Handle:
        """The kernel; the item is skipped if there is none."""
        kernel = self.remaining["kernel"]
        if kernel is None:
            pytest.skip("the driver does not build the kernel")
        return kernel

    def enqueue_kernel(self) -> None:
        """Enqueue the kernel on the whole buffer."""
        launch = (self.queue, self.kernel, 1, None, ElementList((ELEMENTS,)), None, 0, None, None)
        self.cl.clEnqueueNDRangeKernel(*launch)

    def release(self, object_type: str) -> None:
        """Release the last reference to an object."""
        thing = self.remaining.pop(object_type)
        if thing is not None:
            getattr(self.cl, RELEASES[object_type])(thing)

    def use_remaining(self) -> None:
        """Query all remaining objects, run the kernel, and access the buffers, as far as these objects remain."""
        there = {object_type: thing for object_type, thing in self.remaining.items() if thing is not None}
        for object_type, thing in there.items():
            function, *names = QUERIES[object_type]
            for name in names:
                self.cl.query(function, thing, name)
        if "queue" not in there:
            return
        if "kernel" in there and "buffer" in there:
            self.enqueue_kernel()
        for object_type, size in (("buffer", SIZE), ("region", SIZE // 2)):
            if object_type in there:
                self._read_and_write(there[object_type], size)
        self.cl.clFinish(self.queue)

    def _read_and_write(self, memory: Handle, size: int) -> None:
        """Read memory, change its second half, and read it again."""
        half = Data(CONTENT[: size // 2])
        self.cl.clEnqueueReadBuffer(self.queue, memory, 1, 0, size, OutputBuffer(size), 0, None, None)
        self.cl.clEnqueueWriteBuffer(self.queue, memory, 1, size // 2, size // 2, half, 0, None, None)
        self.cl.clEnqueueReadBuffer(self.queue, memory, 1, 0, size, OutputBuffer(size), 0, None, None)
