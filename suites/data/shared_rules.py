"""Rules for SVM, and for kernels that use SVM and buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, HostCallback, OffsetPointer
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.pointer_memory import SvmAllocation
from clconform.suites.data.buffer_rules import MAP_FLAGS
from clconform.suites.data.state_machine import ContentsMachine
from clconform.suites.data.strategies import SIZES, byte_ranges, byte_strings

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.model.memory_objects import Buffer

MAX_SHARED = 3
needs_shared = precondition(lambda self: not self.is_over and bool(self.shared_allocations()))


class SharedRules(ContentsMachine):
    """Rules for coarse-grain SVM, if the devices support it, and for kernels that use SVM and buffers."""

    def shared_allocations(self) -> list[SvmAllocation]:
        """Return the live SVM allocations."""
        return self.live_objects(SvmAllocation)

    @rule(data=st.data())
    @precondition(
        lambda self: (
            not self.is_over
            and self.has_coarse_svm
            and self.has_capacity()
            and len(self.shared_allocations()) < MAX_SHARED
        )
    )
    def allocate(self, data: st.DataObject) -> None:
        """Allocate SVM, and copy bytes from the host to the allocation."""
        content = data.draw(byte_strings(data.draw(st.sampled_from(SIZES), "size")))
        flags = self.kit.constant("CL_MEM_READ_WRITE")

        def act() -> None:
            for memory in self.create_objects("clSVMAlloc", self.kit.context, flags, len(content), 0):
                copied: dict[str, Value] = {"dst_ptr": memory, "src_ptr": Data(content), "size": len(content)}
                self.kit.enqueue("clEnqueueSVMMemcpy", queue=self.queues[0], **copied)

        self.attempt_calls(act)

    @rule(data=st.data())
    @needs_shared
    def copy_or_fill_shared(self, data: st.DataObject) -> None:
        """Copy between SVM allocations or between SVM and host memory, or fill a part of SVM."""
        memory = self.draw_object(data, self.shared_allocations())
        command = data.draw(st.sampled_from(("fill", "from host", "to host", "between")), "command")
        length = 1 << data.draw(st.integers(0, 5), "length") if command == "fill" else 1
        offset, size = self.draw_part(data, memory, length)
        here = _address_in(memory, offset)
        if command == "fill":
            pattern: dict[str, Value] = {"pattern": Data(data.draw(byte_strings(length))), "pattern_size": length}
            self.enqueue(data, "clEnqueueSVMMemFill", svm_ptr=here, size=size, **pattern)
            return
        if command == "between":
            others = [each for each in self.shared_allocations() if each is not memory and each.size >= size]
            there: Value = _address_in(self.draw_object(data, others), 0) if others else None
        else:
            there = self.draw_host_range(data, size)
        if there is not None:
            pointers = (
                {"dst_ptr": here, "src_ptr": there} if command == "from host" else {"dst_ptr": there, "src_ptr": here}
            )
            self.enqueue(data, "clEnqueueSVMMemcpy", size=size, **self.draw_blocking(data, "copy"), **pointers)

    @rule(data=st.data())
    @needs_shared
    def map_shared(self, data: st.DataObject) -> None:
        """Map a part of an SVM allocation."""
        memory = self.draw_object(data, self.shared_allocations())
        offset, size = self.draw_part(data, memory)
        flags = self.kit.constant(*data.draw(st.sampled_from(MAP_FLAGS), "flags"))
        if self.is_mappable(memory, offset, size, reads=flags == self.kit.constant("CL_MAP_READ")):
            part: dict[str, Value] = {"flags": flags, "svm_ptr": _address_in(memory, offset), "size": size}
            self.enqueue(data, "clEnqueueSVMMap", **self.draw_blocking(data, "map"), **part)

    @rule(data=st.data())
    @needs_shared
    def free(self, data: st.DataObject) -> None:
        """Free SVM immediately or with a command, or pass SVM to a callback that does not free it."""
        memory = self.draw_object(data, self.shared_allocations())
        if self.is_mapped(memory):
            return
        way = data.draw(st.sampled_from(("immediately", "by a command", "with a callback")), "way")
        if way == "immediately":
            self.attempt_calls(lambda: self.cl.clSVMFree(self.kit.context, Handle(memory.name)))
            return
        callback = HostCallback("free") if way == "with a callback" else None
        pointers: dict[str, Value] = {"num_svm_pointers": 1, "svm_pointers": self.handle_list(memory)}
        self.enqueue(data, "clEnqueueSVMFree", pfn_free_func=callback, user_data=None, **pointers)

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and bool(self.operands()))
    def run_kernel(self, data: st.DataObject) -> None:
        """Run a kernel over buffers and SVM."""
        name = data.draw(st.sampled_from(("add_index", "copy_plus_one", "chase")), "kernel")
        chosen = [self.draw_object(data, self.operands()) for _ in range(1 if name == "add_index" else 2)]
        if len(chosen) > 1 and self.share_storage(*chosen):
            return
        places = [(each, self.draw_first_element(data, each)) for each in chosen]
        most = min(each.size - offset for each, offset in places) // ELEMENT_BYTES
        items = data.draw(st.integers(1, most), "items")

        def act() -> None:
            if name not in self.kernels:
                self.kernels[name] = self.kit.kernel(name)
            for index, (memory, offset) in enumerate(places):
                if isinstance(memory, SvmAllocation):
                    self.cl.clSetKernelArgSVMPointer(self.kernels[name], index, _address_in(memory, offset))
                else:
                    self.cl.clSetKernelArg(
                        self.kernels[name], index, self.cl.model.pointer_bytes, HandleBytes(Handle(memory.name))
                    )

        self.attempt_calls(act)
        if not self.is_over and name in self.kernels:
            sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
            run = {"kernel": self.kernels[name], "global_work_size": ElementList((items,)), **sizes}
            self.enqueue(data, "clEnqueueNDRangeKernel", **run)

    def operands(self) -> list[Buffer | SvmAllocation]:
        """Return the buffers and SVM allocations that a kernel may use."""
        every: list[Buffer | SvmAllocation] = [*self.buffers(), *self.shared_allocations()]
        return [each for each in every if each.size >= ELEMENT_BYTES]

    def draw_first_element(self, data: st.DataObject, memory: Buffer | SvmAllocation) -> int:
        """Draw the offset at which a kernel begins: any element of an SVM allocation, or the start of a buffer."""
        return (
            data.draw(byte_ranges(memory.size, ELEMENT_BYTES), "first")[0] if isinstance(memory, SvmAllocation) else 0
        )


def _address_in(memory: Buffer | SvmAllocation, offset: int) -> Handle | OffsetPointer:
    return OffsetPointer(Handle(memory.name), offset) if offset else Handle(memory.name)
