"""The kit for kernels over ranges: kernels that write ids and sizes, and the buffers for their results."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HandleBytes
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.range_kernels import RANGE_KERNELS, SHARED_ELEMENTS
from clconform.suites.chapters.execution.groups import fits
from clconform.suites.chapters.execution.kernels import create_range_kernel, get_standard_option
from clconform.suites.helpers import has_version, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.calls.values import Handle, Value

NON_UNIFORM = "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT"


@dataclass(frozen=True)
class KernelRange:
    """The global sizes, local sizes and offset of a kernel enqueue; None stands for NULL."""

    sizes: tuple[int, ...]
    local: tuple[int, ...] | None = None
    offset: tuple[int, ...] | None = None

    @property
    def work_items(self) -> int:
        """Return the number of work-items in the range."""
        return math.prod(self.sizes)

    @property
    def arguments(self) -> dict[str, Value]:
        """Return the arguments of clEnqueueNDRangeKernel that describe the range."""
        return {
            "work_dim": len(self.sizes),
            "global_work_offset": ElementList(self.offset) if self.offset is not None else None,
            "global_work_size": ElementList(self.sizes),
            "local_work_size": ElementList(self.local) if self.local is not None else None,
        }


class RangeKit(Kit):
    """A kit with the known kernels over ranges, each built in OpenCL C 1.x and in OpenCL C 2.0 or later."""

    def get_range_kernel(self, name: str, *, in_c2: bool = False) -> Handle:
        """Return a kernel over ranges by its name, created once for each of the two language versions."""
        if in_c2:
            skip_unless(has_version(self.cl, (2, 0)), "requires OpenCL 2.0 (linear ids)")
        options = get_standard_option(self) if in_c2 else ""
        return self.get_cached(("over ranges", name, options), lambda: create_range_kernel(self, name, options))

    def needs_non_uniform_groups(self) -> None:
        """Skip where the device does not support non-uniform work-groups."""
        skip_unless(has_version(self.cl, (2, 0)), "requires OpenCL 2.0 (non-uniform work-groups)")
        skip_unless(
            not has_version(self.cl, (3, 0)) or self.cl.fact(NON_UNIFORM), "the device lacks non-uniform work-groups"
        )

    def result_bytes(self, name: str, launch: KernelRange) -> int:
        """Return the number of bytes that a kernel writes over a range."""
        return ELEMENT_BYTES * max(RANGE_KERNELS[name].elements * launch.work_items, SHARED_ELEMENTS)

    def enqueue_kernel(
        self, name: str, launch: KernelRange, buffer: Handle, *, in_c2: bool = False, queue: Handle | None = None
    ) -> None:
        """Enqueue a kernel over a range; skip where the device does not allow work-groups of this size."""
        kernel = self.get_range_kernel(name, in_c2=in_c2)
        if launch.local is not None:
            skip_unless(fits(self, kernel, launch.local), "the device does not allow so large a work-group")
        self.cl.clSetKernelArg(kernel, 0, self.pointer_bytes, HandleBytes(buffer))
        if RANGE_KERNELS[name].local:
            items = math.prod(launch.local) if launch.local is not None else launch.work_items
            self.cl.clSetKernelArg(kernel, 1, ELEMENT_BYTES * items, None)
        self.enqueue("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, **launch.arguments)

    def run_and_read(self, name: str, launch: KernelRange, *, in_c2: bool = False, repeats: int = 1) -> None:
        """Run a kernel over a range and read its buffer; the judge checks the content.

        The buffer initially contains test bytes.
        """
        size = self.result_bytes(name, launch)
        buffer = self.create_filled_buffer(size, seed=launch.work_items)
        for _ in range(repeats):
            self.enqueue_kernel(name, launch, buffer, in_c2=in_c2)
        self.read(buffer, 0, size)
