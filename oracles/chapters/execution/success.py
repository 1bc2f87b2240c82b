"""Kernels run (section 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clEnqueueNDRangeKernel", "clEnqueueTask")
def kernel_run(call: Call, model: Model) -> Promise:
    """Each work-item executes the kernel exactly once."""
    model.get(Kernel, call.kernel)
    return Promise()
