"""Kernels that enqueue kernels: each work-item enqueues a block in a device queue, and the block writes to the buffer.

If a work-item cannot enqueue its block, it does the work of the block itself and records this; OpenCL C does not
specify when an enqueue fails. So the final contents are the same in both cases. The source requires OpenCL C 2.0, or
3.0 with device-side enqueue; other compilers reject it.
"""

from __future__ import annotations

from dataclasses import dataclass

from clconform.oracles.model.argument_kernels import DATA, PRIVATE
from clconform.oracles.model.parameters import KernelParameter

CHILDREN = 4
"""The number of work-items of each block."""
WORDS = 1 + CHILDREN
"""The number of elements for each work-item: whether its block was enqueued, then one per work-item of the block."""
ENQUEUED, NOT_ENQUEUED = 1, 0
"""The values of the first element: the block was enqueued, or was not enqueued."""
QUEUE = KernelParameter("queue", "queue_t", PRIVATE)


@dataclass(frozen=True)
class EnqueueingKernel:
    """A kernel over a one-dimensional range whose work-items enqueue blocks.

    ``takes_queue``: the queue is the second argument; otherwise it is the device's default queue. ``waits``: a block
    begins after the end of the kernel; otherwise immediately.
    """

    name: str
    takes_queue: bool
    waits: bool

    @property
    def arguments(self) -> tuple[KernelParameter, ...]:
        """Return the arguments of the kernel as the source declares them."""
        return (DATA, QUEUE) if self.takes_queue else (DATA,)

    @property
    def source(self) -> str:
        """Return the kernel in OpenCL C."""
        queue = "queue" if self.takes_queue else "get_default_queue()"
        when = "WAIT_KERNEL" if self.waits else "NO_WAIT"
        store = f"own[1u + k] = own[1u + k] * 3u + i * {CHILDREN}u + k;"
        return (
            "#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_device_enqueue)\n"
            f"__kernel void {self.name}(__global uint *data{', queue_t queue' * self.takes_queue})\n"
            "{\n"
            "    uint i = (uint)get_global_id(0);\n"
            f"    __global uint *own = data + i * {WORDS}u;\n"
            "    void (^block)(void) = ^{\n"
            "        uint k = (uint)get_global_id(0);\n"
            f"        {store}\n"
            "    };\n"
            f"    int code = enqueue_kernel({queue}, CLK_ENQUEUE_FLAGS_{when}, ndrange_1D({CHILDREN}), block);\n"
            f"    own[0] = code == CLK_SUCCESS ? {ENQUEUED}u : {NOT_ENQUEUED}u;\n"
            f"    for (uint k = 0; code != CLK_SUCCESS && k < {CHILDREN}u; k++) {{\n"
            f"        {store}\n"
            "    }\n"
            "}\n"
            "#else\n"
            "#error kernels cannot enqueue kernels\n"
            "#endif\n"
        )


ENQUEUEING_KERNELS: dict[str, EnqueueingKernel] = {
    kernel.name: kernel
    for kernel in (
        EnqueueingKernel("enqueue_at_once", takes_queue=True, waits=False),
        EnqueueingKernel("enqueue_behind", takes_queue=True, waits=True),
        EnqueueingKernel("enqueue_by_default", takes_queue=False, waits=False),
    )
}
"""Maps names to kernels."""


def count_enqueued_blocks(content: bytes) -> int:
    """Return the number of enqueued blocks, given the contents that such a kernel has written."""
    size = DATA.bytes
    told = (content[at : at + size] for at in range(0, len(content), WORDS * size))
    return sum(each == ENQUEUED.to_bytes(size, "little") for each in told)
