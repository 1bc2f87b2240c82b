"""Memory: buffers and sub-buffers, host areas, SVM and USM."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from clconform.calls.machine_words import pack_words
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer, Pointers
from clconform.oracles.contents.usm import ACCESS, ALLOCATION_TYPES, CAPABILITIES, HOST
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.queues import QueueKit

if TYPE_CHECKING:
    from clconform.calls.values import Value

SIZE = 4096
"""The default size of buffers and other memory in bytes."""
HALF = SIZE // 2
SIZE_MAX = -1
"""Stands for the largest size_t of the driver's machine, which ``to_size`` of the kit returns for it."""
UNDEFINED_BITS = (1 << 62, 1 << 63)
"""Bits that the registry does not define for any type of flags."""
AREA_ALIGNMENT = 4096
MAX_TYPE_BYTES = 128
"""The size of the largest data type in bytes, which is also a sufficient alignment for all types."""
PRIME = 241
SVM, USM = "clSVMAlloc", "clGetMemAllocInfoINTEL"
ALLOCATORS = {kind: function for function, kind in ALLOCATION_TYPES.items()}
"""The function that allocates each type of USM."""


@lru_cache(maxsize=64)
def pattern_bytes(size: int, seed: int = 0) -> bytes:
    """Return test bytes that differ between neighbours, between rows of power-of-two length, and between seeds."""
    return bytes((index * 7 + index // PRIME * 3 + seed * 59 + 1) % PRIME for index in range(size))


def native_kernel_arguments(kit: MemoryKit, *objects: Handle) -> dict[str, Value]:
    """Return the arguments that pass at most two memory objects to a native kernel.

    They are passed in an argument block with space for two handles.
    """
    width = kit.pointer_bytes
    block = kit.host_area(bytes(2 * width))
    kit.cl.host_write(block, width * len(objects), Pointers(objects))
    places: tuple[Handle | OffsetPointer, ...] = (block, OffsetPointer(block, width))[: len(objects)]
    return {
        "args": block,
        "cb_args": 2 * width,
        "num_mem_objects": len(objects),
        "mem_list": ElementList(objects),
        "args_mem_loc": Pointers(places),
    }


class MemoryKit(QueueKit):
    """A kit with memory in its context: two buffers that are created on first use, and methods for further memory."""

    # buffers

    @cached_property
    def first_buffer(self) -> Handle:
        """A read-write buffer."""
        return self.buffer()

    @cached_property
    def second_buffer(self) -> Handle:
        """Another read-write buffer."""
        return self.buffer()

    def buffer(self, *flags: str, size: int = SIZE) -> Handle:
        """Create a buffer, by default read-write; with CL_MEM_COPY_HOST_PTR, its initial content is zero."""
        content = Data(bytes(size)) if "CL_MEM_COPY_HOST_PTR" in flags else None
        bits = self.constant(*(flags or ("CL_MEM_READ_WRITE",)))
        return require_handle(self.cl.clCreateBuffer(self.context, bits, size, content, OutputBuffer(1)))

    def buffer_on_host_memory(self, pointer: Handle | OffsetPointer, size: int = SIZE) -> Handle:
        """Create a buffer that uses host memory."""
        flags = self.constant("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
        return require_handle(self.cl.clCreateBuffer(self.context, flags, size, pointer, OutputBuffer(1)))

    def buffer_region(self, origin: int, size: int) -> Data:
        """Return the bytes of a ``cl_buffer_region`` with this origin and size."""
        return Data(pack_words((origin, size), self.pointer_bytes))

    def sub_buffer(self, buffer: Handle, origin: int, size: int, *flags: str) -> Handle:
        """Create a sub-buffer, by default with the flags of its buffer."""
        skip_unless(is_available(self.cl, "clCreateSubBuffer"), "requires OpenCL 1.1 (sub-buffers)")
        kind = self.constant("CL_BUFFER_CREATE_TYPE_REGION")
        return require_handle(
            self.cl.clCreateSubBuffer(
                buffer, self.constant(*flags), kind, self.buffer_region(origin, size), OutputBuffer(1)
            )
        )

    @cached_property
    def alignment(self) -> int:
        """The device's base address alignment in bytes."""
        bits = self.cl.fact("CL_DEVICE_MEM_BASE_ADDR_ALIGN") or 0
        skip_unless(0 < bits // 8 < SIZE, "the device reports no usable CL_DEVICE_MEM_BASE_ADDR_ALIGN")
        return int(bits) // 8

    def map(self, buffer: Handle, *flags: str, offset: int = 0, size: int = SIZE) -> Handle:
        """Map a part of a buffer with a blocking call, and return the pointer."""
        bits = self.constant(*flags)
        mapped = returned_handles(
            self.cl.clEnqueueMapBuffer(self.queue, buffer, 1, bits, offset, size, 0, None, None, OutputBuffer(1))
        )
        skip_unless(mapped, "the driver does not map the buffer")
        return mapped[0]

    # host memory

    def host_area(self, content: bytes = bytes(SIZE)) -> Handle:
        """Allocate a host area that contains these bytes."""
        area = require_handle(self.cl.host_allocate(len(content), AREA_ALIGNMENT))
        self.write_host(area, content)
        return area

    def read_host(self, pointer: Handle | OffsetPointer, size: int) -> None:
        """Read host memory, including the guard bytes of an area."""
        self.cl.host_read(pointer, size, OutputBuffer(size))

    def write_host(self, pointer: Handle | OffsetPointer, content: bytes) -> None:
        """Write bytes to host memory."""
        self.cl.host_write(pointer, len(content), Data(content))

    def buffer_and_area(self, content: bytes, offset: int = 0, size: int | None = None) -> tuple[Handle, Handle]:
        """Create a host area with these bytes and a buffer that uses the area, and return the buffer and the area."""
        area = self.host_area(content)
        pointer = OffsetPointer(area, offset) if offset else area
        return self.buffer_on_host_memory(pointer, len(content) - offset if size is None else size), area

    # shared virtual memory

    def has_svm(self, *capabilities: str) -> bool:
        """Return whether the device supports SVM with all of these capabilities."""
        return bool(self.cl.fact("CL_DEVICE_SVM_CAPABILITIES")) and self.has_bits(
            "CL_DEVICE_SVM_CAPABILITIES", *capabilities
        )

    def svm(self, *flags: str, size: int = SIZE, alignment: int = 0) -> Handle:
        """Allocate SVM; skip the item if the device does not support SVM."""
        skip_unless(is_available(self.cl, SVM), "requires OpenCL 2.0 (shared virtual memory)")
        skip_unless(self.has_svm(), "the device does not support shared virtual memory")
        bits = self.constant(*(flags or ("CL_MEM_READ_WRITE",)))
        return require_handle(self.cl.clSVMAlloc(self.context, bits, size, alignment))

    # unified shared memory

    def has_usm(self, kind: str, device: Handle | None = None) -> bool:
        """Return whether a device, by default the device under test, supports a type of USM."""
        access = self.constant(ACCESS)
        return any((self.cl.fact(query, device) or 0) & access for query in CAPABILITIES[kind])

    def usm(
        self, *kinds: str, properties: ElementList | None = None, size: int = SIZE, alignment: int = MAX_TYPE_BYTES
    ) -> Handle:
        """Allocate USM of the first type among ``kinds``, or among all types, that the device supports.

        The item is skipped if the device does not support any of these types.
        """
        skip_unless(is_available(self.cl, USM), "cl_intel_unified_shared_memory is not supported")
        wanted = kinds or tuple(CAPABILITIES)
        kind = next((each for each in wanted if self.has_usm(each)), "")
        skip_unless(kind, f"the device does not support {' or '.join(wanted)}")
        device: tuple[Value, ...] = () if kind == HOST else (self.cl.device,)
        allocate = getattr(self.cl, ALLOCATORS[kind])
        return require_handle(allocate(self.context, *device, properties, size, alignment, OutputBuffer(1)))
