"""The kit for kernels over ranges: kernels that write ids and sizes, and the buffers that they write to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import HandleBytes, Items
from clconform.oracles.model.known_kernels import ELEMENT_BYTES
from clconform.oracles.model.range_kernels import LAST, RANGE_KERNELS
from clconform.suites.chapters.execution.groups import fits
from clconform.suites.chapters.execution.kernels import HANDLE, range_kernel, standard
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import at_least, needs

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value

NON_UNIFORM = "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT"


@dataclass(frozen=True)
class Launch:
    """A range: global sizes, local sizes and offset of a kernel enqueue; None stands for NULL."""

    sizes: tuple[int, ...]
    local: tuple[int, ...] | None = None
    offset: tuple[int, ...] | None = None

    @property
    def work_items(self) -> int:
        """Return the number of work-items."""
        return math.prod(self.sizes)

    @property
    def arguments(self) -> dict[str, Value]:
        """Return the arguments of the call."""
        return {
            "work_dim": len(self.sizes),
            "global_work_offset": Items(self.offset) if self.offset is not None else None,
            "global_work_size": Items(self.sizes),
            "local_work_size": Items(self.local) if self.local is not None else None,
        }


class RangeKit(Kit):
    """A kit with the known kernels over ranges, each built once in OpenCL C 1.x and once in 2.0 or later."""

    def kernel_over(self, name: str, *, in_c2: bool = False) -> Handle:
        """Return a kernel over ranges by its name, created once for each language version."""
        if in_c2:
            needs(at_least(self.cl, (2, 0)), "requires OpenCL 2.0 (linear ids)")
        options = standard(self) if in_c2 else ""
        return self.once(("over ranges", name, options), lambda: range_kernel(self, name, options))

    def needs_remainders(self) -> None:
        """Skip where the device does not support non-uniform work-groups."""
        needs(at_least(self.cl, (2, 0)), "requires OpenCL 2.0 (non-uniform work-groups)")
        needs(not at_least(self.cl, (3, 0)) or self.cl.fact(NON_UNIFORM), "the device lacks non-uniform work-groups")

    def room_for(self, name: str, launch: Launch) -> int:
        """Return the number of bytes that a kernel writes over a range."""
        return ELEMENT_BYTES * max(RANGE_KERNELS[name].elements * launch.work_items, LAST)

    def launch(
        self, name: str, launch: Launch, buffer: Handle, *, in_c2: bool = False, queue: Handle | None = None
    ) -> None:
        """Enqueue a kernel over a range; skip where the device does not allow work-groups of this size."""
        kernel = self.kernel_over(name, in_c2=in_c2)
        if launch.local is not None:
            needs(fits(self, kernel, launch.local), "the device does not allow so large a work-group")
        self.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(buffer))
        if RANGE_KERNELS[name].local:
            items = math.prod(launch.local) if launch.local is not None else launch.work_items
            self.cl.clSetKernelArg(kernel, 1, ELEMENT_BYTES * items, None)
        self.enqueue("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, **launch.arguments)

    def see(self, name: str, launch: Launch, *, in_c2: bool = False, times: int = 1) -> None:
        """Run a kernel over a range on a buffer of test bytes, and read the buffer for the judge."""
        size = self.room_for(name, launch)
        buffer = self.filled(size, seed=launch.work_items)
        for _ in range(times):
            self.launch(name, launch, buffer, in_c2=in_c2)
        self.read(buffer, 0, size)
