"""Rules for buffers, sub-buffers, host areas and mapped regions: all commands that read, write or copy bytes."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from clconform.calls.values import Data, Handle, OffsetPointer, OutputBuffer, Value
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.data.host_rules import HostRules
from clconform.suites.data.strategies import SIZES, byte_strings, rectangles
from clconform.suites.helpers import is_available

MAX_BUFFERS = 6
MAP_FLAGS = (("CL_MAP_READ",), ("CL_MAP_WRITE",), ("CL_MAP_READ", "CL_MAP_WRITE"), ("CL_MAP_WRITE_INVALIDATE_REGION",))
needs_buffers = precondition(lambda self: not self.is_over and bool(self.buffers()))
needs_capacity = precondition(
    lambda self: not self.is_over and self.has_capacity() and len(self.buffers()) < MAX_BUFFERS
)


class BufferRules(HostRules):
    """Rules for buffers, sub-buffers, host areas and mapped regions, and for synchronization."""

    @initialize(data=st.data())
    def create_two_buffers(self, data: st.DataObject) -> None:
        """Create two buffers at the start of an example, so that every command has an operand."""
        for _ in range(2):
            if not self.is_over:
                self.draw_buffer(data)

    @rule(data=st.data())
    @needs_capacity
    def create_buffer(self, data: st.DataObject) -> None:
        """Create another buffer."""
        self.draw_buffer(data)

    def draw_buffer(self, data: st.DataObject) -> None:
        """Create a buffer: uninitialised and then written, initialised from host memory, or using host memory."""
        size = data.draw(st.sampled_from(SIZES), "size")
        content = data.draw(byte_strings(size))
        host_flag = data.draw(
            st.sampled_from(("", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR", "CL_MEM_USE_HOST_PTR"))
        )

        def act() -> None:
            if host_flag == "CL_MEM_USE_HOST_PTR":
                self.kit.buffer_and_area(content)
            elif host_flag == "CL_MEM_COPY_HOST_PTR":
                flags = self.kit.constant("CL_MEM_READ_WRITE", host_flag)
                self.cl.clCreateBuffer(self.kit.context, flags, size, Data(content), OutputBuffer(1))
            else:
                flags = self.kit.constant("CL_MEM_READ_WRITE", *((host_flag,) if host_flag else ()))
                for handle in returned_handles(
                    self.cl.clCreateBuffer(self.kit.context, flags, size, None, OutputBuffer(1))
                ):
                    self.kit.write(handle, 0, content, self.queues[0])

        self.attempt_calls(act)

    @rule(data=st.data())
    @needs_capacity
    @needs_buffers
    def create_region(self, data: st.DataObject) -> None:
        """Create a sub-buffer whose origin is aligned for the device."""
        step = self.kit.alignment
        parents = [each for each in self.live_objects(Buffer) if not isinstance(each, SubBuffer) and each.size > step]
        if not parents or not is_available(self.cl, "clCreateSubBuffer"):
            return
        parent = self.draw_object(data, parents)
        origin = step * data.draw(st.integers(0, (parent.size - 1) // step), "origin")
        size = data.draw(st.one_of(st.just(parent.size - origin), st.integers(1, parent.size - origin)), "size")
        self.attempt_calls(lambda: self.kit.sub_buffer(Handle(parent.name), origin, size))

    @rule(data=st.data())
    @needs_buffers
    def write(self, data: st.DataObject) -> None:
        """Write a part of a buffer from bytes or from host memory."""
        buffer = self.draw_object(data, self.buffers())
        offset, size = self.draw_part(data, buffer)
        pointer = self.draw_host_range(data, size) if data.draw(st.booleans(), "from memory") else None
        given: Value = pointer or Data(data.draw(byte_strings(size)))
        part: dict[str, Value] = {"offset": offset, "size": size, "ptr": given}
        self.enqueue(
            data, "clEnqueueWriteBuffer", buffer=Handle(buffer.name), **self.draw_blocking(data, "write"), **part
        )

    @rule(data=st.data())
    @needs_buffers
    def read(self, data: st.DataObject) -> None:
        """Read a part of a buffer into an output buffer or into host memory."""
        buffer = self.draw_object(data, self.buffers())
        offset, size = self.draw_part(data, buffer)
        pointer = self.draw_host_range(data, size) if data.draw(st.booleans(), "into memory") else None
        waits = self.draw_blocking(data, "read") if pointer else {"blocking_read": 1}
        part: dict[str, Value] = {"offset": offset, "size": size, "ptr": pointer or OutputBuffer(size)}
        self.enqueue(data, "clEnqueueReadBuffer", buffer=Handle(buffer.name), **waits, **part)

    @rule(data=st.data())
    @needs_buffers
    def copy(self, data: st.DataObject) -> None:
        """Copy a part of a buffer to another buffer, or to a disjoint range of the same buffer."""
        source, target = self.draw_object(data, self.buffers()), self.draw_object(data, self.buffers())
        start, size = self.draw_part(data, source)
        size = min(size, target.size)
        to = data.draw(st.one_of(st.just(0), st.just(target.size - size), st.integers(0, target.size - size)), "to")
        if self.share_storage(source, target) and not self.is_disjoint((source, start), (target, to), size):
            return
        places: dict[str, Value] = {"src_offset": start, "dst_offset": to, "size": size}
        objects: dict[str, Value] = {"src_buffer": Handle(source.name), "dst_buffer": Handle(target.name)}
        self.enqueue(data, "clEnqueueCopyBuffer", **objects, **places)

    @rule(data=st.data())
    @needs_buffers
    def fill(self, data: st.DataObject) -> None:
        """Fill a part of a buffer with a pattern."""
        buffer = self.draw_object(data, self.buffers())
        length = data.draw(st.sampled_from([1 << power for power in range(8) if 1 << power <= buffer.size]), "length")
        offset, size = self.draw_part(data, buffer, length)
        pattern = data.draw(byte_strings(length))
        part: dict[str, Value] = {"pattern_size": length, "offset": offset, "size": size}
        self.enqueue(data, "clEnqueueFillBuffer", buffer=Handle(buffer.name), pattern=Data(pattern), **part)

    @rule(data=st.data())
    @needs_buffers
    def rectangle(self, data: st.DataObject) -> None:
        """Read, write or copy a rectangle of a buffer."""
        large = [each for each in self.buffers() if each.size >= SIZES[0]]
        if not large:
            return
        buffer = self.draw_object(data, large)
        function = data.draw(st.sampled_from(("Read", "Write", "Copy")), "direction")
        if function == "Copy":
            target = self.draw_object(data, large)
            if self.share_storage(buffer, target):
                return
            told = data.draw(rectangles((buffer.size, target.size), ("src", "dst")))
            objects: dict[str, Value] = {"src_buffer": Handle(buffer.name), "dst_buffer": Handle(target.name)}
            self.enqueue(data, "clEnqueueCopyBufferRect", **objects, **told)
            return
        size = data.draw(st.sampled_from(SIZES), "host size")
        told = data.draw(rectangles((buffer.size, size), ("buffer", "host")))
        pointer = self.draw_host_range(data, size) if data.draw(st.booleans(), "in memory") else None
        waits = self.draw_blocking(data, function.lower())
        if function == "Read" and pointer is None:
            waits = {"blocking_read": 1}
        plain: Value = OutputBuffer(size) if function == "Read" else Data(data.draw(byte_strings(size)))
        given: dict[str, Value] = {"buffer": Handle(buffer.name), "ptr": pointer or plain}
        self.enqueue(data, f"clEnqueue{function}BufferRect", **given, **waits, **told)

    @rule(data=st.data())
    @needs_buffers
    def map(self, data: st.DataObject) -> None:
        """Map a part of a buffer."""
        buffer = self.draw_object(data, self.buffers())
        offset, size = self.draw_part(data, buffer)
        flags = self.kit.constant(*data.draw(st.sampled_from(MAP_FLAGS), "flags"))
        if not self.is_mappable(buffer, offset, size, reads=flags == self.kit.constant("CL_MAP_READ")):
            return
        part: dict[str, Value] = {"map_flags": flags, "offset": offset, "size": size}
        self.enqueue(data, "clEnqueueMapBuffer", buffer=Handle(buffer.name), **self.draw_blocking(data, "map"), **part)

    @rule(data=st.data())
    @needs_buffers
    def map_write_and_read(self, data: st.DataObject) -> None:
        """Map a part of a buffer to write it, unmap it, and map it again to read it."""
        buffer = self.draw_object(data, self.buffers())
        offset, size = self.draw_part(data, buffer)
        content = data.draw(byte_strings(size))
        part: dict[str, Value] = {"buffer": Handle(buffer.name), "offset": offset, "size": size}

        def act() -> None:
            for flag in ("CL_MAP_WRITE", "CL_MAP_READ"):
                if self.is_mapped(buffer):  # or the region of an earlier attempt that was rejected after its map
                    return
                flags = self.kit.constant(flag)
                for mapped in returned_handles(
                    self.kit.enqueue("clEnqueueMapBuffer", queue=self.queues[0], map_flags=flags, **part)
                ):
                    if flag == "CL_MAP_WRITE":
                        self.kit.write_host(mapped, content)
                    else:
                        self.kit.read_host(mapped, size)
                    self.kit.unmap(Handle(buffer.name), mapped, self.queues[0])
                    self.kit.finish(self.queues[0])

        self.attempt_calls(act)

    @rule(data=st.data())
    @needs_buffers
    def read_to_area_end(self, data: st.DataObject) -> None:
        """Read a part of a buffer into the end of a new host area, and read the whole area."""
        buffer = self.draw_object(data, self.buffers())
        offset, size = self.draw_part(data, buffer)
        if not self.has_capacity():
            return

        def act() -> None:
            area = self.kit.host_area(bytes(size + 1))
            part: dict[str, Value] = {"buffer": Handle(buffer.name), "offset": offset, "size": size}
            self.kit.enqueue("clEnqueueReadBuffer", queue=self.queues[0], ptr=OffsetPointer(area, 1), **part)
            self.kit.read_host(area, size + 1)

        self.attempt_calls(act)

    @rule(data=st.data())
    @needs_buffers
    def migrate(self, data: st.DataObject) -> None:
        """Migrate a buffer, sometimes without its contents."""
        buffer = self.draw_object(data, self.buffers())
        names = ((), ("CL_MIGRATE_MEM_OBJECT_HOST",), ("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED",))
        flags = self.kit.constant(*data.draw(st.sampled_from(names), "flags"))
        listed = self.handle_list(buffer)
        self.enqueue(data, "clEnqueueMigrateMemObjects", num_mem_objects=1, mem_objects=listed, flags=flags)
