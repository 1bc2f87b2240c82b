"""Kernels run (section 5.10): invalid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.errors.variations import Variation, Variations
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()


@variations.of("clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1", "clEnqueueTask/CL_INVALID_OPERATION/1")
def addresses_of_no_use() -> Iterator[Variation]:
    """Yield a kernel whose argument is an address in host memory."""
    yield Variation("an argument in host memory", _on_own_memory)


def _on_own_memory(kit: Kit, _given: Arguments) -> dict[str, Value]:
    needs(promised(kit.cl, "clSetKernelArgSVMPointer"), "requires OpenCL 2.0 (clSetKernelArgSVMPointer)")
    kernel = kit.kernel("add_index")
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, kit.area())
    return {"kernel": kernel}
