"""A state machine for USM: allocations that the host, commands and kernels access, and that are freed."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer, Pointers
from clconform.oracles.chapters.kernels.execution_info import INDIRECT, POINTERS
from clconform.oracles.contents.usm import HOST, TYPES
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES, NODE_LINK_BYTES
from clconform.oracles.model.pointer_memory import DeviceAllocation, HostArea, UsmAllocation
from clconform.suites.data.state_machine import ContentsMachine
from clconform.suites.data.strategies import SIZES, byte_ranges, byte_strings
from clconform.suites.helpers import constant_value
from clconform.suites.kit.memory import ALLOCATORS

if TYPE_CHECKING:
    from clconform.calls.values import Value

MAX_ALLOCATIONS = 6
"""The maximum number of live allocations in an example."""
MIN_NODE_BYTES = NODE_LINK_BYTES + ELEMENT_BYTES
"""The size of the smallest node of a pointer walk, in bytes."""
KERNELS = ("add_index", "copy_plus_one", "chase")
unless_over = precondition(lambda self: not self.is_over)
with_allocations = precondition(lambda self: not self.is_over and bool(self.get_usm()))


class UsmMachine(ContentsMachine):
    """Random operations on USM in one example; the judge compares every byte that is read."""

    def get_usm(self) -> list[UsmAllocation]:
        """Return the live USM allocations."""
        return self.live_objects(UsmAllocation)

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and self.has_capacity() and len(self.get_usm()) < MAX_ALLOCATIONS)
    def allocate(self, data: st.DataObject) -> None:
        """Allocate USM of a supported type, and copy bytes from the host into the allocation."""
        memory_type = data.draw(st.sampled_from([each for each in TYPES if self.kit.has_usm(each)]), "type")
        content = data.draw(byte_strings(data.draw(st.sampled_from(SIZES), "size")))
        alignment = data.draw(st.sampled_from((0, 1, 64, 128)), "alignment")
        device: tuple[Value, ...] = () if memory_type == HOST else (self.cl.device,)

        def act() -> None:
            arguments = (self.kit.context, *device, None, len(content), alignment, OutputBuffer(1))
            for memory in self.create_objects(ALLOCATORS[memory_type], *arguments):
                copied: dict[str, Value] = {"dst_ptr": memory, "src_ptr": Data(content), "size": len(content)}
                self.kit.enqueue("clEnqueueMemcpyINTEL", queue=self.queues[0], blocking=1, **copied)

        self.attempt_calls(act)

    @rule(data=st.data())
    @unless_over
    def allocate_host_memory(self, data: st.DataObject) -> None:
        """Allocate an area of host memory."""
        if len(self.live_objects(HostArea)) < MAX_ALLOCATIONS:
            self.attempt_calls(lambda: self.kit.host_area(data.draw(byte_strings(SIZES[-1]))))

    @rule(data=st.data())
    @with_allocations
    def copy(self, data: st.DataObject) -> None:
        """Copy between allocations, or between an allocation and host memory, blocking or not."""
        memory = self.draw_object(data, self.get_usm())
        offset, size = self.draw_part(data, memory)
        here: Value = OffsetPointer(Handle(memory.name), offset)
        others = [each for each in self.get_usm() if each is not memory and each.size >= size]
        there: Value = OffsetPointer(Handle(self.draw_object(data, others).name), 0) if others else None
        if there is None or data.draw(st.booleans(), "host"):
            there = self.draw_host_range(data, size)
        if there is not None:
            to, start = (here, there) if data.draw(st.booleans(), "in") else (there, here)
            waits = int(data.draw(st.booleans(), "blocking"))
            self.enqueue(data, "clEnqueueMemcpyINTEL", blocking=waits, dst_ptr=to, src_ptr=start, size=size)

    @rule(data=st.data())
    @with_allocations
    def fill(self, data: st.DataObject) -> None:
        """Fill a part of an allocation that is aligned to the pattern size."""
        memory = self.draw_object(data, self.get_usm())
        most = min(memory.known_alignment, memory.size).bit_length() - 1
        length = 1 << data.draw(st.integers(0, most), "length")
        offset, size = self.draw_part(data, memory, length)
        pattern: dict[str, Value] = {"pattern": Data(data.draw(byte_strings(length))), "pattern_size": length}
        place = OffsetPointer(Handle(memory.name), offset)
        self.enqueue(data, "clEnqueueMemFillINTEL", dst_ptr=place, size=size, **pattern)

    @rule(data=st.data())
    @with_allocations
    def access_on_host(self, data: st.DataObject) -> None:
        """Write or read a part of host-accessible USM on the host."""
        shared = [each for each in self.get_usm() if not isinstance(each, DeviceAllocation)]
        if shared:
            memory = self.draw_object(data, shared)
            offset, size = self.draw_part(data, memory)
            place = OffsetPointer(Handle(memory.name), offset)
            if data.draw(st.booleans(), "write"):
                self.attempt_calls(lambda: self.kit.write_host(place, data.draw(byte_strings(size))))
            else:
                self.attempt_calls(lambda: self.kit.read_host(place, size))

    @rule(data=st.data())
    @with_allocations
    def run_kernel(self, data: st.DataObject) -> None:
        """Run a kernel over parts of allocations."""
        name = data.draw(st.sampled_from(KERNELS), "kernel")
        chosen = [self.draw_object(data, self.get_usm()) for _ in range(1 if name == KERNELS[0] else 2)]
        if len(chosen) > 1 and self.share_storage(*chosen):
            return
        places = [(each, data.draw(byte_ranges(each.size, ELEMENT_BYTES), "first")[0]) for each in chosen]
        most = min(each.size - offset for each, offset in places) // ELEMENT_BYTES
        if most:
            sizes = ElementList((data.draw(st.integers(1, most), "items"),))
            self._set_and_enqueue(
                data, name, [OffsetPointer(Handle(each.name), offset) for each, offset in places], sizes
            )

    def _set_and_enqueue(
        self, data: st.DataObject, name: str, pointers: list[OffsetPointer], sizes: ElementList
    ) -> None:
        def act(kernel: Handle) -> None:
            for index, pointer in enumerate(pointers):
                self.cl.clSetKernelArgMemPointerINTEL(kernel, index, pointer)

        kernel = self._get_kernel(name)
        if kernel is not None:
            self.attempt_calls(lambda: act(kernel))
            self._enqueue_kernel(data, kernel, sizes)

    def _get_kernel(self, name: str) -> Handle | None:
        """Return a known kernel, created once; None where the driver does not create the kernel."""

        def act() -> None:
            self.kernels[name] = self.kit.kernel(name)

        if name not in self.kernels:
            self.attempt_calls(act)
        return None if self.is_over else self.kernels.get(name)

    def _enqueue_kernel(self, data: st.DataObject, kernel: Handle, sizes: ElementList) -> None:
        if not self.is_over:
            plain: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
            self.enqueue(data, "clEnqueueNDRangeKernel", kernel=kernel, global_work_size=sizes, **plain)

    @rule(data=st.data())
    @with_allocations
    def run_pointer_walk(self, data: st.DataObject) -> None:
        """Link allocations in random order, pass their pointers or type to the kernel, and let it walk along them."""
        fit = [
            each
            for each in self.get_usm()
            if each.size >= MIN_NODE_BYTES and each.known_alignment % NODE_LINK_BYTES == 0
        ]
        if not fit:
            return
        chain = data.draw(st.lists(st.sampled_from([each.name for each in fit]), min_size=1, unique=True), "chain")
        nodes = [each for name in chain for each in fit if each.name == name]
        by_list = data.draw(st.booleans(), "by a list")
        most = (min(each.size for each in nodes) - NODE_LINK_BYTES) // ELEMENT_BYTES
        sizes = ElementList((data.draw(st.integers(1, most), "items"),))
        kernel = self._get_kernel("walk")
        if kernel is not None:
            self.attempt_calls(lambda: self._link_and_declare(kernel, nodes, by_list=by_list))
            self._enqueue_kernel(data, kernel, sizes)

    def _link_and_declare(self, kernel: Handle, nodes: list[UsmAllocation], *, by_list: bool) -> None:
        handles = [Handle(each.name) for each in nodes]
        for node, following in zip(handles, (*handles[1:], None), strict=True):
            put: dict[str, Value] = {"dst_ptr": node, "src_ptr": Pointers((following,)), "size": self.kit.pointer_bytes}
            self.kit.enqueue("clEnqueueMemcpyINTEL", queue=self.queues[0], blocking=1, **put)
        listed = Pointers(tuple(handles[1:])) if by_list and nodes[1:] else None
        size = self.kit.pointer_bytes * len(listed.values) if listed else 0
        self.cl.clSetKernelExecInfo(kernel, self.kit.constant(POINTERS), size, listed)
        for name, kind in INDIRECT.items():
            yes = not by_list and any(isinstance(each, kind) for each in nodes[1:])
            self.cl.clSetKernelExecInfo(kernel, self.kit.constant(name), 4, Data(struct.pack("I", yes)))
        self.cl.clSetKernelArgMemPointerINTEL(kernel, 0, handles[0])

    @rule(data=st.data())
    @with_allocations
    def query_base_pointer(self, data: st.DataObject) -> None:
        """Query the start of an allocation, for an address inside the allocation."""
        memory = self.draw_object(data, self.get_usm())
        place = OffsetPointer(Handle(memory.name), data.draw(st.integers(0, memory.size - 1), "offset"))
        base = constant_value(self.cl, "CL_MEM_ALLOC_BASE_PTR_INTEL")
        ask = self.cl.clGetMemAllocInfoINTEL
        self.attempt_calls(
            lambda: ask(self.kit.context, place, base, ELEMENT_BYTES * 2, OutputBuffer(8), OutputBuffer(1))
        )

    @rule(data=st.data())
    @with_allocations
    def free(self, data: st.DataObject) -> None:
        """Free an allocation immediately, or after the commands that use it."""
        memory = Handle(self.draw_object(data, self.get_usm()).name)
        function = data.draw(st.sampled_from(("clMemFreeINTEL", "clMemBlockingFreeINTEL")), "function")
        self.attempt_calls(lambda: getattr(self.cl, function)(self.kit.context, memory))

    @rule()
    @unless_over
    def finish_all(self) -> None:
        """Finish all queues."""
        self.complete_commands()
