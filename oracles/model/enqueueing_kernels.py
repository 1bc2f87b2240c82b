"""Kernels that enqueue kernels: each work-item puts a block into a device queue, whose work-items store next to it.

A work-item that cannot enqueue its block does the work of the block itself, and records that; OpenCL C does not specify
when this happens. So the final contents are the same in any case. The source needs OpenCL C 2.0, or 3.0 with
device-side enqueue; other compilers reject it.
"""

from __future__ import annotations

from dataclasses import dataclass

from clconform.oracles.model.argument_kernels import DATA, PRIVATE
from clconform.oracles.model.parameters import KernelParameter

CHILDREN = 4
"""Work-items of each block."""
WORDS = 1 + CHILDREN
"""Elements for each enqueued work-item: whether its block is in a queue, then those of the block's work-items."""
ENQUEUED, NOT_ENQUEUED = 1, 0
"""Value of the first element if the block was enqueued, and if it was not."""
QUEUE = KernelParameter("queue", "queue_t", PRIVATE)


@dataclass(frozen=True)
class EnqueueingKernel:
    """A kernel over a one-dimensional range.

    ``takes_queue``: the queue is its second argument, else the device's default queue. ``waits``: a block begins after
    the kernel that enqueued it, else immediately.
    """

    name: str
    takes_queue: bool
    waits: bool

    @property
    def arguments(self) -> tuple[KernelParameter, ...]:
        """Return its arguments as the source declares them."""
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
"""Kernels by their names."""


def count_enqueued_blocks(content: bytes) -> int:
    """Return how many blocks were enqueued, from the contents that such a kernel has written."""
    size = DATA.bytes
    told = (content[at : at + size] for at in range(0, len(content), WORDS * size))
    return sum(each == ENQUEUED.to_bytes(size, "little") for each in told)
