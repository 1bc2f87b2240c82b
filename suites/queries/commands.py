"""One command of each type, with the event that it gives: what profiling and event queries are asked of."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from clconform.calls.values import Callback, Data, Handle, HandleBytes, Items, Room
from clconform.oracles.contents.unified import SHARED, TYPES
from clconform.runner.session.session import made
from clconform.suites.queries.allocations import allocate
from clconform.suites.queries.contexts import a_context
from clconform.suites.queries.memory import HEIGHT, PIXEL_BYTES, SIZE, WIDTH, a_buffer, an_image
from clconform.suites.queries.programs import a_kernel
from clconform.suites.queries.queues import a_queue
from clconform.suites.steps import needs, one, promised, value

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome
    from clconform.runner.session.session import Session

    Command: TypeAlias = "Callable[[Bench], Outcome]"

PATTERN = Data(b"\x01\x02\x03\x04")
ORIGIN = Items((0, 0, 0))
REGION = Items((WIDTH, HEIGHT, 1))
BYTES = WIDTH * HEIGHT * PIXEL_BYTES
RECTANGLE = Items((8, 4, 1))


class Bench:
    """A context and a queue to enqueue commands on; buffers, images and kernels are made when first asked for.

    ``gated``: commands do not block, and wait for an event of the user, ``gate``, made with the first of them. It
    stands between two that are set already, so that who looks at the first or the last event only is too early.
    """

    def __init__(self, cl: Session, properties: int = 0, *, gated: bool = False) -> None:
        self.cl = cl
        self.gated = gated
        self.gate: Handle | None = None
        self._open: list[Handle] = []
        self.context = a_context(cl)
        self.queue = a_queue(cl, self.context, properties)

    @property
    def blocking(self) -> int:
        """What commands get that may block."""
        return int(not self.gated)

    @property
    def wait(self) -> tuple[int, Items | None]:
        """The length of the wait list, and the list."""
        if not self.gated:
            return 0, None
        if self.gate is None:
            needs(promised(self.cl, "clCreateUserEvent"), "user events come with 1.1")
            self.gate, *self._open = (one(self.cl.clCreateUserEvent(self.context, Room(1))) for _ in range(3))
            for event in self._open:
                self.cl.clSetUserEventStatus(event, 0)
        first, last = self._open
        return 3, Items((first, self.gate, last))

    def buffer(self, size: int = SIZE) -> Handle:
        """Make a buffer in this context."""
        return a_buffer(self.cl, self.context, "CL_MEM_READ_WRITE", size=size)

    def image(self) -> Handle:
        """Make an image in this context."""
        return an_image(self.cl, self.context, "IMAGE2D")

    def kernel(self) -> Handle:
        """Make a kernel with its argument set, and take its context for this one."""
        kernel = a_kernel(self.cl, "add_index")
        program = self.cl.query("clGetKernelInfo", kernel, "CL_KERNEL_CONTEXT")
        needs(isinstance(program, str), "the kernel does not tell its context")
        self.context = Handle(program)
        properties = self.cl.query("clGetCommandQueueInfo", self.queue, "CL_QUEUE_PROPERTIES") or 0
        self.queue = a_queue(self.cl, self.context, properties)
        self.cl.clSetKernelArg(kernel, 0, 8, HandleBytes(self.buffer()))
        return kernel


def _end(bench: Bench, name: str, *arguments: object) -> Outcome:
    """Enqueue with the bench's wait list and room for the event."""
    needs(promised(bench.cl, name), f"{name} does not apply here")
    outcome: Outcome = getattr(bench.cl, name)(bench.queue, *arguments, *bench.wait, Room(1))
    return outcome


def _range(bench: Bench) -> Outcome:
    kernel = bench.kernel()
    return _end(bench, "clEnqueueNDRangeKernel", kernel, 1, None, Items((16,)), None)


def _task(bench: Bench) -> Outcome:
    kernel = bench.kernel()
    return _end(bench, "clEnqueueTask", kernel)


def _native(bench: Bench) -> Outcome:
    native = value(bench.cl, "CL_EXEC_NATIVE_KERNEL")
    needs((bench.cl.fact("CL_DEVICE_EXECUTION_CAPABILITIES") or 0) & native, "the device runs no native kernels")
    return _end(bench, "clEnqueueNativeKernel", Callback("native"), None, 0, 0, None, None)


def _read(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueReadBuffer", bench.buffer(), bench.blocking, 0, SIZE, Room(SIZE))


def _write(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueWriteBuffer", bench.buffer(), bench.blocking, 0, SIZE, Data(bytes(SIZE)))


def _copy(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueCopyBuffer", bench.buffer(), bench.buffer(), 0, 0, SIZE)


def _read_rectangle(bench: Bench) -> Outcome:
    return _end(
        bench,
        "clEnqueueReadBufferRect",
        bench.buffer(),
        bench.blocking,
        ORIGIN,
        ORIGIN,
        RECTANGLE,
        0,
        0,
        0,
        0,
        Room(8 * 4),
    )


def _write_rectangle(bench: Bench) -> Outcome:
    return _end(
        bench,
        "clEnqueueWriteBufferRect",
        bench.buffer(),
        bench.blocking,
        ORIGIN,
        ORIGIN,
        RECTANGLE,
        0,
        0,
        0,
        0,
        Data(bytes(8 * 4)),
    )


def _copy_rectangle(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueCopyBufferRect", bench.buffer(), bench.buffer(), ORIGIN, ORIGIN, RECTANGLE, 0, 0, 0, 0)


def _fill(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueFillBuffer", bench.buffer(), PATTERN, len(PATTERN.content), 0, SIZE)


def _read_image(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueReadImage", bench.image(), bench.blocking, ORIGIN, REGION, 0, 0, Room(BYTES))


def _write_image(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueWriteImage", bench.image(), bench.blocking, ORIGIN, REGION, 0, 0, Data(bytes(BYTES)))


def _copy_image(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueCopyImage", bench.image(), bench.image(), ORIGIN, ORIGIN, REGION)


def _buffer_to_image(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueCopyBufferToImage", bench.buffer(), bench.image(), 0, ORIGIN, REGION)


def _image_to_buffer(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueCopyImageToBuffer", bench.image(), bench.buffer(), ORIGIN, REGION, 0)


def _fill_image(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueFillImage", bench.image(), Data(bytes(16)), ORIGIN, REGION)


def _map(bench: Bench) -> Outcome:
    needs(promised(bench.cl, "clEnqueueMapBuffer"), "clEnqueueMapBuffer does not apply here")
    flags = value(bench.cl, "CL_MAP_READ")
    buffer = bench.buffer()
    return bench.cl.clEnqueueMapBuffer(
        bench.queue, buffer, bench.blocking, flags, 0, SIZE, *bench.wait, Room(1), Room(1)
    )


def _map_image(bench: Bench) -> Outcome:
    flags = value(bench.cl, "CL_MAP_READ")
    arguments = (bench.image(), bench.blocking, flags, ORIGIN, REGION, Room(1), Room(1), *bench.wait, Room(1), Room(1))
    return bench.cl.clEnqueueMapImage(bench.queue, *arguments)


def _unmap(bench: Bench) -> Outcome:
    buffer, flags = bench.buffer(), value(bench.cl, "CL_MAP_READ")
    mapped = made(bench.cl.clEnqueueMapBuffer(bench.queue, buffer, 1, flags, 0, SIZE, 0, None, None, Room(1)))
    needs(mapped, "the driver maps no buffer")
    return _end(bench, "clEnqueueUnmapMemObject", buffer, mapped[0])


def _marker(bench: Bench) -> Outcome:
    needs(promised(bench.cl, "clEnqueueMarker"), "clEnqueueMarker does not apply here")
    return bench.cl.clEnqueueMarker(bench.queue, Room(1))


def _marker_with_list(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueMarkerWithWaitList")


def _barrier_with_list(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueBarrierWithWaitList")


def _migrate(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueMigrateMemObjects", 1, Items((bench.buffer(),)), 0)


def _svm(bench: Bench) -> Handle:
    coarse = value(bench.cl, "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER")
    needs((bench.cl.fact("CL_DEVICE_SVM_CAPABILITIES") or 0) & coarse, "the device has no shared virtual memory")
    return one(bench.cl.clSVMAlloc(bench.context, value(bench.cl, "CL_MEM_READ_WRITE"), SIZE, 0))


def _svm_copy(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueSVMMemcpy", bench.blocking, _svm(bench), _svm(bench), SIZE)


def _svm_fill(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueSVMMemFill", _svm(bench), PATTERN, len(PATTERN.content), SIZE)


def _svm_map(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueSVMMap", bench.blocking, value(bench.cl, "CL_MAP_WRITE"), _svm(bench), SIZE)


def _svm_unmap(bench: Bench) -> Outcome:
    memory = _svm(bench)
    flags = value(bench.cl, "CL_MAP_WRITE")
    bench.cl.clEnqueueSVMMap(bench.queue, 1, flags, memory, SIZE, 0, None, None)
    return _end(bench, "clEnqueueSVMUnmap", memory)


def _svm_migrate(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueSVMMigrateMem", 1, Items((_svm(bench),)), None, 0)


def _svm_free(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueSVMFree", 1, Items((_svm(bench),)), None, None)


def _unified(bench: Bench, *sorts: str) -> Handle:
    return allocate(bench.cl, bench.context, *(sorts or TYPES), size=SIZE)


def _unified_copy(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueMemcpyINTEL", bench.blocking, _unified(bench), _unified(bench), SIZE)


def _unified_fill(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueMemFillINTEL", _unified(bench), PATTERN, len(PATTERN.content), SIZE)


def _unified_migrate(bench: Bench) -> Outcome:
    lost = value(bench.cl, "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED")
    return _end(bench, "clEnqueueMigrateMemINTEL", _unified(bench, SHARED), SIZE, lost)


def _unified_advise(bench: Bench) -> Outcome:
    return _end(bench, "clEnqueueMemAdviseINTEL", _unified(bench, SHARED), SIZE, 0)


COMMANDS: dict[str, Command] = {
    "clEnqueueNDRangeKernel": _range,
    "clEnqueueTask": _task,
    "clEnqueueNativeKernel": _native,
    "clEnqueueReadBuffer": _read,
    "clEnqueueWriteBuffer": _write,
    "clEnqueueCopyBuffer": _copy,
    "clEnqueueReadBufferRect": _read_rectangle,
    "clEnqueueWriteBufferRect": _write_rectangle,
    "clEnqueueCopyBufferRect": _copy_rectangle,
    "clEnqueueFillBuffer": _fill,
    "clEnqueueReadImage": _read_image,
    "clEnqueueWriteImage": _write_image,
    "clEnqueueCopyImage": _copy_image,
    "clEnqueueCopyBufferToImage": _buffer_to_image,
    "clEnqueueCopyImageToBuffer": _image_to_buffer,
    "clEnqueueFillImage": _fill_image,
    "clEnqueueMapBuffer": _map,
    "clEnqueueMapImage": _map_image,
    "clEnqueueUnmapMemObject": _unmap,
    "clEnqueueMarker": _marker,
    "clEnqueueMarkerWithWaitList": _marker_with_list,
    "clEnqueueBarrierWithWaitList": _barrier_with_list,
    "clEnqueueMigrateMemObjects": _migrate,
    "clEnqueueSVMMemcpy": _svm_copy,
    "clEnqueueSVMMemFill": _svm_fill,
    "clEnqueueSVMMap": _svm_map,
    "clEnqueueSVMUnmap": _svm_unmap,
    "clEnqueueSVMMigrateMem": _svm_migrate,
    "clEnqueueSVMFree": _svm_free,
    "clEnqueueMemcpyINTEL": _unified_copy,
    "clEnqueueMemFillINTEL": _unified_fill,
    "clEnqueueMigrateMemINTEL": _unified_migrate,
    "clEnqueueMemAdviseINTEL": _unified_advise,
}
"""Function to how its command is enqueued; sharing with other interfaces needs those interfaces, and is left out."""
