"""The kit for USM: allocations with test bytes, and kernels that access them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer, PointerArgument, Pointers
from clconform.oracles.chapters.kernels.execution_info import INDIRECT, POINTERS
from clconform.oracles.contents.usm import TYPES
from clconform.suites.helpers import is_success, skip_unless
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE, pattern_bytes

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Value

ITEMS = 64
"""Work-items of a kernel enqueue, one per element of four bytes."""


class UnifiedKit(Kit):
    """A kit with commands on USM, and kernels that access it."""

    def create_filled(self, *kinds: str, seed: int = 0) -> Handle:
        """Allocate USM of the first supported type among ``kinds``, with test bytes in it."""
        memory = self.usm(*kinds)
        self.copy(memory, Data(pattern_bytes(SIZE, seed)), SIZE)
        return memory

    def copy(self, target: Value, source: Value, size: int, *, wait: bool = True, **others: Value) -> Outcome:
        """Copy bytes; ``wait`` selects a blocking copy."""
        return self.enqueue(
            "clEnqueueMemcpyINTEL", blocking=int(wait), dst_ptr=target, src_ptr=source, size=size, **others
        )

    def read_usm(self, memory: Value, size: int = SIZE, queue: Value = None) -> None:
        """Copy USM into an output buffer, and wait; the judge compares the bytes."""
        self.copy(OutputBuffer(size), memory, size, queue=queue)

    def fill(self, place: Value, pattern: bytes, size: int, **others: Value) -> Outcome:
        """Fill bytes with a pattern, without waiting for the command."""
        given: dict[str, Value] = {"pattern": Data(pattern), "pattern_size": len(pattern)}
        return self.enqueue("clEnqueueMemFillINTEL", dst_ptr=place, size=size, **given, **others)

    def run_kernel(
        self, kernel: Handle, *pointers: PointerArgument, queue: Value = None, items: int = ITEMS, **others: Value
    ) -> Outcome:
        """Set a kernel's USM arguments, and enqueue it with ``items`` work-items, without waiting."""
        for index, pointer in enumerate(pointers):
            self.cl.clSetKernelArgMemPointerINTEL(kernel, index, pointer)
        sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
        run = {"kernel": kernel, "global_work_size": ElementList((items,)), **sizes, **others}
        return self.enqueue("clEnqueueNDRangeKernel", queue=queue, **run)

    def enqueue_slow_kernel(self) -> None:
        """Enqueue a slow kernel, so that later commands of the queue do not complete immediately."""
        self.run_kernel(self.kernel("linger"), self.create_filled(*TYPES))

    def declare_pointers(self, kernel: Handle, *memory: Handle) -> None:
        """Set the list of allocations that a kernel may access indirectly; the new list replaces an earlier one."""
        size = self.pointer_bytes * len(memory)
        self._set_exec_info(kernel, POINTERS, size, Pointers(memory) if memory else None)

    def declare_type(self, kernel: Handle, memory_type: str, *, allowed: bool = True) -> None:
        """Declare whether a kernel may access all allocations of a type."""
        (name,) = (name for name, known in INDIRECT.items() if known.title == memory_type)
        self._set_exec_info(kernel, name, 4, Data(struct.pack("I", allowed)))

    def _set_exec_info(self, kernel: Handle, name: str, size: int, told: PointerArgument) -> None:
        outcome = self.cl.clSetKernelExecInfo(kernel, self.constant(name), size, told)
        skip_unless(is_success(outcome), "clSetKernelExecInfo fails")

    def link_nodes(self, *nodes: Handle | OffsetPointer) -> None:
        """Write the address of the next node into each node, and NULL into the last node.

        Skip if a copy fails, because a kernel would then follow undefined addresses.
        """
        for node, following in zip(nodes, (*nodes[1:], None), strict=True):
            outcome = self.copy(node, Pointers((following,)), self.pointer_bytes)
            skip_unless(is_success(outcome), "clEnqueueMemcpyINTEL fails")
