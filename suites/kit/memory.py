"""Memory: buffers and their regions, areas of host memory, shared virtual memory and unified shared memory."""

from __future__ import annotations

import struct
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, Items, OutputBuffer, Pointers
from clconform.oracles.contents.unified import ACCESS, CAPABILITIES, HOST, TYPE_OF
from clconform.runner.session.answers import made
from clconform.suites.kit.queues import Queues
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from clconform.calls.values import Value

SIZE = 4096
"""Bytes of a buffer, and of every other piece of memory."""
HALF = SIZE // 2
TOP = (1 << 64) - 1
"""The largest size_t."""
NOBODYS_BITS = (1 << 62, 1 << 63)
"""Bits of flags that no registry defines."""
REGION = struct.Struct("@NN")
AREA_ALIGNMENT = 4096
LARGEST_TYPE = 128
"""Bytes of the largest data type, and so the alignment that is right for all of them."""
PRIME = 241
POINTER = 8
"""Bytes of an address, and of a handle."""
SVM, UNIFIED = "clSVMAlloc", "clGetMemAllocInfoINTEL"
ALLOCATING = {kind: function for function, kind in TYPE_OF.items()}
"""Type of unified shared memory to the function that allocates it."""


@lru_cache(maxsize=64)
def telling(size: int, seed: int = 0) -> bytes:
    """Return bytes that differ from adjacent bytes, between rows of a power of two, and between seeds."""
    return bytes((index * 7 + index // PRIME * 3 + seed * 59 + 1) % PRIME for index in range(size))


def region(origin: int, size: int) -> Data:
    """Return a ``cl_buffer_region``, in bytes."""
    return Data(REGION.pack(origin, size))


def block_of(kit: Memory, *objects: Handle) -> dict[str, Value]:
    """Return the arguments by which a native kernel gets two memory objects at most, in a block of 16 bytes."""
    block = kit.area(bytes(2 * POINTER))
    kit.cl.host_write(block, POINTER * len(objects), Pointers(objects))
    places: tuple[Handle | Inside, ...] = (block, Inside(block, POINTER))[: len(objects)]
    return {
        "args": block,
        "cb_args": 2 * POINTER,
        "num_mem_objects": len(objects),
        "mem_list": Items(objects),
        "args_mem_loc": Pointers(places),
    }


class Memory(Queues):
    """Memory in the kit's context: two buffers that are made when first asked for, and others."""

    # buffers

    @cached_property
    def first_buffer(self) -> Handle:
        """A buffer with read and write access."""
        return self.buffer()

    @cached_property
    def second_buffer(self) -> Handle:
        """Another such buffer."""
        return self.buffer()

    def buffer(self, *flags: str, size: int = SIZE) -> Handle:
        """Make a buffer, to read and write where no flags are named; one that copies from the host gets zeros."""
        content = Data(bytes(size)) if "CL_MEM_COPY_HOST_PTR" in flags else None
        bits = self.value(*(flags or ("CL_MEM_READ_WRITE",)))
        return one(self.cl.clCreateBuffer(self.context, bits, size, content, OutputBuffer(1)))

    def buffer_on(self, pointer: Handle | Inside, size: int = SIZE) -> Handle:
        """Make a buffer that uses host memory."""
        flags = self.value("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
        return one(self.cl.clCreateBuffer(self.context, flags, size, pointer, OutputBuffer(1)))

    def sub_buffer(self, buffer: Handle, origin: int, size: int, *flags: str) -> Handle:
        """Make a sub-buffer, with its buffer's flags where none are named."""
        needs(promised(self.cl, "clCreateSubBuffer"), "requires OpenCL 1.1 (sub-buffers)")
        kind = self.value("CL_BUFFER_CREATE_TYPE_REGION")
        return one(self.cl.clCreateSubBuffer(buffer, self.value(*flags), kind, region(origin, size), OutputBuffer(1)))

    @cached_property
    def alignment(self) -> int:
        """The device's base address alignment in bytes."""
        bits = self.cl.fact("CL_DEVICE_MEM_BASE_ADDR_ALIGN") or 0
        needs(0 < bits // 8 < SIZE, "the device reports no usable CL_DEVICE_MEM_BASE_ADDR_ALIGN")
        return int(bits) // 8

    def map(self, buffer: Handle, *flags: str, offset: int = 0, size: int = SIZE) -> Handle:
        """Map a part of a buffer, and wait for it."""
        bits = self.value(*flags)
        mapped = made(
            self.cl.clEnqueueMapBuffer(self.queue, buffer, 1, bits, offset, size, 0, None, None, OutputBuffer(1))
        )
        needs(mapped, "the driver does not map the buffer")
        return mapped[0]

    # memory of the host

    def area(self, content: bytes = bytes(SIZE)) -> Handle:
        """Make an area of host memory with these bytes in it."""
        area = one(self.cl.host_allocate(len(content), AREA_ALIGNMENT))
        self.put(area, content)
        return area

    def look(self, pointer: Handle | Inside, size: int) -> None:
        """Read bytes of the host, guard bytes included where it is an area."""
        self.cl.host_read(pointer, size, OutputBuffer(size))

    def put(self, pointer: Handle | Inside, content: bytes) -> None:
        """Write bytes of the host."""
        self.cl.host_write(pointer, len(content), Data(content))

    def on_area(self, content: bytes, offset: int = 0, size: int | None = None) -> tuple[Handle, Handle]:
        """Return a buffer on host memory, and the area that it lies in."""
        area = self.area(content)
        pointer = Inside(area, offset) if offset else area
        return self.buffer_on(pointer, len(content) - offset if size is None else size), area

    # shared virtual memory

    def has_svm(self, *capabilities: str) -> bool:
        """Return whether the device has shared virtual memory, with all of these capabilities if any are named."""
        return bool(self.cl.fact("CL_DEVICE_SVM_CAPABILITIES")) and self.has(
            "CL_DEVICE_SVM_CAPABILITIES", *capabilities
        )

    def svm(self, *flags: str, size: int = SIZE, alignment: int = 0) -> Handle:
        """Allocate shared virtual memory; the item is skipped where the device has none."""
        needs(promised(self.cl, SVM), "requires OpenCL 2.0 (shared virtual memory)")
        needs(self.has_svm(), "the device does not support shared virtual memory")
        bits = self.value(*(flags or ("CL_MEM_READ_WRITE",)))
        return one(self.cl.clSVMAlloc(self.context, bits, size, alignment))

    # unified shared memory

    def has_unified(self, kind: str, device: Handle | None = None) -> bool:
        """Return whether a device, by default the one under test, can use unified shared memory of a type."""
        access = self.value(ACCESS)
        return any((self.cl.fact(query, device) or 0) & access for query in CAPABILITIES[kind])

    def unified(
        self, *kinds: str, properties: Items | None = None, size: int = SIZE, alignment: int = LARGEST_TYPE
    ) -> Handle:
        """Allocate memory of the first of some types that the device has, by default of any.

        The item is skipped where it has none of them.
        """
        needs(promised(self.cl, UNIFIED), "cl_intel_unified_shared_memory is not supported")
        wanted = kinds or tuple(CAPABILITIES)
        kind = next((each for each in wanted if self.has_unified(each)), "")
        needs(kind, f"the device does not support {' or '.join(wanted)}")
        device: tuple[Value, ...] = () if kind == HOST else (self.cl.device,)
        allocate = getattr(self.cl, ALLOCATING[kind])
        return one(allocate(self.context, *device, properties, size, alignment, OutputBuffer(1)))
