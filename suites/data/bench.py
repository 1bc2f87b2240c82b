"""What the programs about contents work on: commands by name, bytes that tell their place, host areas."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clconform.calls.call import Call, Returned
from clconform.calls.values import Data, Handle, Inside, Items, Room, Text, Texts
from clconform.oracles.model.known_kernels import KERNELS
from clconform.runner.session.session import made
from clconform.suites.bench import Bench
from clconform.suites.errors.valid_calls import USUAL
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Value

AREA_ALIGNMENT = 4096
PRIME = 241


def telling(size: int, seed: int = 0) -> bytes:
    """Return bytes among which neighbours differ, rows of a power of two differ, and two seeds differ."""
    return bytes((index * 7 + index // PRIME * 3 + seed * 59 + 1) % PRIME for index in range(size))


class Desk(Bench):
    """Commands with their usual arguments, on a bench with contexts, queues and buffers."""

    def do(self, function: str, *, queue: Value = None, after: Value = None, **arguments: Value) -> Outcome:
        """Enqueue a command; what is not said about it is as usual. ``after``: the events that it waits for."""
        waits: dict[str, Value] = {
            "command_queue": queue or self.queue,
            "num_events_in_wait_list": len(after.values) if isinstance(after, Items) else 0,
            "event_wait_list": after,
        }
        given = {**USUAL, "event": None, **waits, **arguments}
        names = [parameter.name for parameter in self.cl.tables.functions[function].parameters]
        needs(promised(self.cl, function), f"{function} does not apply here")
        return self.cl.ask(Call(function, {name: given[name] for name in names}))

    # buffers

    def filled(self, size: int, *flags: str, seed: int = 0, context: Handle | None = None) -> Handle:
        """Make a buffer with telling bytes."""
        buffer = self.new_buffer(*(flags or ("CL_MEM_READ_WRITE",)), size=size, context=context)
        self.write(buffer, 0, telling(size, seed))
        return buffer

    def write(self, buffer: Handle, offset: int, content: bytes, queue: Handle | None = None) -> None:
        """Write bytes into a buffer, and wait."""
        self.do("clEnqueueWriteBuffer", queue=queue, buffer=buffer, offset=offset, size=len(content), ptr=Data(content))

    def read(self, buffer: Handle, offset: int, size: int, queue: Handle | None = None) -> None:
        """Read bytes of a buffer, and wait: what they must be is the judge's business."""
        self.do("clEnqueueReadBuffer", queue=queue, buffer=buffer, offset=offset, size=size, ptr=Room(size))

    # host memory

    def area(self, content: bytes) -> Handle:
        """Make an area of the host's with these bytes in it."""
        area = one(self.cl.host_allocate(len(content), AREA_ALIGNMENT))
        self.cl.host_write(area, len(content), Data(content))
        return area

    def look(self, pointer: Handle | Inside, size: int) -> None:
        """Read bytes of the host, guard bytes included where it is an area."""
        self.cl.host_read(pointer, size, Room(size))

    def put(self, pointer: Handle | Inside, content: bytes) -> None:
        """Write bytes of the host."""
        self.cl.host_write(pointer, len(content), Data(content))

    def on_area(self, content: bytes, offset: int = 0, size: int | None = None) -> tuple[Handle, Handle]:
        """Return a buffer on host memory, and the area that it lies in."""
        area = self.area(content)
        size = len(content) - offset if size is None else size
        pointer = Inside(area, offset) if offset else area
        flags = self.value("CL_MEM_READ_WRITE", "CL_MEM_USE_HOST_PTR")
        return one(self.cl.clCreateBuffer(self.context, flags, size, pointer, Room(1))), area

    def unmap(self, buffer: Handle, pointer: Handle, queue: Handle | None = None) -> None:
        """Take a map back."""
        self.do("clEnqueueUnmapMemObject", queue=queue, memobj=buffer, mapped_ptr=pointer)

    # order

    def out_of_order(self, device: Handle | None = None) -> Handle:
        """Make a queue that may run its commands in any order; the item is skipped where the device has none."""
        wanted = self.value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE")
        names = ("CL_DEVICE_QUEUE_PROPERTIES", "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES")
        supported = next((fact for fact in (self.cl.fact(name, device) for name in names) if fact), 0)
        needs(supported & wanted, "the device has no queues that run out of order")
        return self.new_queue(self.context, device, wanted)

    def event_of(self, outcome: Outcome) -> Handle:
        """Return the event of a command."""
        events = made(outcome, "event")
        needs(events, "the driver makes no event")
        return events[0]

    def finish(self, queue: Handle | None = None) -> None:
        """Wait for a queue."""
        self.cl.clFinish(queue or self.queue)

    # kernels

    def kernel(self, name: str) -> Handle:
        """Make one of the known kernels; its program is built once."""
        known = KERNELS[name]
        if name not in self.programs:
            program = one(self.cl.clCreateProgramWithSource(self.context, 1, Texts((known.source,)), None, Room(1)))
            built = self.cl.clBuildProgram(program, 0, None, Text(""), None, None)
            needs(isinstance(built, Returned) and built.value == 0, "the driver does not build the kernel")
            self.programs[name] = program
        return one(self.cl.clCreateKernel(self.programs[name], Text(known.name), Room(1)))

    @cached_property
    def programs(self) -> dict[str, Handle]:
        """The programs that are built, by their kernels."""
        return {}
